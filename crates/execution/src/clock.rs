//! When to search: not while nothing changed that could open a move, and at the latest after a while (design 3.8).

use std::sync::Arc;

use restow_consolidation::settings::Resolved;
use restow_consolidation::{Plan, Verdict};
use restow_model::{GoDuration, Time};
use restow_scheduling::Offers;

use crate::fingerprint::fingerprint;
use crate::step::{Changes, Observed, Policy};

/// At the latest after this everything is searched.
const LATEST: GoDuration = GoDuration::from_seconds(300);

/// If more than one pod in so many changed, it is worth a search at once. In a cluster of at least `LARGE` pods it takes twice as many
/// after a search in vain, and after that twice as many again: there searches cost, and pods come and go all the time.
const MANY: u64 = 100;
const DOUBLED: u32 = 2;
const LARGE: u64 = 20_000;

/// While moves run, nodes and claims come and go because of them: not worth a search each, but one after this time. When a
/// move is over, one follows at once.
const LONG: GoDuration = GoDuration::from_seconds(60);

/// What a search saw.
#[derive(Clone, Debug)]
struct Seen {
    /// Whoever drives the loop counted this far, or the cluster looked like this.
    cluster: Result<Changes, u64>,
    offers: Arc<Offers>,
    pools: Vec<Resolved>,
    cluster_wide: Resolved,
}

/// What is not worth a search at once.
#[derive(Clone, Copy, Debug)]
struct Patience {
    /// So many pods are few.
    few: u64,
    /// How long nothing is searched because of a few pods.
    rest: GoDuration,
    /// How long nothing is searched because of nodes and claims.
    moving: GoDuration,
}

/// When the last search was, and when the next may be worth it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    last: Option<Time>,
    /// Whether it began something: then the next one follows in any case.
    began: bool,
    /// How many searches in a row began nothing.
    fruitless: u32,
    /// How many moves were under way then.
    open: usize,
    seen: Option<Seen>,
    /// When something ends by itself that kept a move from being made.
    wakes: Option<Time>,
    poll: GoDuration,
}

impl Clock {
    /// Whether to search now, with so many moves under way.
    pub(crate) fn is_due(
        &self,
        now: Time,
        observed: &Observed<'_>,
        policy: &Policy<'_>,
        open: usize,
    ) -> bool {
        let patience = self.patience(observed.snapshot.pods.len(), open);
        self.is_time(now, policy.inputs.cluster.settings.poll_period, |seen, waited| {
            seen.differs(of_cluster(observed), waited, patience) || seen.is_of_other(policy)
        })
    }

    /// The same as far as it can be told from how often a cluster of so many pods changed, and settings did not.
    pub(crate) fn may_be_due(&self, now: Time, changed: Changes, pods: usize, open: usize) -> bool {
        let patience = self.patience(pods, open);
        self.is_time(now, self.poll, |seen, waited| seen.differs(Ok(changed), waited, patience))
    }

    /// Whether it is time to search, or things are other than they were.
    fn is_time(
        &self,
        now: Time,
        poll: GoDuration,
        differs: impl FnOnce(&Seen, GoDuration) -> bool,
    ) -> bool {
        let Some(last) = self.last else { return true };
        let waited = now.since(last);
        if waited < poll {
            return false;
        }
        waited >= LATEST
            || self.began
            || self.wakes.is_some_and(|wakes| wakes <= now)
            || self.seen.as_ref().is_none_or(|seen| differs(seen, waited))
    }

    /// How much has to change in a cluster of so many pods, and what has to wait: twice as long after each search in vain.
    fn patience(&self, pods: usize, open: usize) -> Patience {
        let pods = pods as u64;
        let doubled = if pods < LARGE { 0 } else { self.fruitless.min(DOUBLED) };
        let rest = self.poll.millis() << self.fruitless.min(16);
        let at_most = |longest: GoDuration| GoDuration::from_millis(rest.min(longest.millis()));
        Patience {
            few: (pods << doubled) / MANY,
            rest: at_most(LATEST),
            // One that is over makes room for others.
            moving: if open > 0 && open >= self.open { at_most(LONG) } else { GoDuration::ZERO },
        }
    }

    /// Remembers what a search saw and found. `open` is how many moves are under way now, and `wakes` when something else ends that
    /// kept moves from being made.
    pub(crate) fn searched(
        &mut self,
        now: Time,
        observed: &Observed<'_>,
        policy: &Policy<'_>,
        (began, open): (bool, usize),
        wakes: Option<Time>,
    ) {
        self.last = Some(now);
        self.began = began;
        self.open = open;
        self.fruitless = if began { 0 } else { self.fruitless + 1 };
        self.poll = policy.inputs.cluster.settings.poll_period;
        self.wakes = wakes.filter(|at| *at > now);
        self.seen = Some(Seen {
            cluster: of_cluster(observed),
            offers: Arc::clone(policy.offers),
            pools: policy.inputs.pools.to_vec(),
            cluster_wide: policy.inputs.cluster.clone(),
        });
    }

    /// When to look again if nothing changes.
    pub(crate) fn next(&self, now: Time) -> Time {
        let Some(last) = self.last else { return now };
        let soonest = last.plus(self.poll);
        let latest = last.plus(LATEST);
        if self.began {
            return soonest;
        }
        self.wakes.map_or(latest, |wakes| wakes.max(soonest).min(latest))
    }
}

impl Seen {
    /// Whether a cluster is other than it was, so much that it is worth a search after so long.
    fn differs(
        &self,
        cluster: Result<Changes, u64>,
        waited: GoDuration,
        patience: Patience,
    ) -> bool {
        match (self.cluster, cluster) {
            (Ok(then), Ok(now)) => {
                let changed = now.pods.abs_diff(then.pods);
                (then.others != now.others && waited >= patience.moving)
                    || changed > patience.few
                    || (changed > 0 && waited >= patience.rest)
            }
            (then, now) => then != now,
        }
    }

    /// Whether prices or settings are other than they were.
    fn is_of_other(&self, policy: &Policy<'_>) -> bool {
        !Arc::ptr_eq(&self.offers, policy.offers)
            || self.pools != policy.inputs.pools
            || self.cluster_wide != *policy.inputs.cluster
    }
}

fn of_cluster(observed: &Observed<'_>) -> Result<Changes, u64> {
    match observed.changed {
        Some(changes) => Ok(changes),
        None => Err(fingerprint(observed.snapshot)),
    }
}

/// When the first node may go that may not now: when the last of its reasons ends, if all of them do by themselves.
pub(crate) fn wakes(plan: &Plan) -> Option<Time> {
    let opens = |own: &Verdict| -> Option<Time> {
        let mut last = None;
        for reason in &own.reasons {
            last = last.max(Some(reason.until()?));
        }
        last
    };
    plan.verdicts.iter().filter_map(opens).min()
}
