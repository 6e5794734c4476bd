//! Why the bound holds. Given any prices of capacity, every fleet that serves the pods pays at least this:
//!
//! - each node either stays, for its price less what its free capacity is worth to others,
//!   or goes, for its disruption and what its pods' demand costs elsewhere, whichever is less;
//! - pending demand costs what it costs where capacity is cheapest;
//! - no launch earns more than it costs, because capacity is priced low enough for that.
//!
//! This is weak duality, written out. It is exact for each node as a whole, and nothing in it depends on how the prices were
//! found. What rounding could have added is taken off again.

use restow_model::Price;

use crate::component::{Components, whole_nodes};
use crate::ids::{MaskId, Prices};
use crate::problem::Problem;
use crate::supply::Supply;

/// Capacity is never priced beyond this, so that no product overflows.
const HIGHEST: f64 = 1e18;

/// A bound, and the prices from which anyone can compute it again.
#[derive(Clone, Debug)]
pub struct Certificate {
    /// No fleet of whole nodes that serves the demand costs less: its bill and the disruption of the nodes that went.
    pub price: Price,
    /// What a unit of capacity is worth in each group; lowered where an offer would have earned more than it costs.
    pub mu: Prices,
    /// What a unit of demand of each mask costs where it is cheapest; zero where nothing could serve it.
    pub nu: Prices,
    /// By node: what staying costs more than going, by these prices. Negative speaks for keeping it.
    pub reduced_cost: Vec<f64>,
}

/// The bound that follows from these prices of capacity, whatever they are.
///
/// Pending demand of the masks `without` is left out, for a bound on what can be had at all.
pub fn certify(problem: &Problem, mu: &Prices, without: &[MaskId]) -> Certificate {
    let supply = Supply::of(problem);
    let mut unserved = vec![false; problem.masks.len()];
    for mask in without {
        if let Some(flag) = unserved.get_mut(mask.index()) {
            *flag = true;
        }
    }
    certify_with(problem, &supply, mu, &unserved)
}

/// As [`certify`], for who knows the supply already.
pub(crate) fn certify_with(
    problem: &Problem,
    supply: &Supply,
    mu: &Prices,
    unserved: &[bool],
) -> Certificate {
    let mu = affordable(problem, mu);
    let nu = cheapest(problem, supply, &mu);
    let components = Components::of(problem);
    let mut parts = vec![Sum::default(); components.count];
    let mut longest = 0;

    let mut reduced_cost = Vec::with_capacity(problem.nodes.len());
    for (at, node) in problem.nodes.iter().enumerate() {
        let price = node.price.nanos() as f64;
        let disruption = node.disruption.nanos() as f64;
        let free = dot(mu.of(node.group.index()), problem.free_of(at));
        let free = if node.closed { 0.0 } else { free };
        let mut elsewhere = 0.0;
        let mut entries = 1;
        for (mask, demand) in problem.demand_of(at) {
            elsewhere += dot(nu.of(mask), demand);
            entries += 1;
        }
        longest = entries.max(longest);
        let (stay, go) = (price - free, disruption + elsewhere);
        reduced_cost.push(stay - go);
        let least = if supply.stays[at] { stay } else { stay.min(go) };
        let size = price.abs() + free + disruption.abs() + elsewhere;
        parts[components.of_group(node.group.index())].add(least, size);
    }
    for (mask, pending) in problem.pending.chunks(problem.resources.max(1)).enumerate() {
        if let (Some(part), false) = (components.of_mask(problem, mask), unserved[mask]) {
            let cost = dot(nu.of(mask), pending);
            parts[part].add(cost, cost);
        }
    }
    for (at, offer) in problem.offers.iter().enumerate() {
        let Some(limit) = offer.limit.map(f64::from) else { continue };
        let price = offer.price.nanos() as f64;
        let worth = dot(mu.of(offer.group.index()), problem.capacity_of(at));
        let least = limit * (price - worth).min(0.0);
        parts[components.of_group(offer.group.index())].add(least, limit * (price.abs() + worth));
    }

    let whole = whole_nodes(problem, supply, &components, unserved);
    let roundings = (longest * problem.resources + 16) as f64;
    let mut total = Sum::default();
    for (part, whole) in parts.iter().zip(whole) {
        let smooth = part.at_least(roundings);
        // One step down, for what the conversion may have rounded up.
        let least = whole.map_or(smooth, |whole| smooth.max((whole as f64).next_down()));
        total.add(least, least.abs());
    }
    // Prices are whole nano-dollars, and so is every real bill: what is above one is above the next.
    let price = Price::from_nanos(total.at_least(4.0).ceil() as i64);
    Certificate { price, mu, nu, reduced_cost }
}

/// Prices that are numbers, not negative, and low enough that no offer without limit earns more than it costs.
fn affordable(problem: &Problem, mu: &Prices) -> Prices {
    let mut prices = Prices::zero(problem.groups, problem.resources);
    for group in 0..problem.groups {
        for (price, given) in prices.of_mut(group).iter_mut().zip(mu.of(group)) {
            // Not a number compares as nothing, and becomes zero.
            *price = if *given > 0.0 { given.min(HIGHEST) } else { 0.0 };
        }
    }
    // A few units in the last place, so that rounding cannot hide an excess.
    let slack = 8.0 * (problem.resources + 4) as f64 * f64::EPSILON;
    for (at, offer) in problem.offers.iter().enumerate().filter(|(_, o)| o.limit.is_none()) {
        let capacity = problem.capacity_of(at);
        let row = prices.of_mut(offer.group.index());
        let worth = dot(row, capacity);
        let price = offer.price.nanos() as f64;
        if worth > price * (1.0 - slack) {
            let factor = (price / worth * (1.0 - 2.0 * slack)).clamp(0.0, 1.0);
            for (price, _) in row.iter_mut().zip(capacity).filter(|(_, amount)| **amount > 0) {
                *price *= factor;
            }
        }
    }
    prices
}

/// What demand costs in the cheapest group that has any capacity; more than that no price of demand may be.
fn cheapest(problem: &Problem, supply: &Supply, mu: &Prices) -> Prices {
    let mut nu = Prices::zero(problem.masks.len(), problem.resources);
    for (mask, groups) in problem.masks.iter().enumerate() {
        for (resource, price) in nu.of_mut(mask).iter_mut().enumerate() {
            let supplied = groups.iter().filter(|group| supply.has(**group as usize, resource));
            let prices = supplied.map(|group| mu.of(*group as usize)[resource]);
            *price = prices.reduce(f64::min).unwrap_or(0.0);
        }
    }
    nu
}

fn dot(prices: &[f64], amounts: &[i64]) -> f64 {
    prices.iter().zip(amounts).map(|(price, amount)| price * *amount as f64).sum()
}

/// A sum that loses next to nothing, and knows how large what went into it was.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    value: f64,
    lost: f64,
    size: f64,
}

impl Sum {
    /// Adds a term that was computed from numbers as large as `size` together.
    fn add(&mut self, term: f64, size: f64) {
        let sum = self.value + term;
        self.lost += if self.value.abs() >= term.abs() {
            (self.value - sum) + term
        } else {
            (term - sum) + self.value
        };
        self.value = sum;
        self.size += size;
    }

    /// What the sum is at least, if every term went through so many roundings.
    fn at_least(&self, roundings: f64) -> f64 {
        (self.value + self.lost) - self.size * roundings * f64::EPSILON
    }
}

#[cfg(test)]
#[path = "certificate_tests.rs"]
mod tests;
