//! Seed 004: which shapes of moves a pool allows.

use restow_consolidation::Outcome;
use restow_model::{ConsolidationSwitches, Policy};

use crate::world::World;

/// A node that can only be replaced (`single`) and an empty one.
fn world(policy: Policy) -> (World, usize, usize) {
    let mut world = World::new();
    world.sells("dear", "4", "16Gi", "1").sells("cheap", "2", "8Gi", "0.3");
    world.pool("default").disruption.policy = Some(policy);
    let node = world.node("a", "default", "dear", (4, 16));
    let empty = world.node("b", "default", "dear", (4, 16));
    // The empty node is no place to go to.
    world.snapshot.nodes[empty].unschedulable = true;
    world.pods(node, "x", 1, 1500, 1024);
    (world, node, empty)
}

#[test]
fn empty_nodes_go_under_every_policy() {
    for policy in Policy::ALL {
        let (mut world, _, empty) = world(policy);
        assert_eq!(world.outcome(empty).0, Outcome::Consolidate, "{}", policy.name());
    }
}

#[test]
fn a_replacement_needs_a_policy_that_allows_it() {
    for policy in Policy::ALL {
        let (mut world, node, _) = world(policy);
        let outcome = world.outcome(node).0;
        let expected = match policy {
            Policy::WhenEmpty => Outcome::Blocked,
            Policy::WhenUnderutilized => Outcome::Kept,
            _ => Outcome::Consolidate,
        };
        assert_eq!(outcome, expected, "{}", policy.name());
    }
}

#[test]
fn the_consolidation_block_wins() {
    let (mut world, node, empty) = world(Policy::WhenUnderutilizedOrCheaper);
    world.snapshot.node_pools[0].disruption.consolidation = Some(ConsolidationSwitches {
        emptiness: Some(false),
        single_node: Some(false),
        multi_node: Some(false),
        ..ConsolidationSwitches::default()
    });
    assert_eq!(world.outcome(node), (Outcome::Blocked, "PolicyForbids"));
    assert_eq!(world.outcome(empty), (Outcome::Blocked, "PolicyForbids"));
}

/// `emptyThreshold: "30%"`: a node with little on it is emptied onto others under `WhenEmpty`.
#[test]
fn nearly_empty_nodes_go() {
    let (mut world, node, empty) = world(Policy::WhenEmpty);
    world.snapshot.nodes[empty].unschedulable = false;
    let full = world.pods(empty, "y", 1, 100, 128);
    let threshold = |percent| {
        Some(ConsolidationSwitches { empty_threshold: Some(percent), ..Default::default() })
    };
    world.snapshot.node_pools[0].disruption.consolidation = threshold(30);
    assert_eq!(world.outcome(empty).0, Outcome::Consolidate);
    // 37.5 % of cpu is more than 30 %.
    assert_eq!(world.outcome(node), (Outcome::Blocked, "PolicyForbids"));
    world.snapshot.node_pools[0].disruption.consolidation = threshold(1);
    assert_eq!(world.outcome(empty), (Outcome::Blocked, "PolicyForbids"), "{full:?}");
}
