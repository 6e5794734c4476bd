//! Spread over hosts, capacity types and architectures: TH and TC.

use restow_model::Phase;

use super::kinds::kind;
use super::pods::{pod, web};
use super::pools::{node, pool};
use super::terms::spread;
use super::world::World;

#[test]
fn th_1_a_skew_of_one_takes_a_node_for_each_pod() {
    let mut world = World::new();
    world.batch(web().spread(spread("host", 1)).times(4));
    assert_eq!(world.counts("host"), [1, 1, 1, 1]);
}

#[test]
fn th_2_a_skew_of_four_lets_four_pods_share_a_node() {
    let mut world = World::new();
    world.batch(web().spread(spread("host", 4)).times(4));
    assert_eq!(world.counts("host"), [4]);
}

#[test]
fn th_3_two_deployments_share_the_nodes_that_each_needs() {
    let mut world = World::new();
    let api = pod("app=api").spread(spread("host", 1).of("app=api")).times(2);
    let batch = world.batch(web().spread(spread("host", 1)).times(2).into_iter().chain(api));
    assert_eq!(batch.new_nodes.len(), 2);
    assert_eq!(
        (world.counts("host"), world.counts_of("host", "app=api")),
        (vec![1, 1], vec![1, 1])
    );
}

#[test]
fn th_4_two_deployments_of_different_architecture_share_nothing() {
    let mut world = World::new();
    let api = pod("app=api").spread(spread("host", 1).of("app=api")).select("arch=arm64").times(2);
    let web = web().spread(spread("host", 1)).select("arch=amd64").times(2);
    let batch = world.batch(web.into_iter().chain(api));
    assert_eq!(batch.new_nodes.len(), 4);
    assert_eq!(
        (world.counts("host"), world.counts_of("host", "app=api")),
        (vec![1, 1], vec![1, 1])
    );
}

#[test]
fn tc_1_pods_spread_over_capacity_types() {
    let mut world = World::new();
    world.batch(web().spread(spread("capacity", 1)).times(4));
    assert_eq!(world.counts("capacity"), [2, 2]);
}

#[test]
fn tc_2_capacity_types_that_a_pool_lists_are_domains() {
    let mut world = World::new();
    world.pool(pool("default").needs("capacity=spot|on-demand"));
    world.batch(web().spread(spread("capacity", 1)).times(4));
    assert_eq!(world.counts("capacity"), [2, 2]);
}

/// One spot pod runs, then the pool turns to on-demand and five pods like `pod` come.
fn after_spot(pods: super::pods::PodSpec) -> (Vec<usize>, usize) {
    let mut world = World::new();
    let pods = pods.asks("cpu=1.1");
    world.pool(pool("default").needs("capacity=spot"));
    world.one(pods.clone());
    world.pool(pool("default").needs("capacity=on-demand"));
    let batch = world.batch(pods.times(5));
    (world.counts("capacity"), batch.left())
}

#[test]
fn tc_3_a_required_spread_counts_the_spot_pod_that_is_there() {
    assert_eq!(after_spot(web().spread(spread("capacity", 1))), (vec![1, 2], 3));
}

#[test]
fn tc_4_a_preferred_spread_is_given_up() {
    assert_eq!(after_spot(web().spread(spread("capacity", 1).soft())), (vec![1, 5], 0));
}

#[test]
fn tc_5_only_living_bound_pods_of_the_namespace_count() {
    let mut world = World::new();
    world.node(node("first", "capacity=spot"));
    world.node(node("second", "capacity=on-demand"));
    world.node(node("third", ""));
    world.pod(web().on("first"));
    world.pod(web().on("first"));
    world.pod(web().on("second"));
    world.pod(pod("app=other").on("second"));
    world.pod(web().on("third"));
    world.pod(web().within("other").on("second"));
    world.pod(web().on("second").terminating());
    world.pod(web().on("second").phase(Phase::Failed));
    world.batch(web().spread(spread("capacity", 1)).times(2));
    assert_eq!(world.counts("capacity"), [2, 3]);
}

#[test]
fn tc_6_a_single_pod_without_a_selector_is_placed() {
    let mut world = World::new();
    world.one(web().spread(spread("capacity", 1).of_nobody()));
    assert_eq!(world.counts("capacity"), [1]);
}

#[test]
fn tc_7_pods_that_the_selector_leaves_out_add_no_skew() {
    let mut world = World::new();
    world.batch(web().spread(spread("capacity", 1).of("app=other")).times(5));
    assert_eq!(world.counts("host"), [5]);
}

/// One on-demand pod runs in the first zone, then the pool turns to spot.
fn after_on_demand() -> World {
    let mut world = World::new();
    world.pool(pool("default").needs("zone=test-zone-1 capacity=on-demand"));
    world.one(web().asks("cpu=1.1"));
    world.pool(pool("default").needs("capacity=spot"));
    world
}

#[test]
fn tc_8_a_node_that_the_pods_affinity_excludes_is_no_domain() {
    let mut world = after_on_demand();
    let pods = web().needs("zone=test-zone-2 capacity=spot").spread(spread("capacity", 1));
    world.batch(pods.asks("cpu=1.1").times(5));
    assert_eq!(world.counts("capacity"), [1, 5]);
}

#[test]
fn tc_9_without_affinity_that_node_is_a_domain() {
    let mut world = after_on_demand();
    let batch = world.batch(web().spread(spread("capacity", 1)).asks("cpu=1.1").times(5));
    assert_eq!((world.counts("capacity"), batch.left()), (vec![1, 2], 3));
}

#[test]
fn tc_10_architectures_are_domains_like_any_label() {
    let mut world = World::of(vec![
        kind("amd").has("cpu=2 memory=2Gi"),
        kind("arm").has("cpu=2 memory=2Gi").arch("arm64"),
    ]);
    world.pool(pool("default").needs("arch=amd64"));
    world.one(web().asks("cpu=1.1"));
    world.pool(pool("default").needs("arch=arm64"));
    let batch = world.batch(web().spread(spread("arch", 1)).asks("cpu=1.1").times(5));
    assert_eq!((world.counts("arch"), batch.left()), (vec![1, 2], 3));
}
