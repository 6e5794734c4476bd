//! Seed 003 to the letter: the node that is easiest to disrupt first, deleted if its pods fit on the others, else replaced by
//! one cheaper node; one move at a time.

use restow_model::{Str, Time};

use super::{Found, InUse};
use crate::assess::Ask;
use crate::board::Board;

/// What candidates are ordered by.
fn key(board: &Board<'_>, at: usize) -> (f64, usize, Time, i32, Str) {
    let node = &board.fleet.nodes[at];
    let snapshot = board.fleet.snapshot;
    let priorities =
        node.movable_pods().map(|pod| snapshot.shapes[board.fleet.pod(pod).shape].priority);
    (
        node.costs.node,
        node.movable,
        node.expires.unwrap_or(Time::from_millis(i64::MAX)),
        priorities.max().unwrap_or(i32::MIN),
        node.name,
    )
}

/// Candidates, the one that is easiest to disrupt first.
pub(super) fn order(board: &Board<'_>, candidates: &[usize]) -> Vec<usize> {
    let mut order = candidates.to_vec();
    order.sort_by(|a, b| {
        let (a, b) = (key(board, *a), key(board, *b));
        a.0.total_cmp(&b.0).then_with(|| (a.1, a.2, a.3, a.4).cmp(&(b.1, b.2, b.3, b.4)))
    });
    order
}

pub(super) fn search(
    board: &mut Board<'_>,
    candidates: &[usize],
    stop: &mut dyn FnMut() -> bool,
) -> Found {
    let order = order(board, candidates);
    let mut found = Found::default();
    let mut used = InUse::default();
    for (seen, at) in order.iter().enumerate() {
        if board.effort > board.fleet.cluster.settings.effort || stop() {
            found.unseen = order[seen..].to_vec();
            break;
        }
        if used.has(board, *at) {
            continue;
        }
        let delete = Ask { new_nodes: 0, ..Ask::OWN };
        if let Ok(own) = board.take(&[*at], delete).or_else(|_| board.take(&[*at], Ask::OWN)) {
            used.add(board, &own);
            found.moves.push(own);
        }
    }
    found
}
