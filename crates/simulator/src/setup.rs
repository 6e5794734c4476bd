//! What is simulated, under which policies.

use restow_catalog::PriceBook;
use restow_consolidation::settings::Resolved;
use restow_model::Snapshot;

use crate::outcome::Run;
use crate::script::Script;

/// A cluster at the start, and what happens to it.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The objects: pools, nodes with their claims, workloads, pods, budgets, volumes. Its time is when the simulation starts.
    /// Workloads have as many pods as are here; the missing ones are made at the start.
    pub snapshot: Snapshot,
    /// Types and prices, in the zones that there are.
    pub book: PriceBook,
    /// What happens.
    pub script: Script,
}

/// Who consolidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Consolidator {
    /// We do.
    Restow,
    /// Karpenter 1.14 does: one command per pass, every ten seconds, validated after fifteen.
    Karpenter,
    /// Nobody does.
    None,
}

impl Consolidator {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Restow, Self::Karpenter, Self::None];

    /// How it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Restow => "restow",
            Self::Karpenter => "karpenter-1.14",
            Self::None => "none",
        }
    }
}

/// Who consolidates, under which settings.
#[derive(Clone, Debug)]
pub struct Policy {
    /// What people call it.
    pub name: String,
    /// Who consolidates.
    pub consolidator: Consolidator,
    /// Settings of the cluster.
    pub cluster: Resolved,
    /// Settings of each pool of the setup's snapshot, in its order.
    pub pools: Vec<Resolved>,
    /// Whether the savings threshold follows what comes of moves (seed 001, future work).
    pub adaptive: bool,
}

/// What came of a policy, one run for each seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// The policy's name.
    pub policy: String,
    /// Its runs, by seed.
    pub runs: Vec<Run>,
}
