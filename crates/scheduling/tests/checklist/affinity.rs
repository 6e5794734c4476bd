//! Affinity between pods: AFF-1 to AFF-10, AFF-21 and AFF-23 to AFF-30.

use super::kinds::kind;
use super::pods::{PodSpec, pod, web};
use super::pools::{node, pool};
use super::terms::{spread, term};
use super::world::World;

/// A pod that others want to be near.
fn target() -> PodSpec {
    pod("security=s2")
}

/// A pod that wants to be near the target.
fn follower(key: &str) -> PodSpec {
    web().near(term(key, "security=s2"))
}

/// A pod that wants to be near its like.
fn sociable(key: &str) -> PodSpec {
    web().near(term(key, "app=web"))
}

#[test]
fn aff_1_a_pod_without_any_terms_is_placed() {
    assert_eq!(World::new().one(web()).placed(), 1);
}

#[test]
fn aff_2_affinity_by_host_brings_both_to_one_node() {
    let mut world = World::new();
    let batch = world.batch([follower("host"), target()]);
    assert!(batch.home(0).is_some());
    assert_eq!(batch.home(0), batch.home(1));
}

#[test]
fn aff_3_affinity_by_architecture_leaves_the_nodes_apart() {
    let mut world = World::of(vec![
        kind("amd").has("cpu=2 memory=2Gi"),
        kind("arm").has("cpu=2").arch("arm64"),
    ]);
    let large = |pod: PodSpec| pod.asks("cpu=1.5").spread(spread("host", 1).of("tier=front"));
    let own = pod("security=s2 tier=front").select("arch=arm64");
    let other = pod("tier=front").near(term("arch", "security=s2"));
    let batch = world.batch([large(other), large(own)]);
    assert_eq!(batch.new_nodes.len(), 2);
    assert_eq!(world.counts_of("arch", "tier=front"), [2]);
    assert_eq!(world.domains("arch", "tier=front")["arm64"], 2);
}

#[test]
fn aff_4_self_affinity_by_host_keeps_all_replicas_on_one_node() {
    let mut world = World::new();
    world.batch(sociable("host").times(3));
    assert_eq!(world.counts("host"), [3]);
}

#[test]
fn aff_5_self_affinity_by_host_starts_one_node_only() {
    let mut world = World::new();
    let batch = world.batch(sociable("host").times(10));
    assert_eq!((world.counts("host"), batch.left()), (vec![5], 5));
    let batch = world.batch(sociable("host").times(10));
    assert_eq!((world.counts("host"), batch.left()), (vec![5], 10));
}

#[test]
fn aff_6_self_affinity_does_not_start_again_where_the_first_node_is_excluded() {
    let mut world = World::new();
    world.pool(pool("default").needs("zone=test-zone-1"));
    world.one(web());
    world.pool(pool("default").needs("zone=test-zone-2|test-zone-3"));
    let batch = world.batch(sociable("host").needs("zone=test-zone-2|test-zone-3").times(10));
    assert_eq!(batch.left(), 10);
}

#[test]
fn aff_7_self_affinity_by_zone_keeps_all_replicas_in_one_zone() {
    let mut world = World::new();
    world.batch(sociable("zone").times(10));
    assert_eq!(world.counts("zone"), [10]);
}

#[test]
fn aff_8_self_affinity_by_zone_heeds_the_zone_that_the_pods_ask_for() {
    let mut world = World::new();
    world.batch(sociable("zone").needs("zone=test-zone-3").times(10));
    assert_eq!(world.domains("zone", "app=web"), [("test-zone-3".to_owned(), 10)].into());
}

/// The peer launches a second node, which the scheduler then refuses: once a matching pod is anywhere, the first-pod
/// exception is over. We launch nothing that the pod could not use.
#[test]
fn aff_9_a_second_self_affine_pod_for_another_zone_waits_as_the_scheduler_would_have_it() {
    let mut world = World::new();
    let in_zone = |zone: &str| sociable("zone").select(&format!("zone={zone}"));
    let batch = world.batch([in_zone("test-zone-1"), in_zone("test-zone-2")]);
    assert_eq!((batch.placed(), batch.new_nodes.len()), (1, 1));
    assert_eq!(batch.left(), 1);
}

#[test]
fn aff_10_preferred_affinity_may_be_broken() {
    let mut world = World::new();
    let lonely = web().likes(term("host", "app=nobody"));
    let apart = web().select("arch=arm64").likes(term("host", "security=s2"));
    let batch = world.batch([lonely, apart, target().select("arch=amd64")]);
    assert_eq!(batch.left(), 0);
}

#[test]
fn aff_21_a_required_spread_wins_over_preferred_affinity() {
    let mut world = World::new();
    let pods = web().spread(spread("host", 1)).likes(term("host", "app=web"));
    world.batch(pods.times(3));
    assert_eq!(world.counts("host"), [1, 1, 1]);
}

#[test]
fn aff_23_affinity_to_a_pod_that_does_not_exist_holds_back() {
    let mut world = World::new();
    let batch = world.batch(follower("zone").times(10));
    assert_eq!(batch.left(), 10);
    assert_eq!(batch.pool_codes(0), ["AffinityUnmet"]);
}

/// The peer's followers wait for the next batch, because the target's zone is open until its node is launched. Our new
/// node is settled in a zone when a pod comes for which that matters.
#[test]
fn aff_24_followers_of_a_pod_in_any_zone_come_in_the_same_batch() {
    let mut world = World::new();
    let batch = world.batch(follower("zone").times(10).into_iter().chain([target()]));
    assert_eq!(batch.left(), 0);
    assert_eq!(world.counts_of("zone", "security=s2").len(), 1);
    assert_eq!(world.counts("zone"), [10]);
    let zone = |selector: &str| world.domains("zone", selector).into_keys().next();
    assert_eq!(zone("app=web"), zone("security=s2"));
}

#[test]
fn aff_25_followers_of_a_pod_in_a_given_zone_come_in_the_same_batch() {
    let mut world = World::new();
    let target = target().select("zone=test-zone-2");
    let batch = world.batch(follower("zone").times(10).into_iter().chain([target]));
    assert_eq!(batch.left(), 0);
    assert_eq!(world.domains("zone", "app=web"), [("test-zone-2".to_owned(), 10)].into());
}

#[test]
fn aff_26_chains_of_affinity_are_placed_in_whatever_order_they_come() {
    let link = |own: &str, wanted: &str| {
        pod(&format!("name={own}")).near(term("host", &format!("name={wanted}")))
    };
    let chain = [pod("name=a"), link("b", "a"), link("c", "b"), link("d", "c"), link("e", "d")];
    for turn in 0..chain.len() {
        for reversed in [false, true] {
            let mut pods = chain.clone();
            pods.rotate_left(turn);
            if reversed {
                pods.reverse();
            }
            let mut world = World::new();
            let batch = world.batch(pods);
            assert_eq!((batch.left(), batch.new_nodes.len()), (0, 1), "{turn} {reversed}");
        }
    }
}

#[test]
fn aff_27_a_chain_with_no_beginning_holds_back_but_not_the_others() {
    let mut world = World::new();
    let link = |own: &str, wanted: &str| {
        pod(&format!("name={own}")).near(term("host", &format!("name={wanted}")))
    };
    let batch = world.batch([link("b", "a"), link("c", "b"), web()]);
    assert_eq!((batch.left(), batch.placed()), (2, 1));
}

#[test]
fn aff_28_pods_of_other_namespaces_do_not_count() {
    let mut world = World::new();
    let batch = world.batch([target().within("other"), follower("host")]);
    assert!(batch.home(0).is_some() && batch.home(1).is_none());
}

#[test]
fn aff_29_pods_of_a_listed_namespace_count() {
    let mut world = World::new();
    let follower = web().near(term("host", "security=s2").within("other"));
    let batch = world.batch([target().within("other"), follower]);
    assert!(batch.home(0).is_some());
    assert_eq!(batch.home(0), batch.home(1));
}

#[test]
fn aff_30_an_empty_namespace_selector_counts_pods_of_all_namespaces() {
    let mut world = World::new();
    let follower = web().near(term("host", "security=s2").everywhere());
    let batch = world.batch([target().within("other"), follower]);
    assert!(batch.home(0).is_some());
    assert_eq!(batch.home(0), batch.home(1));
}

#[test]
fn aff_10_preferred_affinity_is_kept_beside_required_affinity() {
    let mut world = World::new();
    let zone = "zone=test-zone-1";
    world.node(node("db", zone));
    world.node(node("cache", zone));
    world.pod(pod("app=db").on("db"));
    world.pod(pod("app=cache").on("cache"));
    let near_both = web().near(term("zone", "app=db")).likes(term("host", "app=cache"));
    assert_eq!(world.one(near_both).home(0), Some("cache"));
}
