//! What it costs to disturb a pod and a node, in units without a name: higher is harder.

use restow_model::{Pod, Snapshot, Str};

use super::Role;
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
    Deletions::new(snapshot).cost(snapshot, pod, snapshot.shapes[pod.shape].priority)
}

/// What controllers say of their pods, with the annotation looked up once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deletions {
    key: Option<Str>,
}

impl Deletions {
    pub(super) fn new(snapshot: &Snapshot) -> Self {
        Self { key: snapshot.strings.get(DELETION_COST) }
    }

    /// What it costs to evict a pod of some priority.
    pub(super) fn cost(self, snapshot: &Snapshot, pod: &Pod, priority: i32) -> f64 {
        let deletion = self
            .key
            .and_then(|key| snapshot.labels[pod.annotations].get(key))
            .and_then(|value| snapshot.text(value).parse::<f64>().ok())
            .filter(|cost| cost.is_finite())
            .unwrap_or_default();
        let priority = f64::from(priority);
        (1.0 + priority / f64::from(1 << 25) + deletion / f64::from(1 << 27)).clamp(-10.0, 10.0)
    }
}

/// What the pods of a node cost together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sums {
    movable: f64,
    any: bool,
    /// Daemons at what they cost as pods, and how many there are.
    daemons: f64,
    count: usize,
    peer: f64,
}

impl Default for Sums {
    fn default() -> Self {
        Self { movable: 0.0, any: false, daemons: 0.0, count: 0, peer: 1.0 }
    }
}

impl Sums {
    /// Adds a pod.
    pub(super) fn add(&mut self, role: Role, cost: impl FnOnce() -> f64) {
        match role {
            Role::Movable => {
                let cost = cost();
                self.any = true;
                self.movable += cost;
                self.peer += cost.max(0.0);
            }
            Role::Daemon => {
                self.daemons += cost();
                self.count += 1;
            }
            Role::Finished | Role::Mirror | Role::Leaving => {}
        }
    }

    /// What it costs to disrupt the node.
    pub(super) fn costs(&self, lifetime_remaining: f64, daemon_cost: DaemonCost) -> Costs {
        if !self.any {
            return Costs { node: lifetime_remaining, daemons: 0.0, peer: self.peer };
        }
        let daemons = match daemon_cost {
            DaemonCost::Full => self.daemons,
            DaemonCost::Flat => self.count as f64,
            DaemonCost::None => 0.0,
        };
        Costs {
            node: (1.0 + self.movable + daemons) * lifetime_remaining,
            daemons: daemons * lifetime_remaining,
            peer: self.peer,
        }
    }
}
