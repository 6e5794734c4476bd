//! `--pods`: pods that are not in the cluster yet.

use std::path::{Path, PathBuf};

use restow_model::{Pod, Snapshot, Str, Workload, WorkloadKind};
use restow_report::units::{counted, grouped};

use super::made::{Made, admitted, make};
use super::merge::{Merged, merge};
use super::workloads::{full_name, kind_name, namespace, pods_of};
use crate::args::InputArgs;
use crate::{input, terminal};

/// Adds the pods of the files to the snapshot; returns their places.
pub(super) fn add(
    snapshot: &mut Snapshot,
    files: &[PathBuf],
    args: &InputArgs,
) -> anyhow::Result<Vec<usize>> {
    let mut added = Vec::new();
    for path in files {
        added.extend(add_file(snapshot, path, args)?);
    }
    Ok(added)
}

fn add_file(snapshot: &mut Snapshot, path: &Path, args: &InputArgs) -> anyhow::Result<Vec<usize>> {
    let origin = if path.as_os_str() == "-" {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    let file = input::read_files(&InputArgs {
        files: vec![path.to_owned()],
        skip_invalid: args.skip_invalid,
        ..InputArgs::default()
    })?;
    for pod in &file.pods {
        let name = format!("{}/{}", file.text(pod.namespace), file.text(pod.name));
        refuse_bound(&origin, &name, file.text(pod.node))?;
    }
    say_what_is_not_read(&origin, &file);
    // Counted among the pods of the file: those of the cluster are there besides.
    let mut workloads: Vec<(usize, &Workload)> = Vec::new();
    for own in file.workloads.iter().filter(|own| !is_made_by_another(&file, own)) {
        let missing = own.desired - pods_of(&file, own).len() as i64;
        workloads.push((usize::try_from(missing).unwrap_or_default(), own));
    }
    let missing: Vec<usize> = workloads.iter().map(|(missing, _)| *missing).collect();
    let makers: Vec<Workload> = workloads.into_iter().map(|(_, own)| own.clone()).collect();
    let alive = |pod: &Pod| !pod.is_finished() && !pod.is_terminating();
    let mut asked = file;
    asked.pods.retain(alive);
    asked.workloads = makers;
    anyhow::ensure!(
        !asked.pods.is_empty() || !asked.workloads.is_empty(),
        "{origin} holds no pods and nothing that makes pods"
    );
    let Merged { pods, workloads } = merge(snapshot, asked);
    let mut added = Vec::new();
    for pod in pods {
        added.push(put(snapshot, pod, &origin)?);
    }
    for (workload, count) in workloads.iter().zip(missing) {
        say_what_is_there(snapshot, workload, count);
        added.extend(make(snapshot, workload, &Made::First { count })?);
    }
    Ok(added)
}

fn refuse_bound(origin: &str, pod: &str, node: &str) -> anyhow::Result<()> {
    anyhow::ensure!(
        node.is_empty(),
        "{pod} of {origin} is already bound to node {node}; --feasible asks for bound pods"
    );
    Ok(())
}

/// Takes the place of a pod of that name that waits, or a new one.
fn put(snapshot: &mut Snapshot, mut pod: Pod, origin: &str) -> anyhow::Result<usize> {
    pod.shape = admitted(snapshot, pod.shape);
    pod.nominated_node = Str::EMPTY;
    let key = |pod: &Pod| (pod.namespace, pod.name);
    let Some(at) = snapshot.pods.iter().position(|own| key(own) == key(&pod)) else {
        snapshot.pods.push(pod);
        return Ok(snapshot.pods.len() - 1);
    };
    let name = format!("{}/{}", snapshot.text(pod.namespace), snapshot.text(pod.name));
    refuse_bound(origin, &name, snapshot.text(snapshot.pods[at].node))?;
    terminal::note(&format!("{name} is in the cluster too; that of {origin} counts"));
    snapshot.pods[at] = pod;
    Ok(at)
}

/// Whether its pods are counted elsewhere, or their number is not its own.
fn is_made_by_another(file: &Snapshot, workload: &Workload) -> bool {
    let owner = workload.meta.owner;
    kind_name(workload.kind).is_none()
        || owner.is_some_and(|owner| {
            file.workloads.iter().any(|other| {
                other.meta.name == owner.name
                    && kind_name(other.kind) == Some(file.text(owner.kind))
                    && namespace(file, other) == namespace(file, workload)
            })
        })
}

fn say_what_is_not_read(origin: &str, file: &Snapshot) {
    let of_kind = |kind| file.workloads.iter().filter(|own| own.kind == kind).count();
    let ended = file.pods.iter().filter(|pod| pod.is_finished() || pod.is_terminating()).count();
    let left_out = [
        (file.nodes.len(), "node"),
        (file.node_pools.len(), "NodePool"),
        (file.node_claims.len(), "NodeClaim"),
        (of_kind(WorkloadKind::DaemonSet), "DaemonSet"),
        (of_kind(WorkloadKind::CronJob), "CronJob"),
        (ended, "pod that ended or ends"),
    ];
    let parts: Vec<String> = left_out
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| counted(count, what))
        .collect();
    if !parts.is_empty() {
        terminal::note(&format!("left out of {origin}: {}", parts.join(", ")));
    }
}

fn say_what_is_there(snapshot: &Snapshot, workload: &Workload, count: usize) {
    let there =
        pods_of(snapshot, workload).iter().filter(|at| snapshot.pods[**at].is_bound()).count();
    if there > 0 && count > 0 {
        terminal::note(&format!(
            "{} is in the cluster too, with {}; {} are asked for besides (--scale asks for the difference)",
            full_name(snapshot, workload),
            counted(there, "pod"),
            grouped(count as u128)
        ));
    }
}
