//! A plan that gets better: the pods of some nodes, of those that are there and of those that the plan would launch, are
//! placed anew all together. What is cheaper stays.
//!
//! What counts is the bill and, for every node that goes, what its disruption must save. So a node goes only if it pays for
//! itself, whatever a move saves in sum. After every step all moves pass all gates: whenever the search is stopped, what it
//! has is a plan.

use restow_model::Price;
use restow_scheduling::{ClassId, Cluster, Limits, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::assess::{New, allowed_replacements, in_order, judge};
use crate::board::Board;
use crate::fleet::Fleet;
use crate::limits;
use crate::moves::{Move, PodMove, Target};
use crate::value;

/// A pod that has to move, and what it counts as where it goes.
#[derive(Clone, Copy, Debug)]
struct Seat {
    pod: usize,
    from: usize,
    class: ClassId,
}

/// Which nodes a step vacates, and what it may launch instead.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    /// Nodes that exist and have not been deleted.
    pub(super) nodes: Vec<usize>,
    /// Nodes that the plan would launch.
    pub(super) new: Vec<NodeId>,
    /// New nodes at most.
    pub(super) new_nodes: usize,
    /// Each new node must be cheaper than this.
    pub(super) below: Option<Price>,
}

/// A plan that can still change.
pub(super) struct Outline<'b, 'f> {
    pub(super) board: &'b mut Board<'f>,
    /// Whether each node of the fleet goes.
    gone: Vec<bool>,
    /// Pods that came to a node.
    seats: FxHashMap<NodeId, Vec<Seat>>,
    /// Where each pod that moves is now.
    place: FxHashMap<usize, NodeId>,
    /// Nodes that would be launched, with their price.
    new: FxHashMap<NodeId, (New, Price)>,
    /// The same in the order in which they came.
    pub(super) launched: Vec<NodeId>,
}

/// The plan as it would be after a step.
struct Next<'o> {
    seats: &'o FxHashMap<NodeId, Vec<Seat>>,
    place: &'o FxHashMap<usize, NodeId>,
    /// Pods that the step places.
    placed: FxHashMap<usize, NodeId>,
    /// Pods on nodes that the step would launch.
    on_new: FxHashMap<NodeId, Vec<Seat>>,
}

impl Next<'_> {
    fn place(&self, pod: usize) -> Option<NodeId> {
        self.placed.get(&pod).or_else(|| self.place.get(&pod)).copied()
    }

    fn seats(&self, node: NodeId) -> &[Seat] {
        let own = self.on_new.get(&node).or_else(|| self.seats.get(&node));
        own.map_or(&[][..], Vec::as_slice)
    }
}

/// Sources that share new nodes.
#[derive(Debug, Default)]
struct Group {
    sources: Vec<usize>,
    new: Vec<NodeId>,
}

impl<'b, 'f> Outline<'b, 'f> {
    pub(super) fn new(board: &'b mut Board<'f>) -> Self {
        Self {
            gone: vec![false; board.fleet.nodes.len()],
            board,
            seats: FxHashMap::default(),
            place: FxHashMap::default(),
            new: FxHashMap::default(),
            launched: Vec::new(),
        }
    }

    /// Whether a node goes.
    pub(super) fn is_gone(&self, node: usize) -> bool {
        self.gone[node]
    }

    /// What a node that would be launched costs.
    pub(super) fn price(&self, node: NodeId) -> Price {
        self.new.get(&node).map(|(_, price)| *price).unwrap_or_default()
    }

    /// The nodes that would be launched for the pods of a node that goes, with all that share them.
    pub(super) fn launched_for(&self, node: usize) -> Vec<NodeId> {
        let next = Next {
            seats: &self.seats,
            place: &self.place,
            placed: FxHashMap::default(),
            on_new: FxHashMap::default(),
        };
        let Board { fleet, cluster, ids, .. } = &*self.board;
        let ground = Ground { fleet, cluster, ids };
        let found = groups(&ground, &next, &[node]);
        found.and_then(|mut own| own.pop()).map(|own| own.new).unwrap_or_default()
    }

    /// What a step would launch would cost this, if it is possible at all.
    pub(super) fn ask(&mut self, step: &Step) -> Option<Price> {
        let mut ids: Vec<NodeId> =
            step.nodes.iter().map(|node| self.board.id(*node)).collect::<Option<_>>()?;
        ids.extend(&step.new);
        self.board.spend(ids.len() * 16);
        let Board { cluster, state, .. } = &mut *self.board;
        let limits = Limits { new_nodes: step.new_nodes, below: step.below };
        let trial = cluster.trial(state, &ids, limits);
        trial.is_complete().then(|| trial.added_price())
    }

    /// Takes a step if it makes the plan cheaper and every move that it touches still passes all gates.
    pub(super) fn take(&mut self, step: &Step, least_gain: Price) -> bool {
        let fleet = self.board.fleet;
        let mut waiting: FxHashMap<ClassId, Vec<Seat>> = FxHashMap::default();
        let mut ids: Vec<NodeId> = Vec::with_capacity(step.nodes.len() + step.new.len());
        let mut count = 0;
        let mut wait = |seat: Seat| {
            count += 1;
            waiting.entry(seat.class).or_default().push(seat);
        };
        for node in &step.nodes {
            let Some(id) = self.board.id(*node) else { return false };
            ids.push(id);
            for (pod, class) in self.board.cluster.movable(id) {
                wait(Seat { pod, from: *node, class });
            }
        }
        ids.extend(&step.new);
        for id in &ids {
            self.seats.get(id).into_iter().flatten().copied().for_each(&mut wait);
        }
        let before: Price = step.nodes.iter().map(|node| fleet.nodes[*node].price()).sum::<Price>()
            + step.new.iter().map(|id| self.price(*id)).sum();
        let most = before - value::required(fleet, &step.nodes) - least_gain;
        if most < Price::ZERO {
            return false;
        }
        self.board.spend(count);
        let Board { cluster, state, ids: numbers, .. } = &mut *self.board;
        let ground = Ground { fleet, cluster, ids: numbers };
        let limits = Limits { new_nodes: step.new_nodes, below: step.below };
        let trial = cluster.trial(state, &ids, limits);
        if !trial.is_complete() || trial.added_price() > most {
            return false;
        }
        let (existing, first) = (cluster.node_count(), trial.drafts_before());
        let new: Vec<New> = trial.added().map(|at| New::of(&trial, at)).collect();
        let mut next = Next {
            seats: &self.seats,
            place: &self.place,
            placed: FxHashMap::default(),
            on_new: FxHashMap::default(),
        };
        let mut arrivals: Vec<(Seat, NodeId)> = Vec::with_capacity(count);
        for placed in trial.placements() {
            for _ in 0..placed.count {
                let Some(seat) = waiting.get_mut(&placed.class).and_then(Vec::pop) else {
                    return false;
                };
                let seat = Seat { class: placed.placed_as, ..seat };
                next.placed.insert(seat.pod, placed.node);
                if placed.node.index() >= existing {
                    next.on_new.entry(placed.node).or_default().push(seat);
                }
                arrivals.push((seat, placed.node));
            }
        }
        let mut touched: Vec<usize> = step.nodes.clone();
        touched.extend(arrivals.iter().map(|(seat, _)| seat.from));
        touched.sort_unstable();
        touched.dedup();
        let Some(groups) = groups(&ground, &next, &touched) else { return false };
        let mut found: FxHashMap<NodeId, Price> = FxHashMap::default();
        let mut after = Price::ZERO;
        for group in &groups {
            let of_new = |id: &NodeId| -> Option<&New> {
                match id.index().checked_sub(existing + first) {
                    Some(at) => new.get(at),
                    None => self.new.get(id).map(|(new, _)| new),
                }
            };
            let nodes: Option<Vec<&New>> = group.new.iter().map(of_new).collect();
            let Some(nodes) = nodes else { return false };
            let pods = pods(&ground, &next, group);
            let Ok(own) = judge(fleet, &group.sources, &nodes, pods, &[]) else { return false };
            for (id, replacement) in group.new.iter().zip(&own.replacements) {
                found.insert(*id, replacement.price);
                if id.index() >= existing + first {
                    after += replacement.price;
                }
            }
        }
        if after > most
            || !keeps_headroom(
                &ground,
                &self.gone,
                &self.new,
                &groups,
                &next,
                (&new, existing + first),
            )
        {
            return false;
        }
        let placed = next.placed;
        trial.keep_step();
        for id in &ids {
            self.seats.remove(id);
            self.new.remove(id);
        }
        for (seat, node) in arrivals {
            self.seats.entry(node).or_default().push(seat);
        }
        self.place.extend(placed);
        for node in &step.nodes {
            self.gone[*node] = true;
        }
        self.launched.retain(|id| !step.new.contains(id));
        for (at, own) in new.into_iter().enumerate() {
            let id = NodeId((existing + first + at) as u32);
            self.new.insert(id, (own, Price::ZERO));
            self.launched.push(id);
        }
        for (id, price) in found {
            if let Some(own) = self.new.get_mut(&id) {
                own.1 = price;
            }
        }
        true
    }

    /// The moves of the plan.
    pub(super) fn into_moves(self) -> Vec<Move> {
        let fleet = self.board.fleet;
        let next = Next {
            seats: &self.seats,
            place: &self.place,
            placed: FxHashMap::default(),
            on_new: FxHashMap::default(),
        };
        let gone: Vec<usize> = (0..self.gone.len()).filter(|node| self.gone[*node]).collect();
        let ground = Ground { fleet, cluster: &self.board.cluster, ids: &self.board.ids };
        let groups = groups(&ground, &next, &gone).unwrap_or_default();
        let mut moves: Vec<Move> = groups
            .iter()
            .filter_map(|group| {
                let new: Option<Vec<&New>> =
                    group.new.iter().map(|id| self.new.get(id).map(|(new, _)| new)).collect();
                judge(fleet, &group.sources, &new?, pods(&ground, &next, group), &[]).ok()
            })
            .collect();
        let name = |own: &Move| own.sources.first().map(|at| fleet.nodes[*at].name);
        moves.sort_by(|a, b| b.worth().total_cmp(&a.worth()).then_with(|| name(a).cmp(&name(b))));
        moves
    }
}

/// The nodes, as gates and placements see them.
struct Ground<'g> {
    fleet: &'g Fleet<'g>,
    cluster: &'g Cluster,
    ids: &'g [Option<NodeId>],
}

impl Ground<'_> {
    fn id(&self, node: usize) -> Option<NodeId> {
        self.ids.get(node).copied().flatten()
    }
}

/// Whether the pools keep the room that they ask for, with all moves of the plan.
fn keeps_headroom(
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
fn groups(ground: &Ground<'_>, next: &Next<'_>, sources: &[usize]) -> Option<Vec<Group>> {
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
        if group.new.len() > most || limits::floor(fleet, &group.sources).is_err() {
            return None;
        }
        found.push(group);
    }
    Some(found)
}

/// Where the pods of a group go.
fn pods(ground: &Ground<'_>, next: &Next<'_>, group: &Group) -> Vec<PodMove> {
    let existing = ground.cluster.node_count();
    let mut moves = Vec::new();
    for from in &group.sources {
        let Some(id) = ground.id(*from) else { continue };
        for (pod, _) in ground.cluster.movable(id) {
            let Some(to) = next.place(pod).filter(|_| ground.fleet.pod(pod).is_bound()) else {
                continue;
            };
            let to = if to.index() < existing {
                Target::Node(ground.cluster.name(to))
            } else {
                Target::Replacement(group.new.binary_search(&to).unwrap_or_default())
            };
            moves.push(PodMove { pod, from: *from, to });
        }
    }
    in_order(ground.fleet, &mut moves);
    moves
}
