//! The life of a move: from a plan to nodes that are gone, or back to how it was.
//!
//! [`Execution::tick`] is the whole loop, once: it looks at the cluster and says what to do. Everything that has to outlive a
//! crash is in a [`Record`], which is written before the first thing that is done for a move. A step compares records with what
//! is seen of the cluster and says what to do: whatever was lost, done twice or seen late, the next step asks for what is still
//! missing. No clock, no randomness, no requests: the simulator and the controller run this very code.

pub mod action;
pub mod adaptive;
pub mod backoff;
pub mod brakes;
mod clock;
mod dwell;
mod fingerprint;
mod grace;
mod happened;
pub mod invariants;
mod judge;
mod ledger;
mod life;
mod lineage;
pub mod record;
mod retry;
mod scene;
mod settle;
mod sight;
mod steep;
mod steer;
mod step;
mod tick;

pub use action::Action;
pub use adaptive::Adaptive;
pub use brakes::{Brake, Brakes, Held};
pub use fingerprint::Prints;
pub use happened::Happened;
pub use invariants::{Invariants, Violation};
pub use ledger::Ledger;
pub use life::{Judge, Limits};
pub use record::{Failure, Launch, Moving, Outcome, Phase, Record, Source};
pub use step::{Changes, Execution, Observed, Policy};
