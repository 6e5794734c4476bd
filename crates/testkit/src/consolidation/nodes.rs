//! Nodes with the claims that they were bought for.

use serde_json::{Value, json};

use super::Ingredient::Unmanaged;
use super::catalogue::{CPUS, FAMILY, RESERVATION, Type};
use super::world::{HOSTNAME, POOL, TERMS, TYPE, World, ZONE, condition};
use crate::text::{NOW, time};

/// A node, its claim, and the room that is left on it.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    pub(super) name: String,
    /// None for nodes that Karpenter does not manage.
    pub(super) pool: Option<usize>,
    pub(super) zone: &'static str,
    pub(super) arch: &'static str,
    pub(super) created: i64,
    pub(super) node: Option<Value>,
    pub(super) claim: Option<Value>,
    /// Milli-cpus, mebibytes and pods.
    pub(super) room: (u32, u32, u32),
}

pub(super) fn add(world: &mut World<'_>, number: u32) {
    let name = format!("node-{number:02}");
    let at = world.rng.below(world.pools.len() as u32) as usize;
    let largest = *world.rng.pick(&[4, 8, 8, 8, 16, 16, 32]);
    let pool = &world.pools[at];
    let offers: Vec<(Type, usize)> = world
        .catalogue
        .types
        .iter()
        .filter(|own| own.cpus <= largest)
        .flat_map(|own| (0..own.offerings.len()).map(move |offer| (own.clone(), offer)))
        .filter(|(own, offer)| {
            pool.takes(own, own.offerings[*offer].zone, own.offerings[*offer].terms)
        })
        .collect();
    if offers.is_empty() {
        return;
    }
    let (own, offer) = world.rng.pick(&offers).clone();
    let offer = own.offerings[offer].clone();
    let mut labels = json!({
        HOSTNAME: name, "kubernetes.io/arch": own.arch, "kubernetes.io/os": "linux",
        ZONE: offer.zone, TYPE: own.name, FAMILY: own.family, CPUS: own.cpus.to_string(),
    });
    let created = NOW - i64::from(world.rng.between(2 * 3600, 35 * 86_400));
    let (cpu, memory) = own.room();
    let mut machine = Machine {
        name: name.clone(),
        pool: Some(at),
        zone: offer.zone,
        arch: own.arch,
        created,
        node: None,
        claim: None,
        room: (cpu, memory, own.pods()),
    };
    let provider = format!("oracle:///{}/i-{number:04}", offer.zone);
    if world.draws(Unmanaged) {
        machine.pool = None;
    } else {
        for (key, value) in [
            (POOL, pool_name(world, at)),
            (TERMS, offer.terms.to_owned()),
            ("karpenter.sh/registered", "true".to_owned()),
            ("karpenter.sh/initialized", "true".to_owned()),
            ("karpenter.k8s.aws/ec2nodeclass", "default".to_owned()),
        ] {
            labels[key] = json!(value);
        }
        if let Some(team) = world.pools[at].team {
            labels["example.com/team"] = json!(team);
        }
        if let Some((id, _)) = &offer.reservation {
            labels[RESERVATION] = json!(id);
        }
        machine.claim = Some(claim(world, &machine, &own, &labels, &provider));
    }
    let mut node = json!({
        "apiVersion": "v1", "kind": "Node",
        "metadata": {
            "name": name, "uid": world.uid(), "labels": labels, "creationTimestamp": time(created + 30),
        },
        "spec": {"providerID": provider},
        "status": {
            "capacity": own.capacity(), "allocatable": own.allocatable(),
            "conditions": [condition("Ready", "True", created + 60)],
        },
    });
    if let Some(taint) = machine.pool.and_then(|at| world.pools[at].taint.clone()) {
        node["spec"]["taints"] = json!([taint]);
    }
    machine.node = Some(node);
    world.machines.push(machine);
}

fn pool_name(world: &World<'_>, at: usize) -> String {
    world.pools[at].name.clone()
}

fn claim(
    world: &mut World<'_>,
    machine: &Machine,
    own: &Type,
    labels: &Value,
    provider: &str,
) -> Value {
    let at = machine.pool.unwrap_or_default();
    let mut labels = labels.clone();
    super::world::remove(&mut labels, HOSTNAME);
    super::world::remove(&mut labels, "karpenter.sh/registered");
    super::world::remove(&mut labels, "karpenter.sh/initialized");
    let kinds = ["Consolidatable", "Initialized", "Launched", "Ready", "Registered"];
    let conditions: Vec<Value> =
        kinds.iter().map(|kind| condition(kind, "True", machine.created + 60)).collect();
    let mut claim = json!({
        "apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
        "metadata": {
            "name": format!("{}-{}", world.pools[at].name, machine.name), "uid": world.uid(),
            "labels": labels, "creationTimestamp": time(machine.created),
            "finalizers": ["karpenter.sh/termination"],
        },
        "spec": {
            "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "default"},
            "requirements": [{"key": TYPE, "operator": "In", "values": [own.name]}],
        },
        "status": {
            "nodeName": machine.name, "providerID": provider,
            "capacity": own.capacity(), "allocatable": own.allocatable(), "conditions": conditions,
        },
    });
    if let Some(taint) = &world.pools[at].taint {
        claim["spec"]["taints"] = json!([taint]);
    }
    match world.rng.below(3) {
        0 => claim["spec"]["expireAfter"] = json!("720h"),
        1 => claim["spec"]["expireAfter"] = json!("Never"),
        _ => {}
    }
    // Long enough ago for every pool that ever gives nodes back.
    if world.rng.permille(600) {
        let ago = i64::from(world.rng.between(3700, 7000));
        claim["status"]["lastPodEventTime"] = json!(time(NOW - ago));
    }
    claim
}
