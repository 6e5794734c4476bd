//! Budgets, rates and windows with moves under way, and room that is promised once.

use restow_consolidation::settings::{Name, RateBudget, Value, Window, Written};
use restow_execution::{Happened, Phase};
use restow_model::{Budget, NodeCount, Str};

use super::world::World;

/// Nodes with one small pod each.
fn spread(nodes: usize) -> World {
    let mut world = World::new();
    for at in 0..nodes {
        let node = format!("n{at}");
        world.node(&node, "small");
        world.pods(&node, &format!("app{at}"), 1, 300);
    }
    world
}

fn budget(world: &mut World, nodes: NodeCount) {
    let own = Budget { nodes, reasons: None, schedule: Str::EMPTY, duration: None };
    world.snapshot.node_pools[0].disruption.budgets = Some(vec![own]);
}

fn open(world: &World) -> usize {
    let records = world.execution.records().iter().filter(|own| !own.phase.is_over());
    records.map(|own| own.sources.len()).sum()
}

/// Moves of one pool run side by side, as far as its budget goes, and new ones begin while others are under way.
#[test]
fn a_budget_is_shared_by_all_that_is_under_way() {
    let mut world = spread(10);
    budget(&mut world, NodeCount::Count(1));
    world.run(20, 5);
    assert_eq!(open(&world), 1);
    budget(&mut world, NodeCount::Count(3));
    let (mut most, mut beside) = (0, false);
    for _ in 0..200 {
        let before = open(&world);
        world.tick();
        beside |= before > 0 && open(&world) > before;
        most = most.max(open(&world));
        assert!(open(&world) <= 3);
        world.pass(5);
    }
    assert_eq!(most, 3);
    assert!(beside, "a move began while another was under way");
    assert!(world.snapshot.nodes.len() <= 3, "{:?}", world.nodes());
}

#[test]
fn rates_hold_in_every_window() {
    let mut world = spread(8);
    let rate = RateBudget { pods: Written::Number(2), per: "10m".to_owned() };
    world.set_value(Name::RateBudgets, Value::Rates(vec![rate]));
    let mut evicted = Vec::new();
    for at in 0..600 {
        for own in world.tick() {
            if let restow_execution::Action::Note(Happened::Drained { evictions, .. }) = own {
                evicted.push((at * 5, evictions));
            }
        }
        world.pass(5);
    }
    for (first, _) in &evicted {
        let window = evicted.iter().filter(|(at, _)| (*first..first + 600).contains(at));
        assert!(window.map(|(_, pods)| pods).sum::<usize>() <= 2, "{evicted:?}");
    }
    assert!(evicted.iter().map(|(_, pods)| pods).sum::<usize>() >= 6, "{evicted:?}");
    // A new leader knows what was evicted.
    let records = world.execution.records().to_vec();
    world.execution = restow_execution::Execution::resume(records);
    world.tick();
}

#[test]
fn outside_of_windows_nothing_begins() {
    let mut world = spread(4);
    // 1,800,000,000 s is 2027-01-15 08:00 UTC.
    let window =
        Window { schedule: "30 8 * * *".to_owned(), duration: "1h".to_owned(), deny: false };
    world.set_value(Name::Windows, Value::Windows(vec![window]));
    world.run(1790, 10);
    assert!(world.execution.records().is_empty());
    world.run(600, 10);
    assert!(!world.execution.records().is_empty(), "it is half past eight");
}

/// I5 is checked after every step: here moves begin while pods of others are still on their way.
#[test]
fn room_is_promised_once() {
    let mut world = spread(9);
    budget(&mut world, NodeCount::Count(2));
    world.node("big", "medium");
    world.pods("big", "big", 1, 2500);
    world.run(900, 5);
    let done = world.execution.records().iter().filter(|own| own.phase == Phase::Done);
    assert!(done.count() >= 3);
    assert!(world.snapshot.pods.iter().all(|pod| pod.is_finished() || pod.is_bound()));
}

/// Two nodes that draw on one disruption budget of pods do not go at the same time.
#[test]
fn moves_under_way_hold_their_part_of_a_budget_of_pods() {
    let mut world = World::new();
    for node in ["a", "b", "c", "d"] {
        world.node(node, "small");
        world.pods(node, "api", 1, 300);
    }
    world.pdb("api", 1);
    for _ in 0..100 {
        world.tick();
        let going = world.snapshot.node_claims.iter().filter(|own| own.meta.deleted.is_some());
        assert!(going.count() <= 1);
        world.pass(5);
    }
    assert!(world.snapshot.nodes.len() < 4);
}
