//! The containers of a pod.

use super::pod::PodView;
use crate::emit::Emitter;
use crate::plan::nodes::Room;
use crate::plan::workloads::{Owner, PROXY};
use crate::text;

impl PodView<'_> {
    pub(super) fn containers(&self, e: &mut Emitter) {
        let request = self.workload.request;
        if self.is_daemon() {
            e.item(|e| self.container(request, e));
            return;
        }
        let main =
            Room { cpu: request.cpu - PROXY.cpu, memory: request.memory - PROXY.memory, ..request };
        e.item(|e| self.container(main, e));
        if !self.has_sidecar() {
            e.item(|e| self.proxy(false, e));
        }
    }

    fn image(&self) -> String {
        let namespace = &self.cluster.namespaces[self.workload.namespace];
        let version = self.template % 400;
        format!("registry.example.com/{namespace}/{}:2026.11.{version}", self.workload.name)
    }

    fn container(&self, request: Room, e: &mut Emitter) {
        e.list("args", |e| {
            e.item_text("--listen=0.0.0.0:8080");
            e.item_text(&format!("--shards={}", 1 + self.template % 16));
        });
        e.list("env", |e| {
            e.item(|e| {
                e.text("name", "DATABASE_URL");
                e.object("valueFrom", |e| {
                    e.object("secretKeyRef", |e| {
                        e.text("key", "url");
                        e.text("name", format!("{}-database", self.workload.name));
                    });
                });
            });
            e.item(|e| {
                e.text("name", "LOG_LEVEL");
                e.text("value", "info");
            });
            e.item(|e| {
                e.text("name", "POD_NAME");
                e.object("valueFrom", |e| {
                    e.object("fieldRef", |e| {
                        e.text("apiVersion", "v1");
                        e.text("fieldPath", "metadata.name");
                    });
                });
            });
        });
        e.text("image", self.image());
        e.text("imagePullPolicy", "IfNotPresent");
        probe("livenessProbe", "/healthz", 10, e);
        e.text("name", "app");
        e.list("ports", |e| {
            e.item(|e| {
                e.number("containerPort", 8080);
                if self.is_daemon() {
                    // Daemons of the host's network hold one port of the host each.
                    e.number("hostPort", 8080 + i64::from(self.workload_index));
                }
                e.text("name", "http");
                e.text("protocol", "TCP");
            });
        });
        probe("readinessProbe", "/ready", 5, e);
        e.object("resources", |e| self.resources(request, e));
        e.text("terminationMessagePath", "/dev/termination-log");
        e.text("terminationMessagePolicy", "File");
        self.mounts(e);
    }

    fn resources(&self, request: Room, e: &mut Emitter) {
        if request.memory > 0 {
            e.object("limits", |e| {
                e.text("memory", text::memory(request.memory * 2));
                if request.gpus > 0 {
                    e.text("nvidia.com/gpu", request.gpus.to_string());
                }
            });
        }
        e.object("requests", |e| {
            e.text("cpu", text::cpu(request.cpu));
            if request.memory > 0 {
                // Some people write bytes.
                let memory = match self.template % 20 {
                    0 => (u64::from(request.memory) << 20).to_string(),
                    _ => text::memory(request.memory),
                };
                e.text("memory", memory);
            }
            if request.gpus > 0 {
                e.text("nvidia.com/gpu", request.gpus.to_string());
            }
        });
    }

    fn mounts(&self, e: &mut Emitter) {
        e.list("volumeMounts", |e| {
            e.item(|e| {
                e.text("mountPath", "/etc/app");
                e.text("name", "config");
                e.flag("readOnly", true);
            });
            if self.workload.owner == Owner::StatefulSet {
                e.item(|e| {
                    e.text("mountPath", "/var/lib/data");
                    e.text("name", "data");
                });
            }
            self.token_mount(e);
        });
    }

    fn token_mount(&self, e: &mut Emitter) {
        e.item(|e| {
            e.text("mountPath", "/var/run/secrets/kubernetes.io/serviceaccount");
            e.text("name", self.token_volume());
            e.flag("readOnly", true);
        });
    }

    pub(super) fn token_volume(&self) -> String {
        format!("kube-api-access-{}", text::ending(self.bits >> 5, 5))
    }

    pub(super) fn proxy(&self, sidecar: bool, e: &mut Emitter) {
        e.text("image", "registry.example.com/mesh/proxy:v1.28.3");
        e.text("imagePullPolicy", "IfNotPresent");
        e.text("name", "proxy");
        e.object("resources", |e| {
            e.object("limits", |e| e.text("memory", "128Mi"));
            e.object("requests", |e| {
                e.text("cpu", text::cpu(PROXY.cpu));
                e.text("memory", text::memory(PROXY.memory));
            });
        });
        if sidecar {
            e.text("restartPolicy", "Always");
        }
        e.text("terminationMessagePath", "/dev/termination-log");
        e.text("terminationMessagePolicy", "File");
        e.list("volumeMounts", |e| self.token_mount(e));
    }

    pub(super) fn init_container(&self, e: &mut Emitter) {
        e.list("command", |e| {
            e.item_text("/bin/migrate");
            e.item_text("--wait");
        });
        e.text("image", self.image());
        e.text("imagePullPolicy", "IfNotPresent");
        e.text("name", "migrate");
        e.object("resources", |e| {
            e.object("requests", |e| {
                e.text("cpu", text::cpu(self.workload.request.cpu - PROXY.cpu));
                e.text("memory", text::memory(self.workload.request.memory - PROXY.memory));
            });
        });
        e.text("terminationMessagePath", "/dev/termination-log");
        e.text("terminationMessagePolicy", "File");
    }
}

fn probe(key: &str, path: &str, period: i64, e: &mut Emitter) {
    e.object(key, |e| {
        e.number("failureThreshold", 3);
        e.object("httpGet", |e| {
            e.text("path", path);
            e.text("port", "http");
            e.text("scheme", "HTTP");
        });
        e.number("initialDelaySeconds", 5);
        e.number("periodSeconds", period);
        e.number("successThreshold", 1);
        e.number("timeoutSeconds", 1);
    });
}
