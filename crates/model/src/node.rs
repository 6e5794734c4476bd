//! Nodes, the claims they were launched for and the pools that they belong to.

use serde::{Deserialize, Serialize};

use crate::each_str::{names_in, no_names};
use crate::{
    Condition, DurationOrNever, GoDuration, Meta, Price, Requirement, Resources, Str, Taint, Time,
};

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Name, labels, times.
    pub meta: Meta,
    /// How its cloud calls it.
    pub provider_id: Str,
    /// Marks that keep pods away.
    pub taints: Vec<Taint>,
    /// Whether it is cordoned.
    pub unschedulable: bool,
    /// What the machine has.
    pub capacity: Resources,
    /// What pods may use.
    pub allocatable: Resources,
    /// Ready and the rest.
    pub conditions: Vec<Condition>,
    /// Its kubelet's version.
    pub kubelet: Str,
}

names_in!(Node {
    meta,
    provider_id,
    taints,
    unschedulable,
    capacity,
    allocatable,
    conditions,
    kubelet,
});

/// A `NodeClaim`: a node that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeClaim {
    /// Name, labels, times.
    pub meta: Meta,
    /// The cloud's class of nodes.
    pub class: NodeClass,
    /// What the node may be.
    pub requirements: Vec<Requirement>,
    /// Taints of the node.
    pub taints: Vec<Taint>,
    /// Taints that are there until something lifts them.
    pub startup_taints: Vec<Taint>,
    /// What its pods asked for.
    pub requests: Resources,
    /// How long it lives.
    pub expire_after: Option<DurationOrNever>,
    /// How long a drain may take before it is forced.
    pub termination_grace_period: Option<GoDuration>,
    /// The node that came of it, or empty.
    pub node: Str,
    /// How the cloud calls it.
    pub provider_id: Str,
    /// What the machine has, or promises to have.
    pub capacity: Resources,
    /// What pods may use, or will.
    pub allocatable: Resources,
    /// When a pod last came, went or ended.
    pub last_pod_event: Option<Time>,
    /// Launched, registered, initialized and the rest.
    pub conditions: Vec<Condition>,
}

names_in!(NodeClaim {
    meta,
    class,
    requirements,
    taints,
    startup_taints,
    requests,
    expire_after,
    termination_grace_period,
    node,
    provider_id,
    capacity,
    allocatable,
    last_pod_event,
    conditions,
});

/// A reference to the cloud's own description of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeClass {
    /// Its API group.
    pub group: Str,
    /// Its kind.
    pub kind: Str,
    /// Its name.
    pub name: Str,
}

names_in!(NodeClass { group, kind, name });

/// A `NodePool`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodePool {
    /// Name, labels, annotations, times.
    pub meta: Meta,
    /// What its nodes are.
    pub template: NodeTemplate,
    /// How they may be disrupted.
    pub disruption: Disruption,
    /// The most that it may hold in sum, by resource; `None` where nothing is limited. As 0 says that a resource is not
    /// limited, a limit of nothing is a negative amount.
    pub limits: Option<Resources>,
    /// The most nodes that it may hold.
    pub node_limit: Option<i64>,
    /// Which pool is tried first: the highest.
    pub weight: i32,
    /// A fixed number of nodes, for a static pool.
    pub replicas: Option<i64>,
    /// Ready and the rest.
    pub conditions: Vec<Condition>,
}

names_in!(NodePool {
    meta,
    template,
    disruption,
    limits,
    node_limit,
    weight,
    replicas,
    conditions,
});

/// `spec.template` of a pool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeTemplate {
    /// Labels of the nodes.
    pub labels: crate::Labels,
    /// Annotations of the nodes.
    pub annotations: crate::Labels,
    /// What the nodes may be.
    pub requirements: Vec<Requirement>,
    /// Taints of the nodes.
    pub taints: Vec<Taint>,
    /// Taints that are there until something lifts them.
    pub startup_taints: Vec<Taint>,
    /// The cloud's class of nodes.
    pub class: NodeClass,
    /// How long a node lives.
    pub expire_after: Option<DurationOrNever>,
    /// How long a drain may take before it is forced.
    pub termination_grace_period: Option<GoDuration>,
}

names_in!(NodeTemplate {
    labels,
    annotations,
    requirements,
    taints,
    startup_taints,
    class,
    expire_after,
    termination_grace_period,
});

/// `spec.disruption` of a pool; what is not set there is `None`, so that flags can act.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disruption {
    /// Quiet time before a node is looked at.
    pub consolidate_after: Option<DurationOrNever>,
    /// Which shapes of moves are allowed.
    pub policy: Option<Policy>,
    /// How many nodes at a time.
    pub budgets: Option<Vec<Budget>>,
    /// How long a node that was evaluated is left alone.
    pub grace_period: Option<DurationOrNever>,
    /// What each unit of disruption must save per hour.
    pub savings_threshold: Option<Price>,
    /// Seconds after which an empty node goes, where consolidation is off.
    pub ttl_seconds_after_empty: Option<i64>,
    /// Switches by shape of move.
    pub consolidation: Option<ConsolidationSwitches>,
}

names_in!(Disruption {
    consolidate_after,
    policy,
    budgets,
    grace_period,
    savings_threshold,
    ttl_seconds_after_empty,
    consolidation,
});

/// Which shapes of moves a pool allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Policy {
    /// Only nodes with no pod to move.
    WhenEmpty,
    /// Deletions and many nodes into one.
    WhenUnderutilized,
    /// Deletions and one node into a cheaper one.
    WhenCheaper,
    /// All of them.
    WhenUnderutilizedOrCheaper,
    /// All of them, by the peer's name.
    WhenEmptyOrUnderutilized,
    /// All of them, scored as the peer does.
    Balanced,
}

impl Policy {
    /// All policies.
    pub const ALL: [Self; 6] = [
        Self::WhenEmpty,
        Self::WhenUnderutilized,
        Self::WhenCheaper,
        Self::WhenUnderutilizedOrCheaper,
        Self::WhenEmptyOrUnderutilized,
        Self::Balanced,
    ];

    /// Its name in a pool's spec.
    pub const fn name(self) -> &'static str {
        match self {
            Self::WhenEmpty => "WhenEmpty",
            Self::WhenUnderutilized => "WhenUnderutilized",
            Self::WhenCheaper => "WhenCheaper",
            Self::WhenUnderutilizedOrCheaper => "WhenUnderutilizedOrCheaper",
            Self::WhenEmptyOrUnderutilized => "WhenEmptyOrUnderutilized",
            Self::Balanced => "Balanced",
        }
    }
}

/// `spec.disruption.consolidation`: unset parts follow the policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ConsolidationSwitches {
    /// Empty nodes may go.
    pub emptiness: Option<bool>,
    /// Percent of allocatable below which a node counts as nearly empty.
    pub empty_threshold: Option<u8>,
    /// Many nodes into one.
    pub multi_node: Option<bool>,
    /// The most sources of one move.
    pub max_parallel: Option<u32>,
    /// One node into one.
    pub single_node: Option<bool>,
}

/// How many nodes may be disrupted at a time.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Budget {
    /// The number.
    pub nodes: NodeCount,
    /// For which reasons; `None` means all, an empty list none.
    pub reasons: Option<Vec<DisruptionReason>>,
    /// When it starts to apply, in cron notation; empty for always. Kept as text because a schedule that cannot be read
    /// closes the pool instead of failing the read.
    pub schedule: Str,
    /// How long it applies then.
    pub duration: Option<GoDuration>,
}

/// Nodes, as a number or a share of the pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum NodeCount {
    /// That many.
    Count(u32),
    /// That many of a hundred, rounded up.
    Percent(u8),
}

/// Why a node is disrupted, as budgets tell it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DisruptionReason {
    /// Its pods fit elsewhere or on something cheaper.
    Underutilized,
    /// No pod has to move.
    Empty,
    /// It is not what its pool asks for any more.
    Drifted,
}

no_names!(Policy, ConsolidationSwitches, NodeCount, DisruptionReason);
names_in!(Budget { nodes, reasons, schedule, duration });

/// A `NodeOverlay`: prices and capacities that the cluster's owner knows better.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NodeOverlay {
    /// Name and times.
    pub meta: Meta,
    /// Which offerings.
    pub requirements: Vec<Requirement>,
    /// Which overlay wins: the highest.
    pub weight: i32,
    /// The price, in dollars per hour, as it is written.
    pub price: Str,
    /// A signed change of the price, absolute or in percent, as it is written.
    pub price_adjustment: Str,
    /// Extended resources that the types have besides.
    pub capacity: Resources,
}

names_in!(NodeOverlay { meta, requirements, weight, price, price_adjustment, capacity });
