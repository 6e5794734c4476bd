//! What the oracle says. Lists are in the order of names unless they say otherwise.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The answers about one cluster; what was not asked for is not there.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct Answer {
    /// The whole question failed.
    pub(crate) error: Option<String>,
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) rejected: Vec<Rejection>,
    /// How many nodes each pool allows to disrupt, by reason.
    pub(crate) budgets: BTreeMap<String, BTreeMap<String, i64>>,
    /// The totals of the pools with the policy Balanced.
    pub(crate) balanced: BTreeMap<String, Totals>,
    pub(crate) emptiness: Option<Emptiness>,
    pub(crate) multi: Option<Decision>,
    /// One for each candidate of consolidation, alone.
    pub(crate) single: Vec<Decision>,
    pub(crate) simulations: Vec<Simulation>,
}

/// A node that may be disrupted.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Candidate {
    pub(crate) node: String,
    pub(crate) node_pool: String,
    pub(crate) price: f64,
    pub(crate) reschedule_disruption_cost: f64,
    pub(crate) disruption_cost: f64,
    pub(crate) savings_ratio: f64,
    pub(crate) lifetime_remaining: f64,
    pub(crate) empty: bool,
}

/// Why a node is no candidate at all (`error`), or not one of a method.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Rejection {
    pub(crate) node: String,
    #[serde(default)]
    pub(crate) error: Option<String>,
    /// `emptiness`, or `consolidation` for both multi-node and single-node.
    #[serde(default)]
    pub(crate) method: Option<String>,
    /// Some nodes are left out silently.
    #[serde(default)]
    pub(crate) message: Option<String>,
}

/// What the policy Balanced measures by.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Totals {
    pub(crate) total_cost: f64,
    pub(crate) total_disruption_cost: f64,
}

/// The empty nodes that would be deleted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Emptiness {
    pub(crate) nodes: Vec<String>,
    /// The order in which candidates were looked at.
    pub(crate) order: Vec<String>,
}

/// A command, or why there is none.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Decision {
    /// The node that single-node consolidation was asked about.
    #[serde(default)]
    pub(crate) node: Option<String>,
    #[serde(rename = "decision")]
    pub(crate) verdict: Verdict,
    /// The nodes that multi-node consolidation would remove.
    #[serde(default)]
    pub(crate) nodes: Vec<String>,
    /// All candidates of multi-node consolidation, as it sorted them.
    #[serde(default)]
    pub(crate) order: Vec<String>,
    #[serde(default)]
    pub(crate) replacement: Option<Replacement>,
    #[serde(default)]
    pub(crate) savings: f64,
    #[serde(default)]
    pub(crate) placements: Vec<Placement>,
    #[serde(default)]
    pub(crate) message: Option<String>,
    #[serde(default)]
    pub(crate) pod_errors: Vec<PodError>,
    /// One that Karpenter logs; then it does nothing.
    #[serde(default)]
    pub(crate) error: Option<String>,
    #[serde(default)]
    pub(crate) balanced: Option<Balanced>,
    /// Different answers to the same question, if it was asked repeatedly: any of them is right.
    #[serde(default)]
    pub(crate) others: Vec<Self>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Delete,
    Replace,
    None,
}

/// A node that would be bought.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Replacement {
    pub(crate) node_pool: String,
    /// In the order of their prices, those of equal price in the order of names.
    pub(crate) instance_types: Vec<String>,
    /// What the first type would cost at best; nothing if nobody sells it like that.
    #[serde(default)]
    pub(crate) cheapest: Option<Cheapest>,
    pub(crate) zones: Vec<String>,
    pub(crate) capacity_types: Vec<String>,
    pub(crate) requests: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Cheapest {
    pub(crate) zone: String,
    pub(crate) capacity_type: String,
    pub(crate) price: f64,
}

/// Where a pod would go: to a node, or to the new one of that number, from 1.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Placement {
    pub(crate) pod: String,
    #[serde(default)]
    pub(crate) node: Option<String>,
    #[serde(default)]
    pub(crate) new: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PodError {
    pub(crate) pod: String,
    pub(crate) error: String,
    /// Pods that waited before do not matter.
    #[serde(default)]
    pub(crate) pending: bool,
}

/// What the policy Balanced thinks of a command.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Balanced {
    /// Single-node consolidation looks at the node at all.
    pub(crate) promising: bool,
    pub(crate) approved: bool,
    pub(crate) score: f64,
}

/// Where all pods would go without a node, before anyone looks at prices.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Simulation {
    pub(crate) node: String,
    pub(crate) placements: Vec<Placement>,
    #[serde(default)]
    pub(crate) pod_errors: Vec<PodError>,
    #[serde(default)]
    pub(crate) new: Vec<Replacement>,
    #[serde(default)]
    pub(crate) error: Option<String>,
}
