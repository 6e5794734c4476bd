//! Objects in any mix of formats into one snapshot.

pub(crate) mod decode;
mod error;
mod input;
mod json;
mod lean;
mod locate;
mod reader;
mod store;
mod yaml;

pub use error::{ObjectName, Position, ReadError, Reason};
pub use input::{Found, find_inputs};
pub use reader::{ListPage, ReadOptions, ReadSummary, Reader, Skipped, WatchEvent};
