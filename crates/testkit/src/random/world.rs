//! What the parts of a random cluster share.

use serde_json::{Value, json};

use super::words::{NAMESPACE_LABELS, NAMESPACES, POD_LABELS};
use super::{Ingredient, Recipe};
use crate::Rng;

/// A cluster in the making.
pub(super) struct World<'a> {
    pub(super) rng: Rng,
    pub(super) recipe: &'a Recipe,
    /// How many pods there will be for each node.
    pub(super) pods_per_node: u32,
    namespaces: Vec<Value>,
    pub(super) nodes: Vec<Value>,
    pub(super) pods: Vec<Value>,
    pub(super) others: Vec<Value>,
}

impl<'a> World<'a> {
    pub(super) fn new(seed: u64, recipe: &'a Recipe) -> Self {
        let mut rng = Rng::new(seed);
        let known = &NAMESPACES[..NAMESPACES.len() - 1];
        let namespaces = known.iter().map(|name| namespace(&mut rng, name)).collect();
        Self {
            rng,
            recipe,
            pods_per_node: 0,
            namespaces,
            nodes: Vec::new(),
            pods: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Whether the next pod or node has the ingredient.
    pub(super) fn draws(&mut self, ingredient: Ingredient) -> bool {
        let share = self.recipe.share(ingredient);
        self.rng.permille(share)
    }

    /// The name of one of the nodes.
    pub(super) fn some_node(&mut self) -> String {
        let at = self.rng.below(self.nodes.len() as u32) as usize;
        name_of(&self.nodes[at]).to_owned()
    }

    pub(super) fn into_objects(self) -> Vec<Value> {
        let mut objects = self.namespaces;
        objects.extend(self.nodes);
        objects.extend(self.others);
        objects.extend(self.pods);
        objects
    }
}

fn namespace(rng: &mut Rng, name: &str) -> Value {
    let mut labels = labels(rng, NAMESPACE_LABELS, 600);
    labels["kubernetes.io/metadata.name"] = json!(name);
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
}

/// Labels of a pod.
pub(super) fn pod_labels(rng: &mut Rng) -> Value {
    labels(rng, POD_LABELS, 650)
}

/// Some of these keys, each with one of its values.
pub(super) fn labels(rng: &mut Rng, from: &[(&str, &[&str])], permille: u32) -> Value {
    let mut chosen = json!({});
    for (key, values) in from {
        if rng.permille(permille) {
            chosen[*key] = json!(rng.pick(values));
        }
    }
    chosen
}

/// A uid as Kubernetes makes them.
pub(super) fn uid(rng: &mut Rng) -> String {
    let hex = format!("{:016x}{:016x}", rng.next_u64(), rng.next_u64());
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

/// The name of an object.
pub(super) fn name_of(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

/// The namespace of an object.
pub(super) fn namespace_of(object: &Value) -> &str {
    object["metadata"]["namespace"].as_str().unwrap_or_default()
}

/// Adds to a list that may not be there yet.
pub(super) fn push(list: &mut Value, item: Value) {
    match list {
        Value::Array(items) => items.push(item),
        other => *other = Value::Array(vec![item]),
    }
}

/// Up to `most` of the items, each at most once, in their order.
pub(super) fn some_of<'v, T>(rng: &mut Rng, items: &'v [T], most: u32) -> Vec<&'v T> {
    let wanted = rng.between(1, most.max(1)) as usize;
    let mut left = wanted.min(items.len());
    let mut chosen = Vec::new();
    for (at, item) in items.iter().enumerate() {
        if rng.below((items.len() - at) as u32) < left as u32 {
            chosen.push(item);
            left -= 1;
        }
    }
    chosen
}
