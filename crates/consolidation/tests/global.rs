//! What must hold of every plan of the global search, tried on random fleets: nothing here knows how it searches.

#![expect(clippy::unwrap_used, reason = "tests")]

#[expect(dead_code, reason = "shared with tests that need more of it")]
mod world;

use restow_consolidation::settings::Name;
use restow_consolidation::{Plan, Target};
use restow_model::{
    Labels, Match, Node, PodShape, PodTerm, Price, Resources, Selector, SelectorTerm, Snapshot, Str,
};
use restow_scheduling::checker::Checker;
use restow_testkit::Rng;
use world::World;

/// Types with cores, GiB and thousandths of a dollar.
const TYPES: [(&str, i64, i64, i64); 5] = [
    ("small", 2, 8, 100),
    ("medium", 4, 16, 190),
    ("fat", 4, 32, 260),
    ("large", 8, 32, 370),
    ("huge", 16, 64, 730),
];
const ZONES: [&str; 2] = ["a", "b"];

/// A random fleet where everything may go.
fn fleet(seed: u64) -> World {
    let mut rng = Rng::new(seed);
    let mut world = World::new();
    for (name, cores, gib, milli) in TYPES {
        for zone in ZONES {
            let (cpu, memory) = (cores.to_string(), format!("{gib}Gi"));
            let price = format!("0.{milli:03}");
            world.sells_as(name, &cpu, &memory, &price, "on-demand", zone);
            let spot = format!("0.{:03}", milli * (3 + i64::from(zone == "b")) / 10);
            world.sells_as(name, &cpu, &memory, &spot, "spot", zone);
        }
    }
    world.pool("default");
    for (name, text) in [
        (Name::ScaledownUtilizationThreshold, "1"),
        (Name::MinimumNodeLifetime, "0s"),
        (Name::WorkloadFloor, "off"),
        (Name::SpotToSpot, "true"),
        (Name::SpotFlexibility, "1"),
        (Name::Effort, "1500"),
    ] {
        world.set(name, text);
    }
    if rng.below(3) == 0 {
        world.set(Name::SavingsThresholdCents, "0.2");
    }
    for at in 0..8 + rng.below(16) as usize {
        let (kind, cores, gib, _) = TYPES[rng.below(5) as usize];
        let (zone, spot) = (ZONES[rng.below(2) as usize], rng.below(3) == 0);
        let terms = if spot { "spot" } else { "on-demand" };
        let node = world.node_as(&format!("n{at:02}"), "default", kind, (cores, gib), terms, zone);
        let (mut cpu, mut mib) = (cores * 700, gib * 700);
        for _ in 0..rng.below(6) {
            let app = rng.below(12);
            let own = (50 + 110 * i64::from(app), 100 + 300 * i64::from(app % 5));
            let shape = shape(&mut world, app, own, zone, spot);
            let alone = !shape.anti_affinity.is_empty();
            let most = if alone { 1 } else { 1 + i64::from(rng.below(4)) };
            let count = most.min(cpu / own.0).min(mib / own.1);
            let here = world.snapshot.nodes[node].meta.name;
            let name = world.snapshot.strings.intern(&format!("app-{app}"));
            let same = |world: &World| {
                let key = world.snapshot.strings.get("app").unwrap_or_default();
                let of = |pod: &restow_model::Pod| {
                    pod.node == here && world.snapshot.labels[pod.labels].get(key) == Some(name)
                };
                world.snapshot.pods.iter().any(of)
            };
            if count > 0 && !(alone && same(&world)) {
                (cpu, mib) = (cpu - count * own.0, mib - count * own.1);
                world.pods_of(node, &format!("app-{app}"), "ReplicaSet", count as usize, shape);
            }
        }
    }
    world.snapshot.canonicalize();
    world
}

/// What pods of an app ask for: some a zone, some not to be on spot, some to be apart.
fn shape(world: &mut World, app: u32, (cpu, mib): (i64, i64), zone: &str, spot: bool) -> PodShape {
    let mut str = |text: &str| world.snapshot.strings.intern(text);
    let requests = Resources { cpu, memory: mib << 20, pods: 1, ..Resources::default() };
    let mut shape = PodShape { requests, ..PodShape::default() };
    let zone = (str("topology.kubernetes.io/zone"), str(zone));
    let terms = (str("karpenter.sh/capacity-type"), str("on-demand"));
    match app % 6 {
        0 => shape.node_selector = Labels::new(vec![zone]),
        1 if !spot => shape.node_selector = Labels::new(vec![terms]),
        2 => {
            let (key, value) = (str("app"), str(&format!("app-{app}")));
            let term = SelectorTerm { key, operator: Match::In, values: vec![value] };
            shape.anti_affinity.push(PodTerm {
                topology_key: str("kubernetes.io/hostname"),
                selector: Some(Selector(vec![term])),
                namespaces: Vec::new(),
                namespace_selector: None,
                match_label_keys: Vec::new(),
                mismatch_label_keys: Vec::new(),
            });
        }
        _ => {}
    }
    shape
}

/// Carries out a plan in the checker, move by move; every placement must be allowed when its turn comes.
fn carry_out(snapshot: &Snapshot, plan: &Plan, seed: u64) {
    let mut checker = Checker::new(snapshot);
    let place = |name: Str| snapshot.nodes.iter().position(|own| own.meta.name == name).unwrap();
    let mut moved: Vec<usize> = Vec::new();
    for (number, own) in plan.moves.iter().map(|own| &own.own).enumerate() {
        let mut new = Vec::new();
        for (at, replacement) in own.replacements.iter().enumerate() {
            let host = checker.intern(&format!("new-{number}-{at}"));
            let hostname = checker.intern("kubernetes.io/hostname");
            let mut labels: Vec<(Str, Str)> = replacement.node.labels.iter().collect();
            labels.push((hostname, host));
            let mut allocatable = replacement.node.allocatable.clone();
            allocatable.subtract(&replacement.node.overhead);
            let taints = replacement.node.taints.clone();
            let mut node = Node { taints, allocatable, ..Node::default() };
            node.meta.name = host;
            node.meta.labels = Labels::new(labels);
            new.push(checker.add_node(node));
        }
        for pod in &own.pods {
            moved.push(pod.pod);
            let to = match pod.to {
                Target::Node(name) => place(name),
                Target::Replacement(at) => new[at],
            };
            checker.evict(pod.pod);
            let placed = checker.place(pod.pod, to);
            assert!(placed.is_ok(), "seed {seed}: move {number}, pod {}: {placed:?}", pod.pod);
        }
        for source in &own.sources {
            let left =
                (0..snapshot.pods.len()).filter(|pod| checker.node_of(*pod) == Some(*source));
            assert_eq!(left.count(), 0, "seed {seed}: pods are left on a node that goes");
            checker.remove_node(*source);
        }
        assert!(own.replacements.len() <= 8 && own.after < own.before, "seed {seed}");
        assert!(own.savings() >= own.required, "seed {seed}: a move that does not pay");
    }
    let all = moved.len();
    moved.sort_unstable();
    moved.dedup();
    assert_eq!(moved.len(), all, "seed {seed}: a pod moves twice");
    for pod in 0..snapshot.pods.len() {
        assert!(checker.node_of(pod).is_some(), "seed {seed}: pod {pod} has no node");
    }
}

#[test]
fn every_move_can_be_carried_out_and_pays() {
    let (mut moves, mut launched, mut saved) = (0, 0, Price::ZERO);
    for seed in 0..30 {
        let mut world = fleet(seed);
        let plan = world.plan();
        carry_out(&world.snapshot, &plan, seed);
        assert!(plan.after.price <= plan.before.price, "seed {seed}");
        moves += plan.moves.len();
        launched += plan.moves.iter().map(|own| own.own.replacements.len()).sum::<usize>();
        saved += plan.before.price - plan.after.price;
    }
    assert!(moves > 40 && launched > 40, "{moves} moves, {launched} new nodes, {saved:?} saved");
}

#[test]
fn equal_input_and_effort_give_an_equal_plan() {
    for seed in 40..52 {
        assert_eq!(fleet(seed).plan(), fleet(seed).plan(), "seed {seed}");
    }
}

#[test]
fn the_order_of_the_input_does_not_matter() {
    for seed in 52..64 {
        let mut world = fleet(seed);
        let mut other = fleet(seed);
        other.snapshot.nodes.reverse();
        other.snapshot.pods.reverse();
        other.snapshot.node_claims.reverse();
        other.snapshot.canonicalize();
        assert_eq!(world.plan(), other.plan(), "seed {seed}");
    }
}

#[test]
fn whatever_the_effort_the_plan_is_valid() {
    for seed in 64..72 {
        for effort in ["1", "300", "3000"] {
            let mut world = fleet(seed);
            world.set(Name::Effort, effort);
            let plan = world.plan();
            carry_out(&world.snapshot, &plan, seed);
            assert!(plan.after.price <= plan.before.price, "seed {seed}");
        }
    }
}

/// Two nodes of four cores with some pods each, where two of two cores cost as much as one of four.
fn two_half_empty(pods: [usize; 2], cpu: i64) -> World {
    let mut world = World::new();
    world.sells("two", "2", "8Gi", "0.1").sells("four", "4", "16Gi", "0.2");
    world.pool("default");
    for (name, text) in [
        (Name::ScaledownUtilizationThreshold, "1"),
        (Name::MinimumNodeLifetime, "0s"),
        (Name::WorkloadFloor, "off"),
    ] {
        world.set(name, text);
    }
    for (at, count) in pods.into_iter().enumerate() {
        let node = world.node(&format!("n{at}"), "default", "four", (4, 16));
        world.pods(node, "web", count, cpu, 256);
    }
    world.snapshot.canonicalize();
    world
}

#[test]
fn a_node_goes_rather_than_both_for_new_ones() {
    for (pods, cpu) in [([2, 2], 600), ([2, 1], 1100), ([3, 3], 600), ([1, 2], 1300)] {
        let plan = two_half_empty(pods, cpu).plan();
        let moves: Vec<_> = plan.moves.iter().map(|own| &own.own).collect();
        let shapes: Vec<_> = moves.iter().map(|own| own.shape()).collect();
        assert_eq!(moves.len(), 1, "{pods:?} of {cpu}m: {shapes:?}");
        let shape = (moves[0].sources.len(), moves[0].replacements.len());
        assert_eq!(shape, (1, 0), "{pods:?} of {cpu}m: {:?} saved", moves[0].savings());
        assert_eq!(moves[0].pods.len(), pods[0].min(pods[1]), "{pods:?} of {cpu}m");
    }
}
