//! Where can these pods run, and what new node would they need? Answered as the real scheduler answers, from memory.
//!
//! A [`Cluster`] is the compact form of a snapshot. What never changes while pods are placed (groups of nodes, classes of
//! pods, rules) is apart from what does ([`State`]), every change of which can be taken back.
//!
//! No clock, no randomness, no environment, no printing.

mod bits;
mod build;
pub mod checker;
mod class;
mod cluster;
mod compile;
mod consult;
mod counts;
mod defaults;
mod directed;
mod draft;
mod events;
mod feasibility;
mod first_fit;
mod fitting;
mod grid;
mod group;
mod hot;
pub mod ids;
mod kept;
mod known;
mod launch;
mod lone;
mod machine;
mod miss;
mod numbering;
mod offers;
mod pick;
mod place;
mod pod_set;
mod preference;
mod probe;
pub mod reason;
mod rules;
mod runs;
mod schedule;
mod score;
mod selection;
mod settings;
mod sketch;
mod source;
mod state;
mod storage;
mod supply;
mod tables;
mod tally;
mod topology;
mod touched;
mod trial;
mod used;

pub use cluster::Cluster;
pub use consult::Choice;
pub use defaults::spread_by_default;
pub use directed::{Aim, Bin, Share};
pub use first_fit::{Arrival, Arrived, Places};
pub use ids::{ClassId, NodeId};
pub use machine::{Machine, Wanted};
pub use miss::{Miss, NodeMiss, PoolMiss, PoolReason};
pub use offers::{Offers, PoolClosed};
pub use pick::Picking;
pub use reason::{Reason, Resource, Shortage};
pub use schedule::{Destination, Placement, Schedule, Unplaced, might_preempt};
pub use score::{NodeScore, Parts, Profile};
pub use settings::{Preferences, Settings};
pub use state::State;
pub use supply::{Amounts, Offer};
pub use trial::{Limits, NewNode, Placed, Trial, Verdict};
