//! Workloads: what makes pods, how many, and which go first when there are too many.

use std::collections::VecDeque;

use restow_model::{
    GoDuration, Meta, Owner, PodTemplate, Shared, Snapshot, Str, Time, Uid, Workload, WorkloadKind,
};
use rustc_hash::FxHashMap;

use crate::names::Names;
use crate::script::{Behaviour, WorkloadName};
use crate::world::Lineage;

/// A workload that makes pods.
#[derive(Debug)]
pub(crate) struct Unit {
    /// Its object; `None` if only its pods are known.
    pub(crate) workload: Option<usize>,
    /// The object that owns the pods, where that is another.
    pub(crate) replica_set: Option<usize>,
    pub(crate) kind: WorkloadKind,
    pub(crate) namespace: Str,
    pub(crate) name: Str,
    /// What new pods say of who made them.
    pub(crate) owner: Shared,
    pub(crate) template: PodTemplate,
    pub(crate) behaviour: Behaviour,
    pub(crate) desired: i64,
    /// Its pods that are not on their way out.
    pub(crate) pods: Vec<u32>,
    /// Ordinals of a `StatefulSet` whose pods are on their way out.
    pub(crate) leaving: Vec<u32>,
    /// Replicas that were evicted or lost and are to come back.
    pub(crate) heirs: Vec<Lineage>,
    /// The version of the template; pods of older ones are replaced.
    pub(crate) version: u32,
    /// Pods of a Job that have done their work.
    pub(crate) completed: i64,
    /// How many completions are wanted; `None` for what runs for ever.
    pub(crate) completions: Option<i64>,
    pub(crate) ordered: bool,
    /// What the autoscaler wanted lately.
    pub(crate) wanted: VecDeque<(Time, i64)>,
    /// The load's own deviation now.
    pub(crate) noise: f64,
    pub(crate) ready: u32,
    pub(crate) least_ready: Option<u32>,
    pub(crate) evictions: u64,
    pub(crate) unready_since: Option<Time>,
    pub(crate) unready: GoDuration,
    /// Volumes by ordinal, as entries of the snapshot's table.
    pub(crate) volumes: Vec<Shared>,
}

impl Unit {
    /// One without pods, of which nothing is wanted yet.
    fn new(
        kind: WorkloadKind,
        namespace: Str,
        name: Str,
        template: PodTemplate,
        behaviour: Behaviour,
    ) -> Self {
        Self {
            workload: None,
            replica_set: None,
            kind,
            namespace,
            name,
            owner: Shared(0),
            template,
            behaviour,
            desired: 0,
            pods: Vec::new(),
            leaving: Vec::new(),
            heirs: Vec::new(),
            version: 1,
            completed: 0,
            completions: None,
            ordered: false,
            wanted: VecDeque::new(),
            noise: 0.0,
            ready: 0,
            least_ready: None,
            evictions: 0,
            unready_since: None,
            unready: GoDuration::ZERO,
            volumes: Vec::new(),
        }
    }

    pub(crate) const fn makes_replicas(&self) -> bool {
        matches!(
            self.kind,
            WorkloadKind::Deployment
                | WorkloadKind::ReplicaSet
                | WorkloadKind::ReplicationController
                | WorkloadKind::StatefulSet
        )
    }

    /// Notes how many are ready.
    pub(crate) fn note_ready(&mut self, now: Time) {
        if !self.makes_replicas() {
            return;
        }
        let enough = i64::from(self.ready) >= self.desired;
        if enough {
            if let Some(since) = self.unready_since.take() {
                self.unready += now.since(since);
            }
            self.least_ready.get_or_insert(self.ready);
        } else if self.least_ready.is_some() {
            self.unready_since.get_or_insert(now);
        }
        if let Some(least) = &mut self.least_ready {
            *least = (*least).min(self.ready);
        }
    }
}

/// Finds out who makes pods, and of which each pod is.
pub(crate) struct Census {
    pub(crate) units: Vec<Unit>,
    by_owner: FxHashMap<(Str, Str, Str), u32>,
}

impl Census {
    pub(crate) fn new(snapshot: &mut Snapshot, names: &Names, behaviours: &[Behaviour]) -> Self {
        let mut census = Self { units: Vec::new(), by_owner: FxHashMap::default() };
        for at in 0..snapshot.workloads.len() {
            let own = &snapshot.workloads[at];
            let owned = own.meta.owner.is_some();
            match own.kind {
                WorkloadKind::PodTemplate => {}
                WorkloadKind::ReplicaSet | WorkloadKind::Job if owned => {}
                _ => census.add(snapshot, names, behaviours, at),
            }
        }
        census
    }

    fn add(&mut self, snapshot: &mut Snapshot, names: &Names, behaviours: &[Behaviour], at: usize) {
        let own = &snapshot.workloads[at];
        let (kind, namespace, name) = (own.kind, own.meta.namespace, own.meta.name);
        let (desired, ordered, job) = (own.desired, own.ordered, own.job);
        let Some(template) = own.template else { return };
        let number = self.units.len() as u32;
        let kind_name = kind_text(kind, names, snapshot);
        self.by_owner.insert((namespace, kind_name, name), number);
        let behaviour = behaviour(snapshot, behaviours, kind, namespace, name);
        let mut unit = Unit::new(kind, namespace, name, template, behaviour);
        unit.workload = Some(at);
        unit.ordered = ordered;
        unit.desired = if kind == WorkloadKind::CronJob { 0 } else { desired };
        unit.completed = job.map_or(0, |job| job.succeeded);
        unit.completions = match kind {
            WorkloadKind::Job => Some(job.and_then(|job| job.completions).unwrap_or(desired)),
            WorkloadKind::CronJob => Some(0),
            _ => None,
        };
        let group = match kind {
            WorkloadKind::Job | WorkloadKind::CronJob => names.batch,
            _ => names.apps,
        };
        let uid = snapshot.workloads[at].meta.uid;
        match kind {
            WorkloadKind::Deployment => {
                self.replica_sets(snapshot, number, &unit, names);
                let found = snapshot.workloads.iter().position(|own| {
                    own.kind == WorkloadKind::ReplicaSet
                        && own.meta.namespace == namespace
                        && own.meta.owner.is_some_and(|own| own.name == name)
                        && own.desired > 0
                });
                match found {
                    Some(set) => adopt(snapshot, names, &mut unit, set),
                    None => new_replica_set(snapshot, names, &mut unit),
                }
                if let Some(set) = unit.replica_set {
                    let set = snapshot.workloads[set].meta.name;
                    self.by_owner.insert((namespace, names.replica_set, set), number);
                }
            }
            WorkloadKind::CronJob => {
                let text = format!("{}-job", snapshot.strings.text(name));
                let job = snapshot.strings.intern(&text);
                let owner = Owner { group, kind: names.job, name: job, uid };
                self.by_owner.insert((namespace, names.job, job), number);
                unit.owner = snapshot.owners.share(Some(owner));
            }
            _ => {
                let owner = Owner { group, kind: kind_name, name, uid };
                unit.owner = snapshot.owners.share(Some(owner));
            }
        }
        self.units.push(unit);
    }

    /// Older versions of a Deployment are its too.
    fn replica_sets(&mut self, snapshot: &Snapshot, number: u32, unit: &Unit, names: &Names) {
        for own in &snapshot.workloads {
            if own.kind == WorkloadKind::ReplicaSet
                && own.meta.namespace == unit.namespace
                && own
                    .meta
                    .owner
                    .is_some_and(|owner| owner.kind == names.deployment && owner.name == unit.name)
            {
                let key = (unit.namespace, names.replica_set, own.meta.name);
                self.by_owner.insert(key, number);
            }
        }
    }

    /// The workload of a pod, made up where only the pod is known; `None` if nobody would make it anew.
    pub(crate) fn unit_of(
        &mut self,
        snapshot: &Snapshot,
        names: &Names,
        behaviours: &[Behaviour],
        at: usize,
    ) -> Option<u32> {
        let pod = &snapshot.pods[at];
        let owner = snapshot.owner(pod).copied()?;
        if owner.kind == names.node || snapshot.is_mirror(pod) {
            return None;
        }
        let key = (pod.namespace, owner.kind, owner.name);
        if let Some(found) = self.by_owner.get(&key) {
            return Some(*found);
        }
        let kind = match snapshot.text(owner.kind) {
            "StatefulSet" => WorkloadKind::StatefulSet,
            "DaemonSet" => WorkloadKind::DaemonSet,
            "Job" => WorkloadKind::Job,
            _ => WorkloadKind::ReplicaSet,
        };
        let number = self.units.len() as u32;
        self.by_owner.insert(key, number);
        let template =
            PodTemplate { labels: pod.labels, annotations: pod.annotations, shape: pod.shape };
        let behaviour = behaviour(snapshot, behaviours, kind, pod.namespace, owner.name);
        let mut unit = Unit::new(kind, pod.namespace, owner.name, template, behaviour);
        unit.owner = pod.owner;
        unit.completions = (kind == WorkloadKind::Job).then_some(0);
        self.units.push(unit);
        Some(number)
    }
}

fn kind_text(kind: WorkloadKind, names: &Names, snapshot: &mut Snapshot) -> Str {
    match kind {
        WorkloadKind::Deployment => names.deployment,
        WorkloadKind::ReplicaSet => names.replica_set,
        WorkloadKind::StatefulSet => names.stateful_set,
        WorkloadKind::DaemonSet => names.daemon_set,
        WorkloadKind::Job => names.job,
        WorkloadKind::ReplicationController => snapshot.strings.intern("ReplicationController"),
        WorkloadKind::CronJob => snapshot.strings.intern("CronJob"),
        WorkloadKind::PodTemplate => snapshot.strings.intern("PodTemplate"),
    }
}

fn behaviour(
    snapshot: &Snapshot,
    behaviours: &[Behaviour],
    kind: WorkloadKind,
    namespace: Str,
    name: Str,
) -> Behaviour {
    let (namespace, name) = (snapshot.text(namespace), snapshot.text(name));
    let wanted = |own: &&Behaviour| {
        let own = &own.workload;
        own.kind == kind && own.namespace == namespace && own.name == name
    };
    behaviours.iter().find(wanted).cloned().unwrap_or_else(|| {
        let (namespace, name) = (namespace.to_owned(), name.to_owned());
        Behaviour::of(WorkloadName { kind, namespace, name })
    })
}

/// Takes a `ReplicaSet` that is there as the current one.
fn adopt(snapshot: &mut Snapshot, names: &Names, unit: &mut Unit, set: usize) {
    let own = &snapshot.workloads[set];
    let owner = Owner {
        group: names.apps,
        kind: names.replica_set,
        name: own.meta.name,
        uid: own.meta.uid,
    };
    if let Some(template) = own.template {
        unit.template.labels = template.labels;
    }
    unit.replica_set = Some(set);
    unit.owner = snapshot.owners.share(Some(owner));
}

/// Makes the `ReplicaSet` of a Deployment's version.
pub(crate) fn new_replica_set(snapshot: &mut Snapshot, names: &Names, unit: &mut Unit) {
    let Some(at) = unit.workload else { return };
    let hash = snapshot.strings.intern(&format!("v{}", unit.version));
    let text = format!("{}-v{}", snapshot.strings.text(unit.name), unit.version);
    let name = snapshot.strings.intern(&text);
    let deployment = &snapshot.workloads[at];
    let above = Owner {
        group: names.apps,
        kind: names.deployment,
        name: unit.name,
        uid: deployment.meta.uid,
    };
    let Some(mut template) = deployment.template else { return };
    let mut labels: Vec<(Str, Str)> = snapshot.labels[template.labels].iter().collect();
    labels.push((names.template_hash, hash));
    template.labels = snapshot.labels.share(restow_model::Labels::new(labels));
    let uid = Uid::new(&format!("{text}@{}", snapshot.strings.text(unit.namespace)));
    let meta = Meta {
        namespace: unit.namespace,
        name,
        uid,
        created: snapshot.time,
        owner: Some(above),
        ..Meta::default()
    };
    let selector = deployment.selector.clone();
    let mut set = Workload::new(WorkloadKind::ReplicaSet, meta);
    (set.template, set.selector, set.desired) = (Some(template), selector, unit.desired);
    let owner = Owner { group: names.apps, kind: names.replica_set, name, uid };
    unit.template.labels = template.labels;
    unit.owner = snapshot.owners.share(Some(owner));
    unit.replica_set = Some(snapshot.workloads.len());
    snapshot.workloads.push(set);
}
