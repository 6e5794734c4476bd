//! The problem as plain data. Everything is checked while it is added, so that what follows need not.

use restow_model::Price;

use crate::ids::{GroupId, MaskId, NodeId, OfferId};

/// What is wrong with something that was added to a [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// Groups are numbered from zero.
    #[error("group {0} of {1} groups")]
    Group(u32, u32),
    /// Masks are numbered in the order in which they were added.
    #[error("mask {0} of {1} masks")]
    Mask(u32, u32),
    /// Amounts are one for each resource.
    #[error("{0} amounts for {1} resources")]
    Amounts(usize, usize),
    /// Launching more and more of it would cost less and less.
    #[error("an offer without limit at {0} nano-dollars per hour")]
    Negative(i64),
}

/// What a node costs, and whether it may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeTerms {
    /// Where it is.
    pub group: GroupId,
    /// What it costs while it is there.
    pub price: Price,
    /// What its going costs: the disruption of its pods, in money. Zero where only the bill counts.
    pub disruption: Price,
    /// It stays, and with it its pods.
    pub kept: bool,
    /// It takes no pods of others, whether it stays or not.
    pub closed: bool,
}

/// Nodes, their pods' demand, and what could be launched. Negative amounts count as zero.
#[derive(Clone, Debug)]
pub struct Problem {
    pub(crate) resources: usize,
    pub(crate) groups: usize,
    /// The groups of each mask, ascending.
    pub(crate) masks: Vec<Vec<u32>>,
    /// Demand of each mask that is on no node yet.
    pub(crate) pending: Vec<i64>,
    pub(crate) nodes: Vec<NodeTerms>,
    pub(crate) free: Vec<i64>,
    first_demand: Vec<u32>,
    demand_mask: Vec<MaskId>,
    demand: Vec<i64>,
    pub(crate) offers: Vec<Offer>,
    pub(crate) capacity: Vec<i64>,
}

/// What can be launched; its capacity is kept beside.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    pub(crate) group: GroupId,
    pub(crate) price: Price,
    pub(crate) limit: Option<u32>,
}

impl Problem {
    /// Nothing yet, with so many resources and node groups.
    pub fn new(resources: usize, groups: u32) -> Self {
        Self {
            resources,
            groups: groups as usize,
            masks: Vec::new(),
            pending: Vec::new(),
            nodes: Vec::new(),
            free: Vec::new(),
            first_demand: vec![0],
            demand_mask: Vec::new(),
            demand: Vec::new(),
            offers: Vec::new(),
            capacity: Vec::new(),
        }
    }

    /// Adds pods that may run in these groups and in no other.
    ///
    /// A group whose nodes can never hold such a pod, for want of a resource that only other groups have, is better left
    /// out: each resource is served on its own, so the relaxation would not see it.
    pub fn add_mask(
        &mut self,
        groups: impl IntoIterator<Item = GroupId>,
    ) -> Result<MaskId, Malformed> {
        let mut list = Vec::new();
        for group in groups {
            self.check_group(group)?;
            list.push(group.0);
        }
        list.sort_unstable();
        list.dedup();
        self.masks.push(list);
        self.pending.resize(self.masks.len() * self.resources, 0);
        Ok(MaskId(self.masks.len() as u32 - 1))
    }

    /// Adds demand of pods that have no node yet.
    pub fn add_pending(&mut self, mask: MaskId, amounts: &[i64]) -> Result<(), Malformed> {
        self.check_mask(mask)?;
        self.check_amounts(amounts)?;
        let base = mask.index() * self.resources;
        for (sum, amount) in self.pending[base..].iter_mut().zip(amounts) {
            *sum = sum.saturating_add((*amount).max(0));
        }
        Ok(())
    }

    /// Adds a node with what is free on it, and the demand of those of its pods that can move.
    pub fn add_node<A: AsRef<[i64]>>(
        &mut self,
        terms: NodeTerms,
        free: &[i64],
        movable: impl IntoIterator<Item = (MaskId, A)>,
    ) -> Result<NodeId, Malformed> {
        self.check_group(terms.group)?;
        self.check_amounts(free)?;
        let added = self.demand_mask.len();
        for (mask, amounts) in movable {
            let amounts = amounts.as_ref();
            if let Err(malformed) = self.check_mask(mask).and(self.check_amounts(amounts)) {
                self.demand_mask.truncate(added);
                self.demand.truncate(added * self.resources);
                return Err(malformed);
            }
            self.demand_mask.push(mask);
            self.demand.extend(amounts.iter().map(|amount| (*amount).max(0)));
        }
        self.first_demand.push(self.demand_mask.len() as u32);
        self.free.extend(free.iter().map(|amount| (*amount).max(0)));
        self.nodes.push(terms);
        Ok(NodeId(self.nodes.len() as u32 - 1))
    }

    /// Adds what can be launched, with the capacity that is left for movable pods; `limit` is how many there can be.
    pub fn add_offer(
        &mut self,
        group: GroupId,
        price: Price,
        capacity: &[i64],
        limit: Option<u32>,
    ) -> Result<OfferId, Malformed> {
        self.check_group(group)?;
        self.check_amounts(capacity)?;
        if limit.is_none() && price < Price::ZERO {
            return Err(Malformed::Negative(price.nanos()));
        }
        self.offers.push(Offer { group, price, limit });
        self.capacity.extend(capacity.iter().map(|amount| (*amount).max(0)));
        Ok(OfferId(self.offers.len() as u32 - 1))
    }

    /// How many resources there are.
    pub fn resources(&self) -> usize {
        self.resources
    }

    /// How many groups there are.
    pub fn groups(&self) -> usize {
        self.groups
    }

    /// What is free on a node for pods of others.
    pub(crate) fn free_of(&self, node: usize) -> &[i64] {
        &self.free[node * self.resources..][..self.resources]
    }

    /// The demand on a node that can move, one entry per mask or several.
    pub(crate) fn demand_of(&self, node: usize) -> impl Iterator<Item = (usize, &[i64])> {
        let (first, last) =
            (self.first_demand[node] as usize, self.first_demand[node + 1] as usize);
        (first..last).map(|at| {
            (self.demand_mask[at].index(), &self.demand[at * self.resources..][..self.resources])
        })
    }

    /// What an offer holds.
    pub(crate) fn capacity_of(&self, offer: usize) -> &[i64] {
        &self.capacity[offer * self.resources..][..self.resources]
    }

    fn check_group(&self, group: GroupId) -> Result<(), Malformed> {
        let known = self.groups as u32;
        if group.0 < known { Ok(()) } else { Err(Malformed::Group(group.0, known)) }
    }

    fn check_mask(&self, mask: MaskId) -> Result<(), Malformed> {
        let known = self.masks.len() as u32;
        if mask.0 < known { Ok(()) } else { Err(Malformed::Mask(mask.0, known)) }
    }

    fn check_amounts(&self, amounts: &[i64]) -> Result<(), Malformed> {
        let expected = self.resources;
        if amounts.len() == expected {
            Ok(())
        } else {
            Err(Malformed::Amounts(amounts.len(), expected))
        }
    }
}
