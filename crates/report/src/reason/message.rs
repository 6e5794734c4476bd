//! The sentence of each reason.

use restow_consolidation::Reason;
use restow_model::{DisruptionReason, GoDuration, Price, Snapshot, Str, Time};
use restow_scheduling::Miss;

use crate::money::node_per_hour;
use crate::schedule::{PodName, Speaker};
use crate::units::{count, counted, grouped, percent_1};

/// One sentence without a capital or a full stop.
pub(super) fn message(snapshot: &Snapshot, reason: &Reason) -> String {
    let text = |name: &Str| snapshot.text(*name);
    let named = |(namespace, name): &(Str, Str)| full_name(snapshot, *namespace, *name);
    let pod = |at: &usize| PodName::new(snapshot, *at).to_string();
    match reason {
        Reason::NotManaged => "no claim and pool of Karpenter's made it".to_owned(),
        Reason::NotInitialized => "not ready for pods yet".to_owned(),
        Reason::BeingDeleted => "being deleted".to_owned(),
        Reason::InMove => "a move is under way with it".to_owned(),
        Reason::Nominated { pod: at } => format!("pending pod {} is going to it", pod(at)),
        Reason::CapacityBuffer { buffer } => {
            format!("holds room for CapacityBuffer {}", named(buffer))
        }
        Reason::PoolNotReady { pool, exists: true } => {
            format!("its pool {} is not ready", text(pool))
        }
        Reason::PoolNotReady { pool, exists: false } => {
            format!("its pool {} does not exist", text(pool))
        }
        Reason::StaticPool { pool } => {
            format!("its pool {} has a fixed number of nodes", text(pool))
        }
        Reason::InvalidSettings { pool, faults } => {
            let faults: Vec<String> =
                faults.iter().map(|own| format!("{}: {}", own.field, own.problem)).collect();
            format!("the settings of its pool {} are wrong: {}", text(pool), faults.join("; "))
        }
        Reason::UnknownInstanceType { unpriced } | Reason::NoPrice { unpriced: Some(unpriced) } => {
            unpriced.to_string()
        }
        Reason::NoPrice { unpriced: None } => "its zone or capacity type is not known".to_owned(),
        Reason::StalePrices { age, most } => {
            format!("prices are {} old, at most {} allowed", human(*age), human(*most))
        }
        Reason::DoNotDisruptNode { annotation, on_claim } => {
            let whose = if *on_claim { "its claim" } else { "the node" };
            format!("{whose} is annotated {annotation}: \"true\"")
        }
        Reason::DoNotDisruptPod { pod: at, pods, until } => {
            let until = until.map_or_else(String::new, |until| format!(" until {until}"));
            let others = and_others(*pods);
            format!("pod {}{others} must not be disrupted{until}", pod(at))
        }
        Reason::PodWithoutOwner { pod: at, pods } => {
            let others = and_others(*pods);
            let (has, it) = if *pods == 1 { ("has", "it") } else { ("have", "them") };
            format!("pod {}{others} {has} no controller to make {it} anew", pod(at))
        }
        Reason::PdbBlocks { budget, pod: at, allowed, needed } => format!(
            "PodDisruptionBudget {} allows {} of {} to be evicted, such as {}",
            named(budget),
            count(*allowed),
            counted(*needed, "pod"),
            pod(at)
        ),
        Reason::MultiplePdbs { pod: at, budgets } => format!(
            "pod {} is under {} PodDisruptionBudgets, which the API refuses to evict",
            pod(at),
            grouped(*budgets as u128)
        ),
        Reason::RolloutInProgress { workload, updated, desired, .. } => format!(
            "{} is being rolled out: {} of {} pods are new",
            named(workload),
            count(*updated),
            count(*desired)
        ),
        Reason::ConsolidationOff => {
            "consolidation is off for its pool: consolidateAfter is Never".to_owned()
        }
        Reason::PolicyForbids { policy, method: None } => {
            format!("policy {} and its switches allow no move of it", policy.name())
        }
        Reason::PolicyForbids { policy, method: Some(method) } => {
            format!("policy {} and its switches allow no {} move", policy.name(), method.name())
        }
        Reason::TooYoung { age, least, until } => {
            format!("ready for {}, needs {} (until {until})", human(*age), human(*least))
        }
        // Karpenter keeps its answer in a condition, which may be late.
        Reason::RecentPodEvent { quiet, least, .. } if quiet >= least => {
            "its claim is not marked Consolidatable yet".to_owned()
        }
        Reason::RecentPodEvent { quiet, least, until } => format!(
            "a pod came or went {} ago, needs {} of quiet (until {until})",
            human(*quiet),
            human(*least)
        ),
        Reason::RecentlyMoved { pod: at, until } => {
            format!("pod {} was moved a short while ago and stays until {until}", pod(at))
        }
        Reason::InGracePeriod { evaluated, until } => {
            format!("evaluated in vain at {evaluated}, left alone until {until}")
        }
        Reason::UtilizationAboveThreshold { utilization, threshold } => {
            let (used, most) = told_apart(*utilization * 100.0, *threshold * 100.0);
            format!("utilization {used}% above threshold {most}%")
        }
        Reason::PodsDoNotFit { pod: None, .. } => "its pods fit nowhere else".to_owned(),
        Reason::PodsDoNotFit { pod: Some(at), pods, miss } => {
            let others = and_others(*pods);
            let fits = if *pods > 1 { "fit" } else { "fits" };
            let why = miss.as_deref().map(|miss| nearest(snapshot, *at, miss));
            format!("pod {}{others} {fits} nowhere else{}", pod(at), why.unwrap_or_default())
        }
        Reason::TooManyReplacements { needed, most } => format!(
            "its pods need {}, at most {} allowed",
            counted(*needed, "new node"),
            grouped(*most as u128)
        ),
        Reason::PoolLimitReached { pool } => {
            format!("a replacement would exceed the limits of pool {}", text(pool))
        }
        Reason::LastReadyReplicas { pod: at, going, ready } => format!(
            "{} of the {} ready replicas of the workload of {} would go at once",
            grouped(*going as u128),
            grouped(*ready as u128),
            pod(at)
        ),
        Reason::HeadroomReached { pool, memory, left, least } => {
            let what = if *memory { "memory" } else { "cpu" };
            let (left, least) = told_apart(*left, *least);
            format!("{left}% of the {what} of pool {} would stay free, needs {least}%", text(pool))
        }
        Reason::NoCheaperReplacement { current, cheapest: Some(cheapest) } => format!(
            "costs {}, the cheapest replacement {}",
            node_per_hour(*current),
            node_per_hour(*cheapest)
        ),
        Reason::NoCheaperReplacement { current, cheapest: None } => {
            format!("nothing that holds its pods costs less than {}", node_per_hour(*current))
        }
        Reason::SameInstanceType { instance_type } => {
            format!("it would be replaced by its own type {}", text(instance_type))
        }
        Reason::SpotToSpotOff => "a spot node is not replaced by a spot node".to_owned(),
        Reason::TooFewSpotOptions { options, least } => format!(
            "a spot replacement has {} to choose from, needs {}",
            counted(*options, "cheaper instance type"),
            grouped(*least as u128)
        ),
        Reason::MinValuesUnmet { key, values, least } => format!(
            "a replacement has {} of {} to choose from, its pool's minValues is {}",
            counted(*values, "value"),
            text(key),
            grouped(*least as u128)
        ),
        Reason::SavingsBelowThreshold { savings, required, cost, threshold } => {
            below_threshold(*savings, *required, *cost, *threshold)
        }
        Reason::SavingsBelowPercentage { percent, least } => {
            let (saved, least) = told_apart(*percent, *least);
            format!("saves {saved}% of the price, needs {least}%")
        }
        Reason::PaybackTooLong { payback, most } => format!(
            "takes {} to pay for the overlap of old and new nodes, at most {} allowed",
            human(*payback),
            human(*most)
        ),
        Reason::ScoreBelowThreshold { pool, score, least, savings_share, disruption_share } => {
            format!(
                "score {score:.2} below {least:.2} in pool {}: saves {} of its price for {} of its disruption",
                text(pool),
                percent_1(*savings_share),
                percent_1(*disruption_share)
            )
        }
        Reason::BudgetExhausted { pool, reason, allowed: 0, until, .. } => format!(
            "the budget of pool {} allows no node for {}{}",
            text(pool),
            disruption_name(*reason),
            changes(*until)
        ),
        Reason::BudgetExhausted { pool, reason, allowed, used, until, .. } => format!(
            "the budget of pool {} allows {} at a time for {}, {} in use{}",
            text(pool),
            counted(*allowed, "node"),
            disruption_name(*reason),
            grouped(*used as u128),
            changes(*until)
        ),
        Reason::RateExhausted { pool, most, needed } => format!(
            "pool {} may evict {} at a time, this makes {}",
            text(pool),
            counted(*most, "pod"),
            grouped(*needed as u128)
        ),
        Reason::OutsideWindow { pool, until } => {
            let until = until.map_or_else(String::new, |until| format!(" until {until}"));
            format!("the windows of pool {} forbid moves{until}", text(pool))
        }
        Reason::PdbShared { budget, allowed } => format!(
            "other moves take what PodDisruptionBudget {} allows first ({} at a time)",
            named(budget),
            count(*allowed)
        ),
        Reason::Unstable { until } => {
            format!("what was done before it has to settle first{}", at_latest(*until))
        }
        Reason::Paused { until: Some(until) } => format!("paused until {until}"),
        Reason::Paused { until: None } => "paused".to_owned(),
        Reason::CoolingDown { until } => {
            format!("something went wrong in its pool, which rests until {until}")
        }
        Reason::ChangedSincePlan => "the cluster changed since it was planned".to_owned(),
        Reason::NothingBetter { savings } => format!(
            "would save {} by itself, but the plan is better without",
            node_per_hour(*savings)
        ),
        Reason::EffortSpent => "the search ended before it was looked at".to_owned(),
    }
}

/// `web/api`, or the name alone of what has no namespace.
pub(crate) fn full_name(snapshot: &Snapshot, namespace: Str, name: Str) -> String {
    match snapshot.text(namespace) {
        "" => snapshot.text(name).to_owned(),
        namespace => format!("{namespace}/{}", snapshot.text(name)),
    }
}

/// As budgets write it.
pub(super) const fn disruption_name(reason: DisruptionReason) -> &'static str {
    match reason {
        DisruptionReason::Underutilized => "Underutilized",
        DisruptionReason::Empty => "Empty",
        DisruptionReason::Drifted => "Drifted",
    }
}

fn and_others(pods: usize) -> String {
    match pods {
        0 | 1 => String::new(),
        2 => " and 1 other".to_owned(),
        more => format!(" and {} others", grouped(more as u128 - 1)),
    }
}

fn changes(until: Option<Time>) -> String {
    until.map_or_else(String::new, |until| format!(", changes at {until}"))
}

fn at_latest(until: Option<Time>) -> String {
    until.map_or_else(String::new, |until| format!(", {until} at the latest"))
}

/// The line that seed 001 wants to see.
fn below_threshold(savings: Price, required: Price, cost: f64, threshold: Option<Price>) -> String {
    let cents = |price: Price| price.dollars() * 100.0;
    let (saved, needed) = told_apart(cents(savings), cents(required));
    let threshold = threshold.map_or_else(String::new, |own| {
        format!(", threshold={}", (cents(own) * 1e7).round() / 1e7)
    });
    format!(
        "savings {saved} cents/hr below required {needed} cents/hr (disruption_cost={cost:.1}{threshold})"
    )
}

/// Two numbers that differ, with one decimal, or with as many as it takes to see that they do.
pub(crate) fn told_apart(a: f64, b: f64) -> (String, String) {
    let pair = |decimals: usize| (format!("{a:.decimals$}"), format!("{b:.decimals$}"));
    (1..6).map(pair).find(|(a, b)| a != b).unwrap_or_else(|| pair(1))
}

/// `: closest node-b, short by 310Mi memory`.
fn nearest(snapshot: &Snapshot, pod: usize, miss: &Miss) -> String {
    let speaker = Speaker::new(&snapshot.strings, Some(&snapshot.shapes[snapshot.pods[pod].shape]));
    let node = miss.nodes.first().and_then(|own| Some((own.nodes.first()?, &own.reason)));
    if let Some((name, reason)) = node {
        let why = speaker.reason(reason).message;
        return format!(": closest {}, {why}", snapshot.text(*name));
    }
    match miss.pools.first() {
        Some(own) => {
            let why = speaker.pool(&own.reason).message;
            format!(": pool {}, {why}", snapshot.text(own.pool))
        }
        None => String::new(),
    }
}

/// A time for people; clocks of two machines may make it negative.
pub(crate) fn human(duration: GoDuration) -> String {
    duration.max(GoDuration::ZERO).human()
}

/// Seconds, for programs.
pub(crate) fn seconds(duration: GoDuration) -> f64 {
    duration.millis() as f64 / 1000.0
}
