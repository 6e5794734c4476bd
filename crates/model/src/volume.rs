//! Storage, as far as it decides where pods can run.

use serde::{Deserialize, Serialize};

use crate::each_str::{names_in, no_names};
use crate::{Meta, NodeTerm, Str};

/// How a volume may be mounted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "a set of four modes, each there or not")]
pub struct AccessModes {
    /// By one node, for writing.
    pub read_write_once: bool,
    /// By many, for reading.
    pub read_only_many: bool,
    /// By many, for writing.
    pub read_write_many: bool,
    /// By one pod.
    pub read_write_once_pod: bool,
}

no_names!(AccessModes);

/// A `PersistentVolume`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersistentVolume {
    /// Name, labels (zones among them) and times.
    pub meta: Meta,
    /// Its class.
    pub class: Str,
    /// Its size in bytes.
    pub size: i64,
    /// How it may be mounted.
    pub access_modes: AccessModes,
    /// Where it can be reached: one of the terms must hold; `None` asks for nothing.
    pub node_affinity: Option<Vec<NodeTerm>>,
    /// The driver that attaches it, or empty.
    pub driver: Str,
    /// The driver's name for it.
    pub handle: Str,
    /// Whether it is a disk of one node (`local`, `hostPath`).
    pub local: bool,
    /// Namespace and name of the claim that it is bound to, or empty.
    pub claim: (Str, Str),
    /// Available, Bound and so on.
    pub phase: Str,
}

names_in!(PersistentVolume {
    meta,
    class,
    size,
    access_modes,
    node_affinity,
    driver,
    handle,
    local,
    claim,
    phase,
});

/// A `PersistentVolumeClaim`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersistentVolumeClaim {
    /// Name, annotations and times.
    pub meta: Meta,
    /// Its class; `None` means the default one.
    pub class: Option<Str>,
    /// The volume it is bound to, or empty.
    pub volume: Str,
    /// How much it asks for, in bytes.
    pub size: i64,
    /// How it may be mounted.
    pub access_modes: AccessModes,
    /// Whether the binding is complete.
    pub bound: bool,
    /// The node that was chosen for a volume still to be made, or empty.
    pub selected_node: Str,
    /// Pending, Bound or Lost.
    pub phase: Str,
}

names_in!(PersistentVolumeClaim {
    meta,
    class,
    volume,
    size,
    access_modes,
    bound,
    selected_node,
    phase,
});

/// A `StorageClass`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StorageClass {
    /// Name and annotations.
    pub meta: Meta,
    /// Who makes its volumes.
    pub provisioner: Str,
    /// Whether a volume is made only when its pod is placed.
    pub waits_for_pod: bool,
    /// Where volumes can be made: one of the terms must hold; each term lists keys with their values.
    pub allowed_topologies: Vec<Vec<(Str, Vec<Str>)>>,
    /// Whether claims without a class get it.
    pub default: bool,
}

names_in!(StorageClass { meta, provisioner, waits_for_pod, allowed_topologies, default });

/// One driver of a `CSINode`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CsiDriver {
    /// Its name.
    pub name: Str,
    /// How many volumes it can attach; `None` where it does not say.
    pub limit: Option<i64>,
    /// The node's labels that say where it is.
    pub topology_keys: Vec<Str>,
}

names_in!(CsiDriver { name, limit, topology_keys });

/// A `CSINode`: what storage a node can attach.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CsiNode {
    /// The node's name.
    pub meta: Meta,
    /// Its drivers.
    pub drivers: Vec<CsiDriver>,
}

names_in!(CsiNode { meta, drivers });

/// A `VolumeAttachment`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VolumeAttachment {
    /// Name and times.
    pub meta: Meta,
    /// The driver.
    pub attacher: Str,
    /// The node.
    pub node: Str,
    /// The persistent volume, or empty.
    pub volume: Str,
    /// Whether it is attached.
    pub attached: bool,
}

names_in!(VolumeAttachment { meta, attacher, node, volume, attached });
