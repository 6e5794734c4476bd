//! What came of simulations, for people and programs.
//!
//! [`simulation_document`] puts runs into names and rounded numbers, which is what `restow simulate -o json` prints and what
//! [`simulation_view`], [`comparison_view`] and [`simulation_html`] show: whoever has the file has what the page says.
//! [`demo_view`] tells the one story that newcomers see first.

mod chains;
mod comparison;
mod demo;
mod distribution;
mod document;
mod expectations;
mod headline;
mod html;
mod pareto;
mod rows;
mod sparkline;
mod text;
mod view;

pub use comparison::comparison_view;
pub use demo::{DemoStory, demo_view};
pub use distribution::Distribution;
pub use document::{Simulated, SimulationReport, simulation_document};
pub use html::simulation_html;
pub use pareto::pareto;
pub use rows::{DecisionRow, EndingRow, ExpectationRow, PolicyRow, RunRow, SideRow};
pub use view::simulation_view;

#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;
