//! One file for each command.

pub(crate) mod apply;
pub(crate) mod budget;
pub(crate) mod catalog;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod crds;
pub(crate) mod demo;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod history;
pub(crate) mod lint;
pub(crate) mod manifests;
pub(crate) mod nodes;
pub(crate) mod pause;
pub(crate) mod plan;
pub(crate) mod record;
pub(crate) mod run;
pub(crate) mod schedule;
pub(crate) mod simulate;
pub(crate) mod snapshot;
pub(crate) mod tune;
