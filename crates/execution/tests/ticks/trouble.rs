//! Brakes that hold in the loop: launches that fail, pods that wait, workloads that are not ready.

use restow_consolidation::settings::Name;
use restow_execution::{Brake, Failure, Happened, Phase};
use restow_model::{Meta, Workload, WorkloadKind};

use super::world::World;

/// A node that could be smaller.
fn large() -> World {
    let mut world = World::new();
    world.node("a", "large");
    world.pods("a", "a", 3, 400);
    world
}

#[test]
fn what_cannot_be_had_is_not_asked_for_again_at_once() {
    let mut world = large();
    world.sold_out.push("small".to_owned());
    let happened = world.run(1200, 5);
    let failed = |own: &&Happened| {
        matches!(own, Happened::RolledBack { failure: Some(Failure::NotLaunched { .. }), .. })
    };
    assert_eq!(happened.iter().filter(failed).count(), 1, "{happened:?}");
    // The next best was taken meanwhile.
    let node = &world.snapshot.nodes[0];
    assert_eq!(world.snapshot.nodes.len(), 1);
    assert_eq!(node.allocatable.cpu, 4000, "a medium node");
    let second = world.execution.records().iter().find(|own| own.phase == Phase::Done).unwrap();
    assert_eq!(second.launches[0].instance_types, ["medium"]);
}

/// User needs S3: a pod that stays pending after a move stops its pool for the cool-down.
#[test]
fn pods_that_wait_after_a_move_stop_the_pool() {
    let mut world = World::new();
    world.set(Name::CoolDown, "20m");
    world.set(Name::MaxReplacements, "0");
    for (node, pods, cpu) in [("a", 2, 1300), ("b", 1, 500)] {
        world.node(node, "medium");
        world.pods(node, node, pods, cpu);
    }
    world.tick();
    while world.execution.records()[0].phase != Phase::Draining {
        world.pass(5);
        world.tick();
    }
    // Somebody else takes the room in the same moment.
    let goes = world.execution.records()[0].sources[0].node.clone();
    let (stays, cpu) = if goes == "a" { ("b", 2900) } else { ("a", 1200) };
    world.pods(stays, "greedy", 1, cpu);
    let happened = world.run(150, 5);
    let waits = |own: &&Happened| matches!(own, Happened::Waiting { .. });
    assert_eq!(happened.iter().filter(waits).count(), 1, "{happened:?}");
    assert!(world.execution.records()[0].trouble.is_some());
    // Room comes, and two more nodes that could be one.
    for node in ["c", "d"] {
        world.node(node, "medium");
        world.pods(node, node, 2, 500);
    }
    let happened = world.run(600, 5);
    let braked =
        |own: &&Happened| matches!(own, Happened::Braked { brake: Brake::Pending { .. }, .. });
    assert_eq!(happened.iter().filter(braked).count(), 1, "{happened:?}");
    assert_eq!(world.execution.records().len(), 1, "nothing else begins");
    // A new leader brakes as well.
    let records = world.written.values().cloned().collect();
    world.execution = restow_execution::Execution::resume(records);
    world.run(60, 5);
    assert_eq!(world.execution.records().len(), 1);
    world.run(1200, 5);
    assert!(world.execution.records().len() > 1, "after the cool-down");
}

/// Design 3.8.
#[test]
fn while_workloads_of_a_move_are_not_ready_their_pool_waits() {
    let mut world = World::new();
    world.set(Name::StabilizationWindow, "5m");
    let (namespace, name) = (world.str("web"), world.str("a"));
    let meta = Meta { namespace, name, ..Meta::default() };
    let mut workload = Workload::new(WorkloadKind::ReplicaSet, meta);
    (workload.desired, workload.ready) = (2, 2);
    world.snapshot.workloads.push(workload);
    world.node("a", "medium");
    world.pods("a", "a", 2, 300);
    world.node("b", "medium");
    world.pods("b", "b", 2, 1000);
    world.tick();
    world.snapshot.workloads[0].ready = 1;
    while !world.execution.records()[0].phase.is_over() {
        world.pass(5);
        world.tick();
    }
    let begun = world.execution.records().len();
    for node in ["c", "d"] {
        world.node(node, "medium");
        world.pods(node, node, 1, 200);
    }
    world.run(200, 5);
    assert_eq!(world.execution.records().len(), begun, "not ready yet");
    world.snapshot.workloads[0].ready = 2;
    world.run(60, 5);
    assert!(world.execution.records().len() > begun, "ready again");
}

/// Pods that were moved stay where they are for a while.
#[test]
fn moved_pods_stay_for_their_dwell() {
    for (dwell, moves) in [("30m", 1), ("1s", 2)] {
        let mut world = World::new();
        world.set(Name::MinimumPodDwell, dwell);
        world.set(Name::ScaledownUtilizationThreshold, "1");
        world.node("a", "large");
        world.pods("a", "a", 3, 1000);
        world.run(300, 5);
        let first = world.execution.records().len();
        assert_eq!(first, 1);
        // One of two pods on a node goes: the other would fit beside the third.
        let pods = &mut world.snapshot.pods;
        let runs = |pod: &restow_model::Pod| pod.is_bound() && !pod.is_finished();
        let pair = (0..pods.len()).find(|at| {
            let beside = pods.iter().filter(|own| runs(own) && own.node == pods[*at].node);
            runs(&pods[*at]) && beside.count() == 2
        });
        pods[pair.unwrap()].phase = restow_model::Phase::Succeeded;
        world.run(900, 5);
        assert_eq!(world.execution.records().len(), moves, "dwell {dwell}");
    }
}
