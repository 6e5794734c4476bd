//! Affinity and anti-affinity between pods, "near" meaning nodes with the same value of the term's key.
//!
//! Terminating pods count. A node without the key is near nothing: affinity is never met there and anti-affinity never
//! broken.

use restow_model::{Labels, PodTerm, Selector, Str};

use super::{Checker, Violation, selectors};

pub(super) fn check(checker: &Checker, pod: usize, node: usize) -> Result<(), Violation> {
    check_affinity(checker, pod, node)?;
    for term in &checker.shape(pod).anti_affinity {
        for (other, at) in checker.others(pod) {
            if near(checker, term.topology_key, node, at) && wants(checker, pod, term, other) {
                return Err(Violation::AntiAffinity { key: term.topology_key, from: other });
            }
        }
    }
    let guests_count = !is_of_no_interest(checker, pod);
    let heard = |(other, _): &(usize, usize)| guests_count || !checker.is_guest(*other);
    for (other, at) in checker.others(pod).filter(heard) {
        for term in &checker.shape(other).anti_affinity {
            if near(checker, term.topology_key, node, at) && is_wanted(checker, other, term, pod) {
                return Err(Violation::AntiAffinityOfOthers { key: term.topology_key, of: other });
            }
        }
    }
    Ok(())
}

/// Whether the pod has no terms and no pod that is there wants to be far from it, on whatever node with the key.
fn is_of_no_interest(checker: &Checker, pod: usize) -> bool {
    let shape = checker.shape(pod);
    let repels = |(other, at): (usize, usize)| {
        checker.shape(other).anti_affinity.iter().any(|term| {
            checker.node_labels(at).get(term.topology_key).is_some()
                && is_wanted(checker, other, term, pod)
        })
    };
    shape.affinity.is_empty()
        && shape.anti_affinity.is_empty()
        && !checker.others(pod).filter(|(other, _)| !checker.is_guest(*other)).any(repels)
}

/// A pod is a friend if it is what all of the terms want; each term needs a friend near.
///
/// The first of a group of friends has none yet: if there is no friend on any node that has one of the keys, the pod may go
/// wherever all keys are, provided that it would be its own friend.
fn check_affinity(checker: &Checker, pod: usize, node: usize) -> Result<(), Violation> {
    let terms = &checker.shape(pod).affinity;
    let is_friend = |other: usize| terms.iter().all(|term| wants(checker, pod, term, other));
    let has =
        |node: usize, term: &PodTerm| checker.node_labels(node).get(term.topology_key).is_some();
    let is_first = || {
        let friends = checker.others(pod).filter(|(other, _)| is_friend(*other));
        let mut places = friends.map(|(_, at)| at);
        is_friend(pod) && !places.any(|at| terms.iter().any(|term| has(at, term)))
    };
    if let Some(term) = terms.iter().find(|term| !has(node, term)) {
        return Err(Violation::AffinityUnmet { key: term.topology_key });
    }
    let met = |term: &&PodTerm| {
        checker
            .others(pod)
            .any(|(other, at)| near(checker, term.topology_key, node, at) && is_friend(other))
    };
    match terms.iter().find(|term| !met(term)) {
        Some(term) if !is_first() => Err(Violation::AffinityUnmet { key: term.topology_key }),
        _ => Ok(()),
    }
}

fn near(checker: &Checker, key: Str, a: usize, b: usize) -> bool {
    let value = checker.node_labels(a).get(key);
    value.is_some() && value == checker.node_labels(b).get(key)
}

/// Whether a term of the incoming pod means the other pod.
///
/// The scheduler turns the namespace selector of an incoming pod into a list of names, but goes on to hold the selector
/// against no labels at all: one that absence satisfies, such as "team is not a", means every namespace.
fn wants(checker: &Checker, pod: usize, term: &PodTerm, other: usize) -> bool {
    let selector = term.namespace_selector.as_ref();
    (in_namespace(checker, pod, term, other) || selectors::selects(selector, &Labels::default()))
        && selects(checker, pod, term, other)
}

/// Whether a term of a pod on a node means the incoming pod.
fn is_wanted(checker: &Checker, owner: usize, term: &PodTerm, pod: usize) -> bool {
    in_namespace(checker, owner, term, pod) && selects(checker, owner, term, pod)
}

fn selects(checker: &Checker, owner: usize, term: &PodTerm, target: usize) -> bool {
    let selector = selectors::completed(
        term.selector.as_ref(),
        &term.match_label_keys,
        &term.mismatch_label_keys,
        checker.labels(owner),
    );
    selectors::selects(selector.as_ref(), checker.labels(target))
}

/// Listed or selected, or the owner's own if the term neither lists nor selects.
fn in_namespace(checker: &Checker, owner: usize, term: &PodTerm, target: usize) -> bool {
    let namespace = checker.pod(target).namespace;
    match &term.namespace_selector {
        None if term.namespaces.is_empty() => namespace == checker.pod(owner).namespace,
        selector => {
            term.namespaces.contains(&namespace)
                || selector.as_ref().is_some_and(|it| selects_namespace(checker, it, namespace))
        }
    }
}

fn selects_namespace(checker: &Checker, selector: &Selector, namespace: Str) -> bool {
    let mut known = checker.cluster.namespaces.iter();
    let labels = known
        .find(|known| known.meta.name == namespace)
        .map_or_else(|| labels_of_unknown(checker, namespace), |known| known.meta.labels.clone());
    selectors::selects(Some(selector), &labels)
}

/// A namespace that the snapshot lacks has the label that all have: its name.
fn labels_of_unknown(checker: &Checker, namespace: Str) -> Labels {
    let key = checker.strings().get("kubernetes.io/metadata.name");
    Labels::new(key.map(|key| (key, namespace)).into_iter().collect())
}

#[cfg(test)]
mod tests;
