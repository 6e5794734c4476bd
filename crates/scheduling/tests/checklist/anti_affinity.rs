//! Anti-affinity between pods, in both directions: AFF-11 to AFF-20 and AFF-22.

use super::pods::{PodSpec, pod, web};
use super::pools::node;
use super::terms::term;
use super::world::World;

const ZONES: [&str; 3] = ["test-zone-1", "test-zone-2", "test-zone-3"];

/// A pod that avoids `security=s2`.
fn shy(key: &str) -> PodSpec {
    web().away(term(key, "security=s2"))
}

/// A pod in a zone.
fn in_zone(pod: PodSpec, zone: &str) -> PodSpec {
    pod.select(&format!("zone={zone}"))
}

#[test]
fn aff_11_preferred_anti_affinity_may_be_broken() {
    let mut world = World::new();
    let occupants = ZONES.map(|zone| in_zone(pod("security=s2").asks("cpu=2"), zone));
    let shy = web().dislikes(term("zone", "security=s2"));
    let batch = world.batch(occupants.into_iter().chain([shy]));
    assert_eq!(batch.left(), 0);
}

#[test]
fn aff_12_anti_affinity_by_host_takes_two_nodes_whoever_comes_first() {
    for (shy_asks, other_asks) in [("cpu=1", "cpu=0.5"), ("cpu=0.5", "cpu=1")] {
        let mut world = World::new();
        let other = pod("security=s2").asks(other_asks);
        let batch = world.batch([shy("host").asks(shy_asks), other]);
        assert_eq!((batch.left(), batch.new_nodes.len()), (0, 2));
        assert_ne!(batch.home(0), batch.home(1));
    }
}

#[test]
fn aff_13_anti_affinity_by_zone_waits_while_every_zone_is_taken() {
    let mut world = World::new();
    let occupants = ZONES.map(|zone| in_zone(pod("security=s2").asks("cpu=2"), zone));
    let batch = world.batch(occupants.into_iter().chain([shy("zone")]));
    assert_eq!((batch.left(), batch.home(3)), (1, None));
    assert_eq!(batch.pool_codes(3), ["AntiAffinity"]);
}

/// The peer's pod waits for the next batch, because the other's zone is open. We settle both in different zones.
#[test]
fn aff_14_anti_affinity_to_a_pod_in_any_zone_is_met_in_the_same_batch() {
    let mut world = World::new();
    let batch = world.batch([pod("security=s2").asks("cpu=2"), shy("zone")]);
    assert_eq!(batch.left(), 0);
    let zone = |at: usize| world.label_of(batch.home(at).unwrap(), "zone");
    assert_ne!(zone(0), zone(1));
}

#[test]
fn aff_15_anti_affinity_by_architecture_takes_another_architecture() {
    let mut world = World::new();
    let other = pod("security=s2").asks("cpu=2").select("arch=amd64");
    let batch = world.batch([other, shy("arch")]);
    assert_eq!(world.label_of(batch.home(1).unwrap(), "arch"), Some("arm64"));
}

#[test]
fn aff_16_preferred_anti_affinity_of_others_does_not_repel() {
    let mut world = World::new();
    let occupants =
        ZONES.map(|zone| in_zone(web().asks("cpu=2").dislikes(term("zone", "security=s2")), zone));
    let batch = world.batch(occupants.into_iter().chain([pod("security=s2")]));
    assert_eq!(batch.left(), 0);
}

#[test]
fn aff_17_required_anti_affinity_of_others_repels() {
    let mut world = World::new();
    let occupants = ZONES.map(|zone| in_zone(shy("zone").asks("cpu=2"), zone));
    let batch = world.batch(occupants.into_iter().chain([pod("security=s2")]));
    assert_eq!((batch.left(), batch.home(3)), (1, None));
    assert_eq!(batch.pool_codes(3), ["AntiAffinityOfOthers"]);
}

/// The peer's second pod waits until the first one's node has a zone. We need no second batch.
#[test]
fn aff_18_a_pod_that_another_avoids_gets_another_zone_in_the_same_batch() {
    let mut world = World::new();
    let batch = world.batch([shy("zone").asks("cpu=2"), pod("security=s2")]);
    assert_eq!(batch.left(), 0);
    let zone = |at: usize| world.label_of(batch.home(at).unwrap(), "zone");
    assert_ne!(zone(0), zone(1));
}

/// A node in each zone with a pod on it.
fn occupied(occupant: &PodSpec) -> World {
    let mut world = World::new();
    for zone in ZONES {
        world.node(node(zone, &format!("zone={zone}")));
        world.pod(occupant.clone().on(zone));
    }
    world
}

#[test]
fn aff_19_pods_that_run_already_repel_whom_they_avoid() {
    let mut world = occupied(&shy("zone"));
    let batch = world.one(pod("security=s2"));
    assert_eq!(batch.left(), 1);
    assert_eq!(batch.miss(0).nodes[0].reason.code(), "AntiAffinityOfOthers");
}

#[test]
fn aff_20_pods_that_run_already_do_not_repel_whom_they_dislike() {
    let mut world = occupied(&web().dislikes(term("zone", "security=s2")));
    assert_eq!(world.one(pod("security=s2")).left(), 0);
}

/// The peer places one pod of the deployment per batch. We place one in every zone at once.
#[test]
fn aff_22_a_deployment_that_avoids_itself_by_zone_fills_all_zones_in_one_batch() {
    let mut world = World::new();
    let pods = web().away(term("zone", "app=web"));
    let batch = world.batch(pods.clone().times(4));
    assert_eq!((world.counts("zone"), batch.left()), (vec![1, 1, 1], 1));
    assert_eq!(world.one(pods).left(), 1);
}
