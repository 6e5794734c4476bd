//! Pools: what they may buy, and when they give it back.

use serde_json::{Value, json};

use super::Ingredient::{
    Balanced, Budgets, MinValues, Policies, Preferences, Reserved, Spot, Taints,
};
use super::catalogue::{CPUS, FAMILIES, FAMILY, ON_DEMAND, RESERVED, SPOT, Type, ZONES};
use super::world::{TERMS, TYPE, World, ZONE, condition, push};
use crate::Rng;
use crate::text::{NOW, time};

/// What nodes of a pool have to be like, and its object.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    pub(super) name: String,
    archs: Vec<&'static str>,
    families: Option<Vec<&'static str>>,
    /// Cpus are fewer than so many.
    below: Option<u32>,
    zones: Option<Vec<&'static str>>,
    pub(super) terms: Vec<&'static str>,
    pub(super) taint: Option<Value>,
    pub(super) team: Option<&'static str>,
    /// Seconds after which its nodes may go, or never.
    pub(super) after: Option<i64>,
    /// What the API server has of it.
    pub(super) object: Option<Value>,
}

impl Pool {
    pub(super) fn takes(&self, own: &Type, zone: &str, terms: &str) -> bool {
        self.archs.contains(&own.arch)
            && self.families.as_ref().is_none_or(|families| families.contains(&own.family))
            && self.below.is_none_or(|below| own.cpus < below)
            && self.zones.as_ref().is_none_or(|zones| zones.contains(&zone))
            && self.terms.contains(&terms)
    }
}

/// One to four pools.
pub(super) fn draw(world: &mut World<'_>) {
    let many = 1 + world.rng.weighted(&[40, 35, 15, 10]);
    for name in ["general", "batch", "web", "zoo"].into_iter().take(many) {
        let mut pool = shape(world, name);
        pool.object = Some(object(world, &mut pool));
        world.pools.push(pool);
    }
}

fn shape(world: &mut World<'_>, name: &str) -> Pool {
    let rng = &mut world.rng;
    let archs = match rng.weighted(&[75, 12, 13]) {
        0 => vec!["amd64"],
        1 => vec!["arm64"],
        _ => vec!["amd64", "arm64"],
    };
    let families: Vec<&'static str> =
        FAMILIES.iter().filter(|own| archs.contains(&own.1)).map(|own| own.0).collect();
    let families = rng.permille(400).then(|| {
        let from = rng.below(families.len() as u32) as usize;
        let mut some: Vec<&'static str> =
            families.iter().cycle().skip(from).take(2).copied().collect();
        some.dedup();
        some
    });
    let below = rng.permille(200).then(|| *rng.pick(&[9, 17, 33]));
    let zones = rng.permille(150).then(|| {
        let out = rng.below(3) as usize;
        ZONES.iter().enumerate().filter(|(at, _)| *at != out).map(|(_, zone)| *zone).collect()
    });
    let spot = world.recipe.share(Spot);
    let mut terms = match rng.weighted(&[1000 - spot / 3 * 2, spot / 3, spot / 3 + 80]) {
        0 => vec![ON_DEMAND],
        1 => vec![SPOT],
        _ => vec![ON_DEMAND, SPOT],
    };
    if world.recipe.has(Reserved) && rng.permille(800) {
        terms.push(RESERVED);
    }
    let mut taint = None;
    if world.draws(Taints) {
        let soft = world.recipe.has(Preferences) && world.rng.permille(500);
        let effect = if soft { "PreferNoSchedule" } else { "NoSchedule" };
        taint = Some(json!({"key": "dedicated", "value": name, "effect": effect}));
    }
    let team = world.rng.permille(300).then(|| *world.rng.pick(&["red", "blue"]));
    let after = after(world);
    let name = name.to_owned();
    Pool { name, archs, families, below, zones, terms, taint, team, after, object: None }
}

fn after(world: &mut World<'_>) -> Option<i64> {
    if !world.draws(Policies) {
        return Some(0);
    }
    *world.rng.pick(&[Some(0), Some(60), Some(60), Some(3600), None])
}

fn object(world: &mut World<'_>, pool: &mut Pool) -> Value {
    let rng = &mut world.rng;
    let mut object = json!({
        "apiVersion": "karpenter.sh/v1", "kind": "NodePool",
        "metadata": {"name": pool.name, "creationTimestamp": time(NOW - 90 * 86_400)},
        "spec": {"template": {"spec": {
            "expireAfter": "720h",
            "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"},
            "requirements": requirements(rng, pool),
        }}},
    });
    if let Some(taint) = &pool.taint {
        object["spec"]["template"]["spec"]["taints"] = json!([taint]);
    }
    if let Some(team) = pool.team {
        object["spec"]["template"]["metadata"]["labels"] = json!({"example.com/team": team});
    }
    if rng.permille(400) {
        object["spec"]["weight"] = json!(rng.between(1, 100));
    }
    // The oracle says so of pools that say nothing.
    if rng.permille(800) {
        let conditions = ["NodeClassReady", "Ready", "ValidationSucceeded"];
        let since = NOW - 80 * 86_400;
        object["status"]["conditions"] =
            conditions.iter().map(|kind| condition(kind, "True", since)).collect();
    }
    if world.draws(MinValues) {
        let least = if world.rng.permille(500) {
            (TYPE, world.rng.between(2, 12))
        } else {
            (FAMILY, world.rng.between(2, 3))
        };
        let requirements = &mut object["spec"]["template"]["spec"]["requirements"];
        push(requirements, json!({"key": least.0, "operator": "Exists", "minValues": least.1}));
    }
    disruption(world, pool, &mut object);
    object
}

fn requirements(rng: &mut Rng, pool: &Pool) -> Value {
    let mut list = json!([
        {"key": "kubernetes.io/arch", "operator": "In", "values": pool.archs},
        {"key": TERMS, "operator": "In", "values": pool.terms},
    ]);
    if let Some(families) = &pool.families {
        let others: Vec<&str> =
            FAMILIES.iter().map(|own| own.0).filter(|name| !families.contains(name)).collect();
        push(
            &mut list,
            if rng.permille(700) {
                json!({"key": FAMILY, "operator": "In", "values": families})
            } else {
                json!({"key": FAMILY, "operator": "NotIn", "values": others})
            },
        );
    }
    if let Some(below) = pool.below {
        let values = [below.to_string()];
        push(&mut list, json!({"key": CPUS, "operator": "Lt", "values": values}));
    }
    if let Some(zones) = &pool.zones {
        push(&mut list, json!({"key": ZONE, "operator": "In", "values": zones}));
    }
    list
}

fn disruption(world: &mut World<'_>, pool: &Pool, object: &mut Value) {
    let mut own = json!({"consolidateAfter": match pool.after {
        Some(60) => json!(*world.rng.pick(&["1m", "60s"])),
        Some(seconds) => json!(format!("{seconds}s")),
        None => json!("Never"),
    }});
    if world.draws(Balanced) {
        own["consolidationPolicy"] = json!("Balanced");
    } else if world.draws(Policies) {
        let policies = ["WhenEmpty", "WhenEmptyOrUnderutilized", "WhenEmptyOrUnderutilized"];
        own["consolidationPolicy"] = json!(world.rng.pick(&policies));
    }
    if !world.draws(Budgets) {
        own["budgets"] = json!([{"nodes": "100%"}]);
    } else if world.rng.permille(900) {
        let many = world.rng.weighted(&[6, 50, 30, 14]);
        let budgets: Vec<Value> = (0..many).map(|_| budget(&mut world.rng)).collect();
        own["budgets"] = json!(budgets);
    }
    object["spec"]["disruption"] = own;
}

fn budget(rng: &mut Rng) -> Value {
    let mut budget =
        json!({"nodes": rng.pick(&["0", "1", "2", "3", "0%", "10%", "34%", "50%", "100%"])});
    match rng.weighted(&[60, 15, 15, 5, 5]) {
        0 => {}
        1 => budget["reasons"] = json!(["Empty"]),
        2 => budget["reasons"] = json!(["Underutilized"]),
        3 => budget["reasons"] = json!(["Drifted"]),
        _ => budget["reasons"] = json!(["Empty", "Underutilized"]),
    }
    if rng.permille(350) {
        // It is noon on a Sunday.
        let (schedule, duration) = *rng.pick(&[
            ("0 11 * * *", "2h"),
            ("0 9 * * mon-fri", "8h"),
            ("@daily", "13h"),
            ("@daily", "11h30m"),
            ("@hourly", "10m"),
            ("0 12 * * 0", "1m"),
            ("30 11 * * *", "30m"),
        ]);
        budget["schedule"] = json!(schedule);
        budget["duration"] = json!(duration);
    }
    budget
}
