//! Builds errors that say where and what.

use super::decode::identity;
use super::error::{ObjectName, Position, ReadError, ReadProblem, Reason};
use crate::convert::FieldPath;

/// Where the object that is being read comes from.
pub(super) struct Source<'a> {
    pub(super) origin: &'a str,
    /// Its number in the input.
    pub(super) document: u64,
}

pub(super) fn io_error(origin: &str, error: &std::io::Error) -> ReadError {
    // A damaged gzip stream and an object that is too large come as errors of reading; both are about the content.
    let content = matches!(
        error.kind(),
        std::io::ErrorKind::InvalidData
            | std::io::ErrorKind::InvalidInput
            | std::io::ErrorKind::UnexpectedEof
            | std::io::ErrorKind::Other
    );
    let reason = if content { Reason::Syntax } else { Reason::Io };
    ReadError::new(origin, reason, format_args!("cannot read: {error}"))
}

pub(super) fn syntax(origin: &str, position: Option<Position>, problem: &str) -> ReadError {
    ReadProblem { position, ..ReadProblem::new(origin, Reason::Syntax, problem) }.into()
}

pub(super) fn fault(
    source: &Source<'_>,
    position: Option<Position>,
    object: ObjectName,
    field: FieldPath,
    problem: String,
) -> ReadError {
    ReadProblem {
        position,
        document: Some(source.document),
        object: Some(object),
        field: Some(field),
        ..ReadProblem::new(source.origin, Reason::Object, problem)
    }
    .into()
}

pub(super) fn untyped(source: &Source<'_>, position: Option<Position>, json: &[u8]) -> ReadError {
    let object = Some(identity("object", json)).filter(|object| !object.name.is_empty());
    ReadProblem {
        position,
        document: Some(source.document),
        object,
        ..ReadProblem::new(source.origin, Reason::Object, "expected apiVersion and kind")
    }
    .into()
}
