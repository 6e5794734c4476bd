//! Storage.

use serde::Deserialize;

use super::meta::Meta;
use super::pod::{NodeSelector, ResourceRequirements};
use super::text::{Quantities, Text, nullable};

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct PersistentVolume<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) spec: VolumeSpec<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) status: Phase<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Phase<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) phase: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct VolumeSpec<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) storage_class_name: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) capacity: Quantities<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) access_modes: Vec<Text<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) node_affinity: VolumeNodeAffinity<'a>,
    #[serde(borrow)]
    pub(crate) csi: Option<CsiVolume<'a>>,
    #[serde(borrow)]
    pub(crate) aws_elastic_block_store: Option<InTree<'a>>,
    #[serde(borrow)]
    pub(crate) gce_persistent_disk: Option<InTree<'a>>,
    #[serde(borrow)]
    pub(crate) azure_disk: Option<InTree<'a>>,
    pub(crate) local: Option<serde::de::IgnoredAny>,
    pub(crate) host_path: Option<serde::de::IgnoredAny>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) claim_ref: ClaimRef<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct VolumeNodeAffinity<'a> {
    #[serde(borrow)]
    pub(crate) required: Option<NodeSelector<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CsiVolume<'a> {
    #[serde(borrow)]
    pub(crate) driver: Text<'a>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) volume_handle: Text<'a>,
}

/// A disk of a driver that lived in Kubernetes once; each names it in its own field.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct InTree<'a> {
    #[serde(borrow, rename = "volumeID", deserialize_with = "nullable")]
    pub(crate) volume_id: Text<'a>,
    #[serde(borrow, rename = "pdName", deserialize_with = "nullable")]
    pub(crate) disk: Text<'a>,
    #[serde(borrow, rename = "diskName", deserialize_with = "nullable")]
    pub(crate) disk_name: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct ClaimRef<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) namespace: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) name: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct PersistentVolumeClaim<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) spec: ClaimSpec<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) status: Phase<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ClaimSpec<'a> {
    #[serde(borrow)]
    pub(crate) storage_class_name: Option<Text<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) volume_name: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) access_modes: Vec<Text<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) resources: ResourceRequirements<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct StorageClass<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) provisioner: Text<'a>,
    #[serde(borrow)]
    pub(crate) volume_binding_mode: Option<Text<'a>>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) allowed_topologies: Vec<TopologyTerm<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct TopologyTerm<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) match_label_expressions: Vec<KeyValues<'a>>,
}

#[derive(Deserialize)]
pub(crate) struct KeyValues<'a> {
    #[serde(borrow)]
    pub(crate) key: Text<'a>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) values: Vec<Text<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct CsiNode<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) spec: CsiNodeSpec<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct CsiNodeSpec<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) drivers: Vec<Driver<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Driver<'a> {
    #[serde(borrow)]
    pub(crate) name: Text<'a>,
    #[serde(borrow, default, deserialize_with = "nullable")]
    pub(crate) topology_keys: Vec<Text<'a>>,
    #[serde(default, deserialize_with = "nullable")]
    pub(crate) allocatable: Count,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Count {
    pub(crate) count: Option<i64>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct VolumeAttachment<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) metadata: Meta<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) spec: AttachmentSpec<'a>,
    #[serde(deserialize_with = "nullable")]
    pub(crate) status: AttachmentStatus,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AttachmentSpec<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) attacher: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) node_name: Text<'a>,
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) source: AttachmentSource<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AttachmentSource<'a> {
    #[serde(borrow, deserialize_with = "nullable")]
    pub(crate) persistent_volume_name: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct AttachmentStatus {
    #[serde(deserialize_with = "nullable")]
    pub(crate) attached: bool,
}
