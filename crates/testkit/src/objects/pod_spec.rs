//! What a pod asks for and where it may run.

use super::pod::PodView;
use crate::emit::Emitter;
use crate::flavor::Flavor;
use crate::plan::workloads::{Owner, Priority};

impl PodView<'_> {
    pub(super) fn spec(&self, e: &mut Emitter) {
        let daemon = self.is_daemon();
        e.object("affinity", |e| self.affinity(e));
        e.list("containers", |e| self.containers(e));
        e.text("dnsPolicy", if daemon { "ClusterFirstWithHostNet" } else { "ClusterFirst" });
        e.flag("enableServiceLinks", true);
        if daemon {
            e.flag("hostNetwork", true);
        }
        let (init, sidecar) = (self.has_init(), self.has_sidecar());
        if init || sidecar {
            e.list("initContainers", |e| {
                if init {
                    e.item(|e| self.init_container(e));
                }
                if sidecar {
                    e.item(|e| self.proxy(true, e));
                }
            });
        }
        if let Some(node) = self.node {
            e.text("nodeName", self.cluster.node_name(node));
        }
        if let (false, Some(pool)) = (daemon, self.workload.pool) {
            e.object("nodeSelector", |e| self.node_selector(pool, e));
        }
        e.text("preemptionPolicy", "PreemptLowerPriority");
        let priority = self.workload.priority;
        e.number("priority", priority.value());
        if priority != Priority::None {
            e.text("priorityClassName", priority.name());
        }
        let job = self.workload.owner == Owner::Job;
        e.text("restartPolicy", if job { "Never" } else { "Always" });
        e.text("schedulerName", "default-scheduler");
        e.object("securityContext", |e| {
            if !daemon {
                e.number("fsGroup", 2000);
                e.flag("runAsNonRoot", true);
                e.number("runAsUser", 1000);
            }
        });
        e.text("serviceAccount", &self.workload.name);
        e.text("serviceAccountName", &self.workload.name);
        e.number(
            "terminationGracePeriodSeconds",
            if self.template.is_multiple_of(5) { 60 } else { 30 },
        );
        e.list("tolerations", |e| self.tolerations(e));
        if !daemon && !job {
            e.list("topologySpreadConstraints", |e| self.spread(e));
        }
        e.list("volumes", |e| self.volumes(e));
    }

    /// An ordinary init container, which asks for no more than the container after it.
    pub(super) fn has_init(&self) -> bool {
        !self.is_daemon() && self.template % 100 < 12
    }

    /// The proxy runs as a sidecar: an init container that restarts.
    pub(super) fn has_sidecar(&self) -> bool {
        !self.is_daemon() && self.template % 100 >= 96
    }

    fn affinity(&self, e: &mut Emitter) {
        if self.workload.owner == Owner::DaemonSet {
            let Some(node) = self.node else { return };
            e.object("nodeAffinity", |e| {
                e.object("requiredDuringSchedulingIgnoredDuringExecution", |e| {
                    e.list("nodeSelectorTerms", |e| {
                        e.item(|e| {
                            e.list("matchFields", |e| {
                                e.item(|e| {
                                    e.text("key", "metadata.name");
                                    e.text("operator", "In");
                                    let name = self.cluster.node_name(node);
                                    e.list("values", |e| e.item_text(&name));
                                });
                            });
                        });
                    });
                });
            });
            return;
        }
        if !matches!(self.workload.owner, Owner::Deployment | Owner::StatefulSet) {
            return;
        }
        let term = |e: &mut Emitter| {
            e.object("labelSelector", |e| {
                e.object("matchLabels", |e| e.text("app.kubernetes.io/name", &self.workload.name));
            });
            e.text("topologyKey", "kubernetes.io/hostname");
        };
        e.object("podAntiAffinity", |e| {
            if self.workload.apart {
                e.list("requiredDuringSchedulingIgnoredDuringExecution", |e| e.item(term));
            } else {
                e.list("preferredDuringSchedulingIgnoredDuringExecution", |e| {
                    e.item(|e| {
                        e.object("podAffinityTerm", term);
                        e.number("weight", 100);
                    });
                });
            }
        });
    }

    fn node_selector(&self, pool: usize, e: &mut Emitter) {
        let pool = &self.cluster.pools[pool];
        if pool.taint.is_none() {
            e.text("kubernetes.io/arch", pool.arch);
            return;
        }
        let key = match self.cluster.flavor {
            Flavor::Karpenter | Flavor::Plain => "karpenter.sh/nodepool",
            Flavor::Eks => "eks.amazonaws.com/nodegroup",
            Flavor::Gke => "cloud.google.com/gke-nodepool",
            Flavor::Aks => "kubernetes.azure.com/agentpool",
        };
        e.text(key, pool.name);
    }

    fn tolerations(&self, e: &mut Emitter) {
        if self.is_daemon() {
            e.item(|e| e.text("operator", "Exists"));
            for reason in ["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"] {
                e.item(|e| {
                    e.text("effect", "NoSchedule");
                    e.text("key", format!("node.kubernetes.io/{reason}"));
                    e.text("operator", "Exists");
                });
            }
            return;
        }
        let taint = self.workload.pool.and_then(|pool| self.cluster.pools[pool].taint);
        if let Some((key, value)) = taint {
            e.item(|e| {
                e.text("effect", "NoSchedule");
                e.text("key", key);
                e.text("operator", "Equal");
                e.text("value", value);
            });
            if self.cluster.flavor == Flavor::Aks {
                e.item(|e| {
                    e.text("key", "kubernetes.azure.com/scalesetpriority");
                    e.text("operator", "Exists");
                });
            }
        }
        for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
            e.item(|e| {
                e.text("effect", "NoExecute");
                e.text("key", key);
                e.text("operator", "Exists");
                e.number("tolerationSeconds", 300);
            });
        }
    }

    fn spread(&self, e: &mut Emitter) {
        let mut one = |key: &str, unsatisfied: &str, skew: i64| {
            e.item(|e| {
                e.object("labelSelector", |e| {
                    e.object("matchLabels", |e| {
                        e.text("app.kubernetes.io/name", &self.workload.name);
                    });
                });
                e.number("maxSkew", skew);
                e.text("topologyKey", key);
                e.text("whenUnsatisfiable", unsatisfied);
            });
        };
        let zone = "topology.kubernetes.io/zone";
        match (self.workload.spread, self.workload.soft_spread) {
            (true, _) => one(zone, "DoNotSchedule", 1),
            (_, true) => one(zone, "ScheduleAnyway", 1),
            _ => one("kubernetes.io/hostname", "ScheduleAnyway", 2),
        }
    }

    fn volumes(&self, e: &mut Emitter) {
        if self.workload.owner == Owner::StatefulSet {
            e.item(|e| {
                e.text("name", "data");
                e.object("persistentVolumeClaim", |e| {
                    e.text("claimName", self.cluster.volume_claim_name(self.index));
                });
            });
        }
        e.item(|e| {
            e.object("configMap", |e| {
                e.number("defaultMode", 420);
                e.text("name", format!("{}-config", self.workload.name));
            });
            e.text("name", "config");
        });
        e.item(|e| {
            e.text("name", self.token_volume());
            e.object("projected", |e| {
                e.number("defaultMode", 420);
                e.list("sources", token_sources);
            });
        });
    }
}

fn token_sources(e: &mut Emitter) {
    e.item(|e| {
        e.object("serviceAccountToken", |e| {
            e.number("expirationSeconds", 3607);
            e.text("path", "token");
        });
    });
    e.item(|e| {
        e.object("configMap", |e| {
            e.list("items", |e| {
                e.item(|e| {
                    e.text("key", "ca.crt");
                    e.text("path", "ca.crt");
                });
            });
            e.text("name", "kube-root-ca.crt");
        });
    });
    e.item(|e| {
        e.object("downwardAPI", |e| {
            e.list("items", |e| {
                e.item(|e| {
                    e.object("fieldRef", |e| {
                        e.text("apiVersion", "v1");
                        e.text("fieldPath", "metadata.namespace");
                    });
                    e.text("path", "namespace");
                });
            });
        });
    });
}
