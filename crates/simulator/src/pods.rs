//! The life of a pod: started, ready, finished, asked to go, gone; and what it leaves to the one that takes its place.

use restow_model::{GoDuration, Pod, Str, WorkloadKind};

use crate::agenda::{Event, PodRef};
use crate::world::{Lineage, World};

/// Why a pod goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// There are too many, or a newer version is there.
    Unwanted,
    /// Its node goes, to consolidate.
    Consolidated,
    /// Its node goes for another reason, or somebody deleted it.
    Lost,
}

impl World {
    /// A pod was put on a node.
    pub(crate) fn started(&mut self, at: u32) {
        let life = self.lives[at as usize];
        let own = self.reference(at);
        if !life.meant.is_empty() {
            let node = self.snapshot.pods[at as usize].node;
            self.measure.placed.0 += 1;
            self.measure.placed.1 += u64::from(node == life.meant);
            self.lives[at as usize].meant = Str::EMPTY;
        }
        let Some(number) = life.unit else {
            return self.after(GoDuration::from_seconds(10), Event::Ready(own));
        };
        let behaviour = &self.units[number as usize].behaviour;
        let (start, storage) = (behaviour.start, behaviour.storage.as_ref());
        let attach = storage.map_or(GoDuration::ZERO, |own| own.attach);
        let start = Self::draw(&mut self.chances.pods, start);
        self.bind_volume(at);
        if !life.crashes {
            self.after(start + attach, Event::Ready(own));
        }
    }

    /// A pod is ready.
    pub(crate) fn pod_ready(&mut self, own: PodRef) {
        let Some(pod) = self.pod(own) else { return };
        if pod.is_terminating() || !pod.is_bound() || self.lives[own.at as usize].crashes {
            return;
        }
        let had = pod.ready;
        self.set_ready(own.at, true);
        let life = self.lives[own.at as usize];
        let Some(number) = life.unit else { return };
        let unit = &mut self.units[number as usize];
        unit.ready += u32::from(!had);
        if unit.completions.is_some() {
            let work = Self::draw(&mut self.chances.pods, unit.behaviour.work);
            let left = work - life.done;
            let left = if left < GoDuration::ZERO { GoDuration::ZERO } else { left };
            self.after(left, Event::Finished(own));
        }
        self.units[number as usize].note_ready(self.now);
        self.reconcile(number);
    }

    /// A pod of a Job has done its work.
    pub(crate) fn pod_finished(&mut self, own: PodRef) {
        let Some(pod) = self.pod(own) else { return };
        if pod.is_terminating() {
            return;
        }
        let number = self.lives[own.at as usize].unit;
        if let Some(number) = number {
            let unit = &mut self.units[number as usize];
            unit.completed += 1;
            unit.ready -= u32::from(self.snapshot.pods[own.at as usize].ready);
            unit.pods.retain(|at| *at != own.at);
        }
        self.drop_pod(own.at);
        if let Some(number) = number {
            self.reconcile(number);
        }
    }

    /// Asks a pod to go.
    pub(crate) fn delete_pod(&mut self, at: u32, why: Why) {
        let own = self.reference(at);
        let (pod, life) = (&self.snapshot.pods[at as usize], self.lives[at as usize]);
        if pod.is_terminating() || pod.is_finished() {
            return;
        }
        let (bound, was_ready, node) = (pod.is_bound(), pod.ready, pod.node);
        let grace = self.snapshot.shapes[pod.shape].grace_seconds.max(0);
        let worked = pod.ready_changed.filter(|_| was_ready).map(|since| self.now.since(since));
        let grace = GoDuration::from_seconds(grace);
        self.snapshot.pods[at as usize].deleted = Some(self.now.plus(grace));
        // Who spreads pods evenly leaves out those that go.
        self.engine.change_pod(&self.snapshot, at as usize);
        self.budgets.see(&mut self.snapshot, at, true);
        self.changes.pods += 1;
        if bound {
            self.pod_event(node);
        }
        let mut stop = GoDuration::from_seconds(2);
        if let Some(number) = life.unit {
            let lineage = self.inherit(at, number, why, worked.unwrap_or_default());
            let unit = &mut self.units[number as usize];
            unit.pods.retain(|own| *own != at);
            unit.ready -= u32::from(was_ready);
            if unit.kind == WorkloadKind::StatefulSet {
                unit.leaving.push(life.ordinal);
            }
            if why != Why::Unwanted && unit.kind != WorkloadKind::DaemonSet {
                unit.heirs.push(lineage);
            }
            stop = Self::draw(&mut self.chances.pods, unit.behaviour.stop);
            self.units[number as usize].note_ready(self.now);
        }
        if bound {
            let stop = if stop < grace { stop } else { grace };
            self.after(stop, Event::Gone(own));
        } else {
            self.agenda.note(self.now, Event::Gone(own));
        }
        if let Some(number) = life.unit
            && why != Why::Unwanted
        {
            self.reconcile(number);
        }
    }

    /// What a pod leaves to the one that takes its place.
    fn inherit(&mut self, at: u32, number: u32, why: Why, worked: GoDuration) -> Lineage {
        let life = self.lives[at as usize];
        let unit = &mut self.units[number as usize];
        let mut lineage = life.lineage;
        lineage.ordinal = (unit.kind == WorkloadKind::StatefulSet).then_some(life.ordinal);
        lineage.meant = Str::EMPTY;
        if unit.completions.is_some() {
            let keeps = unit.behaviour.keeps_progress;
            if keeps {
                lineage.done = life.done + worked;
            } else if why == Why::Consolidated {
                self.measure.totals.lost_work_hours += worked.millis() as f64 / 3_600_000.0;
            }
        }
        if why == Why::Consolidated {
            unit.evictions += 1;
            let again = lineage
                .evicted
                .is_some_and(|last| self.now.since(last) <= GoDuration::from_seconds(3600));
            lineage.evictions += 1;
            lineage.evicted = Some(self.now);
            lineage.meant = life.meant;
            let totals = &mut self.measure.totals;
            totals.evictions += 1;
            totals.re_evictions += u64::from(again);
            totals.max_evictions_per_pod =
                totals.max_evictions_per_pod.max(u64::from(lineage.evictions));
        }
        lineage
    }

    /// A pod that was asked to go is gone.
    pub(crate) fn pod_gone(&mut self, own: PodRef) {
        if self.pod(own).is_none_or(Pod::is_finished) {
            return;
        }
        let life = self.lives[own.at as usize];
        self.drop_pod(own.at);
        if let Some(number) = life.unit {
            self.units[number as usize].leaving.retain(|ordinal| *ordinal != life.ordinal);
            self.reconcile(number);
        }
    }
}
