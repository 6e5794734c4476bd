//! The controllers: they make pods until there are as many as wanted, and delete those that are too many.

use restow_model::{Phase, Pod, PodTemplate, Shared, WorkloadKind};

use crate::agenda::{Event, PodRef};
use crate::pods::Why;
use crate::script::Behaviour;
use crate::unit::{Census, new_replica_set};
use crate::world::{Life, World};

impl World {
    /// Finds out who made the pods that are there, and makes those that are missing.
    pub(crate) fn populate(&mut self, behaviours: &[Behaviour]) {
        let names = self.names;
        let mut census = Census::new(&mut self.snapshot, &names, behaviours);
        let mut waiting = Vec::new();
        for at in 0..self.snapshot.pods.len() {
            if self.snapshot.pods[at].is_finished() {
                continue;
            }
            let Some(number) = census.unit_of(&self.snapshot, &names, behaviours, at) else {
                continue;
            };
            let pod = &self.snapshot.pods[at];
            let unit = &mut census.units[number as usize];
            self.lives[at].unit = Some(number);
            self.lives[at].version = unit.version;
            self.lives[at].ordinal = ordinal(self.snapshot.text(pod.name));
            if pod.is_terminating() {
                if unit.kind == WorkloadKind::StatefulSet {
                    unit.leaving.push(self.lives[at].ordinal);
                }
                let gone = Event::Gone(PodRef { at: at as u32, life: 0 });
                self.agenda.note(pod.deleted.unwrap_or(self.now).max(self.now), gone);
                continue;
            }
            unit.pods.push(at as u32);
            unit.ready += u32::from(pod.ready && pod.is_bound());
            if unit.workload.is_none() {
                unit.desired += 1;
                unit.completions = unit.completions.map(|count| count + 1);
            }
            if !pod.is_bound() || !pod.ready || unit.completions.is_some() {
                waiting.push(at as u32);
            }
        }
        self.units = census.units;
        // Whoever looks for the objects of the units must find them.
        self.engine = restow_scheduling::Cluster::new(
            &self.snapshot,
            std::sync::Arc::new(restow_scheduling::Offers::none()),
            crate::world::placing(),
        );
        self.make_volumes();
        for at in 0..self.snapshot.pods.len() as u32 {
            self.budgets.see(&mut self.snapshot, at, true);
        }
        for at in waiting {
            if self.snapshot.pods[at as usize].is_bound() {
                self.started(at);
            } else {
                self.enqueue(at);
            }
        }
        for number in 0..self.units.len() as u32 {
            self.set_off(number);
            self.expect_pods();
            self.reconcile(number);
            let now = self.now;
            self.units[number as usize].note_ready(now);
        }
    }

    /// What a workload does by itself.
    fn set_off(&mut self, number: u32) {
        let unit = &self.units[number as usize];
        let behaviour = &unit.behaviour;
        let start = self.start;
        for (at, _) in &behaviour.replicas {
            self.agenda.note(start.plus(*at), Event::Step(number));
        }
        if behaviour.autoscaler.is_some() {
            self.agenda.note(start, Event::Autoscale(number));
        }
        let (churns, kind) = (behaviour.churn > 0.0, unit.kind);
        if churns {
            self.note_churn(number);
        }
        if kind == WorkloadKind::CronJob {
            self.note_cron(number);
        }
    }

    /// Budgets count on as many pods as their controllers want.
    pub(crate) fn expect_pods(&mut self) {
        if self.snapshot.pod_disruption_budgets.is_empty() {
            return;
        }
        self.budgets.expected.iter_mut().for_each(|own| *own = 0);
        for unit in &self.units {
            let sample =
                Pod { namespace: unit.namespace, labels: unit.template.labels, ..Pod::default() };
            for own in self.budgets.of(&self.snapshot, &sample) {
                self.budgets.expected[own as usize] += unit.desired;
            }
        }
        for at in 0..self.budgets.expected.len() {
            self.budgets.write(&mut self.snapshot, at);
        }
    }

    /// Sets how many replicas a workload should have.
    pub(crate) fn scale(&mut self, number: u32, desired: i64) {
        let unit = &mut self.units[number as usize];
        if unit.desired == desired {
            return;
        }
        unit.desired = desired.max(0);
        unit.heirs.clear();
        self.expect_pods();
        self.reconcile(number);
        let now = self.now;
        self.units[number as usize].note_ready(now);
    }

    /// Makes what is missing and deletes what is too much.
    pub(crate) fn reconcile(&mut self, number: u32) {
        match self.units[number as usize].kind {
            WorkloadKind::DaemonSet | WorkloadKind::PodTemplate => {}
            WorkloadKind::StatefulSet => self.reconcile_ordered(number),
            WorkloadKind::Job | WorkloadKind::CronJob => {
                let unit = &self.units[number as usize];
                let left = unit.completions.unwrap_or_default() - unit.completed;
                let missing = left.min(unit.desired.max(1)) - unit.pods.len() as i64;
                for _ in 0..missing.max(0) {
                    self.make_pod(number, None);
                }
            }
            _ => self.reconcile_replicas(number),
        }
        self.write_status(number);
    }

    fn reconcile_replicas(&mut self, number: u32) {
        let unit = &self.units[number as usize];
        let (desired, version) = (unit.desired, unit.version);
        let is_old = |at: &&u32| self.lives[**at as usize].version < version;
        let old = unit.pods.iter().filter(is_old).count() as i64;
        let new = unit.pods.len() as i64 - old;
        if old == 0 {
            for _ in new..desired {
                self.make_pod(number, None);
            }
            for _ in desired..new {
                let Some(at) = self.first_to_go(number, false) else { break };
                self.delete_pod(at, Why::Unwanted);
            }
            return;
        }
        // A new version replaces the old one: a quarter more pods than wanted, a quarter fewer ready ones.
        let surge = (desired + 3) / 4;
        let unavailable = desired / 4;
        let room = (desired + surge - new - old).min(desired - new);
        for _ in 0..room.max(0) {
            self.make_pod(number, None);
        }
        let spare = i64::from(self.units[number as usize].ready) - (desired - unavailable);
        let unready = self.units[number as usize]
            .pods
            .iter()
            .filter(|at| {
                let pod = &self.snapshot.pods[**at as usize];
                self.lives[**at as usize].version < version && !pod.ready
            })
            .count() as i64;
        for _ in 0..(spare.max(0) + unready).min(old) {
            let Some(at) = self.first_to_go(number, true) else { break };
            self.delete_pod(at, Why::Unwanted);
        }
        let unit = &self.units[number as usize];
        if unit.pods.iter().all(|at| self.lives[*at as usize].version == version) {
            self.reconcile_replicas(number);
        }
    }

    fn reconcile_ordered(&mut self, number: u32) {
        let unit = &self.units[number as usize];
        let desired = u32::try_from(unit.desired).unwrap_or_default();
        let ordered = unit.ordered;
        let mut there: Vec<(u32, u32, bool)> = unit
            .pods
            .iter()
            .map(|at| {
                let pod = &self.snapshot.pods[*at as usize];
                (self.lives[*at as usize].ordinal, *at, pod.ready)
            })
            .collect();
        there.sort_unstable();
        let leaving = unit.leaving.clone();
        if let Some((_, at, _)) = there.iter().rev().find(|(own, ..)| *own >= desired) {
            if leaving.is_empty() || !ordered {
                self.delete_pod(*at, Why::Unwanted);
            }
            return;
        }
        for own in 0..desired {
            match there.iter().find(|(other, ..)| *other == own) {
                Some((.., ready)) if *ready || !ordered => {}
                Some(_) => return,
                None if leaving.contains(&own) => {
                    if ordered {
                        return;
                    }
                }
                None => {
                    self.make_pod(number, Some(own));
                    if ordered {
                        return;
                    }
                }
            }
        }
    }

    /// The pod that a `ReplicaSet` deletes first: not bound before bound, not ready before ready, the lower deletion cost, the
    /// one with more of its kind on the same node, the younger.
    fn first_to_go(&self, number: u32, old: bool) -> Option<u32> {
        let unit = &self.units[number as usize];
        let pods =
            unit.pods.iter().filter(|at| !old || self.lives[**at as usize].version < unit.version);
        pods.copied().min_by_key(|at| {
            let pod = &self.snapshot.pods[*at as usize];
            let cost = self.snapshot.labels[pod.annotations].get(self.names.deletion_cost);
            let cost: i64 =
                cost.and_then(|cost| self.snapshot.text(cost).parse().ok()).unwrap_or_default();
            let beside = unit
                .pods
                .iter()
                .filter(|other| self.snapshot.pods[**other as usize].node == pod.node)
                .count();
            let ready_since = pod.ready_changed.filter(|_| pod.ready).unwrap_or_default();
            (
                pod.is_bound(),
                pod.ready,
                cost,
                std::cmp::Reverse(beside),
                std::cmp::Reverse(ready_since),
                std::cmp::Reverse(pod.created),
                *at,
            )
        })
    }

    fn make_pod(&mut self, number: u32, ordinal: Option<u32>) {
        let unit = &mut self.units[number as usize];
        let heir = match ordinal {
            Some(own) => {
                let at = unit.heirs.iter().position(|heir| heir.ordinal == Some(own));
                at.map(|at| unit.heirs.remove(at))
            }
            None if unit.heirs.is_empty() => None,
            None => Some(unit.heirs.remove(0)),
        };
        let lineage = heir.unwrap_or_default();
        let ordinal = ordinal.unwrap_or_default();
        let volumes = unit.volumes.get(ordinal as usize).copied().unwrap_or(Shared(0));
        let mut pod = Pod {
            namespace: unit.namespace,
            labels: unit.template.labels,
            annotations: unit.template.annotations,
            owner: unit.owner,
            shape: unit.template.shape,
            volumes,
            phase: Phase::Pending,
            ..Pod::default()
        };
        let stateful = unit.kind == WorkloadKind::StatefulSet;
        let life = Life {
            unit: Some(number),
            lineage,
            version: unit.version,
            done: lineage.done,
            ordinal,
            meant: lineage.meant,
            ..Life::default()
        };
        if stateful {
            let text = format!("{}-{ordinal}", self.snapshot.strings.text(unit.name));
            pod.name = self.snapshot.strings.intern(&text);
        }
        let at = self.add_pod(pod, life);
        self.units[number as usize].pods.push(at);
        self.enqueue(at);
    }

    /// Begins a new version, of another template if there is one.
    pub(crate) fn roll_out(&mut self, number: u32, template: Option<PodTemplate>) {
        let unit = &mut self.units[number as usize];
        unit.version += 1;
        if let Some(template) = template {
            unit.template = template;
            if let Some(at) = unit.workload {
                self.snapshot.workloads[at].template = Some(template);
            }
        }
        if unit.kind == WorkloadKind::Deployment {
            new_replica_set(&mut self.snapshot, &self.names, unit);
        }
        if let Some(at) = unit.workload {
            let own = &mut self.snapshot.workloads[at];
            own.meta.generation += 1;
        }
        self.reconcile(number);
    }

    fn write_status(&mut self, number: u32) {
        let unit = &self.units[number as usize];
        let Some(at) = unit.workload else { return };
        let is_new = |at: &&u32| self.lives[**at as usize].version == unit.version;
        let updated = unit.pods.iter().filter(is_new).count() as i64;
        let (current, ready) = (unit.pods.len() as i64, i64::from(unit.ready));
        let mut write = |at: usize| {
            let own = &mut self.snapshot.workloads[at];
            own.current = current;
            (own.ready, own.available) = (ready, ready);
            own.updated = updated;
            if unit.makes_replicas() {
                own.desired = unit.desired;
            }
            own.observed_generation = own.meta.generation.max(1);
            own.meta.generation = own.meta.generation.max(1);
        };
        write(at);
        if let Some(set) = unit.replica_set {
            write(set);
        }
    }
}

/// The number at the end of a name.
fn ordinal(name: &str) -> u32 {
    name.rsplit('-').next().and_then(|last| last.parse().ok()).unwrap_or_default()
}
