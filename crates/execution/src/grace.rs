//! Which nodes were evaluated in vain, to be left alone for their grace period (seed 002).

use restow_consolidation::{Fleet, Outcome, Plan, Reason};
use restow_model::{DurationOrNever, GoDuration, Time, Uid};
use rustc_hash::FxHashMap;

use crate::action::Action;

/// How long a note may take until it is seen.
const LAG: GoDuration = GoDuration::from_seconds(60);

/// Notes that were asked for a short while ago: they may not be seen yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    asked: FxHashMap<Uid, Time>,
}

impl Notes {
    /// Notes for the nodes whose own evaluation found nothing: they passed gates 1 to 9, so they are not protected now. One that
    /// could go, but not in this plan, was not evaluated in vain.
    pub(crate) fn of(&mut self, now: Time, fleet: &Fleet<'_>, plan: &Plan) -> Vec<Action> {
        self.asked.retain(|_, at| now.since(*at) < LAG);
        let mut actions = Vec::new();
        for (at, verdict) in plan.verdicts.iter().enumerate() {
            let settings = fleet.settings(at);
            let timed = matches!(settings.grace_period, DurationOrNever::After(_))
                && matches!(settings.consolidate_after, DurationOrNever::After(_));
            let vain = verdict.outcome == Outcome::Kept
                && !verdict.reasons.iter().any(|reason| {
                    matches!(reason, Reason::NothingBetter { .. } | Reason::EffortSpent)
                });
            let claim = fleet.nodes[at].claim.map(|at| &fleet.snapshot.node_claims[at]);
            let Some(claim) = claim.filter(|_| timed && vain) else { continue };
            let uid = claim.meta.uid;
            if self.asked.contains_key(&uid) || fleet.nodes[at].evaluated == Some(now) {
                continue;
            }
            self.asked.insert(uid, now);
            let claim = fleet.snapshot.text(claim.meta.name).to_owned();
            actions.push(Action::Evaluated { claim, uid, at: now });
        }
        actions
    }
}
