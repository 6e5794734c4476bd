//! Objects to begin with; tests change what matters to them: `pool["spec"]["weight"] = json!(5)`.

use serde_json::{Value, json};

/// A NodePool of amd64 machines on demand with 2 to 16 cores, of the node class `default`. Karpenter does not consolidate it.
pub fn node_pool(name: &str) -> Value {
    let one_of =
        |key: &str, values: &[&str]| json!({"key": key, "operator": "In", "values": values});
    json!({
        "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name},
        "spec": {
            "disruption": {"consolidateAfter": "Never", "budgets": [{"nodes": "100%"}]},
            "template": {"spec": {
                "nodeClassRef": {"group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default"},
                "requirements": [
                    one_of("kubernetes.io/arch", &["amd64"]),
                    one_of("kubernetes.io/os", &["linux"]),
                    one_of("karpenter.sh/capacity-type", &["on-demand"]),
                    one_of("karpenter.kwok.sh/instance-cpu", &["2", "4", "8", "16"]),
                ],
            }},
        },
    })
}

/// A KWOKNodeClass: its machines become nodes after so many seconds.
pub(crate) fn node_class(name: &str, delay: u64) -> Value {
    json!({
        "apiVersion": "karpenter.kwok.sh/v1alpha1", "kind": "KWOKNodeClass", "metadata": {"name": name},
        "spec": {"nodeRegistrationDelay": format!("{delay}s")},
    })
}

/// A Deployment in the namespace `default` whose pods end at once when they are evicted.
pub fn deployment(name: &str, replicas: u32, cpu: &str, memory: &str) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {
                "metadata": {"labels": {"app": name}},
                "spec": {
                    "terminationGracePeriodSeconds": 1,
                    "containers": [{
                        "name": "main", "image": "nothing",
                        "resources": {"requests": {"cpu": cpu, "memory": memory}},
                    }],
                },
            },
        },
    })
}

/// A PodDisruptionBudget for the pods of [`deployment`].
pub fn disruption_budget(name: &str, max_unavailable: u32) -> Value {
    json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name, "namespace": "default"},
        "spec": {"maxUnavailable": max_unavailable, "selector": {"matchLabels": {"app": name}}},
    })
}

/// A node that Karpenter knows nothing of.
pub fn node(name: &str, cpu: &str, memory: &str) -> Value {
    let room = json!({"cpu": cpu, "memory": memory, "pods": "110"});
    json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "labels": {
            "kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux",
        }},
        "status": {"capacity": room, "allocatable": room},
    })
}

/// Whether an object has a condition that is true, such as `Initialized` of a NodeClaim.
pub fn has_condition(object: &Value, name: &str) -> bool {
    let conditions = object["status"]["conditions"].as_array();
    conditions.is_some_and(|all| {
        all.iter().any(|condition| condition["type"] == name && condition["status"] == "True")
    })
}
