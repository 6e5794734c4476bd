//! When a node was ready, when a pod last came or went, and when it ends.

use restow_model::{
    Condition, DurationOrNever, GoDuration, Node, NodeClaim, Snapshot, Str, Strings, Time, Truth,
    condition,
};

use super::{NodePod, Role};

/// Whether a condition holds, and since when.
pub(crate) fn holds<'a>(
    conditions: &'a [Condition],
    kind: &str,
    strings: &Strings,
) -> Option<&'a Condition> {
    condition(conditions, kind, strings).filter(|own| own.truth == Truth::True)
}

/// The same for a kind whose name is known; `None` if no object has it.
pub(super) fn is_true(conditions: &[Condition], kind: Option<Str>) -> Option<&Condition> {
    let kind = kind?;
    let found = conditions.iter().find(|own| own.kind == kind);
    found.filter(|own| own.truth == Truth::True)
}

/// Names that are asked for of every node, looked up once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Names {
    pub(super) ready: Option<Str>,
    pub(super) drifted: Option<Str>,
    pub(super) terminating: Option<Str>,
    initialized: Option<Str>,
    /// The label `karpenter.sh/initialized`, and what it says.
    marked: Option<(Str, Str)>,
    evaluated: Option<Str>,
}

impl Names {
    pub(super) fn new(strings: &Strings) -> Self {
        Self {
            ready: strings.get("Ready"),
            drifted: strings.get("Drifted"),
            terminating: strings.get("InstanceTerminating"),
            initialized: strings.get("Initialized"),
            marked: strings.get("karpenter.sh/initialized").zip(strings.get("true")),
            evaluated: strings.get("restow.dev/evaluated-at"),
        }
    }

    /// When a claim's node was last evaluated in vain.
    pub(super) fn evaluated(&self, claim: &NodeClaim, strings: &Strings) -> Option<Time> {
        strings.text(claim.meta.annotations.get(self.evaluated?)?).parse().ok()
    }
}

/// Since when the node is ready for pods; a node of a group since it is there.
pub(super) fn initialized(
    node: &Node,
    claim: Option<&NodeClaim>,
    peer_rules: bool,
    names: &Names,
) -> Option<Time> {
    let Some(claim) = claim else { return Some(node.meta.created) };
    let marked = names.marked.is_some_and(|(key, yes)| node.meta.labels.get(key) == Some(yes));
    if peer_rules && !marked {
        return None;
    }
    match is_true(&claim.conditions, names.initialized) {
        Some(condition) => Some(condition.changed.unwrap_or(claim.meta.created)),
        None => marked.then_some(node.meta.created),
    }
}

/// Whether a node is on its way out. Karpenter looks at the claim, where there is one.
pub(super) fn is_deleting(
    node: &Node,
    claim: Option<&NodeClaim>,
    peer_rules: bool,
    names: &Names,
) -> bool {
    let by_claim = claim.is_some_and(|own| {
        own.meta.deleted.is_some() || is_true(&own.conditions, names.terminating).is_some()
    });
    let by_node = node.meta.deleted.is_some() && (claim.is_none() || !peer_rules);
    by_claim || by_node
}

/// When the last pod came, went or ended: what the claim says, or what the pods themselves say.
pub(super) fn last_pod_event(
    snapshot: &Snapshot,
    claim: Option<&NodeClaim>,
    pods: &[NodePod],
) -> Option<Time> {
    if let Some(known) = claim.and_then(|claim| claim.last_pod_event) {
        return Some(known);
    }
    pods.iter()
        .filter(|own| own.role != Role::Daemon)
        .flat_map(|own| {
            let pod = &snapshot.pods[own.pod as usize];
            [pod.scheduled.or(Some(pod.created)), pod.finished]
        })
        .flatten()
        .filter(|time| *time != Time::default())
        .max()
}

/// How long the node lives in all, when it ends, and how much of that is left.
pub(super) fn lifetime(
    now: Time,
    node: &Node,
    claim: Option<&NodeClaim>,
) -> (Option<GoDuration>, Option<Time>, f64) {
    let Some(DurationOrNever::After(whole)) = claim.and_then(|claim| claim.expire_after) else {
        return (None, None, 1.0);
    };
    let born = claim.map_or(node.meta.created, |claim| claim.meta.created);
    let left = (whole - now.since(born)).nanos() as f64;
    let remaining =
        if whole.is_zero() { 0.0 } else { (left / whole.nanos() as f64).clamp(0.0, 1.0) };
    (Some(whole), Some(born.plus(whole)), remaining)
}
