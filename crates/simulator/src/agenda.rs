//! What is to happen, and when. Of things that happen at the same instant the one that was noted first comes first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use restow_model::Time;

/// A pod, as long as it is this one: places in the snapshot are used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PodRef {
    /// Its place in the snapshot.
    pub(crate) at: u32,
    /// Which pod at this place.
    pub(crate) life: u32,
}

/// A claim, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ClaimRef(pub(crate) u32);

/// Something that happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    /// A pod may be tried again by the scheduler.
    Retry(PodRef),
    /// The scheduler tries everything that waits.
    Flush,
    /// A pod is ready.
    Ready(PodRef),
    /// A pod of a Job has done its work.
    Finished(PodRef),
    /// A pod that was told to stop is gone.
    Gone(PodRef),
    /// The provisioner looks at pods that wait.
    Provision,
    /// A machine was found, or not.
    Launched(ClaimRef),
    /// A machine became a node, or not.
    Registered(ClaimRef),
    /// A node takes pods.
    Initialized(ClaimRef),
    /// A claim took too long and is given up.
    GivenUp(ClaimRef),
    /// Pods of a node that goes are evicted, as far as they may be.
    Drain(ClaimRef),
    /// A machine is gone.
    Terminated(ClaimRef),
    /// A node has lived long enough.
    Expired(ClaimRef),
    /// A spot node is told that it will be taken back.
    Noticed(ClaimRef),
    /// A spot node is taken back.
    Reclaimed(ClaimRef),
    /// A workload is scaled as its script says.
    Step(u32),
    /// An autoscaler looks at its workload.
    Autoscale(u32),
    /// Somebody deletes a pod of a workload.
    Churn(u32),
    /// A `CronJob` starts a job.
    Cron(u32),
    /// Something of the script happens.
    Happens(u32),
    /// The consolidator looks at the cluster.
    Consolidate,
    /// A point of the course is noted.
    Sample,
}

/// What is to happen.
#[derive(Debug, Default)]
pub(crate) struct Agenda {
    heap: BinaryHeap<Reverse<(Time, u64, Event)>>,
    noted: u64,
}

impl Agenda {
    pub(crate) fn note(&mut self, at: Time, event: Event) {
        self.noted += 1;
        self.heap.push(Reverse((at, self.noted, event)));
    }

    pub(crate) fn next(&mut self) -> Option<(Time, Event)> {
        self.heap.pop().map(|Reverse((at, _, event))| (at, event))
    }
}
