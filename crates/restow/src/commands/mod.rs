//! One file for each command.

pub(crate) mod catalog;
pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod nodes;
pub(crate) mod schedule;
pub(crate) mod snapshot;
