//! The first plan: nodes that the relaxation would not keep go, some at a time, so many that their pods fill as many new
//! nodes as one move may launch.

use restow_bounds::Bound;
use restow_model::Price;
use restow_scheduling::NodeId;
use rustc_hash::FxHashMap;

use super::coupling::Seat;
use super::improve::{Directions, Outline, Step};
use super::market::Market;
use super::pack::{Item, Room, Way, pack};
use crate::assess::allowed_replacements;

/// Steps must gain more than this, so that a search ends.
pub(super) const LEAST_GAIN: Price = Price::from_nanos(1000);

/// Nodes with room that the pods of one step are offered, at most.
const ROOMS: usize = 64;

/// How many looks at a pod while packing are one unit of effort.
const LOOKS: u64 = 256;

/// The plain way to pack.
pub(super) const PLAIN: Way = Way { most: 8, tries: 3, tilt: 1.0, at_once: 4, skip: 0 };

/// Everything that steps are made with.
pub(super) struct Maker {
    pub(super) market: Market,
    /// Nodes that the relaxation keeps, those with the most valuable room first.
    rooms: Vec<(usize, NodeId)>,
    /// By node: how many of the largest good new nodes its pods fill.
    pub(super) parts: Vec<f64>,
    /// By node: its group.
    pub(super) home: Vec<usize>,
    /// Whether the relaxation would let a node go.
    pub(super) doomed: Vec<bool>,
}

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
        let mut rooms: Vec<(f64, usize, NodeId)> = Vec::new();
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
                    rooms.push((market.worth(home[at], &free), at, id));
                }
            }
        }
        rooms.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let rooms = rooms.into_iter().map(|(_, at, id)| (at, id)).collect();
        Self { market, rooms, parts, home, doomed }
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
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let mut items: Vec<Item> = Vec::new();
        for seat in &seats {
            let Some(from) = board.id(seat.from) else { continue };
            let kind = self.market.kind(&board.cluster, seat.class, from);
            let at = *numbers.entry(kind).or_insert_with(|| {
                items.push(Item { kind, count: 0 });
                items.len() - 1
            });
            items[at].count += 1;
        }
        let found = pack(&self.market, &items, rooms, way);
        board.spend((found.work / LOOKS) as usize);
        (found.left == 0).then_some((Directions { seats, bins: found.bins }, found.price))
    }

    /// Nodes with room that stay.
    pub(super) fn rooms(&self, outline: &Outline<'_, '_>, without: &[usize]) -> Vec<Room> {
        let board = &*outline.board;
        let mut found = Vec::new();
        for (at, id) in &self.rooms {
            if outline.is_gone(*at) || without.contains(at) {
                continue;
            }
            let free = board.cluster.free(&board.state, *id).map(|amount| amount as f64);
            if free[2] > 0.0 && (free[0] > 0.0 || free[1] > 0.0) {
                found.push(Room { node: *id, group: self.home[*at], free });
                if found.len() >= ROOMS {
                    break;
                }
            }
        }
        found
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
        let rooms = self.rooms(outline, nodes);
        let Some((directions, price)) = self.direct(outline, seats, &rooms, Way { most, ..way })
        else {
            return false;
        };
        if price > outline.allowance(nodes, &[], LEAST_GAIN) {
            return false;
        }
        let step = Step {
            nodes: nodes.to_vec(),
            new_nodes: most,
            shares: vec![directions],
            ..Step::default()
        };
        outline.take(&step, LEAST_GAIN)
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
            let room = tight * (most as f64 - 0.5).max(0.5);
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
