//! Objects of one snapshot as part of another.

use restow_model::{Meta, Pod, Snapshot, Workload};

/// Pods and workloads of another snapshot, in this one's names.
pub(super) struct Merged {
    pub(super) pods: Vec<Pod>,
    pub(super) workloads: Vec<Workload>,
}

/// Brings what pods depend on from another snapshot into this one: storage, namespaces and priority classes that are not
/// there yet. Its pods and workloads are returned in this one's names.
pub(super) fn merge(into: &mut Snapshot, mut from: Snapshot) -> Merged {
    let strings = std::mem::take(&mut from.strings);
    from.each_str(&mut |name| *name = into.strings.intern(strings.text(*name)));
    for pod in &mut from.pods {
        pod.labels = into.labels.share(from.labels[pod.labels].clone());
        pod.annotations = into.labels.share(from.labels[pod.annotations].clone());
        pod.owner = into.owners.share(from.owners[pod.owner]);
        pod.shape = into.shapes.share(from.shapes[pod.shape].clone());
        pod.volumes = into.volumes.share(from.volumes[pod.volumes].clone());
    }
    for template in from.workloads.iter_mut().filter_map(|own| own.template.as_mut()) {
        template.labels = into.labels.share(from.labels[template.labels].clone());
        template.annotations = into.labels.share(from.labels[template.annotations].clone());
        template.shape = into.shapes.share(from.shapes[template.shape].clone());
    }
    macro_rules! add {
        ($($list:ident),*) => { $( add_new(&mut into.$list, from.$list, |own| &own.meta); )* };
    }
    add!(
        namespaces,
        priority_classes,
        persistent_volumes,
        persistent_volume_claims,
        storage_classes,
        resource_claims
    );
    Merged { pods: from.pods, workloads: from.workloads }
}

/// Of an object that is in both, the one that is there stays.
fn add_new<T>(into: &mut Vec<T>, from: Vec<T>, meta: impl Fn(&T) -> &Meta) {
    for object in from {
        let key = |own: &T| (meta(own).namespace, meta(own).name);
        if !into.iter().any(|own| key(own) == key(&object)) {
            into.push(object);
        }
    }
}

#[cfg(test)]
mod tests;
