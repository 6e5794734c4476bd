//! What can happen to a cluster, as far as a replay needs it.

use restow_model::{GoDuration, Time, WorkloadKind};
use serde::{Deserialize, Serialize};

/// What makes pods, by name. Texts are `T`: words in memory, numbers of a list of words in the file.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Maker<T = String> {
    /// Its kind.
    pub kind: WorkloadKind,
    /// Its namespace.
    pub namespace: T,
    /// Its name.
    pub name: T,
}

/// One thing that happened. New ones are added at the end: the file knows them by their place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Change<T = String> {
    /// Nobody looked since then: what happened meanwhile is told as if it had happened now.
    Gap {
        /// When somebody last looked.
        since: Time,
    },
    /// A workload is gone.
    Vanished(Maker<T>),
    /// A workload is there that was not; it is among the objects. A Job starts with it.
    Appeared(Maker<T>),
    /// A workload's pods are replaced by those of another template; the workload is among the objects.
    RolledOut(Maker<T>),
    /// Another number of replicas is wanted.
    Scaled {
        /// Of which workload.
        of: Maker<T>,
        /// So many.
        replicas: i64,
    },
    /// A `CronJob` started a job.
    Started {
        /// The `CronJob`.
        of: Maker<T>,
        /// How many pods have to end well.
        pods: i64,
        /// How many work at a time.
        parallel: i64,
    },
    /// A pod of a Job, or of a job of a `CronJob`, ended.
    Worked {
        /// Of which.
        of: Maker<T>,
        /// From being bound to its end.
        took: GoDuration,
    },
    /// A pod became ready.
    Ready {
        /// Of which workload.
        of: Maker<T>,
        /// From being bound.
        took: GoDuration,
    },
    /// A disruption budget is there, or is another; it is among the objects.
    Budget {
        /// Its namespace.
        namespace: T,
        /// Its name.
        name: T,
    },
    /// A disruption budget is gone.
    NoBudget {
        /// Its namespace.
        namespace: T,
        /// Its name.
        name: T,
    },
    /// A spot node was told that its machine is taken back.
    Interrupted {
        /// Its name.
        node: T,
        /// Its instance type, or empty.
        instance_type: T,
        /// Its zone, or empty.
        zone: T,
    },
    /// A node is there that was not; what its price depends on is among the objects.
    NodeCame(T),
    /// A node is gone.
    NodeWent(T),
}

impl<T> Maker<T> {
    fn with<U>(self, text: &mut impl FnMut(T) -> Option<U>) -> Option<Maker<U>> {
        Some(Maker { kind: self.kind, namespace: text(self.namespace)?, name: text(self.name)? })
    }
}

impl<T> Change<T> {
    /// The same with other texts; `None` if one of them has none.
    pub(super) fn with<U>(self, text: &mut impl FnMut(T) -> Option<U>) -> Option<Change<U>> {
        Some(match self {
            Self::Gap { since } => Change::Gap { since },
            Self::Appeared(of) => Change::Appeared(of.with(text)?),
            Self::RolledOut(of) => Change::RolledOut(of.with(text)?),
            Self::Scaled { of, replicas } => Change::Scaled { of: of.with(text)?, replicas },
            Self::Vanished(of) => Change::Vanished(of.with(text)?),
            Self::Started { of, pods, parallel } => {
                Change::Started { of: of.with(text)?, pods, parallel }
            }
            Self::Worked { of, took } => Change::Worked { of: of.with(text)?, took },
            Self::Ready { of, took } => Change::Ready { of: of.with(text)?, took },
            Self::Budget { namespace, name } => {
                Change::Budget { namespace: text(namespace)?, name: text(name)? }
            }
            Self::NoBudget { namespace, name } => {
                Change::NoBudget { namespace: text(namespace)?, name: text(name)? }
            }
            Self::Interrupted { node, instance_type, zone } => Change::Interrupted {
                node: text(node)?,
                instance_type: text(instance_type)?,
                zone: text(zone)?,
            },
            Self::NodeCame(node) => Change::NodeCame(text(node)?),
            Self::NodeWent(node) => Change::NodeWent(text(node)?),
        })
    }
}
