//! From runs to `kind: SimulationReport`: names, rounded numbers, and what they say together.

use restow_model::{GoDuration, Time};
use restow_simulator::{Checked, Limit, Run, Tried};
use serde::Serialize;

use super::distribution::{Distribution, NUMBERS};
use super::pareto::pareto;
use super::rows::{ExpectationRow, PolicyRow, RunRow, millionths, shot};
use super::text::plain;

/// What was simulated, and what came of it.
#[derive(Clone, Copy, Debug)]
pub struct Simulated<'a> {
    /// The scenario's name.
    pub scenario: &'a str,
    /// When it starts.
    pub start: Time,
    /// How long it runs.
    pub duration: GoDuration,
    /// What came of each policy, in the order in which they are shown.
    pub tried: &'a [Tried],
    /// The one of them under which nobody consolidates, if there is one: what the others are held against.
    pub baseline: Option<&'a str>,
    /// What came of expectations.
    pub checked: &'a [Checked],
    /// The command that did it, as `restow simulate s1.yaml`: with a seed added it does one run again.
    pub command: &'a str,
}

/// `kind: SimulationReport`. Fields may be added, never renamed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SimulationReport {
    /// `restow.dev/v1alpha1`.
    pub api_version: &'static str,
    /// `SimulationReport`.
    pub kind: &'static str,
    /// The scenario's name.
    pub scenario: String,
    /// When it starts.
    pub start: String,
    /// How long it runs.
    pub duration_seconds: i64,
    /// The policy under which nobody consolidates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// What came of each policy.
    pub policies: Vec<PolicyRow>,
    /// What came of expectations.
    pub expectations: Vec<ExpectationRow>,
}

/// The report. Equal runs give equal bytes.
pub fn simulation_document(simulated: &Simulated<'_>) -> SimulationReport {
    let mut policies: Vec<PolicyRow> =
        simulated.tried.iter().map(|tried| policy(tried, simulated.start)).collect();
    let marks = pareto(&policies.iter().map(point).collect::<Vec<_>>());
    for (own, mark) in policies.iter_mut().zip(marks) {
        own.pareto = mark;
    }
    SimulationReport {
        api_version: "restow.dev/v1alpha1",
        kind: "SimulationReport",
        scenario: simulated.scenario.to_owned(),
        start: simulated.start.to_string(),
        duration_seconds: simulated.duration.seconds(),
        baseline: simulated.baseline.map(str::to_owned),
        policies,
        expectations: simulated
            .checked
            .iter()
            .map(|own| expectation(own, simulated.command))
            .collect(),
    }
}

impl SimulationReport {
    /// The policy under which nobody consolidates.
    pub(super) fn nobody(&self) -> Option<&PolicyRow> {
        let name = self.baseline.as_ref()?;
        self.policies.iter().find(|own| own.name == *name)
    }

    /// How many runs each policy had, at most.
    pub(super) fn seeds(&self) -> usize {
        self.policies.iter().map(|own| own.runs.len()).max().unwrap_or(0)
    }
}

/// What policies are compared by; `None` for those that say nothing.
fn point(own: &PolicyRow) -> Option<[f64; 3]> {
    let median = |key: &str| own.distributions.get(key).map(|own| own.median);
    own.valid.then_some(())?;
    Some([median("dollars")?, median("evictions")?, median("pendingPodSeconds")?])
}

/// A policy by itself, not compared with any.
pub(super) fn policy(tried: &Tried, start: Time) -> PolicyRow {
    let shown = typical(&tried.runs);
    let runs: Vec<RunRow> = tried.runs.iter().map(|run| RunRow::new(run, start)).collect();
    let distributions = NUMBERS.iter().filter_map(|number| {
        let values: Vec<f64> = runs.iter().filter_map(|run| (number.of)(&run.totals)).collect();
        Some((number.key.to_owned(), Distribution::of(values)?))
    });
    PolicyRow {
        name: tried.policy.clone(),
        distributions: distributions.collect(),
        valid: !runs.is_empty() && runs.iter().all(|run| run.totals.valid),
        pareto: false,
        typical_seed: shown.map(|run| run.seed),
        before: shown.map(|run| run.before.iter().map(shot).collect()).unwrap_or_default(),
        after: shown.map(|run| run.after.iter().map(shot).collect()).unwrap_or_default(),
        runs,
    }
}

/// The run that stands for all: the middle one by cost, if possible one that says something.
fn typical(runs: &[Run]) -> Option<&Run> {
    let some_valid = runs.iter().any(|run| run.totals.valid);
    let mut order: Vec<&Run> = runs.iter().filter(|run| run.totals.valid || !some_valid).collect();
    order.sort_by(|a, b| a.totals.dollars.total_cmp(&b.totals.dollars).then(a.seed.cmp(&b.seed)));
    order.get(order.len().saturating_sub(1) / 2).copied()
}

fn expectation(own: &Checked, command: &str) -> ExpectationRow {
    let seed = own.seed.filter(|_| !own.passed);
    ExpectationRow {
        name: own.name.clone(),
        passed: own.passed,
        actual: own.actual.map(millionths),
        expected: match own.limit {
            Limit::AtMost(limit) => format!("at most {}", plain(limit)),
            Limit::AtLeast(limit) => format!("at least {}", plain(limit)),
            Limit::Exactly(limit) => plain(limit),
        },
        seed: own.seed,
        reproduce: seed.map(|seed| format!("{command} --seed {seed}")),
    }
}
