//! What is worth most for its disruption goes first; the rest is planned anew once that is done.
//!
//! A plan that asks nothing of a move but that it saves something evicts nearly every pod for the last few percent. Under a scheduler
//! that does not know the plan those pods do not come to be where they were meant to, and what was planned on top of them is
//! worth nothing. So plans are made as if disruption had a price: a high one first, and a lower one only when nothing can
//! begin under it. Every move that begins would have passed the gates by itself; none is lost, it only comes later.

use std::sync::Arc;

use restow_consolidation::settings::{Search, TightMoves};
use restow_consolidation::{Fleet, Plan, Planned, leave_tight, mark_tight, value};
use restow_model::Price;
use restow_scheduling::Offers;

/// The prices that are tried, as multiples of what the whole plan saves for each unit of disruption.
const STEPS: [f64; 3] = [4.0, 2.0, 1.0];

/// How much better than the whole plan one has to be, else the whole is begun: packing together is what fills nodes.
const BETTER: f64 = 1.75;

/// A plan, and what of it comes first.
pub(crate) struct Steep {
    /// Everything that pays: what is told, and what nodes are evaluated by.
    pub(crate) whole: Plan,
    /// What begins now, if that is another plan.
    first: Option<Plan>,
}

impl Steep {
    /// Plans for a fleet. `begins` says whether nothing but the plan keeps a move from beginning; where nobody acts there is none, and
    /// the whole plan is all there is. `told` is told when the whole plan is complete for the first time.
    pub(crate) fn new(
        fleet: &Fleet<'_>,
        offers: &Arc<Offers>,
        begins: Option<&dyn Fn(&Planned) -> bool>,
        told: &mut dyn FnMut(),
    ) -> Self {
        let mut whole = Plan::brief(fleet, offers, &mut || false, told);
        if fleet.cluster.settings.tight_moves == TightMoves::Drop {
            mark_tight(fleet, &mut whole);
        }
        let Some(begins) = begins else { return Self { whole, first: None } };
        // The other searches say themselves what comes first.
        let orders = fleet.cluster.settings.search == Search::Global;
        if orders && disrupts_now(&whole, begins) {
            let worth = worth(&whole);
            for step in STEPS {
                let dear = with_price(fleet, worth * step);
                let mut first = Plan::brief(&dear, offers, &mut || false, &mut || {});
                if first.stats.postponed == 0 && self::worth(&first) <= worth * BETTER {
                    continue;
                }
                leave_tight(&dear, offers, &mut first);
                for own in &mut first.moves {
                    own.own.required = value::required(fleet, &own.own.sources);
                }
                // Nodes that may go in a moment are worth waiting for.
                let waits = first.stats.postponed > 0;
                if waits || disrupts_now(&first, begins) && self::worth(&first) > worth * BETTER {
                    return Self { whole, first: Some(first) };
                }
            }
        }
        leave_tight(fleet, offers, &mut whole);
        Self { whole, first: None }
    }

    /// The plan whose moves begin.
    pub(crate) fn first(&self) -> &Plan {
        self.first.as_ref().unwrap_or(&self.whole)
    }

    /// Whether moves wait for nodes that may go in a moment.
    pub(crate) fn waits(&self) -> bool {
        self.first().stats.postponed > 0
    }
}

/// Whether a move begins for which pods have to go.
fn disrupts_now(plan: &Plan, begins: &dyn Fn(&Planned) -> bool) -> bool {
    let mut now = plan.moves.iter().filter(|own| own.turn.wave == Some(1));
    now.any(|own| !own.own.pods.is_empty() && begins(own))
}

/// What the moves of a plan that run now save for each unit of disruption, in dollars per hour; what disrupts nobody does not count.
fn worth(plan: &Plan) -> f64 {
    let now = |own: &&Planned| own.turn.wave == Some(1) && !own.own.pods.is_empty();
    let sums = plan.moves.iter().filter(now).fold((0.0, 0.0), |(savings, cost), own| {
        (savings + own.own.savings().dollars(), cost + own.own.cost)
    });
    sums.0 / f64::max(sums.1, 1e-3)
}

/// The same fleet, whose nodes must save this much for each unit of disruption.
fn with_price<'a>(fleet: &Fleet<'a>, dollars: f64) -> Fleet<'a> {
    let mut dear = fleet.clone();
    let least = Price::from_dollars(dollars).unwrap_or_default();
    for pool in &mut dear.pools {
        let own = &mut pool.resolved.settings.savings_threshold;
        *own = least.max(*own);
    }
    dear
}
