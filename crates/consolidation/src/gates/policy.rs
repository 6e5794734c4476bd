//! Consolidation is on for the pool, and its policy allows some shape of move for this node.

use restow_model::{DurationOrNever, GoDuration};

use crate::fleet::Fleet;
use crate::reason::Reason;

pub(super) fn ask(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    let (node, settings) = (&fleet.nodes[at], fleet.settings(at));
    if settings.consolidate_after == DurationOrNever::Never {
        return match settings.ttl_seconds_after_empty {
            // Seed 003: where consolidation is off, a node that was empty for long enough still goes.
            Some(_) if node.is_empty() => None,
            _ => Some(Reason::ConsolidationOff),
        };
    }
    let nearly_empty = fleet.is_nearly_empty(at);
    // Karpenter takes a node for empty if none of its pods costs anything to evict.
    let empty = node.is_empty() || (settings.peer_rules && crate::peer::is_empty(fleet, at));
    let allowed = settings.allows_some(empty, nearly_empty);
    (!allowed).then_some(Reason::PolicyForbids { policy: settings.policy, method: None })
}

/// How long a node must have been empty where consolidation is off.
pub(super) fn empty_for(fleet: &Fleet<'_>, at: usize) -> Option<GoDuration> {
    let settings = fleet.settings(at);
    settings
        .ttl_seconds_after_empty
        .filter(|_| settings.consolidate_after == DurationOrNever::Never)
        .map(GoDuration::from_seconds)
}
