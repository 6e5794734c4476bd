//! What happened, as values: for logs, events, metrics and reports of whoever drives the loop.

use restow_model::{Price, Time};

use crate::brakes::Brake;
use crate::record::Failure;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Happened {
    /// The cluster was searched for moves.
    Searched {
        /// Nodes that might have gone.
        candidates: usize,
        /// Moves of the plan.
        moves: usize,
        /// Those of them that began.
        begun: usize,
        /// Moves that wait for nodes that may go in a moment.
        postponed: usize,
        /// Units of work.
        effort: u64,
        /// What the plan would save per hour.
        savings: Price,
    },
    /// A move was proposed.
    Proposed {
        /// The move.
        id: String,
        /// What it is expected to save per hour.
        promised: Price,
    },
    /// A move is not made after all, since things have changed.
    Refused {
        /// The move.
        id: String,
        /// The code of the reason.
        code: String,
    },
    /// All replacements of a move have their machines.
    Launched {
        /// The move.
        id: String,
    },
    /// A source of a move is let go.
    Drained {
        /// The move.
        id: String,
        /// The node.
        node: String,
        /// Pods that have to leave it.
        evictions: usize,
    },
    /// The sources of a move are gone.
    Done {
        /// The move.
        id: String,
        /// What it was expected to save per hour.
        promised: Price,
        /// What it saves.
        realised: Price,
        /// What kept it from letting all of its sources go.
        failure: Option<Failure>,
    },
    /// A move was taken back.
    RolledBack {
        /// The move.
        id: String,
        /// Why.
        failure: Option<Failure>,
    },
    /// Pods that a move evicted wait for a node for too long.
    Waiting {
        /// The move.
        id: String,
    },
    /// No moves are begun for a while.
    Braked {
        /// In this pool; in all if `None`.
        pool: Option<String>,
        /// Why.
        brake: Brake,
    },
    /// Moves may begin again.
    Released {
        /// In this pool; in all if `None`.
        pool: Option<String>,
    },
    /// A node's own move saves too little for what it disrupts (seed 001).
    Blocked {
        /// The pool.
        pool: String,
        /// The node.
        node: String,
        /// What it would save per hour.
        savings: Price,
        /// What it would have to save.
        required: Price,
        /// Units of disruption.
        cost: f64,
        /// What each unit has to save.
        threshold: Price,
    },
    /// The savings threshold of a pool was changed by what moves led to.
    Adapted {
        /// The pool.
        pool: String,
        /// What each unit of disruption has to save from now on.
        threshold: Price,
        /// When that was decided.
        at: Time,
    },
}
