//! What owns pods, and what stands for or protects them.

use super::Draw;
use crate::emit::Emitter;
use crate::plan::workloads::{Owner, Workload};
use crate::plan::{Cluster, Fate, fate};
use crate::text::{self, NOW};

impl Cluster {
    fn workload_metadata(&self, index: u32, e: &mut Emitter) {
        let workload = &self.workloads[index as usize];
        e.object("metadata", |e| {
            if workload.owner == Owner::Deployment {
                e.object("annotations", |e| e.text("deployment.kubernetes.io/revision", "7"));
            }
            e.text("creationTimestamp", text::time(NOW - 90 * 86_400));
            e.number("generation", 7);
            e.object("labels", |e| self.workload_labels(workload, e));
            e.text("name", &workload.name);
            e.text("namespace", &self.namespaces[workload.namespace]);
            e.text("resourceVersion", self.version(Draw::Workload, index));
            e.text("uid", self.uid(Draw::Workload, index));
        });
    }

    fn workload_labels(&self, workload: &Workload, e: &mut Emitter) {
        e.text("app.kubernetes.io/name", &workload.name);
        e.text("app.kubernetes.io/part-of", &self.namespaces[workload.namespace]);
    }

    /// The pod template, in short: nobody reads more of it than this.
    fn pod_template(&self, index: u32, hash: Option<&str>, e: &mut Emitter) {
        let workload = &self.workloads[index as usize];
        e.object("template", |e| {
            e.object("metadata", |e| {
                e.object("labels", |e| {
                    self.workload_labels(workload, e);
                    if let Some(hash) = hash {
                        e.text("pod-template-hash", hash);
                    }
                });
            });
            e.object("spec", |e| {
                e.list("containers", |e| {
                    e.item(|e| {
                        e.text("image", "registry.example.com/app:2026.11");
                        e.text("name", &workload.name);
                        e.object("resources", |e| {
                            e.object("requests", |e| {
                                e.text("cpu", text::cpu(workload.request.cpu));
                                if workload.request.memory > 0 {
                                    e.text("memory", text::memory(workload.request.memory));
                                }
                            });
                        });
                    });
                });
                if let (Owner::DaemonSet, Some(pool)) = (workload.owner, workload.pool) {
                    e.object("nodeSelector", |e| {
                        e.text("karpenter.sh/nodepool", self.pools[pool].name);
                    });
                }
                e.text(
                    "restartPolicy",
                    if workload.owner == Owner::Job { "Never" } else { "Always" },
                );
                e.text("schedulerName", "default-scheduler");
                e.number("terminationGracePeriodSeconds", 30);
                if workload.owner == Owner::DaemonSet {
                    e.list("tolerations", |e| e.item(|e| e.text("operator", "Exists")));
                }
            });
        });
    }

    fn selector(&self, workload: &Workload, hash: Option<&str>, e: &mut Emitter) {
        e.object("selector", |e| {
            e.object("matchLabels", |e| {
                e.text("app.kubernetes.io/name", &workload.name);
                e.text("app.kubernetes.io/part-of", &self.namespaces[workload.namespace]);
                if let Some(hash) = hash {
                    e.text("pod-template-hash", hash);
                }
            });
        });
    }

    pub(super) fn deployment(&self, index: u32, e: &mut Emitter) {
        let workload = &self.workloads[index as usize];
        let ready = self.bound(workload);
        self.workload_metadata(index, e);
        e.object("spec", |e| {
            e.number("progressDeadlineSeconds", 600);
            e.number("replicas", workload.replicas);
            e.number("revisionHistoryLimit", 10);
            self.selector(workload, None, e);
            e.object("strategy", |e| {
                e.object("rollingUpdate", |e| {
                    e.text("maxSurge", "25%");
                    e.text("maxUnavailable", "25%");
                });
                e.text("type", "RollingUpdate");
            });
            self.pod_template(index, None, e);
        });
        e.object("status", |e| {
            e.number("availableReplicas", ready);
            e.list("conditions", |e| {
                e.item(|e| {
                    e.text("lastTransitionTime", text::time(NOW - 80 * 86_400));
                    e.text("lastUpdateTime", text::time(NOW - 80 * 86_400));
                    e.text("message", "Deployment has minimum availability.");
                    e.text("reason", "MinimumReplicasAvailable");
                    e.text("status", "True");
                    e.text("type", "Available");
                });
            });
            e.number("observedGeneration", 7);
            e.number("readyReplicas", ready);
            e.number("replicas", workload.replicas);
            e.number("updatedReplicas", workload.replicas);
        });
    }

    pub(super) fn replica_set(&self, index: u32, e: &mut Emitter) {
        let (number, old) = self.replica_sets[index as usize];
        let workload = &self.workloads[number as usize];
        let hash = self.template_hash(number, old);
        let uid_index = number * 2 + u32::from(old);
        let replicas = if old { 0 } else { workload.replicas };
        let ready = if old { 0 } else { self.bound(workload) };
        e.object("metadata", |e| {
            e.object("annotations", |e| {
                e.text("deployment.kubernetes.io/desired-replicas", workload.replicas.to_string());
                e.text(
                    "deployment.kubernetes.io/max-replicas",
                    (workload.replicas + 1).to_string(),
                );
                e.text("deployment.kubernetes.io/revision", if old { "6" } else { "7" });
            });
            e.text("creationTimestamp", text::time(NOW - if old { 90 } else { 30 } * 86_400));
            e.number("generation", 2);
            e.object("labels", |e| {
                self.workload_labels(workload, e);
                e.text("pod-template-hash", &hash);
            });
            e.text("name", format!("{}-{hash}", workload.name));
            e.text("namespace", &self.namespaces[workload.namespace]);
            e.list("ownerReferences", |e| {
                e.item(|e| {
                    e.text("apiVersion", "apps/v1");
                    e.flag("blockOwnerDeletion", true);
                    e.flag("controller", true);
                    e.text("kind", "Deployment");
                    e.text("name", &workload.name);
                    e.text("uid", self.uid(Draw::Workload, number));
                });
            });
            e.text("resourceVersion", self.version(Draw::ReplicaSet, uid_index));
            e.text("uid", self.uid(Draw::ReplicaSet, uid_index));
        });
        e.object("spec", |e| {
            e.number("replicas", replicas);
            self.selector(workload, Some(&hash), e);
            self.pod_template(number, Some(&hash), e);
        });
        e.object("status", |e| {
            e.number("availableReplicas", ready);
            e.number("fullyLabeledReplicas", replicas);
            e.number("observedGeneration", 2);
            e.number("readyReplicas", ready);
            e.number("replicas", replicas);
        });
    }

    pub(super) fn stateful_set(&self, index: u32, e: &mut Emitter) {
        let workload = &self.workloads[index as usize];
        let ready = self.bound(workload);
        self.workload_metadata(index, e);
        e.object("spec", |e| {
            e.text("podManagementPolicy", "OrderedReady");
            e.number("replicas", workload.replicas);
            self.selector(workload, None, e);
            e.text("serviceName", &workload.name);
            self.pod_template(index, None, e);
        });
        e.object("status", |e| {
            e.number("availableReplicas", ready);
            e.number("currentReplicas", workload.replicas);
            e.number("observedGeneration", 7);
            e.number("readyReplicas", ready);
            e.number("replicas", workload.replicas);
            e.number("updatedReplicas", workload.replicas);
        });
    }

    pub(super) fn daemon_set(&self, index: u32, e: &mut Emitter) {
        let workload = &self.workloads[index as usize];
        self.workload_metadata(index, e);
        e.object("spec", |e| {
            e.number("revisionHistoryLimit", 10);
            self.selector(workload, None, e);
            self.pod_template(index, None, e);
            e.object("updateStrategy", |e| {
                e.object("rollingUpdate", |e| {
                    e.number("maxSurge", 0);
                    e.text("maxUnavailable", "10%");
                });
                e.text("type", "RollingUpdate");
            });
        });
        e.object("status", |e| {
            for key in [
                "currentNumberScheduled",
                "desiredNumberScheduled",
                "numberAvailable",
                "numberReady",
                "updatedNumberScheduled",
            ] {
                if key == "numberReady" {
                    e.number("numberMisscheduled", 0);
                }
                if key == "updatedNumberScheduled" {
                    e.number("observedGeneration", 7);
                }
                e.number(key, workload.replicas);
            }
        });
    }

    pub(super) fn job(&self, index: u32, e: &mut Emitter) {
        let workload = &self.workloads[index as usize];
        let fates = || {
            (workload.first_pod..workload.first_pod + workload.replicas)
                .map(|pod| fate(self.seed, Owner::Job, pod))
        };
        let count = |wanted: Fate| fates().filter(|fate| *fate == wanted).count() as i64;
        self.workload_metadata(index, e);
        e.object("spec", |e| {
            e.number("backoffLimit", 6);
            e.text("completionMode", "NonIndexed");
            e.number("completions", workload.replicas);
            e.number("parallelism", workload.replicas);
            self.selector(workload, None, e);
            e.flag("suspend", false);
            self.pod_template(index, None, e);
        });
        e.object("status", |e| {
            e.number("active", count(Fate::Running));
            e.number("failed", count(Fate::Failed));
            e.number("ready", i64::from(self.bound(workload)).min(count(Fate::Running)));
            e.text("startTime", text::time(NOW - 3600));
            e.number("succeeded", count(Fate::Succeeded));
        });
    }

    pub(super) fn service(&self, index: u32, e: &mut Emitter) {
        let number = self.services[index as usize];
        let workload = &self.workloads[number as usize];
        let ip = format!("172.20.{}.{}", index >> 8 & 0xff, index & 0xff);
        e.object("metadata", |e| {
            e.text("creationTimestamp", text::time(NOW - 90 * 86_400));
            e.object("labels", |e| self.workload_labels(workload, e));
            e.text("name", &workload.name);
            e.text("namespace", &self.namespaces[workload.namespace]);
            e.text("resourceVersion", self.version(Draw::Other, index));
            e.text("uid", text::uid(self.seed, 50, u64::from(index)));
        });
        e.object("spec", |e| {
            e.text("clusterIP", &ip);
            e.list("clusterIPs", |e| e.item_text(&ip));
            e.text("internalTrafficPolicy", "Cluster");
            e.list("ports", |e| {
                e.item(|e| {
                    e.text("name", "http");
                    e.number("port", 80);
                    e.text("protocol", "TCP");
                    e.text("targetPort", "http");
                });
            });
            e.object("selector", |e| e.text("app.kubernetes.io/name", &workload.name));
            e.text("sessionAffinity", "None");
            e.text("type", "ClusterIP");
        });
        e.object("status", |e| e.empty("loadBalancer"));
    }

    pub(super) fn budget(&self, index: u32, e: &mut Emitter) {
        let (number, second) = self.budgets[index as usize];
        let workload = &self.workloads[number as usize];
        let bits = self.bits(Draw::Budget, index);
        let (expected, healthy) = (workload.replicas, self.bound(workload));
        // Most leave room for one or a quarter; some leave none.
        let (key, value, desired) = match bits % 10 {
            0 => ("minAvailable", expected.to_string(), expected),
            1..5 => ("maxUnavailable", "1".to_owned(), expected - 1),
            5..8 => ("maxUnavailable", "25%".to_owned(), expected - expected.div_ceil(4)),
            _ => ("minAvailable", "50%".to_owned(), expected.div_ceil(2)),
        };
        e.object("metadata", |e| {
            e.text("creationTimestamp", text::time(NOW - 90 * 86_400));
            e.number("generation", 1);
            e.text("name", format!("{}{}", workload.name, if second { "-legacy" } else { "" }));
            e.text("namespace", &self.namespaces[workload.namespace]);
            e.text("resourceVersion", self.version(Draw::Budget, index));
            e.text("uid", self.uid(Draw::Budget, index));
        });
        e.object("spec", |e| {
            match value.parse::<i64>() {
                Ok(number) => e.number(key, number),
                Err(_) => e.text(key, &value),
            }
            e.object("selector", |e| {
                e.object("matchLabels", |e| e.text("app.kubernetes.io/name", &workload.name));
            });
            if bits.is_multiple_of(7) {
                e.text("unhealthyPodEvictionPolicy", "AlwaysAllow");
            }
        });
        e.object("status", |e| {
            e.list("conditions", |e| {
                e.item(|e| {
                    let allowed = healthy > desired;
                    e.text("lastTransitionTime", text::time(NOW - 86_400));
                    e.text("message", "");
                    e.number("observedGeneration", 1);
                    e.text("reason", if allowed { "SufficientPods" } else { "InsufficientPods" });
                    e.text("status", if allowed { "True" } else { "False" });
                    e.text("type", "DisruptionAllowed");
                });
            });
            e.number("currentHealthy", healthy);
            e.number("desiredHealthy", desired);
            e.number("disruptionsAllowed", healthy.saturating_sub(desired));
            e.number("expectedPods", expected);
            e.number("observedGeneration", 1);
        });
    }
}
