//! Kubernetes objects in any format to the model, the snapshot file and the history file.
//!
//! [`Reader`] takes files, pages of lists and lines of watches and ends in a [`restow_model::Snapshot`]. Everything that is
//! particular to Kubernetes' own formats stops here.

mod anonymize;
mod convert;
pub mod file;
pub mod history;
mod kind;
mod read;
pub mod schema;
mod wire;

pub use anonymize::anonymize;
pub use convert::{FieldPath, Step};
pub use kind::Kind;
pub use read::{
    Counted, Document, Found, ListPage, Matters, Object, ObjectName, Position, ReadError,
    ReadOptions, ReadProblem, ReadSummary, Reader, Reason, Skipped, Tables, View, WatchEvent,
    find_inputs,
};
