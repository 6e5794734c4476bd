//! What came of a batch, in names.

use std::collections::BTreeMap;

use restow_model::{Price, Resources, Taint};
use restow_scheduling::{Miss, Unplaced};

/// A new node.
#[derive(Clone, Debug)]
pub(crate) struct Launched {
    pub(crate) name: String,
    pub(crate) pool: String,
    pub(crate) kind: String,
    pub(crate) kinds: Vec<String>,
    pub(crate) zone: Option<String>,
    pub(crate) capacity_type: String,
    pub(crate) price: Price,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) taints: Vec<Taint>,
    pub(crate) allocatable: Resources,
    pub(crate) overhead: Resources,
}

/// The outcome of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    /// The pods that were asked for, by their places in the snapshot.
    pub(crate) pods: Vec<usize>,
    /// The nodes of those that were placed, drained ones included.
    pub(crate) homes: BTreeMap<usize, String>,
    pub(crate) new_nodes: Vec<Launched>,
    pub(crate) unplaced: Vec<Unplaced>,
}

impl Batch {
    /// How many pods have a place.
    pub(crate) fn placed(&self) -> usize {
        self.homes.len()
    }

    /// How many pods have none.
    pub(crate) fn left(&self) -> usize {
        self.unplaced.iter().map(|group| group.pods.len()).sum()
    }

    /// The node of the pod that was asked for first, second and so on.
    pub(crate) fn home(&self, at: usize) -> Option<&str> {
        self.homes.get(&self.pods[at]).map(String::as_str)
    }

    /// The only new node.
    pub(crate) fn new_node(&self) -> &Launched {
        let [only] = self.new_nodes.as_slice() else {
            panic!("not one new node: {:?}", self.new_nodes);
        };
        only
    }

    /// The type of the only new node.
    pub(crate) fn kind(&self) -> &str {
        &self.new_node().kind
    }

    /// The types of all new nodes, in order of their names.
    pub(crate) fn kinds(&self) -> Vec<&str> {
        let mut kinds: Vec<&str> = self.new_nodes.iter().map(|new| new.kind.as_str()).collect();
        kinds.sort_unstable();
        kinds
    }

    /// The pools of all new nodes, in order of their names.
    pub(crate) fn pools(&self) -> Vec<&str> {
        let mut pools: Vec<&str> = self.new_nodes.iter().map(|new| new.pool.as_str()).collect();
        pools.sort_unstable();
        pools
    }

    /// Why the pod that was asked for first, second and so on has no place.
    pub(crate) fn miss(&self, at: usize) -> &Miss {
        let pod = self.pods[at];
        let group = self.unplaced.iter().find(|group| group.pods.contains(&pod));
        &group.expect("the pod has no place").miss
    }

    /// What each pool says to a pod that has no place.
    pub(crate) fn pool_codes(&self, at: usize) -> Vec<&'static str> {
        self.miss(at).pools.iter().map(|pool| pool.reason.code()).collect()
    }
}
