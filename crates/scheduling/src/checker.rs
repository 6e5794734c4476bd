//! The rules of the scheduler once more, as plainly as possible: a second opinion on every placement.
//!
//! It shares nothing with the engine but the model. Each rule looks at the whole cluster again for every question, in the
//! order and with the quirks of kube-scheduler 1.36, so that a reader can hold it against the real thing rule by rule.

mod affinity;
mod attachments;
mod claims;
mod home;
mod node_affinity;
mod nominations;
mod ports;
mod resources;
mod selectors;
mod spread;
mod taints;
#[cfg(test)]
mod testing;
mod violation;
mod volumes;
mod zones;

use restow_model::{
    CsiNode, Labels, Node, Phase, Pod, PodShape, Shared, Snapshot, Str, Strings, Volumes,
};

pub use violation::Violation;

/// A cluster in which pods are moved one at a time, each move checked against every rule.
///
/// Pods and nodes are named by their place in the snapshot's lists; what is added later continues those lists. Finished pods
/// and pods on unknown nodes do not exist for any rule.
#[derive(Clone, Debug)]
pub struct Checker {
    cluster: Snapshot,
    /// The pods on each node.
    residents: Vec<Vec<usize>>,
    /// The node that each pod is on.
    places: Vec<Option<usize>>,
    /// The name of the node that each pod was on last, or empty: pods of daemons belong there.
    homes: Vec<Str>,
    /// Nodes that were removed.
    gone: Vec<bool>,
    /// Pods that are only nominated for the node that they are on, while a question about nominations is answered.
    guests: Vec<usize>,
}

impl Checker {
    /// Starts with the cluster as it is.
    pub fn new(snapshot: &Snapshot) -> Self {
        let mut checker = Self {
            cluster: Snapshot { pods: Vec::new(), ..snapshot.clone() },
            residents: vec![Vec::new(); snapshot.nodes.len()],
            places: Vec::new(),
            homes: Vec::new(),
            gone: vec![false; snapshot.nodes.len()],
            guests: Vec::new(),
        };
        for pod in &snapshot.pods {
            checker.add_pod(pod.clone());
        }
        checker
    }

    /// The cluster's objects and tables. Where pods are now is not in their `node` fields: see [`Self::node_of`].
    pub fn cluster(&self) -> &Snapshot {
        &self.cluster
    }

    /// The node that a pod is on now.
    pub fn node_of(&self, pod: usize) -> Option<usize> {
        self.places[pod]
    }

    /// The number of a name, for nodes and pods that are added.
    pub fn intern(&mut self, text: &str) -> Str {
        self.cluster.strings.intern(text)
    }

    /// The number of a label set, for pods that are added.
    pub fn share_labels(&mut self, labels: Labels) -> Shared {
        self.cluster.labels.share(labels)
    }

    /// The number of a shape, for pods that are added.
    pub fn share_shape(&mut self, shape: PodShape) -> Shared {
        self.cluster.shapes.share(shape)
    }

    /// The number of a set of volumes, for pods that are added.
    pub fn share_volumes(&mut self, volumes: Volumes) -> Shared {
        self.cluster.volumes.share(volumes)
    }

    /// Adds a node, whose names are in the checker's own table, and returns its place.
    pub fn add_node(&mut self, node: Node) -> usize {
        self.cluster.nodes.push(node);
        self.residents.push(Vec::new());
        self.gone.push(false);
        self.gone.len() - 1
    }

    /// Says what storage an added node can attach.
    pub fn add_csi_node(&mut self, node: CsiNode) {
        self.cluster.csi_nodes.push(node);
    }

    /// Adds a pod, whose names and parts are in the checker's own tables, and returns its place. It is on its node at once
    /// if it names one.
    pub fn add_pod(&mut self, pod: Pod) -> usize {
        let at = self.places.len();
        let place = if pod.is_finished() { None } else { self.node_named(pod.node) };
        if let Some(node) = place {
            self.residents[node].push(at);
        }
        self.places.push(place);
        self.homes.push(pod.node);
        self.cluster.pods.push(pod);
        at
    }

    /// Takes a pod off its node.
    pub fn evict(&mut self, pod: usize) {
        if let Some(node) = self.places[pod].take() {
            self.residents[node].retain(|resident| *resident != pod);
        }
    }

    /// Removes a node together with the pods that are still on it.
    pub fn remove_node(&mut self, node: usize) {
        for pod in std::mem::take(&mut self.residents[node]) {
            self.places[pod] = None;
        }
        self.gone[node] = true;
    }

    /// Whether the pod may run on the node now, as a fresh pod: where it is at the moment does not count against it.
    ///
    /// The rules are asked in the scheduler's order, and the first that is broken is returned. What rejects the pod whatever
    /// the node comes first, because the scheduler then never looks at a node.
    pub fn allows(&self, pod: usize, node: usize) -> Result<(), Violation> {
        if self.gone[node] {
            return Err(Violation::NodeGone);
        }
        if !self.shape(pod).gates.is_empty() {
            return Err(Violation::Gated);
        }
        node_affinity::check_names_agree(self, pod)?;
        claims::check_usable(self, pod)?;
        home::check(self, pod, node)?;
        node_affinity::check_name(self, pod, node)?;

        taints::check_unschedulable(self, pod, node)?;
        taints::check(self, pod, node)?;
        node_affinity::check(self, pod, node)?;
        ports::check(self, pod, node)?;
        resources::check(self, pod, node)?;
        claims::check_exclusive(self, pod)?;
        attachments::check(self, pod, node)?;
        volumes::plan(self, pod, node)?;
        zones::check(self, pod, node)?;
        spread::check(self, pod, node)?;
        affinity::check(self, pod, node)?;
        if self.shape(pod).dynamic_resources {
            return Err(Violation::DynamicResources);
        }
        Ok(())
    }

    /// Puts a pod onto a node, from wherever it is, if every rule allows it. Volumes that it takes there are taken for good.
    ///
    /// What arrives is a fresh pod: not finished, not terminating, holding what its shape asks for.
    pub fn place(&mut self, pod: usize, node: usize) -> Result<(), Violation> {
        self.allows(pod, node)?;
        volumes::plan(self, pod, node)?.carry_out(&mut self.cluster, node);
        self.evict(pod);
        self.residents[node].push(pod);
        self.places[pod] = Some(node);
        self.homes[pod] = self.cluster.nodes[node].meta.name;
        let fresh = &mut self.cluster.pods[pod];
        fresh.held = None;
        fresh.deleted = None;
        if fresh.is_finished() {
            fresh.phase = Phase::Pending;
        }
        Ok(())
    }

    /// For each node, in order, what keeps the pod from it, as the live scheduler would answer: unlike [`Self::allows`], which
    /// is about plans, this heeds pods that are nominated for a node.
    pub fn feasibility(&self, pod: usize) -> Vec<Option<Violation>> {
        (0..self.gone.len()).map(|node| nominations::check(self, pod, node).err()).collect()
    }

    fn node_named(&self, name: Str) -> Option<usize> {
        if name.is_empty() {
            return None;
        }
        let named = |node: &usize| self.cluster.nodes[*node].meta.name == name;
        self.nodes().find(named)
    }

    fn strings(&self) -> &Strings {
        &self.cluster.strings
    }

    fn pod(&self, pod: usize) -> &Pod {
        &self.cluster.pods[pod]
    }

    fn shape(&self, pod: usize) -> &PodShape {
        &self.cluster.shapes[self.pod(pod).shape]
    }

    fn labels(&self, pod: usize) -> &Labels {
        &self.cluster.labels[self.pod(pod).labels]
    }

    fn node(&self, node: usize) -> &Node {
        &self.cluster.nodes[node]
    }

    fn node_labels(&self, node: usize) -> &Labels {
        &self.node(node).meta.labels
    }

    /// The nodes that are there.
    fn nodes(&self) -> impl Iterator<Item = usize> {
        (0..self.gone.len()).filter(|node| !self.gone[*node])
    }

    /// The pods on a node, but for the one that the question is about.
    fn others_on(&self, node: usize, asking: usize) -> impl Iterator<Item = usize> {
        self.residents[node].iter().copied().filter(move |pod| *pod != asking)
    }

    /// Whether a pod is only nominated for the node that it is on.
    fn is_guest(&self, pod: usize) -> bool {
        self.guests.contains(&pod)
    }

    /// The pods on all nodes with their nodes, but for the one that the question is about.
    fn others(&self, asking: usize) -> impl Iterator<Item = (usize, usize)> {
        self.nodes().flat_map(move |node| self.others_on(node, asking).map(move |pod| (pod, node)))
    }
}

#[cfg(test)]
mod tests;
