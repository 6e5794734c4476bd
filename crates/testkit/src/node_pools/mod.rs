//! NodePools that are wrong in every place in every way.

mod edges;

use serde_json::{Value, json};

use crate::Rng;
use edges::{anything, edges};

/// A NodePool that has every field.
pub fn whole() -> Value {
    let taint = json!({"key": "example.com/a", "value": "b", "effect": "NoSchedule", "timeAdded": "2026-11-15T12:00:00Z"});
    json!({
        "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"},
        "spec": {
            "weight": 10,
            "limits": {"cpu": "100", "memory": "10Gi", "nodes": 5, "example.com/gpu": "1"},
            "disruption": {
                "consolidateAfter": "Never",
                "consolidationPolicy": "WhenEmptyOrUnderutilized",
                "budgets": [
                    {"nodes": "10%", "reasons": ["Empty", "Drifted"], "schedule": "0 9 * * mon-fri", "duration": "8h"},
                    {"nodes": "5"},
                ],
                "consolidationGracePeriod": "30m",
                "consolidationSavingsThresholdCents": "0.5",
                "consolidation": {
                    "emptiness": {"enabled": true, "emptyThreshold": "30%"},
                    "multiNode": {"enabled": false, "maxParallel": 10},
                    "singleNode": {"enabled": true},
                },
                "ttlSecondsAfterEmpty": 30,
            },
            "template": {
                "metadata": {"labels": {"team": "a", "example.com/x": ""}, "annotations": {"a": "b"}},
                "spec": {
                    "requirements": [
                        {"key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot", "on-demand"], "minValues": 2},
                        {"key": "example.com/generation", "operator": "Gt", "values": ["4"]},
                        {"key": "team", "operator": "Exists"},
                    ],
                    "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"},
                    "taints": [taint], "startupTaints": [taint],
                    "expireAfter": "720h",
                    "terminationGracePeriod": "1h",
                },
            },
        },
    })
}

/// A pool with a fixed number of nodes, which may have less.
pub fn fixed() -> Value {
    let mut pool = whole();
    let spec = pool["spec"].as_object_mut().expect("it is one");
    spec.remove("weight");
    spec.insert("replicas".to_owned(), json!(3));
    spec.insert("limits".to_owned(), json!({"nodes": "10"}));
    pool
}

/// Karpenter's smallest.
pub fn small() -> Value {
    let mut pool = whole();
    let template = &mut pool["spec"]["template"]["spec"];
    let small = json!({"nodeClassRef": template["nodeClassRef"], "requirements": []});
    pool["spec"] = json!({"template": {"spec": small}});
    pool
}

/// One change: the place, and what stands there then; nothing if the field is taken away.
#[derive(Clone, Debug)]
pub struct Change {
    /// A JSON pointer.
    pub pointer: String,
    /// What stands there then.
    pub value: Option<Value>,
}

impl Change {
    /// Applies it, if its place is still there.
    pub fn apply(&self, pool: &mut Value) {
        let (parent, key) = self.pointer.rsplit_once('/').unwrap_or_default();
        let key = key.replace("~1", "/");
        match (pool.pointer_mut(parent), &self.value) {
            (Some(Value::Object(map)), Some(value)) => {
                map.insert(key, value.clone());
            }
            (Some(Value::Object(map)), None) => {
                map.remove(&key);
            }
            (Some(Value::Array(list)), Some(value)) => {
                if let Some(place) = key.parse().ok().and_then(|at: usize| list.get_mut(at)) {
                    *place = value.clone();
                }
            }
            _ => {}
        }
    }
}

/// Every change that is worth trying on a pool.
pub fn changes(pool: &Value) -> Vec<Change> {
    let mut found = Vec::new();
    if let Some(spec) = pool.get("spec") {
        walk("/spec", "spec", spec, &mut found);
    }
    found
}

fn walk(pointer: &str, key: &str, value: &Value, out: &mut Vec<Change>) {
    let mut add = |value| out.push(Change { pointer: pointer.to_owned(), value });
    add(None);
    for value in anything().into_iter().chain(edges(pointer, key)) {
        add(Some(value));
    }
    match value {
        Value::Object(map) => {
            // Fields that nobody knows, and some that are missing here.
            for (name, value) in
                [("colour", json!("red")), ("replicas", json!(1)), ("nodes", json!("1"))]
            {
                if !map.contains_key(name) {
                    out.push(Change { pointer: format!("{pointer}/{name}"), value: Some(value) });
                }
            }
            for (name, value) in map {
                walk(&format!("{pointer}/{}", name.replace('/', "~1")), name, value, out);
            }
        }
        Value::Array(list) => {
            for (at, value) in list.iter().enumerate() {
                walk(&format!("{pointer}/{at}"), key, value, out);
            }
        }
        _ => {}
    }
}

/// A pool with several changes at once.
pub fn random(rng: &mut Rng, bases: &[(Value, Vec<Change>)]) -> Value {
    let (base, changes) = rng.pick(bases);
    let mut pool = base.clone();
    for _ in 0..rng.between(1, 4) {
        rng.pick(changes).apply(&mut pool);
    }
    pool
}
