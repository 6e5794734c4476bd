//! Nodes: labels that make domains, and room.

use serde_json::{Value, json};

use super::Ingredient::{Cordons, Requests, SoftNodes, Taints};
use super::words::{HOSTNAME, NODE_LABELS, OLD_REGION, OLD_ZONE, REGION, ZONE};
use super::world::{World, labels};
use super::{requests, taints};
use crate::Rng;

pub(super) fn add(world: &mut World<'_>, number: u32) {
    let name = format!("node-{number:02}");
    let rng = &mut world.rng;
    let mut labels = labels(rng, NODE_LABELS, 850);
    hostname(rng, &name, number, &mut labels);
    old_names(rng, &mut labels);
    let mut node = json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "spec": {}, "status": {},
    });
    let room = if world.recipe.has(Requests) {
        requests::room(world)
    } else {
        json!({"cpu": "64", "memory": "256Gi", "ephemeral-storage": "1Ti", "pods": "110"})
    };
    node["status"]["capacity"] = room.clone();
    node["status"]["allocatable"] = room;
    // What pods bear and nodes have should be in proportion.
    let tainted = world.recipe.share(Taints) * 2 / 3;
    if world.rng.permille(tainted) {
        taints::taint(&mut world.rng, &mut node);
    }
    if world.recipe.has(SoftNodes) && world.draws(SoftNodes) {
        taints::taint_softly(&mut world.rng, &mut node);
    }
    let cordoned = world.recipe.share(Cordons) / 2;
    if world.rng.permille(cordoned) {
        node["spec"]["unschedulable"] = json!(true);
        // The node controller adds the taint a moment later.
        if world.rng.permille(500) {
            taints::taint_unschedulable(&mut node);
        }
    }
    world.nodes.push(node);
}

/// Usually the node's name, but nothing enforces it: it may be missing, another, or that of two nodes.
fn hostname(rng: &mut Rng, name: &str, number: u32, labels: &mut Value) {
    match rng.weighted(&[80, 7, 7, 6]) {
        0 => labels[HOSTNAME] = json!(name),
        1 => labels[HOSTNAME] = json!(format!("host-{number}")),
        2 => labels[HOSTNAME] = json!("node-00"),
        _ => {}
    }
}

/// Old clusters have the labels under their old names, as well or instead.
fn old_names(rng: &mut Rng, labels: &mut Value) {
    for (new, old) in [(ZONE, OLD_ZONE), (REGION, OLD_REGION)] {
        let value = labels[new].clone();
        if value.is_null() {
            continue;
        }
        match rng.weighted(&[80, 12, 8]) {
            0 => {}
            1 => labels[old] = value,
            _ => {
                labels[old] = value;
                if let Some(labels) = labels.as_object_mut() {
                    labels.remove(new);
                }
            }
        }
    }
}
