//! From a snapshot to a fleet.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use restow_catalog::{
    CapacityType, NodeFacts, PriceBook, Quote, Unpriced, label, marks, node_facts,
};
use restow_model::{Node, NodeClaim, Resources, Snapshot, Str, Time};
use rustc_hash::FxHashMap;

use super::amounts::{Amount, Amounts, Resource};
use super::{Fleet, FleetNode, FleetPool, Groups, Totals, UnpricedNodes, group, sort};
use crate::load::{CPU, EPHEMERAL, FIRST_EXTENDED, Load, MEMORY, PODS};
use crate::options::{FleetOptions, matches_any};
use crate::state::{NodeState, is_do_not_disrupt, states};

pub(super) fn fleet(snapshot: &Snapshot, book: &PriceBook, options: &FleetOptions) -> Fleet {
    let claims = Claims::new(snapshot);
    let shown: Vec<Seen<'_>> = snapshot
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| Seen::new(snapshot, index, node, &claims, options))
        .filter(|seen| seen.passes(snapshot, options))
        .collect();
    let extended: BTreeSet<Str> = shown
        .iter()
        .flat_map(|seen| [&seen.node.capacity, &seen.node.allocatable])
        .flat_map(|resources| resources.others.iter().map(|(name, _)| *name))
        .collect();
    let mut extended: Vec<Str> = extended.into_iter().collect();
    extended.sort_unstable_by_key(|name| snapshot.text(*name));
    let load = Load::new(snapshot, &extended);

    let mut prices = Prices { book, known: FxHashMap::default() };
    let mut pods = load.nowhere;
    let mut nodes = Vec::with_capacity(shown.len());
    for seen in &shown {
        pods.add_node(load.pods(seen.index));
        nodes.push(seen.row(snapshot, &mut prices, &load, &extended, options));
    }
    let nodes = sort::sorted(nodes, &options.sort, snapshot);
    let mut totals = Totals::default();
    for node in &nodes {
        totals.add(node);
    }
    let names = ["cpu", "memory", "pods", "ephemeral-storage"].into_iter();
    let groups = options
        .group_by
        .clone()
        .map(|by| Groups { rows: group::groups(&nodes, by.key(), &options.sort, snapshot), by });
    Fleet {
        time: known(snapshot.time),
        resources: names
            .chain(extended.iter().map(|name| snapshot.text(*name)))
            .map(Resource::new)
            .collect(),
        labels: options.labels.clone(),
        hidden: snapshot.nodes.len() - nodes.len(),
        totals,
        pods,
        unpriced: unpriced(&nodes),
        groups,
        sources: book.list().sources().to_vec(),
        claims_without_node: claims.without_node,
        nodes,
    }
}

/// A time that was set.
fn known(time: Time) -> Option<Time> {
    Some(time).filter(|time| *time != Time::default())
}

/// Claims by the node that came of them.
struct Claims<'a> {
    by_node: FxHashMap<Str, &'a NodeClaim>,
    by_provider_id: FxHashMap<Str, &'a NodeClaim>,
    without_node: usize,
}

impl<'a> Claims<'a> {
    fn new(snapshot: &'a Snapshot) -> Self {
        let mut claims = Self {
            by_node: FxHashMap::default(),
            by_provider_id: FxHashMap::default(),
            without_node: 0,
        };
        for claim in &snapshot.node_claims {
            if !claim.node.is_empty() {
                claims.by_node.insert(claim.node, claim);
            }
            if !claim.provider_id.is_empty() {
                claims.by_provider_id.insert(claim.provider_id, claim);
            }
        }
        let nodes: BTreeSet<Str> = snapshot.nodes.iter().map(|node| node.provider_id).collect();
        claims.without_node = snapshot
            .node_claims
            .iter()
            .filter(|claim| claim.node.is_empty())
            .filter(|claim| claim.provider_id.is_empty() || !nodes.contains(&claim.provider_id))
            .count();
        claims
    }

    fn of(&self, node: &Node) -> Option<&'a NodeClaim> {
        let by_id = || self.by_provider_id.get(&node.provider_id);
        self.by_node.get(&node.meta.name).or_else(by_id).copied()
    }
}

/// A node with what the filter reads of it.
struct Seen<'a> {
    index: usize,
    node: &'a Node,
    claim: Option<&'a NodeClaim>,
    facts: NodeFacts<'a>,
    pool: Option<restow_catalog::Pool<'a>>,
    states: Vec<NodeState>,
    not_ready_since: Option<Time>,
}

impl<'a> Seen<'a> {
    fn new(
        snapshot: &'a Snapshot,
        index: usize,
        node: &'a Node,
        claims: &Claims<'a>,
        options: &FleetOptions,
    ) -> Self {
        let claim = claims.of(node);
        let (states, not_ready_since) = states(node, claim, &snapshot.strings);
        let facts = node_facts(node, &snapshot.strings);
        let pool = marks::pool(node, &snapshot.strings, &options.node_groups);
        Self { index, node, claim, facts, pool, states, not_ready_since }
    }

    fn passes(&self, snapshot: &Snapshot, options: &FleetOptions) -> bool {
        let filter = &options.filter;
        let terms = &filter.capacity_types;
        matches_any(&filter.pools, self.pool.map(|pool| pool.name))
            && matches_any(&filter.types, self.facts.instance_type)
            && matches_any(&filter.zones, self.facts.zone)
            && (terms.is_empty()
                || self.facts.capacity_type.is_some_and(|own| terms.contains(&own)))
            && (filter.states.is_empty()
                || filter.states.iter().any(|state| self.states.contains(state)))
            && filter.selector.selects(&self.node.meta.labels, &snapshot.strings)
    }

    fn row(
        &self,
        snapshot: &Snapshot,
        prices: &mut Prices<'a>,
        load: &Load,
        extended: &[Str],
        options: &FleetOptions,
    ) -> FleetNode {
        let (node, strings) = (self.node, &snapshot.strings);
        let label = |key: &str| node.meta.labels.text(key, strings).map(str::to_owned);
        let created = known(node.meta.created);
        let amounts = (0..FIRST_EXTENDED + extended.len()).map(|resource| {
            let [requested, daemons] = load.sum(self.index, resource);
            let of = |resources: &Resources| match resource {
                CPU => resources.cpu,
                MEMORY => resources.memory,
                PODS => resources.pods,
                EPHEMERAL => resources.ephemeral,
                _ => resources.other(extended[resource - FIRST_EXTENDED]),
            };
            let (capacity, allocatable) = (of(&node.capacity), of(&node.allocatable));
            Amount { capacity, allocatable, requested, daemons }
        });
        FleetNode {
            name: snapshot.text(node.meta.name).to_owned(),
            index: self.index,
            pool: self.pool.map(|pool| FleetPool { name: pool.name.to_owned(), kind: pool.kind }),
            instance_type: self.facts.instance_type.map(str::to_owned),
            arch: label(label::ARCH).or_else(|| label("beta.kubernetes.io/arch")),
            zone: self.facts.zone.map(str::to_owned),
            region: self.facts.region.map(str::to_owned),
            capacity_type: self.facts.capacity_type,
            price: prices.of(&self.facts),
            amounts: Amounts::new(amounts.collect()),
            created,
            age: known(snapshot.time).zip(created).map(|(now, created)| now.since(created)),
            states: self.states.clone(),
            not_ready_since: self.not_ready_since,
            do_not_disrupt: is_do_not_disrupt(node, self.claim, strings),
            kubelet: Some(snapshot.text(node.kubelet).to_owned()).filter(|text| !text.is_empty()),
            labels: options.labels.iter().map(|key| label(key)).collect(),
        }
    }
}

/// Everything that a price depends on.
type PriceKey<'a> = ([Option<&'a str>; 6], Option<CapacityType>);

/// Prices, each asked for once: nodes are of few kinds, and a type that is not known is compared with all that are.
struct Prices<'a> {
    book: &'a PriceBook,
    known: FxHashMap<PriceKey<'a>, Result<Quote, Unpriced>>,
}

impl<'a> Prices<'a> {
    fn of(&mut self, facts: &NodeFacts<'a>) -> Result<Quote, Unpriced> {
        let NodeFacts { instance_type, zone, zone_id, region, price_label, node_pool, .. } = *facts;
        let texts = [instance_type, zone, zone_id, region, price_label, node_pool];
        let key = (texts, facts.capacity_type);
        self.known.entry(key).or_insert_with(|| self.book.price_of(facts)).clone()
    }
}

/// Nodes without a price by the reason, what concerns most nodes first.
fn unpriced(nodes: &[FleetNode]) -> Vec<UnpricedNodes> {
    // There are few reasons: most nodes are of a few types.
    let mut all: Vec<UnpricedNodes> = Vec::new();
    for node in nodes {
        let Err(reason) = &node.price else { continue };
        let at = all.iter().position(|entry| entry.reason == *reason).unwrap_or_else(|| {
            all.push(UnpricedNodes { reason: reason.clone(), nodes: Vec::new() });
            all.len() - 1
        });
        all[at].nodes.push(node.name.clone());
    }
    for entry in &mut all {
        entry.nodes.sort_unstable();
    }
    all.sort_by_cached_key(|entry| (Reverse(entry.nodes.len()), entry.reason.to_string()));
    all
}
