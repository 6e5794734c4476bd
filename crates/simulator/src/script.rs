//! What a simulation is told besides the cluster that it starts from: how workloads behave, how the provider does, what happens.

use restow_model::{GoDuration, PodDisruptionBudget, PodTemplate, Price, WorkloadKind};
use restow_scheduling::Profile;

/// A length of time that differs from case to case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Half of the cases take less.
    pub median: GoDuration,
    /// How much they differ: the deviation of the logarithm, so that 0 is always the median and 0.5 is mostly within a
    /// factor of two and a half.
    pub sigma: f64,
}

impl Spread {
    /// Always the same.
    pub const fn fixed(median: GoDuration) -> Self {
        Self { median, sigma: 0.0 }
    }

    /// Always so many seconds.
    pub const fn seconds(seconds: i64) -> Self {
        Self::fixed(GoDuration::from_seconds(seconds))
    }
}

/// Everything that a simulation is told.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// How long it runs.
    pub duration: GoDuration,
    /// How workloads behave; those that are not named are as [`Behaviour::of`] says.
    pub behaviours: Vec<Behaviour>,
    /// How nodes come to be and go.
    pub provider: Provider,
    /// Which nodes the scheduler likes better.
    pub scheduler: Profile,
    /// What happens, by when.
    pub happenings: Vec<(GoDuration, Happening)>,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            duration: GoDuration::from_seconds(3600),
            behaviours: Vec::new(),
            provider: Provider::default(),
            scheduler: Profile::LeastAllocated,
            happenings: Vec::new(),
        }
    }
}

/// The workload that something is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WorkloadName {
    /// Its kind.
    pub kind: WorkloadKind,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// How the pods of a workload live.
#[derive(Clone, Debug, PartialEq)]
pub struct Behaviour {
    /// The workload.
    pub workload: WorkloadName,
    /// From being bound to being ready.
    pub start: Spread,
    /// From being asked to stop to being gone; never longer than the pod's grace period.
    pub stop: Spread,
    /// How long a pod of a Job works before it succeeds.
    pub work: Spread,
    /// Whether a pod of a Job that was evicted goes on where the one before it was, instead of at the beginning.
    pub keeps_progress: bool,
    /// How many replicas are wanted, by when; before the first as many as the object says.
    pub replicas: Vec<(GoDuration, i64)>,
    /// What sets the number of replicas instead.
    pub autoscaler: Option<Autoscaler>,
    /// The share of its pods that is deleted and made anew in an hour, by whoever does such things.
    pub churn: f64,
    /// What each replica of a `StatefulSet` keeps; bound to the zone where it was first needed.
    pub storage: Option<Storage>,
}

impl Behaviour {
    /// How a workload behaves of which nobody said anything: ready after ten seconds, gone after two, jobs work ten minutes.
    pub const fn of(workload: WorkloadName) -> Self {
        Self {
            workload,
            start: Spread::seconds(10),
            stop: Spread::seconds(2),
            work: Spread::seconds(600),
            keeps_progress: false,
            replicas: Vec::new(),
            autoscaler: None,
            churn: 0.0,
            storage: None,
        }
    }
}

/// A volume for each replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Storage {
    /// The storage class, which must be among the objects; empty for one that is reachable in one zone.
    pub class: String,
    /// How long it takes to leave the old node and be on the new one.
    pub attach: GoDuration,
}

/// As the horizontal pod autoscaler does it.
#[derive(Clone, Debug, PartialEq)]
pub struct Autoscaler {
    /// The least replicas.
    pub minimum: i64,
    /// The most.
    pub maximum: i64,
    /// What one replica should carry, in units of the load.
    pub target: f64,
    /// What all replicas have to carry together.
    pub load: Load,
}

/// A number that changes with time.
#[derive(Clone, Debug, PartialEq)]
pub enum Load {
    /// Straight lines between points; before the first and after the last it stays.
    Points(Vec<(GoDuration, f64)>),
    /// Up and down once a day.
    Daily {
        /// The least.
        low: f64,
        /// The most.
        high: f64,
        /// When in the day (UTC) it is the most.
        peak: GoDuration,
        /// How much it differs from one quarter of an hour to the next, as a share.
        noise: f64,
    },
}

/// How nodes come to be and go.
#[derive(Clone, Debug, PartialEq)]
pub struct Provider {
    /// From the claim to the machine.
    pub launch: Spread,
    /// From the machine to its node.
    pub register: Spread,
    /// From the node to its being ready for pods, startup taints lifted.
    pub ready: Spread,
    /// From the last pod gone to the machine gone.
    pub terminate: Spread,
    /// The share of launches that find no machine.
    pub launch_failures: f64,
    /// The share of machines that never become nodes.
    pub registration_failures: f64,
    /// How many of a hundred spot nodes are taken back in an hour.
    pub interruptions: f64,
    /// How long before it is taken back a spot node is told.
    pub notice: GoDuration,
}

impl Default for Provider {
    fn default() -> Self {
        Self {
            launch: Spread::seconds(3),
            register: Spread { median: GoDuration::from_seconds(25), sigma: 0.2 },
            ready: Spread { median: GoDuration::from_seconds(12), sigma: 0.2 },
            terminate: Spread::seconds(10),
            launch_failures: 0.0,
            registration_failures: 0.0,
            interruptions: 0.0,
            notice: GoDuration::from_seconds(120),
        }
    }
}

/// Offerings that something is about; what is not named is any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferingFilter {
    /// The type, `*` and `?` stand for anything.
    pub instance_type: Option<String>,
    /// The zone.
    pub zone: Option<String>,
    /// The capacity type.
    pub capacity_type: Option<String>,
}

/// Something that happens once.
#[derive(Clone, Debug, PartialEq)]
pub enum Happening {
    /// A workload is scaled.
    Scale {
        /// Which.
        workload: WorkloadName,
        /// To so many.
        replicas: i64,
    },
    /// A workload's pods are replaced by new ones, as a Deployment does it: a quarter at a time.
    Rollout {
        /// Which.
        workload: WorkloadName,
        /// What the new ones are, in the tables of the setup's snapshot; as they were if `None`.
        template: Option<PodTemplate>,
    },
    /// A Job or `CronJob` starts work.
    Start {
        /// Which.
        workload: WorkloadName,
        /// How many pods have to end well, besides those that work already.
        pods: i64,
        /// How many of these work at a time.
        parallel: i64,
    },
    /// A workload is deleted with its pods.
    Delete {
        /// Which.
        workload: WorkloadName,
    },
    /// Prices change.
    Price {
        /// Of these.
        of: OfferingFilter,
        /// To this, per hour; `None` leaves the factor alone.
        price: Option<Price>,
        /// Times this.
        factor: f64,
    },
    /// Machines cannot be had.
    StockOut {
        /// These.
        of: OfferingFilter,
        /// For so long.
        lasts: GoDuration,
    },
    /// Spot nodes are taken back.
    Interrupt {
        /// These.
        of: OfferingFilter,
        /// So many; `None` all.
        count: Option<usize>,
    },
    /// Pods that may be disrupted at a time, by a budget of that name.
    Disruptions {
        /// The budget's namespace and name.
        budget: (String, String),
        /// `maxUnavailable` from now on.
        max_unavailable: i64,
    },
    /// A budget is written, in the names of the setup's snapshot: it takes the place of the one of that name. One without a
    /// selector counts for no pod.
    Budget(Box<PodDisruptionBudget>),
    /// Pods of a workload crash and never become ready.
    Crash {
        /// Which.
        workload: WorkloadName,
        /// So many of its pods.
        count: usize,
    },
    /// Nobody consolidates until it is resumed.
    Pause,
    /// Consolidation goes on.
    Resume,
}
