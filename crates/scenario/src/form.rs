//! What the tree of fields is made of, and the words to write it down with.

/// What one value may be.
pub(crate) struct Schema {
    /// For people, in the JSON schema and the documentation.
    pub(crate) description: &'static str,
    pub(crate) form: Form,
    /// What counts where it is missing, as it would be written.
    pub(crate) default: Option<&'static str>,
}

/// Which kind of value.
pub(crate) enum Form {
    /// An object with these fields and no others.
    Object {
        fields: Vec<Field>,
        /// Fields of which there is exactly one.
        one_of: &'static [&'static str],
    },
    /// An object whose keys are data.
    Map {
        keys: Scalar,
        values: Box<Schema>,
    },
    List(Box<Schema>),
    Scalar(Scalar),
    /// One of these, told apart by what kind of JSON value it is.
    Either(Vec<Schema>),
    /// The value of a setting: text, a number, or YAML in the shape of the spec.
    Setting,
    /// Part of a Kubernetes object, whose own reader says what is wrong with it: an object, or a list.
    Kubernetes(Fragment),
}

/// Which part of a Kubernetes object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fragment {
    Object,
    List,
}

/// A value without parts.
#[derive(Clone, Copy)]
pub(crate) enum Scalar {
    Text,
    /// The name of an object.
    Name,
    Words(&'static [&'static str]),
    Duration,
    Time,
    Quantity,
    /// `2%`, or 0.02.
    Share,
    /// Dollars per hour.
    Price,
    /// `25%`, or a count.
    CountOrPercent,
    Cron,
    Integer {
        least: i64,
        most: i64,
    },
    Number {
        least: f64,
    },
    Boolean,
    /// Nothing else makes sense.
    True,
}

/// A field of an object.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) required: bool,
    pub(crate) schema: Schema,
}

fn schema(description: &'static str, form: Form) -> Schema {
    Schema { description, form, default: None }
}

pub(crate) fn object(description: &'static str) -> Schema {
    schema(description, Form::Object { fields: Vec::new(), one_of: &[] })
}

pub(crate) fn map(description: &'static str, keys: Scalar, values: Schema) -> Schema {
    schema(description, Form::Map { keys, values: Box::new(values) })
}

pub(crate) fn list(description: &'static str, items: Schema) -> Schema {
    schema(description, Form::List(Box::new(items)))
}

pub(crate) fn scalar(description: &'static str, scalar: Scalar) -> Schema {
    schema(description, Form::Scalar(scalar))
}

pub(crate) fn text(description: &'static str) -> Schema {
    scalar(description, Scalar::Text)
}

pub(crate) fn name(description: &'static str) -> Schema {
    scalar(description, Scalar::Name)
}

pub(crate) fn words(description: &'static str, all: &'static [&'static str]) -> Schema {
    scalar(description, Scalar::Words(all))
}

pub(crate) fn duration(description: &'static str) -> Schema {
    scalar(description, Scalar::Duration)
}

pub(crate) fn quantity(description: &'static str) -> Schema {
    scalar(description, Scalar::Quantity)
}

pub(crate) fn share(description: &'static str) -> Schema {
    scalar(description, Scalar::Share)
}

pub(crate) fn price(description: &'static str) -> Schema {
    scalar(description, Scalar::Price)
}

/// A whole number of at least `least`, and not so large that anything could overflow.
pub(crate) fn integer(description: &'static str, least: i64) -> Schema {
    scalar(description, Scalar::Integer { least, most: 1_000_000 })
}

pub(crate) fn number(description: &'static str, least: f64) -> Schema {
    scalar(description, Scalar::Number { least })
}

pub(crate) fn boolean(description: &'static str) -> Schema {
    scalar(description, Scalar::Boolean)
}

pub(crate) fn either(description: &'static str, ways: Vec<Schema>) -> Schema {
    schema(description, Form::Either(ways))
}

pub(crate) fn setting(description: &'static str) -> Schema {
    schema(description, Form::Setting)
}

pub(crate) fn kubernetes(description: &'static str, fragment: Fragment) -> Schema {
    schema(description, Form::Kubernetes(fragment))
}

impl Schema {
    pub(crate) fn field(mut self, name: &'static str, required: bool, schema: Schema) -> Self {
        if let Form::Object { fields, .. } = &mut self.form {
            fields.push(Field { name, required, schema });
        }
        self
    }

    /// A field that may be left out.
    pub(crate) fn optional(self, name: &'static str, schema: Schema) -> Self {
        self.field(name, false, schema)
    }

    /// A field that must be there.
    pub(crate) fn required(self, name: &'static str, schema: Schema) -> Self {
        self.field(name, true, schema)
    }

    /// Just one of these fields must be there.
    pub(crate) fn one_of(mut self, names: &'static [&'static str]) -> Self {
        if let Form::Object { one_of, .. } = &mut self.form {
            *one_of = names;
        }
        self
    }

    pub(crate) fn default(mut self, value: &'static str) -> Self {
        self.default = Some(value);
        self
    }

    /// The field of that name.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let Form::Object { fields, .. } = &self.form else { return None };
        fields.iter().find(|field| field.name == name).map(|field| &field.schema)
    }

    /// The schema that a value of this kind has: of several ways the one for its kind of JSON value.
    pub(crate) fn of<'a>(&'a self, value: &serde_json::Value) -> Option<&'a Self> {
        let Form::Either(ways) = &self.form else { return Some(self) };
        ways.iter().find(|way| match &way.form {
            Form::Object { .. } | Form::Map { .. } | Form::Kubernetes(Fragment::Object) => {
                value.is_object()
            }
            Form::List(_) | Form::Kubernetes(Fragment::List) => value.is_array(),
            Form::Scalar(_) => !value.is_object() && !value.is_array(),
            Form::Setting => true,
            Form::Either(_) => false,
        })
    }
}
