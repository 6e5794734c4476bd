//! The kinds that restow reads, and where an API server lists them.

use std::fmt;

/// A kind of object that restow reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each is the Kubernetes kind of that name")]
pub enum Kind {
    Node,
    Pod,
    NodePool,
    NodeClaim,
    NodeOverlay,
    PodDisruptionBudget,
    DaemonSet,
    ReplicaSet,
    ReplicationController,
    Deployment,
    StatefulSet,
    Job,
    CronJob,
    Service,
    PersistentVolume,
    PersistentVolumeClaim,
    StorageClass,
    CsiNode,
    VolumeAttachment,
    PriorityClass,
    Namespace,
    CapacityBuffer,
    ResourceClaim,
    PodTemplate,
}

/// Kind, name, API groups with the versions that are read, and list paths, newest first.
struct Row(Kind, &'static str, &'static str, &'static [&'static str], &'static [&'static str]);

const ROWS: [Row; 24] = [
    Row(Kind::Node, "Node", "", &["v1"], &["/api/v1/nodes"]),
    Row(Kind::Pod, "Pod", "", &["v1"], &["/api/v1/pods"]),
    Row(Kind::NodePool, "NodePool", "karpenter.sh", &["v1"], &["/apis/karpenter.sh/v1/nodepools"]),
    Row(
        Kind::NodeClaim,
        "NodeClaim",
        "karpenter.sh",
        &["v1"],
        &["/apis/karpenter.sh/v1/nodeclaims"],
    ),
    Row(
        Kind::NodeOverlay,
        "NodeOverlay",
        "karpenter.sh",
        &["v1alpha1"],
        &["/apis/karpenter.sh/v1alpha1/nodeoverlays"],
    ),
    Row(
        Kind::PodDisruptionBudget,
        "PodDisruptionBudget",
        "policy",
        &["v1"],
        &["/apis/policy/v1/poddisruptionbudgets"],
    ),
    Row(Kind::DaemonSet, "DaemonSet", "apps", &["v1"], &["/apis/apps/v1/daemonsets"]),
    Row(Kind::ReplicaSet, "ReplicaSet", "apps", &["v1"], &["/apis/apps/v1/replicasets"]),
    Row(
        Kind::ReplicationController,
        "ReplicationController",
        "",
        &["v1"],
        &["/api/v1/replicationcontrollers"],
    ),
    Row(Kind::Deployment, "Deployment", "apps", &["v1"], &["/apis/apps/v1/deployments"]),
    Row(Kind::StatefulSet, "StatefulSet", "apps", &["v1"], &["/apis/apps/v1/statefulsets"]),
    Row(Kind::Job, "Job", "batch", &["v1"], &["/apis/batch/v1/jobs"]),
    Row(Kind::CronJob, "CronJob", "batch", &["v1"], &["/apis/batch/v1/cronjobs"]),
    Row(Kind::Service, "Service", "", &["v1"], &["/api/v1/services"]),
    Row(Kind::PersistentVolume, "PersistentVolume", "", &["v1"], &["/api/v1/persistentvolumes"]),
    Row(
        Kind::PersistentVolumeClaim,
        "PersistentVolumeClaim",
        "",
        &["v1"],
        &["/api/v1/persistentvolumeclaims"],
    ),
    Row(
        Kind::StorageClass,
        "StorageClass",
        "storage.k8s.io",
        &["v1"],
        &["/apis/storage.k8s.io/v1/storageclasses"],
    ),
    Row(Kind::CsiNode, "CSINode", "storage.k8s.io", &["v1"], &["/apis/storage.k8s.io/v1/csinodes"]),
    Row(
        Kind::VolumeAttachment,
        "VolumeAttachment",
        "storage.k8s.io",
        &["v1"],
        &["/apis/storage.k8s.io/v1/volumeattachments"],
    ),
    Row(
        Kind::PriorityClass,
        "PriorityClass",
        "scheduling.k8s.io",
        &["v1"],
        &["/apis/scheduling.k8s.io/v1/priorityclasses"],
    ),
    Row(Kind::Namespace, "Namespace", "", &["v1"], &["/api/v1/namespaces"]),
    Row(
        Kind::CapacityBuffer,
        "CapacityBuffer",
        "autoscaling.x-k8s.io",
        &["v1beta1", "v1alpha1"],
        &[
            "/apis/autoscaling.x-k8s.io/v1beta1/capacitybuffers",
            "/apis/autoscaling.x-k8s.io/v1alpha1/capacitybuffers",
        ],
    ),
    Row(
        Kind::ResourceClaim,
        "ResourceClaim",
        "resource.k8s.io",
        &["v1", "v1beta2", "v1beta1"],
        &[
            "/apis/resource.k8s.io/v1/resourceclaims",
            "/apis/resource.k8s.io/v1beta2/resourceclaims",
            "/apis/resource.k8s.io/v1beta1/resourceclaims",
        ],
    ),
    Row(Kind::PodTemplate, "PodTemplate", "", &["v1"], &["/api/v1/podtemplates"]),
];

impl Kind {
    /// Whether its objects are in no namespace.
    pub const fn is_cluster_scoped(self) -> bool {
        matches!(
            self,
            Self::Node
                | Self::NodePool
                | Self::NodeClaim
                | Self::NodeOverlay
                | Self::PersistentVolume
                | Self::StorageClass
                | Self::CsiNode
                | Self::VolumeAttachment
                | Self::PriorityClass
                | Self::Namespace
        )
    }

    /// All kinds, nodes and pods first.
    pub const ALL: &'static [Self] = &[
        Self::Node,
        Self::Pod,
        Self::NodePool,
        Self::NodeClaim,
        Self::NodeOverlay,
        Self::PodDisruptionBudget,
        Self::DaemonSet,
        Self::ReplicaSet,
        Self::ReplicationController,
        Self::Deployment,
        Self::StatefulSet,
        Self::Job,
        Self::CronJob,
        Self::Service,
        Self::PersistentVolume,
        Self::PersistentVolumeClaim,
        Self::StorageClass,
        Self::CsiNode,
        Self::VolumeAttachment,
        Self::PriorityClass,
        Self::Namespace,
        Self::CapacityBuffer,
        Self::ResourceClaim,
        Self::PodTemplate,
    ];

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// Its name in Kubernetes.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// Where an API server lists it, the newest version first.
    pub fn api_paths(self) -> &'static [&'static str] {
        self.row().4
    }

    /// The resource's name in a list path, such as `pods`.
    pub fn plural(self) -> &'static str {
        self.api_paths()[0].rsplit('/').next().unwrap_or_default()
    }

    /// Whether nothing can be said of a cluster without it.
    pub fn is_essential(self) -> bool {
        matches!(self, Self::Node | Self::Pod)
    }

    /// The kind of an object with this `apiVersion` and `kind`, if it is one that restow reads.
    pub fn find(api_version: &str, kind: &str) -> Option<Self> {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        ROWS.iter()
            .find(|row| row.1 == kind && row.2 == group && row.3.contains(&version))
            .map(|row| row.0)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_kinds() {
        for (at, kind) in Kind::ALL.iter().enumerate() {
            assert_eq!(ROWS[at].0, *kind);
            assert_eq!(*kind as usize, at);
        }
    }

    #[test]
    fn a_kind_of_another_group_or_version_is_not_ours() {
        assert_eq!(Kind::find("v1", "Pod"), Some(Kind::Pod));
        assert_eq!(Kind::find("karpenter.sh/v1", "NodePool"), Some(Kind::NodePool));
        assert_eq!(Kind::find("karpenter.sh/v1beta1", "NodePool"), None);
        assert_eq!(Kind::find("example.com/v1", "Pod"), None);
        assert_eq!(Kind::find("serving.knative.dev/v1", "Service"), None);
        assert_eq!(Kind::Pod.plural(), "pods");
    }
}
