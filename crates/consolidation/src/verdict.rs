//! What a plan says of one node.

use restow_model::Price;

use crate::reason::Reason;

/// What becomes of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// It goes now.
    Consolidate,
    /// It goes later, or once a budget allows it.
    Deferred,
    /// It may not be touched.
    Blocked,
    /// It may go, but that is not possible or not worth it.
    Kept,
    /// It is none of our business.
    Unmanaged,
}

impl Outcome {
    /// Its name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Consolidate => "Consolidate",
            Self::Deferred => "Deferred",
            Self::Blocked => "Blocked",
            Self::Kept => "Kept",
            Self::Unmanaged => "Unmanaged",
        }
    }
}

/// What a plan says of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// What becomes of it.
    pub outcome: Outcome,
    /// Its move, by its place in the plan.
    pub in_move: Option<usize>,
    /// Why, the headline first.
    pub reasons: Vec<Reason>,
    /// What its own move would save if gates 3 to 9 did not count, for nodes that they block.
    pub locked: Option<Price>,
}
