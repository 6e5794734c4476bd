//! NodePools and NodeClaims, as Karpenter 1.x keeps them.

use super::{Draw, node};
use crate::emit::Emitter;
use crate::flavor::{Capacity, Pool};
use crate::plan::Cluster;
use crate::plan::nodes::{NodePlan, NodeState};
use crate::rng::mix;
use crate::text::{self, NOW};

impl Cluster {
    pub(crate) fn pool_hash(&self, pool: usize) -> String {
        mix(self.seed, 33, pool as u64).to_string()
    }

    pub(super) fn node_pool(&self, index: u32, e: &mut Emitter) {
        let pool = &self.pools[index as usize];
        let nodes: Vec<&NodePlan> =
            self.nodes.iter().filter(|node| node.pool == index as usize).collect();
        e.object("metadata", |e| {
            e.object("annotations", |e| {
                e.text("karpenter.sh/nodepool-hash", self.pool_hash(index as usize));
                e.text("karpenter.sh/nodepool-hash-version", "v3");
            });
            e.text("creationTimestamp", text::time(NOW - 300 * 86_400));
            e.number("generation", 4);
            e.text("name", pool.name);
            e.text("resourceVersion", self.version(Draw::Pool, index));
            e.text("uid", self.uid(Draw::Pool, index));
        });
        e.object("spec", |e| {
            e.object("disruption", |e| disruption(pool, e));
            e.object("limits", |e| {
                e.text("cpu", (nodes.len() * 40 + 1000).to_string());
                e.text("memory", format!("{}Gi", nodes.len() * 200 + 4000));
            });
            e.object("template", |e| template(pool, e));
            e.number("weight", if pool.taint.is_some() { 10 } else { 50 - i64::from(index) });
        });
        e.object("status", |e| {
            e.list("conditions", |e| {
                for kind in
                    ["NodeClassReady", "NodeRegistrationHealthy", "Ready", "ValidationSucceeded"]
                {
                    condition(e, kind, NOW - 200 * 86_400, None);
                }
            });
            e.number("nodes", nodes.len() as i64);
            e.object("resources", |e| {
                let cpus: u32 = nodes.iter().map(|node| node.machine.cpus).sum();
                let memory: u64 = nodes.iter().map(|node| node.machine.capacity_kibibytes()).sum();
                let pods: u32 = nodes.iter().map(|node| node.machine.max_pods).sum();
                e.text("cpu", cpus.to_string());
                e.text("memory", format!("{memory}Ki"));
                e.text("nodes", nodes.len().to_string());
                e.text("pods", pods.to_string());
            });
        });
    }

    pub(super) fn node_claim(&self, index: u32, e: &mut Emitter) {
        let node = &self.nodes[index as usize];
        let pool = &self.pools[node.pool];
        e.object("metadata", |e| {
            e.object("annotations", |e| {
                e.text("compatibility.karpenter.k8s.aws/cluster-name-tagged", "true");
                if node.state == NodeState::DoNotDisrupt {
                    e.text("karpenter.sh/do-not-disrupt", "true");
                }
                e.text("karpenter.sh/nodepool-hash", self.pool_hash(node.pool));
                e.text("karpenter.sh/nodepool-hash-version", "v3");
            });
            e.text("creationTimestamp", text::time(node.created));
            e.list("finalizers", |e| e.item_text("karpenter.sh/termination"));
            e.text("generateName", format!("{}-", pool.name));
            e.number("generation", 1);
            e.object("labels", |e| self.node_labels(&self.node_name(index), node, e));
            e.text("name", self.claim_name(index));
            e.list("ownerReferences", |e| {
                e.item(|e| {
                    e.text("apiVersion", "karpenter.sh/v1");
                    e.flag("blockOwnerDeletion", true);
                    e.text("kind", "NodePool");
                    e.text("name", pool.name);
                    e.text("uid", self.uid(Draw::Pool, node.pool as u32));
                });
            });
            e.text("resourceVersion", self.version(Draw::Claim, index));
            e.text("uid", self.uid(Draw::Claim, index));
        });
        e.object("spec", |e| {
            e.text("expireAfter", "720h");
            node_class(e);
            e.list("requirements", |e| {
                let capacity = if node.spot { "spot" } else { "on-demand" };
                requirement(e, "karpenter.sh/capacity-type", &[capacity]);
                requirement(e, "karpenter.sh/nodepool", &[pool.name]);
                requirement(e, "kubernetes.io/arch", &[pool.arch]);
                requirement(e, "node.kubernetes.io/instance-type", &[&node.machine.name]);
            });
            e.object("resources", |e| {
                e.object("requests", |e| {
                    e.text("cpu", text::cpu(node.used.cpu.max(150)));
                    e.text("memory", text::memory(node.used.memory.max(120)));
                    e.text("pods", node.used.pods.max(4).to_string());
                });
            });
            pool_taints(pool, e);
        });
        e.object("status", |e| {
            e.object("allocatable", |e| node::resources(node, true, e));
            e.object("capacity", |e| node::resources(node, false, e));
            e.list("conditions", |e| claim_conditions(node, e));
            e.text("imageID", format!("ami-0{:016x}", mix(self.seed, 34, node.pool as u64)));
            let quiet = i64::from(node.used.pods) * 7 % 5000;
            e.text("lastPodEventTime", text::time((NOW - quiet).max(node.created + 60)));
            e.text("nodeName", self.node_name(index));
            e.text("providerID", self.provider_id(index));
        });
    }
}

fn claim_conditions(node: &NodePlan, e: &mut Emitter) {
    if NOW - node.created > 600 {
        condition(e, "Consolidatable", node.created + 300, None);
    }
    if node.state == NodeState::Disrupted {
        condition(e, "DisruptionReason", NOW - 30, Some("Underutilized"));
    }
    if node.state == NodeState::Drifted {
        condition(e, "Drifted", NOW - 3600, Some("NodePoolDrifted"));
    }
    condition(e, "Initialized", node.created + 50, None);
    condition(e, "Launched", node.created + 3, None);
    condition(e, "Ready", node.created + 50, None);
    condition(e, "Registered", node.created + 35, None);
}

fn condition(e: &mut Emitter, kind: &str, since: i64, reason: Option<&str>) {
    e.item(|e| {
        e.text("lastTransitionTime", text::time(since));
        e.text("message", reason.unwrap_or_default());
        e.number("observedGeneration", 1);
        e.text("reason", reason.unwrap_or(kind));
        e.text("status", "True");
        e.text("type", kind);
    });
}

fn disruption(pool: &Pool, e: &mut Emitter) {
    e.list("budgets", |e| {
        e.item(|e| e.text("nodes", "10%"));
        if pool.taint.is_none() {
            e.item(|e| {
                e.text("duration", "8h");
                e.text("nodes", "2");
                e.list("reasons", |e| e.item_text("Underutilized"));
                e.text("schedule", "0 9 * * mon-fri");
            });
        }
    });
    e.text("consolidateAfter", if pool.taint.is_some() { "30s" } else { "5m" });
    let policy = if pool.gpu { "WhenEmpty" } else { "WhenEmptyOrUnderutilized" };
    e.text("consolidationPolicy", policy);
}

fn template(pool: &Pool, e: &mut Emitter) {
    e.object("metadata", |e| {
        e.object("labels", |e| e.text("example.com/team", pool.name));
    });
    e.object("spec", |e| {
        e.text("expireAfter", "720h");
        node_class(e);
        e.list("requirements", |e| {
            requirement(e, "karpenter.k8s.aws/instance-family", pool.families);
            let capacity: &[&str] = match pool.capacity {
                Capacity::OnDemand => &["on-demand"],
                Capacity::Spot => &["spot"],
                Capacity::Mixed => &["spot", "on-demand"],
            };
            requirement(e, "karpenter.sh/capacity-type", capacity);
            requirement(e, "kubernetes.io/arch", &[pool.arch]);
            requirement(e, "kubernetes.io/os", &["linux"]);
        });
        pool_taints(pool, e);
    });
}

fn node_class(e: &mut Emitter) {
    e.object("nodeClassRef", |e| {
        e.text("group", "karpenter.k8s.aws");
        e.text("kind", "EC2NodeClass");
        e.text("name", "default");
    });
}

fn pool_taints(pool: &Pool, e: &mut Emitter) {
    if let Some((key, value)) = pool.taint {
        e.list("taints", |e| {
            e.item(|e| {
                e.text("effect", "NoSchedule");
                e.text("key", key);
                e.text("value", value);
            });
        });
    }
}

fn requirement(e: &mut Emitter, key: &str, values: &[&str]) {
    e.item(|e| {
        e.text("key", key);
        e.text("operator", "In");
        e.list("values", |e| {
            for value in values {
                e.item_text(value);
            }
        });
    });
}
