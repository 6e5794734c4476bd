//! Pods that need nodes, and what limits pools: PRV and LIM.

use super::kinds::{kind, ladder};
use super::pods::{PodSpec, web};
use super::pools::{node, pool};
use super::terms::term;
use super::world::World;

#[test]
fn prv_1_one_pod_takes_a_node_and_many_take_as_many_as_they_need() {
    let mut world = World::new();
    assert_eq!(world.one(web()).new_nodes.len(), 1);
    let mut world = World::new();
    let batch = world.batch(web().select("arch=amd64").asks("cpu=3").times(10));
    assert_eq!((batch.left(), batch.new_nodes.len()), (0, 10));
}

#[test]
fn prv_3_a_pool_that_is_being_deleted_launches_nothing() {
    let mut world = World::new();
    world.pool(pool("default").deleting());
    let batch = world.one(web());
    assert_eq!((batch.left(), batch.pool_codes(0)), (1, vec!["PoolDeleting"]));
}

#[test]
fn prv_4_without_a_pool_a_pod_waits() {
    let mut world = World::new();
    world.no_pools();
    let batch = world.one(web());
    assert_eq!((batch.left(), batch.pool_codes(0).len()), (1, 0));
}

#[test]
fn prv_6_labels_of_pools_types_and_offerings_can_be_asked_for() {
    let known = ["pool=default", "zone=test-zone-1", "type=default", "arch=arm64", "os=linux"];
    for own in known.into_iter().chain(["capacity=spot", "size=large", "integer=16"]) {
        let (key, _) = own.split_once('=').unwrap();
        let unknown = format!("{key}=unknown");
        let either = format!("{own}|unknown");
        let rows = [
            (web().select(own), 1),
            (web().needs(own), 1),
            (web().needs(&either), 1),
            (web().needs(key), 1),
            (web().select(&unknown), 0),
            (web().needs(&unknown), 0),
            (web().needs(&format!("!{key}")), 0),
        ];
        for (pod, placed) in rows {
            assert_eq!(World::new().one(pod.clone()).placed(), placed, "{own}: {pod:?}");
        }
    }
}

#[test]
fn prv_7_accelerators_are_found() {
    let mut world = World::new();
    let device = |vendor: &str| web().asks(&format!("fake.com/vendor-{vendor}=1"));
    let batch = world.batch([device("a"), device("b")]);
    assert_eq!(batch.kinds(), ["gpu-a", "gpu-b"]);
}

#[test]
fn prv_8_the_number_of_pods_of_a_type_makes_several_nodes() {
    let mut world = World::new();
    let batch = world.batch(web().select("type=single-pod").times(3));
    assert_eq!((batch.left(), batch.new_nodes.len()), (0, 3));
}

#[test]
fn prv_10_pods_of_a_drained_node_and_new_ones_share_a_new_node() {
    let mut world = World::new();
    world.node(node("going", "").has("cpu=1 memory=1Gi pods=3"));
    for _ in 0..3 {
        world.pod(web().asks("cpu=10m").on("going"));
    }
    let batch = world.drain(&["going"], web().asks("cpu=10m").times(2));
    assert_eq!((batch.placed(), batch.new_nodes.len()), (5, 1));
}

/// Which of three types a pod of several containers needs; each has 0.1 cpu and 10 MiB less for pods.
fn kind_for(pod: PodSpec) -> String {
    let kinds = [(10, "4Gi"), (11, "5Gi"), (12, "6Gi")].map(|(cpu, memory)| {
        kind(&format!("{cpu}-cpu"))
            .has(&format!("cpu={cpu} memory={memory}"))
            .price(&cpu.to_string())
    });
    World::of(kinds.to_vec()).one(pod).kind().to_owned()
}

#[test]
fn prv_11_an_init_container_before_the_sidecar_runs_without_it() {
    let pod =
        web().init("cpu=10 memory=4Gi").sidecar("cpu=4.9 memory=2.9Gi").asks("cpu=6 memory=2Gi");
    assert_eq!(kind_for(pod), "11-cpu");
}

#[test]
fn prv_12_a_sidecar_runs_beside_containers_that_are_larger_than_init() {
    let pod =
        web().sidecar("cpu=4.9 memory=2.9Gi").init("cpu=5 memory=1Gi").asks("cpu=6 memory=2Gi");
    assert_eq!(kind_for(pod), "11-cpu");
}

#[test]
fn prv_13_a_sidecar_runs_beside_init_that_is_larger_than_containers() {
    let pod =
        web().sidecar("cpu=4.9 memory=2.9Gi").init("cpu=6 memory=2Gi").asks("cpu=5 memory=1Gi");
    assert_eq!(kind_for(pod), "11-cpu");
}

#[test]
fn prv_14_requests_of_the_whole_pod_replace_the_sum() {
    let pod = web()
        .sidecar("cpu=4.9 memory=2.9Gi")
        .init("cpu=6 memory=2Gi")
        .asks("cpu=5 memory=1Gi")
        .pod_level("cpu=9.9 memory=3.9Gi");
    assert_eq!(kind_for(pod), "10-cpu");
}

#[test]
fn lim_1_a_pool_that_is_above_its_limit_launches_nothing() {
    let mut world = World::new();
    world.pool(pool("default").limits("cpu=20"));
    world.node(node("large", "pool=default").has("cpu=100 memory=1Gi pods=1"));
    world.pod(web().on("large"));
    let batch = world.one(web());
    assert_eq!((batch.left(), batch.pool_codes(0)), (1, vec!["PoolLimitReached"]));
    world.pool(pool("other"));
    assert_eq!(world.one(web()).pools(), ["other"]);
}

#[test]
fn lim_2_a_limit_leaves_room_for_what_just_fits() {
    let mut world = World::new();
    world.pool(pool("default").limits("cpu=2"));
    assert_eq!(world.one(web().asks("cpu=1.75")).kind(), "small");
}

#[test]
fn lim_2_types_beyond_the_limit_are_not_listed() {
    let mut world = World::new();
    world.pool(pool("default").limits("cpu=2"));
    assert_eq!(world.one(web().asks("cpu=1.75")).new_node().kinds, ["small"]);
}

#[test]
fn lim_3_a_limit_counts_nodes_that_are_launched_together() {
    let mut world = World::new();
    world.pool(pool("default").limits("cpu=3"));
    let batch = world.batch(web().asks("cpu=1.5").away(term("host", "app=web")).times(2));
    assert_eq!((batch.placed(), batch.left()), (1, 1));
    assert_eq!(batch.miss(1).pools[0].reason.code(), "PoolLimitReached");
}

#[test]
fn lim_3_a_node_does_not_outgrow_the_limit() {
    let mut world = World::of(ladder(8));
    world.pool(pool("default").limits("cpu=5"));
    let batch = world.batch(web().asks("cpu=0.9").times(8));
    let cpu = |new: &super::batch::Launched| new.allocatable.cpu + 100;
    assert!(batch.new_nodes.iter().map(cpu).sum::<i64>() <= 5000);
    assert_eq!(batch.placed(), 5);
}

#[test]
fn lim_4_a_request_above_the_limit_waits() {
    let mut world = World::new();
    world.pool(pool("default").limits("cpu=2"));
    assert_eq!(world.one(web().asks("cpu=2.1")).left(), 1);
}

#[test]
fn lim_5_a_limit_of_any_resource_holds() {
    let mut world = World::new();
    world.pool(pool("default").limits("pods=1"));
    assert_eq!(world.one(web().asks("fake.com/vendor-a=1")).left(), 1);
    world.pool(pool("default").limits("fake.com/vendor-a=1"));
    assert_eq!(world.one(web().asks("fake.com/vendor-a=1")).left(), 1);
    world.pool(pool("default").limits("fake.com/vendor-a=2"));
    assert_eq!(world.one(web().asks("fake.com/vendor-a=1")).placed(), 1);
}

#[test]
fn lim_6_what_earlier_runs_launched_counts() {
    let mut world = World::new();
    world.pool(pool("default").limits("cpu=2"));
    assert_eq!(world.one(web().asks("cpu=1.75")).placed(), 1);
    assert_eq!(world.one(web().asks("cpu=1.75")).left(), 1);
    let mut world = World::new();
    world.pool(pool("default").limits("cpu=2"));
    assert_eq!(world.promise([web().asks("cpu=1.75")]).placed(), 1);
    assert_eq!(world.one(web().asks("cpu=1.95").select("arch=amd64")).left(), 1);
}

#[test]
fn lim_7_the_number_of_nodes_is_a_limit() {
    let mut world = World::new();
    world.pool(pool("default").limits("nodes=2"));
    let pods = web().away(term("host", "app=web"));
    let batch = world.batch(pods.clone().times(3));
    assert_eq!((batch.placed(), batch.left()), (2, 1));
    assert_eq!(world.one(pods).left(), 1);
}
