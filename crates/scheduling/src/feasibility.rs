//! For one pod and every node: can it run there, and if not, why?

use std::collections::BTreeMap;

use restow_model::Snapshot;

use crate::class::{Demand, Forbidden, Rule};
use crate::cluster::Cluster;
use crate::ids::{ClassId, NodeId};
use crate::reason::Reason;
use crate::source::NodeSource;

impl Cluster {
    /// One answer for each node of the snapshot: `None` if the pod can run there. A bound pod is asked as if it alone were
    /// evicted; pods that are nominated for a node hold their room there.
    pub fn feasibility(&mut self, snapshot: &Snapshot, pod: usize) -> Vec<Option<Reason>> {
        let Some(info) = self.pods.get_mut(pod).and_then(Option::take) else {
            return vec![Some(Reason::NodeGone); snapshot.nodes.len()];
        };
        self.lift(&info, -1);
        // A pod that comes anew asks for what is written, whatever a resize gave the old one.
        let demand = self.tables.class(info.class).demand.clone();
        let nominated = self.nominated(snapshot, pod, self.tables.class(info.class).priority);
        let mut answers: Vec<Option<Reason>> = (0..snapshot.nodes.len())
            .map(|at| self.why_not(snapshot, info.class, &demand, at))
            .collect();
        // A pod must fit with those that are nominated for the node, and without them.
        let untroubled = self.is_untroubled(info.class);
        for (node, held) in nominated {
            let Some(at) = self.tables.nodes[node.index()].snapshot else { continue };
            let at = at as usize;
            self.state.hold(&self.tables, &held, node, 1);
            let with = self.why_not(snapshot, info.class, &demand, at);
            self.state.hold(&self.tables, &held, node, -1);
            // Where nobody repels the pod, the real scheduler does not ask about affinity at all.
            let with = with.filter(|reason| {
                !(untroubled && matches!(reason, Reason::AntiAffinityOfOthers { .. }))
            });
            answers[at] = with.or(answers[at].take());
        }
        self.lift(&info, 1);
        self.pods[pod] = Some(info);
        answers
    }

    /// Whether the pod has no terms of affinity, and no pod that is there keeps it away from anywhere.
    fn is_untroubled(&self, class: ClassId) -> bool {
        self.tables.class(class).rules.iter().all(|rule| match rule {
            Rule::Require { .. } | Rule::Forbid { why: Forbidden::Avoided, .. } => false,
            Rule::Forbid { tally, why: Forbidden::AvoidedBy } => {
                self.state.totals[tally.index()] == 0
            }
            _ => true,
        })
    }

    /// Pods that a preemption made room for, by node: those that the pod may not push aside.
    fn nominated(
        &self,
        snapshot: &Snapshot,
        pod: usize,
        priority: i32,
    ) -> BTreeMap<NodeId, Vec<ClassId>> {
        let mut found: BTreeMap<NodeId, Vec<ClassId>> = BTreeMap::new();
        for (at, (other, info)) in snapshot.pods.iter().zip(&self.pods).enumerate() {
            let Some(info) = info else { continue };
            if at != pod
                && other.node.is_empty()
                && self.tables.class(info.class).priority >= priority
                && let Some(node) = self.node(other.nominated_node)
            {
                found.entry(node).or_default().push(info.class);
            }
        }
        found
    }

    fn why_not(
        &self,
        snapshot: &Snapshot,
        class: ClassId,
        demand: &Demand,
        at: usize,
    ) -> Option<Reason> {
        let Some(node) = self.node(snapshot.nodes[at].meta.name) else {
            return Some(Reason::NodeGone);
        };
        let class = self.tables.class(class);
        let source = NodeSource::of_node(at, &snapshot.nodes[at], &snapshot.strings);
        self.tables.why_not(&self.state, class, demand, node, &source.place(), &snapshot.strings)
    }

    /// Takes a pod's room and counts away, or gives them back, without touching runs.
    pub(crate) fn lift(&mut self, info: &crate::cluster::PodInfo, sign: i64) {
        let Some(node) = info.node else { return };
        let Self { tables, state, .. } = self;
        match &info.held {
            Some(held) => state.reserve_amount(tables, node, held, sign),
            None => state.reserve(tables, info.class, node, sign),
        }
        state.tally(tables, info.class, node, sign as i32);
    }
}
