//! Who made the pods: how many replicas are ready, and whether a new version is being rolled out.

use restow_model::{Owner, Pod, Snapshot, Str, Workload, WorkloadKind};
use rustc_hash::FxHashMap;

/// The number of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkloadId(pub u32);

impl WorkloadId {
    /// Its place in the list.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A workload, as far as moves need to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadState {
    /// Its namespace.
    pub namespace: Str,
    /// Its kind.
    pub kind: Str,
    /// Its name.
    pub name: Str,
    /// Its pods that are ready.
    pub ready: usize,
    /// All of its pods that have not ended.
    pub pods: usize,
    /// Pods of the newest template and pods that there should be, while these differ.
    pub rollout: Option<(i64, i64)>,
}

/// All workloads of pods, as far as pods were seen.
pub(super) struct Workloads<'s> {
    objects: FxHashMap<(Str, WorkloadKind, Str), &'s Workload>,
    pub(super) states: Vec<WorkloadState>,
    /// By controller, for the namespace in which it was seen first: mostly there is no other.
    by_owner: Vec<Option<(Str, WorkloadId)>>,
    others: FxHashMap<(Str, u32), WorkloadId>,
    by_name: FxHashMap<(Str, Str, Str), WorkloadId>,
}

impl<'s> Workloads<'s> {
    pub(super) fn new(snapshot: &'s Snapshot) -> Self {
        let objects = snapshot.workloads.iter();
        Self {
            objects: objects
                .map(|own| ((own.meta.namespace, own.kind, own.meta.name), own))
                .collect(),
            states: Vec::new(),
            by_owner: vec![None; snapshot.owners.values().len()],
            others: FxHashMap::default(),
            by_name: FxHashMap::default(),
        }
    }

    /// Counts a pod; returns its workload.
    pub(super) fn of(&mut self, snapshot: &Snapshot, pod: &Pod) -> Option<WorkloadId> {
        let known = self.by_owner[pod.owner.index()];
        let id = match known.filter(|(namespace, _)| *namespace == pod.namespace) {
            Some((_, id)) => id,
            None => self.find(snapshot, pod)?,
        };
        let state = &mut self.states[id.index()];
        if !pod.is_finished() && !pod.is_terminating() {
            state.pods += 1;
            state.ready += usize::from(pod.ready && pod.is_bound());
        }
        Some(id)
    }

    fn find(&mut self, snapshot: &Snapshot, pod: &Pod) -> Option<WorkloadId> {
        let owner = snapshot.owner(pod)?;
        let key = (pod.namespace, pod.owner.0);
        if let Some(id) = self.others.get(&key) {
            return Some(*id);
        }
        let (kind, name, object) = top(snapshot, pod.namespace, owner, &self.objects);
        let states = &mut self.states;
        let id = *self.by_name.entry((pod.namespace, kind, name)).or_insert_with(|| {
            states.push(WorkloadState {
                namespace: pod.namespace,
                kind,
                name,
                ready: 0,
                pods: 0,
                rollout: object.and_then(rollout),
            });
            WorkloadId(states.len() as u32 - 1)
        });
        self.others.insert(key, id);
        self.by_owner[pod.owner.index()].get_or_insert((pod.namespace, id));
        Some(id)
    }
}

fn kind_of(text: &str) -> Option<WorkloadKind> {
    Some(match text {
        "ReplicaSet" => WorkloadKind::ReplicaSet,
        "ReplicationController" => WorkloadKind::ReplicationController,
        "StatefulSet" => WorkloadKind::StatefulSet,
        "Deployment" => WorkloadKind::Deployment,
        "DaemonSet" => WorkloadKind::DaemonSet,
        "Job" => WorkloadKind::Job,
        _ => return None,
    })
}

/// The workload that people know: the Deployment of a ReplicaSet.
fn top<'a>(
    snapshot: &Snapshot,
    namespace: Str,
    owner: &Owner,
    objects: &FxHashMap<(Str, WorkloadKind, Str), &'a Workload>,
) -> (Str, Str, Option<&'a Workload>) {
    let find = |owner: &Owner| {
        let kind = kind_of(snapshot.text(owner.kind))?;
        objects.get(&(namespace, kind, owner.name)).copied()
    };
    let own = find(owner);
    match own.and_then(|own| own.meta.owner) {
        Some(above) if own.is_some_and(|own| own.kind == WorkloadKind::ReplicaSet) => {
            (above.kind, above.name, find(&above).or(own))
        }
        _ => (owner.kind, owner.name, own),
    }
}

/// Whether a new version is on its way, as `kubectl rollout status` counts; pods that never turn ready do not count, as they
/// would keep their nodes for ever.
fn rollout(workload: &Workload) -> Option<(i64, i64)> {
    let rolls = matches!(workload.kind, WorkloadKind::Deployment | WorkloadKind::StatefulSet);
    if !rolls || workload.suspended || workload.observed_generation == 0 {
        return None;
    }
    let old = workload.observed_generation < workload.meta.generation;
    let fewer = workload.updated < workload.desired;
    let more = workload.kind == WorkloadKind::Deployment && workload.current > workload.updated;
    (old || fewer || more).then_some((workload.updated, workload.desired))
}
