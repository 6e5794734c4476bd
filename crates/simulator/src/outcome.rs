//! What came of a simulation: sums, their course over time, every decision, and the nodes before and after.

use restow_model::{GoDuration, Price, Time};
use serde::Serialize;

/// One run of one policy.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// What decided about chance.
    pub seed: u64,
    /// The sums.
    #[serde(flatten)]
    pub totals: Totals,
    /// Sums by workload, those that were disturbed most first.
    pub workloads: Vec<WorkloadTotals>,
    /// The course over time, at equal distances; bounded in number.
    pub series: Vec<Sample>,
    /// Every decision that was begun, in order.
    pub decisions: Vec<Decision>,
    /// The nodes at the start.
    pub before: Vec<NodeShot>,
    /// The nodes at the end.
    pub after: Vec<NodeShot>,
}

/// The sums of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// What all nodes cost together.
    pub dollars: f64,
    /// How long they ran together.
    pub node_hours: f64,
    /// Pods that were evicted to consolidate.
    pub evictions: u64,
    /// Those of them whose replica had been evicted within the hour before.
    pub re_evictions: u64,
    /// The most often that one replica was evicted.
    pub max_evictions_per_pod: u64,
    /// The longest chain of nodes that were replaced by nodes that were replaced.
    pub generations: u64,
    /// Moves that were carried out.
    pub moves: u64,
    /// Those of them that promised to save less than what they disturbed had to save.
    pub unpaid_moves: u64,
    /// Moves that were begun and taken back.
    pub rolled_back: u64,
    /// Nodes that moves deleted.
    pub nodes_disrupted: u64,
    /// How long pods waited for a node, in sum.
    pub pending_pod_seconds: f64,
    /// Pods that waited for a node at the end for longer than a launch takes.
    pub pending_at_end: u64,
    /// Nodes at the start.
    pub nodes_at_start: u64,
    /// Nodes at the end.
    pub nodes_at_end: u64,
    /// The most nodes at a time.
    pub most_nodes: u64,
    /// What an hour cost at the start, in dollars.
    pub price_per_hour_at_start: f64,
    /// What an hour cost at the end, in dollars.
    pub price_per_hour_at_end: f64,
    /// What moves promised to save per hour, in dollars.
    pub promised_savings: f64,
    /// What they saved per hour, in dollars.
    pub realised_savings: f64,
    /// The share of evicted pods that came to be where the plan had put them.
    pub placement_hits: Option<f64>,
    /// Spot nodes that were taken back.
    pub interruptions: u64,
    /// Work of Jobs that was lost, in hours.
    pub lost_work_hours: f64,
    /// Searches for moves.
    pub searches: u64,
    /// Whether it says anything about the policy: no pod was left without a node.
    pub valid: bool,
}

/// The sums of one workload.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkloadTotals {
    /// Kind, namespace and name, as `Deployment web/api`.
    pub workload: String,
    /// Pods that were evicted to consolidate.
    pub evictions: u64,
    /// The least ready replicas at a time, once it had been ready.
    pub least_ready: u64,
    /// How long fewer were ready than wanted, in seconds.
    pub unready_seconds: f64,
}

/// The cluster at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sample {
    /// Seconds since the start.
    pub at: i64,
    /// Nodes that cost money.
    pub nodes: u32,
    /// Pods that are bound.
    pub pods: u32,
    /// Pods that wait.
    pub pending: u32,
    /// Dollars per hour.
    pub price: f64,
    /// Evictions so far.
    pub evictions: u64,
    /// What is asked of what there is: the larger of cpu and memory, from 0 to 1.
    pub requested: f32,
}

/// A node at one instant.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeShot {
    /// Its name.
    pub name: String,
    /// Its pool.
    pub pool: String,
    /// Its type.
    pub instance_type: String,
    /// Its zone.
    pub zone: String,
    /// Its terms.
    pub capacity_type: String,
    /// Dollars per hour.
    pub price: f64,
    /// What pods ask of its cpu, from 0 to 1.
    pub cpu: f32,
    /// What pods ask of its memory, from 0 to 1.
    pub memory: f32,
    /// Pods, daemons left out.
    pub pods: u32,
}

/// How a decision ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "outcome")]
pub enum Ending {
    /// It was carried out.
    Done,
    /// It was taken back.
    RolledBack {
        /// The code of the reason.
        code: String,
    },
    /// The simulation ended before.
    Open,
}

/// A node of a decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DecisionNode {
    /// Its name; for one that was never launched its claim's.
    pub name: String,
    /// Its type.
    pub instance_type: String,
    /// Its terms.
    pub capacity_type: String,
    /// What it costs per hour.
    pub price: Price,
}

/// A decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    /// Its name.
    pub id: String,
    /// When it was made.
    pub at: Time,
    /// How long it took until it was over.
    pub took: Option<GoDuration>,
    /// The shape of the move: emptiness, single-node, multi-node, global.
    pub method: String,
    /// The nodes that went.
    pub sources: Vec<DecisionNode>,
    /// The nodes that came.
    pub replacements: Vec<DecisionNode>,
    /// Pods that had to move.
    pub pods: u32,
    /// What it promised to save per hour.
    pub promised: Price,
    /// What it saved per hour.
    pub realised: Price,
    /// What it had to save for what it disrupts.
    pub required: Price,
    /// The disruption cost.
    pub cost: f64,
    /// Decisions that had launched one of its sources.
    pub parents: Vec<String>,
    /// How it ended.
    #[serde(flatten)]
    pub ending: Ending,
}
