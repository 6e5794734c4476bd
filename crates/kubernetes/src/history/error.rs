//! Why a history file cannot be read.

use crate::file::SnapshotFileError;

use super::VERSION;

/// A history file that cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum HistoryError {
    /// It does not start as one.
    #[error("not a restow history file")]
    NotAHistory,
    /// It was written by a newer program.
    #[error(
        "the history file is of version {0}, this restow reads up to {VERSION}: use a newer restow"
    )]
    TooNew(u16),
    /// It ends before the cluster at the start is told.
    #[error("the history file ends before the cluster at its start: record it again")]
    CutOff,
    /// The cluster at the start cannot be read.
    #[error("the cluster at the start of the history file: {0}")]
    Start(SnapshotFileError),
    /// A frame in the middle is not what was written.
    #[error("the history file is damaged at byte {at}, and goes on after that")]
    Damaged {
        /// Where the frame begins.
        at: usize,
    },
}
