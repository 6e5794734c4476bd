//! S16 and what stands in the way: disruption budgets of pods as a resource that moves share.

use restow_consolidation::lint::{Problem, lint};
use restow_consolidation::settings::Name;
use restow_consolidation::{Outcome, Plan};
use restow_model::CountOrPercent;

use crate::world::{World, dollars};

/// Three light nodes, each with one pod of an ingress that a budget protects, and one that takes everything.
fn ingress(allowed: i64) -> (World, Vec<usize>) {
    let mut world = World::new();
    world.sells("xlarge", "4", "16Gi", "0.19");
    world.pool("default");
    let nodes: Vec<usize> =
        (0..4).map(|at| world.node(&format!("n{at}"), "default", "xlarge", (4, 16))).collect();
    for node in &nodes {
        world.pods(*node, "ingress", 1, 20, 300);
    }
    world.pods(nodes[0], "rest", 8, 300, 512);
    world.pdb("ingress", "ingress", allowed);
    (world, nodes)
}

/// S16 a: nodes under one budget go one after another, and none is starved.
#[test]
fn s16_a_budget_is_shared_by_the_waves() {
    let (mut world, nodes) = ingress(1);
    let plan = world.plan();
    let mut waves: Vec<Option<u32>> = plan.moves.iter().map(|own| own.turn.wave).collect();
    waves.sort_unstable();
    assert_eq!(waves, [Some(1), Some(2), Some(3)]);
    let later: Vec<&str> = nodes[1..]
        .iter()
        .filter_map(|at| plan.verdicts[*at].reasons.first().map(restow_consolidation::Reason::code))
        .collect();
    assert_eq!(later, ["PdbShared", "PdbShared"]);
}

/// With an allowance of two, two go at a time.
#[test]
fn s16_two_at_a_time() {
    let (mut world, _) = ingress(2);
    let mut waves: Vec<Option<u32>> = world.plan().moves.iter().map(|own| own.turn.wave).collect();
    waves.sort_unstable();
    assert_eq!(waves, [Some(1), Some(1), Some(2)]);
}

/// S16 b: a large node that one bad budget pins; lint names the budget and what it locks in.
#[test]
fn s16_b_lint_prices_a_bad_budget() {
    let mut world = World::new();
    world.sells("16xlarge", "64", "256Gi", "2.69").sells("large", "2", "8Gi", "0.09");
    world.pool("default");
    let node = world.node("pinned", "default", "16xlarge", (64, 256));
    world.pods(node, "api", 1, 100, 256);
    let pdb = world.pdb("api", "api", 0);
    pdb.min_available = Some(CountOrPercent::Percent(100));
    assert_eq!(world.outcome(node), (Outcome::Blocked, "PdbBlocks"));
    let findings = world.fleet(|fleet, offers| {
        let plan = Plan::new(fleet, offers, &mut || false);
        lint(fleet, offers, &plan)
    });
    assert_eq!(findings[0].problem, Problem::PdbNeverAllows { pods: 1 });
    assert_eq!(findings[0].locked, dollars("2.60"));
    assert_eq!(findings[0].nodes, [node]);
}

/// S16 c: a pod that crashes holds its budget, unless unhealthy pods may always go.
#[test]
fn s16_c_unhealthy_pods() {
    let (mut world, nodes) = ingress(0);
    let crashing = world
        .snapshot
        .pods
        .iter()
        .position(|pod| pod.node == world.snapshot.nodes[nodes[3]].meta.name);
    world.snapshot.pods[crashing.unwrap()].ready = false;
    assert_eq!(world.outcome(nodes[3]), (Outcome::Blocked, "PdbBlocks"));
    let held = world.fleet(|fleet, offers| {
        let plan = Plan::new(fleet, offers, &mut || false);
        let found = lint(fleet, offers, &plan);
        found
            .iter()
            .any(|own| matches!(own.problem, Problem::PdbHeldByUnhealthy { unhealthy: 1, pods: 4 }))
    });
    assert!(held);
    world.snapshot.pod_disruption_budgets[0].evict_unhealthy_always = true;
    assert_eq!(world.outcome(nodes[3]).0, Outcome::Consolidate);
}

/// A zero budget does not hide what would happen: the moves are there, without a wave.
#[test]
fn a_zero_budget_hides_nothing() {
    let (mut world, nodes) = ingress(5);
    world.snapshot.node_pools[0].disruption.budgets = Some(vec![restow_model::Budget {
        nodes: restow_model::NodeCount::Count(0),
        reasons: None,
        schedule: restow_model::Str::EMPTY,
        duration: None,
    }]);
    let plan = world.plan();
    assert_eq!(plan.moves.len(), 3);
    assert!(plan.moves.iter().all(|own| own.turn.wave.is_none()));
    assert_eq!(plan.after, plan.before);
    assert_eq!(world.outcome(nodes[3]), (Outcome::Deferred, "BudgetExhausted"));
}

/// The workload floor: two replicas on one node are not moved at once, and those on two nodes not in one wave.
#[test]
fn some_replica_stays() {
    let mut world = World::new();
    world.sells("xlarge", "4", "16Gi", "0.19");
    world.pool("default");
    let nodes: Vec<usize> =
        (0..3).map(|at| world.node(&format!("n{at}"), "default", "xlarge", (4, 16))).collect();
    world.pods(nodes[0], "both", 2, 100, 128);
    assert_eq!(world.outcome(nodes[0]), (Outcome::Kept, "LastReadyReplicas"));
    let mut world = World::new();
    world.sells("xlarge", "4", "16Gi", "0.19");
    world.pool("default");
    for at in 0..2 {
        let node = world.node(&format!("n{at}"), "default", "xlarge", (4, 16));
        world.pods(node, "pair", 1, 100, 128);
    }
    let last = world.node("n2", "default", "xlarge", (4, 16));
    world.pods(last, "other", 8, 300, 512);
    let mut waves: Vec<Option<u32>> = world.plan().moves.iter().map(|own| own.turn.wave).collect();
    waves.sort_unstable();
    assert_eq!(waves, [Some(1), Some(2)]);
    world.set(Name::WorkloadFloor, "off");
    let waves: Vec<Option<u32>> = world.plan().moves.iter().map(|own| own.turn.wave).collect();
    assert_eq!(waves, [Some(1), Some(1)]);
}

/// A pool that a wrong setting switches off: lint says what that costs, and says it once.
#[test]
fn a_wrong_setting_has_a_price() {
    let mut world = World::new();
    world.sells("xlarge", "4", "16Gi", "0.19").sells("large", "2", "8Gi", "0.09");
    world.pool("default");
    world.pool("wrong");
    for name in ["restow.dev/savings-treshold-cents", "restow.dev/spot-flexibility"] {
        let (key, value) =
            (world.snapshot.strings.intern(name), world.snapshot.strings.intern("many"));
        let annotations = &mut world.snapshot.node_pools[1].meta.annotations;
        let mut pairs: Vec<_> = annotations.iter().collect();
        pairs.push((key, value));
        *annotations = restow_model::Labels::new(pairs);
    }
    let node = world.node("a", "wrong", "xlarge", (4, 16));
    world.pods(node, "api", 1, 100, 256);
    assert_eq!(world.outcome(node), (Outcome::Blocked, "InvalidSettings"));
    let findings = world.fleet(|fleet, offers| {
        let plan = Plan::new(fleet, offers, &mut || false);
        lint(fleet, offers, &plan)
    });
    let wrong: Vec<_> =
        findings.iter().filter(|own| own.problem.code() == "InvalidSetting").collect();
    assert_eq!(wrong.len(), 2);
    assert_eq!((wrong[0].locked, wrong[0].nodes.as_slice()), (dollars("0.10"), &[node][..]));
    assert_eq!((wrong[1].locked, wrong[1].nodes.len()), (dollars("0"), 0));
}
