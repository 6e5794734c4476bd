//! What a cluster is, as values: no clock, no randomness, no environment, no printing.
//!
//! Names live in one [`Strings`] table per snapshot; everything else refers to them by [`Str`]. Start at [`Snapshot`].

pub mod cron;
pub mod duration;
pub mod each_str;
pub mod labels;
pub mod node;
pub mod object;
pub mod pod;
pub mod price;
pub mod quantity;
pub mod requests;
pub mod requirement;
pub mod resources;
pub mod snapshot;
pub mod spelling;
pub mod strings;
pub mod taint;
pub mod time;
pub mod volume;
pub mod workload;

pub use cron::Cron;
pub use duration::{DurationOrNever, GoDuration};
pub use labels::{Labels, Match, Selector, SelectorTerm};
pub use node::{
    Budget, ConsolidationSwitches, Disruption, DisruptionReason, Node, NodeClaim, NodeClass,
    NodeCount, NodeOverlay, NodePool, NodeTemplate, Policy,
};
pub use object::{Condition, Meta, Truth, condition};
pub use pod::{
    HostPort, NodePolicy, NodeTerm, Owner, Phase, Pod, PodShape, PodTerm, Protocol, RestartPolicy,
    Shared, Spread, Uid, Volumes,
};
pub use price::Price;
pub use quantity::Quantity;
pub use requirement::{Operator, Requirement, RequirementError, RequirementSpec, Requirements};
pub use resources::{Resources, Rounding};
pub use snapshot::{Snapshot, Table};
pub use strings::{Str, Strings};
pub use taint::{Effect, Taint, Tolerates, Toleration};
pub use time::Time;
pub use volume::{
    AccessModes, CsiDriver, CsiNode, PersistentVolume, PersistentVolumeClaim, StorageClass,
    VolumeAttachment,
};
pub use workload::{
    CapacityBuffer, CountOrPercent, Job, Namespace, PodDisruptionBudget, PodTemplate,
    PriorityClass, ResourceClaim, Service, Workload, WorkloadKind,
};
