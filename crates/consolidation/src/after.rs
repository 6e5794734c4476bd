//! The cluster as it will be when moves are done, as a snapshot of its own: to see whether there is more to do, and to check
//! every placement again.

use restow_model::{
    Condition, Labels, Meta, Node, NodeClaim, NodeClass, Phase, Resources, Snapshot, Str, Truth,
};

use rustc_hash::FxHashSet;

use crate::fleet::Fleet;
use crate::moves::{Move, Target};

/// Carries out moves in a copy of the snapshot. New nodes look as if they had always been there, so that only what is worth
/// moving decides whether a plan for it has moves.
pub fn after<'m>(fleet: &Fleet<'_>, moves: impl Iterator<Item = &'m Move>) -> Snapshot {
    let mut next = fleet.snapshot.clone();
    let mut gone: FxHashSet<Str> = FxHashSet::default();
    for (number, own) in moves.enumerate() {
        let first = own.sources.first().copied();
        let like = first.and_then(|at| fleet.nodes[at].claim);
        let names: Vec<Str> = (0..own.replacements.len())
            .map(|at| new_name(&mut next, &format!("restow-{number}-{at}")))
            .collect();
        for (name, replacement) in names.iter().zip(&own.replacements) {
            let daemons = &replacement.node.overhead;
            // Daemon pods take their part of a new node before others come.
            let mut room = replacement.node.allocatable.clone();
            room.subtract(daemons);
            add_node(&mut next, fleet, *name, replacement, room, like);
        }
        for moved in &own.pods {
            next.pods[moved.pod].node = match moved.to {
                Target::Node(node) => node,
                Target::Replacement(at) => names.get(at).copied().unwrap_or_default(),
            };
        }
        gone.extend(own.sources.iter().map(|at| fleet.nodes[*at].name));
    }
    next.nodes.retain(|node| !gone.contains(&node.meta.name));
    next.node_claims.retain(|claim| claim.node.is_empty() || !gone.contains(&claim.node));
    // Pods that went with their node hold nothing any more; the others keep their numbers.
    for pod in next.pods.iter_mut().filter(|pod| pod.is_bound() && gone.contains(&pod.node)) {
        pod.phase = Phase::Succeeded;
        pod.node = Str::EMPTY;
    }
    next.nodes.sort_by_key(|node| node.meta.name);
    next
}

/// A name that no node has.
fn new_name(snapshot: &mut Snapshot, wanted: &str) -> Str {
    let mut name = snapshot.strings.intern(wanted);
    let mut number = 1;
    while snapshot.nodes.iter().any(|node| node.meta.name == name) {
        name = snapshot.strings.intern(&format!("{wanted}-{number}"));
        number += 1;
    }
    name
}

fn add_node(
    next: &mut Snapshot,
    fleet: &Fleet<'_>,
    name: Str,
    replacement: &crate::moves::Replacement,
    room: Resources,
    like: Option<usize>,
) {
    let hostname = next.strings.intern("kubernetes.io/hostname");
    let mut labels: Vec<(Str, Str)> =
        replacement.node.labels.iter().filter(|(key, _)| *key != hostname).collect();
    labels.push((hostname, name));
    let old = like.map(|at| &fleet.snapshot.node_claims[at]);
    let created = old.map_or(fleet.now, |claim| claim.meta.created);
    let meta = Meta { name, created, labels: Labels::new(labels), ..Meta::default() };
    let condition = |kind: Str| Condition {
        kind,
        truth: Truth::True,
        reason: Str::EMPTY,
        changed: Some(created),
    };
    let kinds = ["Ready", "Initialized", "Consolidatable"].map(|kind| next.strings.intern(kind));
    let provider_id =
        next.strings.intern(&format!("restow://{}", next.strings.text(name).to_owned()));
    next.nodes.push(Node {
        meta: meta.clone(),
        provider_id,
        taints: replacement.node.taints.clone(),
        unschedulable: false,
        capacity: replacement.node.allocatable.clone(),
        allocatable: room.clone(),
        conditions: vec![condition(kinds[0])],
        kubelet: Str::EMPTY,
    });
    next.node_claims.push(NodeClaim {
        meta,
        class: old.map_or_else(NodeClass::default, |claim| claim.class),
        node: name,
        provider_id,
        capacity: replacement.node.allocatable.clone(),
        allocatable: room,
        last_pod_event: old.and_then(|claim| claim.last_pod_event),
        expire_after: None,
        conditions: vec![condition(kinds[1]), condition(kinds[2])],
        ..NodeClaim::default()
    });
}
