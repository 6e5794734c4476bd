//! A plan that gets better: the pods of some nodes, of those that are there and of those that the plan would launch, are
//! placed anew all together. What is cheaper stays.
//!
//! What counts is the bill and, for every node that goes, what its disruption must save. So a node goes only if it pays for
//! itself, whatever a move saves in sum. After every step all moves pass all gates: whenever the search is stopped, what it
//! has is a plan.

use restow_model::Price;
use restow_scheduling::{Bin, ClassId, Limits, NodeId, Share};
use rustc_hash::FxHashMap;

use super::coupling::{Ground, Group, Next, Placed, Seat, groups, keeps_headroom, pods};
use crate::assess::{New, judge};
use crate::board::Board;
use crate::moves::Move;
use crate::value;

/// Which nodes a step vacates, and what it may launch instead.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    /// Nodes that exist and have not been deleted.
    pub(super) nodes: Vec<usize>,
    /// Nodes that the plan would launch.
    pub(super) new: Vec<NodeId>,
    /// Nodes that stay, but from which pods go again that the plan put there.
    pub(super) hosts: Vec<NodeId>,
    /// New nodes at most.
    pub(super) new_nodes: usize,
    /// Each new node must be cheaper than this.
    pub(super) below: Option<Price>,
    /// Whether pods keep what they prefer.
    pub(super) likes: bool,
    /// All pods of these nodes with directions where to go; none if the engine chooses, which it cannot for pods of hosts.
    pub(super) shares: Vec<Directions>,
}

/// Pods that are placed together, and where they should go.
#[derive(Clone, Debug, Default)]
pub(super) struct Directions {
    pub(super) seats: Vec<Seat>,
    pub(super) bins: Vec<Bin>,
}

/// A plan that can still change.
pub(super) struct Outline<'b, 'f> {
    pub(super) board: &'b mut Board<'f>,
    /// Whether each node of the fleet goes.
    gone: Vec<bool>,
    /// Pods that came to a node.
    seats: FxHashMap<NodeId, Vec<Seat>>,
    /// Those of them that spread evenly over some domains.
    even: FxHashMap<NodeId, Vec<Seat>>,
    /// Where each pod that moves is now.
    place: Vec<Option<NodeId>>,
    /// Where the step that is tried would have it.
    placed: Placed,
    /// Whether a pool asks for room that stays free.
    roomy: bool,
    /// Nodes that would be launched, with their price.
    new: FxHashMap<NodeId, (New, Price)>,
}

/// Pods that wait for a place, by class; the last comes first.
#[derive(Debug, Default)]
struct Waiting {
    seats: Vec<Seat>,
    /// Each class with where its pods begin, and where those end that still wait.
    classes: Vec<(ClassId, usize, usize)>,
}

impl Waiting {
    fn new(mut seats: Vec<Seat>) -> Self {
        // Stable: of a class, those stay in order.
        seats.sort_by_key(|seat| seat.class);
        let mut classes = Vec::new();
        let mut first = 0;
        for same in seats.chunk_by(|a, b| a.class == b.class) {
            classes.push((same[0].class, first, first + same.len()));
            first += same.len();
        }
        Self { seats, classes }
    }

    /// How many there are of each class.
    fn counts(&self) -> Vec<(ClassId, u32)> {
        self.classes.iter().map(|(own, first, end)| (*own, (end - first) as u32)).collect()
    }

    fn pop(&mut self, class: ClassId) -> Option<Seat> {
        let at = self.classes.binary_search_by_key(&class, |(own, ..)| *own).ok()?;
        let (_, first, end) = &mut self.classes[at];
        if first == end {
            return None;
        }
        *end -= 1;
        Some(self.seats[*end])
    }
}

impl<'b, 'f> Outline<'b, 'f> {
    pub(super) fn new(board: &'b mut Board<'f>) -> Self {
        let (pods, pools) = (board.fleet.snapshot.pods.len(), &board.fleet.pools);
        Self {
            gone: vec![false; board.fleet.nodes.len()],
            board,
            seats: FxHashMap::default(),
            even: FxHashMap::default(),
            place: vec![None; pods],
            placed: Placed::default(),
            roomy: pools.iter().any(|pool| !pool.resolved.settings.headroom.is_off()),
            new: FxHashMap::default(),
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

    /// Whether a node is one that the plan would launch.
    pub(super) fn is_launched(&self, node: NodeId) -> bool {
        self.new.contains_key(&node)
    }

    /// The nodes that the plan would launch, those with the fewest pods first.
    pub(super) fn launched(&self) -> Vec<NodeId> {
        let mut found: Vec<NodeId> = self.new.keys().copied().collect();
        found.sort_unstable_by_key(|node| (self.seats.get(node).map_or(0, Vec::len), *node));
        found
    }

    fn next(&self) -> Next<'_> {
        Next {
            seats: &self.seats,
            place: &self.place,
            placed: &self.placed,
            on_new: FxHashMap::default(),
        }
    }

    /// The move that a node that goes is part of.
    pub(super) fn group(&self, node: usize) -> Group {
        let Board { fleet, cluster, ids, .. } = &*self.board;
        let ground = Ground { fleet, cluster, ids };
        groups(&ground, &self.next(), &[node]).and_then(|mut own| own.pop()).unwrap_or_default()
    }

    /// The pods that would have to be placed anew without some nodes.
    pub(super) fn seats(&self, nodes: &[usize], new: &[NodeId]) -> Vec<Seat> {
        let mut found = Vec::new();
        for node in nodes {
            let Some(id) = self.board.id(*node) else { continue };
            let own = self.board.cluster.movable(id);
            found.extend(own.map(|(pod, class)| Seat { pod, from: *node, class }));
            found.extend(self.seats.get(&id).into_iter().flatten());
        }
        found.extend(new.iter().filter_map(|id| self.seats.get(id)).flatten());
        found
    }

    /// Pods that the plan put on a node that stays, and that can go elsewhere just as well.
    pub(super) fn guests(&self, node: NodeId) -> impl Iterator<Item = Seat> {
        let own = self.seats.get(&node).into_iter().flatten();
        own.filter(|seat| self.board.cluster.can_leave(seat.class)).copied()
    }

    /// What the new nodes of a step may cost at most if it shall be better than what is.
    pub(super) fn allowance(&self, nodes: &[usize], new: &[NodeId], least_gain: Price) -> Price {
        let fleet = self.board.fleet;
        let before: Price = nodes.iter().map(|node| fleet.nodes[*node].price()).sum::<Price>()
            + new.iter().map(|id| self.price(*id)).sum();
        before - value::required(fleet, nodes) - least_gain
    }

    /// Takes a step if it makes the plan cheaper and every move that it touches still passes all gates.
    pub(super) fn take(&mut self, step: Step, least_gain: Price) -> bool {
        self.placed.begin();
        let taken = self.attempt(step, least_gain);
        // What was only tried is nowhere.
        self.placed.begin();
        taken
    }

    fn attempt(&mut self, mut step: Step, least_gain: Price) -> bool {
        let fleet = self.board.fleet;
        let most = self.allowance(&step.nodes, &step.new, least_gain);
        let mut ids: Vec<NodeId> = Vec::with_capacity(step.nodes.len() + step.new.len());
        for node in &step.nodes {
            let Some(id) = self.board.id(*node) else { return false };
            ids.push(id);
        }
        ids.extend(&step.new);
        if most < Price::ZERO {
            return false;
        }
        let directed = !step.shares.is_empty();
        let mut waiting: Vec<Waiting> = Vec::with_capacity(step.shares.len().max(1));
        let mut shares: Vec<Share> = Vec::with_capacity(step.shares.len());
        for own in step.shares.drain(..) {
            let own_waiting = Waiting::new(own.seats);
            shares.push(Share { pods: own_waiting.counts(), bins: own.bins });
            waiting.push(own_waiting);
        }
        if !directed {
            waiting.push(Waiting::new(self.seats(&step.nodes, &step.new)));
        }
        let count = waiting.iter().map(|own| own.seats.len()).sum();
        self.board.spend(count);
        let of_host = |host: NodeId| self.guests(host).map(move |seat| (host, seat.class));
        let leaving: Vec<(NodeId, ClassId)> =
            step.hosts.iter().copied().flat_map(of_host).collect();
        let Board { cluster, state, ids: numbers, likes, .. } = &mut *self.board;
        let ground = Ground { fleet, cluster, ids: numbers };
        let limits = Limits { new_nodes: step.new_nodes, below: step.below };
        let (trial, ends) = if directed {
            cluster.directed_trial(state, &ids, &leaving, &shares, limits)
        } else {
            (cluster.trial(state, &ids, limits), vec![usize::MAX])
        };
        if !trial.is_complete() || trial.added_price() > most {
            return false;
        }
        if step.likes && likes.any && !likes.may_be(trial.placements()) {
            return false;
        }
        let (existing, first) = (cluster.node_count(), trial.drafts_before());
        let mut on_new: FxHashMap<NodeId, Vec<Seat>> = FxHashMap::default();
        let mut arrivals: Vec<(Seat, NodeId)> = Vec::with_capacity(count);
        let mut share = 0;
        for (at, placed) in trial.placements().enumerate() {
            while at >= ends[share] {
                share += 1;
            }
            for _ in 0..placed.count {
                let Some(seat) = waiting[share].pop(placed.class) else { return false };
                let seat = Seat { class: placed.placed_as, ..seat };
                self.placed.set(seat.pod, placed.node);
                if placed.node.index() >= existing {
                    on_new.entry(placed.node).or_default().push(seat);
                }
                arrivals.push((seat, placed.node));
            }
        }
        let next = Next { seats: &self.seats, place: &self.place, placed: &self.placed, on_new };
        // Pods that the plan put somewhere before, and that this step left there, must be able to be there still.
        let stay = self.even.iter().filter(|(node, _)| !ids.contains(node));
        let stay = stay.flat_map(|(node, seats)| seats.iter().map(|seat| (*seat, *node)));
        let stay = stay.filter(|(seat, _)| next.placed.get(seat.pod).is_none());
        let even = |seat: Seat| cluster.keeps_even(seat.class);
        let uneven = |(seat, node): (Seat, NodeId)| even(seat) && !trial.is_even(seat.class, node);
        if arrivals.iter().copied().chain(stay).any(uneven) {
            return false;
        }
        let mut touched: Vec<usize> = step.nodes.clone();
        touched.extend(arrivals.iter().map(|(seat, _)| seat.from));
        touched.sort_unstable();
        touched.dedup();
        let Some(groups) = groups(&ground, &next, &touched) else { return false };
        let new: Vec<New> = trial.added().map(|at| New::of(&trial, at)).collect();
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
            // Which pod goes where is nobody's business yet, but for the room that has to stay.
            let pods = if self.roomy { pods(&ground, &next, group) } else { Vec::new() };
            let Ok(own) = judge(fleet, &group.sources, &nodes, pods, &[]) else { return false };
            // Sizes whose prices differ by a rounding error would be swapped for ever.
            if own.savings().nanos().saturating_mul(1000) < own.before.nanos() {
                return false;
            }
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
        trial.keep_step();
        for id in &ids {
            self.seats.remove(id);
            self.even.remove(id);
            self.new.remove(id);
        }
        for host in &step.hosts {
            for seats in [&mut self.seats, &mut self.even] {
                if let Some(own) = seats.get_mut(host) {
                    own.retain(|seat| self.placed.get(seat.pod).is_none());
                }
            }
        }
        for (seat, node) in arrivals {
            if even(seat) {
                self.even.entry(node).or_default().push(seat);
            }
            self.seats.entry(node).or_default().push(seat);
            if self.place.len() <= seat.pod {
                self.place.resize(seat.pod + 1, None);
            }
            self.place[seat.pod] = Some(node);
        }
        for node in &step.nodes {
            self.gone[*node] = true;
        }
        for (at, own) in new.into_iter().enumerate() {
            let id = NodeId((existing + first + at) as u32);
            self.new.insert(id, (own, Price::ZERO));
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
        let next = self.next();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_pods_of_a_class_that_wait_the_last_comes_first() {
        let seat = |pod: usize, class: u32| Seat { pod, from: 0, class: ClassId(class) };
        let mut waiting =
            Waiting::new(vec![seat(0, 5), seat(1, 2), seat(2, 5), seat(3, 9), seat(4, 5)]);
        assert_eq!(waiting.counts(), [(ClassId(2), 1), (ClassId(5), 3), (ClassId(9), 1)]);
        let mut pop = |class: u32| waiting.pop(ClassId(class)).map(|seat| seat.pod);
        assert_eq!(
            [pop(5), pop(5), pop(2), pop(5), pop(5)],
            [Some(4), Some(2), Some(1), Some(0), None]
        );
        assert_eq!([pop(2), pop(3), pop(9)], [None, None, Some(3)]);
    }
}
