//! How long pods took to become ready, and pods of jobs to end.

use restow_model::{GoDuration, Phase, Pod, Time, Uid, WorkloadKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Looks;
use super::workloads::is_over;
use crate::history::change::{Change, Maker};
use crate::history::index::maker;

impl Looks<'_> {
    pub(super) fn pods(&mut self) {
        let known: FxHashMap<Uid, &Pod> =
            self.before.snapshot.pods.iter().map(|pod| (pod.uid, pod)).collect();
        for pod in &self.after.snapshot.pods {
            let before = known.get(&pod.uid);
            if pod.ready && before.is_none_or(|own| !own.ready) {
                self.tell(pod, pod.ready_changed, |of, took| Change::Ready { of, took });
            }
            if pod.phase == Phase::Succeeded && before.is_none_or(|own| !own.is_finished()) {
                let end = pod.finished.unwrap_or(self.after.snapshot.time);
                self.worked(pod, end);
            }
        }
        self.tidied_away();
    }

    /// Pods of jobs that were gone before anybody saw them end, with jobs that have nothing more to do: they worked until now.
    fn tidied_away(&mut self) {
        let there: FxHashSet<Uid> = self.after.snapshot.pods.iter().map(|pod| pod.uid).collect();
        for pod in &self.before.snapshot.pods {
            if there.contains(&pod.uid) || pod.is_finished() || pod.is_terminating() {
                continue;
            }
            let Some(owner) = self.before.snapshot.owner(pod) else { continue };
            let text = |name| self.before.snapshot.text(name);
            if text(owner.kind) != "Job" {
                continue;
            }
            let job = maker(WorkloadKind::Job, text(pod.namespace), text(owner.name));
            let over = self.after.get(&job).is_none_or(is_over);
            let Some(scheduled) = pod.scheduled.filter(|_| over) else { continue };
            if let Some(of) = self.before.maker_of(pod) {
                let took = self.after.snapshot.time.since(scheduled);
                self.changes.push(Change::Worked { of, took });
            }
        }
    }

    fn worked(&mut self, pod: &Pod, end: Time) {
        let of_job = |of: &Maker| matches!(of.kind, WorkloadKind::Job | WorkloadKind::CronJob);
        let Some(of) = self.after.maker_of(pod).filter(of_job) else { return };
        if let Some(took) = since(pod, end) {
            self.changes.push(Change::Worked { of, took });
        }
    }

    fn tell(
        &mut self,
        pod: &Pod,
        at: Option<Time>,
        change: impl FnOnce(Maker, GoDuration) -> Change,
    ) {
        let Some(took) = at.and_then(|at| since(pod, at)) else { return };
        if let Some(of) = self.after.maker_of(pod) {
            self.changes.push(change(of, took));
        }
    }
}

/// From being bound to a time that is not before that.
fn since(pod: &Pod, at: Time) -> Option<GoDuration> {
    let took = at.since(pod.scheduled?);
    (took >= GoDuration::ZERO).then_some(took)
}
