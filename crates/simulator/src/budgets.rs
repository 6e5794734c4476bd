//! The status of disruption budgets, as their controller keeps it: how many pods are healthy, and how many may go.

use restow_model::{CountOrPercent, Phase, Pod, Shared, Snapshot, Str};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Counts of every budget, kept pod by pod.
#[derive(Debug, Default)]
pub(crate) struct Budgets {
    of_labels: FxHashMap<(Str, Shared), SmallVec<[u32; 1]>>,
    /// By a pod's place: whether it was counted as healthy.
    counted: Vec<bool>,
    pub(crate) healthy: Vec<i64>,
    /// How many pods the controllers of its pods want in sum.
    pub(crate) expected: Vec<i64>,
}

/// Why a pod cannot be evicted now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Its budget allows no disruption.
    Budget,
    /// It has more than one.
    Several,
}

impl Budgets {
    pub(crate) fn new(snapshot: &Snapshot) -> Self {
        let count = snapshot.pod_disruption_budgets.len();
        Self { healthy: vec![0; count], expected: vec![0; count], ..Self::default() }
    }

    /// The budgets of a pod.
    pub(crate) fn of(&mut self, snapshot: &Snapshot, pod: &Pod) -> SmallVec<[u32; 1]> {
        let budgets = &snapshot.pod_disruption_budgets;
        if budgets.is_empty() {
            return SmallVec::new();
        }
        let key = (pod.namespace, pod.labels);
        let found = self.of_labels.entry(key).or_insert_with(|| {
            let labels = &snapshot.labels[pod.labels];
            let selects = |own: &restow_model::PodDisruptionBudget| {
                own.meta.namespace == pod.namespace
                    && own.selector.as_ref().is_some_and(|selector| selector.selects(labels))
            };
            let all = budgets.iter().enumerate();
            all.filter(|(_, own)| selects(own)).map(|(at, _)| at as u32).collect()
        });
        found.clone()
    }

    /// Whether the pod counts as healthy changed, or the pod is not there any more.
    pub(crate) fn see(&mut self, snapshot: &mut Snapshot, at: u32, there: bool) {
        if snapshot.pod_disruption_budgets.is_empty() {
            return;
        }
        let place = at as usize;
        if self.counted.len() <= place {
            self.counted.resize(place + 1, false);
        }
        let pod = &snapshot.pods[place];
        let healthy =
            there && pod.ready && pod.is_bound() && !pod.is_finished() && !pod.is_terminating();
        if self.counted[place] == healthy {
            return;
        }
        self.counted[place] = healthy;
        for own in self.of(snapshot, &snapshot.pods[place]) {
            self.healthy[own as usize] += if healthy { 1 } else { -1 };
            self.write(snapshot, own as usize);
        }
    }

    /// Writes the status of a budget.
    pub(crate) fn write(&self, snapshot: &mut Snapshot, at: usize) {
        let (healthy, expected) = (self.healthy[at], self.expected[at]);
        let own = &mut snapshot.pod_disruption_budgets[at];
        let part = |amount: CountOrPercent| match amount {
            CountOrPercent::Count(count) => count,
            // Both are rounded up.
            CountOrPercent::Percent(percent) => (percent * expected + 99).div_euclid(100),
        };
        let desired = match (own.min_available, own.max_unavailable) {
            (Some(least), _) => part(least),
            (None, Some(most)) => expected - part(most),
            (None, None) => expected - 1,
        }
        .max(0);
        own.current_healthy = healthy;
        own.desired_healthy = desired;
        own.expected_pods = expected;
        own.disruptions_allowed = if expected == 0 { 0 } else { (healthy - desired).max(0) };
        own.observed_generation = own.meta.generation;
    }

    /// Whether the eviction of a pod is accepted, as the API server decides.
    pub(crate) fn may_evict(&mut self, snapshot: &Snapshot, pod: &Pod) -> Result<(), Refused> {
        if pod.phase == Phase::Pending || pod.is_finished() || pod.is_terminating() {
            return Ok(());
        }
        let budgets = self.of(snapshot, pod);
        match budgets.as_slice() {
            [] => Ok(()),
            [own] => {
                let own = &snapshot.pod_disruption_budgets[*own as usize];
                let enough = own.current_healthy >= own.desired_healthy && own.desired_healthy > 0;
                if !pod.ready && (own.evict_unhealthy_always || enough) {
                    return Ok(());
                }
                (own.disruptions_allowed > 0).then_some(()).ok_or(Refused::Budget)
            }
            _ => Err(Refused::Several),
        }
    }
}
