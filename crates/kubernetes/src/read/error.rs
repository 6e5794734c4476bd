//! What is wrong with an input, where, and what was expected.

use std::fmt;

use crate::convert::FieldPath;

/// A place in a text, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: u64,
    /// The column, in bytes.
    pub column: u64,
}

/// Which object it is about, as far as that could be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectName {
    /// Its kind.
    pub kind: String,
    /// Its namespace, empty for cluster-scoped kinds.
    pub namespace: String,
    /// Its name, empty if it has none.
    pub name: String,
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        match (self.namespace.as_str(), self.name.as_str()) {
            (_, "") => f.write_str(" without a name"),
            ("", name) => write!(f, " {name}"),
            (namespace, name) => write!(f, " {namespace}/{name}"),
        }
    }
}

/// What kind of trouble it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The input could not be read at all.
    Io,
    /// The text is not JSON or YAML, or the file is damaged: what follows is lost.
    Syntax,
    /// One object does not make sense: the rest can still be read.
    Object,
}

/// An input that could not be read, or an object in it.
#[derive(Debug)]
pub struct ReadError(Box<ReadProblem>);

/// What a [`ReadError`] says, part by part.
#[derive(Debug)]
pub struct ReadProblem {
    /// The file, or `standard input`, or the URL.
    pub origin: String,
    /// Where in it.
    pub position: Option<Position>,
    /// Which object, counted from 1, where the input has several.
    pub document: Option<u64>,
    /// The object's identity.
    pub object: Option<ObjectName>,
    /// The field.
    pub field: Option<FieldPath>,
    /// What kind of trouble.
    pub reason: Reason,
    /// What is wrong and what was expected.
    pub problem: String,
}

impl ReadError {
    pub(crate) fn new(origin: &str, reason: Reason, problem: impl fmt::Display) -> Self {
        ReadProblem::new(origin, reason, problem).into()
    }
}

impl ReadProblem {
    pub(crate) fn new(origin: &str, reason: Reason, problem: impl fmt::Display) -> Self {
        Self {
            origin: origin.to_owned(),
            position: None,
            document: None,
            object: None,
            field: None,
            reason,
            problem: problem.to_string(),
        }
    }
}

impl From<ReadProblem> for ReadError {
    fn from(problem: ReadProblem) -> Self {
        Self(Box::new(problem))
    }
}

impl std::ops::Deref for ReadError {
    type Target = ReadProblem;
    fn deref(&self) -> &ReadProblem {
        &self.0
    }
}

impl std::error::Error for ReadError {}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.origin)?;
        if let Some(Position { line, column }) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        if let Some(document) = self.document {
            write!(f, ": object {document}")?;
        }
        if let Some(object) = &self.object {
            write!(f, ": {object}")?;
        }
        if let Some(field) = &self.field
            && !field.0.is_empty()
        {
            write!(f, ": {field}")?;
        }
        write!(f, ": {}", self.problem)
    }
}
