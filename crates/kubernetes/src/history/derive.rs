//! What happened from one look at a cluster to the next.
//!
//! Only what nobody who consolidates causes: wishes of people and autoscalers, work that came, machines that were taken back. Nodes
//! are told too, so that what the cluster really cost is known.

mod budgets;
mod nodes;
mod pods;
mod workloads;

use restow_model::Snapshot;

use super::Frame;
use super::change::Change;
use super::index::Index;
use super::objects::Picked;

/// Two looks, and what was found to have happened from one to the other.
struct Looks<'s> {
    before: Index<'s>,
    after: Index<'s>,
    /// Whether nobody looked for a while: pods before are not known.
    gap: bool,
    changes: Vec<Change>,
    picked: Picked<'s>,
}

/// What happened from one look to the next. Equal clusters give equal frames, however their names are numbered.
pub fn between(before: &Snapshot, after: &Snapshot) -> Frame {
    frame(before, after, false)
}

/// The same after nobody looked for a while; `before` is what [`History::at_end`](super::History::at_end) says.
pub fn across(before: &Snapshot, after: &Snapshot) -> Frame {
    frame(before, after, true)
}

fn frame(before: &Snapshot, after: &Snapshot, gap: bool) -> Frame {
    let mut looks = Looks {
        before: Index::of(before),
        after: Index::of(after),
        gap,
        changes: Vec::new(),
        picked: Picked::of(after),
    };
    if gap {
        looks.changes.push(Change::Gap { since: before.time });
    }
    looks.workloads();
    looks.jobs();
    if !gap {
        looks.pods();
    }
    looks.budgets();
    looks.nodes();
    looks.changes.sort();
    Frame { time: after.time, changes: looks.changes, objects: looks.picked.done() }
}

#[cfg(test)]
mod tests;
