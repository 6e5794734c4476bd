//! When to search: not while nothing changed that could open a move, and at the latest after a while (design 3.8).

use std::sync::Arc;

use restow_consolidation::settings::Resolved;
use restow_consolidation::{Plan, Verdict};
use restow_model::{GoDuration, Time};
use restow_scheduling::Offers;

use crate::fingerprint::fingerprint;
use crate::step::{Observed, Policy};

/// At the latest after this everything is searched.
const LATEST: GoDuration = GoDuration::from_seconds(300);

/// What a search saw.
#[derive(Clone, Debug)]
struct Seen {
    /// Whoever drives the loop counted this far, or the cluster looked like this.
    cluster: Result<u64, u64>,
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
    seen: Option<Seen>,
    /// When something ends by itself that kept a move from being made.
    wakes: Option<Time>,
    poll: GoDuration,
}

impl Clock {
    /// Whether to search now.
    pub(crate) fn is_due(&self, now: Time, observed: &Observed<'_>, policy: &Policy<'_>) -> bool {
        let Some(last) = self.last else { return true };
        let waited = now.since(last);
        if waited < policy.inputs.cluster.settings.poll_period {
            return false;
        }
        waited >= LATEST
            || self.began
            || self.wakes.is_some_and(|wakes| wakes <= now)
            || self.seen.as_ref().is_none_or(|seen| seen.differs(observed, policy))
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
    fn differs(&self, observed: &Observed<'_>, policy: &Policy<'_>) -> bool {
        !Arc::ptr_eq(&self.offers, policy.offers)
            || self.pools != policy.inputs.pools
            || self.cluster_wide != *policy.inputs.cluster
            || self.cluster != of_cluster(observed)
    }
}

fn of_cluster(observed: &Observed<'_>) -> Result<u64, u64> {
    match observed.changed {
        Some(count) => Ok(count),
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
