//! Empty nodes: `EMP`.

use restow_model::{DurationOrNever, PodShape, Resources, Truth};

use super::peer::{empty, large, medium, pods, refusal, shop, small, why, without_condition};
use crate::world::{NOW, World, minutes};

fn lone() -> (World, usize) {
    let mut world = shop();
    let node = medium(&mut world, "a");
    (world, node)
}

fn with_pod(kind: &str) -> (World, usize, usize) {
    let (mut world, node) = lone();
    let requests = Resources { cpu: 100, memory: 1 << 20, pods: 1, ..Resources::default() };
    let shape = PodShape { requests, ..PodShape::default() };
    let pod = world.pods_of(node, "app", kind, 1, shape)[0];
    (world, node, pod)
}

#[test]
fn emp_3_4_7_and_12_empty_nodes_go() {
    let (mut world, node) = lone();
    assert_eq!(empty(&mut world), [node]);
    let kind = world.snapshot.strings.intern("Drifted");
    let drifted = restow_model::Condition { kind, ..world.claim(node).conditions[0] };
    world.claim(node).conditions.push(drifted);
    assert_eq!(empty(&mut world), [node]);
    let (mut world, node, _) = with_pod("DaemonSet");
    assert_eq!(empty(&mut world), [node]);
}

#[test]
fn emp_5_and_9_only_nodes_that_are_consolidatable() {
    let (mut world, node) = lone();
    let at = world.claim(node).conditions.len() - 1;
    world.claim(node).conditions[at].truth = Truth::False;
    assert!(empty(&mut world).is_empty());
    without_condition(&mut world, node, "Consolidatable");
    assert!(empty(&mut world).is_empty());
    assert_eq!(refusal(&mut world, node), Some("RecentPodEvent"));
}

#[test]
fn emp_8_nodes_with_pods_stay() {
    let (mut world, _, _) = with_pod("ReplicaSet");
    assert!(empty(&mut world).is_empty());
}

#[test]
fn emp_10_and_mul_5_several_go_at_once() {
    let mut world = shop();
    let nodes = ["a", "b", "c"].map(|name| medium(&mut world, name));
    assert_eq!(empty(&mut world), nodes);
    let plan = world.plan();
    assert_eq!(plan.moves.len(), 1);
}

/// A pod that waits for most of a large node keeps it from being replaced by a small one.
#[test]
fn emp_11_pending_pods_take_part() {
    let mut world = shop();
    let node = large(&mut world, "a");
    pods(&mut world, node, "app", 1);
    assert_eq!(why(&mut world, node), "goes");
    let requests = Resources { cpu: 15_000, memory: 1 << 20, pods: 1, ..Resources::default() };
    let shape = PodShape { requests, ..PodShape::default() };
    let pod = world.pods_of(node, "waiting", "ReplicaSet", 1, shape)[0];
    world.snapshot.pods[pod].node = restow_model::Str::EMPTY;
    world.snapshot.pods[pod].phase = restow_model::Phase::Pending;
    world.snapshot.pods[pod].unschedulable = true;
    assert_eq!(why(&mut world, node), "NoCheaperReplacement");
}

#[test]
fn emp_13_and_14_pods_that_are_being_deleted() {
    for (kind, goes) in [("ReplicaSet", true), ("StatefulSet", false)] {
        let (mut world, _, pod) = with_pod(kind);
        world.snapshot.pods[pod].deleted = Some(NOW);
        assert_eq!(!empty(&mut world).is_empty(), goes, "{kind}");
    }
}

#[test]
fn emp_16_and_misc_15_static_pools_are_left_alone() {
    let (mut world, node) = lone();
    world.snapshot.node_pools[0].replicas = Some(1);
    assert!(empty(&mut world).is_empty());
    pods(&mut world, node, "app", 1);
    assert_eq!(refusal(&mut world, node), Some("StaticPool"));
}

/// Consolidation that is off spares empty nodes too; a policy for empty nodes only spares the others.
#[test]
fn methods_ask_for_policies() {
    let (mut world, node) = lone();
    let other = small(&mut world, "b");
    pods(&mut world, other, "app", 1);
    world.snapshot.node_pools[0].disruption.policy = Some(restow_model::Policy::WhenEmpty);
    assert_eq!(empty(&mut world), [node]);
    assert_eq!(refusal(&mut world, other), Some("PolicyForbids"));
    world.snapshot.node_pools[0].disruption.consolidate_after = Some(DurationOrNever::Never);
    assert!(empty(&mut world).is_empty());
    assert_eq!(refusal(&mut world, other), Some("ConsolidationOff"));
    world.snapshot.node_pools[0].disruption.consolidate_after =
        Some(DurationOrNever::After(minutes(1)));
    assert_eq!(empty(&mut world), [node]);
}
