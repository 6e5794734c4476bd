//! Gates 1 to 9: which nodes may be consolidated at all. Each is asked of one node, and says why not.

mod age;
mod annotated;
mod grace;
mod managed;
mod pods;
mod policy;
mod priced;
mod quiet;
mod utilization;

pub use pods::draws_on;

pub(crate) use pods::{Protection, protection, tolerates_disruption};

use crate::fleet::Fleet;
use crate::gate::Gate;
use crate::reason::Reason;

/// Asks one gate of a node.
type Ask = fn(&Fleet<'_>, usize) -> Option<Reason>;

/// The gates in their order.
const GATES: [(Gate, Ask); 9] = [
    (Gate::Managed, managed::ask),
    (Gate::Priced, priced::ask),
    (Gate::Annotated, annotated::ask),
    (Gate::Pods, pods::ask),
    (Gate::Policy, policy::ask),
    (Gate::Age, age::ask),
    (Gate::Quiet, quiet::ask),
    (Gate::Grace, grace::ask),
    (Gate::Utilization, utilization::ask),
];

/// Every gate that a node fails, in order. A node that nobody manages is asked nothing else.
pub fn failures(fleet: &Fleet<'_>, node: usize) -> Vec<Reason> {
    let mut found = Vec::new();
    for (gate, ask) in GATES {
        found.extend(ask(fleet, node));
        if gate == Gate::Managed && matches!(found.first(), Some(Reason::NotManaged)) {
            break;
        }
    }
    found
}

/// Whether nothing keeps the node itself and its pods from being disrupted, whatever for.
pub(crate) fn is_disruptable(fleet: &Fleet<'_>, node: usize) -> bool {
    let managed = managed::ask(fleet, node);
    let managed = managed.is_none_or(|reason| matches!(reason, Reason::StaticPool { .. }));
    managed && annotated::ask(fleet, node).is_none() && pods::ask(fleet, node).is_none()
}

/// Why the pods of a node must not be evicted now, whatever for: its own marks, or those of its pods.
pub fn stays(fleet: &Fleet<'_>, node: usize) -> Option<Reason> {
    annotated::ask(fleet, node).or_else(|| pods::ask(fleet, node))
}

/// Whether a node is empty and goes by itself once it has been there, or quiet, for long enough.
pub(crate) fn is_about_to_go(fleet: &Fleet<'_>, node: usize) -> bool {
    let waits = |own: &Reason| matches!(own.gate(), Gate::Age | Gate::Quiet);
    fleet.nodes[node].is_empty() && first_failure(fleet, node).as_ref().is_some_and(waits)
}

/// The first gate that a node fails.
pub fn first_failure(fleet: &Fleet<'_>, node: usize) -> Option<Reason> {
    GATES.iter().find_map(|(_, ask)| ask(fleet, node))
}
