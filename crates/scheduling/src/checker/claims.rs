//! The claims of a pod: they must be there, be bound unless their class waits for the pod, and be free if one pod owns them.

use restow_model::{PersistentVolume, PersistentVolumeClaim, StorageClass, Str};

use super::{Checker, Violation};

/// What rejects the pod whatever the node.
pub(super) fn check_usable(checker: &Checker, pod: usize) -> Result<(), Violation> {
    for name in names(checker, pod) {
        let usable = find(checker, pod, name).is_some_and(|claim| {
            checker.strings().text(claim.phase) != "Lost" && claim.meta.deleted.is_none()
        });
        if !usable {
            return Err(Violation::ClaimMissing { claim: name });
        }
    }
    for claim in of_pod(checker, pod) {
        if !claim.bound && !waits_for_pod(checker, claim) {
            return Err(Violation::ClaimUnbound { claim: claim.meta.name });
        }
    }
    for claim in of_pod(checker, pod).filter(|claim| !is_ephemeral(checker, pod, claim)) {
        if !claim.volume.is_empty() && volume(checker, claim.volume).is_none() {
            return Err(Violation::ClaimMissing { claim: claim.meta.name });
        }
    }
    Ok(())
}

/// A claim with mode `ReadWriteOncePod` that a pod on any node uses is closed to others.
pub(super) fn check_exclusive(checker: &Checker, pod: usize) -> Result<(), Violation> {
    let namespace = checker.pod(pod).namespace;
    let own = |claim: &&PersistentVolumeClaim| {
        claim.access_modes.read_write_once_pod && !is_ephemeral(checker, pod, claim)
    };
    for claim in of_pod(checker, pod).filter(own) {
        let uses = |other: usize| {
            !checker.is_guest(other)
                && checker.pod(other).namespace == namespace
                && names(checker, other).any(|name| name == claim.meta.name)
                && !is_ephemeral(checker, other, claim)
        };
        if let Some((by, _)) = checker.others(pod).find(|(other, _)| uses(*other)) {
            return Err(Violation::VolumeInUse { claim: claim.meta.name, by });
        }
    }
    Ok(())
}

/// The names of a pod's claims, as often as it lists them.
pub(super) fn names(checker: &Checker, pod: usize) -> impl Iterator<Item = Str> {
    checker.cluster.volumes[checker.pod(pod).volumes].claims.iter().copied()
}

/// Those of a pod's claims that are there.
pub(super) fn of_pod(
    checker: &Checker,
    pod: usize,
) -> impl Iterator<Item = &PersistentVolumeClaim> {
    names(checker, pod).filter_map(move |name| find(checker, pod, name))
}

fn find(checker: &Checker, pod: usize, name: Str) -> Option<&PersistentVolumeClaim> {
    let namespace = checker.pod(pod).namespace;
    checker
        .cluster
        .persistent_volume_claims
        .iter()
        .find(|claim| claim.meta.namespace == namespace && claim.meta.name == name)
}

/// Whether the claim was made for a generic ephemeral volume of this pod, which some rules leave out.
pub(super) fn is_ephemeral(checker: &Checker, pod: usize, claim: &PersistentVolumeClaim) -> bool {
    let pod = checker.pod(pod);
    claim.meta.owner.is_some_and(|owner| {
        checker.strings().text(owner.kind) == "Pod"
            && owner.name == pod.name
            && owner.uid == pod.uid
    })
}

/// The volume of that name.
pub(super) fn volume(checker: &Checker, name: Str) -> Option<&PersistentVolume> {
    checker.cluster.persistent_volumes.iter().find(|volume| volume.meta.name == name)
}

/// The class of a claim. A claim without one has none: giving it the default is the API server's work.
pub(super) fn class<'a>(
    checker: &'a Checker,
    claim: &PersistentVolumeClaim,
) -> Option<&'a StorageClass> {
    let name = claim.class.filter(|name| !name.is_empty())?;
    checker.cluster.storage_classes.iter().find(|class| class.meta.name == name)
}

/// Whether the volume is found or made when the pod is placed. A claim that names its volume does not wait.
fn waits_for_pod(checker: &Checker, claim: &PersistentVolumeClaim) -> bool {
    claim.volume.is_empty() && class(checker, claim).is_some_and(|class| class.waits_for_pod)
}

#[cfg(test)]
mod tests {
    use crate::checker::Checker;
    use crate::checker::testing::World;
    use restow_model::Time;

    fn world() -> World {
        let mut world = World::default();
        for node in ["a", "b"] {
            world.node(node);
        }
        world.class("slow", false);
        world.class("late", true);
        world
    }

    #[test]
    fn missing_lost_and_deleted_claims_reject_the_pod_everywhere() {
        let mut world = world();
        world.nodes[0].unschedulable = true;
        let pod = world.pod_with_claims("p", None, &["data"]);
        assert_eq!(world.feasibility(pod), ["ClaimMissing"; 2]);
        let claim = world.bound("data", "pv");
        assert_eq!(world.feasibility(pod), ["NodeUnschedulable", ""]);
        world.persistent_volume_claims[claim].phase = world.s("Lost");
        assert_eq!(world.feasibility(pod), ["ClaimMissing"; 2]);
        world.persistent_volume_claims[claim].phase = world.s("Bound");
        world.persistent_volume_claims[claim].meta.deleted = Some(Time::default());
        assert_eq!(world.feasibility(pod), ["ClaimMissing"; 2]);
        world.persistent_volume_claims[claim].meta.deleted = None;
        world.persistent_volumes.clear();
        assert_eq!(world.feasibility(pod), ["ClaimMissing"; 2]);
    }

    #[test]
    fn an_unbound_claim_waits_only_if_its_class_says_so_and_it_names_no_volume() {
        let mut world = world();
        let pod = world.pod_with_claims("p", None, &["data"]);
        let claim = world.claim("data", "slow", 1);
        assert_eq!(world.feasibility(pod), ["ClaimUnbound"; 2]);
        for (class, code) in
            [(None, "ClaimUnbound"), (Some("?"), "ClaimUnbound"), (Some("late"), "")]
        {
            world.persistent_volume_claims[claim].class = class.map(|class| world.s(class));
            assert_eq!(world.feasibility(pod), [code; 2]);
        }
        world.persistent_volume_claims[claim].volume = world.s("pv");
        assert_eq!(world.feasibility(pod), ["ClaimUnbound"; 2]);
    }

    #[test]
    fn a_claim_for_one_pod_is_closed_while_a_pod_on_any_node_uses_it() {
        let mut world = world();
        let claim = world.bound("data", "pv");
        let first = world.pod_with_claims("first", Some(0), &["data"]);
        let second = world.pod_with_claims("second", None, &["data"]);
        let elsewhere = world.pod_with_claims("other/third", Some(0), &["data"]);
        assert_eq!(world.feasibility(second), ["", ""]);
        world.persistent_volume_claims[claim].access_modes.read_write_once_pod = true;
        assert_eq!(world.feasibility(second), ["VolumeInUse"; 2]);
        assert_eq!(world.feasibility(first), ["", ""]);
        assert_eq!(world.feasibility(elsewhere), ["ClaimMissing"; 2]);
        let mut checker = Checker::new(&world);
        checker.evict(first);
        checker.place(second, 1).unwrap();
        assert_eq!(world.codes(&checker, first), ["VolumeInUse"; 2]);
    }

    #[test]
    fn claims_of_ephemeral_volumes_are_not_closed() {
        let mut world = world();
        let claim = world.bound("data", "pv");
        world.persistent_volume_claims[claim].access_modes.read_write_once_pod = true;
        let owner = world.pod_with_claims("first", Some(0), &["data"]);
        let other = world.pod_with_claims("second", None, &["data"]);
        let third = world.pod_with_claims("third", Some(0), &["data"]);
        world.make_ephemeral(claim, owner);
        assert_eq!(world.feasibility(owner), ["", ""]);
        assert_eq!(world.feasibility(other), ["VolumeInUse"; 2], "the third uses it by name");
        world.pods.remove(third);
        assert_eq!(world.feasibility(other), ["", ""]);
    }

    #[test]
    fn a_missing_volume_of_an_ephemeral_volume_is_found_out_last() {
        let mut world = world();
        world.nodes[0].unschedulable = true;
        let claim = world.bound("data", "pv");
        world.persistent_volumes.clear();
        let pod = world.pod_with_claims("p", None, &["data"]);
        world.make_ephemeral(claim, pod);
        assert_eq!(world.feasibility(pod), ["NodeUnschedulable", "ClaimMissing"]);
    }
}
