//! How full a node is by what its pods ask for (seed 000).

use restow_model::Resources;

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

/// Cpu and memory that some pods ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    cpu: i64,
    memory: i64,
}

impl Asked {
    pub(super) const fn of(amount: &Resources) -> Self {
        Self { cpu: amount.cpu, memory: amount.memory }
    }

    pub(super) fn add(&mut self, other: Self) {
        self.cpu = self.cpu.saturating_add(other.cpu);
        self.memory = self.memory.saturating_add(other.memory);
    }
}

/// How full a node is with pods that ask for this, and with those of them that would have to move.
pub(super) fn utilization(allocatable: &Resources, [all, movable]: [Asked; 2]) -> Utilization {
    let shares = [share(all.cpu, allocatable.cpu), share(all.memory, allocatable.memory)];
    let known: Vec<f64> = shares.iter().copied().flatten().collect();
    let of_movable =
        [share(movable.cpu, allocatable.cpu), share(movable.memory, allocatable.memory)];
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
