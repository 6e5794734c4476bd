//! The nodes of an answer: where pods go, what is launched, what is drained.

use std::collections::BTreeMap;

use restow_catalog::{CapacityType, marks};
use restow_model::{Labels, Price, Snapshot, Str, Strings};
use restow_scheduling::{Destination, NewNode, Schedule};

use super::answer::PodName;

/// A new node that would be launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchedNode {
    /// `new/0`.
    pub name: String,
    /// Its pool.
    pub pool: String,
    /// The cheapest type that holds its pods.
    pub instance_type: String,
    /// Every type that would hold them, the cheapest first.
    pub instance_types: Vec<String>,
    /// The zone of the cheapest.
    pub zone: Option<String>,
    /// The capacity type of the cheapest.
    pub capacity_type: String,
    /// The price of the cheapest.
    pub price: Price,
}

impl LaunchedNode {
    pub(super) fn new(at: usize, node: &NewNode, strings: &Strings) -> Self {
        let text = |name: Str| strings.text(name).to_owned();
        Self {
            name: new_name(at),
            pool: text(node.pool),
            instance_type: text(node.instance_type),
            instance_types: node.instance_types.iter().copied().map(text).collect(),
            zone: node.zone.map(text),
            capacity_type: text(node.capacity_type),
            price: node.price,
        }
    }
}

/// How the answer calls a new node.
pub(super) fn new_name(at: usize) -> String {
    format!("new/{at}")
}

/// A node that pods go to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// Its name, or that of a claim whose node is still to come, or `new/0`.
    pub name: String,
    /// The pods, by namespace and name.
    pub pods: Vec<PodName>,
    /// Its pool.
    pub pool: Option<String>,
    /// Its type, of a new node the cheapest.
    pub instance_type: Option<String>,
    /// Its zone.
    pub zone: Option<String>,
    /// How it is paid for.
    pub capacity_type: Option<String>,
    /// What it costs if it is new.
    pub price: Option<Price>,
    /// How many types it could be if it is new.
    pub types: usize,
    /// Whether only a claim is there yet.
    pub claimed: bool,
}

/// The nodes that pods go to: those that exist by name, then new ones.
pub(super) fn spots(
    snapshot: &Snapshot,
    schedule: &Schedule,
    launched: &[LaunchedNode],
) -> Vec<Spot> {
    let mut pods: BTreeMap<Destination, Vec<PodName>> = BTreeMap::new();
    for placement in &schedule.placements {
        let name = PodName::new(snapshot, placement.pod);
        pods.entry(placement.to).or_default().push(name);
    }
    let mut spots: Vec<Spot> = Vec::new();
    for (to, mut pods) in pods {
        pods.sort();
        let spot = match to {
            Destination::Node(name) => existing(snapshot, name),
            Destination::New(at) => launched.get(at).map(new_spot).unwrap_or_default(),
        };
        spots.push(Spot { pods, ..spot });
    }
    // Names of a snapshot are in order; names that came later are not.
    spots.sort_by_key(|spot| spot.price.is_some());
    let first_new = spots.partition_point(|spot| spot.price.is_none());
    spots[..first_new].sort_by(|a, b| a.name.cmp(&b.name));
    spots
}

fn existing(snapshot: &Snapshot, name: Str) -> Spot {
    let strings = &snapshot.strings;
    let owned = |text: Option<&str>| text.map(str::to_owned);
    let spot = Spot { name: strings.text(name).to_owned(), ..Spot::default() };
    if let Some(node) = snapshot.nodes.iter().find(|node| node.meta.name == name) {
        return Spot {
            pool: owned(marks::node_pool(node, strings)),
            instance_type: owned(marks::instance_type(node, strings)),
            zone: owned(marks::zone(node, strings)),
            capacity_type: owned(marks::capacity_type(node, strings).map(CapacityType::name)),
            ..spot
        };
    }
    let empty = Labels::default();
    let claim = snapshot.node_claims.iter().find(|claim| claim.meta.name == name);
    let labels = claim.map_or(&empty, |claim| &claim.meta.labels);
    let label = |key| owned(labels.text(key, strings));
    Spot {
        pool: label(restow_catalog::label::NODE_POOL),
        instance_type: label(restow_catalog::label::INSTANCE_TYPE),
        zone: label(restow_catalog::label::ZONE),
        capacity_type: label(restow_catalog::label::CAPACITY_TYPE),
        claimed: claim.is_some(),
        ..spot
    }
}

fn new_spot(node: &LaunchedNode) -> Spot {
    Spot {
        name: node.name.clone(),
        pods: Vec::new(),
        pool: Some(node.pool.clone()),
        instance_type: Some(node.instance_type.clone()),
        zone: node.zone.clone(),
        capacity_type: Some(node.capacity_type.clone()),
        price: Some(node.price),
        types: node.instance_types.len(),
        claimed: false,
    }
}

/// A node that is drained, and its pods by what becomes of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DrainedNode {
    /// Its name.
    pub node: String,
    /// Pods that need another place.
    pub pods: usize,
    /// Of these, pods that nothing would make anew: they have no controller.
    pub orphans: usize,
    /// Daemon pods, which end with it.
    pub daemons: usize,
    /// Static pods, which end with it.
    pub mirrors: usize,
    /// Pods that end anyway.
    pub terminating: usize,
}

/// What drains of these nodes mean, in their order.
pub(super) fn drained(snapshot: &Snapshot, nodes: &[Str]) -> Vec<DrainedNode> {
    let mut found: Vec<DrainedNode> = nodes
        .iter()
        .map(|node| DrainedNode { node: snapshot.text(*node).to_owned(), ..DrainedNode::default() })
        .collect();
    for pod in snapshot.pods.iter().filter(|pod| pod.is_bound() && !pod.is_finished()) {
        let Some(at) = nodes.iter().position(|node| *node == pod.node) else { continue };
        let own = &mut found[at];
        if snapshot.is_daemon(pod) {
            own.daemons += 1;
        } else if snapshot.is_mirror(pod) {
            own.mirrors += 1;
        } else if pod.is_terminating() {
            own.terminating += 1;
        } else {
            own.pods += 1;
            own.orphans += usize::from(snapshot.owner(pod).is_none());
        }
    }
    found
}
