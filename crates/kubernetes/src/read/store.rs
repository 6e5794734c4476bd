//! Objects by name: each is kept once, the newest version of it.

use restow_model::{
    CapacityBuffer, CsiNode, Namespace, Node, NodeClaim, NodeOverlay, NodePool, PersistentVolume,
    PersistentVolumeClaim, Pod, PodDisruptionBudget, PriorityClass, ResourceClaim, Service,
    Snapshot, StorageClass, Time, VolumeAttachment, Workload, WorkloadKind,
};

use super::matters::Tally;
use super::objects::{Objects, Version};
use crate::convert::Parts;
use crate::kind::Kind;

/// Everything that was read.
#[derive(Clone, Default)]
pub(crate) struct Store {
    pub(crate) parts: Parts,
    pub(crate) tally: Tally,
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
        match $kind {
            Kind::Node => {
                let $objects = &mut $store.nodes;
                $do
            }
            Kind::Pod => {
                let $objects = &mut $store.pods;
                $do
            }
            Kind::NodePool => {
                let $objects = &mut $store.node_pools;
                $do
            }
            Kind::NodeClaim => {
                let $objects = &mut $store.node_claims;
                $do
            }
            Kind::NodeOverlay => {
                let $objects = &mut $store.node_overlays;
                $do
            }
            Kind::PodDisruptionBudget => {
                let $objects = &mut $store.pod_disruption_budgets;
                $do
            }
            Kind::Service => {
                let $objects = &mut $store.services;
                $do
            }
            Kind::Namespace => {
                let $objects = &mut $store.namespaces;
                $do
            }
            Kind::PriorityClass => {
                let $objects = &mut $store.priority_classes;
                $do
            }
            Kind::PersistentVolume => {
                let $objects = &mut $store.persistent_volumes;
                $do
            }
            Kind::PersistentVolumeClaim => {
                let $objects = &mut $store.persistent_volume_claims;
                $do
            }
            Kind::StorageClass => {
                let $objects = &mut $store.storage_classes;
                $do
            }
            Kind::CsiNode => {
                let $objects = &mut $store.csi_nodes;
                $do
            }
            Kind::VolumeAttachment => {
                let $objects = &mut $store.volume_attachments;
                $do
            }
            Kind::CapacityBuffer => {
                let $objects = &mut $store.capacity_buffers;
                $do
            }
            Kind::ResourceClaim => {
                let $objects = &mut $store.resource_claims;
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
                let $objects = &mut $store.workloads[at];
                $do
            }
        }
    }};
}

impl Store {
    /// Drops the object of that name.
    pub(crate) fn remove(&mut self, kind: Kind, namespace: &str, name: &str) {
        let strings = &self.parts.strings;
        // What has no number was never there.
        let (Some(namespace), Some(name)) = (strings.get(namespace), strings.get(name)) else {
            return;
        };
        with_kind!(self, kind, objects => {
            objects.remove((namespace, name), &mut self.tally.of(&self.parts));
        });
    }

    /// Drops all objects of a kind.
    pub(crate) fn forget(&mut self, kind: Kind) {
        // A kind that the server does not have is looked for again and again.
        if self.count(kind) > 0 {
            self.tally.count_other();
        }
        with_kind!(self, kind, objects => objects.clear());
    }

    /// How many objects of a kind there are.
    pub(crate) fn count(&mut self, kind: Kind) -> usize {
        with_kind!(self, kind, objects => objects.rows().len())
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
            let (at, key) = (own.kind as usize, (own.meta.namespace, own.meta.name));
            let version = Version { number: 0, counts: true };
            workloads[at].add(key, own, version, &mut |_, _| {});
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
            tally: Tally::default(),
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

    /// Brings a copy of what [`Store::into_raw`] would give up to date. Without `known`, nothing of it is.
    pub(crate) fn refresh(&mut self, copy: &mut Snapshot, time: Time, known: bool) {
        let Parts { strings, labels, owners, shapes, volumes } = &self.parts;
        copy.time = time;
        if known {
            copy.strings.extend_from(strings);
            copy.labels.extend_from(labels);
            copy.owners.extend_from(owners);
            copy.shapes.extend_from(shapes);
            copy.volumes.extend_from(volumes);
        } else {
            copy.strings = strings.clone();
            copy.labels = labels.clone();
            copy.owners = owners.clone();
            copy.shapes = shapes.clone();
            copy.volumes = volumes.clone();
        }
        let mut workloads = false;
        for own in &mut self.workloads {
            workloads |= own.take_touched() || !known;
        }
        if workloads {
            copy.workloads.clear();
            copy.workloads.extend(self.workloads.iter().flat_map(Objects::rows).cloned());
        }
        macro_rules! refresh {
            ($($list:ident),+) => {
                $({
                    if !known {
                        self.$list.touch_all();
                    }
                    self.$list.refresh(&mut copy.$list);
                })+
            };
        }
        refresh!(
            nodes,
            pods,
            node_pools,
            node_claims,
            node_overlays,
            pod_disruption_budgets,
            services,
            namespaces,
            priority_classes,
            persistent_volumes,
            persistent_volume_claims,
            storage_classes,
            csi_nodes,
            volume_attachments,
            capacity_buffers,
            resource_claims
        );
    }
}
