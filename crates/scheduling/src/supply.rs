//! A cluster as sums: what each group of nodes has, what each class asks for and where it may be. For bounds, which look at
//! amounts and not at single pods.

use restow_model::Price;

use crate::class::Rule;
use crate::cluster::Cluster;
use crate::ids::{ClassId, NodeId};
use crate::state::State;

/// Cpu in thousandths, bytes of memory, and pods.
pub type Amounts = [i64; 3];

/// A way to launch a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The group that it would be in.
    pub group: usize,
    /// Its price.
    pub price: Price,
    /// What it has for pods, after its daemons.
    pub amounts: Amounts,
    /// The pool, by its place.
    pub pool: usize,
    /// Pools of a smaller tier come first.
    pub tier: u32,
}

impl Cluster {
    /// How many groups of nodes there are, those that could be launched included.
    pub fn group_count(&self) -> usize {
        self.tables.groups.len()
    }

    /// The group of a node that exists.
    pub fn group_of(&self, node: NodeId) -> Option<usize> {
        Some(self.tables.node_groups.get(node.index())?.index())
    }

    /// The groups in which pods of a class may be, their least demanding form.
    pub fn groups_for(&self, class: ClassId) -> impl Iterator<Item = usize> {
        let class = self.tables.least_demanding(class);
        self.tables.groups.allowed(class.selection).iter()
    }

    /// What a pod of a class asks for.
    pub fn demand(&self, class: ClassId) -> Amounts {
        let demand = &self.tables.class(class).demand;
        [demand.cpu, demand.memory, 1]
    }

    /// How many pods of a class can be on one node at most, as far as they keep off each other.
    pub fn most_per_node(&self, class: ClassId) -> u32 {
        let class = self.tables.class(class);
        let alone = class.rules.iter().any(|rule| match rule {
            Rule::Forbid { tally, .. } => class.adds.contains(tally),
            _ => false,
        });
        if alone { 1 } else { u32::MAX }
    }

    /// Whether pods of a class ask for anything besides cpu and memory.
    pub fn asks_for_more(&self, class: ClassId) -> bool {
        self.tables.hot[class.index()].rare
    }

    /// Whether pods of a class must spread over domains of several nodes.
    pub fn spreads(&self, class: ClassId) -> bool {
        let tables = &self.tables;
        tables.class(class).rules.iter().any(|rule| match rule {
            Rule::Spread { tally, .. } => tables.is_dense(*tally),
            _ => false,
        })
    }

    /// Whether pods of a class must spread over anything.
    pub fn keeps_even(&self, class: ClassId) -> bool {
        let rules = &self.tables.class(class).rules;
        rules.iter().any(|rule| matches!(rule, Rule::Spread { .. }))
    }

    /// Whether nodes of two groups are in the same domains of everything that pods of a class spread over.
    pub fn same_domains(&self, class: ClassId, node: NodeId, group: usize) -> bool {
        let (tables, state) = (&self.tables, &self.state);
        tables.class(class).rules.iter().all(|rule| match rule {
            Rule::Spread { tally, .. } if tables.is_dense(*tally) => {
                let key = tables.key_of(*tally);
                let domains = tables.launch.groups.get(group).map(|own| &own.domains);
                domains.and_then(|own| own.get(key.index())) == Some(&state.domain(key, node))
            }
            _ => true,
        })
    }

    /// What a node has free; nothing if it takes no pods.
    pub fn free(&self, state: &State, node: NodeId) -> Amounts {
        match state.free.get(node.index()) {
            Some(free) if free.pods > 0 => {
                [free.cpu.max(0), free.memory.max(0), i64::from(free.pods)]
            }
            _ => [0; 3],
        }
    }

    /// Pods that would have to move if a node went, by class.
    pub fn runs(&self, node: NodeId) -> impl Iterator<Item = (ClassId, u32)> {
        let runs = self.state.runs.get(node.index()).map_or(&[][..], Vec::as_slice);
        runs.iter().map(|run| (run.class, run.count))
    }

    /// Everything that could be launched.
    pub fn launchable(&self) -> impl Iterator<Item = Offer> {
        self.tables.launch.pools.iter().enumerate().flat_map(|(pool, own)| {
            own.options.iter().map(move |option| Offer {
                group: option.group.index(),
                price: option.price,
                amounts: [option.room.cpu, option.room.memory, option.room.pods],
                pool,
                tier: own.tier,
            })
        })
    }
}
