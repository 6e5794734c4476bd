//! Nodes, claims and pools that lack something, or to which something is happening.

use serde_json::{Value, json};

use super::Ingredient::{Broken, Limits};
use super::nodes::Machine;
use super::pools::Pool;
use super::world::{POOL, TERMS, TYPE, World, ZONE, condition, push, remove};
use crate::Rng;
use crate::text::{NOW, time};

/// Spoils some nodes and pools, and gives others limits that they are close to.
pub(super) fn spoil(world: &mut World<'_>) {
    for at in 0..world.machines.len() {
        if world.draws(Broken)
            && let Some(pool) = world.machines[at].pool
        {
            let after = world.pools[pool].after;
            machine(&mut world.rng, &mut world.machines[at], after);
        }
    }
    for at in 0..world.pools.len() {
        let share = world.recipe.share(Broken) / 3;
        if world.rng.permille(share) {
            spoil_pool(&mut world.rng, &mut world.pools[at]);
        }
        if world.draws(Limits) {
            limit(world, at);
        }
    }
}

fn spoil_pool(rng: &mut Rng, pool: &mut Pool) {
    let Some(object) = &mut pool.object else { return };
    match rng.below(5) {
        0 => pool.object = None,
        1 => {
            let since = NOW - 600;
            object["status"]["conditions"] = json!([
                condition("ValidationSucceeded", "True", since),
                condition("NodeClassReady", "False", since),
                condition("Ready", "False", since),
            ]);
        }
        2 => {
            object["metadata"]["deletionTimestamp"] = json!(time(NOW - 30));
            object["metadata"]["finalizers"] = json!(["foregroundDeletion"]);
        }
        3 => {
            object["spec"]["replicas"] = json!(2);
            remove(&mut object["spec"], "weight");
        }
        // A family that nobody sells.
        _ => {
            let requirement =
                json!({"key": super::catalogue::FAMILY, "operator": "In", "values": ["x9"]});
            push(&mut object["spec"]["template"]["spec"]["requirements"], requirement);
        }
    }
}

/// A limit near to what the pool has.
fn limit(world: &mut World<'_>, at: usize) {
    let own = world.machines.iter().filter(|machine| machine.pool == Some(at));
    let labels =
        own.filter_map(|machine| machine.node.as_ref()).map(|node| &node["metadata"]["labels"]);
    let (mut nodes, mut cpus) = (0, 0);
    for labels in labels {
        nodes += 1;
        let kind = world.catalogue.find(labels[TYPE].as_str().unwrap_or_default());
        cpus += kind.map_or(0, |kind| kind.cpus);
    }
    let rng = &mut world.rng;
    let cpus = (cpus + rng.between(0, 8)).saturating_sub(rng.between(0, 16));
    let mut limits = json!({"cpu": cpus.to_string()});
    if rng.permille(300) {
        limits["memory"] = json!(format!("{}Gi", cpus * rng.between(2, 6)));
    }
    if rng.permille(200) {
        limits["nodes"] = json!((nodes + rng.between(0, 1)).to_string());
    }
    if let Some(object) = &mut world.pools[at].object
        && object["spec"]["replicas"].is_null()
    {
        object["spec"]["limits"] = limits;
    }
}

fn machine(rng: &mut Rng, machine: &mut Machine, after: Option<i64>) {
    let created = machine.created;
    let (Some(node), Some(claim)) = (&mut machine.node, &mut machine.claim) else { return };
    match rng.below(20) {
        0 => {
            remove(&mut node["metadata"]["labels"], "karpenter.sh/initialized");
            drop_conditions(claim, &["Initialized", "Ready", "Consolidatable"]);
            if rng.permille(400) {
                let taint = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"});
                push(&mut node["spec"]["taints"], taint);
            }
        }
        1 => {
            remove(&mut node["metadata"]["labels"], "karpenter.sh/registered");
            remove(&mut node["metadata"]["labels"], "karpenter.sh/initialized");
            drop_conditions(claim, &["Registered", "Initialized", "Ready", "Consolidatable"]);
        }
        2 => {
            claim["metadata"]["deletionTimestamp"] = json!(time(NOW - 40));
            if rng.permille(500) {
                node["metadata"]["deletionTimestamp"] = json!(time(NOW - 39));
                let taint = json!({"key": "karpenter.sh/disrupted", "effect": "NoSchedule"});
                push(&mut node["spec"]["taints"], taint);
            }
        }
        3 => {
            claim["metadata"]["deletionTimestamp"] = json!(time(NOW - 90));
            set(claim, condition("InstanceTerminating", "True", NOW - 10));
        }
        4 => remove(&mut node["metadata"]["labels"], ZONE),
        5 => remove(&mut node["metadata"]["labels"], TERMS),
        6 => node["metadata"]["labels"][TYPE] = json!("x9.huge"),
        7 => remove(&mut node["metadata"]["labels"], POOL),
        8 => node["metadata"]["labels"][POOL] = json!("gone"),
        9 | 10 => {
            let value = rng.pick(&["true", "true", "false", "1h"]);
            node["metadata"]["annotations"] = json!({"karpenter.sh/do-not-disrupt": value});
        }
        11 => machine.claim = None,
        12 => machine.node = None,
        13 => {
            remove(&mut claim["status"], "providerID");
            remove(&mut claim["status"], "nodeName");
            drop_conditions(
                claim,
                &["Launched", "Registered", "Initialized", "Ready", "Consolidatable"],
            );
            machine.node = None;
        }
        14 => drop_conditions(claim, &["Consolidatable"]),
        15 => set(claim, condition("Consolidatable", "False", created + 90)),
        // A pod came or went a moment ago, and the node may not receive others yet.
        16 | 17 => {
            let ago = if rng.permille(500) { after.unwrap_or(60) } else { 60 };
            claim["status"]["lastPodEventTime"] = json!(time(NOW - ago + i64::from(rng.below(20))));
            if rng.permille(400) {
                drop_conditions(claim, &["Consolidatable"]);
            }
        }
        18 => {
            let status = *rng.pick(&["False", "Unknown"]);
            node["status"]["conditions"] = json!([condition("Ready", status, NOW - 500)]);
        }
        _ => {
            node["spec"]["unschedulable"] = json!(true);
            let taint = json!({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"});
            push(&mut node["spec"]["taints"], taint);
            set(claim, condition("Drifted", "True", NOW - 800));
        }
    }
}

fn drop_conditions(claim: &mut Value, kinds: &[&str]) {
    if let Some(list) = claim["status"]["conditions"].as_array_mut() {
        list.retain(|own| own["type"].as_str().is_none_or(|kind| !kinds.contains(&kind)));
    }
}

fn set(claim: &mut Value, own: Value) {
    if let Some(kind) = own["type"].as_str() {
        drop_conditions(claim, &[kind]);
    }
    push(&mut claim["status"]["conditions"], own);
}
