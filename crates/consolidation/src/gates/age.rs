//! The node has been ready for a minimum time (seed 003).

use crate::fleet::Fleet;
use crate::reason::Reason;

pub(super) fn ask(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    let since = fleet.nodes[at].initialized?;
    let least = fleet.settings(at).minimum_node_lifetime;
    let age = fleet.now.since(since);
    (age < least).then(|| Reason::TooYoung { age, least, until: since.plus(least) })
}
