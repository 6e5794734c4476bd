//! What makes pods: the controllers, and what limits their disruption.

use serde::{Deserialize, Serialize};

use crate::each_str::{names_in, no_names};
use crate::{GoDuration, Labels, Meta, Selector, Shared, Str, Time};

/// Which controller it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum WorkloadKind {
    /// A `DaemonSet`.
    DaemonSet,
    /// A `Deployment`.
    Deployment,
    /// A `ReplicaSet`.
    ReplicaSet,
    /// A `ReplicationController`.
    ReplicationController,
    /// A `StatefulSet`.
    StatefulSet,
    /// A `Job`.
    Job,
    /// A `CronJob`.
    CronJob,
    /// A `PodTemplate`, which makes no pods itself: others refer to it.
    PodTemplate,
}

/// The pods that a workload makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodTemplate {
    /// Their labels, in the snapshot's table.
    pub labels: Shared,
    /// Their annotations, in the same table.
    pub annotations: Shared,
    /// Their shape, in the snapshot's table.
    pub shape: Shared,
}

/// A controller of pods.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workload {
    /// Which controller it is.
    pub kind: WorkloadKind,
    /// Name, labels, times.
    pub meta: Meta,
    /// Which pods are its own.
    pub selector: Option<Selector>,
    /// What it makes.
    pub template: Option<PodTemplate>,
    /// How many pods it wants: replicas, scheduled daemons, or a job's parallelism.
    pub desired: i64,
    /// How many there are.
    pub current: i64,
    /// How many are ready.
    pub ready: i64,
    /// How many are of the newest template.
    pub updated: i64,
    /// How many are available.
    pub available: i64,
    /// The generation that its status speaks of.
    pub observed_generation: i64,
    /// Whether it is paused or suspended.
    pub suspended: bool,
    /// Whether pods come and go in order (`OrderedReady`).
    pub ordered: bool,
    /// What a job wants and has.
    pub job: Option<Job>,
    /// When a cron job starts, in cron notation, or empty.
    pub schedule: Str,
}

names_in!(PodTemplate { labels, annotations, shape });
no_names!(WorkloadKind);
names_in!(Workload {
    kind,
    meta,
    selector,
    template,
    desired,
    current,
    ready,
    updated,
    available,
    observed_generation,
    suspended,
    ordered,
    job,
    schedule,
});

impl Workload {
    /// One that has no pods and wants none.
    pub const fn new(kind: WorkloadKind, meta: Meta) -> Self {
        Self {
            kind,
            meta,
            selector: None,
            template: None,
            desired: 0,
            current: 0,
            ready: 0,
            updated: 0,
            available: 0,
            observed_generation: 0,
            suspended: false,
            ordered: false,
            job: None,
            schedule: Str::EMPTY,
        }
    }
}

/// The progress of a `Job`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// How many pods have to end well.
    pub completions: Option<i64>,
    /// How many have.
    pub succeeded: i64,
    /// How many have ended badly.
    pub failed: i64,
    /// How many may end badly.
    pub backoff_limit: Option<i64>,
    /// How long it may take.
    pub deadline: Option<GoDuration>,
    /// When it started.
    pub started: Option<Time>,
    /// When it was complete.
    pub completed: Option<Time>,
}

no_names!(Job);

/// A number, or a share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CountOrPercent {
    /// That many.
    Count(i64),
    /// That many of a hundred.
    Percent(i64),
}

/// A `PodDisruptionBudget`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PodDisruptionBudget {
    /// Name and times.
    pub meta: Meta,
    /// Which pods; `None` selects none.
    pub selector: Option<Selector>,
    /// How many must stay.
    pub min_available: Option<CountOrPercent>,
    /// How many may go.
    pub max_unavailable: Option<CountOrPercent>,
    /// Whether unhealthy pods may always go.
    pub evict_unhealthy_always: bool,
    /// The generation that its status speaks of.
    pub observed_generation: i64,
    /// How many may go now.
    pub disruptions_allowed: i64,
    /// How many are healthy.
    pub current_healthy: i64,
    /// How many should be.
    pub desired_healthy: i64,
    /// How many are counted.
    pub expected_pods: i64,
}

no_names!(CountOrPercent);
names_in!(PodDisruptionBudget {
    meta,
    selector,
    min_available,
    max_unavailable,
    evict_unhealthy_always,
    observed_generation,
    disruptions_allowed,
    current_healthy,
    desired_healthy,
    expected_pods,
});

/// A `Service`, for the default spread of its pods.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Service {
    /// Name and times.
    pub meta: Meta,
    /// Labels of its pods; empty for none.
    pub selector: Labels,
}

names_in!(Service { meta, selector });

/// A `Namespace`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Namespace {
    /// Name and labels.
    pub meta: Meta,
}

names_in!(Namespace { meta });

/// A `PriorityClass`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriorityClass {
    /// Name and times.
    pub meta: Meta,
    /// The priority.
    pub value: i32,
    /// Whether pods without a class get it.
    pub global_default: bool,
    /// Whether its pods may preempt others.
    pub preempts: bool,
}

names_in!(PriorityClass { meta, value, global_default, preempts });

/// A `CapacityBuffer`: room for pods that may come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapacityBuffer {
    /// Name and times.
    pub meta: Meta,
    /// The pod template that it refers to, or empty.
    pub template: Str,
    /// The workload that it refers to: API group, kind and name, or empty.
    pub target: (Str, (Str, Str)),
    /// How many pods.
    pub replicas: Option<i64>,
    /// How many pods of a hundred of the target's.
    pub percentage: Option<i64>,
    /// Its strategy.
    pub strategy: Str,
    /// The most that it may hold in sum.
    pub limits: crate::Resources,
    /// How many pods its status says.
    pub ready_replicas: Option<i64>,
}

names_in!(CapacityBuffer {
    meta,
    template,
    target,
    replicas,
    percentage,
    strategy,
    limits,
    ready_replicas,
});

/// A `ResourceClaim` of dynamic resource allocation. Allocation is not modelled: it is kept so that it can be said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceClaim {
    /// Name, owner and times.
    pub meta: Meta,
    /// Whether devices are allocated.
    pub allocated: bool,
    /// The pods that it is reserved for.
    pub reserved_for: Vec<Str>,
}

names_in!(ResourceClaim { meta, allocated, reserved_for });
