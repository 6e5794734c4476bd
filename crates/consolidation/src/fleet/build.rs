//! From a snapshot to a fleet, in one pass over the pods.

use restow_catalog::{NodeFacts, PriceBook, Quote, Unpriced, label, node_facts};
use restow_model::{Effect, GoDuration, NodeClaim, Price, Snapshot, Str, Taint, Time};
use rustc_hash::FxHashMap;

use super::{
    Fleet, FleetNode, NodePod, Pool, Role, Underway, Withheld, cost, pdb, times, utilization,
    workloads,
};
use crate::marks::{DO_NOT_DISRUPT, DO_NOT_EVICT};
use crate::settings::Resolved;

/// A name that no object of the snapshot has.
const UNKNOWN: Str = Str::from_index(u32::MAX - 7);

/// What a fleet is made of, besides the snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// Prices.
    pub book: &'a PriceBook,
    /// Settings of the cluster.
    pub cluster: &'a Resolved,
    /// Settings of each of the snapshot's pools.
    pub pools: &'a [Resolved],
    /// Pools that stand for node groups.
    pub groups: &'a [Str],
    /// How old the prices are, where that matters.
    pub price_age: Option<GoDuration>,
}

impl<'a> Fleet<'a> {
    /// What decisions read of a snapshot.
    pub fn new(snapshot: &'a Snapshot, inputs: &Inputs<'_>) -> Self {
        let strings = &snapshot.strings;
        let claims = Claims::new(snapshot);
        let pods = pods_by_node(snapshot);
        let mut pools: Vec<Pool> = snapshot
            .node_pools
            .iter()
            .enumerate()
            .map(|(at, pool)| Pool {
                name: pool.meta.name,
                at: Some(at),
                group: inputs.groups.contains(&pool.meta.name),
                resolved: inputs.pools.get(at).unwrap_or(inputs.cluster).clone(),
                price: Price::ZERO,
                disruption: 0.0,
                counted_nodes: 0,
                disrupting: 0,
                underway: 0,
                movable_pods: 0,
            })
            .collect();
        let mut by_name: FxHashMap<Str, usize> =
            pools.iter().enumerate().map(|(at, pool)| (pool.name, at)).collect();
        let mut prices = Prices { book: inputs.book, known: FxHashMap::default() };
        let pool_key = strings.get(label::NODE_POOL);
        let type_key = strings.get(label::INSTANCE_TYPE);
        let mut nodes = Vec::with_capacity(snapshot.nodes.len());
        for (node, pods) in snapshot.nodes.iter().zip(pods) {
            let claim = claims.of(node);
            let object = claim.map(|at| &snapshot.node_claims[at]);
            let facts = node_facts(node, strings);
            let pool = pool_key.and_then(|key| node.meta.labels.get(key)).map(|name| {
                *by_name.entry(name).or_insert_with(|| {
                    pools.push(Pool {
                        name,
                        at: None,
                        group: false,
                        resolved: inputs.cluster.clone(),
                        price: Price::ZERO,
                        disruption: 0.0,
                        counted_nodes: 0,
                        disrupting: 0,
                        underway: 0,
                        movable_pods: 0,
                    });
                    pools.len() - 1
                })
            });
            let settings =
                pool.map_or(&inputs.cluster.settings, |pool| &pools[pool].resolved.settings);
            let (expire_after, expires, lifetime_remaining) =
                times::lifetime(snapshot.time, node, object);
            let own = FleetNode {
                name: node.meta.name,
                claim,
                pool,
                instance_type: type_key
                    .and_then(|key| node.meta.labels.get(key))
                    .or_else(|| strings.get(facts.instance_type?)),
                zone: facts.zone.and_then(|zone| strings.get(zone)),
                capacity_type: facts.capacity_type,
                quote: prices.of(&facts).map(|quote| as_sold(quote, &facts, settings.peer_rules)),
                movable: pods.iter().filter(|own| own.role == Role::Movable).count(),
                utilization: utilization::utilization(snapshot, &node.allocatable, &pods),
                costs: cost::costs(snapshot, &pods, lifetime_remaining, settings.daemon_cost),
                lifetime_remaining,
                expires,
                expire_after,
                initialized: times::initialized(node, object, settings.peer_rules, strings),
                last_pod_event: times::last_pod_event(snapshot, object, &pods),
                evaluated: object.and_then(|claim| evaluated(claim, snapshot)),
                drifted: object
                    .is_some_and(|own| times::holds(&own.conditions, "Drifted", strings).is_some()),
                deleting: times::is_deleting(node, object, settings.peer_rules, strings),
                ready: times::holds(&node.conditions, "Ready", strings).is_some(),
                pods,
            };
            if let Some(pool) = pool {
                count(&mut pools[pool], &own, object, snapshot);
            }
            nodes.push(own);
        }
        let (pdbs, pod_pdbs) = pdb::budgets(snapshot);
        let (workloads, pod_workloads) = workloads::workloads(snapshot);
        let mut fleet = Self {
            snapshot,
            now: snapshot.time,
            cluster: inputs.cluster.clone(),
            pools,
            nodes,
            pdbs,
            pod_pdbs,
            workloads,
            pod_workloads,
            price_age: inputs.price_age,
            nominated: snapshot
                .pods
                .iter()
                .enumerate()
                .filter(|(_, pod)| !pod.is_bound() && !pod.nominated_node.is_empty())
                .map(|(at, pod)| (pod.nominated_node, at))
                .collect(),
            moved: FxHashMap::default(),
            underway: Underway::default(),
            staying: FxHashMap::default(),
            withheld: Withheld::default(),
            ahead: GoDuration::ZERO,
            watched: Vec::new(),
            disruption_taint: Taint {
                key: strings.get("karpenter.sh/disrupted").unwrap_or(UNKNOWN),
                value: Str::EMPTY,
                effect: Effect::NoSchedule,
            },
        };
        fleet.watch();
        fleet.add_up(inputs.book);
        fleet
    }

    /// Finds the nodes whose pods have to be looked at one by one: on most, nothing stands in the way.
    fn watch(&mut self) {
        let snapshot = self.snapshot;
        let keys = [DO_NOT_DISRUPT, DO_NOT_EVICT].map(|key| snapshot.strings.get(key));
        let sets = snapshot.labels.values().iter();
        let marked: Vec<bool> = sets
            .map(|set| keys.iter().any(|key| key.is_some_and(|key| set.get(key).is_some())))
            .collect();
        let moving = |pod: usize| {
            let workload = self.pod_workloads[pod].map(|own| &self.workloads[own.index()]);
            workload.is_some_and(|own| own.rollout.is_some())
        };
        let asked = |own: &NodePod| {
            let at = own.pod as usize;
            let pod = &snapshot.pods[at];
            marked[pod.annotations.index()]
                || !self.pod_pdbs[at].is_empty()
                || snapshot.owner(pod).is_none()
                || moving(at)
        };
        self.watched = self.nodes.iter().map(|node| node.pods.iter().any(asked)).collect();
    }
}

/// Karpenter knows no price that holds for a whole region: a node that does not say where it is costs it nothing.
fn as_sold(quote: Quote, facts: &NodeFacts<'_>, peer_rules: bool) -> Quote {
    if peer_rules && (facts.zone.is_none() || facts.capacity_type.is_none()) {
        return Quote { price: Price::ZERO, ..quote };
    }
    quote
}

/// Adds a node to what is known of its pool.
fn count(pool: &mut Pool, node: &FleetNode, claim: Option<&NodeClaim>, snapshot: &Snapshot) {
    pool.movable_pods += node.movable;
    let terminating = claim.is_some_and(|claim| {
        times::holds(&claim.conditions, "InstanceTerminating", &snapshot.strings).is_some()
    });
    let managed = claim.is_some() || pool.group;
    if managed && node.initialized.is_some() && !terminating {
        pool.counted_nodes += 1;
        pool.disrupting += usize::from(node.deleting || !node.ready);
    }
}

fn evaluated(claim: &NodeClaim, snapshot: &Snapshot) -> Option<Time> {
    claim.meta.annotations.text("restow.dev/evaluated-at", &snapshot.strings)?.parse().ok()
}

/// Claims by the node that came of them.
struct Claims {
    by_node: FxHashMap<Str, usize>,
    by_provider_id: FxHashMap<Str, usize>,
}

impl Claims {
    fn new(snapshot: &Snapshot) -> Self {
        let index = |name: fn(&NodeClaim) -> Str| {
            let claims = snapshot.node_claims.iter().enumerate();
            claims
                .map(|(at, claim)| (name(claim), at))
                .filter(|(name, _)| !name.is_empty())
                .collect()
        };
        Self {
            by_node: index(|claim| claim.node),
            by_provider_id: index(|claim| claim.provider_id),
        }
    }

    fn of(&self, node: &restow_model::Node) -> Option<usize> {
        let by_id = || self.by_provider_id.get(&node.provider_id);
        self.by_node.get(&node.meta.name).or_else(by_id).copied()
    }
}

fn pods_by_node(snapshot: &Snapshot) -> Vec<Vec<NodePod>> {
    let roles = Roles::new(snapshot);
    let nodes: FxHashMap<Str, usize> =
        snapshot.nodes.iter().enumerate().map(|(at, node)| (node.meta.name, at)).collect();
    let mut found = vec![Vec::new(); snapshot.nodes.len()];
    for (at, pod) in snapshot.pods.iter().enumerate() {
        if let Some(node) = nodes.get(&pod.node).filter(|_| pod.is_bound()) {
            found[*node].push(NodePod { pod: at as u32, role: roles.of(snapshot, pod) });
        }
    }
    found
}

/// What pods are, looked up by what they share.
struct Roles {
    daemon: Vec<bool>,
    mirror: Vec<bool>,
    stateful: Vec<bool>,
    mirror_key: Option<Str>,
}

impl Roles {
    fn new(snapshot: &Snapshot) -> Self {
        let of_kind = |text: &str| -> Vec<bool> {
            let kind = snapshot.strings.get(text);
            let owners = snapshot.owners.values().iter();
            owners.map(|own| kind.is_some() && own.map(|own| own.kind) == kind).collect()
        };
        Self {
            daemon: of_kind("DaemonSet"),
            mirror: of_kind("Node"),
            stateful: of_kind("StatefulSet"),
            mirror_key: snapshot.strings.get("kubernetes.io/config.mirror"),
        }
    }

    fn of(&self, snapshot: &Snapshot, pod: &restow_model::Pod) -> Role {
        let owner = pod.owner.index();
        let marked = |key: Str| snapshot.labels[pod.annotations].get(key).is_some();
        if pod.is_finished() {
            Role::Finished
        } else if self.mirror[owner] || self.mirror_key.is_some_and(marked) {
            Role::Mirror
        } else if self.daemon[owner] {
            Role::Daemon
        } else if pod.is_terminating() && !self.stateful[owner] {
            Role::Leaving
        } else {
            Role::Movable
        }
    }
}

/// Prices by what a price depends on.
struct Prices<'b, 's> {
    book: &'b PriceBook,
    known: FxHashMap<[Option<&'s str>; 7], Result<Quote, Unpriced>>,
}

impl<'s> Prices<'_, 's> {
    fn of(&mut self, facts: &NodeFacts<'s>) -> Result<Quote, Unpriced> {
        let NodeFacts { instance_type, zone, zone_id, region, price_label, node_pool, .. } = *facts;
        let terms = facts.capacity_type.map(restow_catalog::CapacityType::name);
        let key = [instance_type, zone, zone_id, region, terms, price_label, node_pool];
        self.known.entry(key).or_insert_with(|| self.book.price_of(facts)).clone()
    }
}
