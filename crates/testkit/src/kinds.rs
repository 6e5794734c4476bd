//! The kinds that a generated cluster has.

/// A kind of object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are Kubernetes' own")]
pub enum ObjectKind {
    Namespace,
    PriorityClass,
    StorageClass,
    NodePool,
    NodeClaim,
    Node,
    CsiNode,
    PersistentVolume,
    PersistentVolumeClaim,
    DaemonSet,
    Deployment,
    ReplicaSet,
    StatefulSet,
    Job,
    Service,
    PodDisruptionBudget,
    Pod,
}

impl ObjectKind {
    /// Every kind, in the order in which a cluster is written.
    pub const ALL: [Self; 17] = [
        Self::Namespace,
        Self::PriorityClass,
        Self::StorageClass,
        Self::NodePool,
        Self::NodeClaim,
        Self::Node,
        Self::CsiNode,
        Self::PersistentVolume,
        Self::PersistentVolumeClaim,
        Self::DaemonSet,
        Self::Deployment,
        Self::ReplicaSet,
        Self::StatefulSet,
        Self::Job,
        Self::Service,
        Self::PodDisruptionBudget,
        Self::Pod,
    ];

    fn facts(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Namespace => ("v1", "Namespace", "namespaces"),
            Self::PriorityClass => ("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses"),
            Self::StorageClass => ("storage.k8s.io/v1", "StorageClass", "storageclasses"),
            Self::NodePool => ("karpenter.sh/v1", "NodePool", "nodepools"),
            Self::NodeClaim => ("karpenter.sh/v1", "NodeClaim", "nodeclaims"),
            Self::Node => ("v1", "Node", "nodes"),
            Self::CsiNode => ("storage.k8s.io/v1", "CSINode", "csinodes"),
            Self::PersistentVolume => ("v1", "PersistentVolume", "persistentvolumes"),
            Self::PersistentVolumeClaim => {
                ("v1", "PersistentVolumeClaim", "persistentvolumeclaims")
            }
            Self::DaemonSet => ("apps/v1", "DaemonSet", "daemonsets"),
            Self::Deployment => ("apps/v1", "Deployment", "deployments"),
            Self::ReplicaSet => ("apps/v1", "ReplicaSet", "replicasets"),
            Self::StatefulSet => ("apps/v1", "StatefulSet", "statefulsets"),
            Self::Job => ("batch/v1", "Job", "jobs"),
            Self::Service => ("v1", "Service", "services"),
            Self::PodDisruptionBudget => {
                ("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets")
            }
            Self::Pod => ("v1", "Pod", "pods"),
        }
    }

    /// Group and version, such as `apps/v1`.
    pub fn api_version(self) -> &'static str {
        self.facts().0
    }

    /// Its name, such as `Pod`.
    pub fn name(self) -> &'static str {
        self.facts().1
    }

    /// Its name in addresses, such as `pods`.
    pub fn plural(self) -> &'static str {
        self.facts().2
    }

    /// Where an API server lists all of them.
    pub fn list_path(self) -> String {
        let (version, _, plural) = self.facts();
        if version.contains('/') {
            format!("/apis/{version}/{plural}")
        } else {
            format!("/api/{version}/{plural}")
        }
    }

    /// Whether it is a custom resource: an API server then writes kind and version on every item of a list.
    pub fn is_custom(self) -> bool {
        matches!(self, Self::NodePool | Self::NodeClaim)
    }
}
