//! Whether things have settled after a move: pods that it evicted run again, and their workloads are ready (design 3.8).

use restow_model::{GoDuration, Snapshot, Str, Time, WorkloadKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::brakes::{Brake, Held};
use crate::record::Record;

/// A controller: namespace, kind and name.
type Controller = (Str, Str, Str);

/// What moves of late evicted: by controller, which of some records did, and when first.
struct Evicted {
    by: FxHashMap<Controller, Vec<(usize, Time)>>,
}

impl Evicted {
    /// Of the records that let a source go since `first`.
    fn new(records: &[Record], snapshot: &Snapshot, first: Time) -> Self {
        let mut by: FxHashMap<Controller, Vec<(usize, Time)>> = FxHashMap::default();
        for (at, record) in records.iter().enumerate() {
            if record.last_went().is_none_or(|last| last < first) {
                continue;
            }
            let went = record.sources.iter().filter_map(|own| own.went).min().unwrap_or(first);
            for own in &record.pods {
                let Some((kind, name)) = &own.owner else { continue };
                let names = [own.pod.0.as_str(), kind, name].map(|text| snapshot.strings.get(text));
                if let [Some(namespace), Some(kind), Some(name)] = names {
                    let found = by.entry((namespace, kind, name)).or_default();
                    if found.last().is_none_or(|(known, _)| *known != at) {
                        found.push((at, went));
                    }
                }
            }
        }
        Self { by }
    }

    /// The records whose evicted pods have no node, those that wait for at least so long.
    fn waiting(&self, snapshot: &Snapshot, now: Time, least: GoDuration) -> FxHashSet<usize> {
        let mut found = FxHashSet::default();
        if self.by.is_empty() {
            return found;
        }
        for pod in &snapshot.pods {
            if pod.is_bound() || pod.is_finished() || now.since(pod.created) < least {
                continue;
            }
            let Some(owner) = snapshot.owner(pod) else { continue };
            let records = self.by.get(&(pod.namespace, owner.kind, owner.name));
            for (record, went) in records.into_iter().flatten() {
                if pod.created >= *went {
                    found.insert(*record);
                }
            }
        }
        found
    }

    /// The records whose workloads have fewer ready pods than they want.
    fn unready(&self, snapshot: &Snapshot) -> FxHashSet<usize> {
        let mut found = FxHashSet::default();
        for own in snapshot.workloads.iter().filter(|own| own.ready < own.desired) {
            let Some(kind) = kind(own.kind).and_then(|kind| snapshot.strings.get(kind)) else {
                continue;
            };
            let records = self.by.get(&(own.meta.namespace, kind, own.meta.name));
            found.extend(records.into_iter().flatten().map(|(record, _)| *record));
        }
        found
    }
}

/// What a pod calls a controller of that kind.
pub(crate) const fn kind(kind: WorkloadKind) -> Option<&'static str> {
    match kind {
        WorkloadKind::Deployment => Some("Deployment"),
        WorkloadKind::ReplicaSet => Some("ReplicaSet"),
        WorkloadKind::StatefulSet => Some("StatefulSet"),
        WorkloadKind::ReplicationController => Some("ReplicationController"),
        _ => None,
    }
}

/// Pools in which pods that a move evicted do not run again yet. `window` is how long each pool waits for that.
pub(crate) fn unstable(
    records: &[Record],
    snapshot: &Snapshot,
    window: &dyn Fn(&str) -> GoDuration,
    now: Time,
) -> Vec<Held> {
    let longest = records.iter().flat_map(Record::pools).map(window).max().unwrap_or_default();
    let evicted = Evicted::new(records, snapshot, now.minus(longest));
    if evicted.by.is_empty() {
        return Vec::new();
    }
    let mut found = evicted.waiting(snapshot, now, GoDuration::ZERO);
    found.extend(evicted.unready(snapshot));
    let mut held = Vec::new();
    for at in found {
        let record = &records[at];
        let Some(last) = record.last_went() else { continue };
        for pool in record.pools() {
            let until = last.plus(window(pool));
            if now < until {
                held.push(Held { pool: Some(pool.to_owned()), brake: Brake::Unstable { until } });
            }
        }
    }
    held.sort_by(|a, b| (&a.pool, a.brake.until()).cmp(&(&b.pool, b.brake.until())));
    held
}

/// How long pods that a move evicted are looked for.
pub(crate) const AFTERMATH: GoDuration = GoDuration::from_seconds(15 * 60);

/// How often a move is noted again whose pods still wait.
const AGAIN: GoDuration = GoDuration::from_seconds(5 * 60);

/// Records whose evicted pods wait for too long, and that do not say so yet, or not of late.
pub(crate) fn troubled(
    records: &[Record],
    snapshot: &Snapshot,
    patience: GoDuration,
    now: Time,
) -> Vec<usize> {
    let evicted = Evicted::new(records, snapshot, now.minus(AFTERMATH));
    let mut found: Vec<usize> = evicted.waiting(snapshot, now, patience).into_iter().collect();
    found.retain(|at| records[*at].trouble.is_none_or(|last| now.since(last) >= AGAIN));
    found.sort_unstable();
    found
}
