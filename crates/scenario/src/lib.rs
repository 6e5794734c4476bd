//! Scenario files: from text to what a simulation starts with, and the scenarios that come with the program.
//!
//! [`read`] takes a text and a way to read the files that it names, and gives a [`Scenario`]. Whatever fits a Kubernetes object is
//! read by the reader of Kubernetes objects: short forms are written out as objects first. One tree of fields (`fields.rs`)
//! makes the [`json_schema`], checks documents and is the only way to reach their values. Errors name file, line, field and what was
//! expected, all of them at once. [`replay()`] makes the same of a recorded history.

mod book;
mod cast;
mod check;
mod cursor;
mod error;
mod events;
mod expectations;
mod fields;
mod form;
mod json_schema;
mod nodes;
mod objects;
mod pods;
mod policy;
mod read;
mod replay;
mod scalar;
mod script;
mod shipped;
mod value;
mod workloads;

pub use error::{Error, Problem};
pub use json_schema::json_schema;
pub use policy::{PolicyDraft, read_policy, read_structured};
pub use read::{ReadFile, Scenario, read};
pub use replay::{AsItWas, Replay, Stay, replay};
pub use shipped::shipped;

#[cfg(test)]
mod tests;
