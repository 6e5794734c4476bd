//! How many volumes each CSI driver can attach to a node.
//!
//! Distinct volumes count once, whether of the node's pods or only attached. A volume of the pod that another pod there uses
//! does not count anew; one that is merely attached does. A claim without a volume counts by its class's provisioner.

use std::collections::{BTreeMap, BTreeSet};

use restow_model::{CsiNode, PersistentVolumeClaim};

use super::{Checker, Violation, claims};

/// A driver with its name for a volume, or with the claim that has none yet.
type Attached = (String, String);

pub(super) fn check(checker: &Checker, pod: usize, node: usize) -> Result<(), Violation> {
    let name = checker.node(node).meta.name;
    let Some(csi) = checker.cluster.csi_nodes.iter().find(|csi| csi.meta.name == name) else {
        return Ok(());
    };
    let mut used: BTreeSet<Attached> = BTreeSet::new();
    for other in checker.others_on(node, pod) {
        used.extend(of_pod(checker, other));
    }
    let new: BTreeSet<Attached> =
        of_pod(checker, pod).filter(|volume| !used.contains(volume)).collect();
    let mut there = used;
    there.extend(attached(checker, csi));

    for (driver, limit) in limits(checker, csi) {
        let count = |volumes: &BTreeSet<Attached>| {
            volumes.iter().filter(|volume| volume.0 == driver).count()
        };
        let (attached, new) = (count(&there), count(&new));
        if new > 0 && (attached + new) as i64 > limit {
            return Err(Violation::VolumeLimit { driver, attached, new, limit });
        }
    }
    Ok(())
}

fn limits(checker: &Checker, csi: &CsiNode) -> BTreeMap<String, i64> {
    let text = |name| checker.strings().text(name).to_owned();
    csi.drivers.iter().filter_map(|driver| Some((text(driver.name), driver.limit?))).collect()
}

/// The volumes of a pod that a driver attaches. Inline CSI volumes are not counted by the scheduler.
fn of_pod(checker: &Checker, pod: usize) -> impl Iterator<Item = Attached> {
    claims::of_pod(checker, pod).filter_map(|claim| of_claim(checker, claim))
}

fn of_claim(checker: &Checker, claim: &PersistentVolumeClaim) -> Option<Attached> {
    let text = |name| checker.strings().text(name);
    if let Some(volume) = claims::volume(checker, claim.volume) {
        let counts = !volume.driver.is_empty() && !volume.handle.is_empty();
        return counts.then(|| (text(volume.driver).to_owned(), text(volume.handle).to_owned()));
    }
    let driver = text(claims::class(checker, claim)?.provisioner);
    // No handle contains a newline, so that this is not the name of a volume.
    let unnamed = format!("\n{}/{}", text(claim.meta.namespace), text(claim.meta.name));
    Some((successor(driver).to_owned(), unnamed))
}

/// Drivers that moved out of Kubernetes count as the drivers that took over.
fn successor(provisioner: &str) -> &str {
    match provisioner {
        "kubernetes.io/aws-ebs" => "ebs.csi.aws.com",
        "kubernetes.io/gce-pd" => "pd.csi.storage.gke.io",
        "kubernetes.io/azure-disk" => "disk.csi.azure.com",
        "kubernetes.io/cinder" => "cinder.csi.openstack.org",
        "kubernetes.io/portworx-volume" => "pxd.portworx.com",
        other => other,
    }
}

/// What is attached to the node, or is about to be, whoever asked for it.
fn attached(checker: &Checker, csi: &CsiNode) -> impl Iterator<Item = Attached> {
    let text = |name| checker.strings().text(name).to_owned();
    let here =
        checker.cluster.volume_attachments.iter().filter(|attachment| {
            attachment.node == csi.meta.name && !attachment.attacher.is_empty()
        });
    here.filter_map(move |attachment| {
        let volume = claims::volume(checker, attachment.volume)?;
        (!volume.driver.is_empty()).then(|| (text(attachment.attacher), text(volume.handle)))
    })
}

#[cfg(test)]
mod tests {
    use crate::checker::testing::World;
    use restow_model::{CsiDriver, CsiNode, Meta, VolumeAttachment};

    /// Node `a` can attach two volumes by the driver of volumes `pv1` to `pv3`, node `b` any number.
    fn world() -> World {
        let mut world = World::default();
        for node in ["a", "b"] {
            world.node(node);
        }
        for n in 1..=3 {
            world.bound(&format!("c{n}"), &format!("pv{n}"));
            let (driver, handle) = (world.s("disk"), world.s(&format!("h{n}")));
            world.persistent_volumes[n - 1].driver = driver;
            world.persistent_volumes[n - 1].handle = handle;
        }
        let driver = CsiDriver { name: world.s("disk"), limit: Some(2), topology_keys: Vec::new() };
        let meta = Meta { name: world.s("a"), ..Meta::default() };
        world.csi_nodes.push(CsiNode { meta, drivers: vec![driver] });
        world
    }

    fn attach(world: &mut World, volume: &str) {
        let [attacher, node, volume] = ["disk", "a", volume].map(|text| world.s(text));
        let attachment = VolumeAttachment { attacher, node, volume, ..VolumeAttachment::default() };
        world.volume_attachments.push(attachment);
    }

    const NO: &str = "VolumeLimit";

    #[test]
    fn distinct_volumes_count_once() {
        let mut world = world();
        world.pod_with_claims("one", Some(0), &["c1"]);
        world.pod_with_claims("two", Some(0), &["c1"]);
        let again = world.pod_with_claims("again", None, &["c1", "c2"]);
        let more = world.pod_with_claims("more", None, &["c2", "c3"]);
        assert_eq!(world.feasibility(again), ["", ""]);
        assert_eq!(world.feasibility(more), [NO, ""]);
    }

    #[test]
    fn a_pod_without_new_volumes_fits_a_node_beyond_its_limit() {
        let mut world = world();
        world.pod_with_claims("full", Some(0), &["c1", "c2", "c3"]);
        let pod = world.pod_with_claims("p", None, &["c1"]);
        let none = world.pod_with_claims("none", None, &[]);
        assert_eq!(world.feasibility(pod), ["", ""]);
        assert_eq!(world.feasibility(none), ["", ""]);
    }

    #[test]
    fn attached_volumes_count_unless_a_pod_there_uses_them() {
        let mut world = world();
        attach(&mut world, "pv1");
        let pod = world.pod_with_claims("p", None, &["c2"]);
        let both = world.pod_with_claims("both", None, &["c1", "c2"]);
        assert_eq!(world.feasibility(pod), ["", ""]);
        assert_eq!(world.feasibility(both), [NO, ""], "attached and coming: counted twice");
        world.pod_with_claims("user", Some(0), &["c1"]);
        assert_eq!(world.feasibility(both), ["", ""]);
    }

    #[test]
    fn a_claim_without_volume_counts_by_its_provisioner() {
        let mut world = world();
        let class = world.class("late", true);
        world.storage_classes[class].provisioner = world.s("disk");
        world.claim("new1", "late", 1);
        world.claim("new2", "late", 1);
        world.pod_with_claims("one", Some(0), &["c1"]);
        let one = world.pod_with_claims("p", None, &["new1"]);
        let two = world.pod_with_claims("q", None, &["new1", "new2"]);
        assert_eq!(world.feasibility(one), ["", ""]);
        assert_eq!(world.feasibility(two), [NO, ""]);
    }

    #[test]
    fn volumes_without_driver_or_handle_do_not_count() {
        let mut world = world();
        world.csi_nodes[0].drivers[0].limit = Some(0);
        let pod = world.pod_with_claims("p", None, &["c1"]);
        assert_eq!(world.feasibility(pod), [NO, ""]);
        world.persistent_volumes[0].handle = world.s("");
        assert_eq!(world.feasibility(pod), ["", ""]);
    }

    #[test]
    fn a_class_of_a_driver_that_moved_counts_for_its_successor() {
        let mut world = world();
        let class = world.class("gp2", true);
        world.storage_classes[class].provisioner = world.s("kubernetes.io/aws-ebs");
        world.claim("new", "gp2", 1);
        world.csi_nodes[0].drivers[0].name = world.s("ebs.csi.aws.com");
        world.csi_nodes[0].drivers[0].limit = Some(0);
        let pod = world.pod_with_claims("p", None, &["new"]);
        assert_eq!(world.feasibility(pod), [NO, ""]);
    }
}
