//! Steps that change a plan: a move is packed anew in another way, gets a node more, or gives nodes to another move.

use restow_scheduling::NodeId;

use super::construct::{LEAST_GAIN, Maker, PLAIN, ROOMS};
use super::coupling::Seat;
use super::improve::{Outline, Step};
use super::pack::{Room, Way};

/// Nodes with room that a small step looks at.
const FEW_ROOMS: usize = 16;

/// Moves exchange fewer sources than this, each way.
const MORE: usize = 6;

/// Numbers in an order that looks like none, the same in every run.
pub(super) struct Shuffle(pub(super) u64);

impl Shuffle {
    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, end: usize) -> usize {
        let next = self.next();
        if end == 0 { 0 } else { (next % end as u64) as usize }
    }

    /// A way to pack.
    pub(super) fn way(&mut self) -> Way {
        let tilt = [0.6, 0.8, 1.0, 1.25, 1.6][self.below(5)];
        let skip = if self.below(3) == 0 { 0 } else { self.next() | 1 };
        Way { tries: 1 + self.below(3), tilt, at_once: 1, skip, ..PLAIN }
    }
}

/// Sources of a step, by the move that they will be part of.
fn divided(seats: Vec<Seat>, second: &[usize]) -> [Vec<Seat>; 2] {
    let (second, first) = seats.into_iter().partition(|seat| second.contains(&seat.from));
    [first, second]
}

impl Maker {
    /// What the new nodes of the move that a node is part of cost more than their pods are worth; nothing for a node that stays.
    pub(super) fn waste_of_move(&mut self, outline: &mut Outline<'_, '_>, node: usize) -> f64 {
        if !outline.is_gone(node) {
            return 0.0;
        }
        let group = outline.group(node);
        outline.board.effort += 1 + group.sources.len() as u64 / 8;
        group.new.iter().map(|new| self.waste(outline, *new)).sum()
    }

    /// What a new node costs more than its pods are worth. It takes no other pods while it is there.
    fn waste(&mut self, outline: &Outline<'_, '_>, node: NodeId) -> f64 {
        if let Some(known) = self.wastes.get(&node) {
            return *known;
        }
        let mut value = 0.0;
        for seat in outline.seats(&[], &[node]) {
            if let Some(from) = outline.board.id(seat.from) {
                let kind = self.market.kind(&outline.board.cluster, seat.class, from);
                value += self.market.kinds[kind].value;
            }
        }
        let waste = outline.price(node).nanos() as f64 - value;
        self.wastes.insert(node, waste);
        waste
    }

    /// Packs the pods of some new nodes of a move anew, with those of some more nodes.
    pub(super) fn repack_some(
        &mut self,
        outline: &mut Outline<'_, '_>,
        pivot: usize,
        more: &[usize],
        shuffle: &mut Shuffle,
    ) -> bool {
        let mut group = outline.group(pivot);
        let (mut new, wanted) = (group.new, 2 + shuffle.below(3) - more.len().min(1));
        let all = new.len();
        if new.is_empty() {
            return false;
        }
        // The one that wastes most of three, and any others.
        let mut first: Option<(f64, usize)> = None;
        for _ in 0..=shuffle.below(3) {
            let at = shuffle.below(new.len());
            let waste = self.waste(outline, new[at]);
            if first.is_none_or(|(most, _)| waste > most) {
                first = Some((waste, at));
            }
        }
        new.swap(0, first.map_or(0, |(_, at)| at));
        while new.len() > wanted {
            let at = 1 + shuffle.below(new.len() - 1);
            new.swap_remove(at);
        }
        let way = shuffle.way();
        group.sources.extend_from_slice(more);
        let most = Self::most(outline, &group.sources).min(way.most);
        let most = (most + new.len()).saturating_sub(all);
        let seats = outline.seats(more, &new);
        let rooms = if more.is_empty() { Vec::new() } else { self.rooms(outline, more, FEW_ROOMS) };
        let way = Way { most, below: outline.allowance(more, &new, LEAST_GAIN), ..way };
        let Some((directions, _)) = self.direct(outline, seats, &rooms, way) else {
            return false;
        };
        let step = Step {
            nodes: more.to_vec(),
            new,
            new_nodes: most,
            shares: vec![directions],
            ..Step::default()
        };
        outline.take(step, LEAST_GAIN)
    }

    /// Packs the pods of a move anew, with those of some more nodes.
    pub(super) fn repack(
        &mut self,
        outline: &mut Outline<'_, '_>,
        pivot: usize,
        more: &[usize],
        way: Way,
    ) -> bool {
        let group = outline.group(pivot);
        let mut sources = group.sources;
        sources.extend_from_slice(more);
        let most = Self::most(outline, &sources).min(way.most);
        let seats = outline.seats(more, &group.new);
        let rooms = if more.is_empty() { Vec::new() } else { self.rooms(outline, more, ROOMS) };
        let way = Way { most, below: outline.allowance(more, &group.new, LEAST_GAIN), ..way };
        let Some((directions, _)) = self.direct(outline, seats, &rooms, way) else {
            return false;
        };
        let step = Step {
            nodes: more.to_vec(),
            new: group.new,
            new_nodes: most,
            shares: vec![directions],
            ..Step::default()
        };
        outline.take(step, LEAST_GAIN)
    }

    /// Lets a node go, one that exists or a new one, and packs its pods anew with those that the plan put on nodes that stay.
    pub(super) fn reseat(
        &mut self,
        outline: &mut Outline<'_, '_>,
        nodes: &[usize],
        new: &[NodeId],
        shuffle: &mut Shuffle,
    ) -> bool {
        let mut hosts: Vec<Room> = Vec::new();
        let mut seats = outline.seats(nodes, new);
        for _ in 0..4 + shuffle.below(29) {
            let Some((at, id)) = self.room(shuffle) else { return false };
            let known = hosts.iter().any(|own| own.node == id);
            if outline.is_gone(at) || nodes.contains(&at) || known {
                continue;
            }
            let mut room = self.room_on(outline, at, id);
            let first = seats.len();
            seats.extend(outline.guests(id));
            if seats.len() == first && shuffle.below(3) > 0 {
                continue;
            }
            for seat in &seats[first..] {
                let demand = outline.board.cluster.demand(seat.class);
                room.free.iter_mut().zip(demand).for_each(|(free, own)| *free += own as f64);
            }
            hosts.push(room);
        }
        let way = shuffle.way();
        let most = if nodes.is_empty() { new.len() } else { Self::most(outline, nodes) };
        let most = most.min(way.most);
        let below = outline.allowance(nodes, new, LEAST_GAIN);
        let Some((directions, _)) = self.direct(outline, seats, &hosts, Way { most, below, ..way })
        else {
            return false;
        };
        let step = Step {
            nodes: nodes.to_vec(),
            new: new.to_vec(),
            hosts: hosts.iter().map(|room| room.node).collect(),
            new_nodes: most,
            shares: vec![directions],
            ..Step::default()
        };
        outline.take(step, LEAST_GAIN)
    }

    /// Lets two moves exchange some sources, and packs both anew.
    pub(super) fn exchange(
        &mut self,
        outline: &mut Outline<'_, '_>,
        pivots: [usize; 2],
        shuffle: &mut Shuffle,
    ) -> bool {
        let [first, second] = pivots.map(|pivot| outline.group(pivot));
        if first.sources.iter().any(|at| second.sources.contains(at)) {
            return false;
        }
        let mut sides = [first.sources, second.sources];
        let part = |nodes: &[usize]| nodes.iter().map(|at| self.parts[*at]).sum::<f64>();
        let (mut gives, takes) = (shuffle.below(MORE), shuffle.below(MORE));
        let most = Self::most(outline, &sides[0]).min(PLAIN.most) as f64;
        if part(&sides[0]) + part(&sides[1]) < most - 0.5 && shuffle.below(2) == 0 {
            gives = sides[0].len();
        }
        for (from, count) in [(1, takes), (0, gives)] {
            for _ in 0..count {
                if !sides[from].is_empty() {
                    let at = shuffle.below(sides[from].len());
                    let node = sides[from].swap_remove(at);
                    sides[1 - from].push(node);
                }
            }
        }
        let mut new = first.new;
        new.extend(second.new);
        let allowance = outline.allowance(&[], &new, LEAST_GAIN);
        let mut step = Step { new, ..Step::default() };
        let mut sum = restow_model::Price::ZERO;
        let halves = divided(outline.seats(&[], &step.new), &sides[1]);
        let way = shuffle.way();
        for (seats, sources) in halves.into_iter().zip(&sides) {
            if seats.is_empty() {
                continue;
            }
            let most = Self::most(outline, sources).min(way.most);
            let way = Way { most, below: allowance - sum, ..way };
            let Some((directions, price)) = self.direct(outline, seats, &[], way) else {
                return false;
            };
            sum += price;
            step.new_nodes += most;
            step.shares.push(directions);
        }
        outline.take(step, LEAST_GAIN)
    }
}
