//! The pods of a node by class, in the order in which they are placed elsewhere.

use crate::ids::ClassId;
use crate::tables::Tables;

/// Pods of one class on one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) class: ClassId,
    pub(crate) count: u32,
}

/// Adds pods to a node's runs, which are in the order in which pods are placed.
pub(crate) fn add_run(runs: &mut Vec<Run>, tables: &Tables, class: ClassId, count: u32) {
    let key = |class: ClassId| (tables.class(class).order(), class);
    match runs.binary_search_by_key(&key(class), |run| key(run.class)) {
        Ok(at) => runs[at].count += count,
        Err(at) => runs.insert(at, Run { class, count }),
    }
}

/// Takes pods from a node's runs.
pub(crate) fn remove_run(runs: &mut Vec<Run>, class: ClassId, count: u32) {
    if let Some(at) = runs.iter().position(|run| run.class == class) {
        if runs[at].count > count {
            runs[at].count -= count;
        } else {
            runs.remove(at);
        }
    }
}
