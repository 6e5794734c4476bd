//! What a move launched stays for the load that it was launched for: on a load that does not change every node moves once (I7).
//!
//! Pods do not come to be where a plan puts them, so the plan made next finds something else to save on the nodes of the last one,
//! and so on. A node that was launched is left alone until the workloads whose pods it was launched for have become larger or smaller by
//! more than a fifth, it is empty, or a day is over: an autoscaler that adds a replica is no reason to begin again. How the
//! workloads were is not part of a record: whoever takes over starts from how they are.

use std::cell::OnceCell;

use restow_consolidation::Fleet;
use restow_model::{GoDuration, Snapshot, Str, Time, WorkloadKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::record::{Phase, Record};
use crate::settle::kind;

/// How long at most.
const STAYS: GoDuration = GoDuration::from_seconds(24 * 3600);

/// One replica in so many may come or go.
const FEW: u64 = 5;

/// How the workloads were for whose pods something was launched, by record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lineage {
    loads: FxHashMap<String, Load>,
}

/// How many pods are wanted of each of some workloads.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Load(Vec<i64>);

impl Load {
    /// Whether it is about what it was.
    fn is_like(&self, then: &Self) -> bool {
        let changed: u64 = self.0.iter().zip(&then.0).map(|(a, b)| a.abs_diff(*b)).sum();
        let before: u64 = then.0.iter().map(|own| own.unsigned_abs()).sum();
        changed * FEW <= before
    }
}

impl Lineage {
    /// Notes how things are for moves that are new.
    pub(crate) fn observe(&mut self, records: &[Record], snapshot: &Snapshot) {
        let launched = || records.iter().filter(|own| !own.launches.is_empty());
        if launched().all(|own| self.loads.contains_key(&own.id)) {
            return;
        }
        let known: FxHashSet<&str> = launched().map(|own| own.id.as_str()).collect();
        self.loads.retain(|id, _| known.contains(id.as_str()));
        let workloads = Workloads::new(snapshot);
        for own in launched() {
            if !self.loads.contains_key(&own.id) {
                self.loads.insert(own.id.clone(), workloads.load(own));
            }
        }
    }

    /// The nodes that stay, and until when.
    pub(crate) fn staying(&self, fleet: &Fleet<'_>, records: &[Record]) -> FxHashMap<usize, Time> {
        let recent = |own: &&Record| {
            own.phase == Phase::Done
                && !own.launches.is_empty()
                && fleet.now.since(own.since) < STAYS
        };
        let mut launched: FxHashMap<&str, Time> = FxHashMap::default();
        let mut workloads = None;
        for own in records.iter().filter(recent) {
            let workloads = workloads.get_or_insert_with(|| Workloads::new(fleet.snapshot));
            if self.loads.get(&own.id).is_some_and(|then| workloads.load(own).is_like(then)) {
                let until = own.since.plus(STAYS);
                launched.extend(own.launches.iter().map(|new| (new.claim.as_str(), until)));
            }
        }
        let mut found = FxHashMap::default();
        if launched.is_empty() {
            return found;
        }
        for (at, node) in fleet.nodes.iter().enumerate() {
            let claim = node.claim.map(|claim| fleet.snapshot.node_claims[claim].meta.name);
            let until = claim.and_then(|claim| launched.get(fleet.snapshot.text(claim)));
            found.extend(until.map(|until| (at, *until)));
        }
        found
    }
}

/// A controller: namespace, kind and name.
type Controller<'s> = (Str, &'s str, Str);

/// What is wanted of each workload.
struct Workloads<'s> {
    snapshot: &'s Snapshot,
    wanted: FxHashMap<Controller<'s>, i64>,
    /// The pods of each controller: all that is known of one that is not listed.
    pods: OnceCell<FxHashMap<Controller<'s>, i64>>,
}

impl<'s> Workloads<'s> {
    fn new(snapshot: &'s Snapshot) -> Self {
        let wanted = snapshot.workloads.iter().filter_map(|own| {
            let kind = match own.kind {
                WorkloadKind::Job => "Job",
                other => kind(other)?,
            };
            let name = (own.meta.namespace, kind, own.meta.name);
            Some((name, own.desired))
        });
        Self { snapshot, wanted: wanted.collect(), pods: OnceCell::new() }
    }

    /// How the workloads of a move's pods are, in the order of their names.
    fn load(&self, record: &Record) -> Load {
        let mut owners: Vec<(&str, &str, &str)> = record
            .pods
            .iter()
            .filter_map(|own| Some((&own.pod.0, own.owner.as_ref()?)))
            .map(|(namespace, (kind, name))| (namespace.as_str(), kind.as_str(), name.as_str()))
            .collect();
        owners.sort_unstable();
        owners.dedup();
        let strings = &self.snapshot.strings;
        let wanted = owners.into_iter().map(|(namespace, kind, name)| {
            let known = strings.get(namespace).zip(strings.get(name));
            known.map_or(0, |(namespace, name)| self.wanted((namespace, kind, name)))
        });
        Load(wanted.collect())
    }

    fn wanted(&self, own: Controller<'_>) -> i64 {
        let pods = || self.pods.get_or_init(|| pods(self.snapshot));
        let count = || pods().get(&own).copied().unwrap_or_default();
        self.wanted.get(&own).copied().unwrap_or_else(count)
    }
}

fn pods(snapshot: &Snapshot) -> FxHashMap<Controller<'_>, i64> {
    let mut found = FxHashMap::default();
    for pod in snapshot.pods.iter().filter(|own| !own.is_finished() && !own.is_terminating()) {
        if let Some(owner) = snapshot.owner(pod) {
            let own = (pod.namespace, snapshot.text(owner.kind), owner.name);
            *found.entry(own).or_default() += 1;
        }
    }
    found
}
