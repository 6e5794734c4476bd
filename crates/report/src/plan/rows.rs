//! The parts of `kind: Plan`. Fields may be added, never renamed.

use serde::{Deserialize, Serialize};

use crate::reason::ReasonValues;

/// Where prices come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CatalogInfo {
    /// The sources, the strongest last.
    pub source: String,
    /// The day of the oldest of them.
    pub date: Option<String>,
}

/// Nodes, pods and price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TotalsRow {
    /// Nodes.
    pub nodes: usize,
    /// Pods that hold room on them.
    pub pods: usize,
    /// What the nodes cost, as far as it is known.
    pub price_per_hour: f64,
}

/// A move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MoveRow {
    /// `m1` and so on, in the order of the plan.
    pub id: String,
    /// When it may run: 1 is now, `None` not while a budget is zero or a window closed.
    pub wave: Option<u32>,
    /// Its shape.
    pub method: String,
    /// `delete` or `replace`.
    pub decision: String,
    /// The nodes that go.
    pub nodes: Vec<String>,
    /// The nodes that come.
    pub replacements: Vec<ReplacementRow>,
    /// The pods that move.
    pub pods: Vec<PodRow>,
    /// What the nodes cost that go.
    pub price_per_hour_before: f64,
    /// What the nodes cost that come.
    pub price_per_hour_after: f64,
    /// The difference.
    pub savings_per_hour: f64,
    /// Units of disruption.
    pub disruption_cost: f64,
    /// What it must save.
    pub required_savings_per_hour: f64,
    /// The least score of the pools with policy Balanced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// What should be known before it is carried out.
    pub risks: Vec<RiskRow>,
    /// Why it does not run now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deferred: Option<ReasonRow>,
}

/// A node that is to be launched.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplacementRow {
    /// Its pool.
    pub node_pool: String,
    /// Types that it may be launched as, the cheapest first.
    pub instance_types: Vec<String>,
    /// Zones that it may be launched in.
    pub zones: Vec<String>,
    /// Terms that it may be launched under.
    pub capacity_types: Vec<String>,
    /// The most that it may cost with these.
    pub price_per_hour: f64,
    /// How full it is with its pods and daemons if it is launched as the cheapest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utilization: Option<UtilizationRow>,
}

/// A pod that moves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodRow {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The node that it leaves.
    pub from: String,
    /// A node, or `replacement/0` of the same move.
    pub to: String,
}

/// What should be known of a move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RiskRow {
    /// What programs compare.
    pub code: String,
    /// What people read.
    pub message: String,
    /// Namespace and name of the pod that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
}

/// How full a node is by requests, from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UtilizationRow {
    /// Of cpu.
    pub cpu: f64,
    /// Of memory.
    pub memory: f64,
    /// The average.
    pub average: f64,
}

/// A node and what becomes of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeRow {
    /// Its name.
    pub name: String,
    /// Its pool.
    pub node_pool: Option<String>,
    /// Its type.
    pub instance_type: Option<String>,
    /// Its zone.
    pub zone: Option<String>,
    /// Its terms.
    pub capacity_type: Option<String>,
    /// What it costs.
    pub price_per_hour: Option<f64>,
    /// How full it is.
    pub utilization: UtilizationRow,
    /// What it costs to disrupt.
    pub disruption_cost: f64,
    /// How much of its life is left.
    pub lifetime_remaining: f64,
    /// What becomes of it.
    pub verdict: String,
    /// The move that it is part of.
    #[serde(default, rename = "move", skip_serializing_if = "Option::is_none")]
    pub in_move: Option<String>,
    /// Why, the headline first.
    pub reasons: Vec<ReasonRow>,
    /// How full it is after every move that has a wave, where that is not as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utilization_after: Option<UtilizationRow>,
}

/// Why a node stays or waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReasonRow {
    /// The gate that was failed.
    pub gate: String,
    /// What programs compare.
    pub code: String,
    /// What people read.
    pub message: String,
    /// What programs calculate with.
    pub values: ReasonValues,
    /// When it ends by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// What stands in the way of savings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LockedRow {
    /// The reason's code.
    pub code: String,
    /// The object.
    pub object: Option<String>,
    /// Nodes that it keeps.
    pub nodes: usize,
    /// What they would save by themselves.
    pub savings_per_hour: f64,
}

/// The least that any fleet for these pods would cost.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Bound {
    /// The least price.
    pub price_per_hour: f64,
    /// How far the plan's is above it.
    pub gap_percent: f64,
}

/// What the work took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatsRow {
    /// Nodes that may go.
    pub candidates: usize,
    /// Questions asked of the engine.
    pub probes: u64,
    /// Units of work.
    pub effort: u64,
    /// The time it took, which is the only thing that differs between equal runs.
    pub elapsed_ms: f64,
    /// Whether the deadline ended the search.
    pub deadline_hit: bool,
}

/// What the plan disturbs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evictions {
    /// Pods that move in moves that have a wave.
    pub pods: usize,
    /// Workloads that they are of.
    pub workloads: usize,
}

/// What pods would like but do not need, and what it costs to keep that.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreferencesRow {
    /// Pods that would like anything.
    pub pods: usize,
    /// Pods by what they would like.
    pub kinds: Vec<PreferenceKindRow>,
    /// What the fleet costs after this plan, which keeps what it can of it.
    pub price_per_hour: f64,
    /// What it would cost after a plan that goes by requirements alone; `null` if the deadline ended that plan.
    pub price_per_hour_ignored: Option<f64>,
    /// The difference, never below zero.
    pub cost_per_hour: Option<f64>,
    /// What that other plan would take from pods that have it now, the most pods first.
    pub given_up: Vec<GivenUpRow>,
}

/// Pods that would like something of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreferenceKindRow {
    /// `NodeAffinity`, `PodAffinity`, `PodAntiAffinity`, `TopologySpread` or `Taint`.
    pub kind: String,
    /// How many.
    pub pods: usize,
}

/// Pods of a workload that would have to do without.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenUpRow {
    /// Namespace and name of the workload, or of a pod that has none.
    pub workload: String,
    /// What they would do without.
    pub kind: String,
    /// How many pods.
    pub pods: usize,
}
