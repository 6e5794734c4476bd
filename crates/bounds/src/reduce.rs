//! From the problem to the smallest linear program that says the same, and back.
//!
//! Rows are what makes the simplex slow, so there are few: one for each site and resource, and one for each different set of
//! sites that demand can choose from. Demand with no choice is part of its site's row.

use std::collections::BTreeMap;

use crate::frontier::frontier;
use crate::ids::Prices;
use crate::linear::Linear;
use crate::problem::Problem;
use crate::site::Sites;
use crate::supply::Supply;

/// The linear program, and what its rows and columns stand for.
#[derive(Debug)]
pub(crate) struct Reduced {
    pub(crate) linear: Linear,
    sites: Sites,
    resources: usize,
    /// By mask and resource: where its demand counts.
    row_of_mask: Vec<Option<u32>>,
    /// By site and resource: where its capacity counts.
    row_of_site: Vec<Option<u32>>,
    /// The nodes of the first columns, and the offers of those that follow.
    nodes: Vec<usize>,
    offers: Vec<usize>,
    /// What amounts and prices were multiplied by.
    amount_scale: Vec<f64>,
    price_scale: f64,
}

/// Demand of each mask that is not served where it is already, one number for each resource.
fn demand(problem: &Problem, supply: &Supply, unserved: &[bool]) -> Vec<f64> {
    let width = problem.resources;
    let mut sums = vec![0.0; problem.masks.len() * width];
    for (at, amount) in problem.pending.iter().enumerate() {
        if !unserved[at / width] {
            sums[at] += *amount as f64;
        }
    }
    for node in (0..problem.nodes.len()).filter(|node| !supply.stays[*node]) {
        for (mask, amounts) in problem.demand_of(node) {
            for (sum, amount) in sums[mask * width..].iter_mut().zip(amounts) {
                *sum += *amount as f64;
            }
        }
    }
    sums
}

/// A power of two that brings the mean of positive numbers near one: dividing by it loses nothing.
fn scale(numbers: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for number in numbers.filter(|number| *number > 0.0) {
        sum += number;
        count += 1.0;
    }
    if sum > 0.0 { (-(sum / count).log2().round()).exp2() } else { 1.0 }
}

impl Reduced {
    pub(crate) fn of(problem: &Problem, supply: &Supply, unserved: &[bool]) -> Self {
        let width = problem.resources;
        let demand = demand(problem, supply, unserved);
        let live: Vec<bool> = (0..problem.masks.len())
            .map(|mask| demand[mask * width..][..width].iter().any(|amount| *amount > 0.0))
            .collect();
        let sites = Sites::of_masks(problem, &live);
        let offers = frontier(problem, &sites);
        let nodes: Vec<usize> = (0..problem.nodes.len()).filter(|n| !supply.stays[*n]).collect();

        let amount_scale: Vec<f64> = (0..width)
            .map(|resource| {
                let held = offers.iter().map(|at| problem.capacity_of(*at)[resource]);
                let free = nodes.iter().map(|at| problem.free_of(*at)[resource]);
                let moved = nodes.iter().flat_map(|at| problem.demand_of(*at));
                let moved = moved.map(|(_, amounts)| amounts[resource]);
                scale(held.chain(free).chain(moved).map(|amount| amount as f64))
            })
            .collect();
        let prices = offers.iter().map(|at| problem.offers[*at].price);
        let prices = prices.chain(nodes.iter().map(|at| problem.nodes[*at].price));
        let price_scale = scale(prices.map(|price| price.nanos() as f64));

        let mut reduced = Self {
            linear: Linear::default(),
            row_of_mask: vec![None; problem.masks.len() * width],
            row_of_site: vec![None; sites.groups.len() * width],
            sites,
            resources: width,
            nodes,
            offers,
            amount_scale,
            price_scale,
        };
        let choices = reduced.add_rows(problem, supply, &demand);
        reduced.add_columns(problem, &choices);
        reduced
    }

    /// Makes the rows, and returns for each row of demand with a choice the rows that can serve it.
    fn add_rows(
        &mut self,
        problem: &Problem,
        supply: &Supply,
        demand: &[f64],
    ) -> Vec<(u32, Vec<u32>)> {
        let mut floor = Vec::new();
        let mut all_choices = Vec::new();
        for resource in 0..self.resources {
            let mut choices: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
            let mut chosen = Vec::new();
            for mask in 0..problem.masks.len() {
                let amount = demand[mask * self.resources + resource];
                let serving = self.sites.serving(problem, supply, mask, resource);
                if amount > 0.0 && !serving.is_empty() {
                    *choices.entry(serving.clone()).or_insert(0.0) += amount;
                    chosen.push((mask, serving));
                }
            }
            for site in choices.keys().flatten() {
                self.row_of_site[site * self.resources + resource].get_or_insert_with(|| {
                    floor.push(0.0);
                    floor.len() as u32 - 1
                });
            }
            let mut row_of: BTreeMap<&[usize], u32> = BTreeMap::new();
            for (serving, amount) in &choices {
                let site_row = |site: &usize| self.row_of_site[site * self.resources + resource];
                let mut rows: Vec<u32> = serving.iter().filter_map(site_row).collect();
                let row = if let [only] = rows[..] {
                    rows.clear();
                    only
                } else {
                    floor.push(0.0);
                    floor.len() as u32 - 1
                };
                floor[row as usize] += amount * self.amount_scale[resource];
                row_of.insert(serving, row);
                if !rows.is_empty() {
                    all_choices.push((row, rows));
                }
            }
            for (mask, serving) in &chosen {
                self.row_of_mask[mask * self.resources + resource] =
                    row_of.get(&serving[..]).copied();
            }
        }
        // What is free on nodes that stay is there for nothing.
        for (at, node) in problem.nodes.iter().enumerate() {
            if supply.stays[at] && !node.closed {
                for (row, amount) in self.capacity(node.group.index(), problem.free_of(at)) {
                    floor[row as usize] -= amount;
                }
            }
        }
        self.linear = Linear::new(floor);
        all_choices
    }

    fn add_columns(&mut self, problem: &Problem, choices: &[(u32, Vec<u32>)]) {
        let mut linear = std::mem::take(&mut self.linear);
        let mut entries: Vec<(u32, f64)> = Vec::new();
        let mut sums = vec![0.0; linear.rows()];
        for at in &self.nodes {
            let node = &problem.nodes[*at];
            if !node.closed {
                entries.extend(self.capacity(node.group.index(), problem.free_of(*at)));
            }
            for (mask, amounts) in problem.demand_of(*at) {
                let rows = &self.row_of_mask[mask * self.resources..];
                entries.extend(scaled(rows, amounts, &self.amount_scale));
            }
            for (row, amount) in &entries {
                sums[*row as usize] += amount;
            }
            entries.retain_mut(|(row, amount)| {
                *amount = std::mem::take(&mut sums[*row as usize]);
                *amount > 0.0
            });
            let cost = node.price.nanos() as f64 - node.disruption.nanos() as f64;
            linear.add(cost * self.price_scale, 1.0, entries.drain(..));
        }
        for at in &self.offers {
            let offer = &problem.offers[*at];
            let cost = offer.price.nanos() as f64 * self.price_scale;
            let limit = offer.limit.map_or(f64::INFINITY, f64::from);
            linear.add(cost, limit, self.capacity(offer.group.index(), problem.capacity_of(*at)));
        }
        for (row, sites) in choices {
            for site in sites {
                linear.add(0.0, f64::INFINITY, [(*row, 1.0), (*site, -1.0)]);
            }
        }
        self.linear = linear;
    }

    /// Where capacity in a group counts, and how much.
    fn capacity(&self, group: usize, amounts: &[i64]) -> impl Iterator<Item = (u32, f64)> {
        let rows =
            self.sites.of(group).map_or(&[][..], |at| &self.row_of_site[at * self.resources..]);
        scaled(rows, amounts, &self.amount_scale)
    }

    /// The prices of capacity in each group that the duals of the rows stand for.
    pub(crate) fn capacity_prices(&self, problem: &Problem, duals: &[f64]) -> Prices {
        let mut mu = Prices::zero(problem.groups, self.resources);
        for (site, groups) in self.sites.groups.iter().enumerate() {
            for resource in 0..self.resources {
                if let Some(row) = self.row_of_site[site * self.resources + resource] {
                    let factor = self.amount_scale[resource] / self.price_scale;
                    for group in groups {
                        mu.of_mut(*group)[resource] = duals[row as usize] * factor;
                    }
                }
            }
        }
        mu
    }

    /// Sets what the columns of nodes and offers stand for.
    pub(crate) fn values(&self, columns: &[f64], keep: &mut [f64], launch: &mut [f64]) {
        for (node, value) in self.nodes.iter().zip(columns) {
            keep[*node] = value.clamp(0.0, 1.0);
        }
        for (offer, value) in self.offers.iter().zip(&columns[self.nodes.len()..]) {
            launch[*offer] = value.max(0.0);
        }
    }

    /// The masks with pending demand that counts in one of these rows.
    pub(crate) fn pending_in(&self, problem: &Problem, ray: &[f64]) -> Vec<usize> {
        (0..problem.masks.len())
            .filter(|mask| {
                let base = mask * self.resources;
                let rows = &self.row_of_mask[base..][..self.resources];
                let pending = &problem.pending[base..][..self.resources];
                rows.iter().zip(pending).any(|(row, amount)| {
                    *amount > 0 && row.is_some_and(|row| ray[row as usize].abs() > 1e-9)
                })
            })
            .collect()
    }
}

/// Amounts in their rows, without those that are nothing or count nowhere.
fn scaled(
    rows: &[Option<u32>],
    amounts: &[i64],
    scales: &[f64],
) -> impl Iterator<Item = (u32, f64)> {
    rows.iter().zip(amounts).zip(scales).filter_map(|((row, amount), scale)| {
        row.filter(|_| *amount > 0).map(|row| (row, *amount as f64 * scale))
    })
}
