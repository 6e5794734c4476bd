//! Topology spread: no domain may be fuller than the emptiest one by more than the skew.
//!
//! Counted are pods of the same namespace that the selector selects and that are not terminating, on nodes that have the keys
//! of all required constraints and that the constraint's policies include. A domain is one that such a node is in.

use std::collections::BTreeMap;

use restow_model::{NodePolicy, Selector, Spread, Str};

use super::{Checker, Violation, node_affinity, selectors, taints};

pub(super) fn check(checker: &Checker, pod: usize, node: usize) -> Result<(), Violation> {
    for spread in required(checker, pod) {
        let Some(domain) = checker.node_labels(node).get(spread.topology_key) else {
            return Err(Violation::SpreadKeyMissing { key: spread.topology_key });
        };
        let labels = checker.labels(pod);
        let keys = &spread.match_label_keys;
        let selector = selectors::completed(spread.selector.as_ref(), keys, &[], labels);
        let counts = counts(checker, pod, spread, selector.as_ref());

        let enough = counts.len() as i64 >= i64::from(spread.min_domains.unwrap_or(1));
        let minimum = if enough { counts.values().copied().min().unwrap_or(0) } else { 0 };
        let count = counts.get(&domain).copied().unwrap_or(0);
        let own = i64::from(selectors::selects(selector.as_ref(), labels));
        if count + own - minimum > i64::from(spread.max_skew) {
            let (key, max_skew) = (spread.topology_key, spread.max_skew);
            return Err(Violation::SpreadSkew { key, count, own, minimum, max_skew });
        }
    }
    Ok(())
}

fn required(checker: &Checker, pod: usize) -> impl Iterator<Item = &Spread> {
    checker.shape(pod).spread.iter().filter(|spread| spread.required)
}

/// How many pods each domain counts.
fn counts(
    checker: &Checker,
    pod: usize,
    spread: &Spread,
    selector: Option<&Selector>,
) -> BTreeMap<Str, i64> {
    let mut counts = BTreeMap::new();
    for node in checker.nodes().filter(|node| is_included(checker, pod, spread, *node)) {
        let Some(domain) = checker.node_labels(node).get(spread.topology_key) else { continue };
        let counted = |other: &usize| {
            // The selector of everything counts no pod that is there, though it matches the incoming one.
            let is_there = selector.is_some_and(|selector| !selector.is_empty())
                && !checker.pod(*other).is_terminating();
            (is_there || checker.is_guest(*other))
                && checker.pod(*other).namespace == checker.pod(pod).namespace
                && selectors::selects(selector, checker.labels(*other))
        };
        let count = checker.others_on(node, pod).filter(counted).count() as i64;
        *counts.entry(domain).or_insert(0) += count;
    }
    counts
}

fn is_included(checker: &Checker, pod: usize, spread: &Spread, node: usize) -> bool {
    let labels = checker.node_labels(node);
    required(checker, pod).all(|each| labels.get(each.topology_key).is_some())
        && (spread.affinity_policy == NodePolicy::Ignore
            || node_affinity::matches(checker, pod, node))
        && (spread.taints_policy == NodePolicy::Ignore
            || taints::untolerated(checker, pod, node).is_none())
}

#[cfg(test)]
mod tests;
