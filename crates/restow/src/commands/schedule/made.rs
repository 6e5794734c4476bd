//! Pods that do not exist yet, as a controller would make them of its template.

use std::collections::BTreeSet;

use anyhow::Context;
use restow_model::{
    Labels, Owner, Pod, PodShape, PodTemplate, Shared, Snapshot, Str, Volumes, Workload,
    WorkloadKind,
};

use super::workloads::{full_name, kind_name, namespace, replica_sets};
use crate::terminal;

/// The label by which a deployment tells the pods of its templates apart.
const TEMPLATE_HASH: &str = "pod-template-hash";

/// What becomes of a workload.
pub(super) enum Made<'a> {
    /// It is in the cluster with these pods, and gets more.
    More { pods: &'a [usize], count: usize },
    /// It is applied for the first time.
    First { count: usize },
}

/// Adds pods of a workload to the snapshot; returns their places.
pub(super) fn make(
    snapshot: &mut Snapshot,
    workload: &Workload,
    made: &Made<'_>,
) -> anyhow::Result<Vec<usize>> {
    let (siblings, count) = match made {
        Made::More { pods, count } => (*pods, *count),
        Made::First { count } => (&[] as &[usize], *count),
    };
    let name = full_name(snapshot, workload);
    let template = workload.template.with_context(|| format!("{name} has no pod template"))?;
    let newest = siblings.iter().copied().max_by_key(|at| (snapshot.pods[*at].created, *at));
    let set = match workload.kind {
        WorkloadKind::Deployment => replica_sets(snapshot, workload).pop().cloned(),
        _ => None,
    };
    let hash = match (workload.kind, made) {
        (WorkloadKind::Deployment, Made::First { .. }) => Some(snapshot.strings.intern("new")),
        (WorkloadKind::Deployment, Made::More { .. }) => hash(snapshot, set.as_ref(), newest),
        _ => None,
    };
    let labels = labels(snapshot, template, hash);
    let owner = owner(snapshot, workload, set.as_ref());
    let shape = admitted(snapshot, template.shape);
    let home = namespace(snapshot, workload).to_owned();
    let home = snapshot.strings.intern(&home);
    if workload.kind == WorkloadKind::StatefulSet && may_have_volumes(snapshot, newest) {
        terminal::note(&format!(
            "{name}: volumes that are made for each of its pods are not part of the answer"
        ));
    }
    let names = new_names(snapshot, workload, count);
    let first = snapshot.pods.len();
    for name in names {
        let volumes = volumes(snapshot, workload, newest, &name);
        let pod = Pod {
            namespace: home,
            name: snapshot.strings.intern(&name),
            labels,
            annotations: template.annotations,
            owner,
            shape,
            volumes,
            created: snapshot.time,
            ..Pod::default()
        };
        snapshot.pods.push(pod);
    }
    Ok((first..snapshot.pods.len()).collect())
}

/// The hash of the newest template: its replica set says, or the newest pod.
fn hash(snapshot: &Snapshot, set: Option<&Workload>, newest: Option<usize>) -> Option<Str> {
    let key = snapshot.strings.get(TEMPLATE_HASH)?;
    let of_set = set.and_then(|set| snapshot.labels[set.template?.labels].get(key));
    of_set.or_else(|| snapshot.labels[snapshot.pods[newest?].labels].get(key))
}

fn labels(snapshot: &mut Snapshot, template: PodTemplate, hash: Option<Str>) -> Shared {
    let Some(hash) = hash else { return template.labels };
    let key = snapshot.strings.intern(TEMPLATE_HASH);
    let mut pairs: Vec<(Str, Str)> = snapshot.labels[template.labels].iter().collect();
    pairs.push((key, hash));
    snapshot.labels.share(Labels::new(pairs))
}

fn owner(snapshot: &mut Snapshot, workload: &Workload, set: Option<&Workload>) -> Shared {
    let own = set.unwrap_or(workload);
    let group = match own.kind {
        WorkloadKind::ReplicationController => "",
        WorkloadKind::Job => "batch",
        _ => "apps",
    };
    let owner = Owner {
        group: snapshot.strings.intern(group),
        kind: snapshot.strings.intern(kind_name(own.kind).unwrap_or_default()),
        name: own.meta.name,
        uid: own.meta.uid,
    };
    snapshot.owners.share(Some(owner))
}

/// The shape with the priority that the API server would give it.
pub(super) fn admitted(snapshot: &mut Snapshot, shape: Shared) -> Shared {
    let own = &snapshot.shapes[shape];
    let classes = &snapshot.priority_classes;
    let known = match snapshot.text(own.priority_class) {
        _ if own.priority != 0 => None,
        "system-node-critical" => Some((2_000_001_000, true)),
        "system-cluster-critical" => Some((2_000_000_000, true)),
        "" => {
            classes.iter().find(|class| class.global_default).map(|own| (own.value, own.preempts))
        }
        _ => classes
            .iter()
            .find(|class| class.meta.name == own.priority_class)
            .map(|own| (own.value, own.preempts)),
    };
    let Some((priority, preempts)) = known else { return shape };
    let shape = PodShape { priority, preempts: preempts && own.preempts, ..own.clone() };
    snapshot.shapes.share(shape)
}

/// Names that no pod has: the next numbers of a stateful set, else `web-new-1`.
fn new_names(snapshot: &Snapshot, workload: &Workload, count: usize) -> Vec<String> {
    let home = namespace(snapshot, workload);
    let own = snapshot.text(workload.meta.name);
    let taken: BTreeSet<&str> = snapshot
        .pods
        .iter()
        .filter(|pod| snapshot.text(pod.namespace) == home)
        .map(|pod| snapshot.text(pod.name))
        .collect();
    if workload.kind == WorkloadKind::StatefulSet {
        let names = (0..).map(|number| format!("{own}-{number}"));
        return names.filter(|name| !taken.contains(name.as_str())).take(count).collect();
    }
    // As many digits as it takes, so that the order of names is that of numbers.
    let digits = count.to_string().len();
    let names = (1..).map(|number| format!("{own}-new-{number:0digits$}"));
    names.filter(|name| !taken.contains(name.as_str())).take(count).collect()
}

/// Whether pods of a stateful set have volumes of their own, or nobody knows.
fn may_have_volumes(snapshot: &Snapshot, newest: Option<usize>) -> bool {
    newest.is_none_or(|at| {
        let pod = &snapshot.pods[at];
        let name = snapshot.text(pod.name);
        let claims = &snapshot.volumes[pod.volumes].claims;
        claims.iter().any(|claim| own_claim(snapshot.text(*claim), name).is_some())
    })
}

/// The template of a claim that a stateful set made for a pod: `data` of `data-db-0`.
fn own_claim<'a>(claim: &'a str, pod: &str) -> Option<&'a str> {
    claim.strip_suffix(pod)?.strip_suffix('-')
}

/// The storage of a new pod, which templates do not say: what its newest sibling has, without what is the sibling's alone.
/// Claims of its own count if they are there already.
fn volumes(
    snapshot: &mut Snapshot,
    workload: &Workload,
    sibling: Option<usize>,
    name: &str,
) -> Shared {
    let Some(sibling) = sibling.map(|at| &snapshot.pods[at]) else { return Shared(0) };
    let theirs = snapshot.text(sibling.name);
    let ordered = workload.kind == WorkloadKind::StatefulSet;
    let volumes = &snapshot.volumes[sibling.volumes];
    let mut claims: Vec<Str> = Vec::new();
    for claim in &volumes.claims {
        let text = snapshot.text(*claim);
        match own_claim(text, theirs).filter(|_| ordered) {
            Some(template) => {
                let own = snapshot.strings.get(&format!("{template}-{name}"));
                let exists = |own: &Str| {
                    snapshot.persistent_volume_claims.iter().any(|claim| {
                        claim.meta.name == *own && claim.meta.namespace == sibling.namespace
                    })
                };
                claims.extend(own.filter(exists));
            }
            // Volumes that live and die with a pod have its name in front.
            None if text.strip_prefix(theirs).is_some_and(|rest| rest.starts_with('-')) => {}
            None => claims.push(*claim),
        }
    }
    let volumes = Volumes { claims, ..volumes.clone() };
    snapshot.volumes.share(volumes)
}

#[cfg(test)]
mod tests;
