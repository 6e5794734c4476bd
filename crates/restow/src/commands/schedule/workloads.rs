//! Workloads by name, and the pods that are theirs.

use restow_catalog::nearest;
use restow_model::{Owner, Snapshot, Workload, WorkloadKind};

/// How many names an error lists.
const FEW: usize = 3;

/// Kinds whose number of pods is a setting, with the names that kubectl knows them by.
const KINDS: [(WorkloadKind, &str, &[&str]); 5] = [
    (WorkloadKind::Deployment, "Deployment", &["deployment", "deployments", "deploy"]),
    (WorkloadKind::ReplicaSet, "ReplicaSet", &["replicaset", "replicasets", "rs"]),
    (WorkloadKind::StatefulSet, "StatefulSet", &["statefulset", "statefulsets", "sts"]),
    (
        WorkloadKind::ReplicationController,
        "ReplicationController",
        &["replicationcontroller", "replicationcontrollers", "rc"],
    ),
    (WorkloadKind::Job, "Job", &["job", "jobs"]),
];

/// The kind that kubectl calls so.
pub(super) fn kind(word: &str) -> Option<WorkloadKind> {
    let word = word.to_ascii_lowercase();
    KINDS.iter().find(|(_, _, words)| words.contains(&word.as_str())).map(|(kind, ..)| *kind)
}

/// The kind as Kubernetes writes it; `None` where the number of pods is not a setting.
pub(super) fn kind_name(kind: WorkloadKind) -> Option<&'static str> {
    KINDS.iter().find(|(own, ..)| *own == kind).map(|(_, name, _)| *name)
}

/// The kind as kubectl takes it.
pub(super) fn kind_word(kind: WorkloadKind) -> &'static str {
    KINDS
        .iter()
        .find(|(own, ..)| *own == kind)
        .and_then(|(_, _, words)| words.first())
        .map_or("workload", |word| *word)
}

/// Of a workload that is written without one it is `default`.
pub(super) fn namespace<'a>(snapshot: &'a Snapshot, workload: &Workload) -> &'a str {
    match snapshot.text(workload.meta.namespace) {
        "" => "default",
        namespace => namespace,
    }
}

/// `web/deployment/api`.
pub(super) fn full_name(snapshot: &Snapshot, workload: &Workload) -> String {
    format!(
        "{}/{}/{}",
        namespace(snapshot, workload),
        kind_word(workload.kind),
        snapshot.text(workload.meta.name)
    )
}

/// The replica sets of a deployment, the newest last.
pub(super) fn replica_sets<'a>(snapshot: &'a Snapshot, deployment: &Workload) -> Vec<&'a Workload> {
    let owned = |set: &&Workload| {
        set.kind == WorkloadKind::ReplicaSet
            && namespace(snapshot, set) == namespace(snapshot, deployment)
            && set.meta.owner.is_some_and(|owner| is(snapshot, &owner, deployment))
    };
    let mut sets: Vec<&Workload> = snapshot.workloads.iter().filter(owned).collect();
    sets.sort_by_key(|set| (set.meta.created, snapshot.text(set.meta.name)));
    sets
}

fn is(snapshot: &Snapshot, owner: &Owner, workload: &Workload) -> bool {
    owner.name == workload.meta.name && Some(snapshot.text(owner.kind)) == kind_name(workload.kind)
}

/// The pods of a workload that have not ended and are not about to, by their places in the snapshot.
pub(super) fn pods_of(snapshot: &Snapshot, workload: &Workload) -> Vec<usize> {
    let sets = match workload.kind {
        WorkloadKind::Deployment => replica_sets(snapshot, workload),
        _ => Vec::new(),
    };
    let home = namespace(snapshot, workload);
    let of_owner = |owner: &Owner| {
        is(snapshot, owner, workload) || sets.iter().any(|set| is(snapshot, owner, set))
    };
    // Without its replica sets in the input, a deployment is known by the labels of its pods.
    let by_labels = workload.kind == WorkloadKind::Deployment && sets.is_empty();
    let selected =
        |labels| by_labels && workload.selector.as_ref().is_some_and(|own| own.selects(labels));
    let pods = snapshot.pods.iter().enumerate().filter(|(_, pod)| {
        !pod.is_finished()
            && !pod.is_terminating()
            && snapshot.text(pod.namespace) == home
            && (snapshot.owner(pod).is_some_and(of_owner) || selected(&snapshot.labels[pod.labels]))
    });
    pods.map(|(at, _)| at).collect()
}

/// `; did you mean a, b?`, or some of the names there are if none is near.
pub(super) fn or_nearest<'a>(
    wanted: &str,
    names: impl IntoIterator<Item = &'a str, IntoIter: Clone>,
) -> String {
    let names = names.into_iter();
    match nearest(wanted, names.clone(), FEW).as_slice() {
        [] => such_as(names),
        near => format!("; did you mean {}?", near.join(", ")),
    }
}

/// `; there are a, b, …`, or nothing without names.
pub(super) fn such_as<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut shown: Vec<&str> = names.take(FEW + 1).collect();
    let more = if shown.len() > FEW { ", …" } else { "" };
    shown.truncate(FEW);
    match shown.as_slice() {
        [] => String::new(),
        [only] => format!("; there is {only}"),
        some => format!("; there are {}{more}", some.join(", ")),
    }
}
