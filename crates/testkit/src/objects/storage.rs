//! Volumes, their claims and classes, and which node may attach how many.

use super::Draw;
use crate::emit::Emitter;
use crate::flavor::Flavor;
use crate::plan::{Cluster, NOWHERE};
use crate::rng::mix;
use crate::text::{self, NOW};

impl Cluster {
    fn csi_driver(&self) -> &'static str {
        match self.flavor {
            Flavor::Karpenter | Flavor::Eks => "ebs.csi.aws.com",
            Flavor::Gke => "pd.csi.storage.gke.io",
            Flavor::Aks => "disk.csi.azure.com",
            Flavor::Plain => "csi.example.com",
        }
    }

    /// The name of a pod's volume claim.
    pub(crate) fn volume_claim_name(&self, pod: u32) -> String {
        format!("data-{}", self.pod_name(pod))
    }

    fn volume_name(&self, claim: u32) -> String {
        format!("pvc-{}", self.uid(Draw::VolumeClaim, claim))
    }

    /// The zone that a volume is in: that of its pod's node, else the first.
    fn volume_zone(&self, claim: u32) -> &'static str {
        let place = self.places[self.claims[claim as usize] as usize];
        let zone = if place == NOWHERE { 0 } else { self.nodes[place as usize].zone };
        self.flavor.zones().1.get(zone).map_or("", |zone| zone.0)
    }

    fn storage_request(&self, claim: u32) -> String {
        format!("{}Gi", [10, 20, 50, 100, 200][(mix(self.seed, 41, u64::from(claim)) % 5) as usize])
    }

    pub(super) fn storage_class(&self, index: u32, e: &mut Emitter) {
        let wait = index == 0;
        e.object("metadata", |e| {
            e.object("annotations", |e| {
                let default = if wait { "true" } else { "false" };
                e.text("storageclass.kubernetes.io/is-default-class", default);
            });
            e.text("creationTimestamp", text::time(NOW - 400 * 86_400));
            e.text("name", if wait { "gp3" } else { "gp2-immediate" });
            e.text("resourceVersion", (700 + index).to_string());
            e.text("uid", text::uid(self.seed, 42, u64::from(index)));
        });
        e.object("parameters", |e| e.text("type", "gp3"));
        e.text("provisioner", self.csi_driver());
        e.text("reclaimPolicy", "Delete");
        e.text("volumeBindingMode", if wait { "WaitForFirstConsumer" } else { "Immediate" });
    }

    pub(super) fn csi_node(&self, index: u32, e: &mut Emitter) {
        let name = self.node_name(index);
        e.object("metadata", |e| {
            e.text("creationTimestamp", text::time(self.nodes[index as usize].created + 31));
            e.text("name", &name);
            e.list("ownerReferences", |e| {
                e.item(|e| {
                    e.text("apiVersion", "v1");
                    e.text("kind", "Node");
                    e.text("name", &name);
                    e.text("uid", self.uid(Draw::Node, index));
                });
            });
            e.text("resourceVersion", self.version(Draw::Node, index));
            e.text("uid", text::uid(self.seed, 43, u64::from(index)));
        });
        e.object("spec", |e| {
            e.list("drivers", |e| {
                e.item(|e| {
                    e.object("allocatable", |e| e.number("count", 26));
                    e.text("name", self.csi_driver());
                    e.text("nodeID", &name);
                    e.list("topologyKeys", |e| {
                        e.item_text("kubernetes.io/os");
                        e.item_text("topology.kubernetes.io/zone");
                    });
                });
            });
        });
    }

    pub(super) fn volume(&self, index: u32, e: &mut Emitter) {
        let pod = self.claims[index as usize];
        let (workload, _) = self.workload_of(pod);
        let namespace = &self.namespaces[self.workloads[workload as usize].namespace];
        let zone = self.volume_zone(index);
        e.object("metadata", |e| {
            e.object("annotations", |e| {
                e.text("pv.kubernetes.io/provisioned-by", self.csi_driver());
            });
            e.text("creationTimestamp", text::time(NOW - 40 * 86_400));
            e.list("finalizers", |e| e.item_text("kubernetes.io/pv-protection"));
            e.text("name", self.volume_name(index));
            e.text("resourceVersion", self.version(Draw::Volume, index));
            e.text("uid", self.uid(Draw::Volume, index));
        });
        e.object("spec", |e| {
            e.list("accessModes", |e| e.item_text("ReadWriteOnce"));
            e.object("capacity", |e| e.text("storage", self.storage_request(index)));
            e.object("claimRef", |e| {
                e.text("apiVersion", "v1");
                e.text("kind", "PersistentVolumeClaim");
                e.text("name", self.volume_claim_name(pod));
                e.text("namespace", namespace);
                e.text("uid", self.uid(Draw::VolumeClaim, index));
            });
            e.object("csi", |e| {
                e.text("driver", self.csi_driver());
                e.text("fsType", "ext4");
                e.text("volumeHandle", format!("vol-0{:016x}", self.bits(Draw::Volume, index)));
            });
            if !zone.is_empty() {
                e.object("nodeAffinity", |e| {
                    e.object("required", |e| {
                        e.list("nodeSelectorTerms", |e| {
                            e.item(|e| {
                                e.list("matchExpressions", |e| {
                                    e.item(|e| {
                                        e.text("key", "topology.kubernetes.io/zone");
                                        e.text("operator", "In");
                                        e.list("values", |e| e.item_text(zone));
                                    });
                                });
                            });
                        });
                    });
                });
            }
            e.text("persistentVolumeReclaimPolicy", "Delete");
            e.text("storageClassName", "gp3");
            e.text("volumeMode", "Filesystem");
        });
        e.object("status", |e| e.text("phase", "Bound"));
    }

    pub(super) fn volume_claim(&self, index: u32, e: &mut Emitter) {
        let pod = self.claims[index as usize];
        let (number, _) = self.workload_of(pod);
        let workload = &self.workloads[number as usize];
        e.object("metadata", |e| {
            e.object("annotations", |e| {
                e.text("pv.kubernetes.io/bind-completed", "yes");
                e.text("volume.kubernetes.io/storage-provisioner", self.csi_driver());
            });
            e.text("creationTimestamp", text::time(NOW - 40 * 86_400));
            e.list("finalizers", |e| e.item_text("kubernetes.io/pvc-protection"));
            e.object("labels", |e| e.text("app.kubernetes.io/name", &workload.name));
            e.text("name", self.volume_claim_name(pod));
            e.text("namespace", &self.namespaces[workload.namespace]);
            e.text("resourceVersion", self.version(Draw::VolumeClaim, index));
            e.text("uid", self.uid(Draw::VolumeClaim, index));
        });
        e.object("spec", |e| {
            e.list("accessModes", |e| e.item_text("ReadWriteOnce"));
            e.object("resources", |e| {
                e.object("requests", |e| e.text("storage", self.storage_request(index)));
            });
            e.text("storageClassName", "gp3");
            e.text("volumeMode", "Filesystem");
            e.text("volumeName", self.volume_name(index));
        });
        e.object("status", |e| {
            e.list("accessModes", |e| e.item_text("ReadWriteOnce"));
            e.object("capacity", |e| e.text("storage", self.storage_request(index)));
            e.text("phase", "Bound");
        });
    }
}
