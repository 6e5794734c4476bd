//! Pods: where they are in their life, and all else that they have.

use serde_json::{Value, json};

use super::Ingredient::{
    Binding, Cordons, Daemons, Gates, HostPorts, Life, NodeAffinity, NodeSelectors, Nominations,
    Owners, PodAffinity, Requests, Resizes, SoftNodes, SoftPods, SoftSpread, Spread, Taints,
    Volumes,
};
use super::words::NAMESPACES;
use super::world::{World, pod_labels, push, uid};
use super::{
    affinity, binding, node_affinity, owners, ports, requests, resize, spread, taints, volumes,
};

/// Adds a pod with whatever the recipe draws for it.
pub(super) fn add_pod(world: &mut World<'_>, number: u32) {
    let mut pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "namespace": NAMESPACES[world.rng.weighted(&[45, 25, 20, 10])],
            "name": format!("pod-{number:02}"),
            "uid": uid(&mut world.rng),
            "labels": pod_labels(&mut world.rng),
            "creationTimestamp": "2026-11-15T10:00:00Z",
        },
        "spec": {},
        "status": {"phase": "Pending"},
    });
    if world.rng.permille(300) {
        pod["spec"]["priority"] = json!(*world.rng.pick(&[-10, 5, 100]));
    }
    constrain(world, &mut pod);
    let daemon = world.draws(Daemons);
    if daemon {
        pin(world, &mut pod);
    }
    if world.rng.permille(650) {
        run(world, &mut pod, daemon);
    } else {
        wait(world, &mut pod);
    }
    world.pods.push(pod);
}

fn constrain(world: &mut World<'_>, pod: &mut Value) {
    if world.draws(Requests) {
        requests::ask(&mut world.rng, pod);
    } else {
        requests::ask_little(&mut world.rng, pod);
    }
    if world.draws(NodeSelectors) {
        node_affinity::select(world, pod);
    }
    if world.draws(NodeAffinity) {
        node_affinity::require(world, pod);
    }
    if world.draws(Taints) {
        taints::tolerate(&mut world.rng, pod);
    }
    if world.draws(Cordons) {
        taints::tolerate_unschedulable(&mut world.rng, pod);
    }
    if world.draws(PodAffinity) {
        affinity::attract_or_repel(&mut world.rng, pod);
    }
    if world.draws(Spread) {
        spread::spread(&mut world.rng, pod);
    }
    if world.draws(HostPorts) {
        ports::open(&mut world.rng, pod);
    }
    if world.draws(Volumes) {
        volumes::mount(world, pod);
    }
    if world.draws(Binding) {
        binding::mount(world, pod);
    }
    prefer(world, pod);
}

/// What need not hold. Recipes without it draw nothing for it, so that their clusters stay what they are.
fn prefer(world: &mut World<'_>, pod: &mut Value) {
    if world.recipe.has(SoftNodes) && world.draws(SoftNodes) {
        node_affinity::prefer(world, pod);
        if world.rng.permille(500) {
            taints::tolerate(&mut world.rng, pod);
        }
    }
    if world.recipe.has(SoftPods) && world.draws(SoftPods) {
        affinity::prefer(&mut world.rng, pod);
    }
    if world.recipe.has(SoftSpread) && world.draws(SoftSpread) {
        spread::spread_softly(&mut world.rng, pod);
    }
    if world.recipe.has(Owners) && world.draws(Owners) {
        owners::own(world, pod);
    }
}

/// A pod of a daemon set is for one node, which its controller writes into its affinity. Spread would make no sense.
fn pin(world: &mut World<'_>, pod: &mut Value) {
    let node = world.some_node();
    pod["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "controller": true,
        "uid": "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
    }]);
    pod["spec"]["affinity"]["nodeAffinity"] = json!({
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]},
        ]},
    });
    if let Some(spec) = pod["spec"].as_object_mut() {
        spec.remove("topologySpreadConstraints");
    }
    for (key, effect) in [
        ("node.kubernetes.io/not-ready", "NoExecute"),
        ("node.kubernetes.io/unreachable", "NoExecute"),
        ("node.kubernetes.io/disk-pressure", "NoSchedule"),
        ("node.kubernetes.io/unschedulable", "NoSchedule"),
    ] {
        push(
            &mut pod["spec"]["tolerations"],
            json!({"key": key, "operator": "Exists", "effect": effect}),
        );
    }
}

/// The pod is on a node.
fn run(world: &mut World<'_>, pod: &mut Value, daemon: bool) {
    let pinned = &pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
        ["nodeSelectorTerms"][0]["matchFields"][0]["values"][0];
    let node = if daemon { pinned.clone() } else { json!(world.some_node()) };
    pod["spec"]["nodeName"] = node;
    // Its containers may not have started yet.
    pod["status"]["phase"] = json!(if world.rng.permille(900) { "Running" } else { "Pending" });
    if world.draws(Resizes) {
        resize::resize(&mut world.rng, pod);
    }
    if !world.draws(Life) {
        return;
    }
    match world.rng.weighted(&[35, 25, 15, 15, 10]) {
        0 => terminate(pod),
        1 => pod["status"]["phase"] = json!(world.rng.pick(&["Succeeded", "Failed"])),
        2 if !daemon => pod["spec"]["nodeName"] = json!("node-gone"),
        3 if !daemon => {
            let node = &pod["spec"]["nodeName"];
            pod["metadata"]["ownerReferences"] = json!([{
                "apiVersion": "v1", "kind": "Node", "name": node, "controller": true,
                "uid": "11111111-2222-3333-4444-555555555555",
            }]);
            pod["metadata"]["annotations"] = json!({"kubernetes.io/config.mirror": "abc"});
        }
        _ => pod["status"]["phase"] = json!("Unknown"),
    }
}

/// The pod has no node yet.
fn wait(world: &mut World<'_>, pod: &mut Value) {
    if world.draws(Gates) {
        pod["spec"]["schedulingGates"] = json!([{"name": "example.com/quota"}]);
    } else if world.draws(Nominations) {
        let node = if world.rng.permille(950) { world.some_node() } else { "gone".to_owned() };
        pod["status"]["nominatedNodeName"] = json!(node);
    } else if world.draws(Life) {
        match world.rng.below(3) {
            0 => terminate(pod),
            1 => pod["status"]["phase"] = json!("Failed"),
            _ => {}
        }
    }
}

fn terminate(pod: &mut Value) {
    pod["metadata"]["deletionTimestamp"] = json!("2026-11-15T11:00:00Z");
}
