use restow_catalog::Unpriced;
use restow_consolidation::settings::SettingFault;
use restow_consolidation::{Method, Reason};
use restow_model::{DisruptionReason, GoDuration, NodeCount, Policy, Price, Str, Time};
use restow_scheduling::{Miss, NodeMiss, Resource, Shortage};

use super::{CODES, tell};
use crate::testing::{Cluster, GI, cluster};

fn sample() -> (Cluster, Str) {
    let mut all = cluster().node("a", &[]).pod("a", 1000, GI);
    let name = all.str("general");
    (all, name)
}

fn minutes(count: i64) -> GoDuration {
    GoDuration::from_seconds(60 * count)
}

fn cents(count: i64) -> Price {
    Price::from_nanos(count * 1_000_000)
}

/// One of each, in the order of the table of codes.
fn all_reasons(name: Str) -> Vec<Reason> {
    let until = Time::from_seconds(1_794_744_000);
    let maybe = Some(until);
    let (pod, pool, budget) = (0, name, (name, name));
    let fault = SettingFault { field: "restow.dev/x".to_owned(), problem: "unknown".to_owned() };
    let unpriced = Unpriced::NoInstanceType;
    vec![
        Reason::NotManaged,
        Reason::NotInitialized,
        Reason::BeingDeleted,
        Reason::InMove,
        Reason::Nominated { pod },
        Reason::CapacityBuffer { buffer: budget },
        Reason::PoolNotReady { pool, exists: true },
        Reason::StaticPool { pool },
        Reason::InvalidSettings { pool, faults: vec![fault] },
        Reason::UnknownInstanceType { unpriced: unpriced.clone() },
        Reason::NoPrice { unpriced: Some(unpriced) },
        Reason::StalePrices { age: minutes(90), most: minutes(60) },
        Reason::DoNotDisruptNode { annotation: "karpenter.sh/do-not-disrupt", on_claim: true },
        Reason::DoNotDisruptPod { pod, pods: 2, until: maybe },
        Reason::PodWithoutOwner { pod, pods: 1 },
        Reason::PdbBlocks { budget, pod, allowed: 0, needed: 2 },
        Reason::MultiplePdbs { pod, budgets: 2 },
        Reason::RolloutInProgress { pod, workload: budget, updated: 1, desired: 3 },
        Reason::ConsolidationOff,
        Reason::PolicyForbids { policy: Policy::WhenEmpty, method: Some(Method::SingleNode) },
        Reason::TooYoung { age: minutes(2), least: minutes(5), until },
        Reason::RecentPodEvent { quiet: minutes(1), least: minutes(5), until },
        Reason::RecentlyMoved { pod, until },
        Reason::InGracePeriod { evaluated: until, until },
        Reason::UtilizationAboveThreshold { utilization: 0.81, threshold: 0.75 },
        Reason::PodsDoNotFit { pod: Some(pod), pods: 1, miss: None },
        Reason::TooManyReplacements { needed: 3, most: 1 },
        Reason::PoolLimitReached { pool },
        Reason::LastReadyReplicas { pod, going: 2, ready: 2 },
        Reason::HeadroomReached { pool, memory: true, left: 4.0, least: 10.0 },
        Reason::NoCheaperReplacement { current: cents(86), cheapest: Some(cents(90)) },
        Reason::SameInstanceType { instance_type: name },
        Reason::SpotToSpotOff,
        Reason::TooFewSpotOptions { options: 3, least: 15 },
        Reason::MinValuesUnmet { key: name, values: 1, least: 2 },
        Reason::SavingsBelowThreshold {
            savings: cents(6),
            required: cents(60),
            cost: 6.0,
            threshold: Some(cents(10)),
        },
        Reason::SavingsBelowPercentage { percent: 4.0, least: 10.0 },
        Reason::PaybackTooLong { payback: minutes(90), most: minutes(60) },
        Reason::ScoreBelowThreshold {
            pool,
            score: 0.07,
            least: 0.5,
            savings_share: 0.01,
            disruption_share: 0.2,
        },
        Reason::BudgetExhausted {
            pool,
            reason: DisruptionReason::Underutilized,
            allowed: 1,
            used: 1,
            budget: Some(NodeCount::Percent(10)),
            until: maybe,
        },
        Reason::RateExhausted { pool, most: 5, needed: 7 },
        Reason::OutsideWindow { pool, until: maybe },
        Reason::PdbShared { budget, allowed: 1 },
        Reason::Unstable { until: maybe },
        Reason::Paused { until: None },
        Reason::CoolingDown { until },
        Reason::ChangedSincePlan,
        Reason::NothingBetter { savings: cents(6) },
        Reason::EffortSpent,
    ]
}

#[test]
fn every_code_has_one_sentence_and_a_fix() {
    let (all, name) = sample();
    let reasons = all_reasons(name);
    let codes: Vec<&str> = reasons.iter().map(Reason::code).collect();
    let listed: Vec<&str> = CODES.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, listed);
    for (reason, (code, fix)) in reasons.iter().zip(CODES) {
        let told = tell(&all.0, reason);
        assert_eq!((told.code, told.fix), (*code, *fix));
        for text in [&*told.message, *fix] {
            assert!(!text.is_empty() && !text.ends_with('.') && !text.contains('\n'), "{text}");
        }
        assert_eq!(told.until, reason.until(), "{code}");
    }
}

fn message(reason: &Reason) -> String {
    tell(&sample().0.0, reason).message
}

/// Seed 001: the line that operators look for.
#[test]
fn the_savings_threshold_speaks_as_the_seed_says() {
    let reason = Reason::SavingsBelowThreshold {
        savings: cents(6),
        required: cents(60),
        cost: 6.0,
        threshold: Some(cents(10)),
    };
    assert_eq!(
        message(&reason),
        "savings 0.6 cents/hr below required 6.0 cents/hr (disruption_cost=6.0, threshold=1)"
    );
    let values = serde_json::to_string(&tell(&sample().0.0, &reason).values).unwrap();
    assert_eq!(
        values,
        r#"{"savingsCents":0.6,"requiredCents":6.0,"disruptionCost":6.0,"thresholdCents":1.0}"#
    );
}

#[test]
fn numbers_that_differ_look_different() {
    let near = Reason::SavingsBelowThreshold {
        savings: Price::from_nanos(59_960_000),
        required: cents(60),
        cost: 6.0,
        threshold: None,
    };
    assert_eq!(
        message(&near),
        "savings 5.996 cents/hr below required 6.000 cents/hr (disruption_cost=6.0)"
    );
    let full = Reason::UtilizationAboveThreshold { utilization: 0.7501, threshold: 0.75 };
    assert_eq!(message(&full), "utilization 75.01% above threshold 75.00%");
}

#[test]
fn a_pod_without_a_place_names_the_closest_node() {
    let (all, _) = sample();
    let shortage = Shortage { resource: Resource::Cpu, requested: 1000, free: 690 };
    let refusal = restow_scheduling::Reason::InsufficientResources {
        shortages: [shortage].into_iter().collect(),
    };
    let node = NodeMiss { reason: refusal, nodes: vec![all.0.nodes[0].meta.name] };
    let miss = Some(Box::new(Miss { nodes: vec![node], pools: Vec::new() }));
    let told = tell(&all.0, &Reason::PodsDoNotFit { pod: Some(0), pods: 3, miss });
    assert_eq!(
        told.message,
        "pod default/pod-0 and 2 others fit nowhere else: closest a, short by 310m cpu"
    );
}
