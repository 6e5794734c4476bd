//! What of a cluster's changes could open a move, for whoever reads them one by one.

use restow_execution::{Changes, Prints};
use restow_kubernetes::{Counted, Object, Tables};

/// What of an object the loop asks for: how pods are, and anything else.
pub(crate) fn matters(tables: Tables<'_>, object: Object<'_>) -> [u64; 2] {
    let Tables { strings, labels, shapes } = tables;
    let prints = Prints { strings, labels, shapes };
    match object {
        Object::Pod(own) => [prints.pod(own), 0],
        Object::Node(own) => [0, prints.node(own)],
        Object::NodeClaim(own) => [0, prints.node_claim(own)],
        Object::NodePool(own) => [0, prints.node_pool(own)],
        Object::PodDisruptionBudget(own) => prints.budget(own),
        Object::Workload(own) => prints.workload(own),
        Object::Other => [0, 0],
    }
}

/// What was counted, as the loop takes it; prices that are other than they were count as a change of the cluster.
pub(crate) const fn changes(own: Counted, repriced: u64) -> Changes {
    Changes { pods: own.pods, others: own.others.wrapping_add(repriced) }
}

#[cfg(test)]
mod tests;
