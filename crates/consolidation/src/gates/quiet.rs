//! No pod came or went for `consolidateAfter`, none was moved by us for its dwell, and the node was not launched for these pods.

use restow_model::{DurationOrNever, GoDuration};

use super::policy;
use crate::fleet::{Fleet, holds};
use crate::reason::Reason;

pub(super) fn ask(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    let settings = fleet.settings(at);
    if settings.peer_rules {
        return as_karpenter(fleet, at);
    }
    let least = match settings.consolidate_after {
        DurationOrNever::After(least) => least,
        DurationOrNever::Never => policy::empty_for(fleet, at)?,
    };
    let node = &fleet.nodes[at];
    let since = node.last_pod_event.or(node.initialized)?;
    let quiet = fleet.now.since(since).max(GoDuration::ZERO);
    if quiet < least {
        return Some(Reason::RecentPodEvent { quiet, least, until: since.plus(least) });
    }
    if let Some(until) = fleet.staying.get(&at).filter(|until| **until > fleet.now)
        && let Some(pod) = node.movable_pods().next()
    {
        return Some(Reason::RecentlyMoved { pod, until: *until });
    }
    let dwell = settings.minimum_pod_dwell?;
    node.movable_pods().find_map(|pod| {
        let until = fleet.moved.get(&pod)?.plus(dwell);
        (until > fleet.now).then_some(Reason::RecentlyMoved { pod, until })
    })
}

/// Karpenter keeps the answer in a condition of the claim.
fn as_karpenter(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    let node = &fleet.nodes[at];
    let claim = node.claim.map(|at| &fleet.snapshot.node_claims[at])?;
    let known = holds(&claim.conditions, "Consolidatable", &fleet.snapshot.strings).is_some();
    let least = fleet.settings(at).consolidate_after.after().unwrap_or_default();
    let since = node.last_pod_event.or(node.initialized).unwrap_or(fleet.now);
    let quiet = fleet.now.since(since).max(GoDuration::ZERO);
    (!known).then(|| Reason::RecentPodEvent { quiet, least, until: since.plus(least) })
}
