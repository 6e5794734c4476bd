//! What a set of servers is to be like.

use std::path::PathBuf;
use std::time::Duration;

/// What a set of servers is to be like. `Options::default()` is a plain cluster without Karpenter.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether Karpenter runs, with a `KWOKNodeClass` called `default`. Its CRDs are there in any case.
    pub karpenter: bool,
    /// Karpenter's own settings, such as `("BATCH_IDLE_DURATION", "200ms")`.
    pub karpenter_env: Vec<(String, String)>,
    /// How long a machine that Karpenter launched takes to become a node, in whole seconds.
    pub registration_delay: Duration,
    /// The types that Karpenter can launch, if not those that it brings (`c-4x-amd64-linux` and the like).
    pub instance_types: Option<PathBuf>,
    /// Whose CRD of NodePools is installed.
    pub node_pools: NodePools,
    /// Which nodes the scheduler prefers.
    pub scoring: Scoring,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            karpenter: false,
            karpenter_env: Vec::new(),
            registration_delay: Duration::from_secs(1),
            instance_types: None,
            node_pools: NodePools::Stock,
            scoring: Scoring::LeastAllocated,
        }
    }
}

/// Whose CRD of NodePools is installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodePools {
    /// Karpenter's.
    Stock,
    /// Ours, of `deploy/crds`.
    Superset,
}

/// Which nodes the scheduler prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scoring {
    /// The emptiest, as by default.
    LeastAllocated,
    /// The fullest. Without the default spreading over hosts, which would outweigh it.
    MostAllocated,
}

impl Scoring {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::LeastAllocated => "LeastAllocated",
            Self::MostAllocated => "MostAllocated",
        }
    }
}
