//! What pods would like, and what becomes of it: PRF and FBK.

use restow_scheduling::Preferences;

use super::pods::{PodSpec, pod, web};
use super::pools::{node, pool};
use super::terms::{spread, term};
use super::world::World;

/// Where one pod goes in a world of the peer's types.
fn zone_for(pod: PodSpec) -> Option<String> {
    let mut world = World::new();
    let batch = world.one(pod);
    batch.new_nodes.first().and_then(|new| new.zone.clone())
}

#[test]
fn prf_1_the_last_required_term_is_never_given_up() {
    assert_eq!(zone_for(web().needs("zone=invalid")), None);
}

#[test]
fn fbk_1_the_last_required_term_is_never_given_up_even_in_part() {
    assert_eq!(zone_for(web().needs("zone=test-zone-1 type=invalid")), None);
    assert_eq!(zone_for(web().needs("zone=invalid").needs("zone=unknown")), None);
}

/// The peer drops the first term, then the next; we look at all of them together.
#[test]
fn prf_2_any_required_term_that_can_be_met_will_do() {
    let pod = web().needs("zone=invalid").needs("type=invalid").needs("zone=test-zone-2");
    assert_eq!(zone_for(pod).as_deref(), Some("test-zone-2"));
}

/// As for `prf_2`: the order of the terms does not matter.
#[test]
fn fbk_2_terms_that_cannot_be_met_may_come_before_and_after() {
    let pod = web().needs("zone=invalid").needs("zone=test-zone-2").needs("zone=invalid arch");
    assert_eq!(zone_for(pod).as_deref(), Some("test-zone-2"));
}

/// The peer ignores such terms of pods that it has to move, and refuses pending ones.
#[test]
fn prf_2_terms_may_name_a_node() {
    let mut world = World::new();
    world.node(node("a", ""));
    world.node(node("b", ""));
    assert_eq!(world.one(web().needs_node("b")).home(0), Some("b"));
    assert_eq!(world.one(web().needs_node("c")).left(), 1);
    assert!(world.one(web().needs_node("c").needs("zone=test-zone-1")).home(0).is_some());
}

#[test]
fn prf_3_all_preferred_terms_may_be_given_up() {
    let pod = web().prefers(1, "zone=invalid").prefers(1, "type=invalid");
    assert!(zone_for(pod).is_some());
}

#[test]
fn fbk_3_all_preferred_terms_may_be_given_up_beside_a_required_one() {
    let pod = web().needs("zone=test-zone-3").prefers(9, "zone=invalid").prefers(1, "type=invalid");
    assert_eq!(zone_for(pod).as_deref(), Some("test-zone-3"));
}

#[test]
fn prf_4_the_heaviest_preference_that_can_be_met_is_kept() {
    let pod = web()
        .needs("zone=test-zone-1|test-zone-2")
        .prefers(1, "zone=test-zone-1")
        .prefers(50, "zone=test-zone-2")
        .prefers(100, "zone=test-zone-3");
    assert_eq!(zone_for(pod).as_deref(), Some("test-zone-2"));
}

#[test]
fn fbk_4_heavier_preferences_are_given_up_until_a_lighter_one_can_be_met() {
    let pod = web()
        .prefers(100, "type=invalid")
        .prefers(50, "zone=invalid")
        .prefers(1, "zone=test-zone-3 capacity=on-demand");
    assert_eq!(zone_for(pod).as_deref(), Some("test-zone-3"));
}

#[test]
fn prf_5_a_preference_that_contradicts_a_requirement_is_given_up() {
    let pod = web().needs("zone=test-zone-3").prefers(1, "zone!=test-zone-3");
    assert_eq!(zone_for(pod).as_deref(), Some("test-zone-3"));
}

#[test]
fn prf_6_preferences_that_contradict_each_other_are_given_up() {
    let pod = web().prefers(1, "zone=invalid zone").prefers(1, "zone!=invalid !zone");
    assert!(zone_for(pod).is_some());
}

#[test]
fn fbk_5_soft_taints_are_borne_only_after_other_preferences_are_given_up() {
    let mut world = World::new();
    world.pool(pool("default").taint("soft=yes:PreferNoSchedule").needs("zone=test-zone-1"));
    assert_eq!(world.one(web().prefers(1, "zone=invalid")).placed(), 1);
    world.pool(pool("clean").needs("zone=test-zone-2"));
    let batch = world.one(web().asks("cpu=3").prefers(1, "zone=test-zone-1"));
    assert_eq!(batch.pools(), ["clean"]);
}

/// The peer bears soft taints only if some pool has one.
#[test]
fn fbk_5_soft_taints_of_nodes_are_borne_whether_or_not_a_pool_has_one() {
    let mut world = World::new();
    world.no_pools();
    world.node(node("soft", "").taint("soft=yes:PreferNoSchedule"));
    assert_eq!(world.one(web()).home(0), Some("soft"));
    world.node(node("clean", "").has("cpu=1 memory=1Gi pods=1"));
    let batch = world.batch(web().times(2));
    assert_eq!((batch.home(0), batch.home(1)), (Some("clean"), Some("soft")));
}

#[test]
fn fbk_6_preferences_for_zones_and_hosts_that_cannot_be_are_ignored() {
    for key in ["zone", "host"] {
        let pod = web().needs("zone=test-zone-3").prefers(1, &format!("{key}=impossible"));
        assert_eq!(zone_for(pod).as_deref(), Some("test-zone-3"), "{key}");
    }
}

/// A world that looks at requirements only.
fn strict() -> World {
    let mut world = World::new();
    world.settings.preferences = Preferences::Ignore;
    world
}

#[test]
fn fbk_7_with_preferences_ignored_preferred_nodes_make_no_difference() {
    let mut world = strict();
    let batch = world.batch([web(), web().prefers(1, "type=arm")]);
    assert_eq!(batch.kind(), "small");
}

#[test]
fn fbk_8_with_preferences_ignored_soft_spread_makes_no_difference() {
    for key in ["zone", "host"] {
        let mut world = strict();
        world.batch(web().spread(spread(key, 1).soft()).times(3));
        assert_eq!(world.counts("host"), [3], "{key}");
        world.settings.preferences = Preferences::Respect;
        let pods = pod("app=api").spread(spread(key, 1).of("app=api").soft());
        world.batch(pods.times(3));
        assert_eq!(world.counts_of(key, "app=api"), [1, 1, 1], "{key}");
    }
}

#[test]
fn fbk_9_with_preferences_ignored_preferred_anti_affinity_makes_no_difference() {
    for key in ["zone", "host"] {
        let mut world = strict();
        world.batch(web().dislikes(term(key, "app=web")).times(3));
        assert_eq!(world.counts("host"), [3], "{key}");
    }
}

#[test]
fn fbk_10_with_preferences_ignored_preferred_affinity_makes_no_difference() {
    for key in ["zone", "host"] {
        let mut world = strict();
        let other = pod("app=other").select("type=arm");
        let batch = world.batch([other, web().likes(term(key, "app=other")).select("type=small")]);
        assert_eq!((batch.left(), batch.kinds()), (0, vec!["arm", "small"]), "{key}");
    }
}
