//! Seed 001: what it costs to disturb a node.

use restow_consolidation::settings::Name;
use restow_model::{DurationOrNever, PodShape, Resources};

use crate::world::{World, minutes};

fn node_cost(world: &mut World, node: usize) -> f64 {
    world.fleet(|fleet, _| fleet.nodes[node].costs.node)
}

fn with_priority(priority: i32) -> PodShape {
    let requests = Resources { cpu: 10, memory: 1 << 20, pods: 1, ..Resources::default() };
    PodShape { requests, priority, ..PodShape::default() }
}

fn one_node() -> (World, usize) {
    let mut world = World::new();
    world.sells("large", "16", "64Gi", "1");
    world.pool("default");
    let node = world.node("a", "default", "large", (16, 64));
    (world, node)
}

/// Empty 0.0 + 1, ten pods 10.0 + 1, ten critical pods 100.0 + 1 as each is clamped to ten.
#[test]
fn example_values() {
    let (mut world, node) = one_node();
    assert_eq!(node_cost(&mut world, node), 1.0);
    world.pods_of(node, "api", "ReplicaSet", 10, with_priority(0));
    assert_eq!(node_cost(&mut world, node), 11.0);
    let (mut world, node) = one_node();
    world.pods_of(node, "api", "ReplicaSet", 10, with_priority(2_000_000_000));
    assert_eq!(node_cost(&mut world, node), 101.0);
}

#[test]
fn deletion_cost_counts() {
    let (mut world, node) = one_node();
    let pods = world.pods_of(node, "api", "ReplicaSet", 2, with_priority(0));
    world.annotate(pods[0], "controller.kubernetes.io/pod-deletion-cost", "134217728");
    assert_eq!(node_cost(&mut world, node), 4.0);
    world.annotate(pods[0], "controller.kubernetes.io/pod-deletion-cost", "many");
    assert_eq!(node_cost(&mut world, node), 3.0);
}

/// A node at half of its life costs half.
#[test]
fn the_nearer_the_end_the_cheaper() {
    let (mut world, node) = one_node();
    world.pods_of(node, "api", "ReplicaSet", 9, with_priority(0));
    world.claim(node).expire_after = Some(DurationOrNever::After(minutes(2000)));
    assert_eq!(node_cost(&mut world, node), 5.0);
    world.claim(node).expire_after = Some(DurationOrNever::After(minutes(500)));
    assert_eq!(node_cost(&mut world, node), 0.0);
    world.claim(node).expire_after = Some(DurationOrNever::Never);
    assert_eq!(node_cost(&mut world, node), 10.0);
}

/// Daemon pods are included in the cost; how is a setting.
#[test]
fn daemons_count() {
    let (mut world, node) = one_node();
    world.pods_of(node, "api", "ReplicaSet", 2, with_priority(0));
    world.pods_of(node, "agent", "DaemonSet", 3, with_priority(2_000_001_000));
    assert_eq!(node_cost(&mut world, node), 33.0);
    world.set(Name::DaemonCost, "flat");
    assert_eq!(node_cost(&mut world, node), 6.0);
    world.set(Name::DaemonCost, "none");
    assert_eq!(node_cost(&mut world, node), 3.0);
}

/// A node with daemons only has no pod to move, and costs what an empty one does.
#[test]
fn daemons_alone_are_an_empty_node() {
    let (mut world, node) = one_node();
    world.pods_of(node, "agent", "DaemonSet", 3, with_priority(0));
    assert_eq!(node_cost(&mut world, node), 1.0);
}
