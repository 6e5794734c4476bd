//! The short answer for one node: do its pods fit elsewhere, and for what price?
//!
//! It places pods as a trial does, and saves what nobody asks for: pods that no others count stay in the tallies, and the new
//! node is a sum as long as they are alone on it.

use smallvec::SmallVec;

use crate::cluster::Cluster;
use crate::ids::{ClassId, NodeId};
use crate::lone::NOT_LONE;
use crate::sketch::Sketch;
use crate::state::{Batch, Run, State};
use crate::tables::Tables;
use crate::trial::{Limits, Verdict};

impl Cluster {
    /// The short answer for one node, with nothing allocated once the state has been used for a while.
    pub fn probe(&self, state: &mut State, source: NodeId, limits: Limits) -> Verdict {
        let tables = &self.tables;
        let mark = state.mark();
        state.drafts.allow(limits.new_nodes, limits.below);
        let first = state.drafts.list.len();
        state.probing = true;
        state.close(tables, source);
        if tables.rehouse_roomily(state, source) {
            state.undo(tables, mark);
            state.probing = false;
            return Verdict::Fits;
        }
        let mut new = None;
        let missed = tables.rehouse(state, &mut new, source);
        let opened = first..state.drafts.list.len();
        let verdict = match (missed, new) {
            (Some(class), _) => Verdict::Misfit { class },
            (None, Some(only)) => Verdict::Replaced { nodes: 1, price: only.price(tables) },
            (None, None) if opened.is_empty() => Verdict::Fits,
            (None, None) => Verdict::Replaced {
                nodes: opened.len() as u32,
                price: opened.map(|at| state.draft_price(tables, at)).sum(),
            },
        };
        state.undo(tables, mark);
        state.probing = false;
        state.scarce = false;
        verdict
    }
}

impl Tables {
    /// Finds a place for every pod of a closed node on nodes with a lot of room, which is quick where there is a lot. If some
    /// pod has none there, all others leave their places again.
    fn rehouse_roomily(&self, state: &mut State, source: NodeId) -> bool {
        let mark = state.mark();
        state.roomy = true;
        let mut placed = true;
        for at in 0..state.runs[source.index()].len() {
            let run = state.runs[source.index()][at];
            let hot = &self.hot[run.class.index()];
            placed = if hot.easy {
                self.place_simple(state, run.class, run.count, |state, found, some| {
                    state.lodge(hot, found, some);
                }) == 0
            } else if hot.lone != NOT_LONE && run.count == 1 {
                let lone = &self.lones[hot.lone as usize];
                let found =
                    self.without(state, lone, source, |state| self.find_for_lone(state, run.class));
                found.inspect(|found| state.lodge(hot, *found, 1)).is_some()
            } else {
                self.class(run.class).never.is_none()
                    && self.place_on_nodes(state, run.class, run.class, run.count) == 0
            };
            if !placed {
                state.undo(self, mark);
                break;
            }
        }
        state.roomy = false;
        placed
    }

    /// Finds a place for every pod of a closed node, for those that waited for others in the end; returns the first class of
    /// which a pod has none.
    fn rehouse(
        &self,
        state: &mut State,
        new: &mut Option<Sketch>,
        source: NodeId,
    ) -> Option<ClassId> {
        let mut waiting: SmallVec<[Run; 8]> = SmallVec::new();
        for at in 0..state.runs[source.index()].len() {
            let run = state.runs[source.index()][at];
            let hot = &self.hot[run.class.index()];
            let missed = if hot.easy {
                let left = self.place_simple(state, run.class, run.count, |state, found, some| {
                    state.lodge(hot, found, some);
                });
                self.place_new(state, new, Run { count: left, ..run })
            } else if hot.lone != NOT_LONE && run.count == 1 {
                let lone = &self.lones[hot.lone as usize];
                self.without(state, lone, source, |state| {
                    match self.find_for_lone(state, run.class) {
                        Some(found) => {
                            state.lodge(hot, found, 1);
                            None
                        }
                        None => self.place_new(state, new, run),
                    }
                })
            } else {
                let count = self.place_seen(state, new, run);
                if count > 0 && !self.class(run.class).monotone {
                    waiting.push(Run { count, ..run });
                    continue;
                }
                (count > 0).then_some(run.class)
            };
            if missed.is_some() {
                return missed;
            }
        }
        self.place_waiting(state, new, &mut waiting);
        waiting.first().map(|run| run.class)
    }

    /// Places pods that may come to somewhere when others have, again until nothing changes.
    fn place_waiting(
        &self,
        state: &mut State,
        new: &mut Option<Sketch>,
        waiting: &mut SmallVec<[Run; 8]>,
    ) {
        while !waiting.is_empty() {
            let mut placed = false;
            for run in waiting.iter_mut() {
                let left = self.place_seen(state, new, *run);
                placed |= left < run.count;
                run.count = left;
            }
            waiting.retain(|run| run.count > 0);
            if !placed {
                return;
            }
        }
    }

    /// Places pods that no others count, and for which there is no room on nodes that exist, on a new node. Returns their
    /// class if one has no place.
    fn place_new(&self, state: &mut State, new: &mut Option<Sketch>, run: Run) -> Option<ClassId> {
        let hot = &self.hot[run.class.index()];
        let lone = self.lones.get(hot.lone as usize);
        let mut left = run.count;
        if lone.is_none_or(|lone| lone.direct) {
            if new.is_none() && left > 0 {
                if let Some(node) = self.only_new(state) {
                    *new = Some(Sketch::over(self, state, node));
                } else if state.drafts.list.is_empty() {
                    *new = self.sketch(state, hot, lone);
                    state.scarce = true;
                    if new.is_none() {
                        return Some(run.class);
                    }
                    left -= 1;
                }
            }
            if left == 0 {
                return None;
            }
            if let Some(sketch) = new {
                if self.join(state, sketch, hot, lone, left) {
                    return None;
                }
                if state.drafts.first == 0 && state.drafts.most <= 1 {
                    return Some(run.class);
                }
            }
        }
        self.show(state, new);
        if lone.is_some() {
            self.place_drafted(state, run.class)
        } else {
            (self.place_run(state, run.class, left) > 0).then_some(run.class)
        }
    }

    /// Places one pod that no others count on a draft; returns its class if there is none for it.
    fn place_drafted(&self, state: &mut State, id: ClassId) -> Option<ClassId> {
        let pod = Batch { class: id, original: id, count: 1, counted: false };
        let found = self.find_draft(state, self.class(id), &self.hot[id.index()], 1);
        if let Some((node, fitting)) = found {
            state.fill(self, pod, node, fitting);
            return None;
        }
        if state.open(self, pod).is_some() { None } else { Some(id) }
    }

    /// Places pods that others count as a trial does; returns how many found no place.
    fn place_seen(&self, state: &mut State, new: &mut Option<Sketch>, run: Run) -> u32 {
        let class = self.class(run.class);
        let mut left = run.count;
        if new.is_some() && class.never.is_none() && class.relaxed.is_none() {
            left = self.place_on_nodes(state, run.class, run.class, left);
            if left == 0 {
                return 0;
            }
        }
        self.show(state, new);
        self.place_run(state, run.class, left)
    }

    /// The new node, if the probe opened exactly one: pods that need one ask it first.
    fn only_new(&self, state: &State) -> Option<NodeId> {
        let drafts = &state.drafts;
        let one = drafts.list.len() == drafts.first + 1;
        one.then(|| NodeId::new(self.nodes.len() + drafts.first))
    }

    /// Lets pods see the new node that look at more than its price.
    fn show(&self, state: &mut State, new: &mut Option<Sketch>) {
        if let Some(sketch) = new.take() {
            self.write_down(state, sketch);
        }
    }
}
