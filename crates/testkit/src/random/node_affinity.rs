//! Node selectors and required node affinity.

use serde_json::{Value, json};

use super::words::{NODE_LABELS, SIZES};
use super::world::{World, push, some_of};
use crate::Rng;

/// A plain node selector, mostly one that some node satisfies.
pub(super) fn select(world: &mut World<'_>, pod: &mut Value) {
    let at = world.rng.below(world.nodes.len() as u32) as usize;
    let most = if world.rng.permille(800) { 1 } else { 2 };
    for (key, values) in some_of(&mut world.rng, &NODE_LABELS[..5], most) {
        let there = &world.nodes[at]["metadata"]["labels"][*key];
        let value = if there.is_null() || world.rng.permille(200) {
            json!(world.rng.pick(values))
        } else {
            there.clone()
        };
        pod["spec"]["nodeSelector"][*key] = value;
    }
}

/// Required node affinity: terms of which one must hold.
pub(super) fn require(world: &mut World<'_>, pod: &mut Value) {
    let affinity = &mut pod["spec"]["affinity"]["nodeAffinity"];
    if world.rng.permille(250) {
        let preferred = &mut affinity["preferredDuringSchedulingIgnoredDuringExecution"];
        let weight = world.rng.between(1, 100);
        push(preferred, json!({"weight": weight, "preference": term(world)}));
    }
    let required = &mut affinity["requiredDuringSchedulingIgnoredDuringExecution"];
    for _ in 0..world.rng.between(1, 3) {
        let term = term(world);
        push(&mut required["nodeSelectorTerms"], term);
    }
}

/// Preferred node affinity.
pub(super) fn prefer(world: &mut World<'_>, pod: &mut Value) {
    for _ in 0..world.rng.between(1, 4) {
        let mut term = term(world);
        for wanted in term["matchExpressions"].as_array_mut().into_iter().flatten() {
            // The real scheduler gives up on a pod that prefers what is no number.
            if wanted["operator"] == "Gt" || wanted["operator"] == "Lt" {
                wanted["values"] = json!([world.rng.pick(&["0", "1", "2", "3", "8"])]);
            }
        }
        let preferred = json!({"weight": world.rng.between(1, 100), "preference": term});
        let affinity = &mut pod["spec"]["affinity"]["nodeAffinity"];
        push(&mut affinity["preferredDuringSchedulingIgnoredDuringExecution"], preferred);
    }
}

/// One term; an empty one matches no node.
fn term(world: &mut World<'_>) -> Value {
    let mut term = json!({});
    if world.rng.permille(60) {
        return term;
    }
    let by_name = world.rng.permille(180);
    if !by_name || world.rng.permille(400) {
        term["matchExpressions"] = Value::Array(expressions(&mut world.rng));
    }
    if by_name {
        // The name of no node is possible too.
        let name = if world.rng.permille(900) { world.some_node() } else { "node-gone".to_owned() };
        let operator = *world.rng.pick(&["In", "NotIn"]);
        push(
            &mut term["matchFields"],
            json!({"key": "metadata.name", "operator": operator, "values": [name]}),
        );
    }
    term
}

/// One to three requirements on labels.
pub(super) fn expressions(rng: &mut Rng) -> Vec<Value> {
    let most = rng.between(1, 2);
    some_of(rng, NODE_LABELS, most)
        .into_iter()
        .map(|(key, values)| expression(rng, key, values))
        .collect()
}

fn expression(rng: &mut Rng, key: &str, values: &[&str]) -> Value {
    let numbers = key == "size" && rng.permille(700);
    if numbers {
        let operator = *rng.pick(&["Gt", "Lt"]);
        let value = if rng.permille(850) {
            *rng.pick(&["0", "1", "2", "3", "8", "-1", "+2", "9223372036854775807"])
        } else {
            *rng.pick(SIZES)
        };
        return json!({"key": key, "operator": operator, "values": [value]});
    }
    match rng.weighted(&[5, 3, 2, 2]) {
        0 => json!({"key": key, "operator": "In", "values": some_of(rng, values, 3)}),
        1 => json!({"key": key, "operator": "NotIn", "values": some_of(rng, values, 2)}),
        2 => json!({"key": key, "operator": "Exists"}),
        _ => json!({"key": key, "operator": "DoesNotExist"}),
    }
}
