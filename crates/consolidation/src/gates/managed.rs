//! The node belongs to a pool that works, is ready for pods, and nothing else has plans for it.

use restow_model::{Truth, condition};

use crate::fleet::Fleet;
use crate::reason::Reason;

pub(super) fn ask(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    if fleet.settings(at).peer_rules {
        return as_karpenter(fleet, at);
    }
    let node = &fleet.nodes[at];
    let pool = node.pool.map(|pool| &fleet.pools[pool]);
    let of_group = pool.is_some_and(|pool| pool.group);
    if node.claim.is_none() && !of_group {
        return Some(Reason::NotManaged);
    }
    let Some(pool) = pool else { return Some(Reason::NotManaged) };
    if node.deleting {
        return Some(Reason::BeingDeleted);
    }
    if node.initialized.is_none() {
        return Some(Reason::NotInitialized);
    }
    if is_in_move(fleet, at) {
        return Some(Reason::InMove);
    }
    if let Some(pod) = nominated(fleet, at).or_else(|| fleet.underway.expected(node.name)) {
        return Some(Reason::Nominated { pod });
    }
    let Some(object) = pool.at.map(|at| &fleet.snapshot.node_pools[at]) else {
        return Some(Reason::PoolNotReady { pool: pool.name, exists: false });
    };
    if object.replicas.is_some() {
        return Some(Reason::StaticPool { pool: pool.name });
    }
    let ready = condition(&object.conditions, "Ready", &fleet.snapshot.strings);
    if object.meta.deleted.is_some() || ready.is_some_and(|ready| ready.truth != Truth::True) {
        return Some(Reason::PoolNotReady { pool: pool.name, exists: true });
    }
    if !pool.resolved.faults.is_empty() {
        let faults = pool.resolved.faults.clone();
        return Some(Reason::InvalidSettings { pool: pool.name, faults });
    }
    None
}

/// What Karpenter asks, in its order: it does not mind a pool that is not ready, and knows its own moves and the pods on
/// their way to a node only while it runs.
fn as_karpenter(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    let node = &fleet.nodes[at];
    if node.claim.is_none() {
        return Some(Reason::NotManaged);
    }
    if node.initialized.is_none() {
        return Some(Reason::NotInitialized);
    }
    if node.deleting {
        return Some(Reason::BeingDeleted);
    }
    if fleet.underway.takes(at) {
        return Some(Reason::InMove);
    }
    if let Some(pod) = fleet.underway.expected(node.name) {
        return Some(Reason::Nominated { pod });
    }
    let Some(pool) = node.pool.map(|pool| &fleet.pools[pool]) else {
        return Some(Reason::NotManaged);
    };
    let Some(object) = pool.at.map(|at| &fleet.snapshot.node_pools[at]) else {
        return Some(Reason::PoolNotReady { pool: pool.name, exists: false });
    };
    if object.replicas.is_some() {
        return Some(Reason::StaticPool { pool: pool.name });
    }
    let faults = pool.resolved.faults.clone();
    (!faults.is_empty()).then_some(Reason::InvalidSettings { pool: pool.name, faults })
}

/// Whether a move of ours or of Karpenter's is under way with it.
fn is_in_move(fleet: &Fleet<'_>, at: usize) -> bool {
    let taints = &fleet.snapshot.nodes[at].taints;
    fleet.underway.takes(at)
        || taints.iter().any(|taint| {
            let key = fleet.snapshot.text(taint.key);
            matches!(
                key,
                "restow.dev/disrupting" | "karpenter.sh/disrupted" | "karpenter.sh/disruption"
            )
        })
}

/// A pod that is on its way to the node.
fn nominated(fleet: &Fleet<'_>, at: usize) -> Option<usize> {
    fleet.nominated.get(&fleet.nodes[at].name).copied()
}
