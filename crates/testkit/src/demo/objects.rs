//! Applications, daemons and their pods.

use serde_json::{Value, json};

use super::machines::{condition, name};
use super::story::{APPS, App, Care, DAEMONS, Daemon, Node};
use crate::rng::mix;
use crate::text::{NOW, ending, time, uid};

const MARK: &str = "karpenter.sh/do-not-disrupt";

/// What is in the cluster besides nodes and pods.
pub(super) fn around() -> Vec<Value> {
    let mut names: Vec<&str> = APPS.iter().map(|app| app.namespace).collect();
    names.push("kube-system");
    names.sort_unstable();
    names.dedup();
    let namespace = |name: &&str| {
        let labels = json!({"kubernetes.io/metadata.name": name});
        json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
    };
    let mut items: Vec<Value> = names.iter().map(namespace).collect();
    items.push(json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "gp3"},
        "provisioner": "ebs.csi.aws.com", "volumeBindingMode": "WaitForFirstConsumer",
    }));
    items
}

fn requests(cpu: u32, memory: u32) -> Value {
    json!({"requests": {"cpu": format!("{cpu}m"), "memory": format!("{memory}Mi")}})
}

fn selector(app: &App) -> Value {
    json!({"matchLabels": {"app": app.name}})
}

/// The spec of an application's pods.
fn spec(app: &App) -> Value {
    let container = json!({"name": app.name, "resources": requests(app.cpu, app.memory)});
    let mut spec = json!({
        "containers": [container],
        "nodeSelector": {"karpenter.sh/nodepool": app.pool},
        "tolerations": [{"key": "dedicated", "operator": "Equal", "value": app.pool, "effect": "NoSchedule"}],
    });
    match app.care {
        Care::Spread => {
            spec["topologySpreadConstraints"] = json!([{
                "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": selector(app),
            }]);
        }
        Care::Apart => {
            let term =
                json!({"topologyKey": "kubernetes.io/hostname", "labelSelector": selector(app)});
            spec["affinity"]["podAntiAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] =
                json!([{"weight": 100, "podAffinityTerm": term}]);
        }
        Care::Volume => {
            let claim = json!({"claimName": format!("data-{}-0", app.name)});
            spec["volumes"] = json!([{"name": "data", "persistentVolumeClaim": claim}]);
        }
        _ => {}
    }
    spec
}

fn annotations(app: &App) -> Value {
    match app.care {
        Care::DoNotDisrupt => json!({MARK: "true"}),
        Care::Misspelled => json!({MARK: "yes"}),
        _ => json!({}),
    }
}

fn number(app: &App) -> u64 {
    APPS.iter().position(|own| own.name == app.name).unwrap_or_default() as u64
}

fn hash(app: &App) -> String {
    ending(mix(2, 9, number(app)), 9)
}

/// What makes an application's pods, and what protects them.
pub(super) fn controllers(app: &App) -> Vec<Value> {
    if app.care == Care::NoController {
        return Vec::new();
    }
    let meta = |name: &str, what: u64| {
        json!({
            "namespace": app.namespace, "name": name, "uid": uid(2, what, number(app)), "generation": 1,
            "creationTimestamp": time(NOW - 30 * 86_400), "labels": {"app": app.name},
        })
    };
    let template = json!({"metadata": {"labels": {"app": app.name}, "annotations": annotations(app)}, "spec": spec(app)});
    let counts = json!({
        "replicas": app.replicas, "readyReplicas": app.replicas, "availableReplicas": app.replicas,
        "updatedReplicas": app.replicas, "observedGeneration": 1,
    });
    let body = json!({"replicas": app.replicas, "selector": selector(app), "template": template});
    let mut items = Vec::new();
    if app.care == Care::Volume {
        items.push(json!({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": meta(app.name, 1), "spec": body, "status": counts}));
        items.extend(volume(app));
    } else {
        let mut owned = meta(&format!("{}-{}", app.name, hash(app)), 2);
        owned["ownerReferences"] = owner("Deployment", app.name, &uid(2, 1, number(app)));
        items.push(json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta(app.name, 1), "spec": body, "status": counts}));
        items.push(json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": owned, "spec": body, "status": counts}));
    }
    let allowed = match app.care {
        Care::OneAtATime => json!({"maxUnavailable": 1}),
        Care::NeverAny => json!({"minAvailable": "100%"}),
        _ => return items,
    };
    let least = if app.care == Care::NeverAny { app.replicas } else { app.replicas - 1 };
    let mut budget = json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta(app.name, 3), "spec": allowed,
        "status": {
            "expectedPods": app.replicas, "currentHealthy": app.replicas, "desiredHealthy": least,
            "disruptionsAllowed": app.replicas - least, "observedGeneration": 1,
        },
    });
    budget["spec"]["selector"] = selector(app);
    items.push(budget);
    items
}

fn owner(kind: &str, name: &str, uid: &str) -> Value {
    json!([{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": uid, "controller": true}])
}

/// The volume of an application's only pod, in the zone of the first node.
fn volume(app: &App) -> [Value; 2] {
    let (claim, volume) = (format!("data-{}-0", app.name), "pvc-5f3c0d1e");
    let size = json!({"storage": "100Gi"});
    let zone =
        json!({"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["us-east-1a"]});
    [
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": volume},
            "spec": {
                "accessModes": ["ReadWriteOnce"], "capacity": size, "storageClassName": "gp3",
                "csi": {"driver": "ebs.csi.aws.com", "volumeHandle": "vol-0c1d2e3f4a5b6c7d8"},
                "claimRef": {"namespace": app.namespace, "name": claim},
                "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [zone]}]}},
            },
            "status": {"phase": "Bound"},
        }),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {
                "namespace": app.namespace, "name": claim,
                "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
            },
            "spec": {
                "accessModes": ["ReadWriteOnce"], "resources": {"requests": size}, "storageClassName": "gp3",
                "volumeName": volume,
            },
            "status": {"phase": "Bound"},
        }),
    ]
}

fn daemon_spec(daemon: &Daemon) -> Value {
    json!({
        "containers": [{"name": daemon.name, "resources": requests(daemon.cpu, daemon.memory)}],
        "tolerations": [{"operator": "Exists"}],
        "priorityClassName": "system-node-critical", "priority": 2_000_001_000,
    })
}

pub(super) fn daemon_set(daemon: &Daemon) -> Value {
    let labels = json!({"app": daemon.name});
    json!({
        "apiVersion": "apps/v1", "kind": "DaemonSet",
        "metadata": {"namespace": "kube-system", "name": daemon.name, "uid": daemon_uid(daemon), "generation": 1},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": daemon_spec(daemon)},
        },
    })
}

fn daemon_uid(daemon: &Daemon) -> String {
    let at = DAEMONS.iter().position(|own| own.name == daemon.name).unwrap_or_default();
    uid(3, 1, at as u64)
}

/// The pods of a node.
pub(super) fn pods(at: usize, node: &Node) -> Vec<Value> {
    // They came with the node, and have run quietly since.
    let started = (NOW - node.minutes * 60 + 90).min(NOW - 60);
    let mut items = Vec::new();
    for (which, count) in node.pods {
        let Some(app) = APPS.iter().find(|own| own.name == *which) else { continue };
        for copy in 0..*count {
            items.push(pod(app, at, copy, started));
        }
    }
    for (which, daemon) in DAEMONS.iter().enumerate() {
        let mut pod = running(
            "kube-system",
            &format!("{}-{}", daemon.name, ending(mixed(at, which, 3), 5)),
            at,
            started,
        );
        pod["metadata"]["labels"] = json!({"app": daemon.name});
        pod["metadata"]["ownerReferences"] = owner("DaemonSet", daemon.name, &daemon_uid(daemon));
        pod["metadata"]["uid"] = json!(uid(4, at as u64, which as u64));
        let mut spec = daemon_spec(daemon);
        spec["nodeName"] = json!(name(at));
        pod["spec"] = spec;
        items.push(pod);
    }
    items
}

fn mixed(node: usize, which: usize, copy: u32) -> u64 {
    mix(node as u64, which as u64, u64::from(copy))
}

fn running(namespace: &str, pod: &str, at: usize, started: i64) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"namespace": namespace, "name": pod, "creationTimestamp": time(started - 5)},
        "spec": {"nodeName": name(at)},
        "status": {
            "phase": "Running", "startTime": time(started),
            "conditions": [condition("PodScheduled", started - 4), condition("Ready", started)],
        },
    })
}

fn pod(app: &App, at: usize, copy: u32, started: i64) -> Value {
    let own = number(app);
    let (kind, maker, maker_uid) = match app.care {
        Care::Volume => ("StatefulSet", app.name.to_owned(), uid(2, 1, own)),
        _ => ("ReplicaSet", format!("{}-{}", app.name, hash(app)), uid(2, 2, own)),
    };
    let called = match app.care {
        Care::Volume => format!("{}-{copy}", app.name),
        Care::NoController => app.name.to_owned(),
        _ => format!("{maker}-{}", ending(mixed(at, app.name.len() + own as usize, copy), 5)),
    };
    let mut pod = running(app.namespace, &called, at, started);
    pod["metadata"]["labels"] = json!({"app": app.name});
    pod["metadata"]["annotations"] = annotations(app);
    pod["metadata"]["uid"] = json!(uid(5, at as u64 * 64 + own, u64::from(copy)));
    if app.care != Care::NoController {
        pod["metadata"]["ownerReferences"] = owner(kind, &maker, &maker_uid);
    }
    let mut spec = spec(app);
    spec["nodeName"] = json!(name(at));
    pod["spec"] = spec;
    pod
}
