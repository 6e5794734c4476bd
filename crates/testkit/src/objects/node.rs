//! Nodes.

use super::{Draw, managed};
use crate::emit::Emitter;
use crate::flavor::Flavor;
use crate::plan::Cluster;
use crate::plan::nodes::{NodePlan, NodeState};
use crate::rng::mix;
use crate::text::{self, NOW};

impl Cluster {
    /// The name of a node, as its provider gives it.
    pub fn node_name(&self, index: u32) -> String {
        let node = &self.nodes[index as usize];
        let bits = self.bits(Draw::Node, index);
        match self.flavor {
            // The low bits are the index, so that no two addresses are equal.
            Flavor::Karpenter | Flavor::Eks => {
                let ip = Self::node_address(index).replace('.', "-");
                format!("ip-{ip}.ec2.internal")
            }
            Flavor::Gke => {
                let pool = self.pools[node.pool].name;
                format!("gke-prod-{pool}-{:08x}-{}", mix(self.seed, 9, node.pool as u64) as u32, {
                    text::ending(bits, 2) + &text::ending(u64::from(index), 4)
                })
            }
            Flavor::Aks => {
                let pool = self.pools[node.pool].name;
                format!("aks-{pool}-{}-vmss{:06}", 10_000_000 + self.seed % 89_999_999, index)
            }
            Flavor::Plain => format!("worker-{index:05}"),
        }
    }

    pub(crate) fn node_address(index: u32) -> String {
        format!("10.{}.{}.{}", 40 + (index >> 15), (index >> 7) & 0xff, 1 + (index & 0x7f))
    }

    pub(crate) fn claim_name(&self, index: u32) -> String {
        let pool = self.pools[self.nodes[index as usize].pool].name;
        let ending = text::ending(u64::from(index), 4);
        format!("{pool}-{}{ending}", text::ending(self.bits(Draw::Claim, index), 1))
    }

    pub(crate) fn provider_id(&self, index: u32) -> String {
        let node = &self.nodes[index as usize];
        let bits = self.bits(Draw::Node, index);
        let zone = self.flavor.zones().1.get(node.zone).map_or("", |zone| zone.0);
        match self.flavor {
            Flavor::Karpenter | Flavor::Eks => {
                format!("aws:///{zone}/i-0{:08x}{:08x}", bits >> 32, index)
            }
            Flavor::Gke => format!("gce://example-prod/{zone}/{}", self.node_name(index)),
            Flavor::Aks => format!(
                "azure:///subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/mc_prod_eastus/providers/Microsoft.Compute/virtualMachineScaleSets/aks-{}-vmss/virtualMachines/{index}",
                self.pools[node.pool].name
            ),
            Flavor::Plain => String::new(),
        }
    }

    pub(super) fn node(&self, index: u32, e: &mut Emitter) {
        let node = &self.nodes[index as usize];
        let name = self.node_name(index);
        e.object("metadata", |e| {
            e.object("annotations", |e| self.node_annotations(index, node, e));
            e.text("creationTimestamp", text::time(node.created + 30));
            if self.flavor == Flavor::Karpenter {
                e.list("finalizers", |e| e.item_text("karpenter.sh/termination"));
            }
            e.object("labels", |e| self.node_labels(&name, node, e));
            e.list("managedFields", |e| {
                managed::entry(
                    e,
                    &managed::Entry {
                        manager: "kubelet",
                        time: &text::time(NOW - 90),
                        subresource: Some("status"),
                        version: "v1",
                        fields: managed::NODE_STATUS,
                        name: "",
                        uid: "",
                    },
                );
            });
            e.text("name", &name);
            if self.flavor == Flavor::Karpenter {
                e.list("ownerReferences", |e| {
                    e.item(|e| {
                        e.text("apiVersion", "karpenter.sh/v1");
                        e.flag("blockOwnerDeletion", true);
                        e.text("kind", "NodeClaim");
                        e.text("name", self.claim_name(index));
                        e.text("uid", self.uid(Draw::Claim, index));
                    });
                });
            }
            e.text("resourceVersion", self.version(Draw::Node, index));
            e.text("uid", self.uid(Draw::Node, index));
        });
        self.node_spec(index, node, e);
        self.node_status(index, &name, node, e);
    }

    fn node_annotations(&self, index: u32, node: &NodePlan, e: &mut Emitter) {
        if node.state == NodeState::DoNotDisrupt {
            e.text("karpenter.sh/do-not-disrupt", "true");
        }
        if self.flavor == Flavor::Karpenter {
            e.text("karpenter.sh/nodepool-hash", self.pool_hash(node.pool));
            e.text("karpenter.sh/nodepool-hash-version", "v3");
        }
        e.text("node.alpha.kubernetes.io/ttl", "0");
        e.text("volumes.kubernetes.io/controller-managed-attach-detach", "true");
        if self.flavor == Flavor::Plain {
            e.text("zz.example.com/rack", format!("r{}", index % 40));
        }
    }

    pub(crate) fn node_labels(&self, name: &str, node: &NodePlan, e: &mut Emitter) {
        let pool = &self.pools[node.pool];
        let (region, zones) = self.flavor.zones();
        let (zone, zone_id) = zones.get(node.zone).copied().unwrap_or_default();
        let cloud = self.flavor != Flavor::Plain;
        e.text("beta.kubernetes.io/arch", pool.arch);
        if cloud {
            e.text("beta.kubernetes.io/instance-type", &node.machine.name);
        }
        e.text("beta.kubernetes.io/os", "linux");
        match self.flavor {
            Flavor::Gke => {
                e.text("cloud.google.com/gke-nodepool", pool.name);
                e.text("cloud.google.com/gke-os-distribution", "cos");
                let provisioning = if node.spot { "spot" } else { "standard" };
                e.text("cloud.google.com/gke-provisioning", provisioning);
                if node.spot {
                    e.text("cloud.google.com/gke-spot", "true");
                }
                e.text("cloud.google.com/machine-family", node.machine.family);
            }
            Flavor::Eks => {
                let capacity = if node.spot { "SPOT" } else { "ON_DEMAND" };
                e.text("eks.amazonaws.com/capacityType", capacity);
                e.text("eks.amazonaws.com/nodegroup", pool.name);
            }
            Flavor::Karpenter | Flavor::Aks | Flavor::Plain => {}
        }
        if cloud {
            e.text("failure-domain.beta.kubernetes.io/region", region);
            e.text("failure-domain.beta.kubernetes.io/zone", zone);
        }
        if self.flavor == Flavor::Karpenter {
            self.karpenter_labels(node, e);
        }
        if self.flavor == Flavor::Aks {
            e.text("kubernetes.azure.com/agentpool", pool.name);
            let mode = if pool.name == "system" { "system" } else { "user" };
            e.text("kubernetes.azure.com/mode", mode);
            let priority = if node.spot { "spot" } else { "regular" };
            e.text("kubernetes.azure.com/scalesetpriority", priority);
        }
        e.text("kubernetes.io/arch", pool.arch);
        e.text("kubernetes.io/hostname", name);
        e.text("kubernetes.io/os", "linux");
        if cloud {
            e.text("node.kubernetes.io/instance-type", &node.machine.name);
            if !zone_id.is_empty() {
                e.text("topology.k8s.aws/zone-id", zone_id);
            }
            e.text("topology.kubernetes.io/region", region);
            e.text("topology.kubernetes.io/zone", zone);
        }
    }

    fn karpenter_labels(&self, node: &NodePlan, e: &mut Emitter) {
        let pool = &self.pools[node.pool];
        let category = &node.machine.family[..1];
        let generation: String = node.machine.family.chars().filter(char::is_ascii_digit).collect();
        e.text("karpenter.k8s.aws/ec2nodeclass", "default");
        e.text("karpenter.k8s.aws/instance-category", category);
        e.text("karpenter.k8s.aws/instance-cpu", node.machine.cpus.to_string());
        e.text("karpenter.k8s.aws/instance-family", node.machine.family);
        e.text("karpenter.k8s.aws/instance-generation", generation);
        e.text("karpenter.k8s.aws/instance-memory", (node.machine.gibibytes * 1024).to_string());
        e.text("karpenter.k8s.aws/instance-size", &node.machine.size);
        e.text("karpenter.sh/capacity-type", if node.spot { "spot" } else { "on-demand" });
        e.text("karpenter.sh/initialized", "true");
        e.text("karpenter.sh/nodepool", pool.name);
        e.text("karpenter.sh/registered", "true");
    }

    fn node_spec(&self, index: u32, node: &NodePlan, e: &mut Emitter) {
        e.object("spec", |e| {
            let provider = self.provider_id(index);
            if !provider.is_empty() {
                e.text("providerID", provider);
            }
            let pool_taint = self.pools[node.pool].taint;
            let spot_taint = self.flavor == Flavor::Aks && node.spot;
            let state_taint = match node.state {
                NodeState::Disrupted => Some("karpenter.sh/disrupted"),
                NodeState::Cordoned => Some("node.kubernetes.io/unschedulable"),
                NodeState::NotReady => Some("node.kubernetes.io/not-ready"),
                _ => None,
            };
            if pool_taint.is_some() || state_taint.is_some() || spot_taint {
                e.list("taints", |e| {
                    if let Some((key, value)) = pool_taint {
                        e.item(|e| {
                            e.text("effect", "NoSchedule");
                            e.text("key", key);
                            e.text("value", value);
                        });
                    }
                    if spot_taint {
                        e.item(|e| {
                            e.text("effect", "NoSchedule");
                            e.text("key", "kubernetes.azure.com/scalesetpriority");
                            e.text("value", "spot");
                        });
                    }
                    if let Some(key) = state_taint {
                        e.item(|e| {
                            e.text("effect", "NoSchedule");
                            e.text("key", key);
                            if node.state != NodeState::Disrupted {
                                e.text("timeAdded", text::time(NOW - 600));
                            }
                        });
                    }
                });
            }
            if node.state == NodeState::Cordoned {
                e.flag("unschedulable", true);
            }
        });
    }

    fn node_status(&self, index: u32, name: &str, node: &NodePlan, e: &mut Emitter) {
        e.object("status", |e| {
            e.list("addresses", |e| {
                for (kind, address) in [
                    ("InternalIP", Self::node_address(index).as_str()),
                    ("InternalDNS", name),
                    ("Hostname", name),
                ] {
                    e.item(|e| {
                        e.text("address", address);
                        e.text("type", kind);
                    });
                }
            });
            e.object("allocatable", |e| resources(node, true, e));
            e.object("capacity", |e| resources(node, false, e));
            e.list("conditions", |e| conditions(node, e));
            e.object("daemonEndpoints", |e| {
                e.object("kubeletEndpoint", |e| e.number("Port", 10_250));
            });
            e.list("images", |e| {
                for image in 0..12 {
                    let bits = mix(self.seed, 40 + image, u64::from(index % 37));
                    e.item(|e| {
                        e.list("names", |e| {
                            let repository =
                                format!("registry.example.com/team-{}/app", bits % 900);
                            e.item_text(&format!("{repository}@sha256:{}", text::digest(bits)));
                            e.item_text(&format!("{repository}:v{}.{}", bits % 9, bits % 77));
                        });
                        e.number("sizeBytes", 20_000_000 + (bits % 300_000_000) as i64);
                    });
                }
            });
            self.node_info(index, node, e);
        });
    }

    fn node_info(&self, index: u32, node: &NodePlan, e: &mut Emitter) {
        e.object("nodeInfo", |e| {
            e.text("architecture", self.pools[node.pool].arch);
            e.text("bootID", text::uid(self.seed, 31, u64::from(index)));
            e.text("containerRuntimeVersion", "containerd://2.1.4");
            e.text("kernelVersion", "6.12.46-66.121.amzn2023.x86_64");
            e.text("kubeProxyVersion", "");
            e.text("kubeletVersion", "v1.36.4");
            e.text("machineID", format!("{:032x}", self.bits(Draw::Other, index)));
            e.text("operatingSystem", "linux");
            e.text("osImage", "Amazon Linux 2023.9.20251020");
            e.text("systemUUID", text::uid(self.seed, 32, u64::from(index)));
        });
    }
}

/// `capacity` or `allocatable`, also of a NodeClaim.
pub(crate) fn resources(node: &NodePlan, allocatable: bool, e: &mut Emitter) {
    let machine = &node.machine;
    let (cpu, memory, disk) = if allocatable {
        (text::cpu(machine.allocatable_cpu()), machine.allocatable_kibibytes(), "76224326324")
    } else {
        (machine.cpus.to_string(), machine.capacity_kibibytes(), "83873772Ki")
    };
    e.text("cpu", cpu);
    e.text("ephemeral-storage", disk);
    e.text("hugepages-1Gi", "0");
    e.text("hugepages-2Mi", "0");
    e.text("memory", format!("{memory}Ki"));
    if machine.gpus > 0 {
        e.text("nvidia.com/gpu", machine.gpus.to_string());
    }
    e.text("pods", machine.max_pods.to_string());
}

fn conditions(node: &NodePlan, e: &mut Emitter) {
    let ready = node.state != NodeState::NotReady;
    let mut one = |kind: &str, reason: &str, message: &str, status: &str| {
        e.item(|e| {
            e.text("lastHeartbeatTime", text::time(NOW - 90));
            e.text("lastTransitionTime", text::time(node.created + 45));
            e.text("message", message);
            e.text("reason", reason);
            e.text("status", status);
            e.text("type", kind);
        });
    };
    let memory = "kubelet has sufficient memory available";
    one("MemoryPressure", "KubeletHasSufficientMemory", memory, "False");
    one("DiskPressure", "KubeletHasNoDiskPressure", "kubelet has no disk pressure", "False");
    one("PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available", "False");
    if ready {
        one("Ready", "KubeletReady", "kubelet is posting ready status", "True");
    } else {
        one("Ready", "NodeStatusUnknown", "Kubelet stopped posting node status.", "Unknown");
    }
}
