//! What is in a generated cluster, before any text is made of it.
//!
//! The plan holds a few bytes per pod and the workloads and nodes in short form; every object's text is made
//! from it when asked for. So a cluster of any size is written, or served page by page, in little memory, and
//! the same object reads the same wherever it is asked for.

pub(crate) mod names;
pub(crate) mod nodes;
mod place;
pub(crate) mod workloads;

use crate::flavor::{Flavor, Pool};
use crate::rng::{Rng, mix};
use nodes::NodePlan;
use workloads::{Owner, Workload};

/// No node: the pod is pending.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// How large, and which one of all clusters of this size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Nodes.
    pub nodes: u32,
    /// Pods, daemon pods included.
    pub pods: u32,
    /// Equal seeds give equal clusters.
    pub seed: u64,
}

/// A cluster that exists as numbers; [`write_object`](Cluster::write_object) makes the text of any object.
pub struct Cluster {
    pub(crate) flavor: Flavor,
    pub(crate) seed: u64,
    pub(crate) pools: Vec<Pool>,
    /// How much each pool is meant to carry, in cpus.
    pub(crate) pool_room: Vec<u32>,
    pub(crate) nodes: Vec<NodePlan>,
    pub(crate) workloads: Vec<Workload>,
    /// The node of each pod, or [`NOWHERE`].
    pub(crate) places: Vec<u32>,
    pub(crate) namespaces: Vec<String>,
    /// The workload of each ReplicaSet, and whether it is an old one without pods.
    pub(crate) replica_sets: Vec<(u32, bool)>,
    /// The workload of each PodDisruptionBudget, and whether it is a second one for the same pods.
    pub(crate) budgets: Vec<(u32, bool)>,
    pub(crate) services: Vec<u32>,
    /// Pods with a volume of their own.
    pub(crate) claims: Vec<u32>,
    /// Workloads by their owner's kind.
    pub(crate) owners: [Vec<u32>; Owner::COUNT],
}

impl Cluster {
    /// The cluster of this size and flavor.
    ///
    /// Bound pods fit their nodes, keep to their node selectors, taints, anti-affinity and zone spread; what
    /// does not fit is pending, and 1 to 2 % of the pods are pending anyway.
    pub fn new(flavor: Flavor, size: Size) -> Self {
        let mut rng = Rng::with_stream(size.seed, flavor as u64);
        let pools = flavor.pools();
        let pods_per_node = size.pods / size.nodes.max(1);
        let nodes = nodes::draw(flavor, &pools, size.nodes, pods_per_node, &mut rng);
        let daemons = workloads::daemons(flavor, &pools, &nodes, size.pods);
        let daemon_pods: u32 = daemons.iter().map(|workload| workload.replicas).sum();
        let namespaces = names::namespaces(size.pods);
        let mut cluster = Self {
            flavor,
            seed: size.seed,
            pool_room: nodes::room_of_pools(&pools, &nodes),
            pools,
            nodes,
            workloads: daemons,
            places: Vec::with_capacity(size.pods as usize),
            namespaces,
            replica_sets: Vec::new(),
            budgets: Vec::new(),
            services: Vec::new(),
            claims: Vec::new(),
            owners: Default::default(),
        };
        workloads::draw(&mut cluster, size.pods - daemon_pods, &mut rng);
        place::place(&mut cluster, &mut rng);
        cluster.index();
        cluster
    }

    /// Finds the objects that belong to workloads.
    fn index(&mut self) {
        for (index, workload) in self.workloads.iter().enumerate() {
            let number = index as u32;
            self.owners[workload.owner as usize].push(number);
            let dice = mix(self.seed, 20, index as u64);
            if workload.owner == Owner::Deployment {
                self.replica_sets.push((number, false));
                if dice.is_multiple_of(3) {
                    self.replica_sets.push((number, true));
                }
            }
            let lasting = matches!(workload.owner, Owner::Deployment | Owner::StatefulSet);
            if lasting && workload.replicas > 1 && dice % 100 < 45 {
                self.budgets.push((number, false));
                if dice.is_multiple_of(199) {
                    self.budgets.push((number, true));
                }
            }
            if lasting && dice % 10 < 6 {
                self.services.push(number);
            }
            if workload.owner == Owner::StatefulSet {
                self.claims.extend(workload.first_pod..workload.first_pod + workload.replicas);
            }
        }
    }

    /// The workload of a pod, and the pod's number in it.
    pub(crate) fn workload_of(&self, pod: u32) -> (u32, u32) {
        let after = self.workloads.partition_point(|workload| workload.first_pod <= pod);
        let index = after.saturating_sub(1);
        (index as u32, pod - self.workloads[index].first_pod)
    }

    /// Pods of a workload that have a node.
    pub(crate) fn bound(&self, workload: &Workload) -> u32 {
        let pods = workload.first_pod as usize..(workload.first_pod + workload.replicas) as usize;
        self.places[pods].iter().filter(|place| **place != NOWHERE).count() as u32
    }
}

/// What became of a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Running,
    Succeeded,
    Failed,
}

/// What became of a pod of such an owner: jobs end, everything else runs.
pub(crate) fn fate(seed: u64, owner: Owner, pod: u32) -> Fate {
    match (owner, mix(seed, 21, u64::from(pod)) % 1000) {
        (Owner::Job, 0..250) => Fate::Succeeded,
        (Owner::Job, 250..260) => Fate::Failed,
        _ => Fate::Running,
    }
}
