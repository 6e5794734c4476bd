//! Why one node stays or goes, what one pod has to do with it, and how a whole pool stands.
//!
//! The core answers in reasons and numbers; here they get names and sentences. What [`NodeExplanation`], [`PodExplanation`]
//! and [`PoolExplanation`] hold is what `restow explain -o json` prints, and the views show nothing besides.

mod gates;
mod miss;
mod node;
mod node_view;
mod pod;
mod pool;
mod pool_view;
mod what_if;

pub use gates::GateRow;
pub use miss::{MissRow, ObstacleRow};
pub use node::{CounterfactualRow, NodeExplanation, NodeQuestion};
pub use node_view::node_explanation_view;
pub use pod::{Destination, PdbRow, PodExplanation, pod_explanation_view};
pub use pool::{BudgetNow, PoolExplanation, VerdictRow, WindowNow};
pub use pool_view::pool_explanation_view;
pub use what_if::shell_word;

#[cfg(test)]
mod tests;
