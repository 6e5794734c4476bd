//! A23: what pods would like is kept where it can be, what that costs is said, and what a move takes from a pod is a risk.

use restow_consolidation::settings::Name;
use restow_consolidation::{
    Fleet, Plan, Risk, Wish, WishCost, WishKind, mark_wishes, without_wishes,
};
use restow_model::{
    Effect, Match, NodePolicy, NodeTerm, PodShape, PodTerm, Requirement, Resources, Selector,
    SelectorTerm, Spread, Str, Taint,
};
use restow_scheduling::Offers;
use std::sync::Arc;

use crate::world::{World, dollars};

fn small_pod() -> PodShape {
    PodShape {
        requests: Resources { cpu: 500, memory: 512 << 20, pods: 1, ..Resources::default() },
        ..PodShape::default()
    }
}

/// Three large nodes, each with one small pod of an app, all of which one node could hold.
fn three_nodes(shape: impl Fn(&mut World) -> PodShape) -> World {
    let mut world = World::new();
    world.sells("xlarge", "4", "16Gi", "0.20");
    world.pool("default");
    for name in ["a", "b", "c"] {
        let node = world.node(name, "default", "xlarge", (4, 16));
        let shape = shape(&mut world);
        world.pods_of(node, "web", "ReplicaSet", 1, shape);
    }
    world
}

fn key(world: &mut World, text: &str) -> Str {
    world.snapshot.strings.intern(text)
}

fn of_web(world: &mut World) -> Selector {
    let (key, value) = (key(world, "app"), key(world, "web"));
    Selector(vec![SelectorTerm { key, operator: Match::In, values: vec![value] }])
}

fn spread_over_hosts(world: &mut World) -> PodShape {
    let spread = Spread {
        topology_key: key(world, "kubernetes.io/hostname"),
        max_skew: 1,
        required: false,
        selector: Some(of_web(world)),
        min_domains: None,
        affinity_policy: NodePolicy::Honor,
        taints_policy: NodePolicy::Ignore,
        match_label_keys: Vec::new(),
    };
    PodShape { spread: vec![spread], ..small_pod() }
}

fn term(world: &mut World) -> PodTerm {
    PodTerm {
        topology_key: key(world, "kubernetes.io/hostname"),
        selector: Some(of_web(world)),
        namespaces: Vec::new(),
        namespace_selector: None,
        match_label_keys: Vec::new(),
        mismatch_label_keys: Vec::new(),
    }
}

fn apart(world: &mut World) -> PodShape {
    PodShape { preferred_anti_affinity: vec![(40, term(world))], ..small_pod() }
}

fn marked(fleet: &Fleet<'_>, offers: &Arc<Offers>) -> Plan {
    let mut plan = Plan::new(fleet, offers, &mut || false);
    mark_wishes(fleet, &mut plan);
    plan
}

fn cost(world: &mut World) -> (WishCost, Plan) {
    world.fleet(|fleet, offers| {
        let plan = marked(fleet, offers);
        let without = marked(&without_wishes(fleet), offers);
        // The second plan leaves the first as it was.
        assert_eq!(plan, marked(fleet, offers));
        (WishCost::new(fleet, &plan, &without), plan)
    })
}

fn lost(plan: &Plan) -> Vec<Wish> {
    let risks = plan.moves.iter().flat_map(|own| &own.own.risks);
    let wish = |risk: &Risk| match risk {
        Risk::Preference { wish, .. } => Some(*wish),
        _ => None,
    };
    risks.filter_map(wish).collect()
}

/// Pods that would rather be apart get a small node each, of which one would do for all.
#[test]
fn a23_wishes_have_a_price() {
    let mut world = three_nodes(apart);
    world.sells("large", "2", "8Gi", "0.10");
    let (cost, plan) = cost(&mut world);
    assert_eq!(cost.wishes.pods, 3);
    assert_eq!(cost.wishes.kinds, [(WishKind::PodAntiAffinity, 3)]);
    assert_eq!(cost.kept, dollars("0.30"));
    assert_eq!(lost(&plan), []);
    assert_eq!(cost.ignored, Some(dollars("0.20")));
    // All three are together then, on a node that exists: two moved and lost something.
    let given_up: Vec<_> = cost.given_up.iter().map(|own| (own.kind, own.pods)).collect();
    assert_eq!(given_up, [(WishKind::PodAntiAffinity, 2)]);
}

/// Who likes nothing pays nothing, and needs no second plan.
#[test]
fn a23_nobody_likes_anything() {
    let mut world = three_nodes(|_| small_pod());
    let wishes = world.fleet(|fleet, _| restow_consolidation::Wishes::of(fleet));
    assert_eq!(wishes, restow_consolidation::Wishes::default());
}

/// A spread may be kept at no cost: skew is counted over nodes that are left.
#[test]
fn a23_what_can_be_kept_is_free() {
    let (cost, plan) = cost(&mut three_nodes(spread_over_hosts));
    assert_eq!(cost.wishes.kinds, [(WishKind::TopologySpread, 3)]);
    assert_eq!(cost.ignored, Some(dollars("0.20")));
    assert_eq!(cost.kept, dollars("0.20"));
    assert_eq!(lost(&plan), []);
}

/// With preferences ignored, moves say what they take, in numbers.
#[test]
fn risks_say_what_is_lost() {
    let mut world = three_nodes(apart);
    world.set(Name::Preferences, "ignore");
    let host = key(&mut world, "kubernetes.io/hostname");
    let plan = world.fleet(marked);
    assert_eq!(lost(&plan), [Wish::Apart { key: host, weight: 40 }; 2]);
}

/// A wish that was not met before is not lost.
#[test]
fn what_nobody_had_is_not_lost() {
    let mut world = three_nodes(|world| {
        let (key, value) = (key(world, "disk"), key(world, "fast"));
        let term = NodeTerm { labels: vec![Requirement::exactly(key, value)], names: Vec::new() };
        PodShape { preferred_nodes: vec![(7, term)], ..small_pod() }
    });
    world.set(Name::Preferences, "ignore");
    let plan = world.fleet(marked);
    assert!(!plan.moves.is_empty());
    assert_eq!(lost(&plan), []);
}

/// Every kind of wish is seen, each on its own.
#[test]
fn every_kind_is_seen() {
    // Near: two pairs on two nodes, and a third node that one of each pair is sent to.
    let near =
        |world: &mut World| PodShape { preferred_affinity: vec![(9, term(world))], ..small_pod() };
    let mut world = World::new();
    world.sells("xlarge", "4", "16Gi", "0.20");
    world.pool("default");
    let (a, b) = (
        world.node("a", "default", "xlarge", (4, 16)),
        world.node("b", "default", "xlarge", (4, 16)),
    );
    let c = world.node("c", "default", "xlarge", (4, 16));
    let shape = near(&mut world);
    world.pods_of(a, "web", "ReplicaSet", 2, shape);
    // The others have room for one pod each, and none is cheaper than another.
    world.pods(b, "rest", 1, 3_400, 1_000);
    world.pods(c, "more", 1, 3_400, 1_000);
    world.set(Name::Preferences, "ignore").set(Name::WorkloadFloor, "off");
    world.set(Name::ScaledownUtilizationThreshold, "1");
    let host = key(&mut world, "kubernetes.io/hostname");
    let plan = world.fleet(marked);
    assert_eq!(lost(&plan), [Wish::Near { key: host, weight: 9 }; 2]);
    // Taints: the only room is where pods should rather not go.
    let mut world = World::new();
    world.sells("xlarge", "4", "16Gi", "0.20").sells("2xlarge", "8", "32Gi", "0.40");
    world.pool("default");
    let from = world.node("a", "default", "xlarge", (4, 16));
    let to = world.node("b", "default", "2xlarge", (8, 32));
    world.pods(from, "web", 1, 500, 512);
    world.pods(to, "rest", 1, 5_000, 4_000);
    let taint =
        Taint { key: key(&mut world, "old"), value: Str::EMPTY, effect: Effect::PreferNoSchedule };
    world.snapshot.nodes[to].taints.push(taint);
    world.set(Name::Preferences, "ignore");
    let plan = world.fleet(marked);
    assert_eq!(lost(&plan), [Wish::Untainted { key: taint.key }]);
}

/// A skew that grows beyond what a pod would like is told as it will be.
#[test]
fn skew_is_told_in_numbers() {
    let mut world = World::new();
    world.sells("xlarge", "4", "16Gi", "0.20");
    world.pool("default");
    // Full nodes that take no pod keep the emptiest count at none.
    let shape = spread_over_hosts(&mut world);
    let (a, b) = (
        world.node("a", "default", "xlarge", (4, 16)),
        world.node("b", "default", "xlarge", (4, 16)),
    );
    let full = world.node("c", "default", "xlarge", (4, 16));
    world.pods_of(a, "web", "ReplicaSet", 1, shape.clone());
    world.pods_of(b, "web", "ReplicaSet", 1, shape);
    world.pods(b, "rest", 1, 2_000, 4_000);
    world.pods(full, "more", 1, 4_000, 10_000);
    world.set(Name::Preferences, "ignore");
    let host = key(&mut world, "kubernetes.io/hostname");
    let plan = world.fleet(marked);
    assert_eq!(lost(&plan), [Wish::Spread { key: host, skew: 2, most: 1 }]);
}
