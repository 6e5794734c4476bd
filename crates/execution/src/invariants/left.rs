//! I4: nothing of ours outlives its move, after a while.

use restow_model::{GoDuration, Time, Uid};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Step, Violation};
use crate::action::{DISRUPTING, GOING};
use crate::record::Phase;
use crate::sight::Sight;

/// How long it may take.
const WHILE: GoDuration = GoDuration::from_seconds(15 * 60);

pub(super) fn check(
    step: &Step<'_>,
    strays: &mut FxHashMap<Uid, Time>,
    found: &mut Vec<Violation>,
) {
    let strings = &step.seen.strings;
    let open = || step.records.iter().filter(|own| !own.phase.is_over());
    let sources: FxHashSet<Uid> =
        open().flat_map(|own| own.sources.iter().map(|source| source.uid)).collect();
    let drains = step.records.iter().any(|own| own.phase == Phase::Draining);
    let keys = [DISRUPTING, GOING].map(|key| strings.get(key));
    let mut stray: FxHashSet<Uid> = FxHashSet::default();
    if keys.iter().any(Option::is_some) {
        for node in &step.seen.nodes {
            let has = |key| node.taints.iter().any(|own| Some(own.key) == key);
            let lost = has(keys[0]) && !sources.contains(&node.meta.uid);
            let steered = has(keys[1]) && !drains;
            // A node that is going takes its taints along.
            if (!lost && !steered) || node.meta.deleted.is_some() {
                continue;
            }
            stray.insert(node.meta.uid);
            let since = *strays.entry(node.meta.uid).or_insert(step.now);
            if step.now.since(since) > WHILE && !is_going(step, node.meta.name) {
                found.push(Violation::TaintLeft { node: strings.text(node.meta.name).to_owned() });
            }
        }
    }
    strays.retain(|uid, _| stray.contains(uid));
    let old = |since: Time| step.now.since(since) > WHILE;
    let mut sight = None;
    for own in step.records.iter().filter(|own| own.phase == Phase::RolledBack && old(own.since)) {
        for launch in &own.launches {
            let sight = sight.get_or_insert_with(|| Sight::new(step.seen));
            let Some(claim) = sight.claim(&launch.claim) else { continue };
            let late = step.now.since(claim.meta.created) > WHILE;
            if late && claim.meta.deleted.is_none() && !sight.is_used(claim) {
                found.push(Violation::ClaimLeft { claim: launch.claim.clone() });
            }
        }
    }
}

fn is_going(step: &Step<'_>, node: restow_model::Str) -> bool {
    let mut claims = step.seen.node_claims.iter();
    claims.any(|own| own.node == node && own.meta.deleted.is_some())
}
