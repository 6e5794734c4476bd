//! Budgets of pools: `BUD`, `BDM`, and `EMP-2`.

use restow_consolidation::budget;
use restow_model::{Condition, DisruptionReason, NodeCount, Str, Truth};

use super::peer::{
    budget as allow, empty, many, medium, one, pods, shop, unlabel, without_condition,
};
use crate::world::{NOW, World};

/// Ten nodes with so many pods each, under one budget.
fn ten(nodes: NodeCount, each: usize) -> World {
    let mut world = shop();
    world.snapshot.node_pools[0].disruption.budgets = Some(allow(nodes));
    for number in 0..10 {
        let node = medium(&mut world, &format!("n{number}"));
        pods(&mut world, node, &format!("app{number}"), each);
    }
    world
}

/// Ten pools of three empty nodes.
fn ten_pools(nodes: NodeCount) -> World {
    let mut world = shop();
    for pool in 0..10 {
        let name = format!("pool{pool}");
        world.pool(&name).disruption.budgets = Some(allow(nodes));
        for number in 0..3 {
            world.node(&format!("n{pool}-{number}"), &name, "medium", (4, 16));
        }
    }
    world
}

#[test]
fn bud_1_to_3_and_emp_2_empty_nodes_of_one_pool() {
    assert_eq!(empty(&mut ten(NodeCount::Percent(30), 0)).len(), 3);
    assert_eq!(empty(&mut ten(NodeCount::Percent(100), 0)).len(), 10);
    assert_eq!(empty(&mut ten(NodeCount::Percent(0), 0)).len(), 0);
}

#[test]
fn bud_4_many_nodes_at_once() {
    assert_eq!(many(&mut ten(NodeCount::Percent(30), 1)).unwrap().sources.len(), 3);
}

#[test]
fn bud_5_one_node_after_another() {
    // A plan goes on past the budget, but only so many nodes of it may go now.
    let plan = ten(NodeCount::Percent(30), 1).plan();
    let now = plan.moves.iter().filter(|own| own.turn.wave == Some(1));
    assert_eq!(now.map(|own| own.own.sources.len()).sum::<usize>(), 3);
}

#[test]
fn bud_6_to_8_and_emp_2_many_pools() {
    assert_eq!(empty(&mut ten_pools(NodeCount::Percent(50))).len(), 20);
    assert_eq!(empty(&mut ten_pools(NodeCount::Percent(100))).len(), 30);
    assert_eq!(empty(&mut ten_pools(NodeCount::Percent(0))).len(), 0);
}

fn left(world: &mut World) -> usize {
    let reason = DisruptionReason::Underutilized;
    world.fleet(|fleet, _| budget::left(&fleet.pools[0], reason, fleet.now).0)
}

#[test]
fn bdm_1_unmanaged_nodes_do_not_count() {
    let mut world = ten(NodeCount::Percent(100), 0);
    world.snapshot.node_claims.pop();
    assert_eq!(left(&mut world), 9);
}

#[test]
fn bdm_2_uninitialized_nodes_do_not_count() {
    let mut world = ten(NodeCount::Percent(100), 0);
    unlabel(&mut world, 0, "karpenter.sh/initialized");
    without_condition(&mut world, 0, "Initialized");
    assert_eq!(left(&mut world), 9);
}

#[test]
fn bdm_3_terminating_instances_do_not_count() {
    let mut world = ten(NodeCount::Percent(100), 0);
    let kind = world.snapshot.strings.intern("InstanceTerminating");
    let terminating =
        Condition { kind, truth: Truth::True, reason: Str::EMPTY, changed: Some(NOW) };
    world.claim(0).conditions.push(terminating);
    assert_eq!(left(&mut world), 9);
}

#[test]
fn bdm_4_never_negative() {
    let mut world = ten(NodeCount::Count(1), 0);
    for node in 0..5 {
        world.claim(node).meta.deleted = Some(NOW);
    }
    assert_eq!(left(&mut world), 0);
}

#[test]
fn bdm_5_deleting_nodes_are_subtracted() {
    let mut world = ten(NodeCount::Percent(100), 0);
    world.claim(0).meta.deleted = Some(NOW);
    world.claim(1).meta.deleted = Some(NOW);
    assert_eq!(left(&mut world), 8);
}

#[test]
fn bdm_6_nodes_that_are_not_ready_are_subtracted() {
    let mut world = ten(NodeCount::Percent(100), 0);
    for node in 0..2 {
        world.snapshot.nodes[node].conditions[0].truth = Truth::False;
    }
    assert_eq!(left(&mut world), 8);
    // One node alone is asked about whatever the budget says.
    assert!(one(&mut ten(NodeCount::Count(0), 1), 0).is_ok());
}
