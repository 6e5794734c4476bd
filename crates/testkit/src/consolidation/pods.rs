//! Pods: that of an application on a node, or waiting for one.

use serde_json::{Value, json};

use super::Ingredient::{Costs, Life, Pending, Selectors, Volumes};
use super::catalogue::FAMILY;
use super::protect;
use super::world::{HOSTNAME, POOL, TERMS, World, ZONE, condition, push};
use crate::text::{NOW, time};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

/// A pod of an application, on a node.
pub(super) fn add(world: &mut World<'_>, app: usize, machine: usize) {
    let mut pod = pod(world, app);
    let name = world.machines[machine].name.clone();
    pod["spec"]["nodeName"] = json!(name);
    let started = NOW - i64::from(world.rng.between(600, 40_000));
    pod["metadata"]["creationTimestamp"] = json!(time(started - 5));
    pod["status"] = json!({
        "phase": "Running", "startTime": time(started),
        "conditions": [condition("Ready", "True", started)],
    });
    if let Some(at) = world.machines[machine].pool
        && world.pools[at].taint.is_some()
    {
        let taint = json!({"key": "dedicated", "operator": "Equal", "value": world.pools[at].name});
        push(&mut pod["spec"]["tolerations"], taint);
    }
    if world.draws(Selectors) {
        select(world, machine, &mut pod);
    }
    if world.draws(Volumes) {
        mount(world, machine, &mut pod);
    }
    protect::annotate(world, &mut pod, started);
    if world.draws(Life) {
        live(world, &mut pod, &name);
    }
    world.pods.push(pod);
}

/// A pod as its application makes it.
fn pod(world: &mut World<'_>, app: usize) -> Value {
    let uid = world.uid();
    let own = &mut world.apps[app];
    own.made += 1;
    let mut spec = own.spec.clone();
    spec["containers"] = json!([{"name": "main", "resources": {"requests": {
        "cpu": format!("{}m", own.requests.0), "memory": format!("{}Mi", own.requests.1),
    }}}]);
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "namespace": own.namespace, "name": format!("{}-{:02}", own.name, own.made),
            "uid": uid, "labels": {"app": own.name}, "creationTimestamp": time(NOW - 600),
        },
        "spec": spec,
        "status": {"phase": "Pending"},
    });
    if let Some((version, kind, uid)) = &own.owner {
        pod["metadata"]["ownerReferences"] = json!([{
            "apiVersion": version, "kind": kind, "name": own.name, "uid": uid, "controller": true,
        }]);
    }
    if world.draws(Costs) {
        cost(world, &mut pod);
    }
    pod
}

fn cost(world: &mut World<'_>, pod: &mut Value) {
    let rng = &mut world.rng;
    if rng.permille(600) {
        let priority =
            *rng.pick(&[1_000_000, 100_000_000, 2_000_000_000, -10, -33_554_432, -50_000_000]);
        pod["spec"]["priority"] = json!(priority);
        if priority == 1_000_000 {
            pod["spec"]["priorityClassName"] = json!("high");
        }
    }
    if rng.permille(600) {
        let costs =
            ["100", "-1000000", "-134217728", "-2147483647", "2147483647", "1.5", "much", ""];
        pod["metadata"]["annotations"]["controller.kubernetes.io/pod-deletion-cost"] =
            json!(rng.pick(&costs));
    }
}

/// The pod wants something that its node has.
fn select(world: &mut World<'_>, machine: usize, pod: &mut Value) {
    let Some(node) = &world.machines[machine].node else { return };
    let labels = &node["metadata"]["labels"];
    let rng = &mut world.rng;
    let key = *rng.pick(&[ZONE, ZONE, TERMS, "kubernetes.io/arch", FAMILY, POOL, HOSTNAME]);
    let value = labels[key].clone();
    if value.is_null() {
        return;
    }
    match rng.below(3) {
        0 => pod["spec"]["nodeSelector"] = json!({key: value}),
        1 => {
            let terms = &mut pod["spec"]["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"];
            let wanted = json!({"key": key, "operator": "In", "values": [value, "zone-b", "spot"]});
            push(terms, json!({"matchExpressions": [wanted]}));
        }
        _ => {
            let terms = &mut pod["spec"]["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"];
            let away = json!({"key": FAMILY, "operator": "NotIn", "values": ["r1", "absent"]});
            push(terms, json!({"matchExpressions": [away]}));
            let wanted = json!({"key": key, "operator": "In", "values": [value]});
            push(terms, json!({"matchExpressions": [wanted]}));
        }
    }
}

/// A volume in the zone of the node.
fn mount(world: &mut World<'_>, machine: usize, pod: &mut Value) {
    let zone = world.machines[machine].zone;
    let name = format!("data-{}", pod["metadata"]["name"].as_str().unwrap_or_default());
    let namespace = pod["metadata"]["namespace"].clone();
    let volume = format!("pv-{}-{name}", namespace.as_str().unwrap_or_default());
    let expression = json!({"key": ZONE, "operator": "In", "values": [zone]});
    world.others.push(json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": volume},
        "spec": {
            "csi": {"driver": "ebs.csi.aws.com", "volumeHandle": volume},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}},
        },
        "status": {"phase": "Bound"},
    }));
    world.others.push(json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {
            "namespace": namespace, "name": name,
            "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
        },
        "spec": {"volumeName": volume, "storageClassName": "fast"}, "status": {"phase": "Bound"},
    }));
    pod["spec"]["volumes"] =
        json!([{"name": "data", "persistentVolumeClaim": {"claimName": name}}]);
}

fn live(world: &mut World<'_>, pod: &mut Value, node: &str) {
    let since = NOW - 300;
    match world.rng.weighted(&[25, 30, 25, 20]) {
        0 => pod["status"]["phase"] = json!(world.rng.pick(&["Succeeded", "Failed"])),
        1 => {
            pod["metadata"]["deletionTimestamp"] = json!(time(NOW - 20));
            pod["metadata"]["deletionGracePeriodSeconds"] = json!(30);
        }
        2 => pod["status"]["conditions"] = json!([condition("Ready", "False", since)]),
        _ => {
            pod["metadata"]["ownerReferences"] = json!([{
                "apiVersion": "v1", "kind": "Node", "name": node, "controller": true,
                "uid": "11111111-2222-3333-4444-555555555555",
            }]);
            pod["metadata"]["annotations"]["kubernetes.io/config.mirror"] = json!("abc");
        }
    }
}

/// Up to three pods that the scheduler could not place.
pub(super) fn add_pending(world: &mut World<'_>) {
    for _ in 0..3 {
        if !world.draws(Pending) {
            continue;
        }
        let app = world.rng.below(world.apps.len() as u32) as usize;
        let mut pod = pod(world, app);
        let mut waiting = condition("PodScheduled", "False", NOW - 60);
        waiting["reason"] = json!("Unschedulable");
        pod["status"]["conditions"] = json!([waiting]);
        match world.rng.weighted(&[40, 20, 20, 10, 10]) {
            0 => {}
            1 => pod["spec"]["nodeSelector"] = json!({ZONE: "zone-z"}),
            2 => {
                let much = json!({"cpu": "14", "memory": "12Gi"});
                pod["spec"]["containers"][0]["resources"]["requests"] = much;
            }
            // Scheduled already, but not yet on its node.
            3 => pod["status"]["nominatedNodeName"] = json!("node-00"),
            // Nobody tried yet.
            _ => super::world::remove(&mut pod["status"], "conditions"),
        }
        world.pods.push(pod);
    }
}
