//! Whether a cluster changed in a way that could open a move: one number, made in one pass, that does not depend on the order of
//! objects or on how names are numbered.
//!
//! What only closes moves is left out (a pod that waits, the time of the last pod event), and so is what we write ourselves.

use std::hash::{BuildHasher, Hash, Hasher};

use restow_model::{Condition, Labels, Node, Pod, Snapshot, Str, Strings, Uid};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::action::{EVALUATED_AT, GOING, GOING_UNTIL};

/// The fingerprint of a cluster.
pub(crate) fn fingerprint(snapshot: &Snapshot) -> u64 {
    let strings = &snapshot.strings;
    let nodes: FxHashMap<Str, Uid> =
        snapshot.nodes.iter().map(|own| (own.meta.name, own.meta.uid)).collect();
    let mut sum = Sum(0);
    for pod in &snapshot.pods {
        sum.add(|hash| of_pod(snapshot, &nodes, pod, hash));
    }
    for node in &snapshot.nodes {
        sum.add(|hash| of_node(node, strings, hash));
    }
    for claim in &snapshot.node_claims {
        sum.add(|hash| {
            (claim.meta.uid, claim.meta.deleted.is_some()).hash(hash);
            strings.text(claim.node).hash(hash);
            of_conditions(&claim.conditions, strings, hash);
            of_labels(&claim.meta.annotations, strings, hash);
        });
    }
    for pool in &snapshot.node_pools {
        sum.add(|hash| {
            strings.text(pool.meta.name).hash(hash);
            (pool.meta.generation, pool.meta.deleted.is_some()).hash(hash);
            (pool.weight, pool.replicas, pool.node_limit).hash(hash);
            pool.limits.as_ref().map(|own| (own.cpu, own.memory)).hash(hash);
            of_conditions(&pool.conditions, strings, hash);
            of_labels(&pool.meta.annotations, strings, hash);
        });
    }
    for budget in &snapshot.pod_disruption_budgets {
        sum.add(|hash| {
            [budget.meta.namespace, budget.meta.name].map(|own| strings.text(own)).hash(hash);
            (budget.disruptions_allowed, budget.meta.generation).hash(hash);
        });
    }
    for own in &snapshot.workloads {
        sum.add(|hash| {
            [own.meta.namespace, own.meta.name].map(|own| strings.text(own)).hash(hash);
            (own.kind, own.desired, own.current, own.updated, own.suspended).hash(hash);
            (own.ready < own.desired).hash(hash);
            (own.meta.generation, own.observed_generation).hash(hash);
        });
    }
    sum.0
}

/// Hashes, added up.
struct Sum(u64);

impl Sum {
    fn add(&mut self, of: impl FnOnce(&mut rustc_hash::FxHasher)) {
        let mut hash = FxBuildHasher.build_hasher();
        of(&mut hash);
        let own = hash.finish();
        // What is not there adds nothing.
        self.0 = self.0.wrapping_add(own.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (own >> 29));
    }
}

fn of_pod<H: Hasher>(snapshot: &Snapshot, nodes: &FxHashMap<Str, Uid>, pod: &Pod, hash: &mut H) {
    if !pod.is_bound() || pod.is_finished() {
        return;
    }
    let requests = snapshot.requests(pod);
    (pod.uid, nodes.get(&pod.node), pod.ready, pod.is_terminating()).hash(hash);
    (requests.cpu, requests.memory).hash(hash);
    for (key, value) in snapshot.labels[pod.annotations].iter() {
        (snapshot.text(key), snapshot.text(value)).hash(hash);
    }
}

fn of_node<H: Hasher>(node: &Node, strings: &Strings, hash: &mut H) {
    (node.meta.uid, node.unschedulable, node.meta.deleted.is_some()).hash(hash);
    (node.allocatable.cpu, node.allocatable.memory, node.allocatable.pods).hash(hash);
    for taint in &node.taints {
        let key = strings.text(taint.key);
        if key != GOING {
            (key, strings.text(taint.value), taint.effect).hash(hash);
        }
    }
    of_conditions(&node.conditions, strings, hash);
    of_labels(&node.meta.annotations, strings, hash);
}

fn of_conditions<H: Hasher>(conditions: &[Condition], strings: &Strings, hash: &mut H) {
    for own in conditions {
        (strings.text(own.kind), own.truth).hash(hash);
    }
}

fn of_labels<H: Hasher>(labels: &Labels, strings: &Strings, hash: &mut H) {
    for (key, value) in labels.iter() {
        let key = strings.text(key);
        if !matches!(key, EVALUATED_AT | GOING_UNTIL) {
            (key, strings.text(value)).hash(hash);
        }
    }
}
