//! The first plan: nodes that the relaxation would not keep go, some at a time, so many that their pods fill as many new
//! nodes as one move may launch.

use restow_bounds::Bound;
use restow_model::Price;
use restow_scheduling::NodeId;
use rustc_hash::FxHashMap;

use super::coupling::Seat;
use super::exchange::Shuffle;
use super::improve::{Directions, Outline, Step};
use super::market::Market;
use super::pack::{Item, Room, UNIT, Way, pack};
use crate::assess::allowed_replacements;

/// Steps must gain more than this, so that a search ends.
pub(super) const LEAST_GAIN: Price = Price::from_nanos(1000);

/// Nodes with room that the pods of one step are offered, at most.
pub(super) const ROOMS: usize = 64;

/// How many pods that are packed are one unit of effort, besides the packing itself.
const SEATS: usize = 64;

/// New nodes of one step, at most, whatever the pools allow: packing more at once takes long and gains nothing.
pub(super) const NEW_NODES: usize = 64;

/// The plain way to pack.
pub(super) const PLAIN: Way = Way {
    most: NEW_NODES,
    tries: 1,
    tilt: 1.0,
    at_once: 8,
    skip: 0,
    below: Price::from_nanos(i64::MAX),
};

/// Everything that steps are made with.
pub(super) struct Maker {
    pub(super) market: Market,
    /// Nodes that the relaxation keeps and that have room.
    rooms: Vec<(usize, NodeId)>,
    /// By node: how many of the largest good new nodes its pods fill.
    pub(super) parts: Vec<f64>,
    /// By node: its group.
    pub(super) home: Vec<usize>,
    /// Whether the relaxation would let a node go.
    pub(super) doomed: Vec<bool>,
    /// What new nodes cost more than their pods are worth, as far as that was asked.
    pub(super) wastes: FxHashMap<NodeId, f64>,
    /// By kind: its place among the items of a step.
    places: Vec<usize>,
}

const NOWHERE: usize = usize::MAX;

impl Maker {
    pub(super) fn new(
        outline: &Outline<'_, '_>,
        bound: Option<&Bound>,
        candidates: &[usize],
    ) -> Self {
        let board = &*outline.board;
        let (cluster, fleet) = (&board.cluster, board.fleet);
        let mut market = Market::new(cluster, bound);
        let mut parts = vec![0.0; fleet.nodes.len()];
        let mut home = vec![usize::MAX; fleet.nodes.len()];
        let mut doomed = vec![false; fleet.nodes.len()];
        let mut keep = bound.map(|own| own.keep.iter());
        let mut may_go = vec![false; fleet.nodes.len()];
        for at in candidates {
            may_go[*at] = true;
        }
        let mut rooms: Vec<(usize, NodeId)> = Vec::new();
        for at in 0..fleet.nodes.len() {
            let Some(id) = board.id(at) else { continue };
            let kept = keep.as_mut().map_or(0.0, |own| own.next().copied().unwrap_or_default());
            home[at] = cluster.group_of(id).unwrap_or(usize::MAX);
            doomed[at] = may_go[at] && kept < 0.5;
            if may_go[at] {
                parts[at] = cluster
                    .runs(id)
                    .map(|(class, count)| {
                        let kind = market.kind(cluster, class, id);
                        market.kinds[kind].part * f64::from(count)
                    })
                    .sum();
            }
            if !doomed[at] {
                let free = cluster.free(&board.state, id).map(|amount| amount as f64);
                if free[2] > 0.0 {
                    rooms.push((at, id));
                }
            }
        }
        let wastes = FxHashMap::default();
        Self { market, rooms, parts, home, doomed, wastes, places: Vec::new() }
    }

    /// How many new nodes a move of these sources may have.
    pub(super) fn most(outline: &Outline<'_, '_>, sources: &[usize]) -> usize {
        allowed_replacements(outline.board.fleet, sources, true).unwrap_or_default()
    }

    /// Says where pods should go; `None` if that costs more than allowed. Returns also what it would cost.
    pub(super) fn direct(
        &mut self,
        outline: &mut Outline<'_, '_>,
        seats: Vec<Seat>,
        rooms: &[Room],
        way: Way,
    ) -> Option<(Directions, Price)> {
        let board = &mut *outline.board;
        let mut items: Vec<Item> = Vec::with_capacity(seats.len());
        for seat in &seats {
            let Some(from) = board.id(seat.from) else { continue };
            let kind = self.market.kind(&board.cluster, seat.class, from);
            if self.places.len() <= kind {
                self.places.resize(kind + 1, NOWHERE);
            }
            if self.places[kind] == NOWHERE {
                self.places[kind] = items.len();
                items.push(Item { kind, count: 0 });
            }
            items[self.places[kind]].count += 1;
        }
        for item in &items {
            self.places[item.kind] = NOWHERE;
        }
        let found = pack(&self.market, &items, rooms, way);
        board.spend((found.work / UNIT) as usize + seats.len() / SEATS);
        (found.left == 0 && found.price <= way.below)
            .then_some((Directions { seats, bins: found.bins }, found.price))
    }

    /// The room on a node that stays.
    pub(super) fn room_on(&self, outline: &Outline<'_, '_>, at: usize, node: NodeId) -> Room {
        let board = &*outline.board;
        let free = board.cluster.free(&board.state, node).map(|amount| amount as f64);
        Room { node, group: self.home[at], free }
    }

    /// Whether the relaxation keeps nodes that had room in the beginning.
    pub(super) const fn has_hosts(&self) -> bool {
        !self.rooms.is_empty()
    }

    /// Any of these nodes.
    pub(super) fn room(&self, shuffle: &mut Shuffle) -> Option<(usize, NodeId)> {
        self.rooms.get(shuffle.below(self.rooms.len())).copied()
    }

    /// Nodes with room that stay: those whose room is worth most.
    pub(super) fn rooms(
        &self,
        outline: &Outline<'_, '_>,
        without: &[usize],
        most: usize,
    ) -> Vec<Room> {
        let mut found: Vec<(f64, Room)> = Vec::new();
        for (at, id) in &self.rooms {
            if outline.is_gone(*at) || without.contains(at) {
                continue;
            }
            let room = self.room_on(outline, *at, *id);
            let worth = self.market.room(room.group, &room.free);
            if worth > 0.0 {
                found.push((worth, room));
            }
        }
        let better =
            |a: &(f64, Room), b: &(f64, Room)| b.0.total_cmp(&a.0).then(a.1.node.cmp(&b.1.node));
        if found.len() > most {
            found.select_nth_unstable_by(most, better);
            found.truncate(most);
        }
        found.sort_unstable_by(better);
        found.into_iter().map(|(_, room)| room).collect()
    }

    /// Lets some nodes go, if that is better.
    pub(super) fn delete(
        &mut self,
        outline: &mut Outline<'_, '_>,
        nodes: &[usize],
        way: Way,
    ) -> bool {
        let most = Self::most(outline, nodes).min(way.most);
        let seats = outline.seats(nodes, &[]);
        let rooms = self.rooms(outline, nodes, ROOMS);
        let below = outline.allowance(nodes, &[], LEAST_GAIN);
        let way = Way { most, below, ..way };
        let Some((directions, price)) = self.direct(outline, seats, &rooms, way) else {
            return false;
        };
        if price > Price::ZERO && self.delete_fewer(outline, nodes, price) {
            return true;
        }
        let step = Step {
            nodes: nodes.to_vec(),
            new_nodes: most,
            shares: vec![directions],
            ..Step::default()
        };
        outline.take(step, LEAST_GAIN)
    }

    /// Lets all nodes go that the relaxation would not keep.
    pub(super) fn construct(
        &mut self,
        outline: &mut Outline<'_, '_>,
        candidates: &[usize],
        effort: u64,
        stop: &mut dyn FnMut() -> bool,
    ) {
        let mut going: Vec<usize> =
            candidates.iter().copied().filter(|at| self.doomed[*at]).collect();
        going.sort_by_key(|at| (self.home[*at], *at));
        let (mut first, mut tight) = (0, 1.0);
        while first < going.len() && outline.board.effort < effort && !stop() {
            let most = Self::most(outline, &going[first..=first]).min(PLAIN.most);
            let room = tight * (most as f64 * 0.7).max(0.5);
            let (mut end, mut sum) = (first + 1, self.parts[going[first]]);
            while end < going.len() && self.home[going[end]] == self.home[going[first]] {
                sum += self.parts[going[end]];
                if sum > room {
                    break;
                }
                end += 1;
            }
            if self.delete(outline, &going[first..end], PLAIN) || end == first + 1 {
                (first, tight) = (end, (tight * 1.04).min(1.0));
            } else {
                // With fewer nodes it may be possible.
                tight = (tight * 0.88).min(0.88 * tight * sum / room);
            }
        }
    }
}
