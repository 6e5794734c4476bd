//! The scheduler: takes pods in the order of their priority and age, one at a time, and tries those that fit nowhere again
//! when something changed, after a while that doubles from one second to ten.
//!
//! Preemption is not modelled, nor that large clusters are searched in part only.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use restow_model::{GoDuration, Time};
use restow_scheduling::{ClassId, Picking};

use crate::agenda::{Event, PodRef};
use crate::world::World;

/// Whatever waits is tried again after this time, whether or not anything changed.
const FLUSH: GoDuration = GoDuration::from_seconds(300);

/// Pods that wait for a node.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    /// Pods to be tried now: the highest priority first, then the oldest.
    active: BTreeMap<(Reverse<i32>, Time, u64), PodRef>,
    /// Pods that fitted nowhere.
    parked: BTreeSet<PodRef>,
    /// Those of them that will be tried at a known time.
    timed: BTreeSet<PodRef>,
    added: u64,
    /// Whether there may be room that was not there before.
    stirred: bool,
    flushing: bool,
    space: Picking,
}

impl Queue {
    /// There may be room that was not there before.
    pub(crate) fn room_came(&mut self) {
        self.stirred = true;
    }

    /// Pods that wait.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = PodRef> {
        self.active.values().chain(&self.parked).copied()
    }

    fn push(&mut self, priority: i32, created: Time, pod: PodRef) {
        self.added += 1;
        self.active.insert((Reverse(priority), created, self.added), pod);
    }
}

impl World {
    /// Hands a pod to the scheduler.
    pub(crate) fn enqueue(&mut self, at: u32) {
        let pod = &self.snapshot.pods[at as usize];
        let shape = &self.snapshot.shapes[pod.shape];
        if shape.gates.is_empty() {
            let (priority, created) = (shape.priority, pod.created);
            let own = self.reference(at);
            self.queue.push(priority, created, own);
        }
    }

    /// Tries everything that may be tried now.
    pub(crate) fn schedule(&mut self) {
        if self.queue.stirred {
            self.queue.stirred = false;
            self.unpark();
        }
        if self.queue.active.is_empty() {
            return;
        }
        // What fitted nowhere a moment ago still does not: others only take room.
        let mut hopeless: Vec<ClassId> = Vec::new();
        let mut bound = false;
        let mut space = std::mem::take(&mut self.queue.space);
        while let Some((_, own)) = self.queue.active.pop_first() {
            let Some(pod) = self.pod(own) else { continue };
            if pod.is_bound() || pod.is_terminating() || pod.is_finished() {
                continue;
            }
            let place = own.at as usize;
            let class = self.engine.class_of(place);
            let tried = class.is_some_and(|class| hopeless.contains(&class));
            let chances = &mut self.chances.scheduler;
            let mut chance = |count: usize| chances.below(count);
            let node = (!tried)
                .then(|| self.engine.pick(place, self.profile, &mut space, &mut chance))
                .flatten();
            let Some(node) = node else {
                hopeless.extend(class.filter(|_| !tried));
                self.park(own);
                continue;
            };
            let name = self.engine.name(node);
            self.bind(own.at, name);
            self.started(own.at);
            bound = true;
            // A volume that was made here numbers the classes anew.
            let volumes = self.snapshot.pods[place].volumes;
            if !self.snapshot.volumes[volumes].claims.is_empty() {
                hopeless.clear();
            }
        }
        self.queue.space = space;
        // Only who wants to be beside others, or as even as they are, gets anywhere by their being there.
        let waits = |own: &PodRef| {
            self.pod(*own).is_some_and(|pod| {
                let shape = &self.snapshot.shapes[pod.shape];
                !shape.affinity.is_empty() || !shape.spread.is_empty()
            })
        };
        if bound && self.queue.parked.iter().any(waits) {
            self.queue.room_came();
        }
    }

    fn park(&mut self, own: PodRef) {
        let now = self.now;
        let life = &mut self.lives[own.at as usize];
        life.tries += 1;
        let seconds = 1_i64 << (life.tries - 1).min(4);
        life.retry = now.plus(GoDuration::from_seconds(seconds.min(10)));
        self.queue.parked.insert(own);
        self.snapshot.pods[own.at as usize].unschedulable = true;
        self.ask_for_nodes();
        if !self.queue.flushing {
            self.queue.flushing = true;
            self.after(FLUSH, Event::Flush);
        }
    }

    /// Pods that fitted nowhere are tried again, at once or when they have waited long enough.
    fn unpark(&mut self) {
        let parked: Vec<PodRef> = self.queue.parked.iter().copied().collect();
        for own in parked {
            if self.pod(own).is_none_or(restow_model::Pod::is_bound) {
                self.queue.parked.remove(&own);
                continue;
            }
            let retry = self.lives[own.at as usize].retry;
            if retry <= self.now {
                self.queue.parked.remove(&own);
                self.enqueue(own.at);
            } else if self.queue.timed.insert(own) {
                self.agenda.note(retry, Event::Retry(own));
            }
        }
    }

    /// A pod has waited long enough.
    pub(crate) fn retry(&mut self, own: PodRef) {
        self.queue.timed.remove(&own);
        if self.queue.parked.remove(&own) && self.pod(own).is_some_and(|pod| !pod.is_bound()) {
            self.enqueue(own.at);
        }
    }

    /// Everything that waits is tried.
    pub(crate) fn flush(&mut self) {
        self.queue.stirred = true;
        self.queue.flushing = !self.queue.parked.is_empty();
        if self.queue.flushing {
            self.after(FLUSH, Event::Flush);
        }
    }
}
