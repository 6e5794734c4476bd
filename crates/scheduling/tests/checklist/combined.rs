//! Several spreads at once, and spread together with selectors: TX.

use super::pods::web;
use super::pools::pool;
use super::terms::spread;
use super::world::World;

/// How many pods the fullest domain holds.
fn fullest(world: &World, key: &str) -> usize {
    world.counts(key).last().copied().unwrap_or_default()
}

#[test]
fn tx_1_zones_and_hosts_are_both_kept_batch_after_batch() {
    let mut world = World::new();
    let pods = web().spread(spread("zone", 1)).spread(spread("host", 3));
    for (count, zones) in
        [(2, vec![1, 1]), (3, vec![1, 2, 2]), (5, vec![3, 3, 4]), (11, vec![7, 7, 7])]
    {
        world.batch(pods.clone().times(count));
        assert_eq!(world.counts("zone"), zones);
        assert!(fullest(&world, "host") <= 3);
    }
}

#[test]
fn tx_2_values_that_pools_list_are_domains_and_make_a_ratio() {
    let mut world = World::new();
    world.no_pools();
    world.pool(pool("spot").needs("capacity=spot ratio=a|b|c|d"));
    world.pool(pool("on-demand").needs("capacity=on-demand ratio=e"));
    world.batch(web().spread(spread("ratio", 1)).times(20));
    assert_eq!(world.counts("ratio"), [4; 5]);
    assert_eq!(world.counts("capacity"), [4, 16]);
}

#[test]
fn tx_3_a_pool_at_its_limit_still_contributes_its_zone() {
    let mut world = World::new();
    world.pool(pool("default").needs("zone=test-zone-1|test-zone-2"));
    world.pool(pool("full").needs("zone=test-zone-3").limits("cpu=0"));
    let pods = web().spread(spread("zone", 1)).spread(spread("host", 1));
    let batch = world.batch(pods.times(10));
    assert_eq!((world.counts("zone"), world.counts("host")), (vec![1, 1], vec![1, 1]));
    assert_eq!(batch.left(), 8);
}

#[test]
fn tx_4_capacity_types_and_hosts_are_both_kept_batch_after_batch() {
    let mut world = World::new();
    let pods = web().spread(spread("capacity", 1)).spread(spread("host", 3));
    for (count, types) in [(2, [1, 1]), (3, [2, 3]), (5, [5, 5]), (11, [10, 11])] {
        world.batch(pods.clone().times(count));
        assert_eq!(world.counts("capacity"), types);
        assert!(fullest(&world, "host") <= 3);
    }
}

#[test]
fn tx_5_zones_and_capacity_types_are_both_kept_batch_after_batch() {
    let mut world = World::new();
    let pods = web().spread(spread("zone", 1)).spread(spread("capacity", 1));
    for (count, types, zones) in [(2, 1, 1), (3, 3, 2), (5, 5, 4), (11, 11, 7)] {
        world.batch(pods.clone().times(count));
        assert!(fullest(&world, "capacity") <= types, "{:?}", world.counts("capacity"));
        assert!(fullest(&world, "zone") <= zones, "{:?}", world.counts("zone"));
    }
}

/// How far the fullest of so many domains is above the emptiest.
fn skew(world: &World, key: &str, domains: usize) -> usize {
    let counts = world.counts(key);
    let least = if counts.len() < domains { 0 } else { counts[0] };
    fullest(world, key) - least
}

#[test]
fn tx_6_three_spreads_are_kept_for_batches_of_every_size() {
    let pods =
        web().spread(spread("host", 3)).spread(spread("zone", 2)).spread(spread("capacity", 1));
    let mut world = World::new();
    for count in 1..15 {
        world.batch(pods.clone().times(count));
        assert!(fullest(&world, "host") <= 3, "{count}");
        assert!(skew(&world, "zone", 3) <= 2, "{count}: {:?}", world.counts("zone"));
        assert!(skew(&world, "capacity", 2) <= 1, "{count}: {:?}", world.counts("capacity"));
    }
}

#[test]
fn tx_7_a_pod_that_may_use_one_zone_sees_only_that_zone() {
    let mut world = World::new();
    let in_zone = |zone: &str| web().spread(spread("zone", 1)).select(&format!("zone={zone}"));
    let first = in_zone("test-zone-1").times(5);
    let second = in_zone("test-zone-2").times(10);
    let batch = world.batch(first.into_iter().chain(second));
    assert_eq!((world.counts("zone"), batch.left()), (vec![5, 10], 0));
}

#[test]
fn tx_8_a_pod_that_may_use_two_zones_sees_only_those() {
    let mut world = World::new();
    let pods = web().spread(spread("zone", 1)).needs("zone=test-zone-1|test-zone-2");
    world.batch(pods.times(10));
    assert_eq!(world.counts("zone"), [5, 5]);
}

#[test]
fn tx_9_pods_with_different_affinity_see_different_zones() {
    let mut world = World::new();
    let pods = |zones: &str| web().spread(spread("zone", 1)).needs(&format!("zone={zones}"));
    world.batch(pods("test-zone-1|test-zone-2").times(6));
    assert_eq!(world.counts("zone"), [3, 3]);
    world.one(pods("test-zone-2|test-zone-3"));
    assert_eq!(world.counts("zone"), [1, 3, 3]);
    world.batch(pods("test-zone-1|test-zone-2|test-zone-3").times(5));
    assert_eq!(world.counts("zone"), [4, 4, 4]);
}

#[test]
fn tx_10_preferred_affinity_does_not_limit_the_zones() {
    let mut world = World::new();
    let pods = web().spread(spread("zone", 1)).prefers(1, "zone=test-zone-1|test-zone-2");
    world.batch(pods.times(6));
    assert_eq!(world.counts("zone"), [2, 2, 2]);
}

#[test]
fn tx_11_a_pod_that_may_use_one_capacity_type_sees_only_that() {
    let mut world = World::new();
    let pods = |own: &str| web().spread(spread("capacity", 1)).select(&format!("capacity={own}"));
    world.batch(pods("spot").times(5).into_iter().chain(pods("on-demand").times(5)));
    assert_eq!(world.counts("capacity"), [5, 5]);
}

#[test]
fn tx_12_a_pod_that_lessens_a_skew_above_the_bound_is_placed() {
    let mut world = World::new();
    let pods =
        |types: &str| web().spread(spread("capacity", 1)).needs(&format!("capacity={types}"));
    world.batch(pods("spot").times(3));
    assert_eq!(world.counts("capacity"), [3]);
    world.one(pods("on-demand|spot"));
    assert_eq!(world.counts("capacity"), [1, 3]);
    world.batch(pods("on-demand|spot").times(5));
    assert_eq!(world.counts("capacity"), [4, 5]);
}
