//! The nodes of a cluster with what they hold and what they cost.

mod amounts;
mod build;
mod group;
mod sort;

use restow_catalog::{Basis, CapacityType, PoolKind, PriceBook, Quote, SourceInfo, Unpriced};
use restow_model::{GoDuration, Price, Snapshot, Time};

pub use amounts::{Amount, Amounts, Resource, Unit};
pub use group::FleetGroup;

use crate::load::PodCounts;
use crate::options::{FleetOptions, GroupBy};
use crate::state::NodeState;

/// The nodes of a cluster at one instant. Amounts are requests, not usage.
#[derive(Clone, Debug, PartialEq)]
pub struct Fleet {
    /// The instant; `None` when the snapshot has none.
    pub time: Option<Time>,
    /// What amounts are of: cpu, memory, pods, ephemeral storage, then the extended resources of the nodes by name.
    pub resources: Vec<Resource>,
    /// Keys of the labels that were asked for.
    pub labels: Vec<String>,
    /// The nodes that passed the filter, in the order that was asked for.
    pub nodes: Vec<FleetNode>,
    /// How many did not.
    pub hidden: usize,
    /// Sums over the nodes.
    pub totals: Totals,
    /// Pods.
    pub pods: PodCounts,
    /// Why nodes have no price, what concerns most nodes first.
    pub unpriced: Vec<UnpricedNodes>,
    /// The nodes in groups.
    pub groups: Option<Groups>,
    /// Where prices came from, the last one counts most.
    pub sources: Vec<SourceInfo>,
    /// Claims that no node has come of yet.
    pub claims_without_node: usize,
}

/// One node.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetNode {
    /// Its name.
    pub name: String,
    /// Its place among the snapshot's nodes.
    pub index: usize,
    /// Its pool.
    pub pool: Option<FleetPool>,
    /// Its instance type.
    pub instance_type: Option<String>,
    /// Its processor architecture.
    pub arch: Option<String>,
    /// Its zone.
    pub zone: Option<String>,
    /// Its region.
    pub region: Option<String>,
    /// Its terms.
    pub capacity_type: Option<CapacityType>,
    /// What it costs, or why nobody knows.
    pub price: Result<Quote, Unpriced>,
    /// What it has and what is asked for, by the fleet's resources.
    pub amounts: Amounts,
    /// When it was made.
    pub created: Option<Time>,
    /// How long ago that was.
    pub age: Option<GoDuration>,
    /// What it is up to, what matters most first; never empty.
    pub states: Vec<NodeState>,
    /// Since when it is not ready.
    pub not_ready_since: Option<Time>,
    /// Whether an annotation asks to leave it alone.
    pub do_not_disrupt: bool,
    /// Its kubelet's version.
    pub kubelet: Option<String>,
    /// The values of the fleet's labels.
    pub labels: Vec<Option<String>>,
}

impl FleetNode {
    /// The state that matters most.
    pub fn state(&self) -> NodeState {
        self.states.first().copied().unwrap_or(NodeState::Unknown)
    }

    /// How many pods it holds.
    pub fn pods(&self) -> i64 {
        self.amounts.pods().requested
    }

    /// How many of them come and go with it: those of daemon sets, and static ones.
    pub fn daemon_pods(&self) -> i64 {
        self.amounts.pods().daemons
    }
}

/// A pool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FleetPool {
    /// Its name.
    pub name: String,
    /// What made it.
    pub kind: PoolKind,
}

/// Sums over nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// How many nodes.
    pub nodes: usize,
    /// What they have and what is asked for.
    pub amounts: Amounts,
    /// What those that have a price cost.
    pub price: Price,
    /// How many have none.
    pub unpriced: usize,
    /// How many have one that is an estimate.
    pub estimated: usize,
}

impl Totals {
    /// Adds a node.
    pub(crate) fn add(&mut self, node: &FleetNode) {
        self.nodes += 1;
        self.amounts.add(&node.amounts);
        match &node.price {
            Ok(quote) => {
                self.price += quote.price;
                self.estimated += usize::from(quote.basis.is_estimate());
            }
            Err(_) => self.unpriced += 1,
        }
    }

    /// How many nodes have a price.
    pub fn priced(&self) -> usize {
        self.nodes - self.unpriced
    }
}

/// Nodes that have no price for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnpricedNodes {
    /// The reason.
    pub reason: Unpriced,
    /// Their names, by the alphabet.
    pub nodes: Vec<String>,
}

/// The nodes in groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Groups {
    /// What they have in common.
    pub by: GroupBy,
    /// The groups.
    pub rows: Vec<FleetGroup>,
}

impl Fleet {
    /// The fleet of a snapshot at prices of a book. Ages are as of the snapshot's time.
    pub fn new(snapshot: &Snapshot, book: &PriceBook, options: &FleetOptions) -> Self {
        build::fleet(snapshot, book, options)
    }

    /// Whether some price comes from the node's own label.
    pub fn has_written_prices(&self) -> bool {
        self.nodes
            .iter()
            .any(|node| matches!(&node.price, Ok(Quote { basis: Basis::NodeLabel, .. })))
    }
}

#[cfg(test)]
mod tests;
