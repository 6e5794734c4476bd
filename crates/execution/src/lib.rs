//! The life of a move: from a plan to nodes that are gone, or back to how it was.
//!
//! Everything that has to outlive a crash is in a [`Record`], which is written before the first thing that is done for a move.
//! A step compares records with what is seen of the cluster and says what to do: whatever was lost, done twice or seen late, the
//! next step asks for what is still missing. No clock, no randomness, no requests: the simulator and the controller run this
//! very code.

pub mod action;
pub mod brakes;
mod ledger;
mod life;
pub mod record;
mod sight;
mod step;

pub use action::Action;
pub use ledger::Ledger;
pub use life::{Judge, Limits};
pub use record::{Failure, Launch, Outcome, Phase, Record, Source};
pub use step::{Execution, Observed};
