//! What came of a policy, in a sentence.

use super::document::SimulationReport;
use super::rows::PolicyRow;
use super::text::{against, count, dollars, span};

/// `7 days of s1 under restow/careful: $370.12 (12.0% less than doing nothing), 3 moves, 12 evictions, nobody evicted twice.`
pub(super) fn headline(report: &SimulationReport, policy: &PolicyRow) -> String {
    let cost = policy.number("dollars").median;
    let less = report
        .nobody()
        .filter(|nobody| nobody.name != policy.name)
        .and_then(|nobody| difference(cost, nobody.number("dollars").median))
        .map_or_else(String::new, |text| format!(" ({text} doing nothing)"));
    format!(
        "{} of {} under {}: {}{less}, {}, {}, {}.",
        span(report.duration_seconds),
        report.scenario,
        policy.name,
        dollars(cost),
        several(policy.number("moves").median, "move"),
        several(policy.number("evictions").median, "eviction"),
        most_per_pod(policy.number("maxEvictionsPerPod").max),
    )
}

/// `12.0% less than`, `4.1% more than`, `the same as`.
pub(super) fn difference(value: f64, other: f64) -> Option<String> {
    let percent = against(value, other)?;
    Some(match (percent * 10.0).round() {
        0.0 => "the same as".to_owned(),
        own if own < 0.0 => format!("{:.1}% less than", own.abs() / 10.0),
        own => format!("{:.1}% more than", own / 10.0),
    })
}

/// `1 move`, `2.5 moves`.
pub(super) fn several(value: f64, what: &str) -> String {
    let one = (value - 1.0).abs() < 0.05;
    format!("{} {what}{}", count(value), if one { "" } else { "s" })
}

/// How often the pod was evicted that had it worst.
fn most_per_pod(most: f64) -> String {
    match most {
        most if most < 1.0 => "nobody evicted".to_owned(),
        most if most < 2.0 => "nobody evicted twice".to_owned(),
        most if most < 3.0 => "some pod evicted twice".to_owned(),
        most => format!("some pod evicted {} times", count(most)),
    }
}

/// What to know of the numbers: how many runs they are of, and which one the details are of.
pub(super) fn basis(policy: &PolicyRow) -> Option<String> {
    let runs = policy.runs.len();
    let seed = policy.typical_seed.filter(|_| runs > 1)?;
    Some(format!(
        "Numbers are medians of {runs} seeds; moves and workloads are those of seed {seed}, the middle one by cost."
    ))
}

/// What is wrong with a policy whose runs left pods without a node.
pub(super) fn invalid(policy: &PolicyRow) -> Option<String> {
    let bad: Vec<String> = policy
        .runs
        .iter()
        .filter(|run| !run.totals.valid)
        .map(|run| run.seed.to_string())
        .collect();
    match (bad.len(), policy.runs.len()) {
        (0, _) => None,
        (_, 1) => Some(format!(
            "{} left pods without a node at the end: its cost is not comparable.",
            policy.name
        )),
        (count, all) => Some(format!(
            "{} left pods without a node at the end in {count} of {all} runs (seed {}): its cost is not comparable.",
            policy.name,
            bad.join(", ")
        )),
    }
}
