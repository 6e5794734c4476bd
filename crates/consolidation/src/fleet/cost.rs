//! What it costs to disturb a pod and a node, in units without a name: higher is harder.

use restow_model::{Pod, Snapshot};

use super::{NodePod, Role};
use crate::settings::DaemonCost;

/// What it costs to disrupt a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Costs {
    /// As seed 001 says: one for the node and the cost of each pod, less the nearer the node's end.
    pub node: f64,
    /// The part of it that is daemon pods.
    pub daemons: f64,
    /// As Karpenter counts for its scores and its order.
    pub peer: f64,
}

/// The annotation by which controllers say which of their pods should go first.
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// What it costs to evict a pod: `clamp(1 + priority/2^25 + deletionCost/2^27, -10, 10)`.
pub fn pod_cost(snapshot: &Snapshot, pod: &Pod) -> f64 {
    let priority = f64::from(snapshot.shapes[pod.shape].priority);
    let deletion = snapshot.labels[pod.annotations]
        .text(DELETION_COST, &snapshot.strings)
        .and_then(|text| text.parse::<f64>().ok())
        .filter(|cost| cost.is_finite())
        .unwrap_or_default();
    (1.0 + priority / f64::from(1 << 25) + deletion / f64::from(1 << 27)).clamp(-10.0, 10.0)
}

/// What it costs to disrupt a node with these pods.
pub(super) fn costs(
    snapshot: &Snapshot,
    pods: &[NodePod],
    lifetime_remaining: f64,
    daemon_cost: DaemonCost,
) -> Costs {
    let (mut movable, mut daemons, mut peer) = (0.0, 0.0, 1.0);
    let mut any = false;
    for own in pods {
        match own.role {
            Role::Movable => {
                let cost = pod_cost(snapshot, &snapshot.pods[own.pod as usize]);
                any = true;
                movable += cost;
                peer += cost.max(0.0);
            }
            Role::Daemon => {
                daemons += match daemon_cost {
                    DaemonCost::Full => pod_cost(snapshot, &snapshot.pods[own.pod as usize]),
                    DaemonCost::Flat => 1.0,
                    DaemonCost::None => 0.0,
                };
            }
            Role::Finished | Role::Mirror | Role::Leaving => {}
        }
    }
    if !any {
        return Costs { node: lifetime_remaining, daemons: 0.0, peer };
    }
    Costs {
        node: (1.0 + movable + daemons) * lifetime_remaining,
        daemons: daemons * lifetime_remaining,
        peer,
    }
}
