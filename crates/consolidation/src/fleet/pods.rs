//! One pass over the pods: on which node each is, what it is there, and what the pods of a node come to together.
//!
//! There are a hundred thousand pods, and a pass over them takes longer than everything that is done with one. So there is but
//! one, and what pods share (controllers, shapes, annotations) is looked up by its number.

use restow_model::{Pod, Snapshot, Str, Volumes};
use rustc_hash::FxHashMap;

use super::cost::{Deletions, Sums};
use super::pdb::Budgets;
use super::utilization::Asked;
use super::workloads::Workloads;
use super::{NodePod, PdbId, Role, WorkloadId, WorkloadState};
use crate::marks::{DO_NOT_DISRUPT, DO_NOT_EVICT};

/// The pods of a node.
#[derive(Clone, Debug, Default)]
pub(super) struct OnNode {
    /// In the order of the snapshot.
    pub(super) pods: Vec<NodePod>,
    /// How many have to move when the node goes.
    pub(super) movable: usize,
    /// What they ask for, and those that have to move.
    pub(super) asked: [Asked; 2],
    /// What it costs to disturb them.
    pub(super) costs: Sums,
    /// Whether one of them may stand in the way.
    pub(super) watched: bool,
}

/// All pods.
#[derive(Debug, Default)]
pub(super) struct Pods {
    /// By node.
    pub(super) on: Vec<OnNode>,
    /// The budgets of each.
    pub(super) pdbs: Vec<smallvec::SmallVec<[PdbId; 1]>>,
    /// All workloads, and that of each pod.
    pub(super) workloads: Vec<WorkloadState>,
    pub(super) workload_of: Vec<Option<WorkloadId>>,
    /// What is read of a pod again and again.
    pub(super) marks: Vec<Marks>,
    /// Pods that are on their way to a node, by its name.
    pub(super) nominated: FxHashMap<Str, usize>,
}

/// What searches read of pods again and again, in one byte for each: a pod itself is far away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks(u8);

impl Marks {
    const READY: u8 = 1;
    const LOCAL: u8 = 2;
    const CLAIMS: u8 = 4;

    fn of_volumes(own: &Volumes) -> u8 {
        let local = if own.local { Self::LOCAL } else { 0 };
        local | if own.claims.is_empty() { 0 } else { Self::CLAIMS }
    }

    /// Whether it is ready.
    pub(crate) const fn is_ready(self) -> bool {
        self.0 & Self::READY != 0
    }

    /// Whether it has data that only its node has.
    pub(crate) const fn has_local_data(self) -> bool {
        self.0 & Self::LOCAL != 0
    }

    /// Whether it has volume claims.
    pub(crate) const fn has_claims(self) -> bool {
        self.0 & Self::CLAIMS != 0
    }
}

const NOWHERE: u32 = u32::MAX;

impl Pods {
    pub(super) fn new(snapshot: &Snapshot) -> Self {
        let roles = Roles::new(snapshot);
        let deletions = Deletions::new(snapshot);
        let marked = marked(snapshot);
        let mut budgets = Budgets::new(snapshot);
        let mut workloads = Workloads::new(snapshot);
        let shapes: Vec<(Asked, i32)> = snapshot
            .shapes
            .values()
            .iter()
            .map(|own| (Asked::of(&own.requests), own.priority))
            .collect();
        let volumes: Vec<u8> = snapshot.volumes.values().iter().map(Marks::of_volumes).collect();
        let mut node_of = vec![NOWHERE; snapshot.strings.len()];
        for (at, node) in snapshot.nodes.iter().enumerate() {
            if let Some(own) = node_of.get_mut(node.meta.name.index()) {
                *own = at as u32;
            }
        }
        let count = snapshot.pods.len();
        let mut found = Self {
            on: vec![OnNode::default(); snapshot.nodes.len()],
            pdbs: Vec::with_capacity(count),
            workload_of: Vec::with_capacity(count),
            marks: Vec::with_capacity(count),
            ..Self::default()
        };
        let mut places: Vec<(u32, Role)> = Vec::with_capacity(count);
        let mut counts = vec![0_u32; snapshot.nodes.len()];
        for (at, pod) in snapshot.pods.iter().enumerate() {
            let pdbs = budgets.of(snapshot, pod);
            let workload = workloads.of(snapshot, pod);
            let role = roles.of(snapshot, pod);
            let node = if pod.is_bound() {
                node_of.get(pod.node.index()).copied().unwrap_or(NOWHERE)
            } else {
                if !pod.nominated_node.is_empty() {
                    found.nominated.insert(pod.nominated_node, at);
                }
                NOWHERE
            };
            places.push((node, role));
            if node != NOWHERE {
                let own = &mut found.on[node as usize];
                counts[node as usize] += 1;
                let (asked, priority) = shapes[pod.shape.index()];
                if role != Role::Finished {
                    let asked = pod.held.as_deref().map_or(asked, Asked::of);
                    own.asked[0].add(asked);
                    if role == Role::Movable {
                        own.asked[1].add(asked);
                    }
                }
                own.movable += usize::from(role == Role::Movable);
                own.costs.add(role, || deletions.cost(snapshot, pod, priority));
                own.watched = own.watched
                    || marked[pod.annotations.index()]
                    || !pdbs.is_empty()
                    || snapshot.owner(pod).is_none()
                    || workload.is_some_and(|own| workloads.states[own.index()].rollout.is_some());
            }
            let ready = if pod.ready { Marks::READY } else { 0 };
            found.marks.push(Marks(volumes[pod.volumes.index()] | ready));
            found.pdbs.push(pdbs);
            found.workload_of.push(workload);
        }
        for (own, count) in found.on.iter_mut().zip(counts) {
            own.pods.reserve_exact(count as usize);
        }
        for (at, (node, role)) in places.into_iter().enumerate() {
            if node != NOWHERE {
                found.on[node as usize].pods.push(NodePod { pod: at as u32, role });
            }
        }
        found.workloads = workloads.states;
        found
    }
}

/// By set of annotations: whether it says that a pod must not be disturbed.
fn marked(snapshot: &Snapshot) -> Vec<bool> {
    let keys = [DO_NOT_DISRUPT, DO_NOT_EVICT].map(|key| snapshot.strings.get(key));
    let sets = snapshot.labels.values().iter();
    sets.map(|set| keys.iter().any(|key| key.is_some_and(|key| set.get(key).is_some()))).collect()
}

/// What pods are, looked up by what they share.
struct Roles {
    daemon: Vec<bool>,
    mirror: Vec<bool>,
    stateful: Vec<bool>,
    mirror_key: Option<Str>,
}

impl Roles {
    fn new(snapshot: &Snapshot) -> Self {
        let of_kind = |text: &str| -> Vec<bool> {
            let kind = snapshot.strings.get(text);
            let owners = snapshot.owners.values().iter();
            owners.map(|own| kind.is_some() && own.map(|own| own.kind) == kind).collect()
        };
        Self {
            daemon: of_kind("DaemonSet"),
            mirror: of_kind("Node"),
            stateful: of_kind("StatefulSet"),
            mirror_key: snapshot.strings.get("kubernetes.io/config.mirror"),
        }
    }

    fn of(&self, snapshot: &Snapshot, pod: &Pod) -> Role {
        let owner = pod.owner.index();
        let marked = |key: Str| snapshot.labels[pod.annotations].get(key).is_some();
        if pod.is_finished() {
            Role::Finished
        } else if self.mirror[owner] || self.mirror_key.is_some_and(marked) {
            Role::Mirror
        } else if self.daemon[owner] {
            Role::Daemon
        } else if pod.is_terminating() && !self.stateful[owner] {
            Role::Leaving
        } else {
            Role::Movable
        }
    }
}
