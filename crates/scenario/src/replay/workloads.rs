//! Workloads of a recorded cluster as a simulation takes them.

use restow_kubernetes::history::Maker;
use restow_model::{Snapshot, Str, Workload, WorkloadKind};
use rustc_hash::FxHashSet;

/// Makes the workloads at the start fit for a replay: what the history tells, nobody else does.
pub(super) fn tidy(snapshot: &mut Snapshot) {
    let working: FxHashSet<(Str, Str)> = snapshot
        .pods
        .iter()
        .filter(|pod| !pod.is_finished())
        .filter_map(|pod| Some((pod.namespace, snapshot.owner(pod)?.name)))
        .collect();
    let strings = &snapshot.strings;
    for own in &mut snapshot.workloads {
        // Whatever made it is not simulated, so that it stands for itself.
        let part = own.meta.owner.is_some_and(|owner| {
            matches!(
                (own.kind, strings.text(owner.kind)),
                (WorkloadKind::ReplicaSet, "Deployment") | (WorkloadKind::Job, "CronJob")
            )
        });
        if !part {
            own.meta.owner = None;
        }
        match own.kind {
            // Its jobs start when they were started.
            WorkloadKind::CronJob => own.suspended = true,
            // Complete, failed or suspended: nothing more came of it, unless the history says so.
            WorkloadKind::Job if !working.contains(&(own.meta.namespace, own.meta.name)) => {
                if let Some(job) = &mut own.job {
                    job.completions = Some(job.succeeded);
                }
            }
            _ => {}
        }
    }
}

/// A workload that wants nothing yet.
pub(super) fn asleep(mut own: Workload) -> Workload {
    own.meta.owner = None;
    own.desired = 0;
    (own.current, own.ready, own.updated, own.available) = (0, 0, 0, 0);
    own.suspended = own.kind == WorkloadKind::CronJob;
    if let Some(job) = &mut own.job {
        (job.succeeded, job.failed, job.started, job.completed) = (0, 0, None, None);
        if own.kind == WorkloadKind::Job {
            job.completions = Some(0);
        }
    }
    own
}

/// Where a workload is among those of a snapshot.
pub(super) fn place(snapshot: &Snapshot, of: &Maker) -> Option<usize> {
    let namespace = snapshot.strings.get(&of.namespace)?;
    let name = snapshot.strings.get(&of.name)?;
    snapshot.workloads.iter().position(|own| {
        own.kind == of.kind && own.meta.namespace == namespace && own.meta.name == name
    })
}
