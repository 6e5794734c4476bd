//! The history file: a cluster at the start, and what happened to it afterwards that no consolidator caused.
//!
//! ```text
//! magic (8 bytes) · format version (u16) · frames …
//! frame: tag (1 byte) · plain length (u32) · packed length (u32) · CRC-32 of all of these and the packed bytes · packed bytes
//! ```
//!
//! Numbers are little-endian. The first frame is a snapshot file; every other one is a look at the cluster at which something
//! had changed, or a word that nothing has. Frames are only ever added, so whoever is interrupted loses the last one at most: a frame that
//! the file ends in is dropped and counted ([`History::lost`]). Frames of unknown tags are passed over.
//!
//! [`between`] finds out what happened from one look to the next; [`Writer`] turns that into bytes, [`decode`] reads them. None of
//! them knows a clock or a file.

mod change;
mod derive;
mod end;
mod error;
mod frames;
mod index;
mod objects;
mod read;
mod write;

use restow_model::{Snapshot, Time};

pub use change::{Change, Maker};
pub use derive::{across, between};
pub use error::HistoryError;
pub use objects::absorb;
pub use read::decode;
pub use write::Writer;

/// How a history file starts.
pub const MAGIC: &[u8] = b"RESTOW\x1ah";

/// The newest format version that this program writes and reads.
pub const VERSION: u16 = 1;

/// Whether these are the first bytes of a history file.
pub fn is_history(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// What happened to a cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The cluster at the start.
    pub start: Snapshot,
    /// What was seen afterwards, in order of time.
    pub frames: Vec<Frame>,
    /// How many bytes at the end could not be read because the last frame is not whole.
    pub lost: usize,
    /// How many bytes before them are good: whoever goes on with the file goes on there.
    pub good: usize,
}

impl History {
    /// When something was last seen.
    pub fn end(&self) -> Time {
        self.frames.last().map_or(self.start.time, |frame| frame.time)
    }

    /// How many changes there are.
    pub fn changes(&self) -> usize {
        self.frames.iter().map(|frame| frame.changes.len()).sum()
    }
}

/// What was seen at one look at the cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// When it was looked at.
    pub time: Time,
    /// What had happened since the look before, in one order for equal clusters.
    pub changes: Vec<Change>,
    /// The objects that changes speak of: workloads, budgets and nodes, with names of their own.
    pub objects: Snapshot,
}

impl Frame {
    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }
}

#[cfg(test)]
mod tests;
