//! Whether a NodePool from a file may be read: the rules that an API server would have held it to.
//!
//! An object that a server has served passed the rules of whichever CRD is installed there, which may be older or newer than
//! ours. It is read as it is: what it says that cannot be understood is an error of reading, what does not go together makes
//! the pool's settings invalid. What somebody wrote by hand has passed nothing, and is held to our schema. A dump that
//! somebody edited is in between: a misspelled setting is an error there, too.

use serde_json::{Value, json};

use super::decode::{Decoded, length};
use crate::convert::FieldPath;
use crate::schema::{check_node_pool, unknown_settings};

/// Where an object comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A file: what is in it may have been written by hand.
    #[default]
    File,
    /// An API server, right now.
    Server,
    /// Its watch, which is in order: what it says now is newer than what is known, whatever the versions look like.
    Watch,
}

/// What is wrong with a NodePool from a file; nothing if it may be read.
pub(super) fn refuse(json: &[u8]) -> Option<Decoded> {
    let own = match length(json) {
        Ok(own) => own,
        Err(error) if error.is_eof() => return Some(Decoded::Incomplete),
        Err(error) => return Some(Decoded::Syntax(error)),
    };
    let object: Value = serde_json::from_slice(&json[..own]).ok()?;
    let (path, problem) = first_problem(object)?;
    Some(Decoded::Fault { path, problem, length: own })
}

fn first_problem(mut object: Value) -> Option<(FieldPath, String)> {
    let given = |key| object["metadata"][key].as_str().is_some_and(|text| !text.is_empty());
    let served = given("uid") || given("resourceVersion");
    let mut unknown = unknown_settings(&object).into_iter();
    if let Some(unknown) = unknown.find(|unknown| !served || unknown.meant.is_some()) {
        return Some((unknown.field, unknown.problem));
    }
    if served {
        return None;
    }
    complete(&mut object);
    let violation = check_node_pool(&object).into_iter().next()?;
    Some((violation.field, violation.problem))
}

/// Nothing is launched from a file, so a pool there may leave out what matters to nobody else.
fn complete(object: &mut Value) {
    let spec = object.pointer_mut("/spec/template/spec").and_then(Value::as_object_mut);
    let Some(spec) = spec else { return };
    for (field, value) in [
        ("requirements", json!([])),
        ("nodeClassRef", json!({"group": "any", "kind": "any", "name": "any"})),
    ] {
        spec.entry(field).or_insert(value);
    }
}
