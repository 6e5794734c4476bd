//! Clusters in which requests are written so that our model keeps all that scores depend on.

use serde_json::{Value, json};

/// What stands where nothing, or zero, was asked for.
const LITTLE: [(&str, &str); 2] = [("cpu", "7m"), ("memory", "9Mi")];

/// Writes out requests of cpu and memory that are missing or zero.
///
/// For scores the real scheduler assumes a request for every container that has none, but not for one that asks for zero,
/// and of a pod to be placed it passes over requests of the pod as a whole. The model keeps what a pod asks for in sum, and
/// knows neither its containers, nor a zero that is written, nor where the sum comes from. A pod with one container that asks
/// for nothing is the same to both, and stays as it is.
pub fn spell_out_requests(objects: &mut [Value]) {
    for pod in objects.iter_mut().filter(|object| object["kind"] == "Pod") {
        // There is no pod without a container.
        if pod["spec"]["containers"].as_array().is_none_or(Vec::is_empty) {
            pod["spec"]["containers"] = json!([{"name": "c0"}]);
        }
        if let Some(spec) = pod["spec"].as_object_mut() {
            spec.remove("resources");
        }
        let lacks = |field: &str| pod.pointer(field).is_none_or(Value::is_null);
        let one = pod["spec"]["containers"].as_array().is_some_and(|all| all.len() == 1);
        let statuses = ["/status/containerStatuses", "/status/initContainerStatuses"];
        let plain = one
            && ["/spec/initContainers", "/spec/overhead"].into_iter().all(lacks)
            && statuses.into_iter().all(lacks);
        for list in ["/spec/containers", "/spec/initContainers"] {
            items(pod, list).for_each(|container| spell_out_container(container, plain));
        }
        for list in statuses {
            for status in items(pod, list) {
                for requests in ["/resources/requests", "/allocatedResources"] {
                    status.pointer_mut(requests).into_iter().for_each(fill);
                }
            }
        }
    }
}

fn items<'a>(object: &'a mut Value, list: &str) -> impl Iterator<Item = &'a mut Value> {
    object.pointer_mut(list).and_then(Value::as_array_mut).into_iter().flatten()
}

fn spell_out_container(container: &mut Value, plain: bool) {
    for (name, little) in LITTLE {
        let resources = &container["resources"];
        let asked = match &resources["requests"][name] {
            Value::Null => &resources["limits"][name],
            asked => asked,
        };
        if !(plain && asked.is_null()) && is_zero(asked) {
            container["resources"]["requests"][name] = json!(little);
            // A limit of zero would be below it.
            let limits = container.pointer_mut("/resources/limits");
            if let Some(limits) = limits.and_then(Value::as_object_mut) {
                limits.remove(name);
            }
        }
    }
}

fn fill(requests: &mut Value) {
    for (name, little) in LITTLE {
        if is_zero(&requests[name]) {
            requests[name] = json!(little);
        }
    }
}

fn is_zero(amount: &Value) -> bool {
    amount.is_null() || amount == "0"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled_out(spec: &Value) -> Value {
        let mut objects = [json!({"kind": "Pod", "spec": spec, "status": {}})];
        spell_out_requests(&mut objects);
        objects[0]["spec"].clone()
    }

    #[test]
    fn one_container_without_requests_stays_as_it_is() {
        let spec = json!({"containers": [{"name": "a"}]});
        assert_eq!(spelled_out(&spec), spec);
    }

    #[test]
    fn of_several_containers_each_says_what_it_needs() {
        let spec = spelled_out(&json!({"containers": [
            {"name": "a", "resources": {"requests": {"cpu": "1"}}},
            {"name": "b", "resources": {"limits": {"memory": "1Gi", "cpu": "0"}}},
        ]}));
        assert_eq!(
            spec,
            json!({"containers": [
                {"name": "a", "resources": {"requests": {"cpu": "1", "memory": "9Mi"}}},
                {"name": "b", "resources": {"limits": {"memory": "1Gi"}, "requests": {"cpu": "7m"}}},
            ]})
        );
    }

    #[test]
    fn a_zero_that_is_written_becomes_something() {
        let spec = spelled_out(&json!({"containers": [{"resources": {"requests": {"cpu": "0"}}}]}));
        assert_eq!(spec["containers"][0]["resources"]["requests"], json!({"cpu": "7m"}));
    }
}
