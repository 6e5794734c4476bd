//! Nodes that are still starting, and claims whose node is still to come: INF and NPB.

use super::kinds::{kind, ladder};
use super::pods::{PodSpec, pod, web};
use super::pools::{NodeSpec, claim, node, pool};
use super::terms::{spread, term};
use super::world::World;

#[test]
fn inf_1_the_next_pod_uses_the_node_that_is_starting() {
    for wishes in ["", "zone=test-zone-2 arch=amd64"] {
        let mut world = World::new();
        world.start([web().asks("cpu=10m").select(wishes)]);
        let batch = world.one(web().asks("cpu=10m").select(wishes));
        assert_eq!((batch.home(0), batch.new_nodes.len()), (Some("new-1"), 0), "{wishes}");
    }
}

#[test]
fn inf_2_a_starting_node_that_is_too_small_or_not_selected_is_left() {
    let mut world = World::of(ladder(2));
    world.start([web().asks("cpu=0.6").select("type=type-1")]);
    assert_eq!(world.one(web().asks("cpu=0.6")).home(0), Some("new-2"));
    let mut world = World::new();
    world.start([web().select("arch=amd64")]);
    assert_eq!(world.one(web().select("arch=arm64")).home(0), Some("new-2"));
}

#[test]
fn inf_2_a_claim_that_is_going_takes_no_pods() {
    let mut world = World::new();
    world.claim(claim("going", "zone=test-zone-1").deleting());
    assert_eq!(world.one(web()).home(0), Some("new-1"));
}

#[test]
fn inf_2_a_node_that_is_going_takes_no_pods() {
    let mut world = World::new();
    world.node(node("going", "zone=test-zone-1").deleting());
    world.claim(claim("claim", "zone=test-zone-1").node("going").deleting());
    assert_eq!(world.one(web()).home(0), Some("new-1"));
}

#[test]
fn inf_3_spread_by_zone_uses_starting_nodes() {
    let mut world = World::new();
    let pods = web().spread(spread("zone", 1)).asks("cpu=10m");
    world.start(pods.clone().times(4));
    assert_eq!(world.counts("zone"), [1, 1, 2]);
    let batch = world.start(pods.times(5));
    assert_eq!((world.counts("zone"), batch.new_nodes.len()), (vec![3, 3, 3], 0));
}

#[test]
fn inf_4_spread_by_host_takes_new_nodes_rather_than_fill_some() {
    let mut world = World::new();
    world.start(web().spread(spread("host", 1)).times(4));
    world.start(web().spread(spread("host", 1)).times(5));
    assert_eq!(world.counts("host"), [1; 9]);
}

/// A node of a claim that has not been ready, or has, and where the next pod goes.
fn home_beside(own: NodeSpec, startup_taint: Option<&str>, initialized: bool) -> Option<String> {
    let mut world = World::new();
    world.no_pools();
    let mut promise = claim("claim", "").node(&own.name);
    world.node(own);
    if let Some(taint) = startup_taint {
        promise = promise.startup_taint(taint);
    }
    if initialized {
        promise = promise.initialized();
    }
    world.claim(promise);
    world.one(web().asks("cpu=1")).home(0).map(str::to_owned)
}

#[test]
fn inf_5_a_starting_node_without_taints_is_usable() {
    assert!(home_beside(node("n", ""), None, false).is_some());
}

#[test]
fn inf_6_not_ready_passes_while_a_node_starts_and_repels_afterwards() {
    let own = || node("n", "").taint("node.kubernetes.io/not-ready:NoExecute");
    assert!(home_beside(own(), None, false).is_some());
    assert!(home_beside(own(), None, true).is_none());
}

#[test]
fn inf_7_a_taint_of_somebody_else_repels_before_and_afterwards() {
    let own = || node("n", "").taint("foreign=yes:NoSchedule");
    assert!(home_beside(own(), None, false).is_none());
    assert!(home_beside(own(), None, true).is_none());
}

#[test]
fn inf_8_a_startup_taint_passes_while_a_node_starts() {
    let own = node("n", "").taint("start=slow:NoSchedule");
    assert!(home_beside(own, Some("start=slow:NoSchedule"), false).is_some());
}

#[test]
fn inf_9_a_startup_taint_that_is_still_there_afterwards_repels() {
    let own = node("n", "").taint("start=slow:NoSchedule");
    assert!(home_beside(own, Some("start=slow:NoSchedule"), true).is_none());
}

/// Whether a node has been ready is what its claim says, not what a label says.
#[test]
fn inf_10_all_taints_of_starting_nodes_pass_while_the_claim_says_so() {
    let own = node("n", "karpenter.sh/initialized=true")
        .taint("node.kubernetes.io/not-ready:NoSchedule")
        .taint("node.kubernetes.io/unreachable:NoSchedule")
        .taint("node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule");
    assert!(home_beside(own, None, false).is_some());
}

/// A starting node of 15.9 cpu and a daemon of 1 cpu that has no pod yet.
fn with_daemon() -> World {
    let mut world = World::of(Vec::new());
    world.daemon("agent", pod("app=agent").asks("cpu=1"));
    world.node(node("n", "").has("cpu=15.9 memory=32Gi pods=10"));
    world.claim(claim("claim", "").node("n").has("cpu=15.9 memory=32Gi pods=10"));
    world
}

#[test]
fn inf_11_room_for_a_daemon_is_kept_until_its_pod_is_there() {
    let fits = |world: &mut World, cpu: &str| world.one(web().asks(cpu)).placed() == 1;
    assert!(!fits(&mut with_daemon(), "cpu=14.901"));
    assert!(fits(&mut with_daemon(), "cpu=14.9"));
    let mut world = with_daemon();
    world.pod(pod("app=agent").asks("cpu=1").owner("DaemonSet", "agent").on("n"));
    assert!(!fits(&mut world, "cpu=14.901"));
    assert!(fits(&mut world, "cpu=14.9"));
}

#[test]
fn inf_12_a_daemon_pod_that_nobody_expected_takes_its_room() {
    let mut world = World::of(Vec::new());
    world.node(node("n", "").has("cpu=15.9 memory=32Gi pods=10"));
    world.claim(claim("claim", "").node("n").has("cpu=15.9 memory=32Gi pods=10"));
    world.pod(pod("app=agent").asks("cpu=1").owner("DaemonSet", "unknown").on("n"));
    assert_eq!(world.one(web().asks("cpu=15.5")).left(), 1);
    assert_eq!(world.one(web().asks("cpu=14.9")).placed(), 1);
}

#[test]
fn inf_13_daemons_that_wait_for_a_registered_and_initialized_node_are_counted() {
    for label in ["karpenter.sh/registered=true", "karpenter.sh/initialized=true"] {
        let mut world = World::of(vec![
            kind("small").has("cpu=4 memory=4Gi"),
            kind("large").has("cpu=16 memory=16Gi"),
        ]);
        world.daemon("agent", pod("app=agent").asks("cpu=4").needs(label));
        assert_eq!(world.one(web().asks("cpu=1")).kind(), "large", "{label}");
    }
}

#[test]
fn inf_14_starting_nodes_are_filled_before_new_ones_are_launched() {
    let mut world = World::of(vec![kind("four").has("cpu=4.1 memory=16Gi pods=10")]);
    for count in [3, 1, 7, 2, 9, 4, 1, 6, 5, 2] {
        world.start(web().asks("cpu=1").times(count));
        let partly = world.counts("host").into_iter().filter(|pods| *pods < 4).count();
        assert!(partly <= 1, "{:?}", world.counts("host"));
    }
}

#[test]
fn inf_15_a_node_that_has_reported_nothing_yet_counts_as_its_claim_promises() {
    let mut world = World::new();
    world.node(node("n", "zone=test-zone-1").has(""));
    world.claim(claim("claim", "zone=test-zone-1").node("n"));
    let batch = world.one(web().asks("cpu=10m"));
    assert_eq!((batch.home(0), batch.new_nodes.len()), (Some("n"), 0));
}

#[test]
fn inf_16_of_many_nodes_the_one_that_is_ready_is_used() {
    for ready in [0, 37, 99] {
        let mut world = World::new();
        for at in 0..100 {
            let name = format!("n-{at}");
            world.node(node(&name, ""));
            if at != ready {
                world.claim(claim(&format!("claim-{at}"), "").node(&name));
            }
        }
        let batch = world.one(web().asks("cpu=10m"));
        assert_eq!(batch.home(0), Some(format!("n-{ready}").as_str()));
    }
}

#[test]
fn inf_17_pods_with_the_same_port_take_different_nodes() {
    let mut world = World::new();
    world.start([web().port(80), web().port(80), web().port(81)]);
    assert_eq!(world.counts("host"), [1, 2]);
    assert_eq!(world.one(web().port(80)).home(0), Some("new-3"));
}

#[test]
fn npb_1_pods_that_are_not_bound_find_the_node_that_was_launched_for_them() {
    let mut world = World::new();
    let first = world.promise(web().asks("cpu=10m").times(3));
    assert_eq!(first.new_nodes.len(), 1);
    let second = world.again(&first);
    assert_eq!((second.placed(), second.new_nodes.len()), (3, 0));
}

#[test]
fn npb_2_devices_that_a_starting_node_does_not_report_yet_are_there() {
    let device = |pod: PodSpec| pod.asks("fake.com/vendor-a=1");
    let mut world = World::new();
    world.pool(pool("default").needs("type=small"));
    let has = "cpu=4 memory=4Gi pods=10";
    world.node(node("n", "").has(&format!("{has} fake.com/vendor-a=0")));
    world.claim(claim("claim", "").node("n").has(&format!("{has} fake.com/vendor-a=2")));
    assert_eq!(world.one(device(web())).home(0), Some("n"));
    let mut world = World::new();
    world.pool(pool("default").needs("type=small"));
    world.node(node("n", "").has(has));
    world.claim(
        claim("claim", "").node("n").has(&format!("{has} fake.com/vendor-a=2")).initialized(),
    );
    assert_eq!(world.one(device(web())).left(), 1);
}

#[test]
fn npb_3_self_affinity_by_zone_stays_with_the_node_that_is_coming() {
    let mut world = World::new();
    let sociable = web().near(term("zone", "app=web")).asks("cpu=10m");
    let first = world.promise([sociable.clone()]);
    let second = world.again(&first);
    assert_eq!((second.home(0), second.new_nodes.len()), (Some("new-1"), 0));
    assert_eq!(world.one(sociable).new_nodes.len(), 0);
}

#[test]
fn inf_17_claims_whose_nodes_are_still_to_come_are_hosts_of_their_own() {
    for apart in
        [web().away(term("host", "app=web")), web().spread(spread("host", 1)), web().port(80)]
    {
        let mut world = World::new();
        world.claim(claim("first", "zone=test-zone-1"));
        world.claim(claim("second", "zone=test-zone-1"));
        let batch = world.batch(apart.times(2));
        assert_eq!((batch.placed(), batch.new_nodes.len()), (2, 0));
        assert_ne!(batch.home(0), batch.home(1));
    }
}
