//! What keeps pods where they are.

use serde_json::{Value, json};

use super::Ingredient::Protected;
use super::world::World;
use crate::text::{NOW, time};

const DO_NOT_DISRUPT: &str = "karpenter.sh/do-not-disrupt";

/// Some pods say that they must not be moved, in one way or another.
pub(super) fn annotate(world: &mut World<'_>, pod: &mut Value, started: i64) {
    if !world.draws(Protected) {
        return;
    }
    let left = world.rng.weighted(&[30, 20, 20, 10, 10, 10]);
    let value = match left {
        0 => "true".to_owned(),
        1 => format!("{}s", NOW - started + 60),
        2 => format!("{}s", (NOW - started - 60).max(1)),
        3 => "false".to_owned(),
        4 => "always".to_owned(),
        _ => "1h30m".to_owned(),
    };
    pod["metadata"]["annotations"][DO_NOT_DISRUPT] = json!(value);
    if world.rng.permille(100)
        && let Some(status) = pod["status"].as_object_mut()
    {
        status.remove("startTime");
    }
}

/// Pod disruption budgets of some applications.
pub(super) fn add_budgets(world: &mut World<'_>) {
    let share = world.recipe.share(Protected) * 2;
    for at in 0..world.apps.len() {
        if !world.rng.permille(share.min(500)) {
            continue;
        }
        let app = world.apps[at].clone();
        let many = if world.rng.permille(150) { 2 } else { 1 };
        for number in 0..many {
            let rng = &mut world.rng;
            let selector = match rng.weighted(&[90, 5, 5]) {
                0 => json!({"matchLabels": {"app": app.name}}),
                1 => json!({"matchLabels": {"app": "nobody"}}),
                _ => json!({}),
            };
            let mut spec = match rng.below(5) {
                0 => json!({"maxUnavailable": 0}),
                1 => json!({"maxUnavailable": 1}),
                2 => json!({"minAvailable": "100%"}),
                3 => json!({"minAvailable": 1}),
                _ => json!({"maxUnavailable": "50%"}),
            };
            spec["selector"] = selector;
            if rng.permille(200) {
                spec["unhealthyPodEvictionPolicy"] = json!("AlwaysAllow");
            }
            let allowed = *rng.pick(&[0, 0, 1, 1, 5]);
            world.others.push(json!({
                "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                "metadata": {
                    "namespace": app.namespace, "name": format!("{}-{number}", app.name),
                    "creationTimestamp": time(NOW - 86_400),
                },
                "spec": spec,
                "status": {
                    "disruptionsAllowed": allowed, "currentHealthy": 3, "desiredHealthy": 3 - allowed.min(3),
                    "expectedPods": 3, "observedGeneration": 1,
                },
            }));
        }
    }
}
