//! When to stop starting moves: something goes wrong again and again, or nodes are replaced by nodes that are replaced.
//!
//! Everything is read off the records and the cluster, so that a new leader brakes where the old one did.

use restow_model::{GoDuration, Pod, Snapshot, Time};
use rustc_hash::FxHashMap;

use crate::record::{Failure, Phase, Record};

/// When brakes hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Brakes {
    /// So many launches may fail.
    pub failures: usize,
    /// Within this time.
    pub window: GoDuration,
    /// A node that is the result of so many moves in a row is not moved again.
    pub generations: usize,
    /// If each came so soon after the one before.
    pub dwell: GoDuration,
    /// How long pods may wait for a node that were made while moves were under way.
    pub patience: GoDuration,
    /// How long a brake holds.
    pub cool_down: GoDuration,
}

impl Default for Brakes {
    fn default() -> Self {
        Self {
            failures: 3,
            window: GoDuration::from_seconds(600),
            generations: 3,
            dwell: GoDuration::from_seconds(3600),
            patience: GoDuration::from_seconds(60),
            cool_down: GoDuration::from_seconds(1800),
        }
    }
}

/// Why no move is started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brake {
    /// Launches failed.
    Launches {
        /// How many.
        failures: usize,
        /// Until then.
        until: Time,
    },
    /// Replacements were replaced.
    Loop {
        /// How many moves in a row.
        generations: usize,
        /// Until then.
        until: Time,
    },
    /// Pods wait for a node that were made while moves were under way: for as long as they do.
    Pending {
        /// How many.
        pods: usize,
    },
}

impl Brakes {
    /// The brake that holds now, if one does.
    pub fn hold(&self, records: &[Record], snapshot: &Snapshot, now: Time) -> Option<Brake> {
        self.launches(records, now)
            .or_else(|| self.chains(records, now))
            .or_else(|| self.pending(records, snapshot, now))
    }

    fn pending(&self, records: &[Record], snapshot: &Snapshot, now: Time) -> Option<Brake> {
        let begun = records.iter().filter(|own| own.phase != Phase::Validating);
        let recent =
            begun.filter(|own| !own.phase.is_over() || now.since(own.since) <= self.window);
        let first = recent.map(|own| own.proposed).min()?;
        let waits = |pod: &&Pod| {
            pod.unschedulable
                && !pod.is_bound()
                && !pod.is_finished()
                && pod.created >= first
                && now.since(pod.created) >= self.patience
        };
        let pods = snapshot.pods.iter().filter(waits).count();
        (pods > 0).then_some(Brake::Pending { pods })
    }

    fn launches(&self, records: &[Record], now: Time) -> Option<Brake> {
        let mut failed: Vec<Time> = records
            .iter()
            .filter(|own| {
                let failure = own.outcome.as_ref().and_then(|own| own.failure.as_ref());
                matches!(failure, Some(Failure::NotLaunched { .. } | Failure::NotReady { .. }))
            })
            .map(|own| own.since)
            .collect();
        failed.sort_unstable();
        let held = failed.windows(self.failures.max(1)).rev().find_map(|some| {
            let (first, last) = (some.first()?, some.last()?);
            let until = last.plus(self.cool_down);
            (last.since(*first) <= self.window && now < until).then_some(until)
        });
        held.map(|until| Brake::Launches { failures: self.failures, until })
    }

    fn chains(&self, records: &[Record], now: Time) -> Option<Brake> {
        let chains = generations(records, self.dwell);
        let done = records.iter().filter(|own| own.phase == Phase::Done);
        let long = done.filter_map(|own| {
            let generations = *chains.get(own.id.as_str())?;
            let until = own.since.plus(self.cool_down);
            (generations >= self.generations && now < until)
                .then_some(Brake::Loop { generations, until })
        });
        long.max_by_key(|own| match own {
            Brake::Launches { until, .. } | Brake::Loop { until, .. } => Some(*until),
            Brake::Pending { .. } => None,
        })
    }
}

/// How many moves in a row led to each, itself included: each moved a node that the one before had launched shortly before.
pub fn generations(records: &[Record], dwell: GoDuration) -> FxHashMap<&str, usize> {
    let by_id: FxHashMap<&str, &Record> =
        records.iter().map(|own| (own.id.as_str(), own)).collect();
    let mut order: Vec<&Record> = records.iter().collect();
    order.sort_by(|a, b| (a.proposed, &a.id).cmp(&(b.proposed, &b.id)));
    let mut found: FxHashMap<&str, usize> = FxHashMap::default();
    for own in order {
        let parents = own.parents.iter().filter_map(|id| by_id.get(id.as_str()));
        let soon = parents.filter(|parent| own.proposed.since(parent.since) <= dwell);
        let longest = soon.filter_map(|parent| found.get(parent.id.as_str())).max().copied();
        found.insert(&own.id, 1 + longest.unwrap_or_default());
    }
    found
}
