//! A trial that is told where pods should go. Whoever packs pods by amounts alone says which belong together; the rules are
//! asked all the same, and what they refuse is placed like any other pod.

use crate::cluster::Cluster;
use crate::draft::{Draft, Words};
use crate::ids::{ClassId, NodeId, PoolId};
use crate::state::{Batch, Change, Run, State};
use crate::tables::Tables;
use crate::trial::{Limits, Trial};

/// Where pods should go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aim {
    /// To a node that exists.
    Node(NodeId),
    /// To a new node of a pool, by its place, that is in one of these groups.
    New {
        /// The pool.
        pool: usize,
        /// The groups.
        groups: Vec<usize>,
    },
}

/// Pods that should go to one node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bin {
    /// The node.
    pub aim: Aim,
    /// The pods by class.
    pub pods: Vec<(ClassId, u32)>,
}

/// Pods that are placed together, before those of the next share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// All of them, by class, each class once.
    pub pods: Vec<(ClassId, u32)>,
    /// Where some of them should go.
    pub bins: Vec<Bin>,
}

impl Cluster {
    /// What if these nodes vanished and some pods left others, and all of them went where they are told to? The shares are
    /// all these pods. Returns with the trial how many of its placements belong to each share.
    pub fn directed_trial<'a>(
        &'a self,
        state: &'a mut State,
        sources: &[NodeId],
        leaving: &[(NodeId, ClassId)],
        shares: &[Share],
        limits: Limits,
    ) -> (Trial<'a>, Vec<usize>) {
        let mut trial = Trial::start(&self.tables, state, limits);
        trial.drain(sources);
        let (tables, state) = trial.parts_mut();
        for (node, class) in leaving {
            state.leave(tables, *class, 1, *node);
        }
        let mut ends = Vec::with_capacity(shares.len());
        let (mut seen, mut placed) = (trial.parts().1.changes.len(), 0);
        for share in shares {
            trial.follow(share);
            let changes = &trial.parts().1.changes;
            let own = changes[seen..].iter().filter(|own| matches!(own, Change::Placed { .. }));
            placed += own.count();
            seen = changes.len();
            ends.push(placed);
        }
        (trial, ends)
    }
}

impl Cluster {
    /// Whether pods of a class can be taken from where a plan put them: not if that decided about volumes.
    pub fn can_leave(&self, class: ClassId) -> bool {
        !self.tables.hot[class.index()].binds
    }
}

impl Trial<'_> {
    /// Places the pods of a share: first as told, then the others.
    fn follow(&mut self, share: &Share) {
        let mut left: Vec<Run> =
            share.pods.iter().map(|(class, count)| Run { class: *class, count: *count }).collect();
        left.sort_unstable_by_key(|run| run.class);
        let (tables, state) = self.parts_mut();
        for bin in &share.bins {
            let mut node = match bin.aim {
                Aim::Node(node) => Some(node),
                Aim::New { .. } => None,
            };
            for (class, count) in &bin.pods {
                let Ok(at) = left.binary_search_by_key(class, |run| run.class) else { continue };
                let some = left[at].count.min(*count);
                left[at].count -= tables.put(state, (*class, some), &bin.aim, &mut node);
            }
        }
        self.place(left);
    }
}

impl Tables {
    /// Puts pods of a class where they should go; returns how many are there. `node` is the node once it is open.
    fn put(
        &self,
        state: &mut State,
        (id, count): (ClassId, u32),
        aim: &Aim,
        node: &mut Option<NodeId>,
    ) -> u32 {
        let (class, hot) = (self.class(id), &self.hot[id.index()]);
        if class.never.is_some() {
            return 0;
        }
        let mut done = 0;
        while done < count {
            let mut some = if hot.batch { count - done } else { 1 };
            let pods = |count: u32| Batch { class: id, original: id, count, counted: true };
            match (&aim, *node) {
                (Aim::Node(_), Some(node)) => {
                    if !self.fits(state, class, node) {
                        break;
                    }
                    if hot.batch {
                        some = Self::room(state, class, node, some).max(1);
                    }
                    state.place(self, pods(some), node);
                }
                (Aim::New { .. }, Some(node)) => {
                    let fits = |state: &State, some: u32| {
                        Self::has_room(state, class, node)
                            .then(|| self.fits_draft(state, class, node, some))
                            .flatten()
                    };
                    let mut found = fits(state, some);
                    if found.is_none() && some > 1 {
                        some = 1;
                        found = fits(state, some);
                    }
                    let Some(fitting) = found else { break };
                    state.fill(self, pods(some), node, fitting);
                }
                (Aim::New { pool, groups }, None) => {
                    some = 1;
                    *node = state.open_within(self, pods(some), PoolId::new(*pool), groups);
                    if node.is_none() {
                        break;
                    }
                }
                (Aim::Node(_), None) => break,
            }
            done += some;
        }
        done
    }

    /// An empty draft that can become only some of what its pool offers.
    pub(crate) fn draft_within(&self, pool: PoolId, groups: &[usize]) -> Draft {
        let mut draft = self.empty_draft(pool);
        let mut within: Words = Words::from_elem(0, draft.groups.len());
        for group in groups {
            if let Some(word) = within.get_mut(group / 64) {
                *word |= 1 << (group % 64);
            }
        }
        draft.groups.iter_mut().zip(&within).for_each(|(own, within)| *own &= within);
        draft
    }
}
