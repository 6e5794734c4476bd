//! The nodes of a cluster.

use crate::flavor::{Capacity, Flavor, Machine, Pool};
use crate::rng::Rng;
use crate::text::NOW;

/// What pods ask for, and what nodes have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Room {
    /// Milli-cpus.
    pub(crate) cpu: u32,
    /// Mebibytes.
    pub(crate) memory: u32,
    pub(crate) pods: u32,
    pub(crate) gpus: u32,
}

/// A node in short form.
#[derive(Clone, Debug)]
pub(crate) struct NodePlan {
    pub(crate) pool: usize,
    pub(crate) machine: Machine,
    pub(crate) zone: usize,
    pub(crate) spot: bool,
    /// Seconds since 1970.
    pub(crate) created: i64,
    /// How full it may get, in percent: 0 leaves it to daemon pods.
    pub(crate) fill: u32,
    pub(crate) used: Room,
    pub(crate) state: NodeState,
}

/// What else is up with a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeState {
    Ready,
    NotReady,
    Cordoned,
    DoNotDisrupt,
    Drifted,
    /// Marked by Karpenter for removal.
    Disrupted,
}

impl NodePlan {
    /// What pods may ask for in all.
    pub(crate) fn allocatable(&self) -> Room {
        Room {
            cpu: self.machine.allocatable_cpu(),
            memory: (self.machine.allocatable_kibibytes() >> 10) as u32,
            pods: self.machine.max_pods,
            gpus: self.machine.gpus,
        }
    }

    /// Whether one more pod fits within `percent` of cpu and memory.
    pub(crate) fn fits(&self, pod: Room, percent: u32) -> bool {
        let all = self.allocatable();
        let share = |amount: u32| (u64::from(amount) * u64::from(percent) / 100) as u32;
        self.used.cpu + pod.cpu <= share(all.cpu)
            && self.used.memory + pod.memory <= share(all.memory)
            && self.used.pods < all.pods
            && self.used.gpus + pod.gpus <= all.gpus
    }

    pub(crate) fn take(&mut self, pod: Room) {
        self.used.cpu += pod.cpu;
        self.used.memory += pod.memory;
        self.used.gpus += pod.gpus;
        self.used.pods += 1;
    }
}

/// Draws the nodes.
pub(crate) fn draw(
    flavor: Flavor,
    pools: &[Pool],
    count: u32,
    pods_per_node: u32,
    rng: &mut Rng,
) -> Vec<NodePlan> {
    let shares: Vec<u32> = pools.iter().map(|pool| pool.share).collect();
    let zones = flavor.zones().1.len().max(1) as u32;
    // A node group has one instance type; a Karpenter pool has many.
    let fixed: Vec<Machine> =
        pools.iter().map(|pool| Machine::draw(flavor, pool, pods_per_node, rng)).collect();
    let grouped = matches!(flavor, Flavor::Eks | Flavor::Gke | Flavor::Aks);
    (0..count)
        .map(|index| {
            // The first node is of the first pool, so that even one node takes ordinary pods.
            let pool = if index == 0 { 0 } else { rng.weighted(&shares) };
            let machine = if grouped {
                fixed[pool].clone()
            } else {
                Machine::draw(flavor, &pools[pool], pods_per_node, rng)
            };
            let spot = match pools[pool].capacity {
                Capacity::OnDemand => false,
                Capacity::Spot => true,
                Capacity::Mixed => rng.permille(600),
            };
            let age = if rng.permille(50) { rng.below(1800) } else { rng.below(29 * 86_400) };
            let fill = if index > 0 && rng.permille(30) { 0 } else { rng.between(25, 97) };
            NodePlan {
                pool,
                machine,
                zone: rng.below(zones) as usize,
                spot,
                created: NOW - 60 - i64::from(age),
                fill,
                used: Room::default(),
                state: state(flavor, rng),
            }
        })
        .collect()
}

fn state(flavor: Flavor, rng: &mut Rng) -> NodeState {
    let karpenter = flavor == Flavor::Karpenter;
    match rng.below(1000) {
        0..3 => NodeState::NotReady,
        3..8 => NodeState::Cordoned,
        8..18 if karpenter => NodeState::DoNotDisrupt,
        18..28 if karpenter => NodeState::Drifted,
        28..31 if karpenter => NodeState::Disrupted,
        _ => NodeState::Ready,
    }
}

/// How much each pool is meant to carry, in cpus; where memory runs out first, as if it were cpus.
pub(crate) fn room_of_pools(pools: &[Pool], nodes: &[NodePlan]) -> Vec<u32> {
    let mut milli = vec![0_u64; pools.len()];
    for node in nodes {
        let all = node.allocatable();
        // Pods ask for two mebibytes per milli-cpu on average.
        milli[node.pool] += u64::from(all.cpu.min(all.memory / 2)) * u64::from(node.fill) / 100;
    }
    milli.into_iter().map(|milli| milli.div_ceil(1000) as u32).collect()
}
