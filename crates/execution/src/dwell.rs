//! Pods that were moved a short while ago (`minimum-pod-dwell`).
//!
//! An evicted pod comes back under another name, so that nobody can say which one it is. What is assumed: of each controller, as
//! many of its pods that were made after a move let their node go as that move evicted, the youngest first, are those that it
//! evicted. Pods that were added in the meantime for another reason may be taken for them, never the other way round.

use restow_consolidation::Fleet;
use restow_model::{GoDuration, Str, Time};
use rustc_hash::FxHashMap;

use crate::record::Record;

/// A controller: namespace, kind and name.
type Controller = (Str, Str, Str);

/// What was moved within this time is known even where nobody asks for a dwell: moving it again is churn.
const LEAST: GoDuration = GoDuration::from_seconds(3600);

/// When pods were last moved, by their places in the snapshot.
pub(crate) fn moved(fleet: &Fleet<'_>, records: &[Record]) -> FxHashMap<usize, Time> {
    let dwells = fleet.pools.iter().filter_map(|pool| pool.resolved.settings.minimum_pod_dwell);
    let longest = dwells.max().unwrap_or_default().max(LEAST);
    let strings = &fleet.snapshot.strings;
    let mut evicted: FxHashMap<Controller, Vec<Time>> = FxHashMap::default();
    // What let its last node go so long ago has no pod that counts: records of a week are not read pod by pod.
    let of_late =
        |own: &&Record| own.last_went().is_some_and(|went| fleet.now.since(went) < longest);
    for record in records.iter().filter(of_late) {
        for own in &record.pods {
            let source = record.sources.iter().find(|source| source.node == own.from);
            let Some(went) = source.and_then(|own| own.went) else { continue };
            let Some((kind, name)) = &own.owner else { continue };
            if fleet.now.since(went) >= longest {
                continue;
            }
            let names = [own.pod.0.as_str(), kind, name].map(|text| strings.get(text));
            if let [Some(namespace), Some(kind), Some(name)] = names {
                evicted.entry((namespace, kind, name)).or_default().push(went);
            }
        }
    }
    if evicted.is_empty() {
        return FxHashMap::default();
    }
    let mut pods: FxHashMap<Controller, Vec<(Time, usize)>> = FxHashMap::default();
    for (at, pod) in fleet.snapshot.pods.iter().enumerate() {
        let Some(owner) = fleet.snapshot.owner(pod).filter(|_| !pod.is_finished()) else {
            continue;
        };
        let controller = (pod.namespace, owner.kind, owner.name);
        if evicted.contains_key(&controller) {
            pods.entry(controller).or_default().push((pod.created, at));
        }
    }
    let mut found = FxHashMap::default();
    for (controller, mut pods) in pods {
        let Some(went) = evicted.get_mut(&controller) else { continue };
        pods.sort_unstable_by(|a, b| b.cmp(a));
        went.sort_unstable();
        for (created, pod) in pods {
            // The latest eviction that can have led to it.
            if let Some(at) = went.iter().rposition(|went| *went <= created) {
                found.insert(pod, went.remove(at));
            }
        }
    }
    found
}
