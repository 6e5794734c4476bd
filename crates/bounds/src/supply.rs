//! What no price can change: demand that no capacity could ever take, and the nodes that must stay because of it.

use crate::problem::Problem;

/// Which groups have any capacity of a resource, and what follows from that.
#[derive(Debug)]
pub(crate) struct Supply {
    resources: usize,
    /// By group and resource: some open node or offer has some of it.
    has: Vec<bool>,
    /// By mask and resource: some group of the mask has some of it.
    serves: Vec<bool>,
    /// By node: it was told to stay, or holds pods that could go nowhere.
    pub(crate) stays: Vec<bool>,
}

impl Supply {
    pub(crate) fn of(problem: &Problem) -> Self {
        let resources = problem.resources;
        let mut has = vec![false; problem.groups * resources];
        let mut add = |group: usize, amounts: &[i64]| {
            for (has, amount) in has[group * resources..].iter_mut().zip(amounts) {
                *has |= *amount > 0;
            }
        };
        for (at, node) in problem.nodes.iter().enumerate().filter(|(_, node)| !node.closed) {
            add(node.group.index(), problem.free_of(at));
        }
        for (at, offer) in problem.offers.iter().enumerate() {
            if offer.limit != Some(0) {
                add(offer.group.index(), problem.capacity_of(at));
            }
        }
        let mut serves = vec![false; problem.masks.len() * resources];
        for (mask, groups) in problem.masks.iter().enumerate() {
            for resource in 0..resources {
                serves[mask * resources + resource] =
                    groups.iter().any(|group| has[*group as usize * resources + resource]);
            }
        }
        let mut supply = Self { resources, has, serves, stays: Vec::new() };
        supply.stays = (0..problem.nodes.len())
            .map(|node| problem.nodes[node].kept || supply.strands(problem, node))
            .collect();
        supply
    }

    /// Whether a group has any of a resource.
    pub(crate) fn has(&self, group: usize, resource: usize) -> bool {
        self.has[group * self.resources + resource]
    }

    /// Whether demand of a mask for a resource can be served at all.
    pub(crate) fn serves(&self, mask: usize, resource: usize) -> bool {
        self.serves[mask * self.resources + resource]
    }

    /// The masks with pending demand that nothing can serve.
    pub(crate) fn unserved(&self, problem: &Problem) -> Vec<bool> {
        (0..problem.masks.len())
            .map(|mask| {
                let pending = &problem.pending[mask * self.resources..][..self.resources];
                pending.iter().enumerate().any(|(r, amount)| *amount > 0 && !self.serves(mask, r))
            })
            .collect()
    }

    /// Whether a node has pods that could go nowhere else.
    fn strands(&self, problem: &Problem, node: usize) -> bool {
        problem.demand_of(node).any(|(mask, demand)| {
            demand.iter().enumerate().any(|(r, amount)| *amount > 0 && !self.serves(mask, r))
        })
    }
}
