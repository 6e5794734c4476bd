//! The NodeClaim that asks Karpenter for a replacement.
//!
//! It is made of the pool as it is now, so that Karpenter finds nothing about it that has drifted: both hash annotations, the
//! owner, and everything of the template. Only type, zone and terms are narrowed to what the plan chose among.

use restow_execution::Launch;
use serde_json::{Map, Value, json};

use crate::write::text;

/// Where claims are.
pub(crate) const PATH: &str = "/apis/karpenter.sh/v1/nodeclaims";

/// Where pools are.
pub(crate) const POOLS: &str = "/apis/karpenter.sh/v1/nodepools";

/// What the pods of a replacement ask for together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Requests {
    /// Thousandths of a core.
    pub(crate) cpu: i64,
    /// Bytes.
    pub(crate) memory: i64,
    pub(crate) pods: i64,
}

const HASHES: [&str; 2] = ["karpenter.sh/nodepool-hash", "karpenter.sh/nodepool-hash-version"];

/// The claim of a replacement, by its pool.
pub(crate) fn claim(pool: &Value, launch: &Launch, requests: Requests) -> Value {
    let template = &pool["spec"]["template"];
    let mut labels = map(&template["metadata"]["labels"]);
    labels.insert("karpenter.sh/nodepool".to_owned(), json!(launch.pool));
    let class = &template["spec"]["nodeClassRef"];
    let (group, kind) = (text(class, "/group"), text(class, "/kind"));
    if !group.is_empty() && !kind.is_empty() {
        labels.insert(format!("{group}/{}", kind.to_ascii_lowercase()), class["name"].clone());
    }
    let mut annotations = map(&template["metadata"]["annotations"]);
    for key in HASHES {
        if let Some(value) = pool["metadata"]["annotations"].get(key) {
            annotations.insert(key.to_owned(), value.clone());
        }
    }
    let mut spec = template["spec"].clone();
    spec["requirements"] = requirements(&template["spec"]["requirements"], launch);
    spec["resources"] = json!({ "requests": {
        "cpu": format!("{}m", requests.cpu),
        "memory": requests.memory.to_string(),
        "pods": requests.pods.to_string(),
    }});
    json!({
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodeClaim",
        "metadata": {
            "name": launch.claim,
            "labels": labels,
            "annotations": annotations,
            "ownerReferences": [{
                "apiVersion": "karpenter.sh/v1",
                "kind": "NodePool",
                "name": launch.pool,
                "uid": text(pool, "/metadata/uid"),
                "blockOwnerDeletion": true,
            }],
        },
        "spec": spec,
    })
}

/// What the pool requires, narrowed to what was chosen. The least number of values that a requirement of the pool keeps is kept.
fn requirements(of_pool: &Value, launch: &Launch) -> Value {
    let chosen = [
        ("node.kubernetes.io/instance-type", &launch.instance_types),
        ("topology.kubernetes.io/zone", &launch.zones),
        ("karpenter.sh/capacity-type", &launch.capacity_types),
    ];
    let chosen: Vec<_> = chosen.into_iter().filter(|(_, values)| !values.is_empty()).collect();
    let is_chosen = |own: &Value| chosen.iter().any(|(key, _)| text(own, "/key") == *key);
    let all: &[Value] = of_pool.as_array().map_or(&[], Vec::as_slice);
    let mut found: Vec<Value> = all.iter().filter(|own| !is_chosen(own)).cloned().collect();
    for (key, values) in &chosen {
        let mut own = json!({ "key": key, "operator": "In", "values": values });
        let least = all.iter().filter(|own| text(own, "/key") == *key);
        if let Some(least) = least.filter_map(|own| own["minValues"].as_u64()).max() {
            own["minValues"] = json!(least.min(values.len() as u64));
        }
        found.push(own);
    }
    found.push(json!({
        "key": "karpenter.sh/nodepool", "operator": "In", "values": [launch.pool],
    }));
    Value::Array(found)
}

fn map(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use restow_model::Price;

    use super::*;

    #[test]
    fn a_claim_is_what_its_pool_says_narrowed_to_what_was_chosen() {
        let pool = json!({
            "metadata": { "name": "main", "uid": "u-1", "annotations": {
                "karpenter.sh/nodepool-hash": "17", "karpenter.sh/nodepool-hash-version": "v3",
                "restow.dev/mode": "act",
            }},
            "spec": { "template": {
                "metadata": { "labels": { "team": "web" } },
                "spec": {
                    "nodeClassRef": { "group": "karpenter.kwok.sh", "kind": "KWOKNodeClass", "name": "default" },
                    "expireAfter": "720h",
                    "taints": [{ "key": "web", "effect": "NoSchedule" }],
                    "requirements": [
                        { "key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"] },
                        { "key": "node.kubernetes.io/instance-type", "operator": "NotIn", "values": ["t1"], "minValues": 2 },
                    ],
                },
            }},
        });
        let launch = Launch {
            claim: "restow-1-0".to_owned(),
            pool: "main".to_owned(),
            instance_types: vec!["a".to_owned(), "b".to_owned(), "c".to_owned()],
            zones: vec!["z".to_owned()],
            capacity_types: vec!["spot".to_owned()],
            price: Price::ZERO,
            seen: false,
        };
        let own = claim(&pool, &launch, Requests { cpu: 1500, memory: 1024, pods: 3 });
        assert_eq!(
            own["metadata"]["labels"],
            json!({
                "team": "web", "karpenter.sh/nodepool": "main", "karpenter.kwok.sh/kwoknodeclass": "default",
            })
        );
        // What restow was told on the pool is not for its nodes.
        assert_eq!(
            own["metadata"]["annotations"],
            json!({
                "karpenter.sh/nodepool-hash": "17", "karpenter.sh/nodepool-hash-version": "v3",
            })
        );
        assert_eq!(own["metadata"]["ownerReferences"][0]["uid"], "u-1");
        assert_eq!(own["spec"]["taints"], pool["spec"]["template"]["spec"]["taints"]);
        assert_eq!(
            own["spec"]["requirements"],
            json!([
                { "key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"] },
                { "key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["a", "b", "c"], "minValues": 2 },
                { "key": "topology.kubernetes.io/zone", "operator": "In", "values": ["z"] },
                { "key": "karpenter.sh/capacity-type", "operator": "In", "values": ["spot"] },
                { "key": "karpenter.sh/nodepool", "operator": "In", "values": ["main"] },
            ])
        );
        assert_eq!(own["spec"]["resources"]["requests"]["cpu"], "1500m");
    }
}
