//! The node is not fuller than the threshold (seed 000).

use crate::fleet::Fleet;
use crate::reason::Reason;

/// A node with less of its life left than this may go however full it is.
const NEAR_ITS_END: f64 = 0.1;

pub(super) fn ask(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    let (node, threshold) = (&fleet.nodes[at], fleet.settings(at).utilization_threshold);
    let utilization = node.utilization.average;
    let full = threshold < 1.0 && !node.is_empty() && utilization > threshold;
    let spared = node.drifted || node.lifetime_remaining <= NEAR_ITS_END;
    (full && !spared).then_some(Reason::UtilizationAboveThreshold { utilization, threshold })
}
