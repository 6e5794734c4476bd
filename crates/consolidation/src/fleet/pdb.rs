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

/// All budgets.
pub(super) fn pdbs(snapshot: &Snapshot) -> Vec<Pdb> {
    let budgets = snapshot.pod_disruption_budgets.iter();
    let pdb = |own: &restow_model::PodDisruptionBudget| Pdb {
        namespace: own.meta.namespace,
        name: own.meta.name,
        allowed: own.disruptions_allowed,
        evict_unhealthy_always: own.evict_unhealthy_always,
    };
    budgets.map(pdb).collect()
}

/// The budgets of pods: those with the same labels have the same.
pub(super) struct Budgets {
    by_namespace: FxHashMap<Str, Vec<u32>>,
    known: FxHashMap<(Str, Shared), SmallVec<[PdbId; 1]>>,
}

impl Budgets {
    pub(super) fn new(snapshot: &Snapshot) -> Self {
        let mut by_namespace: FxHashMap<Str, Vec<u32>> = FxHashMap::default();
        for (at, own) in snapshot.pod_disruption_budgets.iter().enumerate() {
            by_namespace.entry(own.meta.namespace).or_default().push(at as u32);
        }
        Self { by_namespace, known: FxHashMap::default() }
    }

    /// The budgets of a pod.
    pub(super) fn of(&mut self, snapshot: &Snapshot, pod: &Pod) -> SmallVec<[PdbId; 1]> {
        let Some(candidates) = self.by_namespace.get(&pod.namespace) else {
            return SmallVec::new();
        };
        let select = || {
            let labels = &snapshot.labels[pod.labels];
            let selects = |at: &&u32| {
                let own = &snapshot.pod_disruption_budgets[**at as usize];
                own.selector.as_ref().is_some_and(|selector| selector.selects(labels))
            };
            candidates.iter().filter(selects).map(|at| PdbId(*at)).collect()
        };
        self.known.entry((pod.namespace, pod.labels)).or_insert_with(select).clone()
    }
}
