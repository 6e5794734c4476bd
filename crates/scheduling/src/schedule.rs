//! Where would these pods go? Pending ones, ones that are still to be made, or those of nodes that are drained.

use std::collections::BTreeMap;

use restow_model::{Pod, Snapshot, Str};

use crate::cluster::Cluster;
use crate::ids::{ClassId, NodeId};
use crate::miss::Miss;
use crate::state::Run;
use crate::trial::{Limits, NewNode, Trial};

/// Where a pod goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Destination {
    /// To a node, or to a claim whose node is still to come.
    Node(Str),
    /// To a new node, by its place in the list.
    New(usize),
}

/// A pod and where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Its place in the snapshot.
    pub pod: usize,
    /// Where it goes.
    pub to: Destination,
}

/// Pods that fit nowhere, all for the same reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unplaced {
    /// Their places in the snapshot.
    pub pods: Vec<usize>,
    /// What keeps them from running.
    pub miss: Miss,
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// In the order in which the pods were placed: each fits where those before it left room.
    pub placements: Vec<Placement>,
    /// What would be launched.
    pub new_nodes: Vec<NewNode>,
    /// Pods without a place.
    pub unplaced: Vec<Unplaced>,
}

/// How many of these pods the real scheduler might make room for by preempting pods of a lower priority. That is not
/// modelled: whether it would, and whom it would choose, is for the scheduler to say.
pub fn might_preempt(snapshot: &Snapshot, pods: &[usize]) -> usize {
    let priority = |pod: &Pod| snapshot.shapes[pod.shape].priority;
    let running = snapshot.pods.iter().filter(|pod| pod.is_bound() && !pod.is_finished());
    let Some(lowest) = running.map(priority).min() else { return 0 };
    let might = |pod: &&usize| {
        let shape = &snapshot.shapes[snapshot.pods[**pod].shape];
        shape.preempts && shape.priority > lowest && shape.gates.is_empty()
    };
    pods.iter().filter(might).count()
}

impl Cluster {
    /// Places pods, and the pods of nodes that are drained, and keeps the answer: asked again, the cluster holds them.
    ///
    /// Pods are given by their places in the snapshot that the cluster was made of. Daemon pods, mirror pods and pods that
    /// are being deleted go with their node.
    pub fn schedule(
        &mut self,
        snapshot: &Snapshot,
        pods: &[usize],
        drain: &[NodeId],
        limits: Limits,
    ) -> Schedule {
        let mut waiting: BTreeMap<ClassId, Vec<usize>> = BTreeMap::new();
        for pod in pods {
            if let Some(info) = self.pods.get(*pod).and_then(Option::as_ref)
                && info.node.is_none()
            {
                waiting.entry(info.class).or_default().push(*pod);
            }
        }
        for (at, info) in self.pods.iter().enumerate() {
            if let Some(info) = info
                && !info.resident
                && info.node.is_some_and(|node| drain.contains(&node))
            {
                waiting.entry(info.class).or_default().push(at);
            }
        }
        // The oldest first, so that equal pods keep their order.
        for pods in waiting.values_mut() {
            pods.sort_by_key(|pod| {
                let pod = &snapshot.pods[*pod];
                (pod.created, pod.uid, pod.namespace, pod.name)
            });
        }
        let runs =
            waiting.iter().map(|(class, pods)| Run { class: *class, count: pods.len() as u32 });
        let mut runs: Vec<Run> = runs.collect();
        let mut chosen: Vec<(usize, NodeId)> = Vec::new();
        let mut state = std::mem::take(&mut self.state);
        let mut trial = Trial::start(&self.tables, &mut state, limits);
        trial.drain(drain);
        // A pod that the scheduler has chosen a node for goes there, if it still can.
        for pod in pods {
            let nominated = snapshot.pods[*pod].nominated_node;
            if let Some(info) = self.pods.get(*pod).and_then(Option::as_ref)
                && info.node.is_none()
                && let Some(node) = self.by_name.get(&nominated)
                && trial.place_at(info.class, *node)
                && let Some(run) = runs.iter_mut().find(|run| run.class == info.class)
            {
                run.count -= 1;
                chosen.push((*pod, *node));
            }
        }
        for (pod, _) in &chosen {
            for pods in waiting.values_mut() {
                pods.retain(|own| own != pod);
            }
        }
        trial.place(runs);
        let mut answer = Schedule::default();
        let first = self.tables.nodes.len();
        for placed in trial.placements() {
            let to = match placed.node.index().checked_sub(first) {
                Some(at) => Destination::New(at),
                None => Destination::Node(self.name(placed.node)),
            };
            let first = chosen.iter().position(|(pod, node)| {
                let class = self.pods[*pod].as_ref().map(|info| info.class);
                *node == placed.node && class == Some(placed.class)
            });
            if let Some(at) = first {
                // Nominated pods were placed first, each on its own.
                let (pod, _) = chosen.remove(at);
                waiting.entry(placed.class).or_default().insert(0, pod);
            }
            let pods = waiting.entry(placed.class).or_default();
            for pod in pods.drain(..(placed.count as usize).min(pods.len())) {
                answer.placements.push(Placement { pod, to });
                if let Some(info) = self.pods[pod].as_mut() {
                    let before = info.node.replace(placed.node);
                    if let Some(pods) = before.and_then(|node| self.on_node.get_mut(node.index())) {
                        pods.retain(|own| *own as usize != pod);
                    }
                    if let Some(pods) = self.on_node.get_mut(placed.node.index()) {
                        pods.push(pod as u32);
                    }
                }
            }
        }
        answer.new_nodes = trial.new_nodes();
        trial.keep();
        answer.unplaced = waiting
            .into_iter()
            .filter(|(_, pods)| !pods.is_empty())
            .map(|(class, pods)| Unplaced { miss: self.miss(&state, snapshot, class), pods })
            .collect();
        self.state = state;
        answer
    }
}
