//! Daemon pods, which come and go with their nodes.

use restow_model::{GoDuration, Phase, Pod, Str, WorkloadKind};

use crate::agenda::Event;
use crate::world::{Life, World};

impl World {
    /// Daemon pods come with their node.
    pub(crate) fn make_daemons(&mut self, name: Str) {
        for number in 0..self.units.len() as u32 {
            let unit = &self.units[number as usize];
            if unit.kind != WorkloadKind::DaemonSet || unit.workload.is_none() {
                continue;
            }
            let pod = Pod {
                namespace: unit.namespace,
                labels: unit.template.labels,
                annotations: unit.template.annotations,
                owner: unit.owner,
                shape: unit.template.shape,
                phase: Phase::Pending,
                ..Pod::default()
            };
            let life = Life { unit: Some(number), version: unit.version, ..Life::default() };
            let at = self.add_pod(pod, life);
            // A new kind of pod may have numbered the nodes anew.
            let node = self.engine.node(name);
            if node.is_some_and(|node| self.engine.can_run(at as usize, node)) {
                self.snapshot.pods[at as usize].node = name;
                self.snapshot.pods[at as usize].scheduled = Some(self.now);
                self.engine.change_pod(&self.snapshot, at as usize);
                self.pods_on.entry(name).or_default().push(at);
                self.units[number as usize].pods.push(at);
                let own = self.reference(at);
                self.after(GoDuration::from_seconds(5), Event::Ready(own));
            } else {
                self.drop_pod(at);
            }
        }
    }
}
