//! `PodTopologySpread`: the fewer pods of its kind are near, the better.

use super::{MOST, Scratch};
use crate::ids::{Domain, KeyId, NO_DOMAIN, NodeId, OPEN_DOMAIN, TallyId};
use crate::state::State;
use crate::tables::Tables;

/// The constraints of a pod that need not hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SoftSpread {
    /// Whether a node must have the labels of all constraints; where they are the scheduler's own, each constraint looks
    /// at the nodes that have its label.
    pub(crate) strict: bool,
    pub(crate) constraints: Vec<SoftConstraint>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SoftConstraint {
    pub(crate) key: KeyId,
    /// Who is counted, by domain or, for the host name, node by node.
    pub(crate) tally: TallyId,
    /// Whether it spreads over hosts: the scheduler then takes every node for a host of its own.
    pub(crate) hosts: bool,
    pub(crate) max_skew: i32,
}

/// A node that lacks a label: it gets no points, whatever the others get.
const IGNORED: i64 = -1;

fn domain(state: &State, key: KeyId, node: NodeId) -> Option<Domain> {
    Some(state.domain(key, node)).filter(|own| !matches!(*own, NO_DOMAIN | OPEN_DOMAIN))
}

/// Gives points for the spread to all nodes.
pub(super) fn score(tables: &Tables, state: &State, spread: &SoftSpread, scratch: &mut Scratch) {
    let mut hosts = 0;
    for score in &mut scratch.scores {
        let lacks = |own: &SoftConstraint| domain(state, own.key, score.node).is_none();
        let ignored = spread.strict && spread.constraints.iter().any(lacks);
        score.parts.spread = if ignored { IGNORED } else { 0 };
        hosts += usize::from(!ignored);
    }
    scratch.weights.clear();
    for constraint in &spread.constraints {
        let domains =
            if constraint.hosts { hosts } else { domains(tables, state, constraint.key, scratch) };
        // Pods in one of many domains count for more: their number is smaller to begin with.
        scratch.weights.push(((domains + 2) as f64).ln());
    }
    for score in scratch.scores.iter_mut().filter(|score| score.parts.spread != IGNORED) {
        let mut sum = 0.0;
        for (constraint, weight) in spread.constraints.iter().zip(&scratch.weights) {
            let Some(domain) = domain(state, constraint.key, score.node) else { continue };
            let domain = if constraint.hosts { score.node.0 } else { domain };
            let count = state.count(tables, constraint.tally, domain);
            sum += f64::from(count) * weight + f64::from(constraint.max_skew - 1);
        }
        score.parts.spread = f64::round(sum) as i64;
    }
    normalise(scratch);
}

/// How many domains the candidates are in. Those without the label, if they are looked at, are one more.
fn domains(tables: &Tables, state: &State, key: KeyId, scratch: &mut Scratch) -> usize {
    let places = tables.keys.get(key).values.len();
    scratch.seen.clear();
    scratch.seen.resize(places / 64 + 1, 0);
    let mut found = 0;
    for score in scratch.scores.iter().filter(|score| score.parts.spread != IGNORED) {
        let at = domain(state, key, score.node).map_or(places, |domain| domain as usize);
        let (word, bit) = (&mut scratch.seen[at / 64], 1 << (at % 64));
        found += usize::from(*word & bit == 0);
        *word |= bit;
    }
    found
}

/// The smallest sum gets all points, and the others less by what they have more.
fn normalise(scratch: &mut Scratch) {
    let sums = || scratch.scores.iter().map(|own| own.parts.spread).filter(|own| *own != IGNORED);
    let (least, most) = (sums().min().unwrap_or_default(), sums().max().unwrap_or_default());
    for score in &mut scratch.scores {
        score.parts.spread = match score.parts.spread {
            IGNORED => 0,
            _ if most == 0 => MOST,
            sum => MOST * (most + least - sum) / most,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NodeScore, Parts};
    use super::*;

    fn normalised(raw: &[i64]) -> Vec<i64> {
        let score = |(at, raw): (usize, &i64)| {
            let parts = Parts { spread: *raw, ..Parts::default() };
            NodeScore { node: NodeId::new(at), total: 0, parts }
        };
        let scores = raw.iter().enumerate().map(score).collect();
        let mut scratch = Scratch { scores, ..Scratch::default() };
        normalise(&mut scratch);
        scratch.scores.iter().map(|score| score.parts.spread).collect()
    }

    #[test]
    fn the_emptiest_gets_all_points_and_the_fullest_what_the_emptiest_leaves() {
        assert_eq!(normalised(&[1, 2, 4]), [100, 75, 25]);
        assert_eq!(normalised(&[0, 3]), [100, 0]);
        assert_eq!(normalised(&[5, 5]), [100, 100]);
    }

    #[test]
    fn with_nobody_anywhere_all_get_all_points_but_nodes_without_the_label() {
        assert_eq!(normalised(&[0, IGNORED, 0]), [100, 0, 100]);
        assert_eq!(normalised(&[IGNORED]), [0]);
        assert_eq!(normalised(&[2, IGNORED, 4]), [100, 0, 50]);
    }
}
