//! Fewer nodes instead of new ones: where some of the nodes that would go can hold the pods of the others, and that saves as
//! much, nothing is launched and the pods of those that stay are left alone.
//!
//! The relaxation does not care whether a node stays or one like it comes: both cost the same. The people whose pods move do.

use restow_model::Price;

use super::construct::{LEAST_GAIN, Maker, PLAIN, ROOMS};
use super::improve::{Outline, Step};
use super::pack::{Room, Way};
use crate::value;

impl Maker {
    /// Lets only some of these nodes go, without new ones, if that saves as much as all of them for new ones at a price.
    pub(super) fn delete_fewer(
        &mut self,
        outline: &mut Outline<'_, '_>,
        nodes: &[usize],
        price: Price,
    ) -> bool {
        let fleet = outline.board.fleet;
        let of = |nodes: &[usize]| nodes.iter().map(|at| fleet.nodes[*at].price()).sum::<Price>();
        let wanted = of(nodes) - price;
        let mut order = nodes.to_vec();
        let worth =
            |at: &usize| fleet.nodes[*at].price().dollars() / value::cost(fleet, &[*at]).max(1e-3);
        order.sort_by(|a, b| {
            let name = |at: &usize| fleet.nodes[*at].name;
            worth(b).total_cmp(&worth(a)).then_with(|| name(a).cmp(&name(b)))
        });
        let mut saved = Price::ZERO;
        let enough = order.iter().position(|at| {
            saved += fleet.nodes[*at].price();
            saved >= wanted
        });
        let Some(last) = enough else { return false };
        let (going, staying) = order.split_at(last + 1);
        if staying.is_empty() {
            return false;
        }
        let mut rooms: Vec<Room> = Vec::with_capacity(staying.len());
        for at in staying {
            let Some(id) = outline.board.id(*at) else { return false };
            rooms.push(self.room_on(outline, *at, id));
        }
        rooms.extend(self.rooms(outline, nodes, ROOMS));
        let seats = outline.seats(going, &[]);
        let mut needed = [0.0; 3];
        for seat in &seats {
            let Some(from) = outline.board.id(seat.from) else { return false };
            let kind = self.market.kind(&outline.board.cluster, seat.class, from);
            for (sum, own) in needed.iter_mut().zip(&self.market.kinds[kind].demand) {
                *sum += own;
            }
        }
        let lacks = |at: usize| rooms.iter().map(|room| room.free[at]).sum::<f64>() < needed[at];
        if (0..needed.len()).any(lacks) {
            return false;
        }
        let way = Way { most: 0, below: Price::ZERO, ..PLAIN };
        let Some((directions, _)) = self.direct(outline, seats, &rooms, way) else {
            return false;
        };
        let nodes = going.to_vec();
        let step = Step { nodes, shares: vec![directions], ..Step::default() };
        outline.take(step, LEAST_GAIN)
    }
}
