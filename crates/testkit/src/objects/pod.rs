//! Pods: names, metadata, and how the parts go together.

use super::{Draw, managed};
use crate::emit::Emitter;
use crate::plan::workloads::{Owner, Workload};
use crate::plan::{Cluster, Fate, NOWHERE, fate};
use crate::rng::mix;
use crate::text::{self, NOW};

/// One pod with what its parts are made of.
pub(super) struct PodView<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) index: u32,
    pub(super) workload: &'a Workload,
    pub(super) workload_index: u32,
    pub(super) replica: u32,
    /// Its node, if it has one.
    pub(super) node: Option<u32>,
    pub(super) fate: Fate,
    /// Seconds since 1970.
    pub(super) created: i64,
    /// Chance of this pod.
    pub(super) bits: u64,
    /// Chance of its template, the same for all pods of the workload.
    pub(super) template: u64,
    pub(super) address: String,
}

impl Cluster {
    /// The ten characters of a Deployment's current ReplicaSet.
    pub(super) fn template_hash(&self, workload: u32, old: bool) -> String {
        let bits = self.bits(Draw::ReplicaSet, workload);
        let length = if bits.is_multiple_of(4) { 9 } else { 10 };
        text::ending(if old { mix(bits, 1, 1) } else { bits }, length)
    }

    /// The name of a pod.
    pub fn pod_name(&self, pod: u32) -> String {
        let (number, replica) = self.workload_of(pod);
        let workload = &self.workloads[number as usize];
        let name = &workload.name;
        // A step that is no multiple of three goes round all 27^5 endings, so no two are equal.
        let place = self.bits(Draw::Workload, number) % 14_348_907 + u64::from(replica) * 5_113_001;
        let ending = || text::ending(place % 14_348_907, 5);
        match workload.owner {
            Owner::Deployment => {
                format!("{name}-{}-{}", self.template_hash(number, false), ending())
            }
            Owner::StatefulSet => format!("{name}-{replica}"),
            Owner::DaemonSet | Owner::Job => format!("{name}-{}", ending()),
            Owner::Nobody => format!("{name}-debug"),
            Owner::Node => format!("{name}-{}", self.node_name(self.places[pod as usize])),
        }
    }

    /// The namespace of a pod.
    pub fn pod_namespace(&self, pod: u32) -> &str {
        let (number, _) = self.workload_of(pod);
        &self.namespaces[self.workloads[number as usize].namespace]
    }

    /// The node of a pod, by its index; `None` while the pod is pending.
    pub fn pod_node(&self, pod: u32) -> Option<u32> {
        let place = self.places[pod as usize];
        (place != NOWHERE).then_some(place)
    }

    pub(super) fn pod(&self, index: u32, e: &mut Emitter) {
        let (workload_index, replica) = self.workload_of(index);
        let workload = &self.workloads[workload_index as usize];
        let node = self.pod_node(index);
        let bits = self.bits(Draw::Pod, index);
        let created = match node {
            None => NOW - 20 - (bits % 900) as i64,
            Some(node) => {
                let oldest = self.nodes[node as usize].created + 60;
                let newest = (NOW - 10).max(oldest);
                oldest + (bits >> 8) as i64 % (newest - oldest + 1).min(10 * 86_400)
            }
        };
        let pod = PodView {
            cluster: self,
            index,
            workload,
            workload_index,
            replica,
            node,
            fate: if node.is_some() {
                fate(self.seed, workload.owner, index)
            } else {
                Fate::Running
            },
            created,
            bits,
            template: self.bits(Draw::Template, workload_index),
            address: text::address(bits >> 20),
        };
        e.object("metadata", |e| pod.metadata(e));
        e.object("spec", |e| pod.spec(e));
        e.object("status", |e| pod.status(e));
    }
}

impl PodView<'_> {
    pub(super) fn is_daemon(&self) -> bool {
        matches!(self.workload.owner, Owner::DaemonSet | Owner::Node)
    }

    fn metadata(&self, e: &mut Emitter) {
        let cluster = self.cluster;
        let uid = cluster.uid(Draw::Pod, self.index);
        e.object("annotations", |e| self.annotations(e));
        e.text("creationTimestamp", text::time(self.created));
        if self.bits % 1000 < 3 && !self.is_daemon() && self.node.is_some() {
            e.number("deletionGracePeriodSeconds", 30);
            e.text("deletionTimestamp", text::time(NOW + 20));
        }
        if let Some(prefix) = self.generate_name() {
            e.text("generateName", prefix);
        }
        e.number("generation", 1);
        e.object("labels", |e| self.labels(e));
        e.list("managedFields", |e| {
            managed::entry(
                e,
                &managed::Entry {
                    manager: "kube-controller-manager",
                    time: &text::time(self.created),
                    subresource: None,
                    version: "v1",
                    fields: managed::POD_SPEC,
                    name: "app",
                    uid: &self.cluster.uid(Draw::Workload, self.workload_index),
                },
            );
            managed::entry(
                e,
                &managed::Entry {
                    manager: "kubelet",
                    time: &text::time(self.created + 12),
                    subresource: Some("status"),
                    version: "v1",
                    fields: managed::POD_STATUS,
                    name: &self.address,
                    uid: "",
                },
            );
        });
        e.text("name", cluster.pod_name(self.index));
        e.text("namespace", &cluster.namespaces[self.workload.namespace]);
        self.owner(e);
        e.text("resourceVersion", cluster.version(Draw::Pod, self.index));
        e.text("uid", uid);
    }

    fn generate_name(&self) -> Option<String> {
        let name = &self.workload.name;
        match self.workload.owner {
            Owner::Deployment => {
                let hash = self.cluster.template_hash(self.workload_index, false);
                Some(format!("{name}-{hash}-"))
            }
            Owner::Nobody | Owner::Node => None,
            Owner::StatefulSet | Owner::DaemonSet | Owner::Job => Some(format!("{name}-")),
        }
    }

    fn annotations(&self, e: &mut Emitter) {
        let dice = (self.bits >> 12) % 1000;
        if dice < 10 && !self.is_daemon() {
            e.text(
                "controller.kubernetes.io/pod-deletion-cost",
                (dice as i64 * 100 - 500).to_string(),
            );
        }
        if (10..20).contains(&dice) && !self.is_daemon() {
            e.text("karpenter.sh/do-not-disrupt", if dice < 13 { "4h" } else { "true" });
        }
        if self.workload.owner == Owner::Node {
            let digest = &text::digest(self.template)[..32];
            e.text("kubernetes.io/config.hash", digest);
            e.text("kubernetes.io/config.mirror", digest);
            e.text("kubernetes.io/config.source", "file");
        }
        if self.workload.owner == Owner::Deployment && self.template % 10 < 3 {
            e.text("kubectl.kubernetes.io/restartedAt", text::time(NOW - 11 * 86_400));
        }
        e.text("prometheus.io/port", "9090");
        e.text("prometheus.io/scrape", "true");
    }

    fn labels(&self, e: &mut Emitter) {
        let name = self.workload.name.as_str();
        let namespace = self.cluster.namespaces[self.workload.namespace].as_str();
        let revision = || text::ending(self.template, 10);
        e.text(
            "app.kubernetes.io/component",
            ["server", "worker", "store"][(self.template % 3) as usize],
        );
        e.text("app.kubernetes.io/name", name);
        e.text("app.kubernetes.io/part-of", namespace);
        match self.workload.owner {
            Owner::Deployment => {
                let hash = self.cluster.template_hash(self.workload_index, false);
                e.text("pod-template-hash", hash);
            }
            Owner::StatefulSet => {
                e.text("apps.kubernetes.io/pod-index", self.replica.to_string());
                e.text("controller-revision-hash", format!("{name}-{}", revision()));
                let pod = self.cluster.pod_name(self.index);
                e.text("statefulset.kubernetes.io/pod-name", pod);
            }
            Owner::DaemonSet => {
                e.text("controller-revision-hash", revision());
                e.text("pod-template-generation", "3");
            }
            Owner::Job => {
                let uid = self.cluster.uid(Draw::Workload, self.workload_index);
                e.text("batch.kubernetes.io/controller-uid", uid);
                e.text("batch.kubernetes.io/job-name", name);
            }
            Owner::Nobody | Owner::Node => {}
        }
        e.text("version", format!("v{}.{}", 1 + self.template % 5, self.template % 31));
    }

    fn owner(&self, e: &mut Emitter) {
        let cluster = self.cluster;
        let name = &self.workload.name;
        let uid = || cluster.uid(Draw::Workload, self.workload_index);
        let (version, kind, name, uid) = match self.workload.owner {
            Owner::Deployment => {
                let hash = cluster.template_hash(self.workload_index, false);
                let uid = cluster.uid(Draw::ReplicaSet, self.workload_index * 2);
                ("apps/v1", "ReplicaSet", format!("{name}-{hash}"), uid)
            }
            Owner::StatefulSet => ("apps/v1", "StatefulSet", name.clone(), uid()),
            Owner::DaemonSet => ("apps/v1", "DaemonSet", name.clone(), uid()),
            Owner::Job => ("batch/v1", "Job", name.clone(), uid()),
            Owner::Node => {
                let node = self.node.unwrap_or_default();
                ("v1", "Node", cluster.node_name(node), cluster.uid(Draw::Node, node))
            }
            Owner::Nobody => return,
        };
        e.list("ownerReferences", |e| {
            e.item(|e| {
                e.text("apiVersion", version);
                if kind != "Node" {
                    e.flag("blockOwnerDeletion", true);
                }
                e.flag("controller", true);
                e.text("kind", kind);
                e.text("name", name);
                e.text("uid", uid);
            });
        });
    }
}
