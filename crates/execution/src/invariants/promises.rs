//! I5: capacity is promised once.

use restow_consolidation::Fleet;
use restow_model::Resources;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Step, Violation};
use crate::record::{Phase, Record};

pub(super) fn check(
    step: &Step<'_>,
    fleet: &Fleet<'_>,
    begun: &[&Record],
    found: &mut Vec<Violation>,
) {
    if begun.is_empty() {
        return;
    }
    let open = || {
        let open = step.records.iter().filter(|own| !own.phase.is_over());
        open.filter(|own| own.phase != Phase::RollingBack)
    };
    let mut source_of: FxHashMap<&str, &str> = FxHashMap::default();
    for own in open() {
        for source in &own.sources {
            if source_of.insert(&source.node, &own.id).is_some() {
                found.push(Violation::PromisedTwice { node: source.node.clone() });
            }
        }
    }
    for own in begun {
        let mut targets: Vec<&str> = own.pods.iter().map(|own| own.to.as_str()).collect();
        targets.sort_unstable();
        targets.dedup();
        for target in targets {
            if source_of.contains_key(target) {
                found.push(Violation::PromisedTwice { node: target.to_owned() });
            }
        }
    }
    room(fleet, begun, found);
}

/// Whether nodes have room for what is on them, what is expected and what a new move sends there. Where others came in the way
/// of what was expected, it has another place.
fn room(fleet: &Fleet<'_>, begun: &[&Record], found: &mut Vec<Violation>) {
    let snapshot = fleet.snapshot;
    let name_of = |pod: usize| {
        let pod = &snapshot.pods[pod];
        (snapshot.text(pod.namespace), snapshot.text(pod.name))
    };
    for (at, node) in fleet.nodes.iter().enumerate() {
        let name = snapshot.text(node.name);
        let sent = begun.iter().flat_map(|own| &own.pods).filter(|own| own.to == name);
        let sent: FxHashSet<(&str, &str)> =
            sent.map(|own| (own.pod.0.as_str(), own.pod.1.as_str())).collect();
        if sent.is_empty() {
            continue;
        }
        let (mut there, mut new) = (Resources::default(), Resources::default());
        for own in &node.pods {
            let pod = &snapshot.pods[own.pod as usize];
            if !pod.is_finished() {
                there.add(snapshot.requests(pod));
            }
        }
        let mut expected = there.clone();
        for (pod, to) in fleet.underway.moves.iter().flat_map(|own| &own.pods) {
            if *to == node.name {
                let is_new = sent.contains(&name_of(*pod));
                let sum = if is_new { &mut new } else { &mut expected };
                sum.add(snapshot.requests(&snapshot.pods[*pod]));
            }
        }
        let has = &snapshot.nodes[at].allocatable;
        let fits = |sum: &Resources| {
            sum.cpu <= has.cpu && sum.memory <= has.memory && sum.pods <= has.pods
        };
        let mut whole = if fits(&expected) { expected } else { there };
        whole.add(&new);
        if !fits(&whole) {
            found.push(Violation::TooMuchPromised { node: name.to_owned() });
        }
    }
}
