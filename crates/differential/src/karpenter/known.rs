//! Differences that are meant to be, or that nobody can avoid. Each is counted; everything else fails the comparison.

use restow_testkit::consolidation::Cluster;

use super::compare::Difference;

/// A difference that has an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Known {
    /// Karpenter gave several answers, and ours is another one: where a new node may be in several zones, topology spread
    /// picks one in the order of a Go map, and not all of its answers were seen.
    Chance,
}

impl Known {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Chance => "up to chance, with an answer that was not among Karpenter's",
        }
    }
}

/// The explanation of a difference, if it has one.
pub(crate) fn find(difference: &Difference, _cluster: &Cluster) -> Option<Known> {
    difference.chance.then_some(Known::Chance)
}
