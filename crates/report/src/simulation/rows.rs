//! The parts of `kind: SimulationReport`. Fields may be added, never renamed.

use std::collections::BTreeMap;

use restow_model::Time;
use restow_simulator::outcome::{
    Decision, DecisionNode, Ending, NodeShot, Run, Sample, Totals, WorkloadTotals,
};
use serde::Serialize;

use super::distribution::Distribution;

/// A policy and what came of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PolicyRow {
    /// What people call it.
    pub name: String,
    /// One for each seed.
    pub runs: Vec<RunRow>,
    /// Whether no other policy is as good in cost, evictions and waiting and better in one of them.
    pub pareto: bool,
    /// Whether its runs say something: no pod was left without a node in any.
    pub valid: bool,
    /// How each number differs from run to run, by its name in a run.
    pub distributions: BTreeMap<String, Distribution>,
    /// The seed of the run in the middle by cost, which `before` and `after` are of.
    pub typical_seed: Option<u64>,
    /// The nodes at the start.
    pub before: Vec<NodeShot>,
    /// The nodes at the end.
    pub after: Vec<NodeShot>,
}

impl PolicyRow {
    /// The run that stands for all.
    pub(super) fn typical(&self) -> Option<&RunRow> {
        self.runs.iter().find(|run| Some(run.seed) == self.typical_seed)
    }

    /// How a number differs from run to run.
    pub(super) fn number(&self, key: &str) -> Distribution {
        self.distributions.get(key).copied().unwrap_or_default()
    }
}

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    /// What decided about chance.
    pub seed: u64,
    /// The sums.
    #[serde(flatten)]
    pub totals: Totals,
    /// The workloads that were disturbed, the most disturbed first.
    pub workloads: Vec<WorkloadTotals>,
    /// The decisions in order.
    pub decisions: Vec<DecisionRow>,
    /// The course over time.
    pub series: Vec<Sample>,
}

/// A decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DecisionRow {
    /// Its name.
    pub id: String,
    /// Seconds since the start.
    pub at: f64,
    /// Seconds until it was over.
    pub took: Option<f64>,
    /// The shape of the move.
    pub method: String,
    /// The nodes that went.
    pub sources: Vec<SideRow>,
    /// The nodes that came.
    pub replacements: Vec<SideRow>,
    /// Pods that had to move.
    pub pods: u32,
    /// What it promised to save.
    pub promised_savings_per_hour: f64,
    /// What it saved.
    pub realised_savings_per_hour: f64,
    /// What it had to save for what it disrupts.
    pub required_savings_per_hour: f64,
    /// Units of disruption.
    pub disruption_cost: f64,
    /// Decisions that had launched one of its sources.
    pub parents: Vec<String>,
    /// How it ended.
    pub outcome: EndingRow,
    /// Why it was taken back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// How a decision ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum EndingRow {
    /// It was carried out.
    Done,
    /// It was taken back.
    RolledBack,
    /// The simulation ended before.
    Open,
}

/// A node of a decision.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SideRow {
    /// Its name.
    pub name: String,
    /// Its type.
    pub instance_type: String,
    /// Its terms.
    pub capacity_type: String,
    /// What it costs.
    pub price_per_hour: f64,
}

/// What came of an expectation.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExpectationRow {
    /// What people call it.
    pub name: String,
    /// Whether it held in every run.
    pub passed: bool,
    /// The number of the run that came off worst; null if there was none.
    pub actual: Option<f64>,
    /// What was expected, in words.
    pub expected: String,
    /// The seed of that run.
    pub seed: Option<u64>,
    /// The command that does the run again, if the expectation failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reproduce: Option<String>,
}

impl RunRow {
    /// A run with rounded numbers.
    pub(super) fn new(run: &Run, start: Time) -> Self {
        let disturbed =
            run.workloads.iter().filter(|own| own.evictions > 0 || own.unready_seconds > 0.0);
        Self {
            seed: run.seed,
            totals: totals(&run.totals),
            workloads: disturbed
                .map(|own| WorkloadTotals {
                    unready_seconds: thousandths(own.unready_seconds),
                    ..own.clone()
                })
                .collect(),
            decisions: run.decisions.iter().map(|own| DecisionRow::new(own, start)).collect(),
            series: run
                .series
                .iter()
                .map(|own| Sample {
                    price: millionths(own.price),
                    requested: share(own.requested),
                    ..*own
                })
                .collect(),
        }
    }
}

impl DecisionRow {
    fn new(own: &Decision, start: Time) -> Self {
        let side = |node: &DecisionNode| SideRow {
            name: node.name.clone(),
            instance_type: node.instance_type.clone(),
            capacity_type: node.capacity_type.clone(),
            price_per_hour: millionths(node.price.dollars()),
        };
        let seconds = |millis: i64| millis as f64 / 1e3;
        let (outcome, code) = match &own.ending {
            Ending::Done => (EndingRow::Done, None),
            Ending::RolledBack { code } => (EndingRow::RolledBack, Some(code.clone())),
            Ending::Open => (EndingRow::Open, None),
        };
        Self {
            id: own.id.clone(),
            at: seconds(own.at.since(start).millis()),
            took: own.took.map(|took| seconds(took.millis())),
            method: own.method.clone(),
            sources: own.sources.iter().map(side).collect(),
            replacements: own.replacements.iter().map(side).collect(),
            pods: own.pods,
            promised_savings_per_hour: millionths(own.promised.dollars()),
            realised_savings_per_hour: millionths(own.realised.dollars()),
            required_savings_per_hour: millionths(own.required.dollars()),
            disruption_cost: thousandths(own.cost),
            parents: own.parents.clone(),
            outcome,
            code,
        }
    }
}

/// Numbers without the digits that depend on the order in which they were added up.
fn totals(own: &Totals) -> Totals {
    Totals {
        dollars: millionths(own.dollars),
        node_hours: millionths(own.node_hours),
        pending_pod_seconds: thousandths(own.pending_pod_seconds),
        price_per_hour_at_start: millionths(own.price_per_hour_at_start),
        price_per_hour_at_end: millionths(own.price_per_hour_at_end),
        promised_savings: millionths(own.promised_savings),
        realised_savings: millionths(own.realised_savings),
        placement_hits: own.placement_hits.map(millionths),
        lost_work_hours: millionths(own.lost_work_hours),
        ..own.clone()
    }
}

/// A node with rounded numbers.
pub(super) fn shot(own: &NodeShot) -> NodeShot {
    NodeShot {
        price: millionths(own.price),
        cpu: share(own.cpu),
        memory: share(own.memory),
        ..own.clone()
    }
}

/// Six digits. Zero has no sign.
pub(super) fn millionths(value: f64) -> f64 {
    (value * 1e6).round() / 1e6 + 0.0
}

fn thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3 + 0.0
}

fn share(value: f32) -> f32 {
    (value * 1e4).round() / 1e4
}
