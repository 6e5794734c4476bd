//! Whether Karpenter's own consolidation is switched off in a pool: two who consolidate the same nodes undo each other's work.

use restow_consolidation::settings::{BudgetRule, Mode, Resolved};
use restow_model::{DurationOrNever, NodePool};

/// Whether Karpenter consolidates the nodes of a pool. It leaves them alone if the pool says `consolidateAfter: Never`, or has
/// the one budget that closes it.
pub fn peer_is_active(pool: &NodePool, resolved: &Resolved) -> bool {
    pool.disruption.consolidate_after != Some(DurationOrNever::Never)
        && !resolved.settings.budgets.iter().any(BudgetRule::is_switch)
}

/// Pools, by their places, in which we are asked to act beside a Karpenter that acts too. They are only observed.
pub(crate) fn hold_back(pools: &[NodePool], resolved: &mut [Resolved]) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, (pool, own)) in pools.iter().zip(resolved).enumerate() {
        if own.settings.mode == Mode::Act && peer_is_active(pool, own) {
            own.settings.mode = Mode::Observe;
            found.push(at);
        }
    }
    found
}
