//! What decisions read of a snapshot: nodes with their pools, prices, pods, costs and times.

mod build;
mod cost;
mod groups;
mod pdb;
mod pods;
mod times;
mod totals;
mod underway;
mod utilization;
mod withheld;
mod workloads;

pub use build::Inputs;
pub use cost::{Costs, pod_cost};
pub use groups::with_node_groups;
pub use pdb::{Pdb, PdbId};
pub use underway::{Flight, Underway};
pub use utilization::Utilization;
pub use withheld::Withheld;
pub use workloads::{WorkloadId, WorkloadState};

pub(crate) use times::holds;

use restow_catalog::{CapacityType, Quote, Unpriced};
use restow_model::{GoDuration, Pod, Price, Snapshot, Str, Taint, Time};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::settings::{Resolved, Settings};

/// What a pod is to the node that it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It has ended, and holds nothing.
    Finished,
    /// Its node made it.
    Mirror,
    /// It comes and goes with its node.
    Daemon,
    /// It is being deleted, and its controller makes another.
    Leaving,
    /// It needs another place when its node goes.
    Movable,
}

/// A pod on a node.
#[derive(Clone, Copy, Debug)]
pub struct NodePod {
    /// Its place in the snapshot.
    pub pod: u32,
    /// What it is to the node.
    pub role: Role,
}

/// A pool of nodes.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Its name.
    pub name: Str,
    /// Its place among the snapshot's pools; `None` if a node names a pool that is not there.
    pub at: Option<usize>,
    /// Whether it stands for a node group, which nobody can act on.
    pub group: bool,
    /// Its settings.
    pub resolved: Resolved,
    /// What its nodes cost together, as Balanced counts.
    pub price: Price,
    /// What its nodes would cost to disrupt together, as Balanced counts.
    pub disruption: f64,
    /// Nodes that its budgets count.
    pub counted_nodes: usize,
    /// Those of them that are being disrupted already.
    pub disrupting: usize,
    /// Others of them that go with moves under way.
    pub underway: usize,
    /// Pods that would have to move, in sum.
    pub movable_pods: usize,
}

/// A node.
#[derive(Clone, Debug)]
pub struct FleetNode {
    /// Its name.
    pub name: Str,
    /// Its claim, by its place in the snapshot.
    pub claim: Option<usize>,
    /// Its pool.
    pub pool: Option<usize>,
    /// Its instance type.
    pub instance_type: Option<Str>,
    /// Its zone.
    pub zone: Option<Str>,
    /// Its terms.
    pub capacity_type: Option<CapacityType>,
    /// What it costs.
    pub quote: Result<Quote, Unpriced>,
    /// Its pods.
    pub pods: Vec<NodePod>,
    /// Pods that need another place when it goes.
    pub movable: usize,
    /// How full it is.
    pub utilization: Utilization,
    /// What it costs to disrupt.
    pub costs: Costs,
    /// How much of its life is left, from 1 to 0.
    pub lifetime_remaining: f64,
    /// When it expires, if it does.
    pub expires: Option<Time>,
    /// How long it lives in all, if that is limited.
    pub expire_after: Option<GoDuration>,
    /// Since when it is ready for pods.
    pub initialized: Option<Time>,
    /// When a pod last came, went or ended.
    pub last_pod_event: Option<Time>,
    /// When it was last evaluated in vain.
    pub evaluated: Option<Time>,
    /// Whether it is not what its pool asks for any more.
    pub drifted: bool,
    /// Whether it, or its claim, is being deleted.
    pub deleting: bool,
    /// Whether it is ready.
    pub ready: bool,
}

impl FleetNode {
    /// Whether no pod has to move when it goes.
    pub const fn is_empty(&self) -> bool {
        self.movable == 0
    }

    /// What it costs per hour, or nothing where nobody knows.
    pub fn price(&self) -> Price {
        self.quote.as_ref().map(|quote| quote.price).unwrap_or_default()
    }

    /// The pods that need another place.
    pub fn movable_pods(&self) -> impl Iterator<Item = usize> {
        self.pods.iter().filter(|own| own.role == Role::Movable).map(|own| own.pod as usize)
    }
}

/// The nodes of a snapshot, with everything that gates ask of them.
#[derive(Clone, Debug)]
pub struct Fleet<'a> {
    /// The snapshot.
    pub snapshot: &'a Snapshot,
    /// The time.
    pub now: Time,
    /// Settings that are the same for all pools.
    pub cluster: Resolved,
    /// The pools.
    pub pools: Vec<Pool>,
    /// The nodes, in the order of the snapshot.
    pub nodes: Vec<FleetNode>,
    /// Disruption budgets of pods.
    pub pdbs: Vec<Pdb>,
    /// The budgets of each pod, by its place in the snapshot.
    pub pod_pdbs: Vec<SmallVec<[PdbId; 1]>>,
    /// Workloads of pods.
    pub workloads: Vec<WorkloadState>,
    /// The workload of each pod, by its place in the snapshot.
    pub pod_workloads: Vec<Option<WorkloadId>>,
    /// What searches read of each pod, by its place in the snapshot.
    pub(crate) pod_marks: Vec<pods::Marks>,
    /// How old the prices are, where that is known and matters.
    pub price_age: Option<GoDuration>,
    /// Pods that are on their way to a node, by its name.
    pub nominated: FxHashMap<Str, usize>,
    /// When pods were last moved by us.
    pub moved: FxHashMap<usize, Time>,
    /// Nodes that a move of ours launched, for pods that are still there, and until when they stay.
    pub staying: FxHashMap<usize, Time>,
    /// Moves that are under way.
    pub underway: Underway,
    /// What is not to be launched for now.
    pub withheld: Withheld,
    /// How far ahead plans look: what may go so soon is planned with, and left for then.
    pub ahead: GoDuration,
    /// By node: whether one of its pods may stand in the way, since it has a mark, a disruption budget, a rollout in
    /// progress, or no owner.
    pub(crate) watched: Vec<bool>,
    /// The taint that Karpenter puts on nodes that go.
    pub(crate) disruption_taint: Taint,
}

impl<'a> Fleet<'a> {
    /// The settings of a node's pool; those of the cluster if it has none.
    pub fn settings(&self, node: usize) -> &Settings {
        let pool = self.nodes.get(node).and_then(|node| node.pool);
        pool.map_or(&self.cluster.settings, |pool| &self.pools[pool].resolved.settings)
    }

    /// A pod.
    pub fn pod(&self, pod: usize) -> &'a Pod {
        &self.snapshot.pods[pod]
    }

    /// The node of that name.
    pub fn node(&self, name: &str) -> Option<usize> {
        let name = self.snapshot.strings.get(name)?;
        self.nodes.iter().position(|node| node.name == name)
    }

    /// Whether a node holds so little that it may go where empty nodes may (seed 004, `emptyThreshold`).
    pub fn is_nearly_empty(&self, node: usize) -> bool {
        let share = self.nodes[node].utilization.movable * 100.0;
        let most = self.settings(node).empty_threshold;
        most.is_some_and(|most| share <= f64::from(most))
    }

    /// What all nodes cost whose price is known.
    pub fn price(&self) -> Price {
        self.nodes.iter().map(FleetNode::price).sum()
    }
}
