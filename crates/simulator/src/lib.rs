//! A cluster in virtual time: workloads, scheduler, provisioner, provider and faults around the decisions that run in production.
//!
//! Equal input and seed give equal bytes: time and chance are values, and nothing here reads a clock.
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of pods and nodes, and times of at most a few years, are far from the limits"
)]

mod agenda;
mod batch;
mod broken;
mod budgets;
mod consolidators;
mod daemons;
mod drain;
pub mod expectation;
mod faults;
mod happening;
mod load;
mod measure;
mod names;
pub mod outcome;
mod pods;
mod provider;
mod provisioner;
mod rng;
mod run;
mod scheduler;
pub mod script;
mod setup;
mod synthetic;
pub mod tune;
mod unit;
mod volumes;
mod workloads;
mod world;

pub use batch::{Failed, Trials};
pub use broken::{Breach, Broken};
pub use expectation::{Checked, Expectation, Limit, Metric};
pub use faults::Faults;
pub use outcome::{Run, Totals};
pub use run::{Options, Progress, run, run_checked};
pub use script::Script;
pub use setup::{Consolidator, Policy, Setup, Tried};
pub use synthetic::Synthetic;
