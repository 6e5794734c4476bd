//! Whether a cluster changed in a way that could open a move: one number for each object, and one for all of them, made in one
//! pass, that does not depend on the order of objects or on how names are numbered.
//!
//! What only closes moves is left out (a pod that waits, the time of the last pod event), and so is what we write ourselves.

use std::hash::{BuildHasher, Hash, Hasher};

use restow_model::{
    Condition, Labels, Node, NodeClaim, NodePool, Pod, PodDisruptionBudget, PodShape, Snapshot,
    Strings, Table, Workload,
};
use rustc_hash::{FxBuildHasher, FxHasher};

use crate::action::{EVALUATED_AT, GOING, GOING_UNTIL};

/// The fingerprint of a cluster.
pub(crate) fn fingerprint(snapshot: &Snapshot) -> u64 {
    let Snapshot { strings, labels, shapes, .. } = snapshot;
    let prints = Prints { strings, labels, shapes };
    let mut sum = 0_u64;
    let mut add = |own: u64| {
        // What is not there adds nothing.
        sum = sum.wrapping_add(own.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (own >> 29));
    };
    snapshot.pods.iter().for_each(|own| add(prints.pod(own)));
    snapshot.nodes.iter().for_each(|own| add(prints.node(own)));
    snapshot.node_claims.iter().for_each(|own| add(prints.node_claim(own)));
    snapshot.node_pools.iter().for_each(|own| add(prints.node_pool(own)));
    for own in &snapshot.pod_disruption_budgets {
        prints.budget(own).into_iter().for_each(&mut add);
    }
    for own in &snapshot.workloads {
        prints.workload(own).into_iter().for_each(&mut add);
    }
    sum
}

/// What of single objects could open a move: two versions of one with equal numbers are the same to the loop. By these
/// [`Changes`](crate::Changes) are counted.
#[derive(Clone, Copy, Debug)]
pub struct Prints<'a> {
    /// Names.
    pub strings: &'a Strings,
    /// Annotations of pods.
    pub labels: &'a Table<Labels>,
    /// Shapes of pods.
    pub shapes: &'a Table<PodShape>,
}

impl Prints<'_> {
    /// Of a pod; 0 while it has no node, or is finished.
    pub fn pod(&self, pod: &Pod) -> u64 {
        if !pod.is_bound() || pod.is_finished() {
            return 0;
        }
        hashed(|hash| {
            let requests = match &pod.held {
                Some(held) => held,
                None => &self.shapes[pod.shape].requests,
            };
            // Which node that is, its own number says.
            self.strings.text(pod.node).hash(hash);
            (pod.uid, pod.ready, pod.is_terminating()).hash(hash);
            (requests.cpu, requests.memory).hash(hash);
            for (key, value) in self.labels[pod.annotations].iter() {
                (self.strings.text(key), self.strings.text(value)).hash(hash);
            }
        })
    }

    /// Of a node.
    pub fn node(&self, node: &Node) -> u64 {
        hashed(|hash| of_node(node, self.strings, hash))
    }

    /// Of a claim.
    pub fn node_claim(&self, claim: &NodeClaim) -> u64 {
        hashed(|hash| {
            (claim.meta.uid, claim.meta.deleted.is_some()).hash(hash);
            self.strings.text(claim.node).hash(hash);
            of_conditions(&claim.conditions, self.strings, hash);
            of_labels(&claim.meta.annotations, self.strings, hash);
        })
    }

    /// Of a pool.
    pub fn node_pool(&self, pool: &NodePool) -> u64 {
        hashed(|hash| {
            self.strings.text(pool.meta.name).hash(hash);
            (pool.meta.generation, pool.meta.deleted.is_some()).hash(hash);
            (pool.weight, pool.replicas, pool.node_limit).hash(hash);
            pool.limits.as_ref().map(|own| (own.cpu, own.memory)).hash(hash);
            of_conditions(&pool.conditions, self.strings, hash);
            of_labels(&pool.meta.annotations, self.strings, hash);
        })
    }

    /// Of a disruption budget: what follows from how pods are, and what somebody asked for.
    pub fn budget(&self, budget: &PodDisruptionBudget) -> [u64; 2] {
        let names = [budget.meta.namespace, budget.meta.name].map(|own| self.strings.text(own));
        let status = hashed(|hash| (names, budget.disruptions_allowed).hash(hash));
        [status, hashed(|hash| (names, budget.meta.generation).hash(hash))]
    }

    /// Of a controller of pods: what follows from how pods are, and what somebody asked for.
    pub fn workload(&self, own: &Workload) -> [u64; 2] {
        let names = [own.meta.namespace, own.meta.name].map(|own| self.strings.text(own));
        let status = hashed(|hash| {
            (names, own.kind, own.current, own.updated, own.ready < own.desired).hash(hash);
            own.observed_generation.hash(hash);
        });
        let asked = hashed(|hash| {
            (names, own.kind, own.desired, own.suspended, own.meta.generation).hash(hash);
        });
        [status, asked]
    }
}

fn hashed(of: impl FnOnce(&mut FxHasher)) -> u64 {
    let mut hash = FxBuildHasher.build_hasher();
    of(&mut hash);
    hash.finish()
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
