//! Why a pod cannot run somewhere: one rule with its numbers, never a text that a program would have to parse.

use restow_model::{HostPort, Str, Taint};
use smallvec::SmallVec;

/// A resource that a node can be short of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Resource {
    /// Thousandths of a core.
    Cpu,
    /// Bytes of memory.
    Memory,
    /// Bytes of ephemeral storage.
    Ephemeral,
    /// Any other resource, by name.
    Other(Str),
}

/// How much is missing of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shortage {
    /// What is short.
    pub resource: Resource,
    /// What the pod asks for.
    pub requested: i64,
    /// What is free; negative where a node holds more than it offers.
    pub free: i64,
}

impl Shortage {
    /// By how much.
    pub fn missing(&self) -> i64 {
        self.requested - self.free.max(0)
    }
}

/// The first rule that keeps a pod from a node, in the order of the real scheduler.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The pod waits for a gate to be lifted.
    Gated {
        /// The first gate.
        gate: Str,
    },
    /// The pod asks for dynamic resources, which are not modelled.
    DynamicResources,
    /// The node is on its way out.
    NodeGone,
    /// A daemon pod is bound to its own node.
    Pinned,
    /// The node is cordoned.
    NodeUnschedulable,
    /// The node has a taint that the pod does not bear.
    UntoleratedTaint {
        /// The taint.
        taint: Taint,
    },
    /// The node's labels or name are not what the pod asks for.
    NodeAffinity {
        /// A label that decides it, where one does.
        key: Option<Str>,
    },
    /// Another pod of the node has the port.
    HostPortTaken {
        /// The port that is asked for.
        port: HostPort,
    },
    /// The node takes no more pods.
    TooManyPods {
        /// How many it takes.
        allowed: i64,
    },
    /// The node has not enough left.
    InsufficientResources {
        /// Everything that is short.
        shortages: SmallVec<[Shortage; 1]>,
    },
    /// A claim is missing, lost or on its way out, or its volume is.
    ClaimMissing {
        /// The claim.
        claim: Str,
    },
    /// A claim for one pod is in use by another.
    VolumeInUse {
        /// The claim.
        claim: Str,
    },
    /// The node can attach no more volumes of the driver.
    VolumeLimit {
        /// The driver.
        driver: Str,
        /// How many the node attaches at most.
        limit: i64,
        /// How many are there.
        attached: i64,
        /// How many the pod brings.
        new: i64,
    },
    /// A claim has no volume yet, and does not wait for a pod.
    ClaimUnbound {
        /// The claim.
        claim: Str,
    },
    /// The volume cannot be reached from the node.
    VolumeAffinity {
        /// The claim.
        claim: Str,
    },
    /// No volume fits the claim on this node, and none can be made for it.
    VolumeBinding {
        /// The claim.
        claim: Str,
    },
    /// The volume is in another zone or region.
    VolumeZone {
        /// The claim.
        claim: Str,
    },
    /// The node lacks the label that the pod spreads over.
    SpreadKeyMissing {
        /// The label.
        key: Str,
    },
    /// The domain would hold too many more pods than the emptiest.
    SpreadSkew {
        /// The label that makes the domains.
        key: Str,
        /// The domain.
        domain: Str,
        /// How far it would be above the emptiest.
        skew: i64,
        /// How far it may be.
        max_skew: i64,
    },
    /// No pod that this one wants to be near is in the domain.
    AffinityUnmet {
        /// The label that makes the domains.
        key: Str,
    },
    /// A pod that this one avoids is in the domain.
    AntiAffinity {
        /// The label that makes the domains.
        key: Str,
    },
    /// A pod that avoids this one is in the domain.
    AntiAffinityOfOthers {
        /// The label that makes the domains.
        key: Str,
    },
}

impl Reason {
    /// The code under which the reason appears in outputs.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Gated { .. } => "Gated",
            Self::DynamicResources => "DynamicResources",
            Self::NodeGone => "NodeGone",
            Self::Pinned => "Pinned",
            Self::NodeUnschedulable => "NodeUnschedulable",
            Self::UntoleratedTaint { .. } => "UntoleratedTaint",
            Self::NodeAffinity { .. } => "NodeAffinity",
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
        }
    }
}
