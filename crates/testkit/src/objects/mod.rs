//! The text of every object of a [`Cluster`].

mod managed;
mod node;
mod pod;
mod pod_containers;
mod pod_spec;
mod pod_status;
mod pool;
mod storage;
mod workload;

use crate::emit::{Emitter, Style};
use crate::flavor::Flavor;
use crate::kinds::ObjectKind;
use crate::plan::Cluster;
use crate::plan::workloads::{Owner, Priority};
use crate::rng::mix;
use crate::text::{self, NOW};

/// How an object is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    /// With `apiVersion` and `kind`, as files and watches have it.
    Full,
    /// Without, as the items of an API server's lists.
    None,
}

/// What uids and other drawn attributes are for, so that no two objects share them.
#[derive(Clone, Copy)]
pub(crate) enum Draw {
    Node = 1,
    Claim,
    Pool,
    Pod,
    Workload,
    ReplicaSet,
    Budget,
    Volume,
    VolumeClaim,
    Other,
    Template,
}

impl Cluster {
    /// The JSON text of one object, as watches have it.
    pub fn object_json(&self, kind: ObjectKind, index: u32) -> String {
        let mut emit = Emitter::new(Style::Compact);
        self.write_object(kind, index, Header::Full, &mut emit);
        String::from_utf8_lossy(&emit.into_bytes()).into_owned()
    }

    /// How many objects of a kind there are.
    pub fn count(&self, kind: ObjectKind) -> u32 {
        let owned = |owner: Owner| self.owners[owner as usize].len();
        let karpenter = self.flavor == Flavor::Karpenter;
        let count = match kind {
            ObjectKind::Namespace => self.namespaces.len(),
            ObjectKind::PriorityClass => Priority::NAMED.len(),
            ObjectKind::StorageClass => 2,
            ObjectKind::NodePool if karpenter => self.pools.len(),
            ObjectKind::NodeClaim if karpenter => self.nodes.len(),
            ObjectKind::NodePool | ObjectKind::NodeClaim => 0,
            ObjectKind::CsiNode if self.flavor == Flavor::Plain => 0,
            ObjectKind::Node | ObjectKind::CsiNode => self.nodes.len(),
            ObjectKind::PersistentVolume | ObjectKind::PersistentVolumeClaim => self.claims.len(),
            ObjectKind::DaemonSet => owned(Owner::DaemonSet),
            ObjectKind::Deployment => owned(Owner::Deployment),
            ObjectKind::ReplicaSet => self.replica_sets.len(),
            ObjectKind::StatefulSet => owned(Owner::StatefulSet),
            ObjectKind::Job => owned(Owner::Job),
            ObjectKind::Service => self.services.len(),
            ObjectKind::PodDisruptionBudget => self.budgets.len(),
            ObjectKind::Pod => self.places.len(),
        };
        count as u32
    }

    /// Writes the `index`-th object of a kind as the emitter's next value.
    pub fn write_object(&self, kind: ObjectKind, index: u32, header: Header, emit: &mut Emitter) {
        emit.value(|e| {
            // Two kinds have keys of their own among the first, which kubectl sorts in.
            if kind == ObjectKind::StorageClass {
                e.flag("allowVolumeExpansion", true);
            }
            if header == Header::Full {
                e.text("apiVersion", kind.api_version());
            }
            if kind == ObjectKind::PriorityClass {
                e.text("description", "Used by pods that must, or need not, run first.");
            }
            if header == Header::Full {
                e.text("kind", kind.name());
            }
            let owned = |owner: Owner| self.owners[owner as usize][index as usize];
            match kind {
                ObjectKind::Namespace => self.namespace(index, e),
                ObjectKind::PriorityClass => self.priority_class(index, e),
                ObjectKind::StorageClass => self.storage_class(index, e),
                ObjectKind::NodePool => self.node_pool(index, e),
                ObjectKind::NodeClaim => self.node_claim(index, e),
                ObjectKind::Node => self.node(index, e),
                ObjectKind::CsiNode => self.csi_node(index, e),
                ObjectKind::PersistentVolume => self.volume(index, e),
                ObjectKind::PersistentVolumeClaim => self.volume_claim(index, e),
                ObjectKind::DaemonSet => self.daemon_set(owned(Owner::DaemonSet), e),
                ObjectKind::Deployment => self.deployment(owned(Owner::Deployment), e),
                ObjectKind::ReplicaSet => self.replica_set(index, e),
                ObjectKind::StatefulSet => self.stateful_set(owned(Owner::StatefulSet), e),
                ObjectKind::Job => self.job(owned(Owner::Job), e),
                ObjectKind::Service => self.service(index, e),
                ObjectKind::PodDisruptionBudget => self.budget(index, e),
                ObjectKind::Pod => self.pod(index, e),
            }
        });
    }

    pub(crate) fn uid(&self, of: Draw, index: u32) -> String {
        text::uid(self.seed, of as u64, u64::from(index))
    }

    pub(crate) fn bits(&self, of: Draw, index: u32) -> u64 {
        mix(self.seed, of as u64 + 100, u64::from(index))
    }

    /// A version as etcd counts it: any number, the same whenever it is asked for.
    pub(crate) fn version(&self, of: Draw, index: u32) -> String {
        (480_000_000 + self.bits(of, index) % 9_000_000).to_string()
    }

    fn namespace(&self, index: u32, e: &mut Emitter) {
        let name = &self.namespaces[index as usize];
        e.object("metadata", |e| {
            e.text("creationTimestamp", text::time(NOW - 400 * 86_400));
            e.object("labels", |e| e.text("kubernetes.io/metadata.name", name));
            e.text("name", name);
            e.text("resourceVersion", (300 + index).to_string());
            e.text("uid", self.uid(Draw::Other, index));
        });
        e.object("spec", |e| e.list("finalizers", |e| e.item_text("kubernetes")));
        e.object("status", |e| e.text("phase", "Active"));
    }

    #[expect(clippy::unused_self, reason = "one signature for all kinds")]
    fn priority_class(&self, index: u32, e: &mut Emitter) {
        let class = Priority::NAMED[index as usize];
        e.object("metadata", |e| {
            e.text("creationTimestamp", text::time(NOW - 400 * 86_400));
            e.number("generation", 1);
            e.text("name", class.name());
            e.text("resourceVersion", (60 + index).to_string());
            e.text("uid", text::uid(7, 7, u64::from(index)));
        });
        e.text("preemptionPolicy", "PreemptLowerPriority");
        e.number("value", class.value());
    }
}
