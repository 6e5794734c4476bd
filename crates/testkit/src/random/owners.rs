//! Services and controllers, and the pods that belong to them.

use serde_json::{Value, json};

use super::Ingredient::Owners;
use super::selector;
use super::words::{NAMESPACES, POD_LABELS};
use super::world::{World, labels, name_of, namespace_of, uid};

const CONTROLLERS: &[(&str, &str)] =
    &[("apps/v1", "ReplicaSet"), ("apps/v1", "StatefulSet"), ("v1", "ReplicationController")];

/// A few of each in every namespace.
pub(super) fn add(world: &mut World<'_>) {
    if !world.recipe.has(Owners) {
        return;
    }
    for namespace in NAMESPACES {
        for number in 0..world.rng.between(1, 3) {
            let mut service = json!({
                "apiVersion": "v1", "kind": "Service",
                "metadata": {"namespace": namespace, "name": format!("service-{number}")},
                "spec": {},
            });
            // Without a selector it has no pods; an empty one is as good as none.
            if world.rng.permille(900) {
                service["spec"]["selector"] = labels(&mut world.rng, POD_LABELS, 350);
            }
            world.others.push(service);
        }
        for (version, kind) in CONTROLLERS {
            for number in 0..world.rng.between(1, 2) {
                let controller = controller(world, namespace, (version, kind), number);
                world.others.push(controller);
            }
        }
    }
}

fn controller(world: &mut World<'_>, namespace: &str, kind: (&str, &str), number: u32) -> Value {
    let name = format!("{}-{number}", kind.1.to_lowercase());
    let mut controller = json!({
        "apiVersion": kind.0, "kind": kind.1,
        "metadata": {"namespace": namespace, "name": name, "uid": uid(&mut world.rng)},
        "spec": {"replicas": 1},
    });
    if kind.1 == "ReplicationController" {
        controller["spec"]["selector"] = labels(&mut world.rng, POD_LABELS, 500);
    } else if let Some(selector) = selector::of_pods(&mut world.rng) {
        controller["spec"]["selector"] = selector;
    }
    controller
}

/// Makes a pod that of a controller of its namespace, or of one that is gone. Labels may have changed since.
pub(super) fn own(world: &mut World<'_>, pod: &mut Value) {
    let is_controller = |kind: &Value| CONTROLLERS.iter().any(|(_, own)| kind == own);
    let there: Vec<Value> = world
        .others
        .iter()
        .filter(|object| is_controller(&object["kind"]))
        .filter(|object| namespace_of(object) == namespace_of(pod))
        .cloned()
        .collect();
    let controller = world.rng.pick(&there).clone();
    let gone = world.rng.permille(60);
    pod["metadata"]["ownerReferences"] = json!([{
        "apiVersion": controller["apiVersion"], "kind": controller["kind"], "controller": true,
        "name": if gone { "gone" } else { name_of(&controller) },
        "uid": controller["metadata"]["uid"],
    }]);
    let selector = &controller["spec"]["selector"];
    let wanted =
        if selector["matchLabels"].is_object() { &selector["matchLabels"] } else { selector };
    for (key, value) in wanted.as_object().into_iter().flatten() {
        if value.is_string() && world.rng.permille(850) {
            pod["metadata"]["labels"][key] = value.clone();
        }
    }
}
