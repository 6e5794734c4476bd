//! Room for daemons on new nodes: DSO.

use std::sync::Arc;

use restow_model::{NodeTerm, Operator, Requirement};
use restow_scheduling::{Cluster, Offers, Settings};

use super::kinds::{Kind, kind};
use super::pods::{PodSpec, pod, web};
use super::pools::{node, pool};
use super::world::World;

/// Types of 2 cpu and 2 GiB, and of 4 cpu and 4 GiB.
fn kinds() -> Vec<Kind> {
    vec![kind("two").has("cpu=2 memory=2Gi"), kind("four").has("cpu=4 memory=4Gi")]
}

/// A daemon without requests.
fn idle() -> PodSpec {
    pod("app=agent")
}

/// A daemon that leaves room for a pod of half its size on the larger type only.
fn agent() -> PodSpec {
    idle().asks("cpu=2 memory=2Gi")
}

/// The type for a pod of 1 cpu and 1 GiB beside a daemon, `None` if it waits.
fn kind_in(world: &mut World) -> Option<String> {
    let batch = world.one(web().asks("cpu=1 memory=1Gi"));
    batch.new_nodes.first().map(|new| new.kind.clone())
}

/// The same in a pool without anything special.
fn kind_beside(daemon: PodSpec) -> Option<String> {
    let mut world = World::of(kinds());
    world.daemon("agent", daemon);
    kind_in(&mut world)
}

#[test]
fn dso_1_a_new_node_has_room_for_daemons() {
    assert_eq!(kind_beside(agent()).as_deref(), Some("four"));
    assert_eq!(kind_in(&mut World::of(kinds())).as_deref(), Some("two"));
}

#[test]
fn dso_2_a_port_that_a_daemon_takes_is_taken() {
    let mut world = World::of(kinds());
    world.daemon("agent", idle().port(8080));
    let batch = world.batch([web().port(8080), web().port(9090)]);
    assert_eq!((batch.home(0), batch.home(1)), (None, Some("new-1")));
    assert_eq!(batch.pool_codes(0), ["HostPortTaken"]);
}

#[test]
fn dso_3_a_daemon_that_does_not_bear_the_startup_taint_comes_later() {
    let mut world = World::of(kinds());
    world.pool(pool("default").startup_taint("start=slow:NoSchedule"));
    world.daemon("agent", agent());
    assert_eq!(kind_in(&mut world).as_deref(), Some("four"));
}

#[test]
fn dso_4_a_daemon_larger_than_every_type_holds_pods_back() {
    assert_eq!(kind_beside(idle().asks("cpu=10000")), None);
}

/// A pod that asks for nothing waits, too: its node would be too small for its daemons.
#[test]
fn dso_4_a_daemon_larger_than_every_type_holds_back_pods_that_ask_for_nothing() {
    let mut world = World::of(kinds());
    world.daemon("agent", idle().asks("cpu=10000"));
    assert_eq!(world.one(web()).left(), 1);
}

#[test]
fn dso_5_what_the_newest_pod_of_a_daemon_asks_for_counts() {
    let mut world = World::of(kinds());
    world.daemon("agent", idle().asks("cpu=4 memory=4Gi"));
    assert_eq!(kind_in(&mut world), None);
    world.node(node("busy", "").cordoned());
    world.pod(agent().owner("DaemonSet", "agent").on("busy"));
    assert_eq!(kind_in(&mut world).as_deref(), Some("four"));
}

#[test]
fn dso_6_limits_stand_in_for_missing_requests() {
    assert_eq!(kind_beside(idle().limited("memory=10000Gi")), None);
    assert_eq!(kind_beside(idle().limited("cpu=2 memory=1.5Gi")).as_deref(), Some("four"));
}

#[test]
fn dso_7_the_larger_of_containers_and_init_containers_counts() {
    let daemon = idle().asks("cpu=0.1 memory=0.1Gi").init("cpu=2 memory=1.5Gi");
    assert_eq!(kind_beside(daemon).as_deref(), Some("four"));
    let daemon = agent().init("cpu=0.1 memory=0.1Gi");
    assert_eq!(kind_beside(daemon).as_deref(), Some("four"));
}

#[test]
fn dso_8_the_largest_of_each_resource_counts() {
    let daemon = idle().asks("cpu=0.1 memory=10000Gi").init("cpu=10000 memory=0.1Gi");
    assert_eq!(kind_beside(daemon), None);
}

#[test]
fn dso_9_an_init_container_larger_than_every_type_holds_pods_back() {
    assert_eq!(kind_beside(idle().init("cpu=10000 memory=10000Gi")), None);
}

#[test]
fn dso_10_a_daemon_without_requests_takes_nothing_but_a_pod() {
    let mut world = World::of(kinds());
    world.daemon("agent", idle());
    let batch = world.batch(web().asks("cpu=100m").times(5));
    assert_eq!((batch.left(), world.counts("host")), (0, vec![1, 4]));
}

#[test]
fn dso_11_a_daemon_that_the_pools_taint_repels_is_not_counted() {
    let mut world = World::of(kinds());
    world.pool(pool("default").taint("team=own:NoSchedule"));
    world.daemon("agent", agent());
    let batch = world.one(web().asks("cpu=1 memory=1Gi").bears("team"));
    assert_eq!(batch.kind(), "two");
}

#[test]
fn dso_12_a_daemon_for_nodes_of_nobody_is_not_counted() {
    assert_eq!(kind_beside(agent().select("node=invalid")).as_deref(), Some("two"));
}

#[test]
fn dso_13_a_daemon_that_no_type_suits_is_not_counted() {
    assert_eq!(kind_beside(agent().needs("type=unknown")).as_deref(), Some("two"));
    assert_eq!(kind_beside(agent().needs("arch=arm64")).as_deref(), Some("two"));
}

#[test]
fn dso_14_a_daemon_for_labels_that_the_pool_has_is_counted() {
    let mut world = World::of(kinds());
    world.pool(pool("default").labels("team=own"));
    world.daemon("agent", agent().select("team=own"));
    assert_eq!(kind_in(&mut world).as_deref(), Some("four"));
}

#[test]
fn dso_15_a_daemon_for_some_types_is_counted_on_those_only() {
    assert_eq!(kind_beside(agent().needs("type=four")).as_deref(), Some("two"));
    assert_eq!(kind_beside(idle().asks("cpu=1.5").needs("type=two")).as_deref(), Some("four"));
    assert_eq!(kind_beside(idle().asks("cpu=3.5").needs("type=two")).as_deref(), Some("four"));
}

#[test]
fn dso_16_a_daemon_that_excludes_a_label_that_nobody_has_is_counted() {
    assert_eq!(kind_beside(agent().needs("foo!=bar")).as_deref(), Some("four"));
}

#[test]
fn dso_17_the_node_that_a_pod_of_a_daemon_is_pinned_to_does_not_matter() {
    let mut world = World::of(kinds());
    world.daemon("agent", agent());
    world.node(node("busy", "").cordoned());
    world.pod(agent().needs_node("busy").owner("DaemonSet", "agent").on("busy"));
    assert_eq!(kind_in(&mut world).as_deref(), Some("four"));
}

#[test]
fn dso_18_a_daemon_is_counted_if_any_of_its_terms_holds() {
    let daemon = agent().needs("type=unknown").needs("zone=test-zone-1|test-zone-2|test-zone-3");
    assert_eq!(kind_beside(daemon).as_deref(), Some("four"));
}

#[test]
fn dso_19_a_daemon_whose_preference_cannot_be_met_is_counted() {
    assert_eq!(kind_beside(agent().prefers(1, "type=unknown")).as_deref(), Some("four"));
}

#[test]
fn dso_20_a_daemon_that_a_soft_taint_asks_to_stay_away_is_counted() {
    let mut world = World::of(kinds());
    world.pool(pool("default").taint("soft=yes:PreferNoSchedule"));
    world.daemon("agent", agent());
    assert_eq!(kind_in(&mut world).as_deref(), Some("four"));
}

#[test]
fn dso_21_a_port_of_a_daemon_for_other_types_is_free() {
    let mut world = World::of(kinds());
    world.daemon("agent", idle().port(8080).needs("type=two"));
    let batch = world.one(web().port(8080));
    assert_eq!(batch.kind(), "four");
}

/// How many classes there are of two pods that are each pinned to its node, as readers leave them.
fn classes_of_pinned(owner: &'static str, settings: Settings) -> usize {
    let mut world = World::of(kinds());
    for name in ["here", "there"] {
        world.node(node(name, ""));
        let at = world.pod(idle().owner(owner, "agent").on(name));
        let snapshot = &mut world.snapshot;
        let key = snapshot.strings.intern("metadata.name");
        let pinned = Requirement::compile(key, Operator::Exists, Vec::new(), None, None);
        let mut shape = snapshot.shapes[snapshot.pods[at].shape].clone();
        shape.node_affinity = Some(vec![NodeTerm { names: vec![pinned], labels: Vec::new() }]);
        snapshot.pods[at].shape = snapshot.shapes.share(shape);
    }
    Cluster::new(&world.snapshot, Arc::new(Offers::none()), settings).class_count()
}

#[test]
fn to_whoever_plans_pods_of_a_daemon_are_alike_wherever_they_are() {
    assert_eq!(classes_of_pinned("DaemonSet", Settings::PLANNER), 1);
    // It may be asked where else they could run.
    assert_eq!(classes_of_pinned("DaemonSet", Settings::SCHEDULER), 2);
    // They would need another place.
    assert_eq!(classes_of_pinned("ReplicaSet", Settings::PLANNER), 2);
}
