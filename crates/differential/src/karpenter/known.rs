//! Differences that are meant to be, or that nobody can avoid. Each is counted; everything else fails the comparison.

use restow_testkit::consolidation::Cluster;
use serde_json::Value;

use super::compare::Difference;

/// A difference that has an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Known {
    /// Karpenter gave several answers, and ours is another one: where a new node may be in several zones, topology spread
    /// picks one in the order of a Go map, and not all of its answers were seen.
    Chance,
    /// A pod that gives up something (the first of its terms of node affinity, a preference, or its dislike of a
    /// `PreferNoSchedule` taint) gets its spread constraints counted anew, without the pods that were placed before in the
    /// same simulation: Karpenter then puts more pods on a node or in a zone than the constraint allows. That would fail
    /// when it is carried out, so it is not copied.
    ForgottenPods,
}

impl Known {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Chance => "up to chance, with an answer that was not among Karpenter's",
            Self::ForgottenPods => {
                "Karpenter forgot pods that it had placed, and broke a spread constraint"
            }
        }
    }
}

/// The explanation of a difference, if it has one.
pub(crate) fn find(difference: &Difference, cluster: &Cluster) -> Option<Known> {
    if difference.chance {
        return Some(Known::Chance);
    }
    let stricter = ["delete against none", "replace against none", "delete against replace"];
    let is_stricter = stricter.iter().any(|kind| difference.kind.ends_with(kind));
    (is_stricter && may_forget(cluster)).then_some(Known::ForgottenPods)
}

/// Whether some pod spreads, and some has something to give up.
fn may_forget(cluster: &Cluster) -> bool {
    let pods = || cluster.objects.iter().filter(|object| object["kind"] == "Pod");
    let pools = cluster.objects.iter().filter(|object| object["kind"] == "NodePool");
    let is_soft = |taint: &Value| taint["effect"] == "PreferNoSchedule";
    let soft = pools.filter_map(|pool| pool["spec"]["template"]["spec"]["taints"].as_array());
    let spreads = |pod: &Value| pod["spec"]["topologySpreadConstraints"].is_array();
    pods().any(spreads) && (soft.flatten().any(is_soft) || pods().any(gives_up))
}

fn gives_up(pod: &Value) -> bool {
    let affinity = &pod["spec"]["affinity"];
    let terms = &affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
    let several = terms["nodeSelectorTerms"].as_array().is_some_and(|terms| terms.len() > 1);
    let preferred = ["nodeAffinity", "podAffinity", "podAntiAffinity"]
        .iter()
        .any(|kind| affinity[kind]["preferredDuringSchedulingIgnoredDuringExecution"].is_array());
    let spread = pod["spec"]["topologySpreadConstraints"].as_array();
    let soft = spread.into_iter().flatten().any(|own| own["whenUnsatisfiable"] == "ScheduleAnyway");
    several || preferred || soft
}
