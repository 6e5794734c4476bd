//! Why a node stays, in words: a sentence for people, numbers for programs, and what can be done about it.
//!
//! Each of the three is one match over all reasons, so that a new reason does not compile until somebody has found words
//! for it.

mod fix;
mod message;
mod values;

pub use fix::{CODES, fix_of};
pub(crate) use message::{full_name, human, seconds, told_apart};
pub use values::ReasonValues;

use restow_consolidation::Reason;
use restow_model::{Snapshot, Time};

/// A reason, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The gate that was failed.
    pub gate: &'static str,
    /// What programs compare.
    pub code: &'static str,
    /// What people read: one sentence without a capital or a full stop.
    pub message: String,
    /// What programs calculate with.
    pub values: ReasonValues,
    /// When it ends by itself, if it does.
    pub until: Option<Time>,
    /// What can be done about it: one sentence.
    pub fix: &'static str,
}

/// Puts a reason into words. The snapshot is the one that it is about.
pub fn tell(snapshot: &Snapshot, reason: &Reason) -> Told {
    Told {
        gate: reason.gate().name(),
        code: reason.code(),
        message: message::message(snapshot, reason),
        values: values::values(snapshot, reason),
        until: reason.until(),
        fix: fix::fix(reason),
    }
}

#[cfg(test)]
mod tests;
