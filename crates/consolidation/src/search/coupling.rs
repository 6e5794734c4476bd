//! Which sources belong together: those whose pods share new nodes are one move, with all its gates and limits.

use restow_model::{Price, Str};
use restow_scheduling::{ClassId, Cluster, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::assess::{New, allowed_replacements, judge};
use crate::fleet::Fleet;
use crate::limits;
use crate::moves::{Move, PodMove, Target};

/// A pod that has to move, and what it counts as where it goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seat {
    pub(super) pod: usize,
    pub(super) from: usize,
    pub(super) class: ClassId,
}

/// Where a step places pods: forgotten with the next one, without being cleared.
#[derive(Debug, Default)]
pub(super) struct Placed {
    step: u32,
    /// By pod: the last step that placed it, and where.
    at: Vec<(u32, NodeId)>,
}

impl Placed {
    /// Forgets everything.
    pub(super) fn begin(&mut self) {
        if self.step == u32::MAX {
            self.at.clear();
            self.step = 0;
        }
        self.step += 1;
    }

    pub(super) fn set(&mut self, pod: usize, node: NodeId) {
        if self.at.len() <= pod {
            self.at.resize(pod + 1, (0, NodeId::default()));
        }
        self.at[pod] = (self.step, node);
    }

    pub(super) fn get(&self, pod: usize) -> Option<NodeId> {
        let (step, node) = *self.at.get(pod)?;
        (step == self.step && step > 0).then_some(node)
    }
}

/// The plan as it would be after a step.
pub(super) struct Next<'o> {
    pub(super) seats: &'o FxHashMap<NodeId, Vec<Seat>>,
    /// By pod: where it is in the plan.
    pub(super) place: &'o [Option<NodeId>],
    /// Pods that the step places.
    pub(super) placed: &'o Placed,
    /// Pods on nodes that the step would launch.
    pub(super) on_new: FxHashMap<NodeId, Vec<Seat>>,
}

impl Next<'_> {
    pub(super) fn place(&self, pod: usize) -> Option<NodeId> {
        self.placed.get(pod).or_else(|| self.place.get(pod).copied().flatten())
    }

    pub(super) fn seats(&self, node: NodeId) -> &[Seat] {
        let own = self.on_new.get(&node).or_else(|| self.seats.get(&node));
        own.map_or(&[][..], Vec::as_slice)
    }
}

/// Sources that share new nodes.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) sources: Vec<usize>,
    pub(super) new: Vec<NodeId>,
}

/// The nodes, as gates and placements see them.
pub(super) struct Ground<'g> {
    pub(super) fleet: &'g Fleet<'g>,
    pub(super) cluster: &'g Cluster,
    pub(super) ids: &'g [Option<NodeId>],
}

impl Ground<'_> {
    pub(super) fn id(&self, node: usize) -> Option<NodeId> {
        self.ids.get(node).copied().flatten()
    }
}

/// Whether the pools keep the room that they ask for, with all moves of the plan.
pub(super) fn keeps_headroom(
    ground: &Ground<'_>,
    gone: &[bool],
    known: &FxHashMap<NodeId, (New, Price)>,
    groups: &[Group],
    next: &Next<'_>,
    (new, first): (&[New], usize),
) -> bool {
    let fleet = ground.fleet;
    if fleet.pools.iter().all(|pool| pool.resolved.settings.headroom.is_off()) {
        return true;
    }
    let touched: FxHashSet<usize> =
        groups.iter().flat_map(|group| group.sources.iter().copied()).collect();
    let others: Vec<usize> =
        (0..gone.len()).filter(|node| gone[*node] && !touched.contains(node)).collect();
    let Some(rest) = self::groups(ground, next, &others) else { return false };
    let as_move = |group: &Group| {
        let of_new = |id: &NodeId| match id.index().checked_sub(first) {
            Some(at) => new.get(at),
            None => known.get(id).map(|(new, _)| new),
        };
        let nodes: Option<Vec<&New>> = group.new.iter().map(of_new).collect();
        judge(fleet, &group.sources, &nodes?, pods(ground, next, group), &[]).ok()
    };
    let all: Option<Vec<Move>> = groups.iter().chain(&rest).map(as_move).collect();
    let Some(mut all) = all else { return false };
    let Some(last) = all.pop() else { return true };
    limits::headroom(fleet, &last, &all).is_ok()
}

/// Which sources belong together because their pods share new nodes, as far as some sources are concerned; `None` if that
/// makes a move that is larger than allowed.
pub(super) fn groups(
    ground: &Ground<'_>,
    next: &Next<'_>,
    sources: &[usize],
) -> Option<Vec<Group>> {
    let (fleet, existing) = (ground.fleet, ground.cluster.node_count());
    let mut seen: FxHashSet<usize> = FxHashSet::default();
    let mut found = Vec::new();
    for start in sources {
        if !seen.insert(*start) {
            continue;
        }
        let mut group = Group { sources: vec![*start], new: Vec::new() };
        let mut at = 0;
        while at < group.sources.len() {
            let id = ground.id(group.sources[at])?;
            at += 1;
            for (pod, _) in ground.cluster.movable(id) {
                let Some(to) = next.place(pod) else { continue };
                if to.index() < existing || group.new.contains(&to) {
                    continue;
                }
                group.new.push(to);
                for seat in next.seats(to) {
                    if seen.insert(seat.from) {
                        group.sources.push(seat.from);
                    }
                }
            }
        }
        group.sources.sort_unstable_by_key(|node| fleet.nodes[*node].name);
        group.new.sort_unstable();
        let moves_pods = group.sources.iter().any(|node| !fleet.nodes[*node].is_empty());
        let most = allowed_replacements(fleet, &group.sources, moves_pods)?;
        if group.new.len() > most || limits::together(fleet, &group.sources).is_err() {
            return None;
        }
        found.push(group);
    }
    Some(found)
}

/// Where the pods of a group go.
pub(super) fn pods(ground: &Ground<'_>, next: &Next<'_>, group: &Group) -> Vec<PodMove> {
    let existing = ground.cluster.node_count();
    let mut moves = Vec::new();
    // As [`in_order`](crate::assess::in_order) has them: sources are in the order of their names, and the names of a source's
    // pods are looked up once.
    let mut of_source: Vec<(Str, Str, PodMove)> = Vec::new();
    for from in &group.sources {
        let Some(id) = ground.id(*from) else { continue };
        for (pod, _) in ground.cluster.movable(id) {
            let own = ground.fleet.pod(pod);
            let Some(to) = next.place(pod).filter(|_| own.is_bound()) else { continue };
            let to = if to.index() < existing {
                Target::Node(ground.cluster.name(to))
            } else {
                Target::Replacement(group.new.binary_search(&to).unwrap_or_default())
            };
            of_source.push((own.namespace, own.name, PodMove { pod, from: *from, to }));
        }
        of_source.sort_unstable_by_key(|(namespace, name, _)| (*namespace, *name));
        moves.extend(of_source.drain(..).map(|(.., own)| own));
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_step_placed_is_forgotten_with_the_next() {
        let mut placed = Placed::default();
        assert_eq!(placed.get(3), None);
        placed.begin();
        placed.set(3, NodeId(7));
        assert_eq!((placed.get(3), placed.get(2), placed.get(4)), (Some(NodeId(7)), None, None));
        placed.begin();
        assert_eq!(placed.get(3), None);
        placed.set(3, NodeId(1));
        assert_eq!(placed.get(3), Some(NodeId(1)));
        // Numbers of steps that are used up begin anew.
        placed.step = u32::MAX;
        placed.set(2, NodeId(5));
        placed.begin();
        assert_eq!((placed.get(2), placed.get(3)), (None, None));
    }
}
