//! Which node the real scheduler would take: the scores of its default profile, added up as it adds them up.
//!
//! The scheduler scores the nodes on which a pod can run, by several plugins. Each gives every node up to 100 points, most of
//! them by comparing the nodes with each other; the points count with the plugin's weight, and of the nodes with the most it
//! takes any. Integers are divided and floats cut off where the scheduler does so: one point decides.
//!
//! Not in the model, and thus 0 here: images that are on a node already (`ImageLocality`).

mod default_spread;
mod pods;
mod preferences;
mod resources;
mod soft;
mod spread;
mod tables;

pub(crate) use default_spread::DefaultSpread;
pub(crate) use resources::{ASSUMED_CPU, ASSUMED_MEMORY, assume};
pub(crate) use soft::{NumberedSoft, RawSoft, Soft};
pub(crate) use tables::ScoreTables;

use restow_model::Snapshot;

use crate::cluster::Cluster;
use crate::ids::{ClassId, NodeId};
use crate::state::State;
use crate::tables::Tables;

/// The most points that a plugin gives.
const MOST: i64 = 100;

/// Which nodes the scheduler likes better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Profile {
    /// Those with the most room left: the default, which spreads pods.
    LeastAllocated,
    /// Those with the least, which packs pods.
    MostAllocated,
}

/// The points of a node by plugin, from 0 to 100, before they are weighted. A plugin that has nothing to say about the pod
/// gives 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Parts {
    /// Few taints that only ask to stay away.
    pub taints: i64,
    /// Preferred node affinity.
    pub node_affinity: i64,
    /// Spread constraints that need not hold, the scheduler's own included.
    pub spread: i64,
    /// Preferred affinity and anti-affinity, those of pods that are there included.
    pub pod_affinity: i64,
    /// Room for cpu and memory, as the profile wants it.
    pub fit: i64,
    /// Whether the pod brings the use of cpu and memory closer together.
    pub balance: i64,
}

impl Parts {
    /// What each plugin is called, its points, and what they count.
    pub const fn by_plugin(&self) -> [(&'static str, i64, i64); 6] {
        [
            ("TaintToleration", self.taints, 3),
            ("NodeAffinity", self.node_affinity, 2),
            ("PodTopologySpread", self.spread, 2),
            ("InterPodAffinity", self.pod_affinity, 2),
            ("NodeResourcesFit", self.fit, 1),
            ("NodeResourcesBalancedAllocation", self.balance, 1),
        ]
    }

    fn total(&self) -> i64 {
        self.by_plugin().iter().map(|(_, points, weight)| points * weight).sum()
    }
}

/// A node on which a pod can run, and what the scheduler thinks of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeScore {
    /// The node.
    pub node: NodeId,
    /// The sum of the weighted parts. The scheduler takes one of the nodes with the highest.
    pub total: i64,
    /// Where it comes from.
    pub parts: Parts,
}

/// Space that scoring works in. Used again, nothing is allocated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// The answer, in the order of the candidates.
    pub(crate) scores: Vec<NodeScore>,
    /// What each constraint of a spread weighs.
    weights: Vec<f64>,
    /// The domains of one key that candidates are in, as bits.
    seen: Vec<u64>,
}

impl Cluster {
    /// The scores of the nodes on which a pod can run, by node. A bound pod is asked as if it alone were evicted and came
    /// back as it is written. Nothing is scored unless the cluster was made with [`crate::Settings::scores`].
    ///
    /// If only one node is possible the scheduler takes it without a score; here it has one all the same.
    pub fn scores(&mut self, snapshot: &Snapshot, pod: usize, profile: Profile) -> Vec<NodeScore> {
        let answers = self.feasibility(snapshot, pod);
        let mut candidates: Vec<NodeId> = snapshot
            .nodes
            .iter()
            .zip(answers)
            .filter(|(_, reason)| reason.is_none())
            .filter_map(|(node, _)| self.node(node.meta.name))
            .collect();
        candidates.sort_unstable();
        let Some(info) = self.pods.get_mut(pod).and_then(Option::take) else { return Vec::new() };
        let mut scratch = Scratch::default();
        // Pods that are nominated for a node hold their room there but do not count for scores.
        self.lift(&info, -1);
        self.tables.score(&self.state, info.class, profile, &candidates, &mut scratch);
        self.lift(&info, 1);
        self.pods[pod] = Some(info);
        scratch.scores
    }
}

impl Tables {
    /// Scores nodes that exist for one more pod of a class; the answer is in the scratch space.
    pub(crate) fn score(
        &self,
        state: &State,
        class: ClassId,
        profile: Profile,
        candidates: &[NodeId],
        scratch: &mut Scratch,
    ) {
        scratch.scores.clear();
        let class = self.class(class);
        let Some(soft) = class.soft.as_deref() else { return };
        let resources = resources::Asked::new(class, soft);
        scratch.scores.extend(candidates.iter().map(|node| {
            let room = self.scores.room(state, *node);
            let group = self.node_groups[node.index()];
            let parts = Parts {
                taints: self.scores.untolerated(soft.taints, group),
                node_affinity: soft.nodes.map_or(0, |nodes| self.scores.preference(nodes, group)),
                spread: 0,
                pod_affinity: pods::raw(self, state, &soft.pods, *node),
                fit: resources.fit(&room, profile),
                balance: resources.balance(&room),
            };
            NodeScore { node: *node, total: 0, parts }
        }));
        if let Some(spread) = &soft.spread {
            spread::score(self, state, spread, scratch);
        }
        let scores = &mut scratch.scores;
        preferences::normalise_taints(scores);
        preferences::normalise_nodes(scores);
        pods::normalise(scores);
        for score in scores {
            score.total = score.parts.total();
        }
    }
}

#[cfg(test)]
mod tests;
