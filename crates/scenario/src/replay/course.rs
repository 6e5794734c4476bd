//! What was seen of each workload, and how it behaves in a replay.

use std::collections::BTreeMap;

use restow_kubernetes::history::Maker;
use restow_model::{GoDuration, Snapshot, Workload, WorkloadKind};
use restow_simulator::script::{Behaviour, Spread};

use super::name;

/// What was seen of a workload.
#[derive(Clone, Debug, Default)]
pub(super) struct Course {
    /// How many replicas were wanted, by when.
    pub(super) replicas: Vec<(GoDuration, i64)>,
    /// How long its pods took to become ready.
    pub(super) ready: Vec<GoDuration>,
    /// How long pods of a job worked, from being bound.
    pub(super) worked: Vec<GoDuration>,
    /// The same, since the start, for those that had worked before.
    pub(super) left: Vec<GoDuration>,
}

/// What was seen of all workloads.
#[derive(Debug, Default)]
pub(super) struct Courses(BTreeMap<Maker, Course>);

impl Courses {
    pub(super) fn of(&mut self, of: &Maker) -> &mut Course {
        self.0.entry(of.clone()).or_default()
    }

    /// How every workload behaves. Of one of whose pods none was seen to start, they start as the others do.
    pub(super) fn behaviours(&self, snapshot: &Snapshot, duration: GoDuration) -> Vec<Behaviour> {
        let all = self.0.values().flat_map(|own| own.ready.iter().copied());
        let usual = median(all.collect());
        // A pod that nobody saw end works beyond the end.
        let forever = duration + duration + GoDuration::from_seconds(3600);
        let none = Course::default();
        let behaviour = |own: &Workload| {
            let of = maker(snapshot, own);
            let course = self.0.get(&of).unwrap_or(&none);
            let mut behaviour = Behaviour::of(name(&of));
            if let Some(start) = median(course.ready.clone()).or(usual) {
                behaviour.start = Spread::fixed(start);
            }
            let cron = cron_job(snapshot, own).and_then(|cron| self.0.get(&cron));
            let left = median(cron.unwrap_or(course).left.clone());
            // Jobs at the start go on with what they have left; there is one way to work for each workload.
            let work = match own.kind {
                WorkloadKind::Job => left.or_else(|| median(course.worked.clone())),
                _ => median(course.worked.clone()),
            };
            let work = work.unwrap_or(forever) - behaviour.start.median;
            behaviour.work = Spread::fixed(work.max(GoDuration::ZERO));
            behaviour.replicas.clone_from(&course.replicas);
            behaviour
        };
        // A version of a Deployment behaves as the Deployment says.
        let alone =
            |own: &&Workload| own.kind != WorkloadKind::ReplicaSet || own.meta.owner.is_none();
        snapshot.workloads.iter().filter(alone).map(behaviour).collect()
    }
}

fn maker(snapshot: &Snapshot, own: &Workload) -> Maker {
    Maker {
        kind: own.kind,
        namespace: snapshot.text(own.meta.namespace).to_owned(),
        name: snapshot.text(own.meta.name).to_owned(),
    }
}

/// The `CronJob` under whose name the work of a job was told.
fn cron_job(snapshot: &Snapshot, own: &Workload) -> Option<Maker> {
    let owner = own.meta.owner.filter(|_| own.kind == WorkloadKind::Job)?;
    Some(Maker {
        kind: WorkloadKind::CronJob,
        namespace: snapshot.text(own.meta.namespace).to_owned(),
        name: snapshot.text(owner.name).to_owned(),
    })
}

/// The middle one; of two the lower.
fn median(mut all: Vec<GoDuration>) -> Option<GoDuration> {
    all.sort_unstable();
    all.get(all.len().checked_sub(1)? / 2).copied()
}
