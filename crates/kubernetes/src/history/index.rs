//! The workloads of a snapshot by name, and who makes what.

use restow_model::{Pod, PodDisruptionBudget, Snapshot, Workload, WorkloadKind};
use rustc_hash::FxHashMap;

use super::change::Maker;

type Key<'s> = (WorkloadKind, &'s str, &'s str);

/// The objects of a snapshot by the texts of their names: two snapshots need not number names alike.
pub(super) struct Index<'s> {
    pub(super) snapshot: &'s Snapshot,
    workloads: FxHashMap<Key<'s>, &'s Workload>,
    /// The `ReplicaSets` of a Deployment that should have pods, by the Deployment's namespace and name.
    versions: FxHashMap<(&'s str, &'s str), Vec<&'s str>>,
}

impl<'s> Index<'s> {
    pub(super) fn of(snapshot: &'s Snapshot) -> Self {
        let mut index =
            Self { snapshot, workloads: FxHashMap::default(), versions: FxHashMap::default() };
        for own in &snapshot.workloads {
            let key = index.key(own);
            index.workloads.insert(key, own);
            if let Some(owner) = index.owner(own, "Deployment")
                && own.desired > 0
            {
                index.versions.entry((key.1, owner)).or_default().push(key.2);
            }
        }
        index
    }

    fn key(&self, own: &Workload) -> Key<'s> {
        (own.kind, self.snapshot.text(own.meta.namespace), self.snapshot.text(own.meta.name))
    }

    /// The name of what made a workload, if that is of this kind.
    fn owner(&self, own: &Workload, kind: &str) -> Option<&'s str> {
        let owner = own.meta.owner.filter(|owner| self.snapshot.text(owner.kind) == kind)?;
        Some(self.snapshot.text(owner.name))
    }

    pub(super) fn get(&self, of: &Maker) -> Option<&'s Workload> {
        self.workloads.get(&(of.kind, of.namespace.as_str(), of.name.as_str())).copied()
    }

    /// The `ReplicaSets` of a Deployment that should have pods.
    pub(super) fn versions<'a>(&'a self, of: &'a Maker) -> &'a [&'s str] {
        self.versions.get(&(of.namespace.as_str(), of.name.as_str())).map_or(&[], Vec::as_slice)
    }

    /// The `CronJob` of a job.
    pub(super) fn cron_job(&self, own: &Workload) -> Option<Maker> {
        if own.kind != WorkloadKind::Job {
            return None;
        }
        let name = self.owner(own, "CronJob")?;
        Some(maker(WorkloadKind::CronJob, self.snapshot.text(own.meta.namespace), name))
    }

    /// The name of a workload that stands for itself: not a version of a Deployment, not a job of a `CronJob`.
    pub(super) fn own_name(&self, own: &Workload) -> Option<Maker> {
        let part = match own.kind {
            WorkloadKind::ReplicaSet => self.owner(own, "Deployment").is_some(),
            WorkloadKind::Job => self.owner(own, "CronJob").is_some(),
            WorkloadKind::PodTemplate => true,
            _ => false,
        };
        let (kind, namespace, name) = self.key(own);
        (!part).then(|| maker(kind, namespace, name))
    }

    /// All workloads that stand for themselves.
    pub(super) fn each(&self) -> impl Iterator<Item = (Maker, &'s Workload)> {
        let snapshot = self.snapshot;
        snapshot.workloads.iter().filter_map(|own| Some((self.own_name(own)?, own)))
    }

    /// The workload that a pod is of.
    pub(super) fn maker_of(&self, pod: &Pod) -> Option<Maker> {
        let owner = self.snapshot.owner(pod)?;
        let kind = match self.snapshot.text(owner.kind) {
            "ReplicaSet" => WorkloadKind::ReplicaSet,
            "StatefulSet" => WorkloadKind::StatefulSet,
            "ReplicationController" => WorkloadKind::ReplicationController,
            "Job" => WorkloadKind::Job,
            _ => return None,
        };
        let (namespace, name) = (self.snapshot.text(pod.namespace), self.snapshot.text(owner.name));
        let direct = maker(kind, namespace, name);
        let Some(own) = self.get(&direct) else { return Some(direct) };
        if let Some(above) = self.owner(own, "Deployment") {
            return Some(maker(WorkloadKind::Deployment, namespace, above));
        }
        Some(self.cron_job(own).unwrap_or(direct))
    }

    /// Disruption budgets by namespace and name.
    pub(super) fn budgets(&self) -> FxHashMap<(&'s str, &'s str), &'s PodDisruptionBudget> {
        let text = |name| self.snapshot.text(name);
        let all = self.snapshot.pod_disruption_budgets.iter();
        all.map(|own| ((text(own.meta.namespace), text(own.meta.name)), own)).collect()
    }
}

/// The name of a workload.
pub(super) fn maker(kind: WorkloadKind, namespace: &str, name: &str) -> Maker {
    Maker { kind, namespace: namespace.to_owned(), name: name.to_owned() }
}
