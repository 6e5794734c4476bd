//! When to stop starting moves: something goes wrong again and again, or nodes are replaced by nodes that are replaced.
//!
//! Everything is read off the records, so that a new leader brakes where the old one did. A brake holds in the pools that the
//! trouble touched, and everywhere if launches fail in several.

use restow_consolidation::Reason;
use restow_model::{GoDuration, Time};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::backoff::failed_launch;
use crate::record::{Moving, Phase, Record};

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
    /// How long pods may wait for a node that a move evicted.
    pub patience: GoDuration,
}

impl Default for Brakes {
    fn default() -> Self {
        Self {
            failures: 3,
            window: GoDuration::from_seconds(600),
            generations: 3,
            dwell: GoDuration::from_seconds(3600),
            patience: GoDuration::from_seconds(60),
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
    /// Replacements were replaced, or the same pods were moved again for nothing.
    Loop {
        /// How many moves in a row.
        generations: usize,
        /// Until then.
        until: Time,
    },
    /// Pods that a move evicted waited for a node for too long.
    Pending {
        /// Until then.
        until: Time,
    },
    /// Pods or workloads that a move touched are not ready again yet.
    Unstable {
        /// Until then at the latest.
        until: Time,
    },
}

/// A brake that holds, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// In this pool; in all if `None`.
    pub pool: Option<String>,
    /// Why.
    pub brake: Brake,
}

impl Brake {
    /// One word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Launches { .. } => "LaunchesFailed",
            Self::Loop { .. } => "Loop",
            Self::Pending { .. } => "PodsPending",
            Self::Unstable { .. } => "Unstable",
        }
    }

    /// When it ends.
    pub const fn until(self) -> Time {
        match self {
            Self::Launches { until, .. }
            | Self::Loop { until, .. }
            | Self::Pending { until }
            | Self::Unstable { until } => until,
        }
    }

    /// What it says of a move.
    pub const fn reason(self) -> Reason {
        match self {
            Self::Unstable { until } => Reason::Unstable { until: Some(until) },
            _ => Reason::CoolingDown { until: self.until() },
        }
    }

    /// The one that holds in a pool.
    pub fn of(held: &[Held], pool: &str) -> Option<Self> {
        let own = held.iter().find(|own| own.pool.as_deref().is_none_or(|name| name == pool));
        own.map(|own| own.brake)
    }
}

impl Brakes {
    /// The brakes that hold now, at most one for each pool and one for all. `cool_down` is how long each pool rests.
    pub fn hold(
        &self,
        records: &[Record],
        cool_down: &dyn Fn(&str) -> GoDuration,
        now: Time,
    ) -> Vec<Held> {
        let mut held = Vec::new();
        self.launches(records, cool_down, &mut held);
        // How long the pools rest that a move touched: what ended before that holds nothing any more.
        let rest = |own: &Record| {
            let launched = own.launches.iter().map(|own| own.pool.as_str());
            own.pools().chain(launched).map(cool_down).max().unwrap_or_default()
        };
        if records.iter().any(|own| own.phase == Phase::Done && now < own.since.plus(rest(own))) {
            self.chains(records, cool_down, &mut held);
        }
        let went = |own: &&Record| own.last_went().is_some_and(|went| now < went.plus(rest(own)));
        if let Some(first) = records.iter().filter(went).map(|own| own.proposed).min() {
            // What was proposed longer before all of these is compared with none of them.
            let first = first.minus(self.dwell);
            let order = records.iter().filter(|own| own.is_executed() && own.proposed >= first);
            Self::repeats(order.collect(), self.dwell, cool_down, &mut held);
        }
        for record in records {
            let Some(trouble) = record.trouble else { continue };
            for pool in touched(record) {
                let until = trouble.plus(cool_down(pool));
                held.push(in_pool(pool, Brake::Pending { until }));
            }
        }
        held.retain(|own| now < own.brake.until());
        held.sort_by(|a, b| {
            (&a.pool, std::cmp::Reverse(a.brake.until()))
                .cmp(&(&b.pool, std::cmp::Reverse(b.brake.until())))
        });
        held.dedup_by(|next, kept| next.pool == kept.pool);
        held
    }

    fn launches(
        &self,
        records: &[Record],
        cool_down: &dyn Fn(&str) -> GoDuration,
        held: &mut Vec<Held>,
    ) {
        let failed = records.iter().filter_map(|own| Some((own.since, &*failed_launch(own)?.pool)));
        let mut failed: Vec<(Time, &str)> = failed.collect();
        failed.sort_unstable();
        let failures = self.failures.max(1);
        let burst = |some: &[(Time, &str)]| match (some.first(), some.last()) {
            (Some(first), Some(last)) if last.0.since(first.0) <= self.window => Some(last.0),
            _ => None,
        };
        let pools: FxHashSet<&str> = failed.iter().map(|(_, pool)| *pool).collect();
        for pool in pools {
            let own: Vec<(Time, &str)> =
                failed.iter().copied().filter(|(_, other)| *other == pool).collect();
            if let Some(last) = own.windows(failures).rev().find_map(burst) {
                let until = last.plus(cool_down(pool));
                held.push(in_pool(pool, Brake::Launches { failures, until }));
            }
        }
        let several = |some: &&[(Time, &str)]| some.iter().any(|own| own.1 != some[0].1);
        if let Some(last) = failed.windows(failures).filter(several).rev().find_map(burst) {
            let longest = failed.iter().map(|(_, pool)| cool_down(pool)).max().unwrap_or_default();
            let until = last.plus(longest);
            held.push(Held { pool: None, brake: Brake::Launches { failures, until } });
        }
    }

    fn chains(
        &self,
        records: &[Record],
        cool_down: &dyn Fn(&str) -> GoDuration,
        held: &mut Vec<Held>,
    ) {
        if records.iter().all(|own| own.parents.is_empty()) {
            return;
        }
        let chains = generations(records, self.dwell);
        for own in records.iter().filter(|own| own.phase == Phase::Done) {
            let generations = chains.get(own.id.as_str()).copied().unwrap_or_default();
            if generations >= self.generations {
                for pool in touched(own) {
                    let until = own.since.plus(cool_down(pool));
                    held.push(in_pool(pool, Brake::Loop { generations, until }));
                }
            }
        }
    }

    /// The same pods were moved twice, and the bill of their pools had not fallen in between.
    fn repeats(
        mut order: Vec<&Record>,
        dwell: GoDuration,
        cool_down: &dyn Fn(&str) -> GoDuration,
        held: &mut Vec<Held>,
    ) {
        let mut last: FxHashMap<Vec<Owner<'_>>, &Record> = FxHashMap::default();
        order.sort_by(|a, b| (a.proposed, &a.id).cmp(&(b.proposed, &b.id)));
        for own in order {
            let owners = owners(own);
            if owners.is_empty() {
                continue;
            }
            let before = last.insert(owners, own);
            let Some(went) = own.last_went() else { continue };
            // Two moves may evict pods of the same controllers without meeting: the pods must have been moved before.
            let again = |before: &&Record| {
                let since = before.last_went();
                let moved = |pod: &&Moving| pod.moved.is_some() && pod.moved >= since;
                2 * own.pods.iter().filter(moved).count() > own.pods.len()
            };
            let soon =
                before.filter(|before| own.proposed.since(before.proposed) <= dwell).filter(again);
            if soon.is_some_and(|before| own.bill >= before.bill) {
                for pool in touched(own) {
                    let until = went.plus(cool_down(pool));
                    held.push(in_pool(pool, Brake::Loop { generations: 2, until }));
                }
            }
        }
    }
}

/// Namespace, kind and name.
type Owner<'r> = (&'r str, &'r str, &'r str);

/// The controllers of the pods that a move evicts, one for each pod, in order.
fn owners(record: &Record) -> Vec<Owner<'_>> {
    let mut owners: Vec<Owner<'_>> = record
        .pods
        .iter()
        .filter_map(|own| {
            let (kind, name) = own.owner.as_ref()?;
            Some((own.pod.0.as_str(), kind.as_str(), name.as_str()))
        })
        .collect();
    owners.sort_unstable();
    owners
}

/// The pools that a move took nodes from, or brought them to.
fn touched(record: &Record) -> impl Iterator<Item = &str> {
    let launched = record.launches.iter().map(|own| own.pool.as_str());
    let pools: FxHashSet<&str> = record.pools().chain(launched).collect();
    pools.into_iter()
}

fn in_pool(pool: &str, brake: Brake) -> Held {
    Held { pool: Some(pool.to_owned()), brake }
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
