//! Storage in few words.

use restow_model::{
    CsiDriver, CsiNode, Meta, NodeTerm, Owner, PersistentVolume, PersistentVolumeClaim,
    StorageClass, Str, Time, Uid,
};

use super::text;
use super::world::World;

/// The driver of volumes unless another is named.
pub(crate) const DRIVER: &str = "fake.csi.provider";

/// A storage class.
#[derive(Clone, Debug)]
pub(crate) struct ClassSpec {
    name: String,
    provisioner: String,
    waits: bool,
    default: bool,
    places: Vec<String>,
}

/// A class whose volumes are made when their pod is placed.
pub(crate) fn class(name: &str) -> ClassSpec {
    ClassSpec {
        name: name.to_owned(),
        provisioner: DRIVER.to_owned(),
        waits: true,
        default: false,
        places: Vec::new(),
    }
}

impl ClassSpec {
    /// Who makes its volumes.
    pub(crate) fn made_by(mut self, provisioner: &str) -> Self {
        provisioner.clone_into(&mut self.provisioner);
        self
    }

    /// Volumes are made at once.
    pub(crate) fn immediate(mut self) -> Self {
        self.waits = false;
        self
    }

    /// Claims without a class get it.
    pub(crate) fn default(mut self) -> Self {
        self.default = true;
        self
    }

    /// One more place where volumes can be made.
    pub(crate) fn only_in(mut self, place: &str) -> Self {
        self.places.push(place.to_owned());
        self
    }
}

/// A persistent volume.
#[derive(Clone, Debug)]
pub(crate) struct VolumeSpec {
    name: String,
    driver: String,
    places: Vec<String>,
    local: bool,
    deleting: bool,
    free: Option<String>,
}

/// A volume that can be reached from everywhere.
pub(crate) fn volume(name: &str) -> VolumeSpec {
    VolumeSpec {
        name: name.to_owned(),
        driver: DRIVER.to_owned(),
        places: Vec::new(),
        local: false,
        deleting: false,
        free: None,
    }
}

impl VolumeSpec {
    /// One more place from where it can be reached.
    pub(crate) fn only_in(mut self, place: &str) -> Self {
        self.places.push(place.to_owned());
        self
    }

    /// For any claim of a class.
    pub(crate) fn free(mut self, class: &str) -> Self {
        self.free = Some(class.to_owned());
        self
    }

    /// Its driver; empty for none.
    pub(crate) fn driver(mut self, driver: &str) -> Self {
        driver.clone_into(&mut self.driver);
        self
    }

    /// A disk of one node.
    pub(crate) fn local(mut self) -> Self {
        self.driver.clear();
        self.local = true;
        self
    }

    /// On its way out.
    pub(crate) fn deleting(mut self) -> Self {
        self.deleting = true;
        self
    }
}

/// A persistent volume claim.
#[derive(Clone, Debug)]
pub(crate) struct PvcSpec {
    name: String,
    class: Option<String>,
    volume: String,
    bound: bool,
    phase: &'static str,
    deleting: bool,
    ephemeral: bool,
}

/// An unbound claim of the class `standard`.
pub(crate) fn pvc(name: &str) -> PvcSpec {
    PvcSpec {
        name: name.to_owned(),
        class: Some("standard".to_owned()),
        volume: String::new(),
        bound: false,
        phase: "Pending",
        deleting: false,
        ephemeral: false,
    }
}

impl PvcSpec {
    /// Of another class.
    pub(crate) fn class(mut self, name: &str) -> Self {
        self.class = Some(name.to_owned());
        self
    }

    /// Of no class that is named.
    pub(crate) fn no_class(mut self) -> Self {
        self.class = None;
        self
    }

    /// Bound to a volume.
    pub(crate) fn bound_to(mut self, volume: &str) -> Self {
        self.bound = true;
        self.phase = "Bound";
        self.naming(volume)
    }

    /// Naming a volume that it is not bound to yet.
    pub(crate) fn naming(mut self, volume: &str) -> Self {
        volume.clone_into(&mut self.volume);
        self
    }

    /// With its volume lost.
    pub(crate) fn lost(mut self) -> Self {
        self.phase = "Lost";
        self
    }

    /// On its way out.
    pub(crate) fn deleting(mut self) -> Self {
        self.deleting = true;
        self
    }

    /// Made for an ephemeral volume of the pod that is added next.
    pub(crate) fn ephemeral(mut self) -> Self {
        self.ephemeral = true;
        self
    }
}

impl World {
    /// Adds a storage class.
    pub(crate) fn storage_class(&mut self, spec: ClassSpec) {
        let ClassSpec { name, provisioner, waits, default, places } = spec;
        let strings = &mut self.snapshot.strings;
        let allowed_topologies = places
            .iter()
            .map(|place| {
                let keys = text::specs(place).into_iter();
                keys.map(|own| {
                    let values = own.values.iter().map(|value| strings.intern(value)).collect();
                    (strings.intern(&own.key), values)
                })
                .collect()
            })
            .collect();
        self.snapshot.storage_classes.push(StorageClass {
            meta: Meta { name: strings.intern(&name), ..Meta::default() },
            provisioner: strings.intern(&provisioner),
            waits_for_pod: waits,
            allowed_topologies,
            default,
        });
    }

    /// Adds a volume.
    pub(crate) fn volume(&mut self, spec: VolumeSpec) {
        let VolumeSpec { name, driver, places, local, deleting, free } = spec;
        let strings = &mut self.snapshot.strings;
        let terms: Vec<NodeTerm> = places
            .iter()
            .map(|place| NodeTerm { labels: text::requirements(place, strings), names: Vec::new() })
            .collect();
        let name = strings.intern(&name);
        self.snapshot.persistent_volumes.push(PersistentVolume {
            meta: Meta { name, deleted: deleting.then(Time::default), ..Meta::default() },
            node_affinity: (!terms.is_empty()).then_some(terms),
            driver: strings.intern(&driver),
            handle: if driver.is_empty() { Str::EMPTY } else { name },
            local,
            class: strings.intern(free.as_deref().unwrap_or_default()),
            phase: strings.intern(if free.is_some() { "Available" } else { "Bound" }),
            ..PersistentVolume::default()
        });
    }

    /// Adds a claim, and says so on the volume that it is bound to.
    pub(crate) fn pvc(&mut self, spec: PvcSpec) {
        let PvcSpec { name, class, volume, bound, phase, deleting, ephemeral } = spec;
        let next = self.snapshot.pods.len();
        let snapshot = &mut self.snapshot;
        let strings = &mut snapshot.strings;
        let (namespace, name) = (strings.intern("default"), strings.intern(&name));
        let volume = strings.intern(&volume);
        let owner = ephemeral.then(|| Owner {
            group: Str::EMPTY,
            kind: strings.intern("Pod"),
            name: strings.intern(&format!("pod-{next}")),
            uid: Uid(next as u128),
        });
        for own in &mut snapshot.persistent_volumes {
            if bound && own.meta.name == volume {
                own.claim = (namespace, name);
            }
        }
        snapshot.persistent_volume_claims.push(PersistentVolumeClaim {
            meta: Meta {
                namespace,
                name,
                deleted: deleting.then(Time::default),
                owner,
                ..Meta::default()
            },
            class: class.as_ref().map(|class| strings.intern(class)),
            volume,
            bound,
            phase: strings.intern(phase),
            ..PersistentVolumeClaim::default()
        });
    }

    /// Says how many volumes of a driver a node attaches.
    pub(crate) fn attach_limit(&mut self, node: &str, driver: &str, limit: i64) {
        let strings = &mut self.snapshot.strings;
        let driver = CsiDriver {
            name: strings.intern(driver),
            limit: Some(limit),
            topology_keys: Vec::new(),
        };
        let meta = Meta { name: strings.intern(node), ..Meta::default() };
        self.snapshot.csi_nodes.push(CsiNode { meta, drivers: vec![driver] });
    }
}
