//! `InterPodAffinity`: how much pods would like to be together, or apart.
//!
//! What the pod prefers counts for every pod that is there, and what a pod that is there prefers counts as well; if it even
//! requires the pod's company, that counts for a weight of one.

use super::{MOST, NodeScore};
use crate::ids::{NO_DOMAIN, NodeId, OPEN_DOMAIN, TallyId};
use crate::state::State;
use crate::tables::Tables;

/// What each pod of a tally counts in its domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Wish {
    pub(crate) tally: TallyId,
    pub(crate) weight: i64,
}

/// The sum of the weights at a node.
#[inline]
pub(super) fn raw(tables: &Tables, state: &State, wishes: &[Wish], node: NodeId) -> i64 {
    let at = |wish: &Wish| match state.domain(tables.key_of(wish.tally), node) {
        NO_DOMAIN | OPEN_DOMAIN => 0,
        domain => wish.weight * i64::from(state.count(tables, wish.tally, domain)),
    };
    wishes.iter().map(at).sum()
}

/// The highest sum gets all points and the lowest none; if all are equal nobody gets any.
pub(super) fn normalise(scores: &mut [NodeScore]) {
    let sums = || scores.iter().map(|score| score.parts.pod_affinity);
    let (Some(least), Some(most)) = (sums().min(), sums().max()) else { return };
    let range = (most - least) as f64;
    for score in scores {
        let sum = &mut score.parts.pod_affinity;
        let share = if most > least { (*sum - least) as f64 / range } else { 0.0 };
        *sum = (MOST as f64 * share) as i64;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Parts;
    use super::*;

    fn normalised(raw: &[i64]) -> Vec<i64> {
        let score = |(at, raw): (usize, &i64)| {
            let parts = Parts { pod_affinity: *raw, ..Parts::default() };
            NodeScore { node: NodeId::new(at), total: 0, parts }
        };
        let mut scores: Vec<NodeScore> = raw.iter().enumerate().map(score).collect();
        normalise(&mut scores);
        scores.iter().map(|score| score.parts.pod_affinity).collect()
    }

    #[test]
    fn sums_are_spread_between_the_lowest_and_the_highest() {
        assert_eq!(normalised(&[-10, 0, 20]), [0, 33, 100]);
        assert_eq!(normalised(&[3, 5]), [0, 100]);
    }

    #[test]
    fn equal_sums_give_nothing() {
        assert_eq!(normalised(&[7, 7]), [0, 0]);
        assert_eq!(normalised(&[-1]), [0]);
        assert!(normalised(&[]).is_empty());
    }
}
