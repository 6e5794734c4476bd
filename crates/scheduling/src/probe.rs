//! The short answer for one node: do its pods fit elsewhere, and for what price?
//!
//! It places pods as a trial does, and saves what nobody asks for: pods that no others count stay in the tallies, and pods that
//! need the new node for its room only come to it all at once.

use crate::cluster::Cluster;
use crate::ids::{ClassId, NodeId};
use crate::lone::NOT_LONE;
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
        let missed = tables.rehouse(state, source);
        let opened = first..state.drafts.list.len();
        let verdict = match missed {
            Some(class) => Verdict::Misfit { class },
            None if opened.is_empty() => Verdict::Fits,
            None => Verdict::Replaced {
                nodes: opened.len() as u32,
                price: opened.map(|at| state.draft_price(tables, at)).sum(),
            },
        };
        state.undo(tables, mark);
        state.probing = false;
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
                let found = self.find_for_lone(state, run.class);
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

    /// Finds a place for every pod of a closed node; returns the first class of which a pod has none.
    fn rehouse(&self, state: &mut State, source: NodeId) -> Option<ClassId> {
        state.waiting.clear();
        for at in 0..state.runs[source.index()].len() {
            let run = state.runs[source.index()][at];
            let hot = &self.hot[run.class.index()];
            let missed = if hot.easy {
                self.place_easy(state, run)
            } else if hot.lone != NOT_LONE && run.count == 1 {
                self.place_lone(state, run.class)
            } else {
                self.place_waiting(state, false).or_else(|| self.place_all(state, run))
            };
            if missed.is_some() {
                return missed;
            }
        }
        self.place_waiting(state, true)
    }

    /// Places pods as a trial does; returns their class if one has no place.
    fn place_all(&self, state: &mut State, run: Run) -> Option<ClassId> {
        (self.place_run(state, run.class, run.count) > 0).then_some(run.class)
    }

    /// Places pods for which only room matters; returns the class of a pod that has no place.
    fn place_easy(&self, state: &mut State, run: Run) -> Option<ClassId> {
        let hot = &self.hot[run.class.index()];
        let left = self.place_simple(state, run.class, run.count, |state, found, some| {
            state.lodge(hot, found, some);
        });
        if left == 0 {
            return None;
        }
        state.waiting.push(Run { class: run.class, count: left });
        // The first one says early whether there is a new node at all; with several, they choose one after the other.
        if self.only_new(state).is_some() { None } else { self.place_waiting(state, false) }
    }

    /// Places one pod that no others count; returns the class of a pod that has no place.
    fn place_lone(&self, state: &mut State, id: ClassId) -> Option<ClassId> {
        let hot = &self.hot[id.index()];
        if let Some(found) = self.find_for_lone(state, id) {
            state.lodge(hot, found, 1);
            return None;
        }
        let lone = &self.lones[hot.lone as usize];
        if self.only_new(state).is_some_and(|node| self.can_wait(state, lone, node)) {
            state.waiting.push(Run { class: id, count: 1 });
            return None;
        }
        self.place_waiting(state, false).or_else(|| self.place_new(state, id))
    }

    /// The new node, if the probe opened exactly one: pods that need one ask it first.
    fn only_new(&self, state: &State) -> Option<NodeId> {
        let drafts = &state.drafts;
        let one = drafts.list.len() == drafts.first + 1;
        one.then(|| NodeId::new(self.nodes.len() + drafts.first))
    }

    /// Places one pod on a new node; returns its class if there is none for it.
    fn place_new(&self, state: &mut State, id: ClassId) -> Option<ClassId> {
        let pod = Batch { class: id, original: id, count: 1, counted: false };
        let found = self.find_draft(state, self.class(id), &self.hot[id.index()], 1);
        if let Some((node, fitting)) = found {
            state.fill(self, pod, node, fitting);
            return None;
        }
        if state.open(self, pod).is_some() { None } else { Some(id) }
    }

    /// Places the pods that wait: all on the one new node if it takes them, else one after the other. Returns the first class of
    /// which a pod has no place. The last time, only the price is of interest.
    fn place_waiting(&self, state: &mut State, last: bool) -> Option<ClassId> {
        if state.waiting.is_empty() {
            return None;
        }
        let waiting = std::mem::take(&mut state.waiting);
        let missed = match self.place_together(state, &waiting, last) {
            Together::Placed => None,
            Together::Missed(class) => Some(class),
            Together::Unclear => waiting.iter().find_map(|run| {
                if self.hot[run.class.index()].lone == NOT_LONE {
                    self.place_all(state, *run)
                } else {
                    self.place_new(state, run.class)
                }
            }),
        };
        state.waiting = waiting;
        state.waiting.clear();
        missed
    }

    /// Places all on the one new node, or says which class does not fit there if there cannot be another.
    fn place_together(&self, state: &mut State, runs: &[Run], last: bool) -> Together {
        let Some(node) = self.only_new(state) else { return Together::Unclear };
        let at = state.drafts.first;
        let Some(fitting) = self.fits_all(state, runs, node) else {
            if at > 0 || state.drafts.most > 1 {
                return Together::Unclear;
            }
            // The more there are, the less they fit.
            let (mut fit, mut too_many) = (0, runs.len());
            while fit + 1 < too_many {
                let middle = usize::midpoint(fit, too_many);
                match self.fits_all(state, &runs[..middle], node) {
                    Some(_) => fit = middle,
                    None => too_many = middle,
                }
            }
            return Together::Missed(runs[fit].class);
        };
        if last {
            state.reprice(self, at, fitting.option);
            return Together::Placed;
        }
        // What the draft had free is logged, so that the pods need not be.
        state.narrow(self, at, fitting);
        for run in runs {
            state.reserve(self, run.class, node, i64::from(run.count));
        }
        state.retouch(node);
        Together::Placed
    }
}

/// What came of placing pods on one new node.
enum Together {
    /// All are there.
    Placed,
    /// One of this class has no place.
    Missed(ClassId),
    /// They have to be looked at one after the other.
    Unclear,
}
