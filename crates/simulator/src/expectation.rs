//! What a scenario expects of its runs, so that it is a test.

use restow_model::GoDuration;

use crate::outcome::{Run, Totals};
use crate::setup::Tried;

/// A number of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Metric {
    /// What all nodes cost together, in dollars.
    Dollars,
    /// How long nodes ran together.
    NodeHours,
    /// Pods evicted to consolidate.
    Evictions,
    /// Evicted again within the hour.
    ReEvictions,
    /// The most often that one replica was evicted.
    MaxEvictionsPerPod,
    /// The longest chain of replaced replacements.
    Generations,
    /// Moves carried out.
    Moves,
    /// Moves carried out that promised less than they had to save.
    UnpaidMoves,
    /// Moves taken back.
    RolledBack,
    /// How long pods waited.
    PendingPodSeconds,
    /// Pods that waited at the end.
    PendingAtEnd,
    /// Nodes at the end.
    NodesAtEnd,
    /// Dollars per hour at the end.
    PricePerHourAtEnd,
    /// What an hour costs at the end in percent of what it cost at the start.
    PricePercentOfStart,
    /// The share of evicted pods that came to be where they were meant to.
    PlacementHits,
    /// Work of Jobs that was lost, in hours.
    LostWorkHours,
    /// Evictions of one workload, as `Deployment web/api`.
    EvictionsOf(String),
    /// The least ready replicas of one workload.
    LeastReadyOf(String),
    /// Nodes at a time after the start.
    NodesAt(GoDuration),
}

/// What a number is held against.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// No more than this.
    AtMost(f64),
    /// No less than this.
    AtLeast(f64),
    /// Just this.
    Exactly(f64),
}

/// Something that must hold in every run.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// What people call it.
    pub name: String,
    /// The policy that it is about; `None` all of them.
    pub policy: Option<String>,
    /// The number.
    pub metric: Metric,
    /// What it is held against.
    pub limit: Limit,
    /// Another policy: the limit is a factor of its number for the same seed.
    pub times: Option<String>,
}

/// What came of an expectation.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// What people call it, with the policy if there are several.
    pub name: String,
    /// Whether it held in every run.
    pub passed: bool,
    /// The number of the run that came off worst; `None` if there was none.
    pub actual: Option<f64>,
    /// The seed of that run.
    pub seed: Option<u64>,
    /// What was expected of it.
    pub limit: Limit,
}

impl Metric {
    /// The number of a run; `None` if it has none.
    pub fn of(&self, run: &Run) -> Option<f64> {
        let totals: &Totals = &run.totals;
        let of = |name: &String| run.workloads.iter().find(|own| own.workload == *name);
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
        let count = |value: u64| value as f64;
        Some(match self {
            Self::Dollars => totals.dollars,
            Self::NodeHours => totals.node_hours,
            Self::Evictions => count(totals.evictions),
            Self::ReEvictions => count(totals.re_evictions),
            Self::MaxEvictionsPerPod => count(totals.max_evictions_per_pod),
            Self::Generations => count(totals.generations),
            Self::Moves => count(totals.moves),
            Self::UnpaidMoves => count(totals.unpaid_moves),
            Self::RolledBack => count(totals.rolled_back),
            Self::PendingPodSeconds => totals.pending_pod_seconds,
            Self::PendingAtEnd => count(totals.pending_at_end),
            Self::NodesAtEnd => count(totals.nodes_at_end),
            Self::PricePerHourAtEnd => totals.price_per_hour_at_end,
            Self::PricePercentOfStart => {
                100.0 * totals.price_per_hour_at_end / totals.price_per_hour_at_start
            }
            Self::PlacementHits => totals.placement_hits?,
            Self::LostWorkHours => totals.lost_work_hours,
            Self::EvictionsOf(name) => count(of(name)?.evictions),
            Self::LeastReadyOf(name) => count(of(name)?.least_ready),
            Self::NodesAt(at) => {
                let until = run.series.iter().take_while(|own| own.at <= at.seconds());
                f64::from(until.last()?.nodes)
            }
        })
    }
}

impl Limit {
    fn times(self, factor: f64) -> Self {
        match self {
            Self::AtMost(value) => Self::AtMost(value * factor),
            Self::AtLeast(value) => Self::AtLeast(value * factor),
            Self::Exactly(value) => Self::Exactly(value * factor),
        }
    }

    /// By how much a number is beyond; not above zero if it is within. Sums of prices differ in their last digits.
    fn excess(self, value: f64) -> f64 {
        let slack = |limit: f64| 1e-9 * limit.abs().max(1.0);
        match self {
            Self::AtMost(limit) => value - limit - slack(limit),
            Self::AtLeast(limit) => limit - value - slack(limit),
            Self::Exactly(limit) => (value - limit).abs() - slack(limit),
        }
    }
}

impl Expectation {
    /// Holds it against every run of the policies that it is about.
    pub fn check(&self, tried: &[Tried]) -> Vec<Checked> {
        let about = tried
            .iter()
            .filter(|own| self.policy.as_ref().is_none_or(|policy| *policy == own.policy));
        let several = self.policy.is_none() && tried.len() > 1;
        about
            .map(|own| {
                let name = if several {
                    format!("{} ({})", self.name, own.policy)
                } else {
                    self.name.clone()
                };
                let mut worst: Option<(f64, f64, u64, Limit)> = None;
                let mut missing = own.runs.is_empty();
                for run in &own.runs {
                    let Some((value, limit)) = self.numbers(run, tried) else {
                        missing = true;
                        continue;
                    };
                    let excess = limit.excess(value);
                    if worst.is_none_or(|(most, ..)| excess > most) {
                        worst = Some((excess, value, run.seed, limit));
                    }
                }
                Checked {
                    name,
                    passed: !missing && worst.is_some_and(|(excess, ..)| excess <= 0.0),
                    actual: worst.map(|own| own.1),
                    seed: worst.map(|own| own.2),
                    limit: worst.map_or(self.limit, |own| own.3),
                }
            })
            .collect()
    }

    fn numbers(&self, run: &Run, tried: &[Tried]) -> Option<(f64, Limit)> {
        let value = self.metric.of(run)?;
        let Some(other) = &self.times else { return Some((value, self.limit)) };
        let other = tried.iter().find(|own| own.policy == *other)?;
        let same = other.runs.iter().find(|own| own.seed == run.seed)?;
        Some((value, self.limit.times(self.metric.of(same)?)))
    }
}
