//! What moves promised and what came of them.

use restow_model::Price;

use crate::record::{Phase, Record};

/// Sums over all moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Moves that were carried out.
    pub done: usize,
    /// Moves that were taken back.
    pub rolled_back: usize,
    /// Moves that are under way.
    pub under_way: usize,
    /// What the moves that were carried out were expected to save per hour.
    pub promised: Price,
    /// What they save per hour.
    pub realised: Price,
}

impl Ledger {
    /// The sums of some records; each counts once.
    pub fn of(records: &[Record]) -> Self {
        let mut sums = Self::default();
        for own in records {
            match own.phase {
                Phase::Done => {
                    sums.done += 1;
                    sums.promised += own.promised;
                    sums.realised +=
                        own.outcome.as_ref().map(|own| own.realised).unwrap_or_default();
                }
                Phase::RolledBack => sums.rolled_back += 1,
                _ => sums.under_way += 1,
            }
        }
        sums
    }
}
