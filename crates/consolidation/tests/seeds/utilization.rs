//! Seed 000: well utilized nodes are left alone.

use restow_consolidation::settings::Name;
use restow_consolidation::{Outcome, Reason};
use restow_model::{Condition, DurationOrNever, Str, Truth};

use crate::world::{World, minutes};

/// A node that could be replaced by a cheaper twin, with this much cpu and memory asked for in percent.
fn node(cpu: i64, memory: i64) -> (World, usize) {
    let mut world = World::new();
    world.sells("dear", "10", "10Gi", "1").sells("cheap", "10", "10Gi", "0.5");
    world.pool("default");
    let node = world.node("a", "default", "dear", (10, 10));
    // Requests of two pods that add up to it.
    world.pods(node, "one", 1, cpu * 100, 0);
    world.pods(node, "two", 1, 0, memory * 10240 / 100);
    (world, node)
}

#[test]
fn the_average_of_cpu_and_memory_decides() {
    let (mut world, at) = node(100, 40);
    assert_eq!(world.outcome(at).0, Outcome::Consolidate);
    let (mut world, at) = node(100, 60);
    assert_eq!(
        world.verdict(at).reasons[0],
        Reason::UtilizationAboveThreshold { utilization: 0.8, threshold: 0.75 }
    );
}

/// Above, not at: 75 % is not skipped.
#[test]
fn at_the_threshold_is_not_above() {
    let (mut world, at) = node(75, 75);
    assert_eq!(world.outcome(at).0, Outcome::Consolidate);
}

#[test]
fn one_switches_it_off_and_zero_leaves_only_empty_nodes() {
    let (mut world, at) = node(100, 100);
    world.set(Name::ScaledownUtilizationThreshold, "1.0");
    assert_eq!(world.outcome(at).0, Outcome::Consolidate);
    let (mut world, at) = node(1, 1);
    let empty = world.node("b", "default", "dear", (10, 10));
    world.set(Name::ScaledownUtilizationThreshold, "0.0");
    assert_eq!(world.outcome(at), (Outcome::Blocked, "UtilizationAboveThreshold"));
    assert_eq!(world.outcome(empty).0, Outcome::Consolidate);
}

/// A node with daemons only is empty, and always passes.
#[test]
fn an_empty_node_has_no_utilization() {
    let mut world = World::new();
    world.sells("dear", "10", "10Gi", "1");
    world.pool("default");
    let at = world.node("a", "default", "dear", (10, 10));
    let requests =
        restow_model::Resources { cpu: 9000, memory: 9 << 30, pods: 1, ..Default::default() };
    let shape = restow_model::PodShape { requests, ..Default::default() };
    world.pods_of(at, "agent", "DaemonSet", 1, shape);
    assert_eq!(world.outcome(at).0, Outcome::Consolidate);
}

/// With a tenth of its life left or less a node may go however full it is.
#[test]
fn near_its_end_it_does_not_count() {
    let (mut world, at) = node(90, 90);
    world.claim(at).expire_after = Some(DurationOrNever::After(minutes(1100)));
    assert_eq!(world.outcome(at).0, Outcome::Consolidate);
    world.claim(at).expire_after = Some(DurationOrNever::After(minutes(1200)));
    assert_eq!(world.outcome(at), (Outcome::Blocked, "UtilizationAboveThreshold"));
}

#[test]
fn drifted_nodes_bypass_it() {
    let (mut world, at) = node(90, 90);
    let kind = world.snapshot.strings.intern("Drifted");
    world.claim(at).conditions.push(Condition {
        kind,
        truth: Truth::True,
        reason: Str::EMPTY,
        changed: None,
    });
    assert_eq!(world.outcome(at).0, Outcome::Consolidate);
}

/// A resource of which the node has none is left out of the average.
#[test]
fn a_resource_that_is_not_there_is_left_out() {
    let (mut world, at) = node(80, 0);
    world.snapshot.nodes[at].allocatable.memory = 0;
    let utilization = world.fleet(|fleet, _| fleet.nodes[at].utilization);
    assert_eq!((utilization.cpu, utilization.memory, utilization.average), (0.8, 0.0, 0.8));
}
