//! Storage.

use restow_model::{
    AccessModes, CsiDriver, CsiNode, PersistentVolume, PersistentVolumeClaim, Rounding,
    StorageClass, Str, VolumeAttachment,
};

use super::{At, Converted, Parts, each, one_of, quantity};
use crate::wire::text::{Quantities, Text};
use crate::wire::volume as wire;

impl Parts {
    pub(crate) fn persistent_volume(
        &mut self,
        volume: &wire::PersistentVolume<'_>,
    ) -> Converted<PersistentVolume> {
        let spec = &volume.spec;
        let (driver, handle) = self.driver(spec);
        Ok(PersistentVolume {
            meta: self.meta(&volume.metadata)?,
            class: self.str(&spec.storage_class_name),
            size: storage(&spec.capacity, Rounding::Down).at("capacity").at("spec")?,
            access_modes: access_modes(&spec.access_modes).at("accessModes").at("spec")?,
            node_affinity: spec
                .node_affinity
                .required
                .as_ref()
                .map(|selector| self.node_terms(selector))
                .transpose()
                .at("required")
                .at("nodeAffinity")
                .at("spec")?,
            driver,
            handle,
            local: spec.local.is_some() || spec.host_path.is_some(),
            claim: (self.str(&spec.claim_ref.namespace), self.str(&spec.claim_ref.name)),
            phase: self.str(&volume.status.phase),
        })
    }

    /// The driver and its name for the disk. Disks of drivers that moved out of Kubernetes count for their successors.
    fn driver(&mut self, spec: &wire::VolumeSpec<'_>) -> (Str, Str) {
        if let Some(csi) = &spec.csi {
            return (self.str(&csi.driver), self.str(&csi.volume_handle));
        }
        let in_tree = [
            (&spec.aws_elastic_block_store, "ebs.csi.aws.com"),
            (&spec.gce_persistent_disk, "pd.csi.storage.gke.io"),
            (&spec.azure_disk, "disk.csi.azure.com"),
        ];
        for (disk, driver) in in_tree {
            if let Some(disk) = disk {
                let names = [&disk.volume_id, &disk.disk, &disk.disk_name];
                let name = names.into_iter().find(|name| !name.is_empty());
                let handle = name.map_or(Str::EMPTY, |name| self.strings.intern(name));
                return (self.str(driver), handle);
            }
        }
        (Str::EMPTY, Str::EMPTY)
    }

    pub(crate) fn persistent_volume_claim(
        &mut self,
        claim: &wire::PersistentVolumeClaim<'_>,
    ) -> Converted<PersistentVolumeClaim> {
        let annotation = |key: &str| {
            claim
                .metadata
                .annotations
                .0
                .iter()
                .find(|(given, _)| &**given == key)
                .map(|(_, value)| value)
        };
        let selected = annotation("volume.kubernetes.io/selected-node");
        let old_class = annotation("volume.beta.kubernetes.io/storage-class");
        let spec = &claim.spec;
        Ok(PersistentVolumeClaim {
            meta: self.meta(&claim.metadata)?,
            class: old_class
                .or(spec.storage_class_name.as_ref())
                .map(|class| self.strings.intern(class)),
            volume: self.str(&spec.volume_name),
            size: storage(&spec.resources.requests, Rounding::Up)
                .at("requests")
                .at("resources")
                .at("spec")?,
            access_modes: access_modes(&spec.access_modes).at("accessModes").at("spec")?,
            bound: annotation("pv.kubernetes.io/bind-completed").is_some()
                && !spec.volume_name.is_empty(),
            selected_node: selected.map_or(Str::EMPTY, |node| self.strings.intern(node)),
            phase: self.str(&claim.status.phase),
        })
    }

    pub(crate) fn storage_class(
        &mut self,
        class: &wire::StorageClass<'_>,
    ) -> Converted<StorageClass> {
        let default = class.metadata.annotations.0.iter().any(|(key, value)| {
            &**key == "storageclass.kubernetes.io/is-default-class" && &**value == "true"
        });
        Ok(StorageClass {
            meta: self.meta(&class.metadata)?,
            provisioner: self.str(&class.provisioner),
            waits_for_pod: match class.volume_binding_mode.as_deref() {
                None | Some("" | "Immediate") => false,
                Some("WaitForFirstConsumer") => true,
                Some(other) => {
                    let known = "Immediate or WaitForFirstConsumer";
                    return Err(one_of(known, other).at("volumeBindingMode"));
                }
            },
            allowed_topologies: class
                .allowed_topologies
                .iter()
                .map(|term| {
                    term.match_label_expressions
                        .iter()
                        .map(|wanted| (self.str(&wanted.key), self.strs(&wanted.values)))
                        .collect()
                })
                .collect(),
            default,
        })
    }

    pub(crate) fn csi_node(&mut self, node: &wire::CsiNode<'_>) -> Converted<CsiNode> {
        Ok(CsiNode {
            meta: self.meta(&node.metadata)?,
            drivers: node
                .spec
                .drivers
                .iter()
                .map(|driver| CsiDriver {
                    name: self.str(&driver.name),
                    limit: driver.allocatable.count,
                    topology_keys: self.strs(&driver.topology_keys),
                })
                .collect(),
        })
    }

    pub(crate) fn volume_attachment(
        &mut self,
        attachment: &wire::VolumeAttachment<'_>,
    ) -> Converted<VolumeAttachment> {
        Ok(VolumeAttachment {
            meta: self.meta(&attachment.metadata)?,
            attacher: self.str(&attachment.spec.attacher),
            node: self.str(&attachment.spec.node_name),
            volume: self.str(&attachment.spec.source.persistent_volume_name),
            attached: attachment.status.attached,
        })
    }
}

fn storage(quantities: &Quantities<'_>, rounding: Rounding) -> Converted<i64> {
    let Some((name, amount)) = quantities.0.iter().find(|(name, _)| &**name == "storage") else {
        return Ok(0);
    };
    let amount = quantity(&amount.0).at(name)?;
    Ok(match rounding {
        Rounding::Up => amount.value_up(),
        Rounding::Down => amount.value_down(),
    })
}

fn access_modes(modes: &[Text<'_>]) -> Converted<AccessModes> {
    let mut result = AccessModes::default();
    each(modes, |mode| {
        match &**mode {
            "ReadWriteOnce" => result.read_write_once = true,
            "ReadOnlyMany" => result.read_only_many = true,
            "ReadWriteMany" => result.read_write_many = true,
            "ReadWriteOncePod" => result.read_write_once_pod = true,
            other => {
                let known = "ReadWriteOnce, ReadOnlyMany, ReadWriteMany or ReadWriteOncePod";
                return Err(one_of(known, other));
            }
        }
        Ok(())
    })?;
    Ok(result)
}
