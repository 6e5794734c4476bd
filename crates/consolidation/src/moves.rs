//! A move: nodes that go, nodes that come, and a place for every pod that has to leave.

use restow_model::{Price, Str};
use restow_scheduling::NewNode;

use crate::shape::{Method, Shape};
use crate::wish::Wish;

/// A node that is to be launched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// Its pool.
    pub pool: Str,
    /// Types that it may be launched as, the cheapest first.
    pub instance_types: Vec<Str>,
    /// Zones that it may be launched in.
    pub zones: Vec<Str>,
    /// Terms that it may be launched under.
    pub capacity_types: Vec<Str>,
    /// The most that it may cost with these.
    pub price: Price,
    /// The least that it may cost with these.
    pub cheapest: Price,
    /// What it is if it is launched as the cheapest.
    pub node: NewNode,
}

/// Where a pod goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// To a node that exists, or is on its way, by name.
    Node(Str),
    /// To a replacement of the same move, by its place.
    Replacement(usize),
}

/// A pod that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PodMove {
    /// Its place in the snapshot.
    pub pod: usize,
    /// The node that it leaves, by its place in the fleet.
    pub from: usize,
    /// Where it goes.
    pub to: Target,
}

/// What the plan should know before it is carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Risk {
    /// The only replica of a workload moves: it is away while it starts anew.
    SingleReplica {
        /// The pod.
        pod: usize,
    },
    /// A pod has data on its node that is lost.
    LocalData {
        /// The pod.
        pod: usize,
    },
    /// A pod has a volume that must be detached and attached again.
    Volume {
        /// The pod.
        pod: usize,
    },
    /// Fewer pods of a disruption budget may go than the move needs: they go one after another.
    SlowDrain {
        /// A pod that it protects.
        pod: usize,
        /// How many may go at a time.
        allowed: i64,
    },
    /// A pod loses something that it would like and has now.
    Preference {
        /// The pod.
        pod: usize,
        /// What it loses, with what it comes to afterwards.
        wish: Wish,
    },
    /// Under the scheduler that places pods, some would find no place: it pays only if pods are packed tightly.
    TightPacking {
        /// How many pods would find no place.
        pods: usize,
    },
    /// The price is an estimate.
    EstimatedPrice,
}

impl Risk {
    /// The code under which it appears in outputs.
    pub const fn code(self) -> &'static str {
        match self {
            Self::SingleReplica { .. } => "SingleReplica",
            Self::LocalData { .. } => "LocalData",
            Self::Volume { .. } => "Volume",
            Self::SlowDrain { .. } => "SlowDrain",
            Self::Preference { .. } => "Preference",
            Self::TightPacking { .. } => "TightPacking",
            Self::EstimatedPrice => "EstimatedPrice",
        }
    }

    /// The pod that it is about, if it is about one.
    pub const fn pod(self) -> Option<usize> {
        match self {
            Self::SingleReplica { pod }
            | Self::LocalData { pod }
            | Self::Volume { pod }
            | Self::SlowDrain { pod, .. }
            | Self::Preference { pod, .. } => Some(pod),
            Self::TightPacking { .. } | Self::EstimatedPrice => None,
        }
    }
}

/// A move.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The nodes that go, by their places in the fleet, in the order of their names.
    pub sources: Vec<usize>,
    /// The nodes that come.
    pub replacements: Vec<Replacement>,
    /// The pods that move.
    pub pods: Vec<PodMove>,
    /// What the sources cost per hour.
    pub before: Price,
    /// What the replacements cost per hour.
    pub after: Price,
    /// Units of disruption.
    pub cost: f64,
    /// What it must save.
    pub required: Price,
    /// The least score of the pools with policy Balanced.
    pub score: Option<f64>,
    /// What should be known before it is carried out.
    pub risks: Vec<Risk>,
}

impl Move {
    /// What it saves per hour.
    pub fn savings(&self) -> Price {
        self.before - self.after
    }

    /// Its shape.
    pub fn shape(&self) -> Shape {
        Shape {
            sources: self.sources.len(),
            replacements: self.replacements.len(),
            moves_pods: !self.pods.is_empty(),
        }
    }

    /// What it is called.
    pub fn method(&self) -> Method {
        self.shape().method()
    }

    /// What it saves for each unit of disruption, in dollars per hour. What disrupts nothing comes first.
    pub fn worth(&self) -> f64 {
        self.savings().dollars() / self.cost.max(1e-3)
    }
}
