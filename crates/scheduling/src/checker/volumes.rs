//! Volumes: those that claims are bound to must be reachable from the node; for claims that wait for their pod, a free volume
//! must match there or a new one be possible.

use restow_model::{
    AccessModes, Labels, PersistentVolume, PersistentVolumeClaim, Snapshot, StorageClass, Str,
};

use super::{Checker, Violation, claims, node_affinity};

/// What placing a pod does to its unbound claims.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// Volumes that are taken, by name, with namespace and name of the claim.
    taken: Vec<(Str, (Str, Str))>,
    /// Claims whose volumes are made, by namespace and name.
    made: Vec<(Str, Str)>,
}

impl Plan {
    /// Notes the decisions as the scheduler does: on the volume that is taken, and on the claim whose volume is made, which
    /// from then on fits that node only.
    pub(super) fn carry_out(self, cluster: &mut Snapshot, node: usize) {
        for (name, claim) in self.taken {
            for volume in &mut cluster.persistent_volumes {
                if volume.meta.name == name {
                    volume.claim = claim;
                }
            }
        }
        for claim in &mut cluster.persistent_volume_claims {
            if self.made.contains(&key(claim)) {
                claim.selected_node = cluster.nodes[node].meta.name;
            }
        }
    }
}

fn key(claim: &PersistentVolumeClaim) -> (Str, Str) {
    (claim.meta.namespace, claim.meta.name)
}

pub(super) fn plan(checker: &Checker, pod: usize, node: usize) -> Result<Plan, Violation> {
    let labels = checker.node_labels(node);
    for claim in claims::of_pod(checker, pod).filter(|claim| claim.bound) {
        let Some(volume) = claims::volume(checker, claim.volume) else {
            return Err(Violation::ClaimMissing { claim: claim.meta.name });
        };
        if !is_reachable(volume, labels, checker) {
            return Err(Violation::VolumeAffinity { volume: volume.meta.name });
        }
    }

    let unbound = claims::of_pod(checker, pod).filter(|claim| !claim.bound);
    let (promised, mut open): (Vec<_>, Vec<_>) =
        unbound.partition(|claim| !claim.selected_node.is_empty());
    let name = checker.node(node).meta.name;
    if let Some(claim) = promised.iter().find(|claim| claim.selected_node != name) {
        return Err(Violation::VolumeBinding { claim: claim.meta.name });
    }

    // The smallest claims choose first, and each takes the smallest volume that will do.
    open.sort_by_key(|claim| claim.size);
    let mut plan = Plan::default();
    let mut to_make = promised;
    for claim in open {
        match find_volume(checker, claim, labels, &plan) {
            Some(volume) => plan.taken.push((volume.meta.name, key(claim))),
            None => to_make.push(claim),
        }
    }
    for claim in to_make {
        if !claims::class(checker, claim).is_some_and(|class| can_make(class, labels, checker)) {
            return Err(Violation::VolumeBinding { claim: claim.meta.name });
        }
        plan.made.push(key(claim));
    }
    Ok(plan)
}

fn is_reachable(volume: &PersistentVolume, labels: &Labels, checker: &Checker) -> bool {
    let terms = volume.node_affinity.as_ref();
    terms.is_none_or(|terms| node_affinity::volume_matches(terms, labels, checker))
}

/// The volume that the claim would get on a node with these labels.
fn find_volume<'a>(
    checker: &'a Checker,
    claim: &PersistentVolumeClaim,
    labels: &Labels,
    plan: &Plan,
) -> Option<&'a PersistentVolume> {
    let candidates = || {
        checker.cluster.persistent_volumes.iter().filter(|volume| {
            Some(class_of(volume, checker)) == claim.class
                && volume.size >= claim.size
                && volume.meta.deleted.is_none()
                && plan.taken.iter().all(|(taken, _)| *taken != volume.meta.name)
        })
    };
    // A volume that is kept for the claim is the only one for it, in whatever phase and mode. The scheduler also compares the
    // claim's uid where the volume names one, to tell an earlier claim of that name; the model does not keep it.
    if let Some(volume) = candidates().find(|volume| volume.claim == key(claim)) {
        return is_reachable(volume, labels, checker).then_some(volume);
    }
    candidates()
        .filter(|volume| {
            volume.claim == (Str::EMPTY, Str::EMPTY)
                && checker.strings().text(volume.phase) == "Available"
                && includes(volume.access_modes, claim.access_modes)
                && is_reachable(volume, labels, checker)
        })
        .min_by_key(|volume| volume.size)
}

/// The old annotation wins over the field, as everywhere in Kubernetes.
fn class_of(volume: &PersistentVolume, checker: &Checker) -> Str {
    let key = checker.strings().get("volume.beta.kubernetes.io/storage-class");
    key.and_then(|key| volume.meta.annotations.get(key)).unwrap_or(volume.class)
}

fn includes(offered: AccessModes, wanted: AccessModes) -> bool {
    (offered.read_write_once || !wanted.read_write_once)
        && (offered.read_only_many || !wanted.read_only_many)
        && (offered.read_write_many || !wanted.read_write_many)
        && (offered.read_write_once_pod || !wanted.read_write_once_pod)
}

/// Whether volumes of the class can be made for a node with these labels.
fn can_make(class: &StorageClass, labels: &Labels, checker: &Checker) -> bool {
    let provisioner = checker.strings().text(class.provisioner);
    let listed = |(key, values): &(Str, Vec<Str>)| {
        labels.get(*key).is_some_and(|value| values.contains(&value))
    };
    !matches!(provisioner, "" | "kubernetes.io/no-provisioner")
        && (class.allowed_topologies.is_empty()
            || class
                .allowed_topologies
                .iter()
                .any(|term| !term.is_empty() && term.iter().all(listed)))
}

#[cfg(test)]
mod tests;
