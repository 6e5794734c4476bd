//! How cheap the fleet could be at most: a price that no plan can beat, whatever it does, and the distance of a plan from it.

use restow_bounds::{Bound, GroupId, MaskId, NodeTerms, Problem, solve};
use restow_model::Price;
use restow_scheduling::Amounts;
use rustc_hash::FxHashMap;

use crate::board::Board;
use crate::value;

/// Beyond this many groups and masks a bound takes longer than it is worth.
const LARGEST: usize = 400;

/// Steps of the simplex at most.
const STEPS: u32 = 20_000;

/// The least that the fleet can cost per hour if only some nodes may go; with what capacity is worth. `None` where the
/// cluster falls into too many groups to be added up.
pub fn bound(board: &Board<'_>, candidates: &[usize]) -> Option<Bound> {
    relax(board, candidates, false)
}

/// The same where a node that goes costs what its disruption must save.
pub(crate) fn relax(board: &Board<'_>, candidates: &[usize], disruption: bool) -> Option<Bound> {
    let (cluster, fleet) = (&board.cluster, board.fleet);
    let groups = cluster.group_count();
    if groups > LARGEST {
        return None;
    }
    let mut problem = Problem::new(3, groups as u32);
    let mut masks = Masks::default();
    let mut of_class: FxHashMap<restow_scheduling::ClassId, MaskId> = FxHashMap::default();
    let may_go: rustc_hash::FxHashSet<usize> = candidates.iter().copied().collect();
    for (at, node) in fleet.nodes.iter().enumerate() {
        let Some(id) = board.id(at) else { continue };
        let group = GroupId(cluster.group_of(id)? as u32);
        let candidate = may_go.contains(&at);
        let mut movable: Vec<(MaskId, Amounts)> = Vec::new();
        if candidate {
            for (class, count) in cluster.runs(id) {
                let known = of_class.get(&class).copied();
                let groups = || cluster.groups_for(class).collect();
                let mask = known.or_else(|| masks.of(&mut problem, groups()))?;
                of_class.insert(class, mask);
                let demand = cluster.demand(class).map(|own| own.saturating_mul(i64::from(count)));
                movable.push((mask, demand));
            }
        }
        let terms = NodeTerms {
            group,
            price: node.price(),
            disruption: if disruption && candidate {
                value::required(fleet, &[at])
            } else {
                Price::ZERO
            },
            kept: !candidate,
            closed: false,
        };
        let free = cluster.free(cluster.state(), id);
        problem.add_node(terms, &free, movable).ok()?;
    }
    for offer in cluster.launchable() {
        problem.add_offer(GroupId(offer.group as u32), offer.price, &offer.amounts, None).ok()?;
    }
    Some(solve(&problem, STEPS))
}

/// Sets of groups in which pods may be, each once.
#[derive(Default)]
struct Masks(FxHashMap<Vec<usize>, MaskId>);

impl Masks {
    fn of(&mut self, problem: &mut Problem, allowed: Vec<usize>) -> Option<MaskId> {
        if let Some(mask) = self.0.get(&allowed) {
            return Some(*mask);
        }
        if self.0.len() >= LARGEST {
            return None;
        }
        let mask = problem.add_mask(allowed.iter().map(|group| GroupId(*group as u32))).ok()?;
        self.0.insert(allowed, mask);
        Some(mask)
    }
}
