//! A recorded history as what a simulation starts with: the cluster at the start, and a script of what happened to it.
//!
//! Workloads that appeared later are there from the start and want nothing until then. What a consolidator decides (where pods are,
//! which nodes there are) is left to whoever consolidates in the replay.

mod course;
mod fleet;
mod workloads;

use restow_kubernetes::history::{Change, Frame, History, Maker, absorb};
use restow_model::{GoDuration, Meta, PodDisruptionBudget, Snapshot, Time, Workload, WorkloadKind};
use restow_simulator::Script;
use restow_simulator::script::{Happening, OfferingFilter, WorkloadName};

use course::Courses;
pub use fleet::{AsItWas, Stay};
use workloads::{asleep, place, tidy};

/// What a history says, for a simulation.
#[derive(Clone, Debug)]
pub struct Replay {
    /// The cluster at the start, with all workloads that there ever were.
    pub snapshot: Snapshot,
    /// What happened to it. Templates and budgets in it are in the tables of the snapshot, which may grow but not be put in order.
    pub script: Script,
    /// The nodes that there were, for what it really cost.
    pub stays: Vec<Stay>,
    /// What happened that no simulation can repeat, in words.
    pub left_out: Vec<String>,
    /// How long nobody looked, in sum.
    pub unseen: GoDuration,
}

/// Makes a script of what happened.
pub fn replay(history: &History) -> Replay {
    let mut maker = Making::new(history);
    let mut passed = GoDuration::ZERO;
    for frame in &history.frames {
        // A clock that was set back does not turn things round.
        passed = passed.max(frame.time.since(history.start.time));
        maker.frame(passed, frame);
    }
    maker.done(passed)
}

struct Making {
    snapshot: Snapshot,
    start: Time,
    courses: Courses,
    happenings: Vec<(GoDuration, Happening)>,
    stays: Vec<Stay>,
    left_out: Vec<String>,
    unseen: GoDuration,
}

impl Making {
    fn new(history: &History) -> Self {
        let mut snapshot = history.start.clone();
        let stays = fleet::first(&snapshot);
        tidy(&mut snapshot);
        Self {
            start: snapshot.time,
            snapshot,
            courses: Courses::default(),
            happenings: Vec::new(),
            stays,
            left_out: Vec::new(),
            unseen: GoDuration::ZERO,
        }
    }

    fn frame(&mut self, passed: GoDuration, frame: &Frame) {
        let objects = absorb(&mut self.snapshot, frame.objects.clone());
        for change in &frame.changes {
            self.change(passed, change, frame, &objects);
        }
    }

    fn change(&mut self, passed: GoDuration, change: &Change, frame: &Frame, objects: &Snapshot) {
        match change {
            Change::Gap { since } => {
                self.unseen += frame.time.since(*since).max(GoDuration::ZERO);
            }
            Change::Vanished(of) => {
                let again = frame.changes.contains(&Change::Appeared(of.clone()));
                match of.kind {
                    WorkloadKind::DaemonSet => self.leave_out(of, "vanished"),
                    _ if again => {}
                    _ => self.happens(passed, Happening::Delete { workload: name(of) }),
                }
            }
            Change::Appeared(of) => {
                if let Some(own) = self.object(objects, of) {
                    self.appeared(passed, of, own);
                }
            }
            Change::RolledOut(of) => {
                let template = self.object(objects, of).and_then(|own| own.template);
                self.happens(passed, Happening::Rollout { workload: name(of), template });
            }
            Change::Scaled { of, replicas } => {
                self.courses.of(of).replicas.push((passed, *replicas));
            }
            Change::Started { of, pods, parallel } => self.started(passed, of, *pods, *parallel),
            Change::Worked { of, took } => {
                // What began before the start has less of its work left.
                let left = passed.min(*took);
                let course = self.courses.of(of);
                if left < *took { &mut course.left } else { &mut course.worked }.push(left);
            }
            Change::Ready { of, took } => self.courses.of(of).ready.push(*took),
            Change::Budget { namespace, name } => {
                let wanted = self.key(namespace, name);
                let found = objects
                    .pod_disruption_budgets
                    .iter()
                    .find(|own| (own.meta.namespace, own.meta.name) == wanted);
                if let Some(own) = found {
                    self.happens(passed, Happening::Budget(Box::new(own.clone())));
                }
            }
            Change::NoBudget { namespace, name } => {
                let (namespace, name) = self.key(namespace, name);
                let meta = Meta { namespace, name, ..Meta::default() };
                let none = PodDisruptionBudget { meta, ..PodDisruptionBudget::default() };
                self.happens(passed, Happening::Budget(Box::new(none)));
            }
            Change::Interrupted { instance_type, zone, .. } => {
                let some = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
                let of = OfferingFilter {
                    instance_type: some(instance_type),
                    zone: some(zone),
                    capacity_type: None,
                };
                self.happens(passed, Happening::Interrupt { of, count: Some(1) });
            }
            Change::NodeCame(node) => {
                fleet::came(&mut self.stays, passed, node, objects, &self.snapshot);
            }
            Change::NodeWent(node) => fleet::went(&mut self.stays, passed, node, &self.snapshot),
        }
    }

    /// A workload is there: until now it was not, or was another of that name.
    fn appeared(&mut self, passed: GoDuration, of: &Maker, own: Workload) {
        if of.kind == WorkloadKind::DaemonSet {
            return self.leave_out(of, "appeared");
        }
        let (desired, job, template) = (own.desired, own.job, own.template);
        match place(&self.snapshot, of) {
            Some(_) => self.happens(passed, Happening::Rollout { workload: name(of), template }),
            None => self.snapshot.workloads.push(asleep(own)),
        }
        match of.kind {
            WorkloadKind::CronJob => {}
            WorkloadKind::Job => {
                let parallel = desired.max(1);
                let pods = job.and_then(|job| job.completions).unwrap_or(parallel);
                self.started(passed, of, pods.max(1), parallel);
            }
            _ => self.courses.of(of).replicas.push((passed, desired)),
        }
    }

    fn started(&mut self, passed: GoDuration, of: &Maker, pods: i64, parallel: i64) {
        self.happens(passed, Happening::Start { workload: name(of), pods, parallel });
    }

    fn happens(&mut self, passed: GoDuration, happening: Happening) {
        self.happenings.push((passed, happening));
    }

    fn leave_out(&mut self, of: &Maker, what: &str) {
        self.left_out.push(format!("DaemonSet {}/{} {what}", of.namespace, of.name));
    }

    /// A workload among the objects of a frame, in the names of the snapshot.
    fn object(&mut self, objects: &Snapshot, of: &Maker) -> Option<Workload> {
        let key = self.key(&of.namespace, &of.name);
        let wanted =
            |own: &&Workload| own.kind == of.kind && (own.meta.namespace, own.meta.name) == key;
        objects.workloads.iter().find(wanted).cloned()
    }

    fn key(&mut self, namespace: &str, name: &str) -> (restow_model::Str, restow_model::Str) {
        let strings = &mut self.snapshot.strings;
        (strings.intern(namespace), strings.intern(name))
    }

    fn done(mut self, duration: GoDuration) -> Replay {
        fleet::last(&mut self.stays, duration);
        let behaviours = self.courses.behaviours(&self.snapshot, duration);
        self.snapshot.time = self.start;
        let script =
            Script { duration, behaviours, happenings: self.happenings, ..Script::default() };
        Replay {
            snapshot: self.snapshot,
            script,
            stays: self.stays,
            left_out: self.left_out,
            unseen: self.unseen,
        }
    }
}

fn name(of: &Maker) -> WorkloadName {
    WorkloadName { kind: of.kind, namespace: of.namespace.clone(), name: of.name.clone() }
}

#[cfg(test)]
mod tests;
