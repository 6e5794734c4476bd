//! Questions of the form "what if this were not in the way": changes to a snapshot, made before anything is planned.

use std::fmt;
use std::str::FromStr;

use restow_catalog::nearest;
use restow_model::{Labels, Owner, Shared, Snapshot, Str, Uid};

use crate::marks::MARKS;

/// Something that is taken to be otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// `pdb/NAMESPACE/NAME=N`: a disruption budget of pods allows that many to go.
    Pdb {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// How many may go.
        allowed: i64,
    },
    /// `pod/NAMESPACE/NAME=evictable`: nobody marked the pod, and a controller would make it anew.
    Pod {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
    },
    /// `node/NAME=disruptable`: nobody marked the node or its claim.
    Node {
        /// Its name.
        name: String,
    },
}

impl Change {
    /// Whether a text is about an object, not about a setting.
    pub fn is_meant(text: &str) -> bool {
        ["pdb/", "pod/", "node/"].iter().any(|kind| text.starts_with(kind))
    }
}

/// Text that is not a change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected pdb/NAMESPACE/NAME=N, pod/NAMESPACE/NAME=evictable or node/NAME=disruptable, got {0:?}"
)]
pub struct ParseChangeError(pub String);

impl FromStr for Change {
    type Err = ParseChangeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || ParseChangeError(text.to_owned());
        let (object, value) = text.split_once('=').ok_or_else(wrong)?;
        let parts: Vec<&str> = object.split('/').collect();
        if parts.iter().any(|part| part.is_empty()) {
            return Err(wrong());
        }
        match (parts.as_slice(), value) {
            (["pdb", namespace, name], value) => Ok(Self::Pdb {
                namespace: (*namespace).to_owned(),
                name: (*name).to_owned(),
                allowed: value.parse().ok().filter(|count| *count >= 0).ok_or_else(wrong)?,
            }),
            (["pod", namespace, name], "evictable") => {
                Ok(Self::Pod { namespace: (*namespace).to_owned(), name: (*name).to_owned() })
            }
            (["node", name], "disruptable") => Ok(Self::Node { name: (*name).to_owned() }),
            _ => Err(wrong()),
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pdb { namespace, name, allowed } => write!(f, "pdb/{namespace}/{name}={allowed}"),
            Self::Pod { namespace, name } => write!(f, "pod/{namespace}/{name}=evictable"),
            Self::Node { name } => write!(f, "node/{name}=disruptable"),
        }
    }
}

/// A change of something that is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the cluster has no {kind} {wanted}{}", did_you_mean(nearest))]
pub struct Absent {
    /// What sort of object.
    pub kind: &'static str,
    /// What it was called.
    pub wanted: String,
    /// Names like it.
    pub nearest: Vec<String>,
}

fn did_you_mean(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!("; did you mean {}?", names.join(", ")) }
}

impl Absent {
    fn new<'a>(
        kind: &'static str,
        wanted: &str,
        names: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let names: Vec<String> = names.map(|(namespace, name)| full(namespace, name)).collect();
        let near = nearest(wanted, names.iter().map(String::as_str), 3);
        let nearest = near.into_iter().map(str::to_owned).collect();
        Self { kind, wanted: wanted.to_owned(), nearest }
    }
}

fn full(namespace: &str, name: &str) -> String {
    if namespace.is_empty() { name.to_owned() } else { format!("{namespace}/{name}") }
}

/// Makes a change, or says what is not there.
pub fn apply(snapshot: &mut Snapshot, change: &Change) -> Result<(), Absent> {
    match change {
        Change::Pdb { namespace, name, allowed } => allow(snapshot, namespace, name, *allowed),
        Change::Pod { namespace, name } => free_pod(snapshot, namespace, name),
        Change::Node { name } => free_node(snapshot, name),
    }
}

fn allow(snapshot: &mut Snapshot, namespace: &str, name: &str, allowed: i64) -> Result<(), Absent> {
    let Snapshot { strings, pod_disruption_budgets: budgets, .. } = snapshot;
    let called = |at: &usize| {
        let meta = &budgets[*at].meta;
        strings.text(meta.namespace) == namespace && strings.text(meta.name) == name
    };
    let Some(at) = (0..budgets.len()).find(called) else {
        let names = budgets
            .iter()
            .map(|own| (strings.text(own.meta.namespace), strings.text(own.meta.name)));
        return Err(Absent::new("PodDisruptionBudget", &full(namespace, name), names));
    };
    budgets[at].disruptions_allowed = allowed;
    Ok(())
}

fn free_pod(snapshot: &mut Snapshot, namespace: &str, name: &str) -> Result<(), Absent> {
    let found = snapshot.pods.iter().position(|pod| {
        snapshot.text(pod.namespace) == namespace && snapshot.text(pod.name) == name
    });
    let Some(at) = found else {
        let names =
            snapshot.pods.iter().map(|pod| (snapshot.text(pod.namespace), snapshot.text(pod.name)));
        return Err(Absent::new("Pod", &full(namespace, name), names));
    };
    let annotations = without_marks(snapshot, &snapshot.labels[snapshot.pods[at].annotations]);
    let annotations = snapshot.labels.share(annotations);
    let orphan = snapshot.owner(&snapshot.pods[at]).is_none();
    let owner = orphan.then(|| made_up_owner(snapshot, snapshot.pods[at].name));
    let pod = &mut snapshot.pods[at];
    pod.annotations = annotations;
    if let Some(owner) = owner {
        pod.owner = owner;
    }
    Ok(())
}

/// A controller of the pod's own name: it makes the pod anew when it is evicted.
fn made_up_owner(snapshot: &mut Snapshot, name: Str) -> Shared {
    let kind = snapshot.strings.intern("ReplicaSet");
    let group = snapshot.strings.intern("apps");
    snapshot.owners.share(Some(Owner { group, kind, name, uid: Uid::default() }))
}

fn free_node(snapshot: &mut Snapshot, name: &str) -> Result<(), Absent> {
    let found = snapshot.nodes.iter().position(|node| snapshot.text(node.meta.name) == name);
    let Some(at) = found else {
        let names = snapshot.nodes.iter().map(|node| ("", snapshot.text(node.meta.name)));
        return Err(Absent::new("Node", name, names));
    };
    let node = &snapshot.nodes[at];
    let (called, id) = (node.meta.name, node.provider_id);
    let annotations = without_marks(snapshot, &node.meta.annotations);
    let claims: Vec<(usize, Labels)> = snapshot
        .node_claims
        .iter()
        .enumerate()
        .filter(|(_, own)| own.node == called || (!id.is_empty() && own.provider_id == id))
        .map(|(at, own)| (at, without_marks(snapshot, &own.meta.annotations)))
        .collect();
    snapshot.nodes[at].meta.annotations = annotations;
    for (at, annotations) in claims {
        snapshot.node_claims[at].meta.annotations = annotations;
    }
    Ok(())
}

fn without_marks(snapshot: &Snapshot, annotations: &Labels) -> Labels {
    let kept = annotations.iter().filter(|(key, _)| !MARKS.contains(&snapshot.text(*key)));
    Labels::new(kept.collect())
}

#[cfg(test)]
mod tests {
    use restow_model::{Meta, Node, NodeClaim, Pod, PodDisruptionBudget};

    use super::*;

    fn marked(snapshot: &mut Snapshot, key: &str) -> Labels {
        Labels::new(vec![(snapshot.strings.intern(key), snapshot.strings.intern("true"))])
    }

    fn cluster() -> Snapshot {
        let mut snapshot = Snapshot::default();
        let (web, api) = (snapshot.strings.intern("web"), snapshot.strings.intern("api"));
        let meta = |namespace, name| Meta { namespace, name, ..Meta::default() };
        snapshot
            .pod_disruption_budgets
            .push(PodDisruptionBudget { meta: meta(web, api), ..PodDisruptionBudget::default() });
        let annotations = marked(&mut snapshot, MARKS[0]);
        let shared = snapshot.labels.share(annotations.clone());
        snapshot.pods.push(Pod {
            namespace: web,
            name: api,
            annotations: shared,
            ..Pod::default()
        });
        let name = snapshot.strings.intern("node-a");
        let annotated = Meta { annotations, ..meta(Str::EMPTY, name) };
        snapshot.nodes.push(Node { meta: annotated.clone(), ..Node::default() });
        snapshot.node_claims.push(NodeClaim {
            meta: annotated,
            node: name,
            ..NodeClaim::default()
        });
        snapshot
    }

    fn change(snapshot: &mut Snapshot, text: &str) -> Result<(), String> {
        let change: Change = text.parse().map_err(|error: ParseChangeError| error.to_string())?;
        assert_eq!(change.to_string(), text);
        apply(snapshot, &change).map_err(|error| error.to_string())
    }

    #[test]
    fn a_budget_allows_what_it_is_told_to() {
        let mut snapshot = cluster();
        change(&mut snapshot, "pdb/web/api=2").unwrap();
        assert_eq!(snapshot.pod_disruption_budgets[0].disruptions_allowed, 2);
    }

    #[test]
    fn an_evictable_pod_has_no_mark_and_a_controller() {
        let mut snapshot = cluster();
        change(&mut snapshot, "pod/web/api=evictable").unwrap();
        assert!(snapshot.labels[snapshot.pods[0].annotations].is_empty());
        assert!(snapshot.owner(&snapshot.pods[0]).is_some());
    }

    #[test]
    fn a_disruptable_node_has_no_mark_and_its_claim_has_none() {
        let mut snapshot = cluster();
        change(&mut snapshot, "node/node-a=disruptable").unwrap();
        assert!(snapshot.nodes[0].meta.annotations.is_empty());
        assert!(snapshot.node_claims[0].meta.annotations.is_empty());
    }

    #[test]
    fn what_is_not_there_is_named_with_what_is_like_it() {
        let mut snapshot = cluster();
        let wrong = change(&mut snapshot, "pdb/web/apo=1").unwrap_err();
        assert_eq!(wrong, "the cluster has no PodDisruptionBudget web/apo; did you mean web/api?");
        let wrong = change(&mut snapshot, "node/elsewhere=disruptable").unwrap_err();
        assert_eq!(wrong, "the cluster has no Node elsewhere");
        for text in ["pdb/web/api=-1", "pdb/api=1", "pod/web/api=gone", "node/=disruptable"] {
            assert!(change(&mut snapshot, text).unwrap_err().contains("expected"), "{text}");
        }
    }
}
