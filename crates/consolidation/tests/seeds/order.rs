//! Seed 003: which node goes first, which pods keep theirs, and the timers.

use restow_consolidation::Outcome;
use restow_consolidation::settings::Name;
use restow_model::{DurationOrNever, GoDuration, PodShape, Resources, Shared};

use crate::world::{NOW, World, minutes};

fn shape(priority: i32) -> PodShape {
    let requests = Resources { cpu: 100, memory: 64 << 20, pods: 1, ..Resources::default() };
    PodShape { requests, priority, ..PodShape::default() }
}

/// Two equal nodes, one of which can take what is on the other, and no more.
fn two() -> (World, usize, usize) {
    let mut world = World::new();
    world.sells("large", "2", "8Gi", "0.1");
    world.pool("default");
    world.set(Name::Search, "seed").set(Name::WorkloadFloor, "off");
    let a = world.node("a", "default", "large", (2, 8));
    let b = world.node("b", "default", "large", (2, 8));
    (world, a, b)
}

fn first(world: &mut World) -> usize {
    world.plan().moves[0].own.sources[0]
}

#[test]
fn the_node_with_fewer_pods() {
    let (mut world, a, b) = two();
    world.pods_of(a, "many", "ReplicaSet", 10, shape(0));
    world.pods_of(b, "few", "ReplicaSet", 5, shape(0));
    assert_eq!(first(&mut world), b);
}

#[test]
fn the_node_with_the_lower_deletion_cost() {
    let (mut world, a, b) = two();
    let dear = world.pods_of(a, "x", "ReplicaSet", 5, shape(0));
    world.pods_of(b, "y", "ReplicaSet", 5, shape(0));
    world.annotate(dear[0], "controller.kubernetes.io/pod-deletion-cost", "1000");
    assert_eq!(first(&mut world), b);
}

#[test]
fn the_node_with_the_lower_priority() {
    let (mut world, a, b) = two();
    world.pods_of(a, "x", "ReplicaSet", 5, shape(1000));
    world.pods_of(b, "y", "ReplicaSet", 5, shape(0));
    assert_eq!(first(&mut world), b);
}

#[test]
fn the_node_that_expires_first() {
    let (mut world, a, b) = two();
    world.pods_of(a, "x", "ReplicaSet", 5, shape(0));
    world.pods_of(b, "y", "ReplicaSet", 5, shape(0));
    world.set(Name::DestinationMinimumLifetime, "0s");
    world.claim(a).expire_after = Some(DurationOrNever::After(minutes(29 * 1440)));
    world.claim(b).expire_after = Some(DurationOrNever::After(minutes(1005)));
    assert_eq!(first(&mut world), b);
}

/// All equal: by name.
#[test]
fn ties_are_broken_by_name() {
    let (mut world, a, b) = two();
    world.pods_of(a, "x", "ReplicaSet", 5, shape(0));
    world.pods_of(b, "y", "ReplicaSet", 5, shape(0));
    assert_eq!(first(&mut world), a);
}

/// Deletion is preferred over replacement.
#[test]
fn a_deletion_comes_before_a_replacement() {
    let (mut world, a, b) = two();
    world.sells("small", "1", "4Gi", "0.05");
    world.pods_of(a, "x", "ReplicaSet", 2, shape(0));
    world.pods_of(b, "y", "ReplicaSet", 9, shape(0));
    let plan = world.plan();
    assert_eq!(plan.moves[0].own.sources, [a]);
    assert!(plan.moves[0].own.replacements.is_empty());
}

/// One move at a time: each has a wave of its own.
#[test]
fn one_move_at_a_time() {
    let (mut world, a, b) = two();
    world.sells("small", "1", "4Gi", "0.05");
    // Full enough that neither takes the other's pods.
    let mut big = shape(0);
    big.requests.cpu = 900;
    world.pods_of(a, "x", "ReplicaSet", 1, big.clone());
    big.requests.memory = 4 << 30;
    world.pods_of(b, "y", "ReplicaSet", 1, big);
    world.set(Name::MaxReplacements, "1");
    let waves: Vec<Option<u32>> = world.plan().moves.iter().map(|own| own.turn.wave).collect();
    let expected: Vec<Option<u32>> = (1..=waves.len() as u32).map(Some).collect();
    assert_eq!(waves, expected);
}

fn lonely() -> (World, usize) {
    let (mut world, a, b) = two();
    world.pods_of(a, "x", "ReplicaSet", 2, shape(0));
    world.pods_of(b, "y", "ReplicaSet", 9, shape(0));
    (world, a)
}

#[test]
fn pods_without_a_controller_block() {
    let (mut world, a) = lonely();
    world.snapshot.pods[0].owner = Shared(0);
    assert_eq!(world.outcome(a), (Outcome::Blocked, "PodWithoutOwner"));
}

#[test]
fn a_budget_without_allowance_blocks_and_one_is_enough() {
    let (mut world, a) = lonely();
    world.pdb("x", "x", 0);
    assert_eq!(world.outcome(a), (Outcome::Blocked, "PdbBlocks"));
    world.snapshot.pod_disruption_budgets[0].disruptions_allowed = 1;
    assert_eq!(world.outcome(a).0, Outcome::Consolidate);
}

#[test]
fn marked_pods_block() {
    for mark in ["karpenter.sh/do-not-evict", "karpenter.sh/do-not-disrupt"] {
        let (mut world, a) = lonely();
        world.annotate(0, mark, "true");
        assert_eq!(world.outcome(a), (Outcome::Blocked, "DoNotDisruptPod"));
    }
}

#[test]
fn five_minutes_of_life_at_least() {
    let (mut world, a) = lonely();
    world.claim(a).conditions[0].changed = Some(NOW.minus(GoDuration::from_seconds(299)));
    assert_eq!(world.outcome(a), (Outcome::Blocked, "TooYoung"));
    world.claim(a).conditions[0].changed = Some(NOW.minus(GoDuration::from_seconds(300)));
    assert_eq!(world.outcome(a).0, Outcome::Consolidate);
}

/// With consolidation off an empty node goes after its time; a node with pods stays.
#[test]
fn ttl_seconds_after_empty() {
    let (mut world, a) = lonely();
    let empty = world.node("c", "default", "large", (2, 8));
    let pool = &mut world.snapshot.node_pools[0].disruption;
    pool.consolidate_after = Some(DurationOrNever::Never);
    pool.ttl_seconds_after_empty = Some(600);
    assert_eq!(world.outcome(a), (Outcome::Blocked, "ConsolidationOff"));
    assert_eq!(world.outcome(empty).0, Outcome::Consolidate);
    world.claim(empty).last_pod_event = Some(NOW.minus(minutes(9)));
    assert_eq!(world.outcome(empty), (Outcome::Blocked, "RecentPodEvent"));
    // Together with consolidation it is refused.
    world.snapshot.node_pools[0].disruption.consolidate_after =
        Some(DurationOrNever::After(minutes(1)));
    assert_eq!(world.outcome(empty), (Outcome::Blocked, "InvalidSettings"));
}
