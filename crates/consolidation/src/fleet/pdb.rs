//! Disruption budgets of pods: which pods each protects, and how many of them may go.

use restow_model::{Pod, Shared, Snapshot, Str};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The number of a disruption budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PdbId(pub u32);

impl PdbId {
    /// Its place in the list.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A disruption budget of pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pdb {
    /// Its namespace.
    pub namespace: Str,
    /// Its name.
    pub name: Str,
    /// How many pods may go now.
    pub allowed: i64,
    /// Whether unhealthy pods may always go.
    pub evict_unhealthy_always: bool,
}

/// All budgets, and those of each pod.
pub(super) fn budgets(snapshot: &Snapshot) -> (Vec<Pdb>, Vec<SmallVec<[PdbId; 1]>>) {
    let pdbs: Vec<Pdb> = snapshot
        .pod_disruption_budgets
        .iter()
        .map(|own| Pdb {
            namespace: own.meta.namespace,
            name: own.meta.name,
            allowed: own.disruptions_allowed,
            evict_unhealthy_always: own.evict_unhealthy_always,
        })
        .collect();
    let mut by_namespace: FxHashMap<Str, Vec<u32>> = FxHashMap::default();
    for (at, own) in pdbs.iter().enumerate() {
        by_namespace.entry(own.namespace).or_default().push(at as u32);
    }
    let mut known: FxHashMap<(Str, Shared), SmallVec<[PdbId; 1]>> = FxHashMap::default();
    let of_pod = |pod: &Pod| {
        let Some(candidates) = by_namespace.get(&pod.namespace) else { return SmallVec::new() };
        known
            .entry((pod.namespace, pod.labels))
            .or_insert_with(|| {
                let labels = &snapshot.labels[pod.labels];
                let selects = |at: &&u32| {
                    let own = &snapshot.pod_disruption_budgets[**at as usize];
                    own.selector.as_ref().is_some_and(|selector| selector.selects(labels))
                };
                candidates.iter().filter(selects).map(|at| PdbId(*at)).collect()
            })
            .clone()
    };
    let of_pods = snapshot.pods.iter().map(of_pod).collect();
    (pdbs, of_pods)
}
