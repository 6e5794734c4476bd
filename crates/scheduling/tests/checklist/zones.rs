//! Spread over zones: TOP and TZ.

use restow_model::Phase;

use super::pods::{pod, web};
use super::pools::{node, pool};
use super::terms::spread;
use super::world::World;

/// A pod that leaves no room for another on the cheapest type.
const HALF: &str = "cpu=1.1";

#[test]
fn top_1_a_key_that_nothing_knows_holds_back_its_own_pods_only() {
    let mut world = World::new();
    let batch = world.batch([web().spread(spread("unknown", 1)), web()]);
    assert_eq!((batch.home(0), batch.home(1)), (None, Some("new-1")));
    assert_eq!(batch.pool_codes(0), ["SpreadKeyMissing"]);
}

#[test]
fn top_1_a_key_whose_values_a_pool_leaves_open_is_settled_or_refused() {
    let mut world = World::new();
    world.pool(pool("default").needs("rack"));
    let batch = world.batch(web().spread(spread("rack", 1)).times(2));
    assert_eq!(batch.placed() + batch.left(), 2);
}

#[test]
fn top_3_without_a_selector_nothing_is_spread() {
    let mut world = World::new();
    world.batch(web().spread(spread("zone", 1).of_nobody()).times(2));
    assert_eq!(world.counts("zone"), [2]);
}

#[test]
fn tz_1_four_pods_spread_1_1_2() {
    let mut world = World::new();
    world.batch(web().spread(spread("zone", 1)).times(4));
    assert_eq!(world.counts("zone"), [1, 1, 2]);
}

#[test]
fn tz_2_expressions_select_like_labels() {
    let mut world = World::new();
    world.batch(web().spread(spread("zone", 1).of("app=web|other")).times(4));
    assert_eq!(world.counts("zone"), [1, 1, 2]);
}

#[test]
fn tz_3_zones_that_a_pool_lists_are_domains() {
    let mut world = World::new();
    world.pool(pool("default").needs("zone=test-zone-1|test-zone-2|test-zone-3"));
    world.batch(web().spread(spread("zone", 1)).times(4));
    assert_eq!(world.counts("zone"), [1, 1, 2]);
}

#[test]
fn tz_4_zones_that_no_pool_may_use_are_no_domains() {
    let mut world = World::new();
    world.pool(pool("default").needs("zone=test-zone-1|test-zone-2"));
    world.batch(web().spread(spread("zone", 1)).times(4));
    assert_eq!(world.counts("zone"), [2, 2]);
}

#[test]
fn tz_5_a_pool_in_one_zone_by_its_label_takes_all() {
    let mut world = World::new();
    world.pool(pool("default").labels("zone=test-zone-1"));
    world.batch(web().spread(spread("zone", 1)).times(4));
    assert_eq!(world.counts("zone"), [4]);
}

#[test]
fn tz_6_requirement_and_label_narrow_a_pool_together() {
    let mut world = World::new();
    world.pool(pool("default").needs("zone=test-zone-1|test-zone-2").labels("zone=test-zone-1"));
    world.batch(web().spread(spread("zone", 1)).times(4));
    assert_eq!(world.domains("zone", "app=web"), [("test-zone-1".to_owned(), 4)].into());
}

#[test]
fn tz_7_pools_in_one_zone_each_share_the_pods() {
    let mut world = World::new();
    world.pool(pool("default").labels("zone=test-zone-1"));
    world.pool(pool("other").labels("zone=test-zone-2"));
    world.batch(web().spread(spread("zone", 1)).times(4));
    assert_eq!(world.counts("zone"), [2, 2]);
}

#[test]
fn tz_8_a_zone_that_only_nodes_are_in_still_counts() {
    let mut world = World::new();
    let pods = web().spread(spread("zone", 1)).asks(HALF);
    world.pool(pool("default").needs("zone=test-zone-3"));
    world.one(pods.clone());
    world.pool(pool("default").needs("zone=test-zone-1|test-zone-2"));
    let batch = world.batch(pods.times(6));
    assert_eq!((world.counts("zone"), batch.left()), (vec![1, 2, 2], 2));
}

#[test]
fn tz_9_a_larger_skew_leaves_more_room_above_the_emptiest() {
    let mut world = World::new();
    let pods = web().spread(spread("zone", 5)).asks(HALF);
    for zone in ["test-zone-1", "test-zone-2"] {
        world.pool(pool("default").needs(&format!("zone={zone}")));
        world.one(pods.clone());
    }
    world.pool(pool("default").needs("zone=test-zone-3"));
    let batch = world.batch(pods.times(10));
    assert_eq!((world.counts("zone"), batch.left()), (vec![1, 1, 6], 4));
}

#[test]
fn tz_10_new_pods_go_to_the_zones_that_lost_theirs() {
    let mut world = World::new();
    let pods = web().spread(spread("zone", 1)).asks(HALF);
    world.batch(pods.clone().times(9));
    assert_eq!(world.counts("zone"), [3, 3, 3]);
    world.remove_pods("zone", "test-zone-2");
    world.remove_pods("zone", "test-zone-3");
    world.batch(pods.times(3));
    assert_eq!(world.counts("zone"), [1, 2, 3]);
    assert_eq!(world.domains("zone", "app=web")["test-zone-1"], 3);
}

#[test]
fn tz_11_pods_of_a_zone_that_no_pool_uses_any_more_count() {
    let mut world = World::new();
    let pods = web().spread(spread("zone", 1)).asks(HALF);
    world.pool(pool("default").needs("zone=test-zone-1"));
    world.one(pods.clone());
    world.pool(pool("default").needs("zone=test-zone-2|test-zone-3"));
    let batch = world.batch(pods.times(10));
    assert_eq!((world.counts("zone"), batch.left()), (vec![1, 2, 2], 6));
}

#[test]
fn tz_12_so_do_pods_that_are_selected_without_spreading_themselves() {
    let mut world = World::new();
    world.pool(pool("default").needs("zone=test-zone-1"));
    world.one(web().asks(HALF));
    world.pool(pool("default").needs("zone=test-zone-2|test-zone-3"));
    let batch = world.batch(web().spread(spread("zone", 1)).asks(HALF).times(10));
    assert_eq!((world.counts("zone"), batch.left()), (vec![1, 2, 2], 6));
}

#[test]
fn tz_13_only_living_bound_pods_of_the_namespace_on_nodes_with_the_label_count() {
    let mut world = World::new();
    world.node(node("first", "zone=test-zone-1"));
    world.node(node("second", "zone=test-zone-2"));
    world.node(node("third", ""));
    world.pod(web().on("first"));
    world.pod(web().on("first"));
    world.pod(web().on("second"));
    world.pod(pod("app=other").on("first"));
    world.pod(web());
    world.pod(web().on("third"));
    world.pod(web().on("gone"));
    world.pod(web().within("other").on("first"));
    world.pod(web().on("second").terminating());
    world.pod(web().on("second").phase(Phase::Failed));
    world.pod(web().on("second").phase(Phase::Succeeded));
    world.batch(web().spread(spread("zone", 1)).times(2));
    assert_eq!(world.counts("zone"), [1, 2, 2]);
}

#[test]
fn tz_14_a_single_pod_without_a_selector_is_placed() {
    let mut world = World::new();
    world.one(web().spread(spread("zone", 1).of_nobody()));
    assert_eq!(world.counts("zone"), [1]);
}

#[test]
fn tz_15_pods_that_the_selector_leaves_out_add_no_skew() {
    let mut world = World::new();
    world.batch(web().spread(spread("zone", 1).of("app=other")).times(5));
    assert_eq!(world.counts("host"), [5]);
}

#[test]
fn tz_16_with_fewer_zones_than_min_domains_each_takes_as_if_one_were_empty() {
    let mut world = World::new();
    world.pool(pool("default").needs("zone=test-zone-1|test-zone-2"));
    let batch = world.batch(web().spread(spread("zone", 1).min_domains(3)).times(3));
    assert_eq!((world.counts("zone"), batch.left()), (vec![1, 1], 1));
}

#[test]
fn tz_17_with_as_many_zones_as_min_domains_pods_spread_evenly() {
    let mut world = World::new();
    world.batch(web().spread(spread("zone", 1).min_domains(3)).times(11));
    assert_eq!(world.counts("zone"), [3, 4, 4]);
}

#[test]
fn tz_18_with_more_zones_than_min_domains_pods_spread_evenly() {
    let mut world = World::new();
    world.batch(web().spread(spread("zone", 1).min_domains(2)).times(11));
    assert_eq!(world.counts("zone"), [3, 4, 4]);
}
