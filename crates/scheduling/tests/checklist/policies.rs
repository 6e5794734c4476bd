//! Revisions and node policies of spread, taints, and spread beside volumes: TP and TNV.

use restow_model::NodePolicy::{Honor, Ignore};

use super::pods::{PodSpec, pod, web};
use super::pools::{node, pool};
use super::storage::{class, pvc, volume};
use super::terms::spread;
use super::world::World;

#[test]
fn tp_1_match_label_keys_spread_each_revision_by_itself() {
    let mut world = World::new();
    let revision = |name: &str| {
        pod(&format!("app=web revision={name}")).spread(spread("zone", 1).per("revision"))
    };
    world.pool(pool("default").needs("zone=test-zone-1|test-zone-2"));
    world.batch(revision("a").times(2));
    world.batch(revision("b").times(2));
    assert_eq!(world.counts_of("zone", "revision=a"), [1, 1]);
    assert_eq!(world.counts_of("zone", "revision=b"), [1, 1]);
}

#[test]
fn tp_2_keys_that_a_pod_does_not_have_say_nothing() {
    let mut world = World::new();
    world.batch(web().spread(spread("host", 1).per("revision")).times(4));
    assert_eq!(world.counts("host"), [1; 4]);
}

/// Two tainted nodes in `foo` and `bar`, and a pool in `baz`.
fn tainted_nodes() -> World {
    let mut world = World::new();
    world.pool(pool("default").labels("rack=baz"));
    world.node(node("one", "rack=foo").taint("key=value:NoSchedule"));
    world.node(node("two", "rack=bar").taint("key=value:NoSchedule"));
    world
}

#[test]
fn tp_3_with_taints_ignored_domains_that_repel_the_pod_stay_empty() {
    let mut world = tainted_nodes();
    let batch = world.batch(web().spread(spread("rack", 1).taints(Ignore)).times(5));
    assert_eq!((world.counts("rack"), batch.left()), (vec![1], 4));
}

#[test]
fn tp_4_with_taints_honoured_domains_that_repel_the_pod_are_none() {
    let mut world = tainted_nodes();
    let batch = world.batch(web().spread(spread("rack", 1).taints(Honor)).times(5));
    assert_eq!((world.counts("host"), batch.left()), (vec![5], 0));
}

#[test]
fn tp_5_the_same_holds_for_domains_that_only_pools_have() {
    for (policy, placed) in [(Ignore, 1), (Honor, 2)] {
        let mut world = World::new();
        world.pool(pool("default").labels("rack=bar"));
        world.pool(pool("tainted").labels("rack=foo").taint("key=value:NoSchedule"));
        let batch = world.batch(web().spread(spread("rack", 1).taints(policy)).times(2));
        assert_eq!(batch.placed(), placed, "{policy:?}");
    }
}

/// The peer counts pods of a domain whatever node they are on, and gets 2, 1, 3. The scheduler counts pods on nodes that the
/// pod tolerates only, so that the pods of each toleration are spread by themselves, and 1 and 3 would be too far apart.
#[test]
fn tp_6_each_toleration_has_domains_of_its_own_counted_as_the_scheduler_does() {
    let mut world = World::new();
    world.no_pools();
    world.pool(pool("first").needs("rack=foo|bar").taint("team=first:NoSchedule"));
    world.pool(pool("second").needs("rack=foo|baz").taint("team=second:NoSchedule"));
    let of_team = |team: &str| {
        pod(&format!("app=web team={team}"))
            .spread(spread("rack", 1).taints(Honor))
            .bears(&format!("team={team}"))
    };
    let batch =
        world.batch(of_team("first").times(2).into_iter().chain(of_team("second").times(4)));
    assert_eq!(batch.left(), 0);
    assert_eq!(world.counts_of("rack", "team=first"), [1, 1]);
    assert_eq!(world.counts_of("rack", "team=second"), [2, 2]);
}

/// Two nodes in `foo` and `bar` that the pods do not select, and a pool in `baz` that they do.
fn unselected_nodes() -> (World, PodSpec) {
    let mut world = World::new();
    world.pool(pool("default").labels("rack=baz selector=mine"));
    world.node(node("one", "rack=foo selector=other"));
    world.node(node("two", "rack=bar selector=other"));
    (world, web().select("selector=mine"))
}

#[test]
fn tp_7_with_affinity_ignored_domains_that_the_pod_cannot_use_stay_empty() {
    let (mut world, pods) = unselected_nodes();
    let batch = world.batch(pods.spread(spread("rack", 1).affinity(Ignore)).times(5));
    assert_eq!((world.counts("rack"), batch.left()), (vec![1], 4));
}

#[test]
fn tp_8_with_affinity_honoured_domains_that_the_pod_cannot_use_are_none() {
    let (mut world, pods) = unselected_nodes();
    let batch = world.batch(pods.spread(spread("rack", 1).affinity(Honor)).times(5));
    assert_eq!((world.counts("host"), batch.left()), (vec![5], 0));
}

#[test]
fn tnv_1_taints_of_a_pool_are_on_its_nodes_and_repel() {
    let mut world = World::new();
    world.pool(pool("default").taint("test=bar:NoSchedule"));
    let batch = world.batch([web().bears("test=bar:NoSchedule"), web()]);
    assert_eq!((batch.home(0), batch.home(1)), (Some("new-1"), None));
    assert_eq!(batch.new_node().taints.len(), 1);
    assert_eq!(batch.pool_codes(1), ["UntoleratedTaint"]);
}

#[test]
fn tnv_2_tolerations_match_by_key_value_and_effect() {
    let rows = [
        ("test=bar", true),
        ("test=bar:NoSchedule", true),
        ("test", true),
        ("test:NoSchedule", true),
        ("*", true),
        ("*:NoSchedule", true),
        ("test=other", false),
        ("other", false),
        ("test:NoExecute", false),
        ("*:NoExecute", false),
    ];
    for (bears, placed) in rows {
        let mut world = World::new();
        world.pool(pool("default").taint("test=bar:NoSchedule"));
        assert_eq!(world.one(web().bears(bears)).placed() == 1, placed, "{bears}");
    }
}

#[test]
fn tnv_3_startup_taints_do_not_repel() {
    let mut world = World::new();
    world.pool(pool("default").startup_taint("ignore=me:NoSchedule"));
    assert_eq!(world.one(web()).placed(), 1);
}

#[test]
fn tnv_4_what_a_pod_bears_does_not_taint_its_node() {
    let mut world = World::new();
    let batch = world.one(web().bears("anything:NoExecute"));
    assert_eq!(batch.new_node().taints, []);
}

#[test]
fn tnv_5_a_pod_whose_volume_is_in_a_zone_counts_there() {
    let mut world = World::new();
    world.storage_class(class("standard"));
    world.volume(volume("pv").only_in("zone=test-zone-1"));
    world.pvc(pvc("data").bound_to("pv"));
    let pods = web().spread(spread("zone", 1).min_domains(3));
    let batch = world.batch(pods.clone().times(3).into_iter().chain([pods.claim("data")]));
    assert_eq!((world.counts("zone"), batch.left()), (vec![1, 1, 2], 0));
    assert_eq!(world.domains("zone", "app=web")["test-zone-1"], 2);
}
