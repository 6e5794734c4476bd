//! What a schema is made of, and the words to write one down with.

use serde_json::Value;

/// What one value may be.
pub(crate) struct Schema {
    pub(crate) description: &'static str,
    pub(crate) form: Form,
    /// What the API server fills in where it is missing.
    pub(crate) default: Option<Value>,
    pub(crate) rules: Vec<&'static Rule>,
}

/// Which kind of value.
pub(crate) enum Form {
    Object(Vec<Field>),
    Map {
        values: Box<Schema>,
        most: Option<usize>,
        /// How two writers share it: `atomic` or `granular`.
        shared: Option<&'static str>,
    },
    List {
        items: Box<Schema>,
        most: Option<usize>,
        shared: List,
    },
    Text(Text),
    Integer {
        format: Option<&'static str>,
        least: Option<i64>,
        most: Option<i64>,
    },
    /// A quantity: a number, or text.
    Quantity,
    Boolean,
    /// What the API server knows by itself.
    Metadata,
}

/// How the elements of a list are told apart.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    /// Not at all: the list is one value.
    Atomic,
    /// Each element once.
    Set,
    /// By this field.
    Map(&'static str),
}

/// What text may be.
#[derive(Default)]
pub(crate) struct Text {
    /// The words to choose from, all if there are none.
    pub(crate) words: Vec<&'static str>,
    pub(crate) pattern: Option<&'static Pattern>,
    pub(crate) shortest: Option<usize>,
    pub(crate) longest: Option<usize>,
    pub(crate) is_time: bool,
}

/// A field of an object.
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) required: bool,
    pub(crate) schema: Schema,
}

/// What text has to look like.
pub(crate) struct Pattern {
    /// For the API server.
    pub(crate) regex: &'static str,
    /// The same for files.
    pub(crate) matches: fn(&str) -> bool,
    /// For people: "expected …".
    pub(crate) expected: &'static str,
}

/// Something that must hold of a value.
pub(crate) struct Rule {
    /// The field below the value that the error names, if not the value itself.
    pub(crate) field: Option<&'static str>,
    /// For the API server.
    pub(crate) cel: &'static str,
    /// What both say when it does not hold.
    pub(crate) message: &'static str,
    /// The same for files.
    pub(crate) holds: Holds,
}

/// What a rule is about.
pub(crate) enum Holds {
    /// The value alone, with its defaults.
    Now(fn(&Value) -> bool),
    /// The value and what it was before: a file has no before.
    OnUpdate,
}

fn schema(description: &'static str, form: Form) -> Schema {
    Schema { description, form, default: None, rules: Vec::new() }
}

pub(crate) fn object(description: &'static str) -> Schema {
    schema(description, Form::Object(Vec::new()))
}

pub(crate) fn map(description: &'static str, values: Schema) -> Schema {
    schema(description, Form::Map { values: Box::new(values), most: None, shared: None })
}

pub(crate) fn list(description: &'static str, items: Schema) -> Schema {
    let items = Box::new(items);
    schema(description, Form::List { items, most: None, shared: List::Atomic })
}

pub(crate) fn text(description: &'static str) -> Schema {
    schema(description, Form::Text(Text::default()))
}

pub(crate) fn time(description: &'static str) -> Schema {
    schema(description, Form::Text(Text { is_time: true, ..Text::default() }))
}

/// A whole number between two bounds, either of which may be missing.
pub(crate) fn integer(
    description: &'static str,
    format: Option<&'static str>,
    least: Option<i64>,
    most: Option<i64>,
) -> Schema {
    schema(description, Form::Integer { format, least, most })
}

pub(crate) fn boolean(description: &'static str) -> Schema {
    schema(description, Form::Boolean)
}

pub(crate) fn quantity(description: &'static str) -> Schema {
    schema(description, Form::Quantity)
}

pub(crate) fn metadata() -> Schema {
    schema("", Form::Metadata)
}

impl Schema {
    fn field(mut self, name: &'static str, required: bool, schema: Schema) -> Self {
        if let Form::Object(fields) = &mut self.form {
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

    pub(crate) fn default(mut self, value: Value) -> Self {
        self.default = Some(value);
        self
    }

    pub(crate) fn rule(mut self, rule: &'static Rule) -> Self {
        self.rules.push(rule);
        self
    }

    fn text(mut self, change: impl FnOnce(&mut Text)) -> Self {
        if let Form::Text(text) = &mut self.form {
            change(text);
        }
        self
    }

    /// Text of this look.
    pub(crate) fn matching(self, pattern: &'static Pattern) -> Self {
        self.text(|text| text.pattern = Some(pattern))
    }

    /// One of these words.
    pub(crate) fn one_of(self, words: &[&'static str]) -> Self {
        self.text(|text| text.words = words.to_vec())
    }

    pub(crate) fn shortest(self, length: usize) -> Self {
        self.text(|text| text.shortest = Some(length))
    }

    pub(crate) fn longest(self, length: usize) -> Self {
        self.text(|text| text.longest = Some(length))
    }

    /// At most so many entries.
    pub(crate) fn at_most(mut self, count: usize) -> Self {
        if let Form::List { most, .. } | Form::Map { most, .. } = &mut self.form {
            *most = Some(count);
        }
        self
    }

    /// How the list's elements are told apart.
    pub(crate) fn by(mut self, list: List) -> Self {
        if let Form::List { shared, .. } = &mut self.form {
            *shared = list;
        }
        self
    }

    /// How two writers share the map.
    pub(crate) fn shared(mut self, how: &'static str) -> Self {
        if let Form::Map { shared, .. } = &mut self.form {
            *shared = Some(how);
        }
        self
    }

    /// The field of that name.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let Form::Object(fields) = &self.form else { return None };
        fields.iter().find(|field| field.name == name).map(|field| &field.schema)
    }
}
