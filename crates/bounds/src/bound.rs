//! The whole way: reduce, solve, certify; and once more without pending demand that cannot be served.

use restow_model::Price;

use crate::certificate::{Certificate, certify_with};
use crate::ids::{MaskId, NodeId, Prices};
use crate::problem::Problem;
use crate::reduce::Reduced;
use crate::simplex::{End, Simplex};
use crate::supply::Supply;

/// What a fleet costs at least, what capacity is worth in it, and what the relaxation would do.
#[derive(Clone, Debug)]
pub struct Bound {
    /// No fleet that serves the demand costs less: the bill of what stays and what is launched, and the disruption of what
    /// goes. Certified: see [`crate::certify`].
    pub price: Price,
    /// What a unit of capacity is worth in each group, in nano-dollars per hour.
    pub mu: Prices,
    /// What a unit of demand of each mask costs where it is cheapest, in nano-dollars per hour; zero where nothing could
    /// serve it.
    pub nu: Prices,
    /// By node: how much of it the relaxation keeps, from 0 to 1.
    pub keep: Vec<f64>,
    /// By offer: how many of it the relaxation launches. Of offers that do the same only one is launched.
    pub launch: Vec<f64>,
    /// By node: what staying costs more than going, in nano-dollars per hour; negative speaks for keeping it. Without
    /// meaning for nodes that must stay.
    pub reduced_cost: Vec<f64>,
    /// Nodes that must stay although nobody said so: some of their pods could run nowhere else.
    pub stranded: Vec<NodeId>,
    /// Masks whose pending demand cannot be served, alone or all together. The bound is for the rest.
    pub unserved: Vec<MaskId>,
    /// How many steps the simplex took.
    pub iterations: u32,
    /// Whether it came to its end. If not, the bound holds all the same, but `keep` and `launch` serve too little.
    pub optimal: bool,
}

/// Bounds the price of every fleet that serves the same demand, in at most `effort` steps of the simplex.
///
/// Some hundred steps are usual, and as many as a few times the number of groups and masks times resources. The bound holds
/// with any effort; with none it is what nodes cost whatever capacity is worth.
pub fn solve(problem: &Problem, effort: u32) -> Bound {
    let supply = Supply::of(problem);
    let mut unserved = supply.unserved(problem);
    let mut iterations = 0;
    let mut keep: Vec<f64> = supply.stays.iter().map(|stays| f64::from(*stays)).collect();
    let mut launch = vec![0.0; problem.offers.len()];
    let (mu, optimal) = loop {
        let reduced = Reduced::of(problem, &supply, &unserved);
        let mut simplex = Simplex::new(&reduced.linear);
        let end = simplex.run(effort - iterations);
        iterations += simplex.iterations();
        if let End::Infeasible(ray) = &end {
            let dropped = drop_pending(problem, &reduced, ray, &mut unserved);
            if dropped && iterations < effort {
                continue;
            }
        }
        reduced.values(&simplex.values(), &mut keep, &mut launch);
        break (reduced.capacity_prices(problem, &simplex.duals()), end == End::Optimal);
    };
    let certificate = certify_with(problem, &supply, &mu, &unserved);
    let Certificate { price, mu, nu, reduced_cost } = certificate;
    let stranded = (0..problem.nodes.len() as u32)
        .map(NodeId)
        .filter(|node| supply.stays[node.index()] && !problem.nodes[node.index()].kept)
        .collect();
    let unserved =
        (0..problem.masks.len() as u32).map(MaskId).filter(|m| unserved[m.index()]).collect();
    Bound { price, mu, nu, keep, launch, reduced_cost, stranded, unserved, iterations, optimal }
}

/// Leaves out pending demand that cannot be served; whether there was any left to leave out.
///
/// Demand on nodes is always served, by keeping them all. So if it is none of the named, it is rounding, and all goes.
fn drop_pending(problem: &Problem, reduced: &Reduced, ray: &[f64], unserved: &mut [bool]) -> bool {
    let named = reduced.pending_in(problem, ray).into_iter().filter(|mask| !unserved[*mask]);
    let mut masks: Vec<usize> = named.collect();
    if masks.is_empty() {
        let pending = |mask: &usize| {
            problem.pending[mask * problem.resources..][..problem.resources].iter().any(|a| *a > 0)
        };
        masks = (0..problem.masks.len()).filter(|m| !unserved[*m]).filter(pending).collect();
    }
    for mask in &masks {
        unserved[*mask] = true;
    }
    !masks.is_empty()
}
