//! What the parts of a random cluster for consolidation share.

use serde_json::{Value, json};

use super::apps::App;
use super::catalogue::Catalogue;
use super::nodes::Machine;
use super::pools::Pool;
use super::{Ingredient, Recipe};
use crate::Rng;
use crate::text::time;

pub(super) const NAMESPACES: &[&str] = &["default", "team-a", "team-b"];

pub(super) const ZONE: &str = "topology.kubernetes.io/zone";
pub(super) const HOSTNAME: &str = "kubernetes.io/hostname";
pub(super) const POOL: &str = "karpenter.sh/nodepool";
pub(super) const TERMS: &str = "karpenter.sh/capacity-type";
pub(super) const TYPE: &str = "node.kubernetes.io/instance-type";

/// A cluster in the making.
pub(super) struct World<'a> {
    pub(super) rng: Rng,
    pub(super) recipe: &'a Recipe,
    pub(super) catalogue: Catalogue,
    pub(super) pools: Vec<Pool>,
    pub(super) machines: Vec<Machine>,
    pub(super) apps: Vec<App>,
    /// Templates of daemon sets.
    pub(super) daemons: Vec<Value>,
    pub(super) pods: Vec<Value>,
    pub(super) others: Vec<Value>,
    uids: u64,
}

impl<'a> World<'a> {
    pub(super) fn new(seed: u64, recipe: &'a Recipe) -> Self {
        let mut rng = Rng::with_stream(seed, 0xc0);
        let catalogue = Catalogue::draw(&mut rng, recipe);
        Self {
            rng,
            recipe,
            catalogue,
            pools: Vec::new(),
            machines: Vec::new(),
            apps: Vec::new(),
            daemons: Vec::new(),
            pods: Vec::new(),
            others: Vec::new(),
            uids: 0,
        }
    }

    /// Whether the next pool, node, application or pod has the ingredient.
    pub(super) fn draws(&mut self, ingredient: Ingredient) -> bool {
        let share = self.recipe.share(ingredient);
        self.rng.permille(share)
    }

    /// A uid that no other object has.
    pub(super) fn uid(&mut self) -> String {
        self.uids += 1;
        let bits = self.rng.next_u64();
        format!("{:08x}-{:04x}-4000-8000-{:012x}", bits >> 32, (bits >> 16) & 0xffff, self.uids)
    }

    pub(super) fn into_parts(self) -> (Vec<Value>, Catalogue) {
        let mut objects: Vec<Value> = NAMESPACES.iter().map(|name| namespace(name)).collect();
        objects.push(json!({
            "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "value": 1_000_000,
            "metadata": {"name": "high"},
        }));
        objects.extend(self.pools.into_iter().filter_map(|pool| pool.object));
        for machine in self.machines {
            objects.extend(machine.node);
            objects.extend(machine.claim);
        }
        objects.extend(self.daemons);
        objects.extend(self.others);
        objects.extend(self.pods);
        (objects, self.catalogue)
    }
}

fn namespace(name: &str) -> Value {
    let labels = json!({"kubernetes.io/metadata.name": name});
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
}

/// Adds to a list that may not be there yet.
pub(super) fn push(list: &mut Value, item: Value) {
    match list {
        Value::Array(items) => items.push(item),
        other => *other = Value::Array(vec![item]),
    }
}

/// Takes a field away.
pub(super) fn remove(object: &mut Value, field: &str) {
    if let Some(object) = object.as_object_mut() {
        object.remove(field);
    }
}

/// A condition as every kind of object has it.
pub(super) fn condition(kind: &str, status: &str, since: i64) -> Value {
    json!({"type": kind, "status": status, "lastTransitionTime": time(since), "reason": kind, "message": ""})
}
