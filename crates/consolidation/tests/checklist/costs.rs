//! What it costs to evict pods: `EVC`; and the order that follows from it: `SNC-1`, `SNC-3`, `MISC-1`, `BAL-24`, `BAL-28`,
//! `BAL-39`.

use restow_consolidation::fleet::pod_cost;
use restow_consolidation::peer;
use restow_model::{PodShape, Policy, Resources};

use super::peer::{first, large, medium, pods, shop, small};
use crate::world::World;

const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

fn cost(deletion: Option<&str>, priority: i32) -> f64 {
    let mut world = shop();
    let node = medium(&mut world, "a");
    let requests = Resources { cpu: 100, memory: 1 << 20, pods: 1, ..Resources::default() };
    let shape = PodShape { requests, priority, ..PodShape::default() };
    let pod = world.pods_of(node, "app", "ReplicaSet", 1, shape)[0];
    if let Some(deletion) = deletion {
        world.annotate(pod, DELETION_COST, deletion);
    }
    pod_cost(&world.snapshot, &world.snapshot.pods[pod])
}

#[test]
fn evc_1_to_6_costs_of_pods() {
    assert_eq!(cost(None, 0), 1.0);
    assert!(cost(Some("100"), 0) > 1.0);
    assert!(cost(Some("-100"), 0) < 1.0);
    assert!(cost(Some("101"), 0) > cost(Some("100"), 0));
    assert!(cost(Some("100"), 0) > cost(Some("99"), 0));
    assert!(cost(None, 1) > 1.0);
    assert!(cost(None, -1) < 1.0);
    // The reference points of 2.2.
    assert_eq!(cost(None, 2_000_000_000), 10.0);
    assert_eq!(cost(Some("-134217728"), 0), 0.0);
    assert_eq!(cost(Some("2147483647"), 0), 10.0);
}

fn order(world: &mut World) -> Vec<usize> {
    world.fleet(|fleet, _| {
        let all: Vec<usize> = (0..fleet.nodes.len()).collect();
        peer::in_order(fleet, &all)
    })
}

#[test]
fn snc_1_and_3_and_bal_28_the_highest_ratio_first_whatever_the_policy() {
    for policy in [Policy::Balanced, Policy::WhenEmptyOrUnderutilized] {
        let mut world = shop();
        world.snapshot.node_pools[0].disruption.policy = Some(policy);
        let (a, b, c) = (small(&mut world, "a"), large(&mut world, "b"), medium(&mut world, "c"));
        for node in [a, b, c] {
            pods(&mut world, node, "app", 2);
        }
        assert_eq!(order(&mut world), [b, c, a]);
        // 8 for 13 units is less than 2 for 3, and more than 1 for 3.
        pods(&mut world, b, "more", 10);
        assert_eq!(order(&mut world), [c, b, a]);
    }
}

#[test]
fn bal_39_price_and_disruption_both_count() {
    let mut world = shop();
    world
        .sells("a", "16", "64Gi", "16")
        .sells("b", "16", "64Gi", "8")
        .sells("c", "4", "16Gi", "1.2");
    let a = world.node("a", "default", "a", (16, 64));
    let b = world.node("b", "default", "b", (16, 64));
    let c = world.node("c", "default", "c", (4, 16));
    for (node, count) in [(a, 10), (b, 1), (c, 8)] {
        pods(&mut world, node, "app", count);
    }
    assert_eq!(order(&mut world), [b, a, c]);
}

#[test]
fn misc_1_and_del_1_of_equal_nodes_the_one_with_fewer_pods_goes() {
    let mut world = shop();
    let (a, b) = (small(&mut world, "a"), small(&mut world, "b"));
    pods(&mut world, a, "three", 3);
    pods(&mut world, b, "two", 2);
    assert_eq!(first(&mut world), [b]);
    let plan = world.plan();
    assert!(plan.moves[0].own.replacements.is_empty());
}
