//! Daemon sets, and their pods on every node.

use serde_json::{Value, json};

use super::Ingredient::Daemons;
use super::world::World;
use crate::text::{NOW, time};

/// None, one or two.
pub(super) fn draw(world: &mut World<'_>) {
    for name in ["agent", "mesh"] {
        if !world.draws(Daemons) {
            continue;
        }
        let rng = &mut world.rng;
        let mut spec = json!({
            "containers": [{"name": "main", "resources": {"requests": {
                "cpu": format!("{}m", rng.pick(&[20, 50, 100])),
                "memory": format!("{}Mi", rng.pick(&[32, 64, 200])),
            }}}],
            "tolerations": [{"operator": "Exists"}],
        });
        if name == "mesh" && rng.permille(500) {
            spec["nodeSelector"] = json!({"kubernetes.io/arch": rng.pick(&["amd64", "arm64"])});
        }
        if rng.permille(150) {
            spec["tolerations"] = json!([]);
        }
        let uid = world.uid();
        world.daemons.push(json!({
            "apiVersion": "apps/v1", "kind": "DaemonSet",
            "metadata": {"namespace": "default", "name": name, "uid": uid},
            "spec": {
                "selector": {"matchLabels": {"app": name}},
                "template": {"metadata": {"labels": {"app": name}}, "spec": spec},
            },
        }));
    }
}

/// The pods of all daemon sets on a node, but for some that have not come yet.
pub(super) fn fill(world: &mut World<'_>, at: usize) {
    for daemon in world.daemons.clone() {
        let machine = &world.machines[at];
        let template = &daemon["spec"]["template"]["spec"];
        let arch = &template["nodeSelector"]["kubernetes.io/arch"];
        let tainted = machine.node.as_ref().is_some_and(|node| node["spec"]["taints"].is_array());
        let tolerates = template["tolerations"].as_array().is_some_and(|list| !list.is_empty());
        if arch.as_str().is_some_and(|arch| arch != machine.arch) || tainted && !tolerates {
            continue;
        }
        let node = machine.name.clone();
        if world.rng.permille(60) {
            continue;
        }
        let pod = pod(world, &daemon, &node);
        world.pods.push(pod);
        let room = &mut world.machines[at].room;
        *room = (room.0.saturating_sub(100), room.1.saturating_sub(200), room.2 - 1);
    }
}

fn pod(world: &mut World<'_>, daemon: &Value, node: &str) -> Value {
    let name = daemon["metadata"]["name"].as_str().unwrap_or_default();
    let mut spec = daemon["spec"]["template"]["spec"].clone();
    spec["nodeName"] = json!(node);
    json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "namespace": "default", "name": format!("{name}-{node}"), "uid": world.uid(),
            "labels": {"app": name}, "creationTimestamp": time(NOW - 7000),
            "ownerReferences": [{
                "apiVersion": "apps/v1", "kind": "DaemonSet", "name": name, "controller": true,
                "uid": daemon["metadata"]["uid"],
            }],
        },
        "spec": spec,
        "status": {"phase": "Running", "startTime": time(NOW - 7000)},
    })
}
