//! No pod came or went for `consolidateAfter`, and none was moved by us for its dwell.

use restow_model::DurationOrNever;

use super::policy;
use crate::fleet::{Fleet, holds};
use crate::reason::Reason;

pub(super) fn ask(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    let settings = fleet.settings(at);
    let least = match settings.consolidate_after {
        DurationOrNever::After(least) => least,
        DurationOrNever::Never => policy::empty_for(fleet, at)?,
    };
    let node = &fleet.nodes[at];
    let since = node.last_pod_event.or(node.initialized)?;
    if settings.peer_rules {
        // Karpenter keeps the answer in a condition.
        let claim = node.claim.map(|at| &fleet.snapshot.node_claims[at])?;
        let strings = &fleet.snapshot.strings;
        let known = holds(&claim.conditions, "Consolidatable", strings).is_some();
        let quiet = fleet.now.since(since);
        return (!known).then(|| Reason::RecentPodEvent { quiet, least, until: since.plus(least) });
    }
    let quiet = fleet.now.since(since);
    if quiet < least {
        return Some(Reason::RecentPodEvent { quiet, least, until: since.plus(least) });
    }
    let dwell = settings.minimum_pod_dwell?;
    node.movable_pods().find_map(|pod| {
        let until = fleet.moved.get(&pod)?.plus(dwell);
        (until > fleet.now).then_some(Reason::RecentlyMoved { pod, until })
    })
}
