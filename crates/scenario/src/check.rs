//! Holds a document to the tree of fields, and finds everything that is wrong at once.

use restow_catalog::nearest;
use restow_consolidation::settings::Name;
use restow_kubernetes::{FieldPath, Step};
use serde_json::Value;

use crate::fields::ELSEWHERE;
use crate::form::{Field, Form, Fragment, Schema};
use crate::scalar::{self, or, shown};

/// Something that the tree does not allow.
pub(crate) struct Violation {
    pub(crate) field: FieldPath,
    pub(crate) problem: String,
    /// Whether it is about the field's name rather than its value.
    pub(crate) of_key: bool,
}

/// Everything in a value that the schema does not allow.
pub(crate) fn check(schema: &Schema, value: &Value) -> Vec<Violation> {
    let mut walk = Walk { steps: Vec::new(), found: Vec::new() };
    walk.value(schema, value);
    walk.found
}

struct Walk {
    steps: Vec<Step>,
    found: Vec<Violation>,
}

impl Walk {
    fn fail(&mut self, problem: String, of_key: bool) {
        let field = FieldPath(self.steps.clone());
        self.found.push(Violation { field, problem, of_key });
    }

    fn wrong(&mut self, expected: &str, value: &Value) {
        self.fail(format!("expected {expected}, got {}", shown(value)), false);
    }

    fn value(&mut self, schema: &Schema, value: &Value) {
        let Some(schema) = schema.of(value) else {
            let Form::Either(ways) = &schema.form else { return };
            let ways: Vec<String> = ways.iter().map(|way| expected(&way.form)).collect();
            let ways: Vec<&str> = ways.iter().map(String::as_str).collect();
            return self.wrong(&or(&ways), value);
        };
        match (&schema.form, value) {
            (Form::Object { fields, one_of }, Value::Object(members)) => {
                self.object(fields, one_of, members);
            }
            (Form::Map { keys, values }, Value::Object(members)) => {
                for (key, value) in members {
                    self.steps.push(Step::Key(key.clone()));
                    match scalar::check(*keys, &Value::String(key.clone())) {
                        Ok(()) => self.value(values, value),
                        Err(problem) => self.fail(problem, true),
                    }
                    self.steps.pop();
                }
            }
            (Form::List(items), Value::Array(elements)) => {
                for (at, element) in elements.iter().enumerate() {
                    self.steps.push(Step::Index(at));
                    self.value(items, element);
                    self.steps.pop();
                }
            }
            (Form::Scalar(kind), value) => {
                if let Err(problem) = scalar::check(*kind, value) {
                    self.fail(problem, false);
                }
            }
            (Form::Kubernetes(Fragment::Object), Value::Object(_))
            | (Form::Kubernetes(Fragment::List), Value::Array(_)) => {}
            (Form::Setting, value) if !value.is_null() => {}
            (form, value) => self.wrong(&expected(form), value),
        }
    }

    fn object(
        &mut self,
        fields: &[Field],
        one_of: &[&str],
        members: &serde_json::Map<String, Value>,
    ) {
        for (key, value) in members {
            self.steps.push(Step::Key(key.clone()));
            match fields.iter().find(|field| field.name == key) {
                Some(field) if !value.is_null() => self.value(&field.schema, value),
                // Nothing behind a key says nothing.
                Some(_) => {}
                None => self.fail(unknown(key, fields), true),
            }
            self.steps.pop();
        }
        let given = |name: &str| members.get(name).is_some_and(|value| !value.is_null());
        for field in fields.iter().filter(|field| field.required && !given(field.name)) {
            let what = expected(&field.schema.form);
            self.fail(format!("the field {} is missing: expected {what}", field.name), false);
        }
        let there: Vec<&str> = one_of.iter().copied().filter(|name| given(name)).collect();
        match there.as_slice() {
            [] if !one_of.is_empty() => {
                self.fail(format!("expected one of {}, found none", or(one_of)), false);
            }
            [] | [_] => {}
            [first, second, ..] => {
                let problem =
                    format!("{first} and {second} cannot be together: choose one of them");
                self.fail(problem, false);
            }
        }
    }
}

/// What a field should have been.
fn unknown(key: &str, fields: &[Field]) -> String {
    let names = || fields.iter().map(|field| field.name);
    if names().any(|name| name == Name::ConsolidateAfter.text())
        && let Some((_, field)) = ELSEWHERE.iter().find(|(name, _)| name.text() == key)
    {
        return format!("is not set here but by {field}");
    }
    match nearest(key, names(), 1).first() {
        Some(near) => format!("there is no such field; did you mean {near}?"),
        None if fields.len() > 30 => "there is no such field".to_owned(),
        None => {
            let names: Vec<&str> = names().collect();
            format!("there is no such field; there are {}", names.join(", "))
        }
    }
}

fn expected(form: &Form) -> String {
    match form {
        Form::Object { .. } | Form::Map { .. } | Form::Kubernetes(Fragment::Object) => {
            "an object".to_owned()
        }
        Form::List(_) | Form::Kubernetes(Fragment::List) => "a list".to_owned(),
        Form::Scalar(scalar) => scalar.expected(),
        Form::Either(ways) => {
            let ways: Vec<String> = ways.iter().map(|way| expected(&way.form)).collect();
            or(&ways.iter().map(String::as_str).collect::<Vec<_>>())
        }
        Form::Setting => "a value".to_owned(),
    }
}
