//! The nodes that placements see: those that exist, and those that were asked for and promise to come.

use restow_model::{
    Effect, Labels, Node, NodeClaim, Resources, Snapshot, Str, Strings, Taint, Truth, condition,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::known::UNNAMED;
use crate::selection::Place;
use crate::settings::Settings;

/// A node before it is numbered.
#[derive(Clone, Debug)]
pub(crate) struct NodeSource {
    pub(crate) snapshot: Option<u32>,
    pub(crate) name: Str,
    pub(crate) labels: Labels,
    pub(crate) taints: Vec<Taint>,
    pub(crate) unschedulable: bool,
    pub(crate) allocatable: Resources,
    pub(crate) capacity: Resources,
    pub(crate) in_flight: bool,
    /// Whether it is being deleted, and takes no pods any more.
    pub(crate) leaving: bool,
    pub(crate) pool: Str,
}

impl NodeSource {
    pub(crate) fn place(&self) -> Place<'_> {
        Place {
            name: self.name,
            labels: &self.labels,
            taints: &self.taints,
            unschedulable: self.unschedulable,
        }
    }

    /// A node as the scheduler sees it.
    pub(crate) fn of_node(at: usize, node: &Node, strings: &Strings) -> Self {
        let pool = strings
            .get(restow_catalog::label::NODE_POOL)
            .and_then(|key| node.meta.labels.get(key))
            .unwrap_or_default();
        Self {
            snapshot: Some(at as u32),
            name: node.meta.name,
            labels: node.meta.labels.clone(),
            taints: node.taints.clone(),
            unschedulable: node.unschedulable,
            allocatable: node.allocatable.clone(),
            capacity: node.capacity.clone(),
            in_flight: false,
            leaving: false,
            pool,
        }
    }
}

/// Taints that a node has only until it is ready.
const EPHEMERAL: [&str; 4] = [
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
    "node.cloudprovider.kubernetes.io/uninitialized",
    "karpenter.sh/unregistered",
];

/// All nodes, in the order of the snapshot, then claims whose node is still to come.
pub(crate) fn nodes(snapshot: &Snapshot, settings: Settings) -> Vec<NodeSource> {
    let strings = &snapshot.strings;
    let mut found: Vec<NodeSource> = snapshot
        .nodes
        .iter()
        .enumerate()
        .map(|(at, node)| NodeSource::of_node(at, node, strings))
        .collect();
    if !settings.promises {
        return found;
    }
    let by_name: FxHashMap<Str, usize> =
        found.iter().enumerate().map(|(at, node)| (node.name, at)).collect();
    let providers: FxHashSet<Str> =
        snapshot.nodes.iter().map(|node| node.provider_id).filter(|id| !id.is_empty()).collect();
    for (source, node) in found.iter_mut().zip(&snapshot.nodes) {
        source.leaving = node.meta.deleted.is_some();
    }
    for claim in &snapshot.node_claims {
        if claim.meta.deleted.is_some()
            && let Some(at) = by_name.get(&claim.node)
        {
            found[*at].leaving = true;
        }
        let lost = settings.peer && !by_name.contains_key(&claim.node);
        if is_true(&claim.conditions, "Initialized", strings) && !lost {
            continue;
        }
        match by_name.get(&claim.node) {
            Some(at) if !claim.node.is_empty() => promise(&mut found[*at], claim, strings),
            _ if claim.meta.deleted.is_some() || claim.allocatable.pods == 0 => {}
            _ if providers.contains(&claim.provider_id) => {}
            // Karpenter does not know of a claim before there is a machine.
            _ if settings.peer && claim.provider_id.is_empty() => {}
            _ => found.push(of_claim(claim, strings)),
        }
    }
    found
}

fn is_true(conditions: &[restow_model::Condition], kind: &str, strings: &Strings) -> bool {
    condition(conditions, kind, strings).is_some_and(|condition| condition.truth == Truth::True)
}

/// A node that is not ready yet counts as what its claim says it will be.
fn promise(node: &mut NodeSource, claim: &NodeClaim, strings: &Strings) {
    node.in_flight = true;
    let passing = |taint: &Taint| {
        claim.startup_taints.iter().any(|own| own.key == taint.key && own.effect == taint.effect)
            || EPHEMERAL.contains(&strings.text(taint.key))
    };
    node.taints.retain(|taint| taint.effect == Effect::PreferNoSchedule || !passing(taint));
    raise(&mut node.allocatable, &claim.allocatable);
    raise(&mut node.capacity, &claim.capacity);
}

/// Fills in what the node does not report yet.
fn raise(own: &mut Resources, promised: &Resources) {
    for (own, promised) in [
        (&mut own.cpu, promised.cpu),
        (&mut own.memory, promised.memory),
        (&mut own.ephemeral, promised.ephemeral),
        (&mut own.pods, promised.pods),
    ] {
        if *own == 0 {
            *own = promised;
        }
    }
    let missing: Vec<(Str, i64)> =
        promised.others.iter().filter(|(name, _)| own.other(*name) == 0).copied().collect();
    own.add(&Resources { others: missing, ..Resources::default() });
}

fn of_claim(claim: &NodeClaim, strings: &Strings) -> NodeSource {
    let mut labels: Vec<(Str, Str)> = claim
        .requirements
        .iter()
        .filter_map(|wanted| match wanted.listed() {
            Some([value]) => Some((wanted.key(), *value)),
            _ => None,
        })
        .collect();
    labels.extend(claim.meta.labels.iter());
    if let Some(hostname) = strings.get(crate::known::HOSTNAME) {
        labels.push((hostname, UNNAMED));
    }
    let labels = Labels::new(labels);
    let pool = strings
        .get(restow_catalog::label::NODE_POOL)
        .and_then(|key| labels.get(key))
        .unwrap_or_default();
    NodeSource {
        snapshot: None,
        name: claim.meta.name,
        labels,
        taints: claim.taints.clone(),
        unschedulable: false,
        allocatable: claim.allocatable.clone(),
        capacity: claim.capacity.clone(),
        in_flight: true,
        leaving: false,
        pool,
    }
}
