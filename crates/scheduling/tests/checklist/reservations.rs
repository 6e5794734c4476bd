//! Reserved capacity, pools without types and dynamic resources: RSV and FLT.
//!
//! The peer launches for reserved capacity in one run and for the rest in the next. We use what is reserved first and never
//! more than there is, and launch the rest in the same run.

use restow_catalog::CapacityType::{OnDemand, Reserved, Spot};

use super::batch::Batch;
use super::kinds::{Kind, kind};
use super::pods::web;
use super::pools::pool;
use super::terms::term;
use super::world::World;

/// Types and capacity types of the new nodes, in order.
fn bought(batch: &Batch) -> Vec<(&str, &str)> {
    let mut found: Vec<(&str, &str)> =
        batch.new_nodes.iter().map(|new| (new.kind.as_str(), new.capacity_type.as_str())).collect();
    found.sort_unstable();
    found
}

/// How many new nodes are reserved.
fn reserved(batch: &Batch) -> usize {
    batch.new_nodes.iter().filter(|new| new.capacity_type == Reserved.name()).count()
}

/// Two types, with on-demand capacity besides what is reserved.
fn small_and_medium(small: u32, medium: u32) -> Vec<Kind> {
    vec![
        kind("small").has("cpu=2 memory=2Gi").reserved("r-small", small).sold_as_usual(),
        kind("medium").has("cpu=4 memory=4Gi").reserved("r-medium", medium).sold_as_usual(),
    ]
}

#[test]
fn rsv_1_what_is_reserved_is_used_first_and_the_rest_is_bought_in_the_same_run() {
    let mut world = World::of(small_and_medium(1, 1));
    let batch = world.batch(web().away(term("host", "app=web")).times(3));
    assert_eq!((batch.left(), reserved(&batch)), (0, 2));
    let kinds: Vec<&str> = bought(&batch).iter().map(|(kind, _)| *kind).collect();
    assert_eq!(kinds, ["medium", "small", "small"]);
}

#[test]
fn rsv_1_a_node_that_outgrows_its_reservation_leaves_it_to_the_next() {
    let mut world = World::of(small_and_medium(1, 1));
    let batch = world.batch(web().asks("cpu=1.5").times(3));
    assert_eq!(bought(&batch), [("medium", "reserved"), ("small", "reserved")]);
}

#[test]
fn rsv_2_a_reservation_that_two_pools_share_is_counted_once() {
    let mut world = World::of(small_and_medium(1, 0));
    world.pool(pool("other"));
    let batch = world.batch(["default", "other"].map(|name| web().select(&format!("pool={name}"))));
    assert_eq!((batch.left(), batch.new_nodes.len(), reserved(&batch)), (0, 2, 1));
}

#[test]
fn rsv_3_reservations_of_their_own_are_used_by_both_pools() {
    let mut world = World::of(small_and_medium(1, 1));
    world.pool(pool("default").needs("type=small"));
    world.pool(pool("other").needs("type=medium"));
    let batch = world.batch(["default", "other"].map(|name| web().select(&format!("pool={name}"))));
    assert_eq!(bought(&batch), [("medium", "reserved"), ("small", "reserved")]);
}

#[test]
fn rsv_4_several_reservations_of_a_type_are_all_used() {
    let own = kind("small").has("cpu=2 memory=2Gi").reserved("r-1", 1).reserved("r-2", 2);
    let mut world = World::of(vec![own.sold_as_usual()]);
    let batch = world.batch(web().away(term("host", "app=web")).times(4));
    assert_eq!((batch.left(), batch.new_nodes.len(), reserved(&batch)), (0, 4, 3));
}

#[test]
fn rsv_4_a_type_whose_reservation_is_used_up_is_not_listed() {
    let mut world = World::of(vec![
        kind("kept").has("cpu=2 memory=2Gi").reserved("r", 1),
        kind("usual").has("cpu=2 memory=2Gi"),
    ]);
    let batch = world.batch(web().away(term("host", "app=web")).times(2));
    assert_eq!(reserved(&batch), 1);
    let second = batch.new_nodes.iter().find(|new| new.kind == "usual").unwrap();
    assert_eq!(second.kinds, ["usual"]);
}

#[test]
fn rsv_5_once_a_heavy_pool_has_used_its_reservation_the_next_pool_follows_in_the_same_run() {
    let mut world = World::of(small_and_medium(1, 0));
    world.no_pools();
    world.pool(pool("heavy").weight(10).needs("capacity=reserved"));
    world.pool(pool("light").needs("capacity=on-demand|spot"));
    let batch = world.batch(web().away(term("host", "app=web")).times(2));
    assert_eq!((batch.pools(), reserved(&batch)), (vec!["heavy", "light"], 1));
}

#[test]
fn rsv_6_a_used_up_reservation_does_not_cost_a_pod_its_preference() {
    let mut world = World::of(small_and_medium(1, 0));
    let pods = web().away(term("host", "app=web")).prefers(1, "zone=test-zone-1");
    let batch = world.batch(pods.times(2));
    assert_eq!((batch.left(), reserved(&batch)), (0, 1));
    assert_eq!(world.domains("zone", "app=web")["test-zone-1"], 2);
}

#[test]
fn rsv_7_pods_share_a_reserved_node() {
    let mut world = World::of(small_and_medium(1, 0));
    let batch = world.batch(web().asks("cpu=0.5").times(2));
    assert_eq!(bought(&batch), [("small", "reserved")]);
    assert_eq!(world.counts("host"), [2]);
}

/// A pool with these requirements says to each of so many pods that it has no types.
fn without_types(needs: &str, pods: usize) {
    let mut world = World::new();
    world.pool(pool("default").needs(needs));
    let batch = world.batch((0..pods).map(|at| web().asks(&format!("cpu={}m", at + 1))));
    assert_eq!((batch.left(), batch.new_nodes.len()), (pods, 0));
    for at in 0..pods {
        assert_eq!(batch.pool_codes(at), ["NoInstanceTypes"], "{needs}");
    }
}

#[test]
fn flt_1_a_pool_for_a_type_that_does_not_exist_says_so() {
    without_types("type=unknown", 1);
}

#[test]
fn flt_2_it_says_so_to_every_pod() {
    without_types("type=unknown", 3);
}

#[test]
fn flt_3_a_pool_that_contradicts_itself_says_so() {
    without_types("arch=amd64 arch=arm64", 1);
    without_types("type=small arch=arm64", 1);
}

#[test]
fn flt_4_a_pool_for_a_zone_that_does_not_exist_says_so() {
    without_types("zone=unknown", 1);
}

#[test]
fn flt_5_pods_with_claims_of_dynamic_resources_are_refused_and_others_are_not() {
    let mut world = World::new();
    let batch = world.batch([web().dynamic(), web()]);
    assert_eq!((batch.home(0), batch.home(1)), (None, Some("new-1")));
    assert_eq!(batch.pool_codes(0), ["DynamicResources"]);
}

#[test]
fn flt_8_what_is_sold_out_is_not_launched() {
    let zone = "test-zone-1";
    let mut world = World::of(vec![
        kind("cheap").sold_out(OnDemand, zone, "0.1").sold_out(Spot, zone, "0.05"),
        kind("dear").sold_out(Spot, zone, "0.2").sold(OnDemand, zone, "0.5"),
    ]);
    let batch = world.one(web());
    assert_eq!((batch.kind(), &batch.new_node().kinds), ("dear", &vec!["dear".to_owned()]));
    assert_eq!(batch.new_node().capacity_type, "on-demand");
}
