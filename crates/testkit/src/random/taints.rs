//! Taints and tolerations.

use serde_json::{Value, json};

use super::world::push;
use crate::Rng;

const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";
const KEYS: &[&str] = &["dedicated", "gpu", "node.kubernetes.io/not-ready"];
const VALUES: &[&str] = &["", "yes", "no"];
const EFFECTS: &[&str] = &["NoSchedule", "NoSchedule", "NoExecute", "PreferNoSchedule"];

/// One or two taints.
pub(super) fn taint(rng: &mut Rng, node: &mut Value) {
    add(rng, node, EFFECTS);
}

/// One or two taints that only ask to stay away.
pub(super) fn taint_softly(rng: &mut Rng, node: &mut Value) {
    add(rng, node, &["PreferNoSchedule"]);
}

fn add(rng: &mut Rng, node: &mut Value, effects: &[&str]) {
    for _ in 0..rng.between(1, 2) {
        let mut taint = json!({"key": rng.pick(KEYS), "effect": rng.pick(effects)});
        let value = *rng.pick(VALUES);
        if !value.is_empty() || rng.permille(300) {
            taint["value"] = json!(value);
        }
        let given = node["spec"]["taints"].as_array().is_some_and(|taints| {
            taints
                .iter()
                .any(|other| other["key"] == taint["key"] && other["effect"] == taint["effect"])
        });
        if !given {
            push(&mut node["spec"]["taints"], taint);
        }
    }
}

/// The taint of a node that is marked unschedulable.
pub(super) fn taint_unschedulable(node: &mut Value) {
    push(&mut node["spec"]["taints"], json!({"key": UNSCHEDULABLE, "effect": "NoSchedule"}));
}

/// One to three tolerations of every form.
pub(super) fn tolerate(rng: &mut Rng, pod: &mut Value) {
    for _ in 0..rng.between(1, 3) {
        let toleration = toleration(rng);
        push(&mut pod["spec"]["tolerations"], toleration);
    }
}

fn toleration(rng: &mut Rng) -> Value {
    let mut toleration = json!({});
    if rng.permille(120) {
        // Without a key the API server takes only this operator.
        toleration["operator"] = json!("Exists");
        if rng.permille(300) {
            toleration["key"] = json!("");
        }
    } else {
        toleration["key"] = json!(rng.pick(KEYS));
        match rng.weighted(&[3, 3, 2]) {
            0 => toleration["operator"] = json!("Exists"),
            1 => toleration["operator"] = json!("Equal"),
            _ => {}
        }
        let value = *rng.pick(VALUES);
        if toleration["operator"] != "Exists" && (!value.is_empty() || rng.permille(300)) {
            toleration["value"] = json!(value);
        }
    }
    match rng.weighted(&[4, 5, 1]) {
        0 => {}
        1 => toleration["effect"] = json!(rng.pick(EFFECTS)),
        _ => {
            toleration["effect"] = json!("NoExecute");
            toleration["tolerationSeconds"] = json!(300);
        }
    }
    toleration
}

/// A toleration that lets a pod onto unschedulable nodes, or just misses.
pub(super) fn tolerate_unschedulable(rng: &mut Rng, pod: &mut Value) {
    let toleration = match rng.weighted(&[4, 2, 2, 1, 1, 2]) {
        0 => json!({"key": UNSCHEDULABLE, "operator": "Exists", "effect": "NoSchedule"}),
        1 => json!({"key": UNSCHEDULABLE, "operator": "Exists"}),
        2 => json!({"key": UNSCHEDULABLE, "operator": "Exists", "effect": "NoExecute"}),
        3 => json!({"key": UNSCHEDULABLE, "effect": "NoSchedule"}),
        4 => json!({"key": UNSCHEDULABLE, "operator": "Equal", "value": "true"}),
        _ => json!({"operator": "Exists"}),
    };
    push(&mut pod["spec"]["tolerations"], toleration);
}
