//! What operators can choose, and where each choice came from.
//!
//! Later layers win: the default, the profile, the environment, a flag, the pool's spec, its annotations, a what-if.

mod name;
mod read;
mod resolve;
mod rules;
mod show;

pub use name::{Name, Scope, UnknownName};
pub use read::{SettingError, Value};
pub use resolve::{Entry, PoolRef, ReadStructured, Resolved, SettingFault, resolve};
pub use rules::{
    BudgetRule, Headroom, RateBudget, Schedule, Window, Written, WrittenBudget, count_text,
};

use restow_model::{DurationOrNever, GoDuration, NodeCount, Policy, Price};
use restow_scheduling::Preferences;

/// Where a value came from, the strongest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Origin {
    /// Nobody said anything.
    #[default]
    Default,
    /// The profile.
    Profile,
    /// An environment variable.
    Environment,
    /// A flag.
    Flag,
    /// The pool's spec.
    Spec,
    /// An annotation of the pool.
    Annotation,
    /// `--what-if`.
    WhatIf,
}

impl Origin {
    /// Its name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Profile => "profile",
            Self::Environment => "environment",
            Self::Flag => "flag",
            Self::Spec => "spec",
            Self::Annotation => "annotation",
            Self::WhatIf => "what-if",
        }
    }
}

macro_rules! choice {
    ($(#[doc = $doc:literal])+ $type:ident { $($(#[doc = $own:literal])+ $variant:ident $text:literal),+ $(,)? }) => {
        $(#[doc = $doc])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $type { $($(#[doc = $own])+ $variant),+ }

        impl $type {
            /// All choices.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// How it is written.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }
    };
}

choice! {
    /// Whether moves are carried out.
    Mode {
        /// They are shown.
        Observe "observe",
        /// They are carried out.
        Act "act",
    }
}

choice! {
    /// Presets.
    Profile {
        /// What the seeds say.
        Seeds "seeds",
        /// Fewer disruptions.
        Careful "careful",
        /// As Karpenter decides, for comparisons.
        Karpenter "karpenter",
    }
}

choice! {
    /// How daemon pods count in the disruption cost.
    DaemonCost {
        /// As other pods.
        Full "full",
        /// One unit each.
        Flat "flat",
        /// Not at all.
        None "none",
    }
}

choice! {
    /// How moves are searched.
    Search {
        /// Over the whole cluster at once.
        Global "global",
        /// As seed 003 says: the least disruption first, one move at a time.
        Seed "seed",
        /// As Karpenter does.
        Karpenter "karpenter",
    }
}

choice! {
    /// Who places evicted pods.
    Scheduler {
        /// The default scheduler: where there is most room.
        LeastAllocated "least-allocated",
        /// A scheduler that packs.
        MostAllocated "most-allocated",
        /// Whoever carries out the plan to the letter.
        BestFit "best-fit",
    }
}

choice! {
    /// What becomes of moves that only work if pods are packed tightly.
    TightMoves {
        /// They are marked.
        Flag "flag",
        /// They are left out.
        Drop "drop",
    }
}

choice! {
    /// Whether evicted pods are led to the nodes meant for them.
    Steering {
        /// No.
        None "none",
        /// By soft taints.
        SoftTaints "soft-taints",
    }
}

/// The settings of one pool, all layers applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Whether moves are carried out.
    pub mode: Mode,
    /// The presets.
    pub profile: Profile,
    /// Which shapes of moves are allowed.
    pub policy: Policy,
    /// Quiet time before a node is looked at.
    pub consolidate_after: DurationOrNever,
    /// How long a node that was evaluated in vain is left alone.
    pub grace_period: DurationOrNever,
    /// What each unit of disruption must save per hour.
    pub savings_threshold: Price,
    /// How daemon pods count.
    pub daemon_cost: DaemonCost,
    /// Fuller nodes are left alone.
    pub utilization_threshold: f64,
    /// How long a node must have been ready.
    pub minimum_node_lifetime: GoDuration,
    /// How long to wait after a deletion while things are unsettled.
    pub stabilization_window: GoDuration,
    /// How often the cluster is looked at.
    pub poll_period: GoDuration,
    /// How long a move must hold.
    pub validation_wait: GoDuration,
    /// Seconds after which an empty node goes where consolidation is off.
    pub ttl_seconds_after_empty: Option<i64>,
    /// Whether empty nodes may go; `None` is up to the policy.
    pub emptiness: Option<bool>,
    /// Percent below which a node is nearly empty.
    pub empty_threshold: Option<u8>,
    /// Whether many nodes may become one; `None` is up to the policy.
    pub multi_node: Option<bool>,
    /// The most sources of a move.
    pub max_parallel: u32,
    /// Whether one node may become none or one; `None` is up to the policy.
    pub single_node: Option<bool>,
    /// How many nodes may be disrupted at a time.
    pub budgets: Vec<BudgetRule>,
    /// How much disruption Balanced accepts.
    pub balanced_k: f64,
    /// Whether spot nodes may be replaced by spot nodes.
    pub spot_to_spot: bool,
    /// How many types a spot node needs to choose from.
    pub spot_flexibility: u32,
    /// The least part of the price that a move must save, in percent.
    pub minimum_savings_percent: f64,
    /// Nodes that expire sooner take no pods.
    pub destination_minimum_lifetime: GoDuration,
    /// The most new nodes of a move.
    pub max_replacements: u32,
    /// Whether some ready replica of each workload must stay.
    pub workload_floor: bool,
    /// How long a moved pod stays where it is.
    pub minimum_pod_dwell: Option<GoDuration>,
    /// How many pods may be evicted in a while.
    pub rate_budgets: Vec<RateBudget>,
    /// When moves may happen.
    pub windows: Vec<Window>,
    /// Room that stays free.
    pub headroom: Headroom,
    /// How soon savings must have paid for the overlap of old and new nodes.
    pub payback: Option<GoDuration>,
    /// How long a pool rests after something went wrong.
    pub cool_down: GoDuration,
    /// Whether some gates judge as Karpenter does.
    pub peer_rules: bool,
    /// What becomes of moves that need tight packing.
    pub tight_moves: TightMoves,
    /// How moves are searched.
    pub search: Search,
    /// Units of work of a search.
    pub effort: u64,
    /// A safety stop.
    pub deadline: GoDuration,
    /// Who places evicted pods.
    pub scheduler: Scheduler,
    /// What is made of preferences.
    pub preferences: Preferences,
    /// Whether evicted pods are steered.
    pub steering: Steering,
    /// Where types and prices come from, as written; read by whoever loads them.
    pub catalog: Option<String>,
    /// What every node costs besides its machine.
    pub node_fee: Price,
    /// Discount rules, as written; read by whoever loads prices.
    pub discounts: Option<String>,
    /// Older prices are not used.
    pub price_max_age: GoDuration,
}

const fn minutes(count: i64) -> GoDuration {
    GoDuration::from_seconds(60 * count)
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            mode: Mode::Observe,
            profile: Profile::Seeds,
            policy: Policy::WhenUnderutilizedOrCheaper,
            consolidate_after: DurationOrNever::After(GoDuration::ZERO),
            grace_period: DurationOrNever::Never,
            savings_threshold: Price::ZERO,
            daemon_cost: DaemonCost::Full,
            utilization_threshold: 0.75,
            minimum_node_lifetime: minutes(5),
            stabilization_window: minutes(5),
            poll_period: GoDuration::from_seconds(10),
            validation_wait: GoDuration::from_seconds(15),
            ttl_seconds_after_empty: None,
            emptiness: None,
            empty_threshold: None,
            multi_node: None,
            max_parallel: 100,
            single_node: None,
            budgets: vec![BudgetRule {
                nodes: NodeCount::Percent(10),
                reasons: None,
                schedule: None,
            }],
            balanced_k: 2.0,
            spot_to_spot: false,
            spot_flexibility: 15,
            minimum_savings_percent: 0.0,
            destination_minimum_lifetime: minutes(60),
            max_replacements: 8,
            workload_floor: true,
            minimum_pod_dwell: None,
            rate_budgets: Vec::new(),
            windows: Vec::new(),
            headroom: Headroom::default(),
            payback: None,
            cool_down: minutes(30),
            peer_rules: false,
            tight_moves: TightMoves::Flag,
            search: Search::Global,
            effort: 1_000_000,
            deadline: GoDuration::from_seconds(5),
            scheduler: Scheduler::LeastAllocated,
            preferences: Preferences::Respect,
            steering: Steering::None,
            catalog: None,
            node_fee: Price::ZERO,
            discounts: None,
            price_max_age: minutes(7 * 24 * 60),
        }
    }
}

impl Profile {
    /// What the profile sets, as it would be written.
    pub const fn presets(self) -> &'static [(Name, &'static str)] {
        match self {
            Self::Seeds => &[],
            Self::Careful => &[
                (Name::SavingsThresholdCents, "1"),
                (Name::DaemonCost, "none"),
                (Name::MinimumPodDwell, "30m"),
                (Name::RateBudgets, "10%/1h"),
            ],
            Self::Karpenter => &[
                (Name::ScaledownUtilizationThreshold, "1"),
                (Name::MinimumNodeLifetime, "0s"),
                (Name::StabilizationWindow, "0s"),
                (Name::DestinationMinimumLifetime, "0s"),
                (Name::WorkloadFloor, "off"),
                (Name::MaxReplacements, "1"),
                (Name::PeerRules, "on"),
            ],
        }
    }
}
