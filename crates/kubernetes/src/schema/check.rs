//! Holds an object from a file to the schema, as the API server does: first what every value is, then the rules.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};

use super::form::{Form, Holds, List, Schema, Text};
use super::{NODE_POOL, pattern};
use crate::convert::{FieldPath, Step};

/// What a value can fail at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Check {
    /// It is of another type.
    Type,
    /// It is missing.
    Required,
    /// It is none of the words.
    Word,
    /// It does not look like it should.
    Pattern,
    /// It is no time.
    Time,
    /// It is too small.
    Least,
    /// It is too large.
    Most,
    /// The text is too short.
    Shortest,
    /// The text is too long.
    Longest,
    /// The list or map has too many entries.
    Entries,
    /// It is in the set already.
    Repeated,
    /// A rule does not hold; its message is the problem.
    Rule(&'static str),
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(message) => write!(f, "rule: {message}"),
            other => write!(f, "{other:?}"),
        }
    }
}

/// A value that the schema does not take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The field.
    pub field: FieldPath,
    /// Its place in the schema, such as `spec.template.spec.taints[].key`.
    pub place: String,
    /// What it fails at.
    pub check: Check,
    /// What was expected, for people.
    pub problem: String,
}

impl Check {
    /// Whether the API server leaves the rules unchecked because of it.
    fn hides_rules(self) -> bool {
        use Check::{Entries, Longest, Required, Time, Type, Word};
        matches!(self, Type | Time | Required | Word | Longest | Entries)
    }
}

/// What the API server would refuse of a NodePool, in the order of the schema.
///
/// Unknown fields are passed over, and status is not looked at: the server drops both.
pub fn check_node_pool(object: &Value) -> Vec<Violation> {
    let mut object = object.clone();
    if let Value::Object(members) = &mut object {
        members.retain(|key, _| key == "spec");
    }
    prepare(&NODE_POOL, &mut object);
    let mut walk = Walk::default();
    walk.values(&NODE_POOL, &object);
    if !walk.found.iter().any(|violation| violation.check.hides_rules()) {
        walk.rules(&NODE_POOL, &object);
    }
    walk.found
}

/// Drops what the schema does not know and `null`s, and fills in defaults.
fn prepare(schema: &Schema, value: &mut Value) {
    match (&schema.form, value) {
        (Form::Object(fields), Value::Object(members)) => {
            members.retain(|key, value| {
                !value.is_null() && fields.iter().any(|field| field.name == key)
            });
            for field in fields {
                if let Some(default) = &field.schema.default
                    && !members.contains_key(field.name)
                {
                    members.insert(field.name.to_owned(), default.clone());
                }
                if let Some(value) = members.get_mut(field.name) {
                    prepare(&field.schema, value);
                }
            }
        }
        (Form::Map { values, .. }, Value::Object(members)) => {
            members.retain(|_, value| !value.is_null());
            for value in members.values_mut() {
                prepare(values, value);
            }
        }
        (Form::List { items, .. }, Value::Array(elements)) => {
            for value in elements {
                prepare(items, value);
            }
        }
        _ => {}
    }
}

/// On the way through an object.
#[derive(Default)]
struct Walk {
    steps: Vec<Step>,
    place: Vec<String>,
    found: Vec<Violation>,
}

impl Walk {
    fn report(&mut self, check: Check, problem: impl Into<String>) {
        let mut place = String::new();
        for part in &self.place {
            let dot = if place.is_empty() || part == "[]" { "" } else { "." };
            place = format!("{place}{dot}{part}");
        }
        let field = FieldPath(self.steps.clone());
        self.found.push(Violation { field, place, check, problem: problem.into() });
    }

    fn within(&mut self, step: Step, place: &str, run: impl FnOnce(&mut Self)) {
        self.steps.push(step);
        self.place.push(place.to_owned());
        run(self);
        self.steps.pop();
        self.place.pop();
    }

    /// Visits what is directly below a value.
    fn each(&mut self, schema: &Schema, value: &Value, visit: fn(&mut Self, &Schema, &Value)) {
        let key = |key: &str| Step::Key(key.to_owned());
        match (&schema.form, value) {
            (Form::Object(fields), Value::Object(members)) => {
                for field in fields {
                    if let Some(value) = members.get(field.name) {
                        let run = |walk: &mut Self| visit(walk, &field.schema, value);
                        self.within(key(field.name), field.name, run);
                    }
                }
            }
            (Form::Map { values, .. }, Value::Object(members)) => {
                for (name, value) in members {
                    self.within(key(name), "*", |walk| visit(walk, values, value));
                }
            }
            (Form::List { items, .. }, Value::Array(elements)) => {
                for (at, value) in elements.iter().enumerate() {
                    self.within(Step::Index(at), "[]", |walk| visit(walk, items, value));
                }
            }
            _ => {}
        }
    }

    fn values(&mut self, schema: &Schema, value: &Value) {
        match (&schema.form, value) {
            (Form::Object(fields), Value::Object(members)) => {
                for field in fields {
                    if field.required && !members.contains_key(field.name) {
                        let step = Step::Key(field.name.to_owned());
                        self.within(step, field.name, |walk| {
                            walk.report(Check::Required, "is missing, and required");
                        });
                    }
                }
            }
            (Form::Map { most, .. }, Value::Object(members)) => self.entries(*most, members.len()),
            (Form::List { most, shared, .. }, Value::Array(elements)) => {
                self.entries(*most, elements.len());
                if *shared == List::Set {
                    self.repeated(elements);
                }
            }
            (Form::Text(text), Value::String(value)) => self.text(text, value),
            (Form::Integer { least, most, .. }, Value::Number(number)) => {
                self.integer((*least, *most), number);
            }
            (Form::Quantity, Value::String(value)) => self.pattern(&pattern::QUANTITY, value),
            (Form::Quantity, Value::Number(number)) if is_whole(number) => {}
            // The API server's code does not look at a list where text with a format should be.
            (Form::Boolean, Value::Bool(_))
            | (Form::Text(Text { is_time: true, .. }), Value::Array(_)) => {}
            (form, other) => {
                let problem = format!("expected {}, got {}", article(form), shown(other));
                self.report(Check::Type, problem);
                if let Form::Text(Text { words, .. }) = form
                    && !words.is_empty()
                {
                    self.report(Check::Word, format!("expected {}", or(words)));
                }
            }
        }
        self.each(schema, value, Self::values);
    }

    fn rules(&mut self, schema: &Schema, value: &Value) {
        for rule in &schema.rules {
            let Holds::Now(holds) = rule.holds else { continue };
            if holds(value) {
                continue;
            }
            self.report(Check::Rule(rule.message), rule.message);
            if let (Some(field), Some(violation)) = (rule.field, self.found.last_mut()) {
                violation.field.0.push(Step::Key(field.to_owned()));
            }
        }
        self.each(schema, value, Self::rules);
    }

    fn entries(&mut self, most: Option<usize>, count: usize) {
        if let Some(most) = most.filter(|most| count > *most) {
            self.report(Check::Entries, format!("expected at most {most} entries, got {count}"));
        }
    }

    fn repeated(&mut self, elements: &[Value]) {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for (at, element) in elements.iter().enumerate() {
            let times = seen.entry(element.to_string()).or_default();
            *times += 1;
            // The second of many is named, as by the API server.
            if *times == 2 {
                let problem = format!("{element} is in the list already");
                self.within(Step::Index(at), "[]", |walk| walk.report(Check::Repeated, problem));
            }
        }
    }

    fn text(&mut self, text: &Text, value: &str) {
        let length = value.chars().count();
        if !text.words.is_empty() && !text.words.contains(&value) {
            self.report(Check::Word, format!("expected {}, got {value:?}", or(&text.words)));
        }
        if let Some(longest) = text.longest.filter(|longest| length > *longest) {
            let problem = format!("expected at most {longest} characters, got {length}");
            self.report(Check::Longest, problem);
        }
        if let Some(shortest) = text.shortest.filter(|shortest| length < *shortest) {
            let problem = format!("expected at least {shortest} character, got {value:?}");
            self.report(Check::Shortest, problem);
        }
        if let Some(pattern) = text.pattern {
            self.pattern(pattern, value);
        }
        if text.is_time && !pattern::is_time(value) {
            let problem = format!("expected a time such as 2026-11-15T12:00:00Z, got {value:?}");
            self.report(Check::Time, problem);
        }
    }

    fn pattern(&mut self, pattern: &super::form::Pattern, value: &str) {
        if !(pattern.matches)(value) {
            self.report(Check::Pattern, format!("expected {}, got {value:?}", pattern.expected));
        }
    }

    fn integer(&mut self, (least, most): (Option<i64>, Option<i64>), number: &serde_json::Number) {
        if !is_whole(number) {
            self.report(Check::Type, format!("expected a whole number, got {number}"));
        }
        let value = number.as_f64().unwrap_or_default();
        if let Some(least) = least.filter(|least| value < *least as f64) {
            self.report(Check::Least, format!("expected at least {least}, got {number}"));
        }
        if let Some(most) = most.filter(|most| value > *most as f64) {
            self.report(Check::Most, format!("expected at most {most}, got {number}"));
        }
    }
}

/// As the API server has it: `1.0` is one, but what only a float can hold must be exact.
fn is_whole(number: &serde_json::Number) -> bool {
    const EXACT: f64 = ((1_u64 << 53) - 1) as f64;
    let exact = |value: f64| value.fract() == 0.0 && value.abs() <= EXACT;
    number.is_i64() || number.as_f64().is_some_and(exact)
}

fn article(form: &Form) -> &'static str {
    match form {
        Form::Object(_) | Form::Map { .. } | Form::Metadata => "an object",
        Form::List { .. } => "a list",
        Form::Text(_) => "text in quotes",
        Form::Integer { .. } => "a whole number",
        Form::Quantity => pattern::QUANTITY.expected,
        Form::Boolean => "true or false",
    }
}

/// What is there instead.
fn shown(value: &Value) -> String {
    match value {
        Value::Object(Map { .. }) => "an object".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        scalar => scalar.to_string(),
    }
}

/// `A, B or C`.
fn or(words: &[&str]) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => words.concat(),
    }
}
