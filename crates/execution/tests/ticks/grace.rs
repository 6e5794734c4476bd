//! Nodes that were evaluated in vain (seed 002).

use restow_consolidation::settings::Name;
use restow_execution::Action;

use super::world::World;

fn evaluated(actions: &[Action]) -> usize {
    actions.iter().filter(|own| matches!(own, Action::Evaluated { .. })).count()
}

/// A node that may go, but whose pods have no other place.
fn stuck() -> World {
    let mut world = World::new();
    world.set(Name::ScaledownUtilizationThreshold, "1");
    world.node("a", "medium");
    world.pods("a", "a", 3, 1300);
    world
}

#[test]
fn a_node_is_noted_once_for_each_period() {
    let mut world = stuck();
    world.set(Name::ConsolidationGracePeriod, "10m");
    let mut times = Vec::new();
    for at in 0..500 {
        if evaluated(&world.tick()) > 0 {
            times.push(at * 5);
        }
        world.pass(5);
    }
    assert_eq!(times.len(), 5, "{times:?}");
    assert_eq!(times[0], 0);
    for (one, next) in times.iter().zip(&times[1..]) {
        assert!(next - one >= 600, "{times:?}: rewritten while protected");
    }
}

#[test]
fn without_a_grace_period_nothing_is_noted() {
    let mut world = stuck();
    for _ in 0..100 {
        assert_eq!(evaluated(&world.tick()), 0);
        world.pass(5);
    }
}

/// A node that could go, but not now, was not evaluated in vain.
#[test]
fn a_node_that_goes_later_is_not_noted() {
    let mut world = World::new();
    world.set(Name::ConsolidationGracePeriod, "10m");
    for node in ["a", "b"] {
        world.node(node, "medium");
        world.pods(node, node, 2, 500);
    }
    assert_eq!(evaluated(&world.tick()), 0);
}
