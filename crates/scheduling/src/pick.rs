//! Which node the scheduler gives a pod: of those on which it can run one with the most points.
//!
//! [`Cluster::scores`] tells people why; this is the same choice for whoever plays the scheduler and places pod after pod.

use crate::cluster::Cluster;
use crate::ids::NodeId;
use crate::score::{Profile, Scratch};

/// Space that choosing works in. Used again, nothing is allocated.
#[derive(Clone, Debug, Default)]
pub struct Picking {
    candidates: Vec<NodeId>,
    scratch: Scratch,
}

impl Cluster {
    /// The node for a pod that is on none: one with the most points, `None` if it can run nowhere. Where several have the most,
    /// `chance` says which of so many. The cluster must have been made with [`crate::Settings::scores`].
    pub fn pick(
        &self,
        pod: usize,
        profile: Profile,
        space: &mut Picking,
        chance: &mut dyn FnMut(usize) -> usize,
    ) -> Option<NodeId> {
        let id = self.class_of(pod)?;
        let class = self.tables.class(id);
        if class.never.is_some() {
            return None;
        }
        space.candidates.clear();
        let nodes = (0..self.tables.nodes.len()).map(NodeId::new);
        space.candidates.extend(nodes.filter(|node| {
            !self.tables.nodes[node.index()].gone && self.tables.fits(&self.state, class, *node)
        }));
        if space.candidates.len() < 2 {
            return space.candidates.first().copied();
        }
        self.tables.score(&self.state, id, profile, &space.candidates, &mut space.scratch);
        let scores = &space.scratch.scores;
        let most = scores.iter().map(|own| own.total).max()?;
        let best = || scores.iter().filter(|own| own.total == most);
        let at = chance(best().count());
        best().nth(at).or_else(|| best().next()).map(|own| own.node)
    }

    /// Whether a pod that is on no node can run on this one.
    pub fn can_run(&self, pod: usize, node: NodeId) -> bool {
        let class = self.class_of(pod).map(|id| self.tables.class(id));
        class.is_some_and(|class| {
            class.never.is_none() && self.tables.fits(&self.state, class, node)
        })
    }
}
