//! Affinity and anti-affinity between pods.

use serde_json::{Value, json};

use super::selector;
use super::words::{NAMESPACES, TOPOLOGIES};
use super::world::{push, some_of};
use crate::Rng;

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// Affinity, anti-affinity, or both.
pub(super) fn attract_or_repel(rng: &mut Rng, pod: &mut Value) {
    let (attract, repel) = match rng.weighted(&[40, 50, 10]) {
        0 => (true, false),
        1 => (false, true),
        _ => (true, true),
    };
    for (wanted, name) in [(attract, "podAffinity"), (repel, "podAntiAffinity")] {
        if !wanted {
            continue;
        }
        let many = if rng.permille(300) { rng.between(2, 3) } else { 1 };
        for _ in 0..many {
            let mut required = term(rng);
            if name == "podAffinity" && rng.permille(250) {
                to_itself(pod, &mut required);
            }
            push(&mut pod["spec"]["affinity"][name][REQUIRED], required);
        }
        if rng.permille(250) {
            let preferred = json!({"weight": rng.between(1, 100), "podAffinityTerm": term(rng)});
            push(&mut pod["spec"]["affinity"][name][PREFERRED], preferred);
        }
    }
}

/// Preferred affinity, anti-affinity, or both; the same term may be there twice.
pub(super) fn prefer(rng: &mut Rng, pod: &mut Value) {
    for _ in 0..rng.between(1, 3) {
        let name = *rng.pick(&["podAffinity", "podAntiAffinity"]);
        let mut term = term(rng);
        if rng.permille(350) {
            to_itself(pod, &mut term);
        }
        for _ in 0..if rng.permille(100) { 2 } else { 1 } {
            let preferred = json!({"weight": rng.between(1, 100), "podAffinityTerm": term});
            push(&mut pod["spec"]["affinity"][name][PREFERRED], preferred);
        }
    }
}

/// The pod wants to be with its like: the first one has nobody to be with.
fn to_itself(pod: &Value, term: &mut Value) {
    term["labelSelector"] = json!({"matchLabels": pod["metadata"]["labels"]});
    if let Some(term) = term.as_object_mut() {
        term.retain(|key, _| key == "labelSelector" || key == "topologyKey");
    }
}

fn term(rng: &mut Rng) -> Value {
    let mut term = json!({"topologyKey": rng.pick(TOPOLOGIES)});
    if let Some(selector) = selector::of_pods(rng) {
        term["labelSelector"] = selector;
        for field in ["matchLabelKeys", "mismatchLabelKeys"] {
            if rng.permille(120) {
                term[field] = json!(some_of(rng, &["version", "canary", "absent"], 2));
            }
        }
    }
    match rng.weighted(&[60, 15, 15, 10]) {
        0 => {}
        1 => term["namespaces"] = json!(some_of(rng, NAMESPACES, 2)),
        2 => term["namespaceSelector"] = selector::of_namespaces(rng),
        _ => {
            term["namespaces"] = json!(some_of(rng, NAMESPACES, 2));
            term["namespaceSelector"] = selector::of_namespaces(rng);
        }
    }
    term
}
