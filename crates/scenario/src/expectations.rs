//! What is expected of runs.

use restow_catalog::nearest;
use restow_simulator::{Expectation, Limit, Metric};

use crate::cast::Cast;
use crate::cursor::At;

/// The names of the numbers.
pub(crate) const METRICS: &[&str] = &[
    "dollars",
    "nodeHours",
    "evictions",
    "reEvictions",
    "maxEvictionsPerPod",
    "generations",
    "moves",
    "unpaidMoves",
    "rolledBack",
    "pendingPodSeconds",
    "pendingAtEnd",
    "nodesAtEnd",
    "pricePerHourAtEnd",
    "pricePercentOfStart",
    "placementHits",
    "lostWorkHours",
    "evictionsOf",
    "leastReadyOf",
    "nodesAt",
];

/// The expectations of a scenario with these policies.
pub(crate) fn expectations(spec: &At<'_>, cast: &Cast<'_>, policies: &[&str]) -> Vec<Expectation> {
    spec.all("expectations").iter().filter_map(|own| one(own, cast, policies)).collect()
}

fn one(at: &At<'_>, cast: &Cast<'_>, policies: &[&str]) -> Option<Expectation> {
    let metric = metric(at, cast);
    let limits = [
        ("at most", at.number_of("atMost").map(Limit::AtMost)),
        ("at least", at.number_of("atLeast").map(Limit::AtLeast)),
        ("exactly", at.number_of("exactly").map(Limit::Exactly)),
    ];
    let (words, limit) = limits.into_iter().find_map(|(words, own)| Some((words, own?)))?;
    let policy = known(at, "policy", policies);
    let times = known(at, "timesPolicy", policies);
    let name = at.text_of("name").map_or_else(|| spelled(at, words, limit), str::to_owned);
    Some(Expectation { name, policy, metric: metric?, limit, times })
}

fn known(at: &At<'_>, field: &str, policies: &[&str]) -> Option<String> {
    let own = at.get(field)?;
    if !policies.contains(&own.text()) {
        own.fail(match nearest(own.text(), policies.iter().copied(), 1).first() {
            Some(near) => format!("no policy is called {:?}; did you mean {near}?", own.text()),
            None => {
                format!("no policy is called {:?}; there are {}", own.text(), policies.join(", "))
            }
        });
    }
    Some(own.text().to_owned())
}

fn metric(at: &At<'_>, cast: &Cast<'_>) -> Option<Metric> {
    let name = at.text_of("metric")?;
    let (of_workload, at_time) =
        (matches!(name, "evictionsOf" | "leastReadyOf"), name == "nodesAt");
    for (field, wanted) in [("workload", of_workload), ("at", at_time)] {
        match at.get(field) {
            Some(own) if !wanted => own.fail_key(format!("{name} has no use for it")),
            None if wanted => at.fail(format!("{name} needs the field {field}")),
            _ => {}
        }
    }
    let workload = || {
        let own = at.get("workload")?;
        let found = cast.find(&own)?;
        if let [first, _, ..] = found.as_slice() {
            let (of, name) = (found.len(), &cast.members[*first].name);
            own.fail(format!(
                "{:?} stands for {of} workloads: name one, such as {name}",
                own.text()
            ));
        }
        found.first().map(|first| cast.members[*first].to_string())
    };
    Some(match name {
        "dollars" => Metric::Dollars,
        "nodeHours" => Metric::NodeHours,
        "evictions" => Metric::Evictions,
        "reEvictions" => Metric::ReEvictions,
        "maxEvictionsPerPod" => Metric::MaxEvictionsPerPod,
        "generations" => Metric::Generations,
        "moves" => Metric::Moves,
        "unpaidMoves" => Metric::UnpaidMoves,
        "rolledBack" => Metric::RolledBack,
        "pendingPodSeconds" => Metric::PendingPodSeconds,
        "pendingAtEnd" => Metric::PendingAtEnd,
        "nodesAtEnd" => Metric::NodesAtEnd,
        "pricePerHourAtEnd" => Metric::PricePerHourAtEnd,
        "pricePercentOfStart" => Metric::PricePercentOfStart,
        "placementHits" => Metric::PlacementHits,
        "lostWorkHours" => Metric::LostWorkHours,
        "evictionsOf" => Metric::EvictionsOf(workload()?),
        "leastReadyOf" => Metric::LeastReadyOf(workload()?),
        "nodesAt" => Metric::NodesAt(at.duration_of("at")?),
        _ => return None,
    })
}

/// `evictions at most 0`, for an expectation that nobody named.
fn spelled(at: &At<'_>, words: &str, limit: Limit) -> String {
    let (Limit::AtMost(value) | Limit::AtLeast(value) | Limit::Exactly(value)) = limit;
    let mut text = at.text_of("metric").unwrap_or_default().to_owned();
    for (before, field) in [(" ", "workload"), (" ", "at")] {
        if let Some(own) = at.text_of(field) {
            text = format!("{text}{before}{own}");
        }
    }
    text = format!("{text} {words} {value}");
    match at.text_of("timesPolicy") {
        Some(other) => format!("{text} times {other}"),
        None => text,
    }
}
