//! What there is to say of each pool: how many nodes may go and why the others stay, what that keeps from being saved.
//!
//! Made of a whole plan, as `restow plan` makes it, now and then: the loop itself makes shorter ones.

use std::collections::BTreeMap;
use std::sync::Arc;

use restow_consolidation::{Fleet, Plan};
use restow_model::Price;
use restow_scheduling::Offers;

/// What blocks nodes of a pool, and what they would save.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blocked {
    /// Nodes that have this as their headline.
    pub nodes: usize,
    /// What they would save per hour.
    pub savings: Price,
}

/// What there is to say of a pool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survey {
    /// The pool.
    pub pool: String,
    /// Its nodes.
    pub nodes: usize,
    /// What they cost per hour.
    pub price: Price,
    /// What the plan would save of that per hour.
    pub planned: Price,
    /// Moves of the plan with a source in it.
    pub moves: usize,
    /// Nodes by what becomes of them.
    pub verdicts: BTreeMap<&'static str, usize>,
    /// Why nodes stay, by the code of the headline.
    pub reasons: BTreeMap<&'static str, usize>,
    /// What that keeps from being saved.
    pub locked: BTreeMap<&'static str, Blocked>,
    /// Nodes that stay, each with the code of its headline.
    pub stays: Vec<(String, &'static str)>,
}

/// Surveys the pools of a fleet.
pub(crate) fn survey(fleet: &Fleet<'_>, offers: &Arc<Offers>) -> Vec<Survey> {
    let plan = Plan::new(fleet, offers, &mut || false);
    let name = |at: usize| fleet.snapshot.text(fleet.pools[at].name).to_owned();
    let mut found: Vec<Survey> =
        (0..fleet.pools.len()).map(|at| Survey { pool: name(at), ..Survey::default() }).collect();
    for (node, verdict) in fleet.nodes.iter().zip(&plan.verdicts) {
        let Some(own) = node.pool.and_then(|at| found.get_mut(at)) else { continue };
        own.nodes += 1;
        own.price += node.price();
        *own.verdicts.entry(verdict.outcome.name()).or_default() += 1;
        if let Some(reason) = verdict.reasons.first() {
            *own.reasons.entry(reason.code()).or_default() += 1;
            own.stays.push((fleet.snapshot.text(node.name).to_owned(), reason.code()));
            if let Some(savings) = verdict.locked {
                let blocked = own.locked.entry(reason.code()).or_default();
                blocked.nodes += 1;
                blocked.savings += savings;
            }
        }
    }
    for planned in &plan.moves {
        let mut pools: Vec<usize> =
            planned.own.sources.iter().filter_map(|at| fleet.nodes[*at].pool).collect();
        pools.sort_unstable();
        pools.dedup();
        for (number, at) in pools.into_iter().enumerate() {
            found[at].moves += 1;
            // A move over several pools counts where its first source is.
            if number == 0 {
                found[at].planned += planned.own.savings();
            }
        }
    }
    found
}
