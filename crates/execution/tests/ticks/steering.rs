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

/// The same until pods are about to be evicted.
fn draining() -> World {
    let mut world = spread();
    world.set(Name::Steering, "soft-taints");
    world.tick();
    assert_eq!((world.execution.records().len(), steered(&world)), (1, 0), "nothing goes yet");
    world.pass(15);
    world.tick();
    world
}

#[test]
fn nodes_that_pods_are_not_meant_for_are_marked_before_they_are_evicted_and_until_they_are() {
    let mut world = draining();
    // One goes and one takes its pod.
    assert_eq!(steered(&world), 4);
    world.run(1500, 5);
    assert_eq!(steered(&world), 0);
}

#[test]
fn marks_come_before_nodes_are_let_go() {
    let mut world = spread();
    world.set(Name::Steering, "soft-taints");
    world.tick();
    world.pass(15);
    let actions = world.tick();
    let first = |what: fn(&Action) -> bool| actions.iter().position(what).expect("it is asked for");
    let goes = first(|own| matches!(own, Action::DeleteClaim { .. }));
    let last = actions.iter().rposition(|own| matches!(own, Action::Steer { .. }));
    assert!(first(|own| matches!(own, Action::Write(_))) < goes && last < Some(goes));
}

#[test]
fn a_pause_or_a_pod_that_waits_lifts_the_marks() {
    for pause in [true, false] {
        let mut world = draining();
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

/// A new leader knows what it was for, and lifts what it does not want.
#[test]
fn marks_of_somebody_before_are_kept_or_lifted() {
    let mut world = draining();
    let (before, records) = (steered(&world), world.execution.records().to_vec());
    world.execution = restow_execution::Execution::resume(records);
    world.tick();
    assert_eq!(steered(&world), before);
    world.execution = restow_execution::Execution::default();
    world.written.clear();
    world.invariants = restow_execution::Invariants::default();
    world.set(Name::Steering, "none");
    world.tick();
    assert_eq!(steered(&world), 0);
}
