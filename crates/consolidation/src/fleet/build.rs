//! From a snapshot to a fleet, in one pass over the pods.

use restow_catalog::{NodeFacts, PriceBook, Quote, Unpriced, label, node_facts};
use restow_model::{Effect, GoDuration, NodeClaim, Price, Snapshot, Str, Taint};
use rustc_hash::FxHashMap;

use super::pods::Pods;
use super::times::Names;
use super::{Fleet, FleetNode, Pool, Underway, Withheld, pdb, times, utilization};
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
        let pods = Pods::new(snapshot);
        let watched = pods.on.iter().map(|own| own.watched).collect();
        let names = Names::new(strings);
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
        for (node, on) in snapshot.nodes.iter().zip(pods.on) {
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
                movable: on.movable,
                utilization: utilization::utilization(&node.allocatable, on.asked),
                costs: on.costs.costs(lifetime_remaining, settings.daemon_cost),
                lifetime_remaining,
                expires,
                expire_after,
                initialized: times::initialized(node, object, settings.peer_rules, &names),
                last_pod_event: times::last_pod_event(snapshot, object, &on.pods),
                evaluated: object.and_then(|claim| names.evaluated(claim, strings)),
                drifted: object
                    .is_some_and(|own| times::is_true(&own.conditions, names.drifted).is_some()),
                deleting: times::is_deleting(node, object, settings.peer_rules, &names),
                ready: times::is_true(&node.conditions, names.ready).is_some(),
                pods: on.pods,
            };
            if let Some(pool) = pool {
                count(&mut pools[pool], &own, object, &names);
            }
            nodes.push(own);
        }
        let mut fleet = Self {
            snapshot,
            now: snapshot.time,
            cluster: inputs.cluster.clone(),
            pools,
            nodes,
            pdbs: pdb::pdbs(snapshot),
            pod_pdbs: pods.pdbs,
            workloads: pods.workloads,
            pod_workloads: pods.workload_of,
            pod_marks: pods.marks,
            price_age: inputs.price_age,
            nominated: pods.nominated,
            moved: FxHashMap::default(),
            underway: Underway::default(),
            staying: FxHashMap::default(),
            withheld: Withheld::default(),
            ahead: GoDuration::ZERO,
            watched,
            disruption_taint: Taint {
                key: strings.get("karpenter.sh/disrupted").unwrap_or(UNKNOWN),
                value: Str::EMPTY,
                effect: Effect::NoSchedule,
            },
        };
        fleet.add_up(inputs.book);
        fleet
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
fn count(pool: &mut Pool, node: &FleetNode, claim: Option<&NodeClaim>, names: &Names) {
    pool.movable_pods += node.movable;
    let terminating =
        claim.is_some_and(|claim| times::is_true(&claim.conditions, names.terminating).is_some());
    let managed = claim.is_some() || pool.group;
    if managed && node.initialized.is_some() && !terminating {
        pool.counted_nodes += 1;
        pool.disrupting += usize::from(node.deleting || !node.ready);
    }
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
