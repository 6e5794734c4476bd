//! What the storage of a pod demands: volumes that are where they are, or that come to be with the pod.

use restow_model::{
    AccessModes, PersistentVolume, PersistentVolumeClaim, Snapshot, StorageClass, Str, Volumes,
};
use rustc_hash::FxHashMap;

use crate::known::Known;
use crate::reason::Reason;
use crate::selection::StorageRule;
use crate::tally::VolumeName;

/// Storage objects by name.
#[derive(Debug)]
pub(crate) struct StorageIndex<'a> {
    snapshot: &'a Snapshot,
    known: &'a Known,
    claims: FxHashMap<(Str, Str), (u32, &'a PersistentVolumeClaim)>,
    volumes: FxHashMap<Str, &'a PersistentVolume>,
    classes: FxHashMap<Str, &'a StorageClass>,
    volumes_by_class: FxHashMap<Str, Vec<u32>>,
}

/// What is compiled of a pod's storage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Storage {
    pub(crate) never: Option<Reason>,
    pub(crate) rules: Vec<StorageRule>,
    /// Claims that one pod at a time may use.
    pub(crate) exclusive: Vec<Str>,
    /// Volumes that are attached to the node, by driver.
    pub(crate) attached: Vec<(Str, VolumeName)>,
    pub(crate) open_claims: Vec<RawOpenClaim>,
}

/// Where volumes can be made: one of the terms must hold; each lists labels with their values.
pub(crate) type Topologies = Vec<Vec<(Str, Vec<Str>)>>;

/// A claim whose volume is chosen or made with the pod's node, before selections are numbered.
#[derive(Clone, Debug)]
pub(crate) struct RawOpenClaim {
    pub(crate) claim: Str,
    /// Its place in the snapshot.
    pub(crate) number: u32,
    pub(crate) size: i64,
    /// Places of volumes in the snapshot, with whether each is kept for the claim.
    pub(crate) volumes: Vec<(u32, bool)>,
    pub(crate) made: Option<Topologies>,
}

/// Drivers that moved out of Kubernetes, by the name of the old provisioner.
const MOVED: [(&str, &str); 3] = [
    ("kubernetes.io/aws-ebs", "ebs.csi.aws.com"),
    ("kubernetes.io/gce-pd", "pd.csi.storage.gke.io"),
    ("kubernetes.io/azure-disk", "disk.csi.azure.com"),
];

impl<'a> StorageIndex<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, known: &'a Known) -> Self {
        let mut volumes_by_class: FxHashMap<Str, Vec<u32>> = FxHashMap::default();
        let old_class = snapshot.strings.get("volume.beta.kubernetes.io/storage-class");
        for (at, volume) in snapshot.persistent_volumes.iter().enumerate() {
            let annotated = old_class.and_then(|key| volume.meta.annotations.get(key));
            let class = annotated.unwrap_or(volume.class);
            volumes_by_class.entry(class).or_default().push(at as u32);
        }
        let size = |at: &u32| snapshot.persistent_volumes[*at as usize].size;
        for volumes in volumes_by_class.values_mut() {
            volumes.sort_by_key(size);
        }
        Self {
            snapshot,
            known,
            claims: snapshot
                .persistent_volume_claims
                .iter()
                .enumerate()
                .map(|(at, claim)| ((claim.meta.namespace, claim.meta.name), (at as u32, claim)))
                .collect(),
            volumes: snapshot
                .persistent_volumes
                .iter()
                .map(|volume| (volume.meta.name, volume))
                .collect(),
            classes: snapshot
                .storage_classes
                .iter()
                .map(|class| (class.meta.name, class))
                .collect(),
            volumes_by_class,
        }
    }

    /// The driver and name of an attached volume.
    pub(crate) fn attached(&self, volume: Str) -> Option<(Str, VolumeName)> {
        let volume = self.volumes.get(&volume)?;
        (!volume.driver.is_empty() && !volume.handle.is_empty())
            .then_some((volume.driver, VolumeName::Handle(volume.handle)))
    }

    /// Compiles the storage of a pod.
    pub(crate) fn compile(&self, namespace: Str, volumes: &Volumes) -> Storage {
        let mut storage = Storage::default();
        for name in &volumes.claims {
            let Some((number, claim)) = self.claims.get(&(namespace, *name)) else {
                storage.never.get_or_insert(Reason::ClaimMissing { claim: *name });
                continue;
            };
            if let Some(attached) = self.driver_of(claim)
                && !storage.attached.contains(&attached)
            {
                storage.attached.push(attached);
            }
            let exclusive = claim.access_modes.read_write_once_pod && !self.is_of_pod(claim);
            if exclusive && !storage.exclusive.contains(name) {
                storage.exclusive.push(*name);
            }
            if let Err(reason) = self.claim(claim, *number, &mut storage) {
                storage.never.get_or_insert(reason);
            }
        }
        storage.open_claims.sort_by_key(|open| open.size);
        storage
    }

    fn claim(
        &self,
        claim: &PersistentVolumeClaim,
        number: u32,
        storage: &mut Storage,
    ) -> Result<(), Reason> {
        let name = claim.meta.name;
        if claim.phase == self.known.lost || claim.meta.deleted.is_some() {
            return Err(Reason::ClaimMissing { claim: name });
        }
        if !claim.volume.is_empty() {
            if !claim.bound {
                return Err(Reason::ClaimUnbound { claim: name });
            }
            let volume =
                self.volumes.get(&claim.volume).ok_or(Reason::ClaimMissing { claim: name })?;
            if let Some(terms) = &volume.node_affinity {
                storage.rules.push(StorageRule::Reaches { claim: name, terms: terms.clone() });
            }
            if !self.is_of_pod(claim) {
                self.zones(volume, name, storage);
            }
            return Ok(());
        }
        let class = claim
            .class
            .and_then(|class| self.classes.get(&class))
            .filter(|class| class.waits_for_pod)
            .ok_or(Reason::ClaimUnbound { claim: name })?;
        if !claim.selected_node.is_empty() {
            let node = claim.selected_node;
            storage.rules.push(StorageRule::MadeFor { claim: name, node });
        }
        let made = (class.provisioner != self.known.no_provisioner
            && !class.provisioner.is_empty())
        .then(|| class.allowed_topologies.clone());
        let volumes =
            if claim.selected_node.is_empty() { self.candidates(claim, class) } else { Vec::new() };
        storage.open_claims.push(RawOpenClaim {
            claim: name,
            number,
            size: claim.size,
            volumes,
            made,
        });
        Ok(())
    }

    /// Whether the claim is that of a generic ephemeral volume: those are neither exclusive nor asked for their zone.
    fn is_of_pod(&self, claim: &PersistentVolumeClaim) -> bool {
        claim.meta.owner.as_ref().is_some_and(|owner| self.snapshot.text(owner.kind) == "Pod")
    }

    /// Volumes that exist and could serve a claim somewhere, the smallest first.
    fn candidates(&self, claim: &PersistentVolumeClaim, class: &StorageClass) -> Vec<(u32, bool)> {
        let own = (claim.meta.namespace, claim.meta.name);
        let volumes = self.volumes_by_class.get(&class.meta.name);
        let mut found: Vec<(u32, bool)> = volumes
            .into_iter()
            .flatten()
            .filter_map(|at| {
                let volume = &self.snapshot.persistent_volumes[*at as usize];
                let free = volume.claim.1.is_empty();
                let reserved = !free && volume.claim == own;
                let usable = volume.meta.deleted.is_none()
                    && volume.size >= claim.size
                    && (reserved
                        || (free
                            && volume.phase == self.known.available
                            && covers(volume.access_modes, claim.access_modes)));
                usable.then_some((*at, reserved))
            })
            .collect();
        // A volume that is reserved for the claim decides, wherever it is.
        found.sort_by_key(|(_, reserved)| !reserved);
        found
    }

    /// Zones and regions that are written on the volume.
    fn zones(&self, volume: &PersistentVolume, claim: Str, storage: &mut Storage) {
        for (key, value) in volume.meta.labels.iter() {
            let Some(at) = self.known.location.iter().position(|known| *known == key) else {
                continue;
            };
            // A node may have the label by its newer name only.
            let older_key = (at % 2 == 1).then(|| self.known.location[at - 1]);
            let text = self.snapshot.text(value);
            if text.split("__").any(|part| part.trim().is_empty()) {
                // The real scheduler cannot read such a list and goes on without it.
                continue;
            }
            let values = text
                .split("__")
                .map(|part| self.snapshot.strings.get(part.trim()).unwrap_or(crate::known::UNNAMED))
                .collect();
            storage.rules.push(StorageRule::Zone { claim, key, older_key, values });
        }
    }

    /// Which driver attaches the claim's volume, and as what.
    fn driver_of(&self, claim: &PersistentVolumeClaim) -> Option<(Str, VolumeName)> {
        if let Some(volume) = self.volumes.get(&claim.volume) {
            return self.attached(volume.meta.name);
        }
        let class = self.classes.get(&claim.class?)?;
        let provisioner = self.snapshot.text(class.provisioner);
        let driver = MOVED
            .iter()
            .find(|(old, _)| *old == provisioner)
            .map_or(Some(class.provisioner), |(_, new)| self.snapshot.strings.get(new))?;
        Some((driver, VolumeName::Claim(claim.meta.namespace, claim.meta.name)))
    }
}

/// Whether a volume can be mounted in every way that a claim asks for.
fn covers(volume: AccessModes, claim: AccessModes) -> bool {
    (volume.read_write_once || !claim.read_write_once)
        && (volume.read_only_many || !claim.read_only_many)
        && (volume.read_write_many || !claim.read_write_many)
        && (volume.read_write_once_pod || !claim.read_write_once_pod)
}
