//! Offers that could be worth launching: of those that are dearer and hold no more than another one, nothing is lost.

use std::cmp::Reverse;

use crate::problem::Problem;
use crate::site::Sites;

/// The offers that no other one replaces, ascending.
pub(crate) fn frontier(problem: &Problem, sites: &Sites) -> Vec<usize> {
    let mut order: Vec<usize> = (0..problem.offers.len())
        .filter(|at| {
            let offer = &problem.offers[*at];
            let holds = problem.capacity_of(*at).iter().any(|amount| *amount > 0);
            let pays = offer.price.nanos() < 0;
            offer.limit != Some(0) && (pays || holds && sites.of(offer.group.index()).is_some())
        })
        .collect();
    // Cheapest first, and of equal price the largest, so that what replaces an offer comes before it.
    order.sort_by_key(|at| {
        let offer = &problem.offers[*at];
        let site = sites.of(offer.group.index());
        (site, offer.price, offer.limit.is_some(), Reverse(problem.capacity_of(*at)), *at)
    });
    let mut kept: Vec<usize> = Vec::new();
    let mut first_of_site = 0;
    for at in order {
        let offer = &problem.offers[at];
        let site = sites.of(offer.group.index());
        if kept.last().is_some_and(|last| sites.of(problem.offers[*last].group.index()) != site) {
            first_of_site = kept.len();
        }
        let replaced = offer.price.nanos() >= 0
            && kept[first_of_site..].iter().any(|other| {
                let others = problem.capacity_of(*other).iter();
                problem.offers[*other].limit.is_none()
                    && others.zip(problem.capacity_of(at)).all(|(other, own)| other >= own)
            });
        if !replaced {
            kept.push(at);
        }
    }
    kept.sort_unstable();
    kept
}
