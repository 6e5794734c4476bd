//! Why a node stays: a code of a closed list, and the numbers behind it. Words are for those who print it.

use restow_catalog::Unpriced;
use restow_model::{DisruptionReason, GoDuration, NodeCount, Policy, Price, Str, Time};
use restow_scheduling::Miss;

use crate::gate::Gate;
use crate::settings::SettingFault;
use crate::shape::Method;

/// A pod by its place in the snapshot.
pub type PodIndex = usize;

/// Why a node stays, or why a move is not made now.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// Nobody launched it for a pool.
    NotManaged,
    /// It is not ready for pods yet.
    NotInitialized,
    /// It, or its claim, is being deleted.
    BeingDeleted,
    /// A move is under way with it.
    InMove,
    /// A pending pod is going to it.
    Nominated {
        /// The pod.
        pod: PodIndex,
    },
    /// It holds room for pods that may come.
    CapacityBuffer {
        /// Namespace and name of the buffer.
        buffer: (Str, Str),
    },
    /// Its pool is not ready, or not there.
    PoolNotReady {
        /// The pool.
        pool: Str,
        /// Whether the pool exists.
        exists: bool,
    },
    /// Its pool has a fixed number of nodes.
    StaticPool {
        /// The pool.
        pool: Str,
    },
    /// Its pool's settings cannot be read, or contradict each other.
    InvalidSettings {
        /// The pool.
        pool: Str,
        /// What is wrong.
        faults: Vec<SettingFault>,
    },
    /// It does not say what it is, or the catalog does not know it.
    UnknownInstanceType {
        /// What is not known.
        unpriced: Unpriced,
    },
    /// Its price is not known.
    NoPrice {
        /// What is not known.
        unpriced: Option<Unpriced>,
    },
    /// Its price is too old.
    StalePrices {
        /// How old.
        age: GoDuration,
        /// How old it may be.
        most: GoDuration,
    },
    /// Someone marked it as not to be disrupted.
    DoNotDisruptNode {
        /// The annotation.
        annotation: &'static str,
        /// Whether it is on the claim, not on the node.
        on_claim: bool,
    },
    /// Someone marked a pod on it as not to be disrupted.
    DoNotDisruptPod {
        /// The pod.
        pod: PodIndex,
        /// How many such pods there are.
        pods: usize,
        /// When the mark ends, if it does.
        until: Option<Time>,
    },
    /// A pod on it has no controller: nobody would make it again.
    PodWithoutOwner {
        /// The pod.
        pod: PodIndex,
        /// How many such pods there are.
        pods: usize,
    },
    /// A disruption budget of pods allows none of them to go, or too few.
    PdbBlocks {
        /// Namespace and name of the budget.
        budget: (Str, Str),
        /// A pod that it protects.
        pod: PodIndex,
        /// How many may go now.
        allowed: i64,
        /// How many would have to.
        needed: usize,
    },
    /// A pod is under several disruption budgets, which the API refuses to evict.
    MultiplePdbs {
        /// The pod.
        pod: PodIndex,
        /// How many budgets.
        budgets: usize,
    },
    /// A workload of a pod on it is being rolled out.
    RolloutInProgress {
        /// A pod of it.
        pod: PodIndex,
        /// Namespace and name of the workload.
        workload: (Str, Str),
        /// How many pods are of the newest template.
        updated: i64,
        /// How many there should be.
        desired: i64,
    },
    /// Consolidation is switched off for its pool.
    ConsolidationOff,
    /// The policy allows no move of this node.
    PolicyForbids {
        /// The policy.
        policy: Policy,
        /// The shape that it would take, where that is known.
        method: Option<Method>,
    },
    /// It has not been ready for long enough.
    TooYoung {
        /// How long it has been.
        age: GoDuration,
        /// How long it must have been.
        least: GoDuration,
        /// When it will be.
        until: Time,
    },
    /// A pod came or went a short while ago.
    RecentPodEvent {
        /// How long ago.
        quiet: GoDuration,
        /// How long ago it must be.
        least: GoDuration,
        /// When it will be.
        until: Time,
    },
    /// A pod on it was moved a short while ago.
    RecentlyMoved {
        /// The pod.
        pod: PodIndex,
        /// When it may be moved again.
        until: Time,
    },
    /// It was evaluated in vain a short while ago.
    InGracePeriod {
        /// When.
        evaluated: Time,
        /// When it will be evaluated again.
        until: Time,
    },
    /// It is too full.
    UtilizationAboveThreshold {
        /// How full it is.
        utilization: f64,
        /// How full it may be.
        threshold: f64,
    },
    /// Some pod has no other place.
    PodsDoNotFit {
        /// The pod, where one can be named.
        pod: Option<PodIndex>,
        /// How many have none.
        pods: usize,
        /// What keeps it from each node and pool, where that was asked.
        miss: Option<Box<Miss>>,
    },
    /// It would take more new nodes than allowed.
    TooManyReplacements {
        /// How many it would take.
        needed: usize,
        /// How many are allowed.
        most: usize,
    },
    /// A pool that could launch the replacement holds as much as it may.
    PoolLimitReached {
        /// The pool.
        pool: Str,
    },
    /// All ready replicas of a workload would go at once.
    LastReadyReplicas {
        /// A pod of it.
        pod: PodIndex,
        /// Ready replicas that would go.
        going: usize,
        /// Ready replicas that there are.
        ready: usize,
    },
    /// Less room than asked for would stay free.
    HeadroomReached {
        /// The pool.
        pool: Str,
        /// Whether it is memory, else cpu.
        memory: bool,
        /// Percent that would stay free.
        left: f64,
        /// Percent that must.
        least: f64,
    },
    /// What would replace it is not cheaper.
    NoCheaperReplacement {
        /// What it costs.
        current: Price,
        /// What the cheapest replacement costs, if there is one.
        cheapest: Option<Price>,
    },
    /// Only nodes of a type that is there already would be launched.
    SameInstanceType {
        /// The type.
        instance_type: Str,
    },
    /// Spot nodes may not be replaced by spot nodes.
    SpotToSpotOff,
    /// A spot node would have too few types to choose from.
    TooFewSpotOptions {
        /// How many there are.
        options: usize,
        /// How many there must be.
        least: usize,
    },
    /// Too few different values of a label would stay possible.
    MinValuesUnmet {
        /// The label.
        key: Str,
        /// How many stay possible.
        values: usize,
        /// How many there must be.
        least: usize,
    },
    /// It saves too little for what it disrupts.
    SavingsBelowThreshold {
        /// What it saves per hour.
        savings: Price,
        /// What it must save.
        required: Price,
        /// Units of disruption.
        cost: f64,
        /// What each unit must save, if all sources agree.
        threshold: Option<Price>,
    },
    /// It saves too little of the price.
    SavingsBelowPercentage {
        /// Percent that it saves.
        percent: f64,
        /// Percent that it must save.
        least: f64,
    },
    /// It takes too long until the savings have paid for the time in which old and new nodes run.
    PaybackTooLong {
        /// How long.
        payback: GoDuration,
        /// How long it may take.
        most: GoDuration,
    },
    /// Balanced asks for more savings for this disruption.
    ScoreBelowThreshold {
        /// The pool.
        pool: Str,
        /// The score.
        score: f64,
        /// The least score.
        least: f64,
        /// The part of the pool's price that is saved.
        savings_share: f64,
        /// The part of the pool's disruption that it costs.
        disruption_share: f64,
    },
    /// The pool's disruption budgets are used up.
    BudgetExhausted {
        /// The pool.
        pool: Str,
        /// What for.
        reason: DisruptionReason,
        /// How many nodes may be disrupted at a time.
        allowed: usize,
        /// How many are.
        used: usize,
        /// The budget that decides, as it is written.
        budget: Option<NodeCount>,
        /// When it may change by itself.
        until: Option<Time>,
    },
    /// The pool has used up its evictions for now.
    RateExhausted {
        /// The pool.
        pool: Str,
        /// Pods that may be evicted.
        most: usize,
        /// Pods that would be.
        needed: usize,
    },
    /// It is not the time for moves.
    OutsideWindow {
        /// The pool.
        pool: Str,
        /// When it will be.
        until: Option<Time>,
    },
    /// Other moves draw on the same disruption budget of pods first.
    PdbShared {
        /// Namespace and name of the budget.
        budget: (Str, Str),
        /// How many may go at a time.
        allowed: i64,
    },
    /// Pods are pending or workloads are not ready after a deletion.
    Unstable {
        /// When it ends at the latest.
        until: Option<Time>,
    },
    /// Someone paused it.
    Paused {
        /// When it ends, if it does.
        until: Option<Time>,
    },
    /// Something went wrong a short while ago.
    CoolingDown {
        /// When it ends.
        until: Time,
    },
    /// The cluster is not as it was planned for.
    ChangedSincePlan,
    /// It could go, but the plan is better without.
    NothingBetter {
        /// What it would save by itself.
        savings: Price,
    },
    /// The search ended before it was looked at.
    EffortSpent,
}

impl Reason {
    /// The code under which it appears in outputs; never renamed.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotManaged => "NotManaged",
            Self::NotInitialized => "NotInitialized",
            Self::BeingDeleted => "BeingDeleted",
            Self::InMove => "InMove",
            Self::Nominated { .. } => "Nominated",
            Self::CapacityBuffer { .. } => "CapacityBuffer",
            Self::PoolNotReady { .. } => "PoolNotReady",
            Self::StaticPool { .. } => "StaticPool",
            Self::InvalidSettings { .. } => "InvalidSettings",
            Self::UnknownInstanceType { .. } => "UnknownInstanceType",
            Self::NoPrice { .. } => "NoPrice",
            Self::StalePrices { .. } => "StalePrices",
            Self::DoNotDisruptNode { .. } => "DoNotDisruptNode",
            Self::DoNotDisruptPod { .. } => "DoNotDisruptPod",
            Self::PodWithoutOwner { .. } => "PodWithoutOwner",
            Self::PdbBlocks { .. } => "PdbBlocks",
            Self::MultiplePdbs { .. } => "MultiplePdbs",
            Self::RolloutInProgress { .. } => "RolloutInProgress",
            Self::ConsolidationOff => "ConsolidationOff",
            Self::PolicyForbids { .. } => "PolicyForbids",
            Self::TooYoung { .. } => "TooYoung",
            Self::RecentPodEvent { .. } => "RecentPodEvent",
            Self::RecentlyMoved { .. } => "RecentlyMoved",
            Self::InGracePeriod { .. } => "InGracePeriod",
            Self::UtilizationAboveThreshold { .. } => "UtilizationAboveThreshold",
            Self::PodsDoNotFit { .. } => "PodsDoNotFit",
            Self::TooManyReplacements { .. } => "TooManyReplacements",
            Self::PoolLimitReached { .. } => "PoolLimitReached",
            Self::LastReadyReplicas { .. } => "LastReadyReplicas",
            Self::HeadroomReached { .. } => "HeadroomReached",
            Self::NoCheaperReplacement { .. } => "NoCheaperReplacement",
            Self::SameInstanceType { .. } => "SameInstanceType",
            Self::SpotToSpotOff => "SpotToSpotOff",
            Self::TooFewSpotOptions { .. } => "TooFewSpotOptions",
            Self::MinValuesUnmet { .. } => "MinValuesUnmet",
            Self::SavingsBelowThreshold { .. } => "SavingsBelowThreshold",
            Self::SavingsBelowPercentage { .. } => "SavingsBelowPercentage",
            Self::PaybackTooLong { .. } => "PaybackTooLong",
            Self::ScoreBelowThreshold { .. } => "ScoreBelowThreshold",
            Self::BudgetExhausted { .. } => "BudgetExhausted",
            Self::RateExhausted { .. } => "RateExhausted",
            Self::OutsideWindow { .. } => "OutsideWindow",
            Self::PdbShared { .. } => "PdbShared",
            Self::Unstable { .. } => "Unstable",
            Self::Paused { .. } => "Paused",
            Self::CoolingDown { .. } => "CoolingDown",
            Self::ChangedSincePlan => "ChangedSincePlan",
            Self::NothingBetter { .. } => "NothingBetter",
            Self::EffortSpent => "EffortSpent",
        }
    }

    /// The gate that it failed.
    pub const fn gate(&self) -> Gate {
        match self {
            Self::NotManaged
            | Self::NotInitialized
            | Self::BeingDeleted
            | Self::InMove
            | Self::Nominated { .. }
            | Self::CapacityBuffer { .. }
            | Self::PoolNotReady { .. }
            | Self::StaticPool { .. }
            | Self::InvalidSettings { .. } => Gate::Managed,
            Self::UnknownInstanceType { .. } | Self::NoPrice { .. } | Self::StalePrices { .. } => {
                Gate::Priced
            }
            Self::DoNotDisruptNode { .. } => Gate::Annotated,
            Self::DoNotDisruptPod { .. }
            | Self::PodWithoutOwner { .. }
            | Self::PdbBlocks { .. }
            | Self::MultiplePdbs { .. }
            | Self::RolloutInProgress { .. } => Gate::Pods,
            Self::ConsolidationOff | Self::PolicyForbids { .. } => Gate::Policy,
            Self::TooYoung { .. } => Gate::Age,
            Self::RecentPodEvent { .. } | Self::RecentlyMoved { .. } => Gate::Quiet,
            Self::InGracePeriod { .. } => Gate::Grace,
            Self::UtilizationAboveThreshold { .. } => Gate::Utilization,
            Self::PodsDoNotFit { .. }
            | Self::TooManyReplacements { .. }
            | Self::PoolLimitReached { .. }
            | Self::LastReadyReplicas { .. }
            | Self::HeadroomReached { .. } => Gate::Placement,
            Self::NoCheaperReplacement { .. }
            | Self::SameInstanceType { .. }
            | Self::SpotToSpotOff
            | Self::TooFewSpotOptions { .. }
            | Self::MinValuesUnmet { .. } => Gate::Price,
            Self::SavingsBelowThreshold { .. }
            | Self::SavingsBelowPercentage { .. }
            | Self::PaybackTooLong { .. } => Gate::Savings,
            Self::ScoreBelowThreshold { .. } => Gate::Score,
            Self::BudgetExhausted { .. }
            | Self::RateExhausted { .. }
            | Self::OutsideWindow { .. }
            | Self::PdbShared { .. } => Gate::Budget,
            Self::Unstable { .. } | Self::Paused { .. } | Self::CoolingDown { .. } => Gate::Stable,
            Self::ChangedSincePlan => Gate::Validation,
            Self::NothingBetter { .. } | Self::EffortSpent => Gate::Search,
        }
    }

    /// When it ends by itself, if it does.
    pub const fn until(&self) -> Option<Time> {
        match self {
            Self::TooYoung { until, .. }
            | Self::RecentPodEvent { until, .. }
            | Self::RecentlyMoved { until, .. }
            | Self::InGracePeriod { until, .. }
            | Self::CoolingDown { until } => Some(*until),
            Self::DoNotDisruptPod { until, .. }
            | Self::BudgetExhausted { until, .. }
            | Self::OutsideWindow { until, .. }
            | Self::Unstable { until }
            | Self::Paused { until } => *until,
            _ => None,
        }
    }
}
