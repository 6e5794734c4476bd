//! Volumes: VOL.

use super::kinds::kind;
use super::pods::{PodSpec, pod, web};
use super::pools::node;
use super::storage::{DRIVER, PvcSpec, class, pvc, volume};
use super::terms::{spread, term};
use super::world::World;

/// A world with the class `standard`, whose volumes are made with their pods.
fn with_class() -> World {
    let mut world = World::new();
    world.storage_class(class("standard"));
    world
}

/// Whether a pod with a claim finds a place.
fn placed(world: &mut World, claim: PvcSpec) -> bool {
    world.pvc(claim);
    world.one(web().claim("data")).placed() == 1
}

#[test]
fn vol_1_a_node_that_can_attach_no_more_volumes_takes_no_more_pods() {
    let mut world = with_class();
    world.node(node("own", "zone=test-zone-1"));
    world.attach_limit("own", DRIVER, 2);
    let pods = ["a", "b", "c"].map(|name| {
        world.pvc(pvc(name));
        web().claim(name)
    });
    let batch = world.batch(pods);
    assert_eq!((world.counts("host"), batch.left()), (vec![1, 2], 0));
}

#[test]
fn vol_2_a_volume_that_many_pods_share_is_attached_once() {
    let mut world = with_class();
    world.node(node("own", "").has("cpu=10 memory=10Gi pods=110"));
    world.attach_limit("own", DRIVER, 10);
    world.volume(volume("pv"));
    world.pvc(pvc("data").bound_to("pv"));
    let batch = world.batch(web().claim("data").asks("cpu=10m").times(100));
    assert_eq!((world.counts("host"), batch.left()), (vec![100], 0));
}

#[test]
fn vol_2_a_volume_that_is_still_to_be_made_ties_its_pods_to_one_node() {
    let mut world = with_class();
    world.pvc(pvc("data"));
    let fits = world.batch(web().claim("data").asks("cpu=10m").times(5));
    assert_eq!((world.counts("host"), fits.left()), (vec![5], 0));
    let mut world = World::of(vec![kind("two").has("cpu=2 memory=2Gi")]);
    world.storage_class(class("standard"));
    world.pvc(pvc("data"));
    let batch = world.batch(web().claim("data").asks("cpu=1.1").times(2));
    assert_eq!((world.counts("host"), batch.left()), (vec![1], 1));
}

#[test]
fn vol_3_volumes_without_a_driver_count_for_no_limit() {
    let mut world = with_class();
    world.node(node("own", ""));
    world.attach_limit("own", DRIVER, 1);
    let pods = ["a", "b", "c", "d"].map(|name| {
        world.volume(volume(name).driver(""));
        world.pvc(pvc(name).bound_to(name));
        web().claim(name)
    });
    let batch = world.batch(pods);
    assert_eq!((world.counts("host"), batch.left()), (vec![4], 0));
}

/// Two pods that avoid each other by zone, each with its claim.
fn apart(claims: [&str; 2]) -> Vec<PodSpec> {
    claims.map(|name| web().claim(name).away(term("zone", "app=web"))).to_vec()
}

#[test]
fn vol_4_a_volume_that_several_zones_reach_leaves_the_choice() {
    let mut world = with_class();
    for name in ["a", "b"] {
        world.volume(volume(name).only_in("zone=test-zone-1").only_in("zone=test-zone-2"));
        world.pvc(pvc(name).bound_to(name));
    }
    let batch = world.batch(apart(["a", "b"]));
    assert_eq!(batch.left(), 0);
    assert!(world.domains("zone", "app=web").into_keys().eq(["test-zone-1", "test-zone-2"]));
}

/// The peer drops the host of a disk of one node, and launches a node that the scheduler refuses. We keep to the node while it
/// is there, to the other places that the volume lists, and otherwise launch nothing.
#[test]
fn vol_5_the_host_of_a_local_volume_is_kept_beside_other_places() {
    let mut world = with_class();
    world.volume(volume("pv").local().only_in("host=gone").only_in("zone=test-zone-2"));
    assert!(placed(&mut world, pvc("data").bound_to("pv")));
    assert_eq!(world.label_of("new-1", "zone"), Some("test-zone-2"));
    let mut world = with_class();
    world.volume(volume("pv").local().only_in("host=gone"));
    assert!(!placed(&mut world, pvc("data").bound_to("pv")));
    world.node(node("gone", ""));
    assert_eq!(world.one(web().claim("data")).home(0), Some("gone"));
}

#[test]
fn vol_6_a_class_that_makes_volumes_in_several_zones_leaves_the_choice() {
    let mut world = World::new();
    let zones = ["zone=test-zone-1", "zone=test-zone-2"];
    world.storage_class(class("standard").only_in(zones[0]).only_in(zones[1]));
    world.pvc(pvc("a"));
    world.pvc(pvc("b"));
    let batch = world.batch(apart(["a", "b"]));
    assert_eq!(batch.left(), 0);
    assert!(world.domains("zone", "app=web").into_keys().eq(["test-zone-1", "test-zone-2"]));
}

#[test]
fn vol_7_several_volumes_meet_in_a_place_that_all_reach() {
    let mut world = with_class();
    world.volume(volume("a").only_in("zone=test-zone-1").only_in("zone=test-zone-2"));
    world.volume(volume("b").only_in("zone=test-zone-3").only_in("zone=test-zone-2"));
    world.pvc(pvc("a").bound_to("a"));
    world.pvc(pvc("b").bound_to("b"));
    let batch = world.one(web().claim("a").claim("b"));
    assert_eq!(batch.new_node().zone.as_deref(), Some("test-zone-2"));
}

#[test]
fn vol_8_an_ephemeral_volume_of_a_named_class_counts_for_the_limit() {
    let mut world = with_class();
    world.node(node("own", ""));
    world.attach_limit("own", DRIVER, 1);
    let homes = ["a", "b"].map(|name| {
        world.pvc(pvc(name).ephemeral());
        world.one(web().claim(name)).home(0).map(str::to_owned)
    });
    assert_eq!(homes, [Some("own".to_owned()), Some("new-1".to_owned())]);
}

/// The peer looks for the newest default class itself. The API server writes the class into the claim, and until it has, the
/// scheduler holds the pod back: so do we.
#[test]
fn vol_8_a_claim_without_a_class_waits_until_the_default_is_written_into_it() {
    let mut world = World::new();
    world.storage_class(class("old").default());
    world.storage_class(class("standard").default());
    assert!(!placed(&mut world, pvc("data").no_class().ephemeral()));
    world.pvc(pvc("other"));
    assert_eq!(world.one(web().claim("other")).placed(), 1);
}

/// There are no provisioners that we refuse; a key that no node has simply matches none.
#[test]
fn vol_9_a_place_by_a_key_that_no_node_has_is_nowhere() {
    let mut world = World::new();
    world.storage_class(class("standard").only_in("unknown.io/key=a"));
    assert!(!placed(&mut world, pvc("data")));
    let mut world = with_class();
    world.volume(volume("pv").only_in("unknown.io/key=a"));
    assert!(!placed(&mut world, pvc("data").bound_to("pv")));
}

#[test]
fn vol_10_an_unbound_claim_whose_class_does_not_wait_holds_back() {
    let mut world = World::new();
    world.storage_class(class("standard").immediate());
    world.pvc(pvc("data"));
    let batch = world.one(web().claim("data"));
    assert_eq!(batch.pool_codes(0), ["ClaimUnbound"]);
}

#[test]
fn vol_10_a_claim_that_is_going_or_lost_holds_back() {
    let mut world = with_class();
    world.volume(volume("pv"));
    assert!(!placed(&mut world, pvc("data").bound_to("pv").deleting()));
    let mut world = with_class();
    world.volume(volume("pv"));
    assert!(!placed(&mut world, pvc("data").bound_to("pv").lost()));
}

/// The peer holds such a pod back. The scheduler does not ask: the volume stays as long as its claim.
#[test]
fn vol_10_a_bound_volume_that_is_going_does_not_hold_back() {
    let mut world = with_class();
    world.volume(volume("pv").deleting());
    assert!(placed(&mut world, pvc("data").bound_to("pv")));
}

#[test]
fn vol_11_a_claim_that_names_its_volume_waits_until_the_binding_is_complete() {
    let mut world = with_class();
    world.volume(volume("pv"));
    assert!(!placed(&mut world, pvc("data").naming("pv")));
    let mut world = with_class();
    world.volume(volume("pv"));
    assert!(placed(&mut world, pvc("data").bound_to("pv")));
}

#[test]
fn vol_12_a_class_that_is_missing_or_empty_matters_only_while_the_claim_is_unbound() {
    for name in ["", "missing"] {
        let mut world = with_class();
        assert!(!placed(&mut world, pvc("data").class(name).ephemeral()), "{name:?}");
        let mut world = with_class();
        world.volume(volume("pv"));
        assert!(placed(&mut world, pvc("data").class(name).bound_to("pv").ephemeral()), "{name:?}");
    }
}

/// The reader writes the driver that took over on volumes of the old kind.
#[test]
fn vol_13_volumes_of_drivers_that_moved_count_for_the_new_driver() {
    let driver = "ebs.csi.aws.com";
    let mut world = World::new();
    world.storage_class(class("standard").made_by("kubernetes.io/aws-ebs"));
    world.node(node("own", ""));
    world.attach_limit("own", driver, 2);
    world.volume(volume("pv").driver(driver));
    world.pvc(pvc("moved").bound_to("pv"));
    world.pvc(pvc("a"));
    world.pvc(pvc("b").ephemeral());
    let batch = world.batch(["b", "a", "moved"].map(|name| pod("app=web").claim(name)));
    assert_eq!((world.counts("host"), batch.left()), (vec![1, 2], 0));
}

#[test]
fn vol_7_volumes_that_are_there_already_are_taken_once() {
    let mut world = World::new();
    world.storage_class(class("standard").made_by("kubernetes.io/no-provisioner"));
    world.volume(volume("one").free("standard").only_in("zone=test-zone-1"));
    world.volume(volume("two").free("standard").only_in("zone=test-zone-2"));
    let pods = ["a", "b", "c"].map(|name| {
        world.pvc(pvc(name));
        web().claim(name)
    });
    let batch = world.batch(pods);
    assert_eq!((world.counts("zone"), batch.left()), (vec![1, 1], 1));
}

/// The places of volumes are no part of the pods' own affinity: the third zone stays empty, and counts.
#[test]
fn vol_6_the_places_of_volumes_do_not_limit_the_zones_of_a_spread() {
    let mut world = World::new();
    world.storage_class(class("standard").only_in("zone=test-zone-1|test-zone-2"));
    let pods = ["a", "b", "c"].map(|name| {
        world.pvc(pvc(name));
        web().claim(name).spread(spread("zone", 1))
    });
    let batch = world.batch(pods);
    assert_eq!((world.counts("zone"), batch.left()), (vec![1, 1], 1));
}

/// A pod elsewhere that asks for types makes them tell apart; that must not tie a node to one of them.
#[test]
fn vol_6_a_claim_settles_no_more_of_a_new_node_than_its_place() {
    for claims in [false, true] {
        let mut world = World::of(vec![
            kind("two").has("cpu=2 memory=8Gi"),
            kind("eight").has("cpu=8 memory=8Gi"),
        ]);
        world.storage_class(class("standard").only_in("zone=test-zone-1|test-zone-2"));
        let pods: Vec<PodSpec> = (0..4)
            .map(|at| {
                let name = format!("data-{at}");
                world.pvc(pvc(&name));
                let own = web().asks("cpu=0.9");
                if claims { own.claim(&name) } else { own }
            })
            .collect();
        let other = pod("app=other").needs("type!=unknown").asks("cpu=0.1");
        let batch = world.batch(pods.into_iter().chain([other]));
        assert_eq!((batch.kinds(), batch.left()), (vec!["eight"], 0), "{claims}");
    }
}
