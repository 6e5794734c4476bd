//! The machine that a claim gets, and its node: the cheapest that the claim allows, as a cloud would start it.

use restow_model::{Effect, NodeClaim, Resources, Snapshot, Str, Taint, Time};
use restow_scheduling::{Machine, Offers, Wanted};
use serde_json::{Map, Value, json};

/// The cheapest machine that a claim allows.
pub(super) fn machine(own: &NodeClaim, snapshot: &Snapshot, offers: &Offers) -> Option<Machine> {
    let strings = &snapshot.strings;
    let pool = strings.get(own.meta.labels.text("karpenter.sh/nodepool", strings)?)?;
    let listed = |key: &str| -> Vec<Str> {
        let key = strings.get(key);
        let own = own.requirements.iter().filter(|own| Some(own.key()) == key);
        own.filter_map(restow_model::Requirement::listed).flatten().copied().collect()
    };
    let types = listed("node.kubernetes.io/instance-type");
    let zones = listed("topology.kubernetes.io/zone");
    let terms = listed("karpenter.sh/capacity-type");
    let wanted =
        Wanted { instance_types: &types, zones: &zones, capacity_types: &terms, labels: &[] };
    offers.machines(pool, &wanted).into_iter().next()
}

/// The labels of a machine's node, and of its claim.
pub(super) fn labels(machine: &Machine, name: &str, snapshot: &Snapshot) -> Map<String, Value> {
    let text = |own: Str| snapshot.text(own).to_owned();
    let mut labels: Map<String, Value> =
        machine.labels.iter().map(|(key, value)| (text(key), json!(text(value)))).collect();
    labels.insert("kubernetes.io/hostname".to_owned(), json!(name));
    labels
}

/// The node of a claim that has its labels already.
pub(super) fn node(machine: &Machine, claim: &Value, snapshot: &Snapshot) -> Value {
    let name = &claim["metadata"]["name"];
    let mut labels = claim["metadata"]["labels"].clone();
    labels["karpenter.sh/registered"] = json!("true");
    labels["karpenter.sh/initialized"] = json!("true");
    let taints: Vec<Value> = machine.taints.iter().map(|own| taint(own, snapshot)).collect();
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "labels": labels,
            "annotations": { "kwok.x-k8s.io/node": "fake" },
            "ownerReferences": [{
                "apiVersion": "karpenter.sh/v1",
                "kind": "NodeClaim",
                "name": name,
                "uid": claim["metadata"]["uid"],
                "blockOwnerDeletion": true,
            }],
        },
        "spec": {
            "providerID": provider_id(name.as_str().unwrap_or_default()),
            "taints": taints,
        },
        "status": {
            "capacity": amounts(&machine.capacity, snapshot),
            "allocatable": amounts(&machine.allocatable, snapshot),
            "phase": "Running",
        },
    })
}

fn taint(own: &Taint, snapshot: &Snapshot) -> Value {
    let effect = match own.effect {
        Effect::NoSchedule => "NoSchedule",
        Effect::PreferNoSchedule => "PreferNoSchedule",
        Effect::NoExecute => "NoExecute",
    };
    json!({ "key": snapshot.text(own.key), "value": snapshot.text(own.value), "effect": effect })
}

fn provider_id(name: &str) -> String {
    format!("kwok://{name}")
}

/// What is said of a claim whose node is ready.
pub(super) fn status(machine: &Machine, name: &str, now: Time, snapshot: &Snapshot) -> Value {
    let time = Time::from_seconds(now.seconds()).to_string();
    let condition = |kind: &str| {
        json!({
            "type": kind, "status": "True", "reason": kind, "message": "", "lastTransitionTime": time,
        })
    };
    let conditions = ["Launched", "Registered", "Initialized", "Ready"].map(condition);
    json!({ "status": {
        "nodeName": name,
        "providerID": provider_id(name),
        "capacity": amounts(&machine.capacity, snapshot),
        "allocatable": amounts(&machine.allocatable, snapshot),
        "conditions": conditions,
    }})
}

fn amounts(own: &Resources, snapshot: &Snapshot) -> Map<String, Value> {
    let mut amounts = Map::new();
    let mut add = |name: &str, text: String| amounts.insert(name.to_owned(), json!(text));
    add("cpu", format!("{}m", own.cpu));
    add("memory", own.memory.to_string());
    add("pods", own.pods.to_string());
    if own.ephemeral > 0 {
        add("ephemeral-storage", own.ephemeral.to_string());
    }
    for (name, amount) in &own.others {
        add(snapshot.text(*name), amount.to_string());
    }
    amounts
}
