//! Topology spread.

use serde_json::{Value, json};

use super::selector;
use super::words::TOPOLOGIES;
use super::world::{push, some_of};
use crate::Rng;

/// One to three constraints, on different keys as the API server wants it.
pub(super) fn spread(rng: &mut Rng, pod: &mut Value) {
    let many = if rng.permille(300) { rng.between(2, 3) } else { 1 };
    add(rng, pod, many, 850);
}

/// One to three constraints that need not hold.
pub(super) fn spread_softly(rng: &mut Rng, pod: &mut Value) {
    let many = rng.between(1, 3);
    add(rng, pod, many, 50);
}

/// Constraints, so many of a thousand of which must hold.
fn add(rng: &mut Rng, pod: &mut Value, many: u32, required: u32) {
    for _ in 0..many {
        let constraint = constraint(rng, pod, required);
        let given = pod["spec"]["topologySpreadConstraints"].as_array().is_some_and(|given| {
            given.iter().any(|other| {
                other["topologyKey"] == constraint["topologyKey"]
                    && other["whenUnsatisfiable"] == constraint["whenUnsatisfiable"]
            })
        });
        if !given {
            push(&mut pod["spec"]["topologySpreadConstraints"], constraint);
        }
    }
}

fn constraint(rng: &mut Rng, pod: &Value, required: u32) -> Value {
    let required = rng.permille(required);
    let mut constraint = json!({
        "maxSkew": rng.between(1, 3),
        "topologyKey": rng.pick(TOPOLOGIES),
        "whenUnsatisfiable": if required { "DoNotSchedule" } else { "ScheduleAnyway" },
    });
    // Most spread themselves; some count others.
    let selector = if rng.permille(500) {
        let app = &pod["metadata"]["labels"]["app"];
        Some(if app.is_null() { json!({}) } else { json!({"matchLabels": {"app": app}}) })
    } else {
        selector::of_pods(rng)
    };
    if let Some(selector) = selector {
        constraint["labelSelector"] = selector;
        if rng.permille(200) {
            constraint["matchLabelKeys"] = json!(some_of(rng, &["version", "canary", "absent"], 2));
        }
    }
    if required && rng.permille(300) {
        constraint["minDomains"] = json!(rng.between(1, 6));
    }
    for policy in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
        if rng.permille(400) {
            constraint[policy] = json!(rng.pick(&["Honor", "Ignore"]));
        }
    }
    constraint
}
