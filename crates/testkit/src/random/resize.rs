//! Resizes in place: what a container has, was granted and wants may be three things.

use serde_json::{Value, json};

use super::requests::amount;
use super::world::push;
use crate::Rng;

/// Gives the status of a running pod.
pub(super) fn resize(rng: &mut Rng, pod: &mut Value) {
    for (list, statuses) in
        [("containers", "containerStatuses"), ("initContainers", "initContainerStatuses")]
    {
        let containers = pod["spec"][list].as_array().cloned().unwrap_or_default();
        for container in containers {
            if !rng.permille(800) {
                continue;
            }
            let mut status = json!({"name": container["name"]});
            if rng.permille(850) {
                status["resources"] = json!({"requests": around(rng, &container)});
            }
            if rng.permille(700) {
                status["allocatedResources"] = around(rng, &container);
            }
            push(&mut pod["status"][statuses], status);
        }
    }
    for kind in ["PodResizePending", "PodResizeInProgress"] {
        if rng.permille(450) {
            let reason = *rng.pick(&["Infeasible", "Infeasible", "Deferred", "Error"]);
            let condition = json!({"type": kind, "status": "True", "reason": reason});
            push(&mut pod["status"]["conditions"], condition);
        }
    }
}

/// The container's own requests, some of them changed.
fn around(rng: &mut Rng, container: &Value) -> Value {
    let mut requests = container["resources"]["requests"].clone();
    if requests.is_null() {
        requests = json!({});
    }
    for name in ["cpu", "memory"] {
        if rng.permille(500) {
            requests[name] = json!(amount(rng, name, 1));
        }
    }
    requests
}
