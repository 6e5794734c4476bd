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

/// What a search saw.
#[derive(Clone, Debug)]
struct Seen {
    /// Whoever drives the loop counted this far, or the cluster looked like this.
    cluster: Result<Changes, u64>,
    offers: Arc<Offers>,
    pools: Vec<Resolved>,
    cluster_wide: Resolved,
}

/// When the last search was, and when the next may be worth it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clock {
    last: Option<Time>,
    /// Whether it began something: then the next one follows in any case.
    began: bool,
    /// How many searches in a row began nothing.
    fruitless: u32,
    seen: Option<Seen>,
    /// When something ends by itself that kept a move from being made.
    wakes: Option<Time>,
    poll: GoDuration,
}

impl Clock {
    /// Whether to search now.
    pub(crate) fn is_due(&self, now: Time, observed: &Observed<'_>, policy: &Policy<'_>) -> bool {
        let few = self.few(observed.snapshot.pods.len());
        self.is_time(now, policy.inputs.cluster.settings.poll_period, |seen, rested| {
            seen.differs(of_cluster(observed), few, rested) || seen.is_of_other(policy)
        })
    }

    /// The same as far as it can be told from how often a cluster of so many pods changed, and settings did not.
    pub(crate) fn may_be_due(&self, now: Time, changed: Changes, pods: usize) -> bool {
        let few = self.few(pods);
        self.is_time(now, self.poll, |seen, rested| seen.differs(Ok(changed), few, rested))
    }

    /// Whether it is time to search, or things are other than they were.
    fn is_time(
        &self,
        now: Time,
        poll: GoDuration,
        differs: impl FnOnce(&Seen, bool) -> bool,
    ) -> bool {
        let Some(last) = self.last else { return true };
        let waited = now.since(last);
        if waited < poll {
            return false;
        }
        waited >= LATEST
            || self.began
            || self.wakes.is_some_and(|wakes| wakes <= now)
            || self.seen.as_ref().is_none_or(|seen| differs(seen, waited >= self.rest()))
    }

    /// How many pods of so many are few.
    fn few(&self, pods: usize) -> u64 {
        let pods = pods as u64;
        let doubled = if pods < LARGE { 0 } else { self.fruitless.min(DOUBLED) };
        (pods << doubled) / MANY
    }

    /// How long nothing is searched because of a few pods: twice as long after each search in vain.
    fn rest(&self) -> GoDuration {
        let doubled = self.poll.millis() << self.fruitless.min(16);
        GoDuration::from_millis(doubled.min(LATEST.millis()))
    }

    /// Remembers what a search saw and found. `wakes` is when something else ends that kept moves from being made.
    pub(crate) fn searched(
        &mut self,
        now: Time,
        observed: &Observed<'_>,
        policy: &Policy<'_>,
        began: bool,
        wakes: Option<Time>,
    ) {
        self.last = Some(now);
        self.began = began;
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
    /// Whether a cluster is other than it was, where so many pods are few.
    fn differs(&self, cluster: Result<Changes, u64>, few: u64, rested: bool) -> bool {
        match (self.cluster, cluster) {
            (Ok(then), Ok(now)) => {
                let changed = now.pods.abs_diff(then.pods);
                then.others != now.others || changed > few || (changed > 0 && rested)
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
