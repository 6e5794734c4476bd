//! Where volumes are, and where they can be made: VTP.

use super::pods::web;
use super::pools::node;
use super::storage::{ClassSpec, PvcSpec, class, pvc, volume};
use super::world::World;

/// The zone of a new node for a pod with a claim, where there is a class and a volume in the third zone.
fn zone_for(of: ClassSpec, claim: PvcSpec, wishes: &str) -> Option<String> {
    let mut world = World::new();
    world.storage_class(of);
    world.volume(volume("pv").only_in("zone=test-zone-3"));
    world.pvc(claim);
    let batch = world.one(web().claim("data").select(wishes));
    batch.new_nodes.first().and_then(|new| new.zone.clone())
}

/// Whether a pod with a claim finds a place where there is the class `standard` and the volume `pv`.
fn placed(claim: PvcSpec) -> bool {
    zone_for(class("standard"), claim, "").is_some()
}

#[test]
fn vtp_1_a_claim_that_does_not_exist_holds_back() {
    let mut world = World::new();
    let batch = world.one(web().claim("missing"));
    assert_eq!((batch.left(), batch.pool_codes(0)), (1, vec!["ClaimMissing"]));
}

#[test]
fn vtp_2_a_bound_claim_needs_no_class() {
    assert!(placed(pvc("data").class("").bound_to("pv")));
}

#[test]
fn vtp_3_an_unbound_claim_without_a_class_holds_back() {
    assert!(!placed(pvc("data").class("")));
}

#[test]
fn vtp_4_a_bound_claim_does_not_miss_its_class() {
    assert!(placed(pvc("data").class("missing").bound_to("pv")));
}

#[test]
fn vtp_5_an_unbound_claim_whose_class_is_missing_holds_back() {
    assert!(!placed(pvc("data").class("missing")));
}

/// A pod with a claim and a pod without any: only the latter finds a place.
fn holds_back_itself_only(claim: Option<PvcSpec>) {
    let mut world = World::new();
    if let Some(claim) = claim {
        world.pvc(claim);
    }
    let batch = world.batch([web().claim("data"), web()]);
    assert_eq!((batch.home(0), batch.home(1)), (None, Some("new-1")));
}

#[test]
fn vtp_6_a_missing_claim_does_not_hold_back_others() {
    holds_back_itself_only(None);
}

#[test]
fn vtp_7_a_missing_class_does_not_hold_back_others() {
    holds_back_itself_only(Some(pvc("data").class("missing")));
}

#[test]
fn vtp_8_a_missing_volume_does_not_hold_back_others() {
    holds_back_itself_only(Some(pvc("data").bound_to("missing")));
}

/// A class that makes volumes in the second zone.
fn second_zone() -> ClassSpec {
    class("standard").only_in("zone=test-zone-2|unknown")
}

#[test]
fn vtp_9_while_there_is_no_volume_the_zones_of_the_class_count() {
    assert_eq!(zone_for(second_zone(), pvc("data"), "").as_deref(), Some("test-zone-2"));
}

#[test]
fn vtp_10_so_they_do_for_an_ephemeral_volume() {
    let claim = pvc("data").ephemeral();
    assert_eq!(zone_for(second_zone(), claim, "").as_deref(), Some("test-zone-2"));
}

#[test]
fn vtp_11_zones_of_the_class_that_the_pod_excludes_hold_back() {
    assert_eq!(zone_for(second_zone(), pvc("data"), "zone=test-zone-1"), None);
}

#[test]
fn vtp_12_so_they_do_for_an_ephemeral_volume() {
    assert_eq!(zone_for(second_zone(), pvc("data").ephemeral(), "zone=test-zone-1"), None);
}

#[test]
fn vtp_13_once_there_is_a_volume_its_zone_counts() {
    let claim = pvc("data").bound_to("pv");
    assert_eq!(zone_for(second_zone(), claim, "").as_deref(), Some("test-zone-3"));
}

#[test]
fn vtp_14_so_it_does_for_an_ephemeral_volume() {
    let claim = pvc("data").bound_to("pv").ephemeral();
    assert_eq!(zone_for(second_zone(), claim, "").as_deref(), Some("test-zone-3"));
}

/// A pod whose volume can be reached from `home` only goes there, and nowhere else.
fn stays_at_home(disk: super::storage::VolumeSpec, claim: PvcSpec) {
    let mut world = World::new();
    world.node(node("other", ""));
    world.volume(disk.only_in("host=home"));
    world.pvc(claim.bound_to("disk"));
    let batch = world.one(web().claim("data"));
    assert_eq!((batch.left(), batch.new_nodes.len()), (1, 0));
    world.node(node("home", ""));
    assert_eq!(world.again(&batch).home(0), Some("home"));
}

/// The peer ignores the host of a disk of one node, and launches a node that the scheduler refuses. We launch nothing that
/// the pod could not use.
#[test]
fn vtp_15_the_host_of_a_local_volume_holds_the_pod_there() {
    stays_at_home(volume("disk").local(), pvc("data"));
}

/// As for `vtp_15`.
#[test]
fn vtp_16_so_it_does_for_an_ephemeral_volume() {
    stays_at_home(volume("disk").local(), pvc("data").ephemeral());
}

#[test]
fn vtp_17_the_host_of_any_other_volume_holds_the_pod_there() {
    stays_at_home(volume("disk"), pvc("data"));
}

#[test]
fn vtp_18_a_zone_of_the_volume_that_the_pod_excludes_holds_back() {
    let claim = pvc("data").bound_to("pv");
    assert_eq!(zone_for(class("standard"), claim, "zone=test-zone-1"), None);
}

#[test]
fn vtp_19_so_it_does_for_an_ephemeral_volume() {
    let claim = pvc("data").bound_to("pv").ephemeral();
    assert_eq!(zone_for(class("standard"), claim, "zone=test-zone-1"), None);
}

#[test]
fn vtp_20_the_volumes_zone_is_not_given_up_with_the_pods_own_terms() {
    let zone_for = |terms: [&str; 2]| {
        let mut world = World::new();
        world.volume(volume("pv").only_in("zone=test-zone-3"));
        world.pvc(pvc("data").bound_to("pv"));
        let pod =
            web().claim("data").needs(terms[0]).needs(terms[1]).prefers(1, "zone=test-zone-1");
        let batch = world.one(pod);
        batch.new_nodes.first().and_then(|new| new.zone.clone())
    };
    assert_eq!(zone_for(["zone=test-zone-1", "zone=test-zone-3"]).as_deref(), Some("test-zone-3"));
    assert_eq!(zone_for(["zone=test-zone-1", "zone=test-zone-2"]), None);
}
