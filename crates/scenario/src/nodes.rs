//! The nodes at the start: each becomes a Node and a NodeClaim, ready and registered.

use std::collections::{BTreeMap, BTreeSet};

use restow_catalog::{CapacityType, InstanceType, Offering, Resources, label, nearest};
use restow_model::{Effect, GoDuration, NodePool, Snapshot, Taint, Time};
use serde_json::{Map, Value, json};

use crate::book::{Prices, check_zone};
use crate::cast::Cast;
use crate::cursor::At;
use crate::objects::Made;
use crate::policy::no_pool;

/// Pods of one workload on a node.
pub(crate) struct Placed<'a> {
    /// The workloads that they are of, in turn.
    pub(crate) members: Vec<usize>,
    pub(crate) count: i64,
    /// Where it is said.
    pub(crate) at: At<'a>,
    pub(crate) age: GoDuration,
    pub(crate) ready: bool,
}

/// A node that is made.
pub(crate) struct NodePlan<'a> {
    pub(crate) name: String,
    pub(crate) zone: String,
    pub(crate) at: At<'a>,
    pub(crate) pods: Vec<Placed<'a>>,
}

/// What nodes are made of.
pub(crate) struct Scene<'a> {
    pub(crate) start: Time,
    pub(crate) prices: &'a Prices,
    pub(crate) known: &'a Snapshot,
}

/// Nodes and pods enough for any cluster, and few enough to be made.
const MOST: i64 = 100_000;
const MOST_PODS: i64 = 1_000_000;

/// The nodes of a document, and the objects that they are made of.
pub(crate) fn nodes<'a>(
    spec: &At<'a>,
    cast: &Cast<'_>,
    scene: &Scene<'_>,
) -> (Vec<NodePlan<'a>>, Vec<Made>) {
    let (mut plans, mut made): (Vec<NodePlan<'a>>, Vec<Made>) = (Vec::new(), Vec::new());
    let mut numbers: BTreeMap<String, i64> = BTreeMap::new();
    let mut names: BTreeSet<String> = BTreeSet::new();
    let mut placed_pods = 0_i64;
    for at in spec.all("nodes") {
        let Some(kind) = NodeKind::read(&at, scene) else { continue };
        let pods = placed(&at, cast);
        let count = at.integer_of("count").unwrap_or(1);
        if plans.len() as i64 + count > MOST {
            at.fail(format!("more than {MOST} nodes"));
            break;
        }
        let each: i64 = pods.iter().map(|own| own.count).sum();
        placed_pods += each.saturating_mul(count);
        if placed_pods > MOST_PODS {
            at.fail(format!("more than {MOST_PODS} pods"));
            break;
        }
        for turn in 0..count {
            let prefix = at.text_of("name").unwrap_or(kind.pool_name.as_str());
            let name = if at.has("name") && count == 1 {
                prefix.to_owned()
            } else {
                let number = numbers.entry(prefix.to_owned()).or_default();
                *number += 1;
                format!("{prefix}-{number}")
            };
            if !names.insert(name.clone()) {
                at.fail(format!("there is another node {name}"));
                break;
            }
            let offering = kind.offerings[turn as usize % kind.offerings.len()];
            made.extend(kind.objects(&at, scene, &name, offering));
            let zone = offering.zone.as_deref().unwrap_or_default().to_owned();
            plans.push(NodePlan {
                name,
                zone,
                at: at.clone(),
                pods: pods.iter().map(Placed::again).collect(),
            });
        }
    }
    (plans, made)
}

impl<'a> Placed<'a> {
    fn again(&self) -> Self {
        Self {
            members: self.members.clone(),
            count: self.count,
            at: self.at.clone(),
            age: self.age,
            ready: self.ready,
        }
    }

    /// Annotations that its pods have besides those of their workload.
    pub(crate) fn annotations(&self) -> Vec<(&'a str, &'a str)> {
        if !self.at.value.is_object() {
            return Vec::new();
        }
        let given = self.at.get("annotations").map(|own| own.entries()).unwrap_or_default();
        given.into_iter().map(|(key, value)| (key, value.text())).collect()
    }
}

fn age(at: &At<'_>) -> GoDuration {
    at.duration_of("age").unwrap_or(GoDuration::from_seconds(3600))
}

fn placed<'a>(at: &At<'a>, cast: &Cast<'_>) -> Vec<Placed<'a>> {
    let mut all = Vec::new();
    for (key, own) in at.get("pods").map(|own| own.entries()).unwrap_or_default() {
        let Some(members) = cast.find_text(&own, key) else { continue };
        let kind = cast.members[members[0]].kind;
        if matches!(kind, restow_model::WorkloadKind::DaemonSet) {
            own.fail("pods of a DaemonSet are on every node that they can be on: leave them out");
            continue;
        }
        if matches!(kind, restow_model::WorkloadKind::CronJob) {
            own.fail("a CronJob makes Jobs, which make pods: none are there at the start");
            continue;
        }
        let whole = own.value.is_object();
        let (count, younger, ready) = if whole {
            let ready = !own.get("ready").is_some_and(|ready| *ready.value == Value::Bool(false));
            (own.integer_of("count").unwrap_or_default(), own.duration_of("age"), ready)
        } else {
            (own.integer(), None, true)
        };
        let node = age(at);
        let age = younger.unwrap_or(node);
        if age > node
            && let Some(own) = own.get("age")
        {
            own.fail("the pods are older than their node");
        }
        all.push(Placed { members, count, at: own, age, ready });
    }
    all
}

/// What nodes of one entry have in common.
struct NodeKind<'s> {
    pool: &'s NodePool,
    pool_name: String,
    instance_type: &'s InstanceType,
    /// One for each zone that they are in, in turn.
    offerings: Vec<&'s Offering>,
}

impl<'s> NodeKind<'s> {
    fn read(at: &At<'_>, scene: &Scene<'s>) -> Option<Self> {
        let known = scene.known;
        let (pool_at, type_at) = (at.get("pool")?, at.get("type")?);
        let pool = known.node_pools.iter().find(|own| known.text(own.meta.name) == pool_at.text());
        if pool.is_none() {
            let names: Vec<&str> =
                known.node_pools.iter().map(|own| known.text(own.meta.name)).collect();
            pool_at.fail(no_pool(pool_at.text(), &names));
        }
        let list = scene.prices.book.list();
        let instance_type = list.get(type_at.text());
        if instance_type.is_none() {
            type_at.fail(no_type(type_at.text(), list));
        }
        let zone = at.get("zone");
        if let Some(zone) = &zone
            && !check_zone(zone, &scene.prices.zones)
        {
            return None;
        }
        let (pool, instance_type) = (pool?, instance_type?);
        if instance_type.is_price_only() {
            type_at.fail("only the price of this type is known, not how much it holds");
            return None;
        }
        let terms: Option<CapacityType> =
            at.text_of("capacityType").and_then(|own| own.parse().ok());
        let sold = |terms: CapacityType| -> Vec<&'s Offering> {
            let there = |own: &&Offering| {
                let here =
                    zone.as_ref().is_none_or(|zone| own.zone.as_deref() == Some(zone.text()));
                own.capacity_type == terms && here
            };
            let mut all: Vec<&Offering> = instance_type.offerings.iter().filter(there).collect();
            // In the order in which the scenario names the zones.
            let place = |own: &&Offering| {
                let zones = scene.prices.zones.iter();
                zones.map(|zone| Some(&*zone.name)).position(|zone| zone == own.zone.as_deref())
            };
            all.sort_by_key(place);
            all
        };
        let ways = match terms {
            Some(terms) => vec![terms],
            None => vec![CapacityType::OnDemand, CapacityType::Spot, CapacityType::Reserved],
        };
        let offerings = ways.iter().map(|terms| sold(*terms)).find(|all| !all.is_empty());
        if offerings.is_none() {
            let terms = terms.map_or_else(String::new, |terms| format!(" {terms}"));
            let place =
                zone.as_ref().map_or_else(String::new, |zone| format!(" in zone {}", zone.text()));
            type_at.fail(format!("{} is not sold{terms}{place}", type_at.text()));
        }
        let pool_name = pool_at.text().to_owned();
        Some(Self { pool, pool_name, instance_type, offerings: offerings? })
    }

    fn labels(
        &self,
        at: &At<'_>,
        scene: &Scene<'_>,
        name: &str,
        sold: &Offering,
    ) -> Map<String, Value> {
        let known = scene.known;
        let mut labels = Map::new();
        let mut set = |key: &str, value: &str| labels.insert(key.to_owned(), value.into());
        for (key, value) in self.instance_type.labels.iter() {
            set(key, value);
        }
        for (key, value) in self.pool.template.labels.iter() {
            set(known.text(key), known.text(value));
        }
        set(label::INSTANCE_TYPE, &self.instance_type.name);
        set(label::ZONE, sold.zone.as_deref().unwrap_or_default());
        if let Some(region) = sold.region.as_deref() {
            set(label::REGION, region);
        }
        set(label::CAPACITY_TYPE, sold.capacity_type.name());
        set(label::NODE_POOL, &self.pool_name);
        set("kubernetes.io/hostname", name);
        set("karpenter.sh/registered", "true");
        set("karpenter.sh/initialized", "true");
        for (key, value) in at.get("labels").map(|own| own.entries()).unwrap_or_default() {
            set(key, value.text());
        }
        labels
    }

    /// The Node and the NodeClaim.
    fn objects(&self, at: &At<'_>, scene: &Scene<'_>, name: &str, sold: &Offering) -> [Made; 2] {
        let created = scene.start.minus(age(at));
        let labels = self.labels(at, scene, name, sold);
        let condition = |kind: &str| json!({"type": kind, "status": "True", "lastTransitionTime": created.to_string()});
        let youngest = at.get("pods").map(|own| own.entries()).unwrap_or_default();
        let youngest = youngest.iter().filter(|(_, own)| own.value.is_object());
        let youngest = youngest.filter_map(|(_, own)| own.duration_of("age")).min();
        let quiet = at.duration_of("lastPodEvent").or(youngest).unwrap_or_else(|| age(at));
        let annotations = at.get("annotations").map(|own| own.value.clone());
        let mut taints: Vec<Value> =
            self.pool.template.taints.iter().map(|own| taint(own, scene.known)).collect();
        let common = taints.len();
        if let Some(Value::Array(more)) = at.get("taints").map(|own| own.value) {
            taints.extend(more.iter().cloned());
        }
        let metadata = json!({
            "name": name, "labels": labels, "annotations": annotations,
            "creationTimestamp": created.to_string(),
        });
        let provider_id = format!("scenario://{name}");
        let (capacity, allocatable) =
            (quantities(&self.instance_type.capacity), quantities(&self.instance_type.allocatable));
        let node = json!({
            "apiVersion": "v1", "kind": "Node", "metadata": with_uid(&metadata, "node", name),
            "spec": {"providerID": provider_id, "taints": taints},
            "status": {
                "capacity": capacity, "allocatable": allocatable, "conditions": [condition("Ready")],
            },
        });
        let template = &self.pool.template;
        let startup: Vec<Value> =
            template.startup_taints.iter().map(|own| taint(own, scene.known)).collect();
        let requirement =
            |key: &str| json!({"key": key, "operator": "In", "values": [labels[key]]});
        let requirements =
            [label::INSTANCE_TYPE, label::ZONE, label::CAPACITY_TYPE, label::NODE_POOL]
                .map(requirement);
        let conditions =
            ["Launched", "Registered", "Initialized", "Ready", "Consolidatable"].map(condition);
        let claim = json!({
            "apiVersion": "karpenter.sh/v1", "kind": "NodeClaim",
            "metadata": with_uid(&metadata, "claim", name),
            "spec": {
                "requirements": requirements,
                "taints": taints[..common], "startupTaints": startup,
                "expireAfter": template.expire_after.map(|own| own.to_string()),
                "terminationGracePeriod":
                    template.termination_grace_period.map(|own| own.to_string()),
            },
            "status": {
                "nodeName": name, "providerID": provider_id,
                "capacity": capacity, "allocatable": allocatable,
                "lastPodEventTime": scene.start.minus(quiet).to_string(),
                "conditions": conditions,
            },
        });
        let mut objects = [Made::new(node, at), Made::new(claim, at)];
        if let Some(own) = at.get("taints") {
            // The pool's own taints come first.
            for number in 0..taints.len().saturating_sub(common) {
                let mut steps = crate::objects::steps("spec.taints");
                steps.push(restow_kubernetes::Step::Index(common + number));
                let mut from = own.path.clone();
                from.0.push(restow_kubernetes::Step::Index(number));
                objects[0].parts.push((steps, from));
            }
        }
        objects
    }
}

fn with_uid(metadata: &Value, kind: &str, name: &str) -> Value {
    let mut metadata = metadata.clone();
    metadata["uid"] = format!("{kind}/{name}").into();
    metadata
}

/// What to say of a type that is not there.
fn no_type(wanted: &str, list: &restow_catalog::Catalog) -> String {
    let names = || list.types().iter().map(|own| &*own.name);
    match nearest(wanted, names(), 1).as_slice() {
        [near] => format!("no instance type is called {wanted:?}; did you mean {near}?"),
        _ if list.types().is_empty() => {
            format!(
                "no instance type is called {wanted:?}; there are none: see instanceTypes and catalog"
            )
        }
        _ => {
            let some: Vec<&str> = names().take(8).collect();
            let more = if names().count() > 8 { ", …" } else { "" };
            format!("no instance type is called {wanted:?}; there are {}{more}", some.join(", "))
        }
    }
}

fn taint(taint: &Taint, known: &Snapshot) -> Value {
    let effect = match taint.effect {
        Effect::NoSchedule => "NoSchedule",
        Effect::PreferNoSchedule => "PreferNoSchedule",
        Effect::NoExecute => "NoExecute",
    };
    json!({"key": known.text(taint.key), "value": known.text(taint.value), "effect": effect})
}

fn quantities(resources: &Resources) -> Value {
    let mut all = json!({
        "cpu": format!("{}m", resources.cpu_milli),
        "memory": resources.memory_bytes.to_string(),
        "ephemeral-storage": resources.ephemeral_bytes.to_string(),
        "pods": resources.pods.to_string(),
    });
    for (name, amount) in &resources.extended {
        all[name.as_ref()] = amount.to_string().into();
    }
    all
}
