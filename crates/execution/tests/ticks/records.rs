//! Records, sums, and how long they are kept.

use restow_execution::{Execution, Ledger, Phase};

use super::world::{World, seconds};

fn halves() -> World {
    let mut world = World::new();
    for node in ["a", "b"] {
        world.node(node, "medium");
        world.pods(node, node, 2, 500);
    }
    world
}

#[test]
fn every_move_counts_once() {
    let mut world = halves();
    world.run(600, 5);
    let records = world.execution.records();
    let sums = Ledger::of(records);
    assert_eq!(sums.done, records.iter().filter(|own| own.phase == Phase::Done).count());
    assert!(sums.done > 0);
    assert_eq!((sums.promised, sums.refused, sums.under_way), (sums.realised, 0, 0));
    assert!(sums.evictions >= 2);
    assert_eq!(Ledger::by_pool(records)["default"], sums);
}

#[test]
fn records_are_kept_for_a_week_and_not_without_number() {
    let mut world = halves();
    world.run(600, 5);
    let known = world.execution.records().len();
    assert!(known > 0);
    let mut many = Vec::new();
    for at in 0..1500 {
        let mut record = world.execution.records()[0].clone();
        record.id = format!("old-{at}");
        record.since = world.now().minus(seconds(3600 + at));
        many.push(record);
    }
    world.execution = Execution::resume(many);
    world.invariants.resumed(world.execution.records());
    world.tick();
    assert_eq!(world.execution.records().len(), 1000);
    world.snapshot.time = world.now().plus(seconds(8 * 24 * 3600));
    world.tick();
    assert_eq!(world.execution.records().len(), 0);
}
