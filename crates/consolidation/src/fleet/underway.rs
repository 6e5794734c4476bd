//! Moves that are under way: what they take up of budgets, disruption budgets of pods, rates and room is not there for others.

use restow_model::{Str, Time};

use super::Fleet;

/// A move that is under way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flight {
    /// Its sources that are still there, by their places in the fleet.
    pub sources: Vec<usize>,
    /// Those of them that were let go already: their evictions are in [`Underway::evictions`].
    pub let_go: Vec<usize>,
    /// Pods with the node that they are expected on, or the claim that is to become one. Pods that no node waits for yet are
    /// not listed.
    pub pods: Vec<(usize, Str)>,
}

/// Everything that is under way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Underway {
    /// The moves, in the order in which they began.
    pub moves: Vec<Flight>,
    /// The move that is looked at again: it does not stand in its own way.
    pub own: Option<usize>,
    /// Pods that were evicted for moves a short while ago: the pool, when, and how many.
    pub evictions: Vec<(usize, Time, usize)>,
}

impl Underway {
    /// The moves besides the one that is looked at.
    pub fn others(&self) -> impl Iterator<Item = &Flight> {
        let others = self.moves.iter().enumerate().filter(|(at, _)| Some(*at) != self.own);
        others.map(|(_, own)| own)
    }

    /// Whether a node goes with one of them.
    pub fn takes(&self, node: usize) -> bool {
        self.others().any(|own| own.sources.contains(&node))
    }

    /// A pod of theirs that is expected on a node.
    pub fn expected(&self, node: Str) -> Option<usize> {
        let mut pods = self.others().flat_map(|own| &own.pods);
        pods.find(|(_, to)| *to == node).map(|(pod, _)| *pod)
    }
}

impl Fleet<'_> {
    /// Tells the fleet what is under way.
    pub fn set_underway(&mut self, underway: Underway) {
        self.underway = underway;
        self.count_underway();
    }

    /// Looks at one of the moves that are under way as if it were not; `None` looks at none.
    pub fn look_at(&mut self, own: Option<usize>) {
        self.underway.own = own.filter(|own| *own < self.underway.moves.len());
        self.count_underway();
    }

    /// Nodes that go with a move count as being disrupted from the start, once. Moves that began after the one that is looked at
    /// were allowed beside it, some for another reason with an allowance of its own, so only those before it count.
    fn count_underway(&mut self) {
        for pool in &mut self.pools {
            pool.underway = 0;
        }
        let before = self.underway.own.unwrap_or(self.underway.moves.len());
        for node in self.underway.moves[..before].iter().flat_map(|own| &own.sources) {
            let own = &self.nodes[*node];
            let counted = own.deleting || !own.ready;
            if let Some(pool) = own.pool.filter(|_| !counted) {
                self.pools[pool].underway += 1;
            }
        }
    }
}
