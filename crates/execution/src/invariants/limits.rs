//! I3: budgets, rates and windows.

use restow_consolidation::fleet::Pool;
use restow_consolidation::{Fleet, budget};
use restow_model::DisruptionReason;
use rustc_hash::FxHashSet;

use super::{Step, Violation};
use crate::action::Action;
use crate::record::{Record, Source};

pub(super) fn check(
    step: &Step<'_>,
    fleet: &Fleet<'_>,
    begun: &[&Record],
    found: &mut Vec<Violation>,
) {
    let deleted: FxHashSet<&str> = step
        .actions
        .iter()
        .filter_map(|own| match own {
            Action::DeleteClaim { claim, .. } => Some(claim.as_str()),
            _ => None,
        })
        .collect();
    for pool in &fleet.pools {
        let name = fleet.snapshot.text(pool.name);
        let goes = |own: &Record| {
            own.sources.iter().any(|own| own.pool == name && deleted.contains(own.claim.as_str()))
        };
        let began: Vec<&&Record> =
            begun.iter().filter(|own| own.pools().any(|own| own == name)).collect();
        let drained = step.records.iter().any(goes);
        if (drained || !began.is_empty())
            && budget::window(&pool.resolved.settings, fleet.now).is_err()
        {
            found.push(Violation::OutsideWindow { pool: name.to_owned() });
        }
        let own = |own: &Record| own.sources.iter().filter(|own| own.pool == name).count();
        let mut used = pool.disrupting + pool.underway;
        used = used.saturating_sub(began.iter().map(|record| own(record)).sum());
        for record in began {
            used += own(record);
            budgets(fleet, pool, record, used, found);
        }
        // Nodes without pods go at any rate.
        let evicts = |own: &Record| {
            let goes = |own: &&Source| own.pool == name && deleted.contains(own.claim.as_str());
            own.sources.iter().filter(goes).any(|own| own.evictions > 0)
        };
        if step.records.iter().any(evicts) {
            rates(step, fleet, pool, found);
        }
    }
}

/// Whether a move was allowed that brought the nodes of a pool that are disrupted to this number. Each reason has its own
/// allowance, so that moves that began after it may bring it further.
fn budgets(fleet: &Fleet<'_>, pool: &Pool, own: &Record, used: usize, found: &mut Vec<Violation>) {
    let reason =
        if own.pods.is_empty() { DisruptionReason::Empty } else { DisruptionReason::Underutilized };
    let settings = &pool.resolved.settings;
    let allowed = budget::allowance(settings, pool.counted_nodes, reason, fleet.now).allowed;
    if used > allowed {
        let pool = fleet.snapshot.text(pool.name).to_owned();
        found.push(Violation::OverBudget { pool, allowed, used });
    }
}

fn rates(step: &Step<'_>, fleet: &Fleet<'_>, pool: &Pool, found: &mut Vec<Violation>) {
    let name = fleet.snapshot.text(pool.name);
    let sources = step.records.iter().flat_map(|own| &own.sources);
    let past: Vec<_> = sources
        .filter(|own| own.pool == name)
        .filter_map(|own| Some((own.went?, own.evictions)))
        .collect();
    let settings = &pool.resolved.settings;
    let none = budget::Emptied::default();
    if let Some((most, evicted)) = budget::rate(settings, pool.movable_pods, none, &past, fleet.now)
    {
        found.push(Violation::OverRate { pool: name.to_owned(), most, evicted });
    }
}
