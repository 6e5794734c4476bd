//! Objects in any mix of formats into one snapshot.

mod admission;
pub(crate) mod decode;
mod document;
mod error;
mod input;
mod json;
mod json_input;
mod lean;
mod live;
mod locate;
mod matters;
mod objects;
mod problem;
mod reader;
mod store;
mod view;
mod yaml;
mod yaml_input;

pub use document::Document;
pub use error::{ObjectName, Position, ReadError, ReadProblem, Reason};
pub use input::{Found, find_inputs};
pub use live::{ListPage, WatchEvent};
pub use matters::{Counted, Matters, Object, Tables};
pub use reader::{ReadOptions, ReadSummary, Reader, Skipped};
pub use view::View;
