//! Where pods would go and what keeps them from running: as values, as a screen and for programs.
//!
//! [`ScheduleReport::new`] puts the engine's answer into words; [`schedule_view`] and [`schedule_document`] only show it.
//! What is asked pod by pod and node by node is shown by [`feasibility_view`] and [`FeasibilityDocument`], which take one
//! answer at a time: of a large cluster nobody holds all of them.

mod answer;
mod feasible;
mod feasible_view;
mod message;
mod nodes;
mod output;
pub(crate) mod phrase;
pub(crate) mod text;
mod values;
mod view;

pub(crate) use answer::obstacles;
pub use answer::{Misfit, Obstacle, PlacedPod, PodName, ScheduleReport, Where};
pub use feasible::{FeasibilityDocument, PodFeasibility, nodes_by_name};
pub use feasible_view::feasibility_view;
pub use message::{Explained, Speaker};
pub use nodes::{DrainedNode, LaunchedNode, Spot};
pub use output::{ScheduleDocument, schedule_document};
pub use values::{ShortageValues, Values};
pub use view::schedule_view;

#[cfg(test)]
mod tests;
