//! Applications: what their pods have in common.

use serde_json::{Value, json};

use super::Ingredient::{Affinity, AntiAffinity, Preferences, Spread};
use super::world::{HOSTNAME, NAMESPACES, World, ZONE, push};
use crate::Rng;

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// An application, from which pods are made.
#[derive(Clone, Debug)]
pub(super) struct App {
    pub(super) name: &'static str,
    pub(super) namespace: &'static str,
    /// Version and kind of what owns its pods, and the uid of it.
    pub(super) owner: Option<(&'static str, &'static str, String)>,
    /// Milli-cpus and mebibytes.
    pub(super) requests: (u32, u32),
    /// No two of its pods share a node.
    pub(super) alone: bool,
    /// Fields of the specification of its pods.
    pub(super) spec: Value,
    /// How many pods were made.
    pub(super) made: u32,
}

const NAMES: &[&str] = &["web", "api", "db", "batch", "cache", "etl", "auth", "logs"];

pub(super) fn draw(world: &mut World<'_>) {
    let many = world.rng.between(3, 8) as usize;
    // Large pods do not fit into what others leave.
    let scale = *world.rng.pick(&[1, 1, 3, 5]);
    for name in &NAMES[..many] {
        let mut app = app(world, name, &NAMES[..many]);
        app.requests = (app.requests.0 * scale, app.requests.1 * scale);
        if let Some((version, kind, uid)) = &app.owner {
            world.others.push(owner(&app, version, kind, uid));
        }
        world.apps.push(app);
    }
}

fn app(world: &mut World<'_>, name: &'static str, all: &[&'static str]) -> App {
    let owner = match world.rng.weighted(&[65, 15, 8, 12]) {
        0 => Some(("apps/v1", "ReplicaSet", world.uid())),
        1 => Some(("apps/v1", "StatefulSet", world.uid())),
        2 => Some(("batch/v1", "Job", world.uid())),
        _ => None,
    };
    let rng = &mut world.rng;
    let cpu = *rng.pick(&[50, 100, 100, 250, 250, 500, 500, 1000, 1500]);
    let memory = *rng.pick(&[64, 128, 256, 256, 512, 1024, 2048, 3000]);
    let mut result = App {
        name,
        namespace: rng.pick::<&'static str>(NAMESPACES),
        owner,
        requests: (cpu, memory),
        alone: false,
        spec: json!({}),
        made: 0,
    };
    if world.draws(Spread) {
        let soft = world.recipe.has(Preferences) && world.rng.permille(500);
        let constraint = spread(&mut world.rng, name, soft);
        push(&mut result.spec["topologySpreadConstraints"], constraint);
    }
    if world.draws(AntiAffinity) {
        result.alone = world.rng.permille(850);
        let key = if result.alone { HOSTNAME } else { ZONE };
        let term = json!({"topologyKey": key, "labelSelector": {"matchLabels": {"app": name}}});
        push(&mut result.spec["affinity"]["podAntiAffinity"][REQUIRED], term);
    }
    if world.draws(Affinity) {
        let term = near(&mut world.rng, all);
        push(&mut result.spec["affinity"]["podAffinity"][REQUIRED], term);
    }
    if world.draws(Preferences) {
        prefer(&mut world.rng, name, all, &mut result.spec);
    }
    result
}

fn spread(rng: &mut Rng, name: &str, soft: bool) -> Value {
    let mut constraint = json!({
        "maxSkew": rng.between(1, 3),
        "topologyKey": rng.pick(&[ZONE, ZONE, HOSTNAME]),
        "whenUnsatisfiable": if soft { "ScheduleAnyway" } else { "DoNotSchedule" },
        "labelSelector": {"matchLabels": {"app": name}},
    });
    if !soft && rng.permille(150) {
        constraint["minDomains"] = json!(rng.between(1, 3));
    }
    if rng.permille(150) {
        constraint["nodeTaintsPolicy"] = json!("Honor");
    }
    constraint
}

fn near(rng: &mut Rng, all: &[&str]) -> Value {
    let other = rng.pick(all);
    let key = rng.pick(&[ZONE, ZONE, HOSTNAME]);
    let mut term = json!({"topologyKey": key, "labelSelector": {"matchLabels": {"app": other}}});
    if rng.permille(700) {
        term["namespaces"] = json!(NAMESPACES);
    }
    term
}

/// What need not hold. Karpenter treats it as if it had to, at first.
fn prefer(rng: &mut Rng, name: &str, all: &[&str], spec: &mut Value) {
    let weight = rng.between(1, 100);
    match rng.below(4) {
        0 => push(&mut spec["topologySpreadConstraints"], spread(rng, name, true)),
        1 => {
            let term =
                json!({"topologyKey": HOSTNAME, "labelSelector": {"matchLabels": {"app": name}}});
            let term = json!({"weight": weight, "podAffinityTerm": term});
            push(&mut spec["affinity"]["podAntiAffinity"][PREFERRED], term);
        }
        2 => {
            let term = json!({"weight": weight, "podAffinityTerm": near(rng, all)});
            push(&mut spec["affinity"]["podAffinity"][PREFERRED], term);
        }
        _ => {
            let zone = rng.pick(super::catalogue::ZONES);
            let expression = json!({"key": ZONE, "operator": "In", "values": [zone]});
            let term = json!({"weight": weight, "preference": {"matchExpressions": [expression]}});
            push(&mut spec["affinity"]["nodeAffinity"][PREFERRED], term);
        }
    }
}

fn owner(app: &App, version: &str, kind: &str, uid: &str) -> Value {
    let mut owner = json!({
        "apiVersion": version, "kind": kind,
        "metadata": {"namespace": app.namespace, "name": app.name, "uid": uid},
        "spec": {"template": {"metadata": {"labels": {"app": app.name}}, "spec": {"containers": []}}},
    });
    if kind != "Job" {
        owner["spec"]["selector"] = json!({"matchLabels": {"app": app.name}});
        owner["spec"]["replicas"] = json!(3);
    }
    owner
}
