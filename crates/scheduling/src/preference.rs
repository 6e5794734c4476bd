//! What a pod would like, as requirements that are given up one at a time, in the peer's order.

use std::borrow::Cow;

use restow_model::{NodeTerm, PodShape};

use crate::selection::SoftTaints;

/// The shape with all preferences as requirements, then with one less at each step, down to the requirements alone.
///
/// The order in which preferences are given up: the heaviest preferred affinity to pods, the heaviest preferred
/// anti-affinity, the heaviest preferred node affinity, the first soft spread, and last the taints that ask to stay away.
///
/// With `in_turn` the required terms of node affinity come first, of which otherwise any will do.
pub(crate) fn steps(
    shape: &PodShape,
    soft_taints: bool,
    in_turn: bool,
) -> Vec<(Cow<'_, PodShape>, SoftTaints)> {
    let one = |terms: &Vec<NodeTerm>| terms.len() <= 1;
    if likes_nothing(shape) && (!in_turn || shape.node_affinity.as_ref().is_none_or(one)) {
        // So do most pods, and none of them is copied.
        let own = |taints| (Cow::Borrowed(shape), taints);
        return if soft_taints {
            vec![own(SoftTaints::Obeyed), own(SoftTaints::Ignored)]
        } else {
            vec![own(SoftTaints::Ignored)]
        };
    }
    let mut soft = shape.clone();
    // Stable, so that of equal weights the first is given up first.
    soft.preferred_affinity.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    soft.preferred_anti_affinity.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    soft.preferred_nodes.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    let taints = if soft_taints { SoftTaints::Obeyed } else { SoftTaints::Ignored };
    let mut found = Vec::new();
    if in_turn && let Some(terms) = &mut soft.node_affinity {
        let later = if terms.is_empty() { Vec::new() } else { terms.split_off(1) };
        for term in later {
            found.push((Cow::Owned(hard(&soft)), taints));
            soft.node_affinity = Some(vec![term]);
        }
    }
    found.push((Cow::Owned(hard(&soft)), taints));
    while give_up(&mut soft) {
        found.push((Cow::Owned(hard(&soft)), taints));
    }
    if soft_taints {
        found.push((Cow::Owned(hard(&soft)), SoftTaints::Ignored));
    }
    found
}

/// Whether there is nothing that could be given up.
fn likes_nothing(shape: &PodShape) -> bool {
    shape.preferred_affinity.is_empty()
        && shape.preferred_anti_affinity.is_empty()
        && shape.preferred_nodes.is_empty()
        && shape.spread.iter().all(|spread| spread.required)
}

/// A pod that does without everything it would like.
pub(crate) fn without(shape: &PodShape) -> PodShape {
    let mut hard = shape.clone();
    while give_up(&mut hard) {}
    hard
}

fn give_up(shape: &mut PodShape) -> bool {
    if !shape.preferred_affinity.is_empty() {
        shape.preferred_affinity.remove(0);
    } else if !shape.preferred_anti_affinity.is_empty() {
        shape.preferred_anti_affinity.remove(0);
    } else if !shape.preferred_nodes.is_empty() {
        shape.preferred_nodes.remove(0);
    } else if let Some(at) = shape.spread.iter().position(|spread| !spread.required) {
        shape.spread.remove(at);
    } else {
        return false;
    }
    true
}

/// Turns what is preferred into what is required.
fn hard(soft: &PodShape) -> PodShape {
    let mut shape = soft.clone();
    shape.affinity.extend(shape.preferred_affinity.drain(..).map(|(_, term)| term));
    shape.anti_affinity.extend(shape.preferred_anti_affinity.drain(..).map(|(_, term)| term));
    // Only the heaviest, as the peer does: the others come when it is given up.
    if let Some((_, heaviest)) = shape.preferred_nodes.first().cloned() {
        shape.node_affinity = Some(match shape.node_affinity.take() {
            None => vec![heaviest],
            Some(terms) => terms.into_iter().map(|term| both(term, &heaviest)).collect(),
        });
    }
    shape.preferred_nodes.clear();
    shape.spread.iter_mut().for_each(|spread| spread.required = true);
    shape
}

fn both(mut term: NodeTerm, more: &NodeTerm) -> NodeTerm {
    // An empty term matches nothing, with or without more.
    if !term.labels.is_empty() || !term.names.is_empty() {
        term.labels.extend_from_slice(&more.labels);
        term.names.extend_from_slice(&more.names);
    }
    term
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_that_likes_nothing_is_its_own_only_step_but_for_taints() {
        let term = NodeTerm::default();
        let plain = PodShape { node_affinity: Some(vec![term.clone()]), ..PodShape::default() };
        let soft = PodShape { preferred_nodes: vec![(1, term)], ..plain.clone() };
        for in_turn in [false, true] {
            for soft_taints in [false, true] {
                let found = steps(&plain, soft_taints, in_turn);
                assert!(
                    found.iter().all(|(own, _)| **own == plain && matches!(own, Cow::Borrowed(_)))
                );
                // As many, and the same, as are left of a pod that gave everything up.
                let given_up = steps(&soft, soft_taints, in_turn);
                assert_eq!(found[..], given_up[1..]);
            }
        }
    }
}
