//! Nodes for pods that wait: without Karpenter nobody else launches any, and a pod that the scheduler could not place where the plan
//! put it would wait for ever. Launched as Karpenter would, by the same code that the simulator runs.

use restow_consolidation::{Fleet, peer};
use restow_execution::Launch;
use restow_model::{GoDuration, Price, Snapshot, Str, Time};

use super::holds;
use crate::run::Situation;

/// How long a pod waits before a node is launched for it: the scheduler may still find one.
const PATIENCE: GoDuration = GoDuration::from_seconds(5);

/// What is to be launched now, as claims. Nothing while an earlier claim is still to become a node.
pub(super) fn wanted(now: Time, snapshot: &Snapshot, situation: &Situation) -> Vec<Launch> {
    let waits = snapshot.pods.iter().any(|pod| {
        let old = now.since(pod.created) >= PATIENCE;
        old && pod.unschedulable && !pod.is_bound() && !pod.is_finished() && !pod.is_terminating()
    });
    let open = snapshot
        .node_claims
        .iter()
        .any(|own| own.meta.deleted.is_none() && !holds(own, "Initialized", snapshot));
    if !waits || open {
        return Vec::new();
    }
    let fleet = Fleet::new(snapshot, &situation.inputs());
    let (launched, _) = peer::provision(&fleet, &situation.offers);
    let text = |own: Str| snapshot.text(own).to_owned();
    let zone = snapshot.strings.get("topology.kubernetes.io/zone");
    let launch = |(number, own): (usize, peer::Provisioned)| {
        let pool = text(own.node.pool);
        let zones = own.node.labels.iter().filter(|(key, _)| Some(*key) == zone);
        Launch {
            claim: format!("{pool}-{:x}-{number}", now.millis()),
            zones: zones.map(|(_, value)| text(value)).collect(),
            instance_types: own.node.instance_types.iter().map(|own| text(*own)).collect(),
            capacity_types: vec![text(own.node.capacity_type)],
            price: Price::ZERO,
            seen: false,
            pool,
        }
    };
    launched.into_iter().enumerate().map(launch).collect()
}
