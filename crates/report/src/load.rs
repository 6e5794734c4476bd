//! What the pods of each node ask for, in one pass over all pods.

use restow_model::{Node, Phase, Resources, Snapshot, Str};
use rustc_hash::FxHashMap;

/// What pods are counted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PodCounts {
    /// Pods that hold room on a node that is shown.
    pub bound: usize,
    /// Those of them that run.
    pub running: usize,
    /// Those of them that are going.
    pub terminating: usize,
    /// Pods that ended on a node that is shown; they hold nothing.
    pub finished: usize,
    /// Pods of the whole cluster that have no node.
    pub pending: usize,
    /// Those of them that the scheduler found no node for.
    pub unschedulable: usize,
    /// Pods that hold room on nodes that the snapshot does not have.
    pub elsewhere: usize,
}

impl PodCounts {
    /// Adds what is counted by node.
    pub(crate) fn add_node(&mut self, more: &Self) {
        self.bound += more.bound;
        self.running += more.running;
        self.terminating += more.terminating;
        self.finished += more.finished;
    }
}

/// Which resource is where in the list of resources; names of extended ones follow.
pub(crate) const CPU: usize = 0;
pub(crate) const MEMORY: usize = 1;
pub(crate) const PODS: usize = 2;
pub(crate) const EPHEMERAL: usize = 3;
pub(crate) const FIRST_EXTENDED: usize = 4;

/// Sums by node and resource.
pub(crate) struct Load {
    width: usize,
    /// All pods and daemon pods, in turn, `width` pairs for each node.
    sums: Vec<[i64; 2]>,
    pods: Vec<PodCounts>,
    /// Pods that are on no node of the snapshot.
    pub(crate) nowhere: PodCounts,
}

impl Load {
    /// Sums over the pods of a snapshot; `extended` are the names of extended resources.
    pub(crate) fn new(snapshot: &Snapshot, extended: &[Str]) -> Self {
        let width = FIRST_EXTENDED + extended.len();
        let places: FxHashMap<Str, usize> =
            extended.iter().enumerate().map(|(at, name)| (*name, FIRST_EXTENDED + at)).collect();
        let nodes = NodeIndex::new(&snapshot.nodes);
        let with_node = ComeWithNode::new(snapshot);
        let mut load = Self {
            width,
            sums: vec![[0; 2]; width * snapshot.nodes.len()],
            pods: vec![PodCounts::default(); snapshot.nodes.len()],
            nowhere: PodCounts::default(),
        };
        for pod in &snapshot.pods {
            let finished = pod.is_finished();
            let Some(node) = nodes.get(pod.node) else {
                let nowhere = &mut load.nowhere;
                nowhere.pending += usize::from(!finished && !pod.is_bound());
                nowhere.unschedulable +=
                    usize::from(!finished && !pod.is_bound() && pod.unschedulable);
                nowhere.elsewhere += usize::from(!finished && pod.is_bound());
                continue;
            };
            let counts = &mut load.pods[node];
            if finished {
                counts.finished += 1;
                continue;
            }
            counts.bound += 1;
            counts.running += usize::from(pod.phase == Phase::Running);
            counts.terminating += usize::from(pod.is_terminating());
            let daemon = with_node.has(snapshot, pod);
            let sums = &mut load.sums[node * width..(node + 1) * width];
            add(sums, snapshot.requests(pod), daemon, &places);
        }
        load
    }

    /// What all pods of a node ask for, and what its daemon pods ask for.
    pub(crate) fn sum(&self, node: usize, resource: usize) -> [i64; 2] {
        self.sums[node * self.width + resource]
    }

    /// The pods of a node.
    pub(crate) fn pods(&self, node: usize) -> &PodCounts {
        &self.pods[node]
    }
}

fn add(sums: &mut [[i64; 2]], requests: &Resources, daemon: bool, places: &FxHashMap<Str, usize>) {
    let mut put = |place: usize, amount: i64| {
        let [all, daemons] = &mut sums[place];
        *all = all.saturating_add(amount);
        if daemon {
            *daemons = daemons.saturating_add(amount);
        }
    };
    put(CPU, requests.cpu);
    put(MEMORY, requests.memory);
    put(PODS, 1);
    put(EPHEMERAL, requests.ephemeral);
    for (name, amount) in &requests.others {
        if let Some(place) = places.get(name) {
            put(*place, *amount);
        }
    }
}

/// Nodes by name. Names of one snapshot are numbered by the alphabet, so that those of nodes are near to each other.
struct NodeIndex {
    first: usize,
    places: Vec<u32>,
}

impl NodeIndex {
    fn new(nodes: &[Node]) -> Self {
        let names = || nodes.iter().map(|node| node.meta.name.index());
        let first = names().min().unwrap_or(0);
        let len = names().max().map_or(0, |last| last - first + 1);
        let mut places = vec![u32::MAX; len];
        for (at, name) in names().enumerate() {
            places[name - first] = at as u32;
        }
        Self { first, places }
    }

    fn get(&self, name: Str) -> Option<usize> {
        let place = self.places.get(name.index().checked_sub(self.first)?)?;
        (*place != u32::MAX).then_some(*place as usize)
    }
}

/// Which pods come and go with their node: those of daemon sets, and images of static pods. Looked up by what pods
/// share, not pod by pod.
struct ComeWithNode {
    owners: Vec<bool>,
    mirror: Option<Str>,
}

impl ComeWithNode {
    fn new(snapshot: &Snapshot) -> Self {
        let kinds = ["DaemonSet", "Node"].map(|kind| snapshot.strings.get(kind));
        let owners = snapshot.owners.values().iter();
        Self {
            owners: owners
                .map(|owner| owner.is_some_and(|owner| kinds.contains(&Some(owner.kind))))
                .collect(),
            mirror: snapshot.strings.get("kubernetes.io/config.mirror"),
        }
    }

    fn has(&self, snapshot: &Snapshot, pod: &restow_model::Pod) -> bool {
        self.owners[pod.owner.index()]
            || self.mirror.is_some_and(|key| snapshot.labels[pod.annotations].get(key).is_some())
    }
}
