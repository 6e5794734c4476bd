//! S1, S2, S3, S5: moves that should not be made.

use restow_consolidation::settings::Name;
use restow_consolidation::{Outcome, Plan};
use restow_model::{NodeClaim, Policy, Price, Truth};

use crate::world::{World, dollars};

const LARGE: (i64, i64) = (2, 8);
const XLARGE: (i64, i64) = (4, 16);
const DOUBLE: (i64, i64) = (8, 32);

/// S1: 7 m6a.large, 4 m7i-flex.xlarge and 3 m7i-flex.2xlarge with 135 pods, at the prices of the seed.
fn off_peak() -> World {
    let mut world = World::new();
    for (family, cents) in [("m6a", "0.086"), ("m7i-flex", "0.080")] {
        let price = |times: i64| {
            let large: Price = cents.parse().unwrap();
            Price::from_nanos(large.nanos() * times).dollars().to_string()
        };
        world.sells(&format!("{family}.large"), "2", "8Gi", &price(1));
        world.sells(&format!("{family}.xlarge"), "4", "16Gi", &price(2));
        world.sells(&format!("{family}.2xlarge"), "8", "32Gi", &price(4));
    }
    world.pool("workload");
    let add = |name: String, kind: &str, size: (i64, i64), pods: usize, world: &mut World| {
        let node = world.node(&name, "workload", kind, size);
        // About two thirds full, each node with an app of its own and one that all share.
        world.pods(node, &format!("app-{name}"), pods - 1, 250, 900);
        world.pods(node, "shared", 1, 250, 900);
    };
    for at in 0..7 {
        add(format!("large-{at}"), "m6a.large", LARGE, 5, &mut world);
    }
    for at in 0..4 {
        add(format!("xlarge-{at}"), "m7i-flex.xlarge", XLARGE, 10, &mut world);
    }
    for at in 0..3 {
        add(format!("double-{at}"), "m7i-flex.2xlarge", DOUBLE, 20, &mut world);
    }
    world.set(Name::WorkloadFloor, "off");
    world
}

/// Every pod is moved once at most, and the plan never ends dearer.
fn check(plan: &Plan) {
    assert!(plan.after.price <= plan.before.price);
    let mut moved: Vec<usize> =
        plan.moves.iter().flat_map(|own| own.own.pods.iter().map(|pod| pod.pod)).collect();
    let all = moved.len();
    moved.sort_unstable();
    moved.dedup();
    assert_eq!(moved.len(), all);
}

/// S1 under threshold 1: six-tenths of a cent move nobody.
#[test]
fn s1_the_off_peak_cascade_does_not_start() {
    let mut world = off_peak();
    assert_eq!(world.snapshot.pods.len(), 135);
    world.set(Name::SavingsThresholdCents, "1");
    let plan = world.plan();
    check(&plan);
    let replaced: Vec<_> =
        plan.moves.iter().filter(|own| !own.own.replacements.is_empty()).collect();
    for own in &replaced {
        assert!(own.own.savings() >= own.own.required, "{:?}", own.own.sources);
    }
    let small = replaced.iter().filter(|own| own.own.savings() < dollars("0.05")).count();
    assert_eq!(small, 0);
}

/// S1 as the peer would start it: with no threshold moves are allowed, but the sum never costs more and no pod moves twice.
#[test]
fn s1_without_a_threshold_ends_no_dearer() {
    for search in ["seed", "karpenter", "global"] {
        let mut world = off_peak();
        world.set(Name::Search, search);
        check(&world.plan());
    }
}

/// S1, the single replacement: 0.6 cents for 5 pods of 149 units score 0.068, well below 0.5.
#[test]
fn s1_balanced_rejects_the_single_replacement() {
    let found = restow_consolidation::value::score(0.006, 6.0, 2.202, 149.0);
    assert!((found.score - 0.068).abs() < 0.001, "{}", found.score);
    let mut world = off_peak();
    world.snapshot.node_pools[0].disruption.policy = Some(Policy::Balanced);
    let plan = world.plan();
    check(&plan);
    for own in &plan.moves {
        assert!(own.own.pods.is_empty() || own.own.score.unwrap() >= 0.5);
    }
}

/// S2: a node at 96 %, and the only free capacity is in flight and promised to a pending pod that is as large.
#[test]
fn s2_promised_capacity_is_not_used_twice() {
    let mut world = World::new();
    world.sells("c7g.16xlarge", "64", "256Gi", "2.31");
    world.pool("default");
    let node = world.node("full", "default", "c7g.16xlarge", (64, 256));
    world.pods(node, "big", 1, 60_750, 238_216);
    world.pods_of(node, "agent", "DaemonSet", 12, restow_model::PodShape::default());
    // A claim that is on its way.
    let coming = world.node("coming", "default", "c7g.16xlarge", (64, 256));
    let name = world.snapshot.nodes[coming].meta.name;
    let claim: &mut NodeClaim = world.claim(coming);
    for condition in &mut claim.conditions {
        condition.truth = Truth::False;
    }
    let initialized = world.snapshot.strings.get("karpenter.sh/initialized").unwrap();
    let labels: Vec<_> = world.snapshot.nodes[coming]
        .meta
        .labels
        .iter()
        .filter(|(key, _)| *key != initialized)
        .collect();
    world.snapshot.nodes[coming].meta.labels = restow_model::Labels::new(labels);
    // The pod that it is for.
    let pending = world.pods(node, "big", 1, 60_750, 238_216)[0];
    world.snapshot.pods[pending].node = restow_model::Str::EMPTY;
    world.snapshot.pods[pending].ready = false;
    world.snapshot.pods[pending].phase = restow_model::Phase::Pending;
    world.set(Name::ScaledownUtilizationThreshold, "1").set(Name::WorkloadFloor, "off");
    let plan = world.plan();
    assert!(plan.moves.is_empty(), "{:?}", plan.moves);
    assert_eq!(world.outcome(node).0, Outcome::Kept);
    assert_eq!(world.outcome(coming), (Outcome::Blocked, "NotInitialized"), "{name:?}");
    // Without the pending pod the capacity is free, and the node may go.
    world.snapshot.pods.remove(pending);
    assert_eq!(world.outcome(node).0, Outcome::Consolidate);
}

/// S3: two nodes that look as if they fit one with more cores do not, because of memory.
#[test]
fn s3_prometheus_would_not_fit() {
    let mut world = World::new();
    world.sells("m5.4xlarge", "16", "64Gi", "0.768").sells("m6i.4xlarge", "16", "64Gi", "0.768");
    world.sells("c6i.8xlarge", "32", "64Gi", "1.36").sells("c5.9xlarge", "36", "72Gi", "1.53");
    world.pool("default");
    let a = world.node("a", "default", "m5.4xlarge", (16, 64));
    let b = world.node("b", "default", "m6i.4xlarge", (16, 64));
    world.pods(a, "prometheus", 1, 10_000, 50 * 1024);
    world.pods(b, "web", 10, 800, 3 * 1024);
    for search in ["seed", "karpenter", "global"] {
        world.set(Name::Search, search);
        assert!(world.plan().moves.is_empty(), "{search}");
    }
}

/// S5: of six nodes at 93 to 99 % and a newcomer at 35 % it is the newcomer that goes.
#[test]
fn s5_the_light_newcomer_goes() {
    let mut world = World::new();
    world.sells("m6a.xlarge", "4", "16Gi", "0.1728");
    world.pool("default");
    let busy: Vec<usize> = (0..6)
        .map(|at| {
            let node = world.node(&format!("busy-{at}"), "default", "m6a.xlarge", XLARGE);
            world.pods(node, &format!("tool-{at}"), 3, 1240 + 10 * at, 4500);
            node
        })
        .collect();
    let new = world.node("new", "default", "m6a.xlarge", XLARGE);
    // Small pods that fit into what the busy ones have left.
    world.pods(new, "job", 5, 30, 200);
    world.set(Name::WorkloadFloor, "off");
    let plan = world.plan();
    let sources: Vec<usize> = plan.moves.iter().flat_map(|own| own.own.sources.clone()).collect();
    assert_eq!(sources, [new]);
    for node in busy {
        assert_eq!(world.outcome(node), (Outcome::Blocked, "UtilizationAboveThreshold"));
    }
}
