//! Which nodes to delete or replace, whether it is worth it, and for every other node why not.
//!
//! A [`Fleet`] is what decisions read of a snapshot. Gates say which of its nodes may go, searches propose moves, and a
//! [`Plan`] puts them in order with a verdict for every node. No clock, no randomness, no environment, no printing.

mod after;
mod assess;
mod board;
mod bound;
pub mod budget;
mod buffers;
mod case;
mod committed;
mod confirm;
mod counterfactual;
mod explain;
pub mod fleet;
mod foreseen;
pub mod gate;
pub mod gates;
mod launch;
mod limits;
pub mod lint;
mod marks;
pub mod moves;
pub mod peer;
pub mod plan;
pub mod reason;
mod risk;
pub mod search;
pub mod settings;
pub mod shape;
pub mod steering;
mod tight;
pub mod value;
pub mod verdict;
pub mod waves;
pub mod what_if;
mod wish;

pub use after::after;
pub use assess::Ask;
pub use board::{Board, Ground};
pub use bound::bound;
pub use buffers::add_buffer_pods;
pub use case::{Case, ParseWhatIfError, WhatIf};
pub use confirm::{Packed, Wanted};
pub use counterfactual::{Counterfactual, counterfactuals};
pub use explain::{Answer, Explanation, Number, pod_blockers};
pub use fleet::{Fleet, FleetNode, Inputs};
pub use foreseen::leave_tight;
pub use gate::Gate;
pub use moves::{Move, PodMove, Replacement, Risk, Target};
pub use plan::{Locked, Plan, Planned, Stats, Totals};
pub use reason::Reason;
pub use shape::{Method, Shape};
pub use tight::mark_tight;
pub use verdict::{Outcome, Verdict};
pub use waves::Turn;
pub use wish::{GivenUp, Wish, WishCost, WishKind, Wishes, mark_wishes, without_wishes};
