//! What Karpenter would launch for pods that wait, and for those of nodes that are being deleted.

use std::sync::Arc;

use restow_model::Str;
use restow_scheduling::{NewNode, Offers};

use super::Simulator;
use crate::fleet::Fleet;

/// A node that Karpenter would launch.
#[derive(Clone, Debug)]
pub struct Provisioned {
    /// What it may be.
    pub node: NewNode,
    /// The pods that it is for, by their places in the snapshot.
    pub pods: Vec<usize>,
}

/// Everything that Karpenter would launch now, and the nodes that exist on which it expects waiting pods to land.
pub fn provision(fleet: &Fleet<'_>, offers: &Arc<Offers>) -> (Vec<Provisioned>, Vec<(usize, Str)>) {
    let mut simulator = Simulator::new(fleet, offers);
    if !simulator.has_pools {
        return (Vec::new(), Vec::new());
    }
    let names = simulator.names();
    let found = simulator.run(fleet, &[]);
    let first = names.len() + found.trial.drafts_before();
    let mut launched: Vec<Provisioned> = found
        .trial
        .added()
        .map(|at| Provisioned { node: found.trial.added_at(at), pods: Vec::new() })
        .collect();
    let mut expected = Vec::new();
    for (pod, node) in found.placed {
        match node.index().checked_sub(first) {
            Some(at) => launched[at].pods.push(pod),
            None => expected.extend(names.get(node.index()).map(|name| (pod, *name))),
        }
    }
    (launched, expected)
}
