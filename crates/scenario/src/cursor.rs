//! A document that was held to its schema, and places in it.
//!
//! Values are only reached through the schema: what the tree does not have cannot be read.

use std::cell::RefCell;

use restow_kubernetes::{Document, FieldPath, Step};
use restow_model::{GoDuration, Price, Time};
use restow_simulator::script::Spread;
use serde_json::Value;

use crate::check::check;
use crate::error::{Error, Problem};
use crate::form::{Form, Schema};
use crate::{scalar, value};

/// A document of ours.
pub(crate) struct Source {
    /// What the caller calls it.
    pub(crate) name: String,
    document: Document,
    root: Value,
    problems: RefCell<Vec<Problem>>,
    #[cfg(test)]
    seen: RefCell<std::collections::BTreeSet<usize>>,
}

impl Source {
    /// Reads a document and holds it to the schema.
    pub(crate) fn read(name: &str, text: &[u8], schema: &Schema) -> Result<Self, Error> {
        let document = Document::read(name, text)
            .map_err(|error| Error::whole(name, error.position, error.problem.clone()))?;
        let (root, twice) = value::read(document.json());
        let source = Self {
            name: name.to_owned(),
            document,
            root,
            problems: RefCell::default(),
            #[cfg(test)]
            seen: RefCell::default(),
        };
        for field in twice {
            source.fail_at(field, "comes twice", true);
        }
        for own in check(schema, &source.root) {
            source.fail_at(own.field, &own.problem, own.of_key);
        }
        source.done(()).map(|()| source)
    }

    /// The whole document.
    pub(crate) fn root<'a>(&'a self, schema: &'static Schema) -> At<'a> {
        At { source: self, schema, value: &self.root, path: FieldPath::default() }
    }

    /// Notes something that is wrong.
    pub(crate) fn fail_at(&self, field: FieldPath, problem: &str, of_key: bool) {
        let position = if of_key {
            self.document.key_position(&field)
        } else {
            self.document.position(&field)
        };
        self.problems.borrow_mut().push(Problem { position, field, problem: problem.to_owned() });
    }

    /// The value, unless something is wrong.
    pub(crate) fn done<T>(&self, value: T) -> Result<T, Error> {
        let problems = self.problems.take();
        if problems.is_empty() { Ok(value) } else { Err(Error::new(&self.name, problems)) }
    }

    /// The fields that were asked for, by the addresses of their schemas.
    #[cfg(test)]
    pub(crate) fn seen(&self) -> std::collections::BTreeSet<usize> {
        self.seen.borrow().clone()
    }
}

/// A place in a document.
#[derive(Clone)]
pub(crate) struct At<'a> {
    pub(crate) source: &'a Source,
    pub(crate) schema: &'static Schema,
    pub(crate) value: &'a Value,
    pub(crate) path: FieldPath,
}

impl<'a> At<'a> {
    fn below(&self, step: Step, schema: &'static Schema, value: &'a Value) -> Self {
        let mut path = self.path.clone();
        path.0.push(step);
        // A value of none of the ways was refused before.
        let schema = schema.of(value).unwrap_or(schema);
        Self { source: self.source, schema, value, path }
    }

    /// A field, if it is there.
    pub(crate) fn get(&self, name: &str) -> Option<Self> {
        let schema = self.schema.get(name);
        debug_assert!(schema.is_some(), "{}.{name} is not in the tree of fields", self.path);
        #[cfg(test)]
        self.source.seen.borrow_mut().extend(schema.map(|own| std::ptr::from_ref(own).addr()));
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        Some(self.below(Step::Key(name.to_owned()), schema?, value))
    }

    /// Whether a field is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The elements of a list.
    pub(crate) fn items(&self) -> Vec<Self> {
        let (Form::List(items), Value::Array(elements)) = (&self.schema.form, self.value) else {
            return Vec::new();
        };
        let each = elements.iter().enumerate();
        each.map(|(at, element)| self.below(Step::Index(at), items, element)).collect()
    }

    /// The elements of a list that may be missing.
    pub(crate) fn all(&self, name: &str) -> Vec<Self> {
        self.get(name).map(|list| list.items()).unwrap_or_default()
    }

    /// The entries of a map.
    pub(crate) fn entries(&self) -> Vec<(&'a str, Self)> {
        let (Form::Map { values, .. }, Value::Object(members)) = (&self.schema.form, self.value)
        else {
            return Vec::new();
        };
        let each = members.iter();
        each.map(|(key, value)| (key.as_str(), self.below(Step::Key(key.clone()), values, value)))
            .collect()
    }

    /// The fields of an object that are there.
    pub(crate) fn fields(&self) -> Vec<(&'a str, Self)> {
        let Value::Object(members) = self.value else { return Vec::new() };
        members.keys().filter_map(|key| Some((key.as_str(), self.get(key)?))).collect()
    }

    pub(crate) fn text(&self) -> &'a str {
        self.value.as_str().unwrap_or_default()
    }

    /// Text of a field that may be missing.
    pub(crate) fn text_of(&self, name: &str) -> Option<&'a str> {
        self.get(name).map(|own| own.text())
    }

    /// Texts of a list that may be missing.
    pub(crate) fn texts_of(&self, name: &str) -> Vec<&'a str> {
        self.all(name).iter().map(Self::text).collect()
    }

    /// Text, or a number as text.
    pub(crate) fn plain(&self) -> String {
        scalar::plain(self.value).unwrap_or_default()
    }

    pub(crate) fn duration(&self) -> GoDuration {
        scalar::duration(self.value).unwrap_or_default()
    }

    pub(crate) fn duration_of(&self, name: &str) -> Option<GoDuration> {
        self.get(name).map(|own| own.duration())
    }

    pub(crate) fn share_of(&self, name: &str) -> Option<f64> {
        scalar::share(self.get(name)?.value)
    }

    pub(crate) fn price_of(&self, name: &str) -> Option<Price> {
        scalar::price(self.get(name)?.value)
    }

    pub(crate) fn integer(&self) -> i64 {
        self.value.as_i64().unwrap_or_default()
    }

    pub(crate) fn integer_of(&self, name: &str) -> Option<i64> {
        self.get(name).map(|own| own.integer())
    }

    pub(crate) fn number(&self) -> f64 {
        self.value.as_f64().unwrap_or_default()
    }

    pub(crate) fn number_of(&self, name: &str) -> Option<f64> {
        self.get(name).map(|own| own.number())
    }

    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.get(name).is_some_and(|own| *own.value == Value::Bool(true))
    }

    pub(crate) fn time_of(&self, name: &str) -> Option<Time> {
        self.get(name)?.text().parse().ok()
    }

    /// `20s`, or a median with a sigma.
    pub(crate) fn spread_of(&self, name: &str, otherwise: Spread) -> Spread {
        let Some(own) = self.get(name) else { return otherwise };
        if !own.value.is_object() {
            return Spread::fixed(own.duration());
        }
        Spread {
            median: own.duration_of("median").unwrap_or(otherwise.median),
            sigma: own.number_of("sigma").unwrap_or_default(),
        }
    }

    /// Something that is wrong with this value, to be said later.
    pub(crate) fn problem(&self, problem: &str) -> Problem {
        let position = self.source.document.position(&self.path);
        Problem { position, field: self.path.clone(), problem: problem.to_owned() }
    }

    /// Notes what is wrong with this value.
    pub(crate) fn fail(&self, problem: impl AsRef<str>) {
        self.source.fail_at(self.path.clone(), problem.as_ref(), false);
    }

    /// Notes what is wrong with this field's being here.
    pub(crate) fn fail_key(&self, problem: impl AsRef<str>) {
        self.source.fail_at(self.path.clone(), problem.as_ref(), true);
    }
}
