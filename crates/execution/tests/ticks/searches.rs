//! When the cluster is searched.

use restow_consolidation::settings::Name;
use restow_execution::{Action, Changes, Happened};

use super::world::{World, seconds};

fn searches(actions: &[Action]) -> usize {
    let searched = |own: &&Action| matches!(own, Action::Note(Happened::Searched { .. }));
    actions.iter().filter(searched).count()
}

/// A node that is full: nothing can be done.
fn full() -> World {
    let mut world = World::new();
    world.node("a", "medium");
    world.pods("a", "a", 3, 1000);
    world
}

#[test]
fn while_nothing_changes_nothing_is_searched_for_five_minutes() {
    let mut world = full();
    let mut times = Vec::new();
    for at in 0..200 {
        if searches(&world.tick()) > 0 {
            times.push(at * 5);
        }
        world.pass(5);
    }
    assert_eq!(times, [0, 300, 600, 900]);
    let due = world.execution.next_due(world.now());
    assert_eq!(due.since(world.now()).seconds(), 1200 - 1000);
}

#[test]
fn a_pod_that_goes_is_a_reason_to_search() {
    let mut world = full();
    world.run(60, 5);
    world.snapshot.pods[0].phase = restow_model::Phase::Succeeded;
    assert_eq!(searches(&world.tick()), 1);
    // Not before the poll period is over.
    world.snapshot.pods[1].phase = restow_model::Phase::Succeeded;
    world.pass(5);
    assert_eq!(searches(&world.tick()), 0);
    world.pass(5);
    assert_eq!(searches(&world.tick()), 1);
}

#[test]
fn a_few_pods_are_not_worth_a_search_each() {
    let mut world = full();
    // One pod in a hundred is few.
    let ended = restow_model::Pod { phase: restow_model::Phase::Succeeded, ..Default::default() };
    world.snapshot.pods.resize(10_000, ended);
    let mut times = Vec::new();
    for at in 0..30 {
        world.changed = Some(Changes { pods: at, others: 0 });
        if searches(&world.tick()) > 0 {
            times.push(at * 10);
        }
        world.pass(10);
    }
    assert_eq!(times, [0, 20, 60, 140], "each search in vain doubles the wait");
    world.changed = Some(Changes { pods: 500, others: 0 });
    assert_eq!(searches(&world.tick()), 1, "many pods are worth it at once");
    world.pass(10);
    world.changed = Some(Changes { pods: 500, others: 1 });
    assert_eq!(searches(&world.tick()), 1, "so is everything else");
}

#[test]
fn in_a_large_cluster_it_takes_more_pods_after_searches_in_vain() {
    let mut world = full();
    let ended = restow_model::Pod { phase: restow_model::Phase::Succeeded, ..Default::default() };
    world.snapshot.pods.resize(20_000, ended);
    let mut times = Vec::new();
    for at in 0..20 {
        world.changed = Some(Changes { pods: at * 240, others: 0 });
        if searches(&world.tick()) > 0 {
            times.push(at * 10);
        }
        world.pass(10);
    }
    assert_eq!(
        times,
        [0, 20, 60, 100, 140, 180],
        "four in a hundred are many, whatever was in vain"
    );
}

#[test]
fn a_pod_that_waits_opens_nothing() {
    let mut world = full();
    world.run(60, 5);
    world.pods("", "late", 1, 9000);
    world.pass(10);
    assert_eq!(searches(&world.tick()), 0);
}

#[test]
fn what_ends_by_itself_is_waited_for() {
    let mut world = full();
    world.set(Name::MinimumNodeLifetime, "100s");
    world.set(Name::ScaledownUtilizationThreshold, "0.1");
    let now = world.now();
    let since = now.minus(seconds(40));
    let claim = world.add_claim("claim-b", "default", since);
    world.add_node(claim, "b", "medium", since);
    let mut times = Vec::new();
    for at in 0..15 {
        if searches(&world.tick()) > 0 {
            times.push(at * 5);
        }
        world.pass(5);
    }
    assert_eq!(times[..2], [0, 60], "the node may go after 60 s");
}

#[test]
fn whoever_counts_changes_is_believed() {
    let mut world = full();
    world.changed = Some(Changes { pods: 0, others: 1 });
    world.tick();
    world.snapshot.pods[0].phase = restow_model::Phase::Succeeded;
    world.pass(10);
    assert_eq!(searches(&world.tick()), 0, "nobody counted that");
    world.changed = Some(Changes { pods: 0, others: 2 });
    assert_eq!(searches(&world.tick()), 1);
}

#[test]
fn whether_a_search_may_be_due_is_known_without_looking() {
    let mut world = full();
    let ended = restow_model::Pod { phase: restow_model::Phase::Succeeded, ..Default::default() };
    world.snapshot.pods.resize(10_000, ended);
    let mut seen = 0;
    for at in 0..200_u64 {
        // A pod now and then, and a node once.
        let changed = Changes { pods: at / 3, others: u64::from(at >= 150) };
        world.changed = Some(changed);
        let pods = world.snapshot.pods.len();
        let may = world.execution.may_search(world.now(), changed, pods);
        let searched = searches(&world.tick()) > 0;
        assert_eq!(may, searched, "{at}");
        seen += u32::from(searched);
        world.pass(5);
    }
    assert!(seen > 5, "{seen}");
}

#[test]
fn while_a_move_is_under_way_and_shortly_after_every_change_may_matter() {
    let mut world = World::new();
    world.set(Name::Mode, "act");
    world.node("a", "medium");
    world.node("b", "medium");
    world.pods("a", "a", 1, 100);
    world.pods("b", "b", 1, 100);
    assert!(!world.execution.is_busy(world.now()), "nothing was done yet");
    world.tick();
    assert!(world.execution.is_busy(world.now()), "a move began");
    world.run(600, 5);
    let over = |own: &restow_execution::Record| own.phase.is_over();
    assert!(world.execution.records().iter().all(over));
    assert!(world.execution.is_busy(world.now()), "its pods may still wait");
    world.run(3600, 30);
    assert!(!world.execution.is_busy(world.now()));
}
