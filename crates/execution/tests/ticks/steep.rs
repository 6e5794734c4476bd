//! What begins first, and what is waited for.

use restow_model::{DurationOrNever, Price, Time};

use super::world::{START, World, seconds};

/// The nodes that moves take, move by move.
fn sources(world: &World) -> Vec<Vec<&str>> {
    let records = world.execution.records().iter();
    records.map(|own| own.sources.iter().map(|own| own.node.as_str()).collect()).collect()
}

/// Two nodes of which one can hold the pods of both; on `busy`, which has fewer, something happened a moment ago.
fn busy_and_quiet() -> World {
    let mut world = World::new();
    let after = DurationOrNever::After(seconds(30));
    world.snapshot.node_pools[0].disruption.consolidate_after = Some(after);
    world.node("quiet", "medium");
    world.node("busy", "medium");
    world.pods("quiet", "a", 2, 1000);
    world.pods("busy", "b", 1, 1000);
    touch(&mut world, START.minus(seconds(10)));
    world
}

/// A pod comes to `busy`, or leaves it.
fn touch(world: &mut World, at: Time) {
    let busy = world.str("busy");
    let claim = world.snapshot.node_claims.iter_mut().find(|own| own.node == busy);
    claim.unwrap().last_pod_event = Some(at);
}

#[test]
fn a_node_that_may_go_in_a_moment_is_waited_for() {
    let mut world = busy_and_quiet();
    world.run(20, 5);
    assert!(sources(&world).is_empty(), "the pods of quiet would move, and then again");
    world.run(15, 5);
    assert_eq!(sources(&world), [["busy"]]);
}

#[test]
fn nothing_waits_for_long_for_a_node_that_is_never_quiet() {
    let mut world = busy_and_quiet();
    for _ in 0..20 {
        world.run(10, 10);
        let now = world.now();
        touch(&mut world, now.minus(seconds(5)));
    }
    assert_eq!(sources(&world), [["quiet"]]);
    let waited = world.execution.records()[0].proposed.since(START).seconds();
    assert!((120..=140).contains(&waited), "{waited} s");
}

#[test]
fn what_saves_most_for_its_disruption_begins_first() {
    let mut world = World::new();
    world.node("few", "large");
    world.node("many", "large");
    world.pods("few", "a", 1, 1000);
    world.pods("many", "b", 4, 1000);
    world.tick();
    // Both nodes for a medium and a small one would save more, and move everybody.
    assert_eq!(sources(&world), [["few"]]);
    let first = &world.execution.records()[0];
    assert!(first.launches.is_empty());
    assert_eq!(first.required, Price::ZERO, "by the settings, not by the price that put it first");
    world.run(600, 5);
    assert_eq!(sources(&world), [["few"], ["many"]], "the rest comes later");
    assert_eq!(world.nodes().len(), 2, "{:?}", world.nodes());
}
