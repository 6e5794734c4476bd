//! Pools, and nodes with their claims.

use serde_json::{Map, Value, json};

use super::story::{Node, POOLS, Pool, TYPES, Type};
use crate::flavor::Flavor;
use crate::rng::mix;
use crate::text::{NOW, ending, time, uid};

const CLASS: &str = "karpenter.k8s.aws";

/// What is left for pods, in thousandths and MiB: the kubelet and the system take their part.
pub(super) fn allocatable(own: &Type) -> (u32, u32) {
    (own.cpus * 1000 - 70 - own.cpus, own.mebibytes - 600 - own.pods * 4)
}

pub(super) fn pool(own: &Pool) -> Value {
    let budgets: Vec<Value> = own
        .budgets
        .iter()
        .map(|(nodes, schedule, duration)| match *schedule {
            "" => json!({"nodes": nodes}),
            schedule => json!({"nodes": nodes, "schedule": schedule, "duration": duration}),
        })
        .collect();
    let annotations: Map<String, Value> =
        own.annotations.iter().map(|(key, value)| ((*key).to_owned(), json!(value))).collect();
    let mut object = json!({
        "apiVersion": "karpenter.sh/v1", "kind": "NodePool",
        "metadata": {"name": own.name, "annotations": annotations, "creationTimestamp": time(NOW - 90 * 86_400)},
        "spec": {
            "disruption": {"consolidationPolicy": "WhenEmptyOrUnderutilized", "consolidateAfter": "1m", "budgets": budgets},
            "template": {"spec": {
                "expireAfter": "720h",
                "nodeClassRef": {"group": CLASS, "kind": "EC2NodeClass", "name": "default"},
                "requirements": [
                    {"key": "kubernetes.io/arch", "operator": "In", "values": [own.arch]},
                    {"key": "karpenter.sh/capacity-type", "operator": "In", "values": [own.capacity]},
                    {"key": format!("{CLASS}/instance-family"), "operator": "In", "values": own.families},
                    {"key": format!("{CLASS}/instance-cpu"), "operator": "Lt", "values": ["33"]},
                ],
            }},
        },
        "status": {"conditions": [condition("Ready", NOW - 80 * 86_400)]},
    });
    if own.dedicated {
        object["spec"]["template"]["spec"]["taints"] = json!([taint(own.name)]);
    }
    object
}

fn taint(pool: &str) -> Value {
    json!({"key": "dedicated", "value": pool, "effect": "NoSchedule"})
}

pub(super) fn condition(kind: &str, since: i64) -> Value {
    json!({"type": kind, "status": "True", "lastTransitionTime": time(since), "reason": kind, "message": ""})
}

/// The name of a node.
pub(super) fn name(number: usize) -> String {
    format!("ip-10-0-{}-{}", number % 3, 11 + 7 * number)
}

/// A node and its claim.
pub(super) fn machine(number: usize, own: &Node) -> Vec<Value> {
    let Some(kind) = TYPES.iter().find(|kind| kind.name == own.kind) else { return Vec::new() };
    let Some(pool) = POOLS.iter().find(|pool| pool.name == own.pool) else { return Vec::new() };
    let name = name(number);
    let zone = format!("us-east-1{}", own.zone);
    let zones = Flavor::Karpenter.zones().1;
    let zone_id = zones.iter().find(|own| own.0 == zone).map_or("", |own| own.1);
    let born = NOW - own.minutes * 60;
    let (family, size) = kind.name.split_once('.').unwrap_or((kind.name, ""));
    let labels = json!({
        "karpenter.sh/nodepool": own.pool,
        "karpenter.sh/capacity-type": pool.capacity,
        "karpenter.sh/registered": "true",
        "karpenter.sh/initialized": "true",
        format!("{CLASS}/instance-family"): family,
        format!("{CLASS}/instance-size"): size,
        format!("{CLASS}/instance-cpu"): kind.cpus.to_string(),
        "node.kubernetes.io/instance-type": kind.name,
        "topology.kubernetes.io/region": "us-east-1",
        "topology.kubernetes.io/zone": zone,
        "topology.k8s.aws/zone-id": zone_id,
        "kubernetes.io/arch": pool.arch,
        "kubernetes.io/os": "linux",
        "kubernetes.io/hostname": name,
    });
    let (cpu, memory) = allocatable(kind);
    let capacity = json!({"cpu": kind.cpus.to_string(), "memory": format!("{}Mi", kind.mebibytes), "pods": kind.pods.to_string()});
    let allocatable = json!({"cpu": format!("{cpu}m"), "memory": format!("{memory}Mi"), "pods": kind.pods.to_string()});
    let provider = format!("aws:///{zone}/i-{:017x}", 0x0a3_f00d_u64 + number as u64 * 0x1_2345);
    let taints: Vec<Value> = pool.dedicated.then(|| taint(pool.name)).into_iter().collect();
    let node = json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "uid": uid(1, 1, number as u64), "labels": labels, "creationTimestamp": time(born + 30)},
        "spec": {"providerID": provider, "taints": taints},
        "status": {"capacity": capacity, "allocatable": allocatable, "conditions": [condition("Ready", born + 60)]},
    });
    let conditions: Vec<Value> =
        ["Consolidatable", "Initialized", "Launched", "Ready", "Registered"]
            .iter()
            .map(|kind| condition(kind, born + 60))
            .collect();
    let claim = json!({
        "apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
        "metadata": {
            "name": format!("{}-{}", own.pool, ending(mix(1, 3, number as u64), 5)),
            "uid": uid(1, 2, number as u64), "labels": labels, "creationTimestamp": time(born),
        },
        "spec": {
            "expireAfter": "720h", "taints": taints,
            "nodeClassRef": {"group": CLASS, "kind": "EC2NodeClass", "name": "default"},
            "requirements": [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": [kind.name]}],
        },
        "status": {
            "nodeName": name, "providerID": provider, "capacity": capacity, "allocatable": allocatable,
            "lastPodEventTime": time((born + 90).min(NOW - 60)), "conditions": conditions,
        },
    });
    vec![node, claim]
}
