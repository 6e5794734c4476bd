//! How a pod is doing.

use super::pod::PodView;
use crate::emit::Emitter;
use crate::plan::{Cluster, Fate};
use crate::text;

impl PodView<'_> {
    pub(super) fn status(&self, e: &mut Emitter) {
        let Some(node) = self.node else {
            self.pending(e);
            return;
        };
        let ready = self.fate == Fate::Running && self.bits % 200 != 7;
        e.list("conditions", |e| self.conditions(ready, e));
        e.list("containerStatuses", |e| {
            self.container_status("app", 1, ready, e);
            if !self.is_daemon() && !self.has_sidecar() {
                self.container_status("proxy", 2, ready, e);
            }
        });
        let host = Cluster::node_address(node);
        e.text("hostIP", &host);
        e.list("hostIPs", |e| e.item(|e| e.text("ip", &host)));
        if self.has_sidecar() {
            e.list("initContainerStatuses", |e| self.container_status("proxy", 2, ready, e));
        }
        e.number("observedGeneration", 1);
        let phase = match self.fate {
            Fate::Running => "Running",
            Fate::Succeeded => "Succeeded",
            Fate::Failed => "Failed",
        };
        e.text("phase", phase);
        e.text("podIP", &self.address);
        e.list("podIPs", |e| e.item(|e| e.text("ip", &self.address)));
        e.text("qosClass", "Burstable");
        e.text("startTime", text::time(self.created + 1));
    }

    fn pending(&self, e: &mut Emitter) {
        let nodes = self.cluster.nodes.len();
        e.list("conditions", |e| {
            e.item(|e| {
                e.null("lastProbeTime");
                e.text("lastTransitionTime", text::time(self.created));
                e.text("message", format!("0/{nodes} nodes are available: {nodes} Insufficient cpu. preemption: 0/{nodes} nodes are available: {nodes} No preemption victims found for incoming pod."));
                e.number("observedGeneration", 1);
                e.text("reason", "Unschedulable");
                e.text("status", "False");
                e.text("type", "PodScheduled");
            });
        });
        e.text("phase", "Pending");
        e.text("qosClass", "Burstable");
    }

    fn conditions(&self, ready: bool, e: &mut Emitter) {
        let done = self.fate != Fate::Running;
        let mut one = |kind: &str, status: bool, reason: Option<&str>, after: i64| {
            e.item(|e| {
                e.null("lastProbeTime");
                e.text("lastTransitionTime", text::time(self.created + after));
                e.number("observedGeneration", 1);
                if let (Some(reason), false) = (reason, status) {
                    e.text("reason", reason);
                }
                e.text("status", if status { "True" } else { "False" });
                e.text("type", kind);
            });
        };
        let reason = match self.fate {
            Fate::Running => "ContainersNotReady",
            Fate::Succeeded => "PodCompleted",
            Fate::Failed => "PodFailed",
        };
        one("PodReadyToStartContainers", !done, None, 3);
        one("Initialized", true, None, 2);
        one("Ready", ready, Some(reason), 12);
        one("ContainersReady", ready, Some(reason), 12);
        one("PodScheduled", true, None, 1);
    }

    fn container_status(&self, name: &str, number: u64, ready: bool, e: &mut Emitter) {
        let image = self.template ^ number;
        e.item(|e| {
            e.text("containerID", format!("containerd://{}", text::digest(self.bits ^ number)));
            let image_name = if number == 1 { &self.workload.name } else { "mesh/proxy" };
            let repository = format!("registry.example.com/{image_name}");
            e.text("image", format!("{repository}:2026.11.{}", self.template % 400));
            e.text("imageID", format!("{repository}@sha256:{}", text::digest(image)));
            e.empty("lastState");
            e.text("name", name);
            e.flag("ready", ready);
            e.number("restartCount", (self.bits % 97 / 90) as i64);
            let running = self.fate == Fate::Running;
            e.flag("started", running);
            e.object("state", |e| {
                if running {
                    e.object("running", |e| e.text("startedAt", text::time(self.created + 4)));
                } else {
                    e.object("terminated", |e| {
                        e.number("exitCode", i64::from(self.fate == Fate::Failed));
                        e.text("finishedAt", text::time(self.created + 400));
                        let failed = self.fate == Fate::Failed;
                        e.text("reason", if failed { "Error" } else { "Completed" });
                        e.text("startedAt", text::time(self.created + 4));
                    });
                }
            });
            e.list("volumeMounts", |e| {
                e.item(|e| {
                    e.text("mountPath", "/var/run/secrets/kubernetes.io/serviceaccount");
                    e.text("name", format!("kube-api-access-{}", text::ending(self.bits >> 5, 5)));
                    e.flag("readOnly", true);
                    e.text("recursiveReadOnly", "Disabled");
                });
            });
        });
    }
}
