//! The gates, in the order in which they are asked: the first that a node fails is its headline.

use std::fmt;

/// A rule that a node, or a move, has to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Gate {
    /// It belongs to a pool that works, and nothing else has plans for it.
    Managed,
    /// Its price is known.
    Priced,
    /// Nobody marked it as not to be disrupted.
    Annotated,
    /// Its pods may be evicted.
    Pods,
    /// The pool's policy allows some move.
    Policy,
    /// It is old enough.
    Age,
    /// No pod came or went for a while.
    Quiet,
    /// It was not evaluated in vain a short while ago.
    Grace,
    /// It is not too full.
    Utilization,
    /// Every pod has a place.
    Placement,
    /// It gets cheaper.
    Price,
    /// It saves enough.
    Savings,
    /// It saves enough for its disruption, as Balanced counts.
    Score,
    /// Budgets, rates and windows allow it now.
    Budget,
    /// Nothing is unsettled.
    Stable,
    /// It still holds when it is carried out.
    Validation,
    /// It passed all gates, and there was something better or no effort left.
    Search,
}

impl Gate {
    /// All gates that a plan asks, in order.
    pub const ALL: [Self; 15] = [
        Self::Managed,
        Self::Priced,
        Self::Annotated,
        Self::Pods,
        Self::Policy,
        Self::Age,
        Self::Quiet,
        Self::Grace,
        Self::Utilization,
        Self::Placement,
        Self::Price,
        Self::Savings,
        Self::Score,
        Self::Budget,
        Self::Stable,
    ];

    /// Its name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::Priced => "priced",
            Self::Annotated => "annotated",
            Self::Pods => "pods",
            Self::Policy => "policy",
            Self::Age => "age",
            Self::Quiet => "quiet",
            Self::Grace => "grace",
            Self::Utilization => "utilization",
            Self::Placement => "placement",
            Self::Price => "price",
            Self::Savings => "savings",
            Self::Score => "score",
            Self::Budget => "budget",
            Self::Stable => "stable",
            Self::Validation => "validation",
            Self::Search => "search",
        }
    }
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
