//! Strategies that propose moves. Each returns moves that can all be carried out together: every pod is moved once at most,
//! and every bit of room is promised once.

mod construct;
mod coupling;
mod exchange;
mod fill;
mod firm;
mod gentle;
mod global;
mod improve;
mod karpenter;
mod market;
mod pack;
mod seed;

pub use karpenter::{empty_now, many_now, one_by_one, within_budgets};

use restow_model::{Price, Str};
use rustc_hash::FxHashSet;

use crate::board::Board;
use crate::moves::{Move, Target};
use crate::settings::Search;

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// The moves, in the order in which they should be made.
    pub moves: Vec<Move>,
    /// Candidates that were not looked at because the effort was spent.
    pub unseen: Vec<usize>,
    /// The least that the fleet could cost, if the search found out.
    pub bound: Option<Price>,
    /// Units of work until there was a complete plan, where plans get better after that.
    pub first: u64,
}

/// Searches for moves among candidates. `stop` is asked now and then; the answer is valid whenever it says yes. `first` is told
/// when there is a complete plan, which may get better after that.
pub fn search(
    board: &mut Board<'_>,
    candidates: &[usize],
    stop: &mut dyn FnMut() -> bool,
    first: &mut dyn FnMut(),
) -> Found {
    let found = match board.fleet.cluster.settings.search {
        Search::Seed => seed::search(board, candidates, stop),
        Search::Karpenter => karpenter::search(board, candidates, stop),
        Search::Global => return global::search(board, candidates, stop, first),
    };
    first();
    found
}

/// Nodes that a plan uses: as sources, or as places to go to. They cannot be sources of another move.
#[derive(Clone, Debug, Default)]
struct InUse {
    nodes: FxHashSet<Str>,
}

impl InUse {
    fn add(&mut self, board: &Board<'_>, own: &Move) {
        self.nodes.extend(own.sources.iter().map(|at| board.fleet.nodes[*at].name));
        self.nodes.extend(own.pods.iter().filter_map(|moved| match moved.to {
            Target::Node(name) => Some(name),
            Target::Replacement(_) => None,
        }));
    }

    fn has(&self, board: &Board<'_>, node: usize) -> bool {
        self.nodes.contains(&board.fleet.nodes[node].name)
    }
}
