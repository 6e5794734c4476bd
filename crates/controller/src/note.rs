//! What could not be read of a cluster although the rest could.

use std::fmt;

use restow_kubernetes::Kind;

/// Something that a reading worked without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The server does not have this kind; clusters without Karpenter have no NodePools.
    Missing {
        /// Which.
        kind: Kind,
    },
    /// The user may not list this kind.
    Forbidden {
        /// Which.
        kind: Kind,
        /// The server's words.
        message: String,
    },
}

impl Note {
    /// The kind that is not there.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Missing { kind } | Self::Forbidden { kind, .. } => *kind,
        }
    }

    /// What follows from not knowing this kind; nothing where a cluster may well have none of it.
    pub fn consequence(&self) -> Option<&'static str> {
        match self {
            Self::Missing {
                kind: Kind::NodeOverlay | Kind::CapacityBuffer | Kind::ResourceClaim,
            } => None,
            Self::Missing { kind } | Self::Forbidden { kind, .. } => Some(consequence(*kind)),
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { kind } => write!(f, "the server has no {}", plural(*kind))?,
            Self::Forbidden { kind, .. } => {
                write!(f, "no right to list {} ({})", plural(*kind), can_i("list", *kind))?;
            }
        }
        match self.consequence() {
            Some(consequence) => write!(f, ": {consequence}"),
            None => Ok(()),
        }
    }
}

/// The name of a kind in requests and in `kubectl`.
pub(crate) fn plural(kind: Kind) -> &'static str {
    kind.api_paths().first().and_then(|path| path.rsplit('/').next()).unwrap_or_default()
}

/// The command that shows whether the user may do this.
pub(crate) fn can_i(verb: &str, kind: Kind) -> String {
    let path = kind.api_paths().first().copied().unwrap_or_default();
    let group = match path.strip_prefix("/apis/").and_then(|rest| rest.split('/').next()) {
        Some(group) => format!(".{group}"),
        None => String::new(),
    };
    let all = if kind.is_cluster_scoped() { "" } else { " -A" };
    format!("kubectl auth can-i {verb} {}{group}{all}", plural(kind))
}

fn consequence(kind: Kind) -> &'static str {
    match kind {
        Kind::Node | Kind::Pod => "nothing can be said of the cluster",
        Kind::NodePool => "nodes have no pool, so none of them is managed",
        Kind::NodeClaim => "nodes have no claim, so none of them is managed by Karpenter",
        Kind::NodeOverlay => "overlays of prices and capacities are not applied",
        Kind::PodDisruptionBudget => "every pod counts as free to move",
        Kind::DaemonSet => "the daemon pods of new nodes are not counted",
        Kind::ReplicaSet | Kind::ReplicationController | Kind::Deployment | Kind::StatefulSet => {
            "rollouts in progress and last ready replicas are not seen"
        }
        Kind::Job | Kind::CronJob => "the state of jobs is not seen",
        Kind::Service => "the scheduler's default spreading by service is not seen",
        Kind::PersistentVolume | Kind::PersistentVolumeClaim | Kind::StorageClass => {
            "where volumes bind pods to zones or nodes is not seen"
        }
        Kind::CsiNode | Kind::VolumeAttachment => "limits of attached volumes are not kept",
        Kind::PriorityClass => "priorities are taken from the pods alone",
        Kind::Namespace => "affinity terms that select namespaces by label match none",
        Kind::CapacityBuffer => "capacity buffers are not kept free",
        Kind::PodTemplate => "capacity buffers of pod templates are not kept free",
        Kind::ResourceClaim => "devices that pods claim are not seen",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_says_what_follows_and_how_to_check() {
        let note = Note::Forbidden { kind: Kind::PodDisruptionBudget, message: String::from("no") };
        assert_eq!(
            note.to_string(),
            "no right to list poddisruptionbudgets (kubectl auth can-i list poddisruptionbudgets.policy -A): every pod counts as free to move"
        );
        assert_eq!(
            Note::Missing { kind: Kind::NodePool }.to_string(),
            "the server has no nodepools: nodes have no pool, so none of them is managed"
        );
        let overlays = Note::Missing { kind: Kind::NodeOverlay };
        assert_eq!(overlays.to_string(), "the server has no nodeoverlays");
        assert_eq!(can_i("list", Kind::Node), "kubectl auth can-i list nodes");
        assert_eq!(can_i("list", Kind::Pod), "kubectl auth can-i list pods -A");
    }
}
