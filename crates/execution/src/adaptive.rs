//! A savings threshold that finds itself (seed 001, future work): it doubles when nodes or pods are disrupted again soon, and
//! falls step by step while nothing is and something could be saved.

use restow_model::{GoDuration, Price, Time};
use rustc_hash::FxHashMap;

use crate::record::Record;

/// How the threshold of each pool is adapted.
#[derive(Clone, Debug, PartialEq)]
pub struct Adaptive {
    /// The least threshold above zero: the first step up goes there.
    pub floor: Price,
    /// The largest.
    pub ceiling: Price,
    /// How much it falls at a time.
    pub step: Price,
    /// What is disrupted again within this time is disrupted too much.
    pub soon: GoDuration,
    /// After this time without that it falls, and again after each.
    pub calm: GoDuration,
    pools: FxHashMap<String, Own>,
}

/// What is known of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Own {
    threshold: Price,
    /// When it last changed, or could have.
    since: Time,
    /// Moves up to then are accounted for.
    seen: Time,
}

/// A change of a pool's threshold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The pool.
    pub pool: String,
    /// What each unit of disruption has to save from now on.
    pub threshold: Price,
}

impl Default for Adaptive {
    fn default() -> Self {
        Self {
            floor: Price::from_nanos(5_000_000),
            ceiling: Price::from_nanos(1_000_000_000),
            step: Price::from_nanos(2_500_000),
            soon: GoDuration::from_seconds(3600),
            calm: GoDuration::from_seconds(24 * 3600),
            pools: FxHashMap::default(),
        }
    }
}

impl Adaptive {
    /// The threshold of a pool, once something is known of it.
    pub fn threshold(&self, pool: &str) -> Option<Price> {
        self.pools.get(pool).map(|own| own.threshold)
    }

    /// Looks at what happened since the last time. `start` is the threshold that a pool is configured with, and `blocked` whether
    /// it keeps something from being saved now. A new leader starts from what the pool's last move was measured by.
    pub fn observe<'p>(
        &mut self,
        now: Time,
        records: &[Record],
        pools: impl Iterator<Item = (&'p str, Price, bool)>,
    ) -> Vec<Change> {
        let mut changes = Vec::new();
        let churn = churn(records, self.soon);
        for (pool, start, blocked) in pools {
            let known = self.pools.get(pool).copied();
            let mut own = known.unwrap_or_else(|| resumed(records, pool, start, now));
            let before = own.threshold;
            for at in churn.iter().filter(|(name, at)| *name == pool && *at > own.seen) {
                let doubled = Price::from_nanos(own.threshold.nanos().saturating_mul(2));
                own.threshold = doubled.max(self.floor).min(self.ceiling);
                own.since = own.since.max(at.1);
            }
            own.seen = now;
            let calm = self.calm.max(GoDuration::from_seconds(1));
            if now.since(own.since) >= calm {
                own.since = now;
                if blocked {
                    own.threshold = (own.threshold - self.step).at_least_zero();
                }
            }
            if own.threshold != before || known.is_none() && own.threshold != start {
                changes.push(Change { pool: pool.to_owned(), threshold: own.threshold });
            }
            self.pools.insert(pool.to_owned(), own);
        }
        changes
    }
}

/// What a new leader knows of a pool: the threshold by which its last move was measured.
fn resumed(records: &[Record], pool: &str, start: Price, now: Time) -> Own {
    let measured = records.iter().flat_map(|own| {
        let of_pool = own.sources.iter().filter(|source| source.pool == pool);
        of_pool.map(|source| (own.proposed, source.threshold))
    });
    match measured.max_by_key(|(at, _)| *at) {
        // What that move itself led to is not in its own threshold.
        Some((at, threshold)) => Own { threshold, since: at, seen: at },
        None => Own { threshold: start, since: now, seen: now },
    }
}

/// Moves that disrupted what another had disrupted shortly before: a node that it launched, or pods that it evicted. The pools
/// with when that was, each move once for each pool.
fn churn(records: &[Record], soon: GoDuration) -> Vec<(&str, Time)> {
    let executed = || records.iter().filter_map(|own| Some((own.last_went()?, own)));
    let mut launched: FxHashMap<&str, Time> = FxHashMap::default();
    for (went, own) in executed() {
        launched.extend(own.launches.iter().map(|launch| (launch.claim.as_str(), went)));
    }
    let mut found = Vec::new();
    for (went, own) in executed() {
        let early = |at: Option<Time>| at.is_some_and(|at| went.since(at) <= soon);
        let node = |claim: &str| early(launched.get(claim).copied());
        if own.sources.iter().any(|source| node(&source.claim))
            || own.pods.iter().any(|pod| early(pod.moved))
        {
            found.extend(own.pools().map(|pool| (pool, went)));
        }
    }
    found.sort_unstable_by_key(|(_, at)| *at);
    found
}
