//! Karpenter's own methods, in its order: empty nodes, many nodes into one, one node into one. What it would do next, pass
//! after pass; but a pod that was moved stays, and nodes that took pods are left alone.

use restow_model::DisruptionReason;
use rustc_hash::FxHashMap;

use super::{Found, InUse};
use crate::board::Board;
use crate::fleet::Fleet;
use crate::moves::Move;
use crate::{budget, peer};

/// What the pools' budgets leave, by pool. A pool without any is planned for as if it had one node at a time, so that people
/// see what would happen.
struct Budgets {
    left: FxHashMap<usize, usize>,
}

impl Budgets {
    fn new(fleet: &Fleet<'_>, reason: DisruptionReason) -> Self {
        let left = fleet
            .pools
            .iter()
            .enumerate()
            .map(|(at, pool)| (at, budget::left(pool, reason, fleet.now).0));
        Self { left: left.collect() }
    }

    /// Takes one node of a pool's budget, if it has one left.
    fn draw(&mut self, fleet: &Fleet<'_>, node: usize) -> bool {
        let left = fleet.nodes[node].pool.and_then(|pool| self.left.get_mut(&pool));
        match left {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }
}

/// Nodes whose pools have some budget left, each taking its part.
pub fn within_budgets(fleet: &Fleet<'_>, nodes: &[usize], reason: DisruptionReason) -> Vec<usize> {
    let mut budgets = Budgets::new(fleet, reason);
    nodes.iter().copied().filter(|at| budgets.draw(fleet, *at)).collect()
}

/// Nodes of all pools in turn: the first of each, then the second of each.
pub(crate) fn interleaved(fleet: &Fleet<'_>, sorted: &[usize]) -> Vec<usize> {
    let mut pools: Vec<(Option<usize>, Vec<usize>)> = Vec::new();
    for at in sorted {
        let pool = fleet.nodes[*at].pool;
        match pools.iter_mut().find(|(own, _)| *own == pool) {
            Some((_, nodes)) => nodes.push(*at),
            None => pools.push((pool, vec![*at])),
        }
    }
    let longest = pools.iter().map(|(_, nodes)| nodes.len()).max().unwrap_or_default();
    (0..longest)
        .flat_map(|turn| pools.iter().filter_map(move |(_, nodes)| nodes.get(turn).copied()))
        .collect()
}

/// The empty nodes that Karpenter would delete now, all at once.
pub fn empty_now(fleet: &Fleet<'_>, candidates: &[usize]) -> Vec<usize> {
    let sorted = peer::in_order(fleet, candidates);
    let empty: Vec<usize> = sorted.into_iter().filter(|at| peer::is_empty(fleet, *at)).collect();
    within_budgets(fleet, &empty, DisruptionReason::Empty)
}

/// The command in which Karpenter would remove several nodes now.
pub fn many_now(board: &mut Board<'_>, candidates: &[usize]) -> Option<Move> {
    let fleet = board.fleet;
    let sorted = peer::in_order(fleet, candidates);
    let others: Vec<usize> = sorted.into_iter().filter(|at| !peer::is_empty(fleet, *at)).collect();
    let allowed = within_budgets(fleet, &others, DisruptionReason::Underutilized);
    let prefix = peer::longest_prefix(board, &allowed)?;
    peer::compute(board, &prefix, false).ok()
}

/// The nodes that Karpenter would look at one by one now, in its order: pools take turns.
pub fn one_by_one(fleet: &Fleet<'_>, candidates: &[usize]) -> Vec<usize> {
    let sorted = peer::in_order(fleet, candidates);
    let reason = DisruptionReason::Underutilized;
    let open = |at: &usize| !within_budgets(fleet, &[*at], reason).is_empty();
    let sorted: Vec<usize> = sorted.into_iter().filter(open).collect();
    let mut found = interleaved(fleet, &sorted);
    found.retain(|at| !peer::is_empty(fleet, *at) && peer::cannot_pass(fleet, *at).is_none());
    found
}

pub(super) fn search(
    board: &mut Board<'_>,
    candidates: &[usize],
    stop: &mut dyn FnMut() -> bool,
) -> Found {
    let fleet = board.fleet;
    let mut found = Found::default();
    let mut used = InUse::default();
    let sorted = peer::in_order(fleet, candidates);
    let (empty, others): (Vec<usize>, Vec<usize>) =
        sorted.into_iter().partition(|at| peer::is_empty(fleet, *at));
    let empty: Vec<usize> =
        empty.into_iter().filter(|at| fleet.settings(*at).allows_emptiness()).collect();
    let now = within_budgets(fleet, &empty, DisruptionReason::Empty);
    let later: Vec<usize> = empty.into_iter().filter(|at| !now.contains(at)).collect();
    // One command for all that may go now; the others are waiting for their budgets one by one.
    for sources in [now].into_iter().chain(later.into_iter().map(|at| vec![at])) {
        if sources.is_empty() {
            continue;
        }
        let own = if sources.iter().all(|at| fleet.nodes[*at].is_empty()) {
            board.take(&sources, crate::Ask { new_nodes: 0, ..crate::Ask::OWN }).ok()
        } else {
            Some(peer::delete_empty(fleet, &sources))
        };
        if let Some(own) = own {
            peer::vacate(board, &sources);
            used.add(board, &own);
            found.moves.push(own);
        }
    }
    loop {
        if board.effort > fleet.cluster.settings.effort || stop() {
            found.unseen = others.iter().copied().filter(|at| !used.has(board, *at)).collect();
            return found;
        }
        let open: Vec<usize> = others.iter().copied().filter(|at| !used.has(board, *at)).collect();
        let command = many(board, &open).or_else(|| one(board, &open));
        let Some(own) = command else { return found };
        used.add(board, &own);
        found.moves.push(own);
    }
}

fn many(board: &mut Board<'_>, open: &[usize]) -> Option<Move> {
    let fleet = board.fleet;
    let reason = DisruptionReason::Underutilized;
    let allowed = within_budgets(fleet, open, reason);
    let prefix = peer::longest_prefix(board, &allowed)?;
    peer::compute(board, &prefix, true).ok()
}

fn one(board: &mut Board<'_>, open: &[usize]) -> Option<Move> {
    let fleet = board.fleet;
    for at in interleaved(fleet, open) {
        if peer::cannot_pass(fleet, at).is_some() {
            continue;
        }
        if let Ok(own) = peer::compute(board, &[at], true) {
            return Some(own);
        }
    }
    None
}
