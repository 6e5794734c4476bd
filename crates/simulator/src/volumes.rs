//! Volumes of replicas: made where a pod first needs one, and there for good.

use restow_model::{
    AccessModes, Meta, NodeTerm, PersistentVolume, PersistentVolumeClaim, Requirement, Str,
    Volumes, WorkloadKind,
};

use crate::world::World;

impl World {
    /// Makes the claims of all replicas that there may be.
    pub(crate) fn make_volumes(&mut self) {
        let mut any = false;
        for number in 0..self.units.len() {
            let unit = &self.units[number];
            let Some(storage) = unit.behaviour.storage.clone() else { continue };
            if unit.kind != WorkloadKind::StatefulSet {
                continue;
            }
            any = true;
            let later = unit.behaviour.replicas.iter().map(|(_, count)| *count);
            let scaled = unit.behaviour.autoscaler.iter().map(|own| own.maximum);
            let most = later.chain(scaled).chain([unit.desired]).max().unwrap_or_default();
            let (namespace, name) = (unit.namespace, unit.name);
            let class = self.snapshot.strings.intern(&storage.class);
            for ordinal in 0..most.max(0) {
                let text = format!("data-{}-{ordinal}", self.snapshot.strings.text(name));
                let claim = self.snapshot.strings.intern(&text);
                let meta = Meta { namespace, name: claim, ..Meta::default() };
                let known = |own: &PersistentVolumeClaim| {
                    own.meta.namespace == namespace && own.meta.name == claim
                };
                if !self.snapshot.persistent_volume_claims.iter().any(known) {
                    self.snapshot.persistent_volume_claims.push(PersistentVolumeClaim {
                        meta,
                        class: Some(class),
                        size: 1 << 30,
                        access_modes: once(),
                        ..PersistentVolumeClaim::default()
                    });
                }
                let volumes = Volumes { claims: vec![claim], ..Volumes::default() };
                let volumes = self.snapshot.volumes.share(volumes);
                self.units[number].volumes.push(volumes);
            }
            let pods = self.units[number].pods.clone();
            for at in pods {
                let ordinal = self.lives[at as usize].ordinal as usize;
                if let Some(volumes) = self.units[number].volumes.get(ordinal) {
                    self.snapshot.pods[at as usize].volumes = *volumes;
                }
                if self.snapshot.pods[at as usize].is_bound() {
                    self.bind_volume(at);
                }
            }
        }
        if any {
            self.rebuild();
        }
    }

    /// The scheduler sees everything anew.
    pub(crate) fn rebuild(&mut self) {
        self.engine = restow_scheduling::Cluster::new(
            &self.snapshot,
            std::sync::Arc::new(restow_scheduling::Offers::none()),
            crate::world::placing(),
        );
    }

    /// A volume that a pod needs for the first time is made in the zone where the pod is.
    pub(crate) fn bind_volume(&mut self, at: u32) {
        let pod = &self.snapshot.pods[at as usize];
        let (namespace, node) = (pod.namespace, pod.node);
        let Some(name) = self.snapshot.volumes[pod.volumes].claims.first().copied() else { return };
        let claims = &self.snapshot.persistent_volume_claims;
        let found =
            claims.iter().position(|own| own.meta.namespace == namespace && own.meta.name == name);
        let Some(claim) = found.filter(|at| !claims[*at].bound) else { return };
        let zone = self.node(node).and_then(|node| node.meta.labels.get(self.names.zone));
        let text = format!(
            "pv-{}-{}",
            self.snapshot.strings.text(namespace),
            self.snapshot.strings.text(name)
        );
        let volume = self.snapshot.strings.intern(&text);
        let term = zone.map(|zone| NodeTerm {
            labels: vec![Requirement::exactly(self.names.zone, zone)],
            names: Vec::new(),
        });
        let own = &mut self.snapshot.persistent_volume_claims[claim];
        (own.volume, own.bound, own.phase) = (volume, true, self.names.bound);
        self.snapshot.persistent_volumes.push(PersistentVolume {
            meta: Meta { name: volume, ..Meta::default() },
            class: own.class.unwrap_or(Str::EMPTY),
            size: own.size,
            access_modes: once(),
            node_affinity: term.map(|term| vec![term]),
            claim: (namespace, name),
            phase: self.names.bound,
            ..PersistentVolume::default()
        });
        self.rebuild();
    }
}

fn once() -> AccessModes {
    AccessModes { read_write_once: true, ..AccessModes::default() }
}
