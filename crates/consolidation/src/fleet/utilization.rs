//! How full a node is by what its pods ask for (seed 000).

use restow_model::{Resources, Snapshot};

use super::{NodePod, Role};

/// How full a node is, from 0 to 1 and beyond.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Utilization {
    /// Cpu that pods ask for, by what they may use.
    pub cpu: f64,
    /// The same of memory.
    pub memory: f64,
    /// The average of both; a resource that the node has none of is left out.
    pub average: f64,
    /// The larger share of cpu and memory that pods which would have to move ask for.
    pub movable: f64,
}

fn share(asked: i64, allocatable: i64) -> Option<f64> {
    (allocatable > 0).then(|| asked as f64 / allocatable as f64)
}

/// How full a node is with these pods.
pub(super) fn utilization(
    snapshot: &Snapshot,
    allocatable: &Resources,
    pods: &[NodePod],
) -> Utilization {
    let (mut all, mut movable) = ((0_i64, 0_i64), (0_i64, 0_i64));
    for own in pods.iter().filter(|own| own.role != Role::Finished) {
        let asked = snapshot.requests(&snapshot.pods[own.pod as usize]);
        all = (all.0.saturating_add(asked.cpu), all.1.saturating_add(asked.memory));
        if own.role == Role::Movable {
            movable = (movable.0.saturating_add(asked.cpu), movable.1.saturating_add(asked.memory));
        }
    }
    let shares = [share(all.0, allocatable.cpu), share(all.1, allocatable.memory)];
    let known: Vec<f64> = shares.iter().copied().flatten().collect();
    let of_movable = [share(movable.0, allocatable.cpu), share(movable.1, allocatable.memory)];
    Utilization {
        cpu: shares[0].unwrap_or_default(),
        memory: shares[1].unwrap_or_default(),
        average: if known.is_empty() {
            0.0
        } else {
            known.iter().sum::<f64>() / known.len() as f64
        },
        movable: of_movable.into_iter().flatten().fold(0.0, f64::max),
    }
}
