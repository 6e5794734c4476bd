//! `--scale`: the pods that a workload would still need.

use std::str::FromStr;

use restow_model::{Snapshot, Workload, WorkloadKind};
use restow_report::units::{counted, grouped};

use super::made::{Made, make};
use super::workloads::{full_name, kind, kind_word, namespace, or_nearest, pods_of};
use crate::terminal;

/// The most pods that one question may make: more is a slip of the finger.
const MOST: usize = 100_000;

/// A workload and how many pods it should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Scale {
    namespace: Option<String>,
    kind: WorkloadKind,
    name: String,
    replicas: usize,
}

impl FromStr for Scale {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let expected = "expected [NAMESPACE/]KIND/NAME=N, such as deployment/web=30";
        let (workload, replicas) = text.rsplit_once('=').ok_or(expected)?;
        let replicas = replicas.parse::<usize>().ok().filter(|count| *count <= MOST);
        let replicas = replicas
            .ok_or_else(|| format!("expected a number up to {} after =", grouped(MOST as u128)))?;
        let parts: Vec<&str> = workload.split('/').collect();
        let (namespace, word, name) = match parts.as_slice() {
            [kind, name] => (None, *kind, *name),
            [namespace, kind, name] => (Some(*namespace), *kind, *name),
            _ => return Err(expected.to_owned()),
        };
        if name.is_empty() || namespace.is_some_and(str::is_empty) {
            return Err(expected.to_owned());
        }
        let kind = kind(word).ok_or_else(|| {
            format!(
                "{word} cannot be scaled; kinds are deployment, replicaset, statefulset, \
                 replicationcontroller and job"
            )
        })?;
        let namespace = namespace.map(str::to_owned);
        Ok(Self { namespace, kind, name: name.to_owned(), replicas })
    }
}

/// The pods to place: those of the workload that are pending, then new ones, which are added to the snapshot.
pub(super) fn pods(
    snapshot: &mut Snapshot,
    scale: &Scale,
    default: Option<&str>,
) -> anyhow::Result<Vec<usize>> {
    let workload = find(snapshot, scale, default)?.clone();
    let name = full_name(snapshot, &workload);
    let own = pods_of(snapshot, &workload);
    let (bound, mut pending): (Vec<usize>, Vec<usize>) =
        own.iter().partition(|at| snapshot.pods[**at].is_bound());
    let Some(needed) = scale.replicas.checked_sub(bound.len()).filter(|needed| *needed > 0) else {
        terminal::note(&format!(
            "{name} has {} with a node already: nothing to place for {}",
            counted(bound.len(), "pod"),
            grouped(scale.replicas as u128)
        ));
        return Ok(Vec::new());
    };
    pending.sort_by_key(|at| (snapshot.pods[*at].created, *at));
    pending.truncate(needed);
    let new = make(snapshot, &workload, &Made::More { pods: &own, count: needed - pending.len() })?;
    terminal::note(&format!(
        "{name}: {} with a node, {} pending, {} new",
        counted(bound.len(), "pod"),
        grouped(pending.len() as u128),
        grouped(new.len() as u128)
    ));
    pending.extend(new);
    Ok(pending)
}

fn find<'a>(
    snapshot: &'a Snapshot,
    scale: &Scale,
    default: Option<&str>,
) -> anyhow::Result<&'a Workload> {
    let named: Vec<&Workload> = snapshot
        .workloads
        .iter()
        .filter(|own| own.kind == scale.kind && snapshot.text(own.meta.name) == scale.name)
        .collect();
    let home = scale.namespace.as_deref().or(default);
    let at = |place: &str| named.iter().copied().find(|own| namespace(snapshot, own) == place);
    if let Some(found) = match (home, named.as_slice()) {
        (Some(home), _) => at(home),
        (None, [only]) => Some(*only),
        (None, _) => at("default"),
    } {
        return Ok(found);
    }
    let word = kind_word(scale.kind);
    if home.is_none() && !named.is_empty() {
        let places: Vec<&str> = named.iter().map(|own| namespace(snapshot, own)).collect();
        anyhow::bail!(
            "{word}/{} is in namespaces {}; name one with -n or NAMESPACE/{word}/{}",
            scale.name,
            places.join(", "),
            scale.name
        );
    }
    let same_kind = || snapshot.workloads.iter().filter(|own| own.kind == scale.kind);
    anyhow::ensure!(
        same_kind().next().is_some(),
        "no {word} {}: the input has none; read them too, as with `kubectl get \
         nodes,pods,deployments,replicasets,statefulsets -A -o json`",
        scale.name
    );
    let place = home.map(|home| format!(" in namespace {home}")).unwrap_or_default();
    let others: Vec<String> = named.iter().map(|own| full_name(snapshot, own)).collect();
    // The right name in another namespace is nearer than any slip.
    let hint = match others.first() {
        Some(other) => format!("; did you mean {other}?"),
        None => or_nearest(&scale.name, same_kind().map(|own| snapshot.text(own.meta.name))),
    };
    anyhow::bail!("no {word} {}{place}{hint}", scale.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_a_workload_and_a_number() {
        let web = |namespace: Option<&str>, kind| Scale {
            namespace: namespace.map(str::to_owned),
            kind,
            name: "web".to_owned(),
            replicas: 30,
        };
        let deployment = WorkloadKind::Deployment;
        assert_eq!("deployment/web=30".parse(), Ok(web(None, deployment)));
        assert_eq!("Deploy/web=30".parse(), Ok(web(None, deployment)));
        assert_eq!("shop/sts/web=30".parse(), Ok(web(Some("shop"), WorkloadKind::StatefulSet)));
        for text in [
            "web=3",
            "deploy/web",
            "deploy/web=-1",
            "deploy/=1",
            "/deploy/web=1",
            "pod/a=2",
            "a/b/c/d=1",
        ] {
            assert!(text.parse::<Scale>().is_err(), "{text}");
        }
    }
}
