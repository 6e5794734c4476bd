//! When a pod last came to a node or left it, as Karpenter notes it on claims: without it nobody knows how quiet a node is.

use restow_model::{Snapshot, Str, Time, Uid};
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

/// What was on each node when it was last looked at.
#[derive(Default)]
pub(super) struct PodEvents {
    /// By the node's uid, since names are numbered anew now and then: a sum over the pods that are on it and stay.
    seen: FxHashMap<Uid, u128>,
}

impl PodEvents {
    /// Claims of nodes whose pods have changed, with what is to be written of that. What was never seen before counts from
    /// what its pods say themselves, so that a restart resets nothing.
    pub(super) fn changes(&mut self, now: Time, snapshot: &Snapshot) -> Vec<(String, Value)> {
        let mut sums: FxHashMap<Str, (u128, Time)> = FxHashMap::default();
        for pod in snapshot.pods.iter().filter(|own| own.is_bound() && !own.is_finished()) {
            let own = sums.entry(pod.node).or_default();
            if !pod.is_terminating() {
                own.0 = own.0.wrapping_add(pod.uid.0);
            }
            own.1 = own.1.max(pod.created);
        }
        let mut found = Vec::new();
        for claim in snapshot.node_claims.iter().filter(|own| !own.node.is_empty()) {
            let (sum, newest) = sums.get(&claim.node).copied().unwrap_or_default();
            let before = self.seen.insert(claim.meta.uid, sum);
            let at = match before {
                Some(before) if before != sum => now,
                None if claim.last_pod_event.is_none() && newest > Time::default() => newest,
                _ => continue,
            };
            let time = Time::from_seconds(at.seconds()).to_string();
            let fields = json!({ "status": { "lastPodEventTime": time } });
            found.push((snapshot.text(claim.meta.name).to_owned(), fields));
        }
        found
    }
}
