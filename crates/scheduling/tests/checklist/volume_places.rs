//! Where volumes are, and where they can be made: VTP.

use super::pods::web;
use super::pools::node;
use super::storage::{ClassSpec, PvcSpec, class, pvc, volume};
use super::world::World;

/// The zone of a new node for a pod with a claim, for a plain claim and for an ephemeral one: both are treated alike.
fn zone_for(of: ClassSpec, claim: &PvcSpec, wishes: &str) -> Option<String> {
    let zones = [claim.clone(), claim.clone().ephemeral()].map(|claim| {
        let mut world = World::new();
        world.storage_class(of.clone());
        world.volume(volume("pv").only_in("zone=test-zone-3"));
        world.pvc(claim);
        let batch = world.one(web().claim("data").select(wishes));
        batch.new_nodes.first().and_then(|new| new.zone.clone())
    });
    assert_eq!(zones[0], zones[1], "claims of ephemeral volumes are like others");
    zones[0].clone()
}

/// Whether a pod with a claim finds a place where there is the class `standard` and the volume `pv`.
fn placed(claim: &PvcSpec) -> bool {
    zone_for(class("standard"), claim, "").is_some()
}

#[test]
fn vtp_1_a_claim_that_does_not_exist_holds_back() {
    let mut world = World::new();
    let batch = world.one(web().claim("missing"));
    assert_eq!((batch.left(), batch.pool_codes(0)), (1, vec!["ClaimMissing"]));
}

#[test]
fn vtp_2_to_5_the_class_matters_only_while_the_claim_is_unbound() {
    assert!(placed(&pvc("data").class("").bound_to("pv")));
    assert!(!placed(&pvc("data").class("")));
    assert!(placed(&pvc("data").class("missing").bound_to("pv")));
    assert!(!placed(&pvc("data").class("missing")));
}

#[test]
fn vtp_6_to_8_a_pod_whose_storage_is_missing_does_not_hold_back_others() {
    let mut world = World::new();
    world.pvc(pvc("no-class").class("missing"));
    world.pvc(pvc("no-volume").bound_to("missing"));
    let pods = ["no-claim", "no-class", "no-volume"].map(|name| web().claim(name));
    let batch = world.batch(pods.into_iter().chain([web()]));
    assert_eq!((batch.left(), batch.home(3)), (3, Some("new-1")));
}

#[test]
fn vtp_9_and_10_while_there_is_no_volume_the_zones_of_the_class_count() {
    let of = class("standard").only_in("zone=test-zone-2|unknown");
    assert_eq!(zone_for(of, &pvc("data"), "").as_deref(), Some("test-zone-2"));
}

#[test]
fn vtp_11_and_12_zones_of_the_class_that_the_pod_excludes_hold_back() {
    let of = class("standard").only_in("zone=test-zone-2");
    assert_eq!(zone_for(of, &pvc("data"), "zone=test-zone-1"), None);
}

#[test]
fn vtp_13_and_14_the_zone_of_the_volume_counts_once_there_is_one() {
    let of = class("standard").only_in("zone=test-zone-1");
    assert_eq!(zone_for(of, &pvc("data").bound_to("pv"), "").as_deref(), Some("test-zone-3"));
}

/// The peer ignores the host of a disk of one node, and launches a node that the scheduler refuses. We launch nothing that
/// the pod could not use.
#[test]
fn vtp_15_and_16_the_host_of_a_local_volume_holds_the_pod_there() {
    for claim in [pvc("data").bound_to("disk"), pvc("data").bound_to("disk").ephemeral()] {
        let mut world = World::new();
        world.volume(volume("disk").local().only_in("host=home"));
        world.pvc(claim);
        let batch = world.one(web().claim("data"));
        assert_eq!(batch.left(), 1);
        world.node(node("home", ""));
        assert_eq!(world.again(&batch).home(0), Some("home"));
    }
}

#[test]
fn vtp_17_the_host_of_any_other_volume_holds_the_pod_there() {
    let mut world = World::new();
    world.node(node("other", ""));
    world.volume(volume("disk").only_in("host=home"));
    world.pvc(pvc("data").bound_to("disk"));
    let batch = world.one(web().claim("data"));
    assert_eq!(batch.left(), 1);
    world.node(node("home", ""));
    assert_eq!(world.again(&batch).home(0), Some("home"));
}

#[test]
fn vtp_18_and_19_a_zone_of_the_volume_that_the_pod_excludes_holds_back() {
    let claim = pvc("data").bound_to("pv");
    assert_eq!(zone_for(class("standard"), &claim, "zone=test-zone-1"), None);
}

#[test]
fn vtp_20_the_volumes_zone_is_not_given_up_with_the_pods_own_terms() {
    let zone_for = |terms: [&str; 2]| {
        let mut world = World::new();
        world.volume(volume("pv").only_in("zone=test-zone-3"));
        world.pvc(pvc("data").bound_to("pv"));
        let pod = web().claim("data").needs(terms[0]).needs(terms[1]).prefers(1, "zone=test-zone-1");
        let batch = world.one(pod);
        batch.new_nodes.first().and_then(|new| new.zone.clone())
    };
    assert_eq!(zone_for(["zone=test-zone-1", "zone=test-zone-3"]).as_deref(), Some("test-zone-3"));
    assert_eq!(zone_for(["zone=test-zone-1", "zone=test-zone-2"]), None);
}
