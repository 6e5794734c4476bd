//! Soft taints on what goes next (design 3.10).

use restow_consolidation::settings::Name;
use restow_execution::Action;
use restow_execution::action::GOING;
use restow_model::{Budget, NodeCount, Str};

use super::world::World;

fn spread() -> World {
    let mut world = World::new();
    let nodes = NodeCount::Count(1);
    let own = Budget { nodes, reasons: None, schedule: Str::EMPTY, duration: None };
    world.snapshot.node_pools[0].disruption.budgets = Some(vec![own]);
    for at in 0..6 {
        let node = format!("n{at}");
        world.node(&node, "small");
        world.pods(&node, &format!("app{at}"), 1, 300);
    }
    world
}

fn steered(world: &World) -> usize {
    let nodes = world.snapshot.nodes.iter();
    nodes.filter(|node| world.taints(node).iter().any(|key| key == GOING)).count()
}

#[test]
fn later_waves_are_marked_until_all_is_done() {
    let mut world = spread();
    world.set(Name::Steering, "soft-taints");
    world.tick();
    assert_eq!(world.execution.records().len(), 1, "one at a time");
    assert!(steered(&world) >= 3, "{} marked", steered(&world));
    world.run(1500, 5);
    assert_eq!(steered(&world), 0);
}

#[test]
fn a_pause_or_a_pod_that_waits_lifts_the_marks() {
    for pause in [true, false] {
        let mut world = spread();
        world.set(Name::Steering, "soft-taints");
        world.tick();
        assert!(steered(&world) > 0);
        if pause {
            world.paused = true;
        } else {
            world.pods("", "huge", 1, 50_000);
            world.pass(65);
        }
        world.tick();
        assert_eq!(steered(&world), 0, "paused: {pause}");
    }
}

#[test]
fn nobody_asked_for_it() {
    let mut world = spread();
    for _ in 0..60 {
        let actions = world.tick();
        assert!(!actions.iter().any(|own| matches!(own, Action::Steer { .. })));
        world.pass(5);
    }
}

/// A new leader lifts what it does not want.
#[test]
fn marks_of_somebody_before_are_lifted() {
    let mut world = spread();
    world.set(Name::Steering, "soft-taints");
    world.tick();
    assert!(steered(&world) > 0);
    world.execution = restow_execution::Execution::default();
    world.written.clear();
    world.invariants = restow_execution::Invariants::default();
    world.set(Name::Steering, "none");
    world.tick();
    assert_eq!(steered(&world), 0);
}
