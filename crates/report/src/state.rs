//! What a node is up to.

use std::fmt;
use std::str::FromStr;

use restow_model::{Condition, Node, NodeClaim, Strings, Time, Truth, condition};
use serde::Serialize;

use crate::style::Style;

/// What a node is up to, what matters most first. A node may be several of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum NodeState {
    /// It, or its claim, is being deleted.
    Deleting,
    /// Its kubelet says that it is not ready, or nobody hears of it.
    NotReady,
    /// Nobody ever said whether it is ready.
    Unknown,
    /// Something chose it to go: Karpenter or the cluster autoscaler tainted it.
    Disrupting,
    /// Karpenter still waits for it to be complete.
    Uninitialized,
    /// No new pods come to it.
    Cordoned,
    /// It is not what its pool says any more.
    Drifted,
    /// It is ready.
    Ready,
}

/// Text that is not a state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {known}, got {0:?}", known = NodeState::ALL.map(NodeState::name).join(", "))]
pub struct ParseStateError(pub String);

impl NodeState {
    /// Every state, in order.
    pub const ALL: [Self; 8] = [
        Self::Deleting,
        Self::NotReady,
        Self::Unknown,
        Self::Disrupting,
        Self::Uninitialized,
        Self::Cordoned,
        Self::Drifted,
        Self::Ready,
    ];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Deleting => "Deleting",
            Self::NotReady => "NotReady",
            Self::Unknown => "Unknown",
            Self::Disrupting => "Disrupting",
            Self::Uninitialized => "Uninitialized",
            Self::Cordoned => "Cordoned",
            Self::Drifted => "Drifted",
            Self::Ready => "Ready",
        }
    }

    /// Whether that is as it should be.
    pub const fn style(self) -> Style {
        match self {
            Self::NotReady | Self::Unknown => Style::Bad,
            Self::Ready => Style::Good,
            _ => Style::Warn,
        }
    }
}

impl fmt::Display for NodeState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for NodeState {
    type Err = ParseStateError;

    /// Its name in any case, with or without hyphens.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let word: String = text.chars().filter(|c| *c != '-').collect();
        Self::ALL
            .into_iter()
            .find(|state| state.name().eq_ignore_ascii_case(&word))
            .ok_or_else(|| ParseStateError(text.to_owned()))
    }
}

/// The states of a node, at least one, and since when it is not ready.
pub(crate) fn states(
    node: &Node,
    claim: Option<&NodeClaim>,
    strings: &Strings,
) -> (Vec<NodeState>, Option<Time>) {
    let holds = |conditions: &[Condition], kind| {
        condition(conditions, kind, strings).is_some_and(|own| own.truth == Truth::True)
    };
    let ready = condition(&node.conditions, "Ready", strings);
    let deleting =
        node.meta.deleted.is_some() || claim.is_some_and(|claim| claim.meta.deleted.is_some());
    let label = |key| node.meta.labels.text(key, strings);
    let initialized = claim.map_or_else(
        || {
            label("karpenter.sh/nodepool").is_none()
                || label("karpenter.sh/initialized") == Some("true")
        },
        |claim| holds(&claim.conditions, "Initialized"),
    );
    let health = match ready.map(|ready| ready.truth) {
        Some(Truth::True) => NodeState::Ready,
        Some(_) => NodeState::NotReady,
        None => NodeState::Unknown,
    };
    let drifted = claim.is_some_and(|claim| holds(&claim.conditions, "Drifted"));
    let mut states: Vec<NodeState> = [
        (deleting, NodeState::Deleting),
        (is_disrupting(node, strings), NodeState::Disrupting),
        (!initialized, NodeState::Uninitialized),
        (node.unschedulable, NodeState::Cordoned),
        (drifted, NodeState::Drifted),
        (true, health),
    ]
    .into_iter()
    .filter_map(|(is, state)| is.then_some(state))
    .collect();
    states.sort_unstable();
    (states, ready.filter(|ready| ready.truth != Truth::True).and_then(|ready| ready.changed))
}

fn is_disrupting(node: &Node, strings: &Strings) -> bool {
    node.taints.iter().any(|taint| {
        matches!(
            strings.text(taint.key),
            "karpenter.sh/disrupted" | "karpenter.sh/disruption" | "ToBeDeletedByClusterAutoscaler"
        )
    })
}

/// Whether an annotation asks to leave the node alone.
pub(crate) fn is_do_not_disrupt(node: &Node, claim: Option<&NodeClaim>, strings: &Strings) -> bool {
    const KEYS: [&str; 4] = [
        "karpenter.sh/do-not-disrupt",
        "karpenter.sh/do-not-evict",
        "karpenter.sh/do-not-consolidate",
        "cluster-autoscaler.kubernetes.io/scale-down-disabled",
    ];
    let all = [Some(&node.meta), claim.map(|claim| &claim.meta)];
    all.into_iter()
        .flatten()
        .any(|meta| KEYS.into_iter().any(|key| meta.annotations.text(key, strings) == Some("true")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_in_any_case() {
        for text in ["NotReady", "notready", "not-ready", "NOT-READY"] {
            assert_eq!(text.parse(), Ok(NodeState::NotReady));
        }
        let error = "sleepy".parse::<NodeState>().unwrap_err().to_string();
        assert!(error.starts_with("expected Deleting, NotReady,"), "{error}");
    }
}
