//! Workloads that appear, vanish, are scaled and rolled out.

use restow_model::each_str::EachStr;
use restow_model::{Snapshot, Str, Strings, Workload, WorkloadKind};

use super::Looks;
use crate::history::change::{Change, Maker};
use crate::history::index::maker;

impl Looks<'_> {
    pub(super) fn workloads(&mut self) {
        let all: Vec<(Maker, &Workload)> = self.after.each().collect();
        for (of, own) in all {
            let Some(before) = self.before.get(&of) else {
                self.appeared(of, own);
                continue;
            };
            // Deleted and made anew under the same name.
            if before.meta.uid != own.meta.uid {
                self.changes.push(Change::Vanished(of.clone()));
                self.appeared(of, own);
                continue;
            }
            if self.is_rolled_out(&of, before, own) {
                self.picked.workload(own);
                self.changes.push(Change::RolledOut(of.clone()));
            }
            if has_replicas(of.kind) && before.desired != own.desired {
                self.changes.push(Change::Scaled { of, replicas: own.desired });
            }
        }
        let gone: Vec<Maker> = self
            .before
            .each()
            .filter(|(of, own)| self.after.get(of).is_none() && !is_over(own))
            .map(|(of, _)| of)
            .collect();
        self.changes.extend(gone.into_iter().map(Change::Vanished));
    }

    fn appeared(&mut self, of: Maker, own: &Workload) {
        self.picked.workload(own);
        self.changes.push(Change::Appeared(of));
    }

    /// Whether the pods of a workload are being replaced by others since the look before. Most roll-outs change an image, which
    /// no template here shows; who carries them out does.
    fn is_rolled_out(&self, of: &Maker, before: &Workload, own: &Workload) -> bool {
        let differs = || !is_alike((self.before.snapshot, before), (self.after.snapshot, own));
        match of.kind {
            WorkloadKind::Deployment => match self.before.versions(of) {
                // Nothing to replace, or nobody may read ReplicaSets.
                [] => differs(),
                versions => self.after.versions(of).iter().any(|new| !versions.contains(new)),
            },
            WorkloadKind::StatefulSet if before.current > 0 && !self.gap => {
                before.updated >= before.current && own.updated < own.current
            }
            WorkloadKind::StatefulSet | WorkloadKind::DaemonSet => differs(),
            _ => false,
        }
    }

    /// Jobs that `CronJobs` started.
    pub(super) fn jobs(&mut self) {
        let after = &self.after;
        for own in &after.snapshot.workloads {
            let Some(of) = after.cron_job(own) else { continue };
            let name = after.snapshot.text(own.meta.name);
            let direct = maker(WorkloadKind::Job, &of.namespace, name);
            // After a gap nobody knows which jobs there were.
            let known = self.before.get(&direct).is_some()
                || self.gap && own.meta.created < self.before.snapshot.time;
            if !known {
                let parallel = own.desired.max(1);
                let pods = own.job.and_then(|job| job.completions).unwrap_or(parallel).max(1);
                self.changes.push(Change::Started { of, pods, parallel });
            }
        }
    }
}

/// Whether two workloads of two snapshots make pods alike. Their names are brought into one table first.
fn is_alike(a: (&Snapshot, &Workload), b: (&Snapshot, &Workload)) -> bool {
    let mut strings = Strings::default();
    let mut parts = |(snapshot, own): (&Snapshot, &Workload)| {
        let template = own.template?;
        let mut labels = snapshot.labels[template.labels].clone();
        let mut annotations = snapshot.labels[template.annotations].clone();
        let mut shape = snapshot.shapes[template.shape].clone();
        let mut rename = |name: &mut Str| *name = strings.intern(snapshot.text(*name));
        labels.each_str(&mut rename);
        annotations.each_str(&mut rename);
        shape.each_str(&mut rename);
        Some((labels, annotations, shape))
    };
    parts(a) == parts(b)
}

/// A workload that wants a number of pods which somebody sets; that of a `DaemonSet` follows the nodes.
const fn has_replicas(kind: WorkloadKind) -> bool {
    matches!(
        kind,
        WorkloadKind::Deployment
            | WorkloadKind::ReplicaSet
            | WorkloadKind::ReplicationController
            | WorkloadKind::StatefulSet
    )
}

/// A job that is complete: whether it is tidied away does not matter.
pub(super) fn is_over(own: &Workload) -> bool {
    own.job.is_some_and(|job| job.completed.is_some())
}
