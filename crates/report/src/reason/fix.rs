//! What can be done about each reason.

use restow_consolidation::Reason;

macro_rules! fixes {
    ($($code:ident $fix:literal),+ $(,)?) => {
        /// Each code with what can be done about it, in the order of the gates.
        pub const CODES: &[(&str, &str)] = &[$((stringify!($code), $fix)),+];

        /// What can be done about a reason.
        pub(super) const fn fix(reason: &Reason) -> &'static str {
            match reason {
                $(Reason::$code { .. } => $fix),+
            }
        }
    };
}

fixes! {
    NotManaged "let a NodePool launch it, or plan for node groups with --node-groups",
    NotInitialized "wait until it has started; a node that never does should be looked at",
    BeingDeleted "wait until it is gone",
    InMove "wait until the move is done",
    Nominated "wait until the pending pod runs",
    CapacityBuffer "lower the replicas of the CapacityBuffer if the room is not needed",
    PoolNotReady "look at the conditions of the NodePool and of its node class",
    StaticPool "lower the replicas of the NodePool, or leave them out",
    InvalidSettings "correct the annotations and fields that `restow config` lists",
    UnknownInstanceType "name a --catalog that knows the type, or give its price by --price",
    NoPrice "name a --catalog that has the offering, or give its price by --price",
    StalePrices "take newer prices, or raise price-max-age",
    DoNotDisruptNode "remove the annotation from the node and its claim if it is not needed",
    DoNotDisruptPod "remove the annotation from the pod's template, or give it a duration",
    PodWithoutOwner "run the pod by a controller, such as a Deployment or a Job",
    PdbBlocks "allow at least one disruption: another replica, or a higher maxUnavailable",
    MultiplePdbs "leave one PodDisruptionBudget for the pod",
    RolloutInProgress "wait until the rollout is done, or undo one that is stuck",
    ConsolidationOff "set consolidateAfter to a duration",
    PolicyForbids "choose a wider consolidationPolicy, such as WhenUnderutilizedOrCheaper",
    TooYoung "wait, or lower minimum-node-lifetime",
    RecentPodEvent "wait, or lower consolidateAfter",
    RecentlyMoved "wait, or lower minimum-pod-dwell",
    InGracePeriod "wait, or lower consolidationGracePeriod",
    UtilizationAboveThreshold "raise scaledown-utilization-threshold; 1 switches it off",
    PodsDoNotFit "see what the closest node is short of: `restow schedule --drain NODE`",
    TooManyReplacements "raise max-replacements",
    PoolLimitReached "raise the limits of the NodePool: the new node starts before the old one goes",
    LastReadyReplicas "wait for the other move, or run more replicas",
    HeadroomReached "lower headroom if less room is enough",
    NoCheaperReplacement "allow more instance types, zones or capacity types in the NodePool",
    SameInstanceType "allow more instance types in the NodePool",
    SpotToSpotOff "set spot-to-spot to true",
    TooFewSpotOptions "allow more instance types in the NodePool, or lower spot-flexibility",
    MinValuesUnmet "allow more instance types in the NodePool, or lower minValues",
    SavingsBelowThreshold "lower savings-threshold-cents if that is worth the disruption",
    SavingsBelowPercentage "lower minimum-savings-percent",
    PaybackTooLong "raise payback",
    ScoreBelowThreshold "raise balanced-k to accept more disruption for the savings",
    BudgetExhausted "wait, or raise the budgets of the pool: `restow budget` shows when they change",
    RateExhausted "wait, or raise rate-budgets",
    OutsideWindow "wait, or widen windows: `restow budget` shows when they open",
    PdbShared "wait for the other move, or allow more disruptions",
    Unstable "wait until pending pods run and workloads are ready",
    Paused "resume when it is safe to",
    CoolingDown "wait, or look at what went wrong in the pool",
    ChangedSincePlan "plan again",
    NothingBetter "leave it: the plan saves more without this move",
    EffortSpent "raise effort or deadline",
}

/// What can be done about a code; empty for one that nobody knows.
pub fn fix_of(code: &str) -> &'static str {
    CODES.iter().find(|(own, _)| *own == code).map_or("", |(_, fix)| *fix)
}
