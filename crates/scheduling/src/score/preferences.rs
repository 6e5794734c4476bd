//! `TaintToleration` and `NodeAffinity`: what is known of the node alone, made comparable.

use super::{MOST, NodeScore};

/// The fewer taints that ask to stay away, the better; with none anywhere all nodes are equally good.
pub(super) fn normalise_taints(scores: &mut [NodeScore]) {
    let most = scores.iter().map(|score| score.parts.taints).max().unwrap_or_default();
    for score in scores {
        let taints = &mut score.parts.taints;
        *taints = MOST - if most == 0 { 0 } else { MOST * *taints / most };
    }
}

/// The more weight of the terms that hold, the better; if none holds anywhere all nodes are equally bad.
pub(super) fn normalise_nodes(scores: &mut [NodeScore]) {
    let most = scores.iter().map(|score| score.parts.node_affinity).max().unwrap_or_default();
    if most == 0 {
        return;
    }
    for score in scores {
        let weight = &mut score.parts.node_affinity;
        *weight = MOST * *weight / most;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Parts;
    use super::*;
    use crate::ids::NodeId;

    fn scores(parts: impl IntoIterator<Item = Parts>) -> Vec<NodeScore> {
        let score = |(at, parts)| NodeScore { node: NodeId::new(at), total: 0, parts };
        parts.into_iter().enumerate().map(score).collect()
    }

    fn taints(raw: &[i64]) -> Vec<i64> {
        let mut scores = scores(raw.iter().map(|raw| Parts { taints: *raw, ..Parts::default() }));
        normalise_taints(&mut scores);
        scores.iter().map(|score| score.parts.taints).collect()
    }

    fn nodes(raw: &[i64]) -> Vec<i64> {
        let part = |raw: &i64| Parts { node_affinity: *raw, ..Parts::default() };
        let mut scores = scores(raw.iter().map(part));
        normalise_nodes(&mut scores);
        scores.iter().map(|score| score.parts.node_affinity).collect()
    }

    #[test]
    fn taints_count_in_reverse_and_against_the_worst() {
        assert_eq!(taints(&[0, 1, 3]), [100, 67, 0]);
        assert_eq!(taints(&[0, 0]), [100, 100]);
        assert_eq!(taints(&[2]), [0]);
    }

    #[test]
    fn preferred_nodes_are_compared_with_the_best() {
        assert_eq!(nodes(&[0, 1, 3]), [0, 33, 100]);
        assert_eq!(nodes(&[0, 0]), [0, 0]);
        assert_eq!(nodes(&[7]), [100]);
    }
}
