//! A node that was evaluated in vain is left alone for a while (seed 002).

use restow_model::{DurationOrNever, GoDuration, Time};

use crate::fleet::Fleet;
use crate::reason::Reason;

pub(super) fn ask(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    let settings = fleet.settings(at);
    let DurationOrNever::After(grace) = settings.grace_period else { return None };
    let DurationOrNever::After(after) = settings.consolidate_after else { return None };
    let node = &fleet.nodes[at];
    let evaluated = node.evaluated?;
    let turned = node.last_pod_event.or(node.initialized)?.plus(after);
    let until = protected_until(turned, evaluated, grace)?;
    (fleet.now < until).then_some(Reason::InGracePeriod { evaluated, until })
}

/// Until when a node is protected that turned consolidatable at one time and was evaluated in vain at another; `None` if a
/// pod came or went since then, which ends the protection.
pub(super) fn protected_until(turned: Time, evaluated: Time, grace: GoDuration) -> Option<Time> {
    if evaluated < turned {
        return None;
    }
    let first = turned.plus(grace);
    // An evaluation after the first protection protects for another period.
    Some(if evaluated < first { first } else { evaluated.plus(grace) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seed 002, timeline: consolidateAfter 30s, grace period 5m; evaluated at 30s, again at 5m30s.
    #[test]
    fn the_timeline_of_the_seed() {
        let at = Time::from_seconds;
        let grace = GoDuration::from_seconds(300);
        let turned = at(30);
        assert_eq!(protected_until(turned, at(30), grace), Some(at(330)));
        assert_eq!(protected_until(turned, at(45), grace), Some(at(330)));
        assert_eq!(protected_until(turned, at(330), grace), Some(at(630)));
        // A pod event at 100s makes it consolidatable anew at 130s: what was evaluated before counts no more.
        assert_eq!(protected_until(at(130), at(45), grace), None);
    }
}
