//! Objects by name: each is kept once, the newest version of it.

use std::hash::BuildHasherDefault;

use hashbrown::hash_map::Entry;
use restow_model::{
    CapacityBuffer, CsiNode, Namespace, Node, NodeClaim, NodeOverlay, NodePool, PersistentVolume,
    PersistentVolumeClaim, Pod, PodDisruptionBudget, PriorityClass, ResourceClaim, Service,
    Snapshot, StorageClass, Str, Time, VolumeAttachment, Workload, WorkloadKind,
};

use crate::convert::Parts;
use crate::kind::Kind;

type Index = hashbrown::HashMap<(Str, Str), Row, BuildHasherDefault<rustc_hash::FxHasher>>;

#[derive(Clone, Copy)]
struct Row {
    at: u32,
    /// The object's `resourceVersion`; 0 where it has none.
    version: u64,
}

/// What became of an object that was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// It is new.
    New,
    /// It took the place of an older version.
    Replaced,
    /// A newer version, or the same one, was there.
    Known,
    /// It was there and nothing says which is newer.
    Conflict,
}

/// Objects of one kind.
#[derive(Clone)]
pub(crate) struct Objects<T> {
    rows: Vec<T>,
    keys: Vec<(Str, Str)>,
    index: Index,
}

impl<T> Default for Objects<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), keys: Vec::new(), index: Index::default() }
    }
}

impl<T> Objects<T> {
    fn of(rows: Vec<T>, key: impl Fn(&T) -> (Str, Str)) -> Self {
        let keys: Vec<(Str, Str)> = rows.iter().map(key).collect();
        let numbered = keys.iter().enumerate();
        let index = numbered.map(|(at, key)| (*key, Row { at: at as u32, version: 0 })).collect();
        Self { rows, keys, index }
    }

    pub(crate) fn add(&mut self, key: (Str, Str), object: T, version: u64) -> Added {
        let at = self.rows.len() as u32;
        match self.index.entry(key) {
            Entry::Vacant(slot) => {
                slot.insert(Row { at, version });
                self.rows.push(object);
                self.keys.push(key);
                Added::New
            }
            Entry::Occupied(mut slot) => {
                let row = slot.get_mut();
                if version == 0 || row.version == 0 {
                    return Added::Conflict;
                }
                if version <= row.version {
                    return Added::Known;
                }
                row.version = version;
                self.rows[row.at as usize] = object;
                Added::Replaced
            }
        }
    }

    pub(crate) fn remove(&mut self, key: (Str, Str)) {
        let Some(row) = self.index.remove(&key) else { return };
        let at = row.at as usize;
        self.rows.swap_remove(at);
        self.keys.swap_remove(at);
        if let Some(moved) = self.keys.get(at).and_then(|key| self.index.get_mut(key)) {
            moved.at = row.at;
        }
    }

    fn clear(&mut self) {
        *self = Self::default();
    }

    /// The objects alone: the index is dropped before the snapshot is put in order, which needs room of its own.
    fn into_rows(self) -> Vec<T> {
        self.rows
    }
}

/// Everything that was read.
#[derive(Clone, Default)]
pub(crate) struct Store {
    pub(crate) parts: Parts,
    pub(crate) nodes: Objects<Node>,
    pub(crate) pods: Objects<Pod>,
    pub(crate) node_pools: Objects<NodePool>,
    pub(crate) node_claims: Objects<NodeClaim>,
    pub(crate) node_overlays: Objects<NodeOverlay>,
    pub(crate) pod_disruption_budgets: Objects<PodDisruptionBudget>,
    pub(crate) workloads: [Objects<Workload>; 8],
    pub(crate) services: Objects<Service>,
    pub(crate) namespaces: Objects<Namespace>,
    pub(crate) priority_classes: Objects<PriorityClass>,
    pub(crate) persistent_volumes: Objects<PersistentVolume>,
    pub(crate) persistent_volume_claims: Objects<PersistentVolumeClaim>,
    pub(crate) storage_classes: Objects<StorageClass>,
    pub(crate) csi_nodes: Objects<CsiNode>,
    pub(crate) volume_attachments: Objects<VolumeAttachment>,
    pub(crate) capacity_buffers: Objects<CapacityBuffer>,
    pub(crate) resource_claims: Objects<ResourceClaim>,
}

/// The controller kinds among the kinds.
pub(crate) fn workload_kind(kind: Kind) -> Option<WorkloadKind> {
    Some(match kind {
        Kind::DaemonSet => WorkloadKind::DaemonSet,
        Kind::Deployment => WorkloadKind::Deployment,
        Kind::ReplicaSet => WorkloadKind::ReplicaSet,
        Kind::ReplicationController => WorkloadKind::ReplicationController,
        Kind::StatefulSet => WorkloadKind::StatefulSet,
        Kind::Job => WorkloadKind::Job,
        Kind::CronJob => WorkloadKind::CronJob,
        Kind::PodTemplate => WorkloadKind::PodTemplate,
        _ => return None,
    })
}

/// Does the same to the objects of one kind, whatever their type.
macro_rules! with_kind {
    ($store:expr, $kind:expr, $objects:ident => $do:expr) => {{
        let store = $store;
        match $kind {
            Kind::Node => {
                let $objects = &mut store.nodes;
                $do
            }
            Kind::Pod => {
                let $objects = &mut store.pods;
                $do
            }
            Kind::NodePool => {
                let $objects = &mut store.node_pools;
                $do
            }
            Kind::NodeClaim => {
                let $objects = &mut store.node_claims;
                $do
            }
            Kind::NodeOverlay => {
                let $objects = &mut store.node_overlays;
                $do
            }
            Kind::PodDisruptionBudget => {
                let $objects = &mut store.pod_disruption_budgets;
                $do
            }
            Kind::Service => {
                let $objects = &mut store.services;
                $do
            }
            Kind::Namespace => {
                let $objects = &mut store.namespaces;
                $do
            }
            Kind::PriorityClass => {
                let $objects = &mut store.priority_classes;
                $do
            }
            Kind::PersistentVolume => {
                let $objects = &mut store.persistent_volumes;
                $do
            }
            Kind::PersistentVolumeClaim => {
                let $objects = &mut store.persistent_volume_claims;
                $do
            }
            Kind::StorageClass => {
                let $objects = &mut store.storage_classes;
                $do
            }
            Kind::CsiNode => {
                let $objects = &mut store.csi_nodes;
                $do
            }
            Kind::VolumeAttachment => {
                let $objects = &mut store.volume_attachments;
                $do
            }
            Kind::CapacityBuffer => {
                let $objects = &mut store.capacity_buffers;
                $do
            }
            Kind::ResourceClaim => {
                let $objects = &mut store.resource_claims;
                $do
            }
            Kind::DaemonSet
            | Kind::Deployment
            | Kind::ReplicaSet
            | Kind::ReplicationController
            | Kind::StatefulSet
            | Kind::Job
            | Kind::CronJob
            | Kind::PodTemplate => {
                let at = workload_kind($kind).map_or(0, |kind| kind as usize);
                let $objects = &mut store.workloads[at];
                $do
            }
        }
    }};
}

impl Store {
    /// Drops the object of that name.
    pub(crate) fn remove(&mut self, kind: Kind, namespace: &str, name: &str) {
        let key = (self.parts.strings.intern(namespace), self.parts.strings.intern(name));
        with_kind!(self, kind, objects => objects.remove(key));
    }

    /// Drops all objects of a kind.
    pub(crate) fn forget(&mut self, kind: Kind) {
        with_kind!(self, kind, objects => objects.clear());
    }

    /// How many objects of a kind there are.
    pub(crate) fn count(&mut self, kind: Kind) -> usize {
        with_kind!(self, kind, objects => objects.rows.len())
    }

    /// The snapshot of all of it at `time`.
    pub(crate) fn into_snapshot(self, time: Time) -> Snapshot {
        let mut snapshot = self.into_raw(time);
        snapshot.canonicalize();
        snapshot
    }

    /// The same as it is: names are numbered as they came, and so are objects.
    pub(crate) fn into_raw(self, time: Time) -> Snapshot {
        Snapshot {
            time,
            strings: self.parts.strings,
            labels: self.parts.labels,
            owners: self.parts.owners,
            shapes: self.parts.shapes,
            volumes: self.parts.volumes,
            nodes: self.nodes.into_rows(),
            pods: self.pods.into_rows(),
            node_pools: self.node_pools.into_rows(),
            node_claims: self.node_claims.into_rows(),
            node_overlays: self.node_overlays.into_rows(),
            workloads: self.workloads.into_iter().flat_map(Objects::into_rows).collect(),
            pod_disruption_budgets: self.pod_disruption_budgets.into_rows(),
            services: self.services.into_rows(),
            namespaces: self.namespaces.into_rows(),
            priority_classes: self.priority_classes.into_rows(),
            persistent_volumes: self.persistent_volumes.into_rows(),
            persistent_volume_claims: self.persistent_volume_claims.into_rows(),
            storage_classes: self.storage_classes.into_rows(),
            csi_nodes: self.csi_nodes.into_rows(),
            volume_attachments: self.volume_attachments.into_rows(),
            capacity_buffers: self.capacity_buffers.into_rows(),
            resource_claims: self.resource_claims.into_rows(),
        }
    }

    /// What a snapshot holds. Versions are not known: what comes next counts.
    pub(crate) fn of_snapshot(snapshot: Snapshot) -> Self {
        let mut workloads: [Objects<Workload>; 8] = Default::default();
        for own in snapshot.workloads {
            workloads[own.kind as usize].add((own.meta.namespace, own.meta.name), own, 0);
        }
        let parts = Parts {
            strings: snapshot.strings,
            labels: snapshot.labels,
            owners: snapshot.owners,
            shapes: snapshot.shapes,
            volumes: snapshot.volumes,
        };
        let key = |meta: &restow_model::Meta| (meta.namespace, meta.name);
        Self {
            parts,
            nodes: Objects::of(snapshot.nodes, |own| key(&own.meta)),
            pods: Objects::of(snapshot.pods, |own| (own.namespace, own.name)),
            node_pools: Objects::of(snapshot.node_pools, |own| key(&own.meta)),
            node_claims: Objects::of(snapshot.node_claims, |own| key(&own.meta)),
            node_overlays: Objects::of(snapshot.node_overlays, |own| key(&own.meta)),
            pod_disruption_budgets: Objects::of(snapshot.pod_disruption_budgets, |own| {
                key(&own.meta)
            }),
            workloads,
            services: Objects::of(snapshot.services, |own| key(&own.meta)),
            namespaces: Objects::of(snapshot.namespaces, |own| key(&own.meta)),
            priority_classes: Objects::of(snapshot.priority_classes, |own| key(&own.meta)),
            persistent_volumes: Objects::of(snapshot.persistent_volumes, |own| key(&own.meta)),
            persistent_volume_claims: Objects::of(snapshot.persistent_volume_claims, |own| {
                key(&own.meta)
            }),
            storage_classes: Objects::of(snapshot.storage_classes, |own| key(&own.meta)),
            csi_nodes: Objects::of(snapshot.csi_nodes, |own| key(&own.meta)),
            volume_attachments: Objects::of(snapshot.volume_attachments, |own| key(&own.meta)),
            capacity_buffers: Objects::of(snapshot.capacity_buffers, |own| key(&own.meta)),
            resource_claims: Objects::of(snapshot.resource_claims, |own| key(&own.meta)),
        }
    }

    /// A copy of what was read so far.
    pub(crate) fn snapshot(&self, time: Time) -> Snapshot {
        self.clone().into_snapshot(time)
    }
}
