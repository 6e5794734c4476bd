//! What moves promised and what came of them.

use restow_model::{GoDuration, Price, Time};

use crate::record::{Failure, Phase, Record};

const HOUR: GoDuration = GoDuration::from_seconds(3600);

/// Sums over all moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Moves that were carried out.
    pub done: usize,
    /// Moves that were taken back after something had been done for them.
    pub rolled_back: usize,
    /// Moves that were refused at the second look, before anything was done.
    pub refused: usize,
    /// Moves that are under way.
    pub under_way: usize,
    /// What the moves that were carried out were expected to save per hour.
    pub promised: Price,
    /// What they save per hour.
    pub realised: Price,
    /// Pods that were evicted.
    pub evictions: usize,
    /// Those of them that a move had evicted within the hour before.
    pub evicted_again: usize,
}

impl Ledger {
    /// The sums of some records; each counts once.
    pub fn of(records: &[Record]) -> Self {
        let mut sums = Self::default();
        for own in records {
            sums.add(own);
        }
        sums
    }

    /// The sums of each pool, by its name. A move counts where its first source was.
    pub fn by_pool(records: &[Record]) -> std::collections::BTreeMap<&str, Self> {
        let mut sums = std::collections::BTreeMap::new();
        for own in records {
            let pool = own.sources.first().map_or("", |own| own.pool.as_str());
            sums.entry(pool).or_insert_with(Self::default).add(own);
        }
        sums
    }

    fn add(&mut self, own: &Record) {
        let gone = own.sources.iter().filter(|source| source.went.is_some());
        self.evictions += gone.map(|source| source.evictions).sum::<usize>();
        let outcome = own.outcome.as_ref();
        let went = own.last_went();
        let soon = |at: Time| went.is_some_and(|went| went.since(at) <= HOUR);
        self.evicted_again += own.pods.iter().filter(|pod| pod.moved.is_some_and(soon)).count();
        match own.phase {
            Phase::Done => {
                self.done += 1;
                self.promised += own.promised;
                self.realised += outcome.map(|own| own.realised).unwrap_or_default();
            }
            Phase::RolledBack => {
                let failure = outcome.and_then(|own| own.failure.as_ref());
                let refused = matches!(failure, Some(Failure::Refused { .. }));
                let untouched = own.launches.iter().all(|launch| !launch.seen);
                *(if refused && untouched { &mut self.refused } else { &mut self.rolled_back }) +=
                    1;
            }
            _ => self.under_way += 1,
        }
    }
}
