//! Nodes that are there, whoever made them, and nodes that are drained: EXN and DLN.

use restow_model::Phase;

use super::kinds::kind;
use super::pods::{PodSpec, pod, web};
use super::pools::{claim, node, pool};
use super::terms::{spread, term};
use super::world::World;

#[test]
fn exn_1_a_pod_goes_to_a_node_that_no_pool_owns() {
    let mut world = World::new();
    world.node(node("own", ""));
    assert_eq!(world.one(web().asks("cpu=10m")).home(0), Some("own"));
}

#[test]
fn exn_2_so_do_many_pods() {
    let mut world = World::new();
    world.node(node("own", "").has("cpu=10 memory=10Gi pods=110"));
    let batch = world.batch(web().asks("cpu=10m").times(100));
    assert_eq!((world.counts("host"), batch.new_nodes.len()), (vec![100], 0));
}

#[test]
fn exn_3_ready_nodes_come_before_starting_ones() {
    for [ready, starting] in [["a", "b"], ["b", "a"]] {
        let mut world = World::new();
        world.node(node("a", ""));
        world.node(node("b", ""));
        world.claim(claim("claim", "").node(starting));
        assert_eq!(world.one(web().asks("cpu=10m")).home(0), Some(ready));
    }
}

#[test]
fn exn_4_a_pod_that_the_node_does_not_suit_gets_a_new_one() {
    let mut world = World::new();
    world.node(node("own", "zone=test-zone-1"));
    world.node(node("cordoned", "zone=test-zone-2").cordoned());
    let batch = world.one(web().select("zone=test-zone-2"));
    assert_eq!(batch.home(0), Some("new-1"));
}

#[test]
fn exn_5_a_daemon_counts_on_nodes_that_it_would_run_on_only() {
    let mut world = World::new();
    world.pool(pool("default").labels("scale=default"));
    world.daemon("huge", pod("app=huge").asks("cpu=100").needs("scale=default"));
    world.node(node("own", "").has("cpu=1 memory=1Gi pods=10"));
    assert_eq!(world.one(web().asks("cpu=1")).home(0), Some("own"));
    assert_eq!(world.one(web().asks("cpu=1")).left(), 1);
}

/// A node `going` with a pod on it; returns how many pods find another place.
fn moved(pod: PodSpec) -> usize {
    let mut world = World::new();
    world.node(node("going", ""));
    world.pod(pod.on("going"));
    world.drain(&["going"], []).placed()
}

#[test]
fn dln_1_pods_of_a_drained_node_get_a_place() {
    assert_eq!(moved(web().asks("cpu=1")), 1);
    assert_eq!(moved(web().asks("cpu=1").owner("ReplicaSet", "web")), 1);
}

#[test]
fn dln_2_finished_pods_do_not() {
    let mut world = World::new();
    world.node(node("going", ""));
    world.pod(web().on("going").phase(Phase::Succeeded));
    world.pod(web().on("going").phase(Phase::Failed));
    assert_eq!(world.drain(&["going"], []).placed(), 0);
}

#[test]
fn dln_3_daemon_pods_do_not() {
    assert_eq!(moved(web().owner("DaemonSet", "agent")), 0);
    assert_eq!(moved(web().owner("Node", "going")), 0);
}

#[test]
fn dln_4_terminating_pods_of_a_replica_set_do_not() {
    assert_eq!(moved(web().owner("ReplicaSet", "web").terminating()), 0);
}

/// They come back under their old name once they are gone, and nobody has made a successor before.
#[test]
fn dln_5_terminating_pods_of_a_stateful_set_do() {
    assert_eq!(moved(web().owner("StatefulSet", "db").terminating()), 1);
}

#[test]
fn dln_1_a_drained_nodes_zone_is_no_domain_any_more() {
    let mut world = World::new();
    world.pool(pool("default").needs("zone=test-zone-1|test-zone-2"));
    for zone in ["test-zone-1", "test-zone-2", "test-zone-3"] {
        world.node(node(zone, &format!("zone={zone}")));
        world.pod(web().spread(spread("zone", 1)).on(zone));
    }
    world.pod(web().spread(spread("zone", 1)).on("test-zone-3"));
    let batch = world.drain(&["test-zone-3"], []);
    assert_eq!((world.counts("zone"), batch.left()), (vec![2, 2], 0));
}

#[test]
fn dln_1_pods_that_want_to_be_together_are_moved_together() {
    let mut world = World::new();
    world.node(node("going", ""));
    for _ in 0..3 {
        world.pod(web().near(term("host", "app=web")).on("going"));
    }
    let batch = world.drain(&["going"], []);
    assert_eq!((world.counts("host"), batch.left()), (vec![3], 0));
}

#[test]
fn dln_1_a_drained_node_repels_nobody_and_holds_no_limit() {
    let mut world = World::of(vec![kind("four")]);
    world.pool(pool("default").limits("cpu=4"));
    world.node(node("going", "pool=default"));
    world.pod(web().away(term("zone", "app=web")).on("going"));
    let batch = world.drain(&["going"], []);
    assert_eq!((batch.placed(), batch.new_nodes.len()), (1, 1));
}
