//! Which rule a placement would break, and by how much.

use restow_model::{HostPort, Str, Taint};

/// The first rule, in the scheduler's order, that keeps a pod from a node.
///
/// Names are in the checker's table and pods are places in its list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// The node was removed.
    NodeGone,
    /// The pod has scheduling gates.
    Gated,
    /// The pod belongs to a daemon and to the node of this name.
    Pinned {
        /// The node that it belongs to.
        home: Str,
    },
    /// The node is cordoned.
    NodeUnschedulable,
    /// The node has a taint that the pod does not tolerate.
    UntoleratedTaint {
        /// The first such taint.
        taint: Taint,
    },
    /// The node is not what the pod's node selector or node affinity asks for.
    NodeAffinity,
    /// A port of the node is taken.
    HostPortTaken {
        /// The port that the pod wants.
        port: HostPort,
        /// The pod that has it.
        by: usize,
    },
    /// The node has as many pods as it may have.
    TooManyPods {
        /// How many there are.
        pods: usize,
        /// How many there may be.
        allowed: i64,
    },
    /// The node has too little of a resource.
    InsufficientResources {
        /// Which one.
        resource: String,
        /// What the pod asks for.
        requested: i64,
        /// What the node's pods hold.
        used: i64,
        /// What there is for pods.
        allocatable: i64,
    },
    /// A claim of the pod, or the volume that it is bound to, is missing, lost or being deleted.
    ClaimMissing {
        /// The claim.
        claim: Str,
    },
    /// A claim that only one pod may use is in use.
    VolumeInUse {
        /// The claim.
        claim: Str,
        /// The pod that uses it.
        by: usize,
    },
    /// A driver cannot attach that many volumes to the node.
    VolumeLimit {
        /// The driver.
        driver: String,
        /// How many volumes are there.
        attached: usize,
        /// How many would come.
        new: usize,
        /// How many there may be.
        limit: i64,
    },
    /// A claim that does not wait for its pod is not bound yet.
    ClaimUnbound {
        /// The claim.
        claim: Str,
    },
    /// The volume of a claim cannot be reached from the node.
    VolumeAffinity {
        /// The volume.
        volume: Str,
    },
    /// No volume can be found or made at the node for a claim.
    VolumeBinding {
        /// The claim.
        claim: Str,
    },
    /// The volume of a claim is labelled with another zone or region.
    VolumeZone {
        /// The volume.
        volume: Str,
        /// The label.
        key: &'static str,
    },
    /// The node lacks the label that the pod is spread over.
    SpreadKeyMissing {
        /// The label.
        key: Str,
    },
    /// The node's domain would be fuller than the emptiest by more than allowed.
    SpreadSkew {
        /// The label that makes domains.
        key: Str,
        /// How many pods are counted in the domain.
        count: i64,
        /// 1 if the pod itself would be counted.
        own: i64,
        /// How many are counted in the emptiest domain.
        minimum: i64,
        /// How much fuller a domain may be.
        max_skew: i32,
    },
    /// No pod that this one wants to be near is near.
    AffinityUnmet {
        /// The label that makes "near" for the first term that is not met.
        key: Str,
    },
    /// A pod that this one wants to be far from is near.
    AntiAffinity {
        /// The label that makes "near".
        key: Str,
        /// That pod.
        from: usize,
    },
    /// A pod that wants to be far from this one is near.
    AntiAffinityOfOthers {
        /// The label that makes "near".
        key: Str,
        /// That pod.
        of: usize,
    },
    /// The pod asks for dynamic resources, which are not modelled: it is refused everywhere.
    DynamicResources,
}

impl Violation {
    /// The rule's name.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NodeGone => "NodeGone",
            Self::Gated => "Gated",
            Self::Pinned { .. } => "Pinned",
            Self::NodeUnschedulable => "NodeUnschedulable",
            Self::UntoleratedTaint { .. } => "UntoleratedTaint",
            Self::NodeAffinity => "NodeAffinity",
            Self::HostPortTaken { .. } => "HostPortTaken",
            Self::TooManyPods { .. } => "TooManyPods",
            Self::InsufficientResources { .. } => "InsufficientResources",
            Self::ClaimMissing { .. } => "ClaimMissing",
            Self::VolumeInUse { .. } => "VolumeInUse",
            Self::VolumeLimit { .. } => "VolumeLimit",
            Self::ClaimUnbound { .. } => "ClaimUnbound",
            Self::VolumeAffinity { .. } => "VolumeAffinity",
            Self::VolumeBinding { .. } => "VolumeBinding",
            Self::VolumeZone { .. } => "VolumeZone",
            Self::SpreadKeyMissing { .. } => "SpreadKeyMissing",
            Self::SpreadSkew { .. } => "SpreadSkew",
            Self::AffinityUnmet { .. } => "AffinityUnmet",
            Self::AntiAffinity { .. } => "AntiAffinity",
            Self::AntiAffinityOfOthers { .. } => "AntiAffinityOfOthers",
            Self::DynamicResources => "DynamicResources",
        }
    }
}
