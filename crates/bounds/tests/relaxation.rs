//! The relaxation is solved to its optimum: as a slow and simple solver finds it.

mod common;

use common::{Fleet, Sizes, fleets, flow, generated, tableau};
use proptest::prelude::*;
use restow_bounds::{Bound, solve};

const EFFORT: u32 = 20_000;

const SMALL: Sizes = Sizes {
    resources: 2,
    groups: 3,
    masks: 3,
    nodes: 6,
    pods: 4,
    pending: 3,
    offers: 5,
    amount: 12,
    price: 1000,
    limits: false,
};

/// What the relaxation's own choice costs.
fn spent(fleet: &Fleet, bound: &Bound) -> f64 {
    let nodes = fleet.nodes.iter().zip(&bound.keep);
    let nodes = nodes.map(|(n, keep)| n.price as f64 * keep + n.disruption as f64 * (1.0 - keep));
    let offers = fleet.offers.iter().zip(&bound.launch).map(|(o, count)| o.price as f64 * count);
    nodes.sum::<f64>() + offers.sum::<f64>()
}

fn check(fleet: &Fleet) -> Result<(), TestCaseError> {
    let bound = solve(&fleet.problem(), EFFORT);
    let Some(optimum) = tableau::optimum(fleet) else {
        prop_assert!(!bound.unserved.is_empty(), "cannot be served, and nobody is named");
        return Ok(());
    };
    prop_assert!(bound.unserved.is_empty(), "{:?} can be served", bound.unserved);
    prop_assert!(bound.optimal);
    let price = bound.price.nanos() as f64;
    let dearest = fleet.nodes.iter().map(|n| n.price).chain(fleet.offers.iter().map(|o| o.price));
    let near = 1e-6 * (1.0 + dearest.max().unwrap_or(0) as f64 + optimum.abs());
    prop_assert!(
        (spent(fleet, &bound) - optimum).abs() < near,
        "{} {optimum}",
        spent(fleet, &bound)
    );
    prop_assert!(flow::unserved(fleet, &bound) < 1e-6);
    prop_assert!(price >= optimum - near, "bound {price} below the relaxation's {optimum}");
    let other = solve(&fleet.reversed().problem(), EFFORT);
    prop_assert!((other.price.nanos() - bound.price.nanos()).abs() <= 1);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_optimum_is_that_of_a_simple_solver(fleet in fleets(SMALL)) {
        check(&fleet)?;
    }

    #[test]
    fn it_is_with_limited_offers_too(fleet in fleets(Sizes { limits: true, ..SMALL })) {
        check(&fleet)?;
    }

    #[test]
    fn it_is_with_many_ties(fleet in fleets(Sizes { amount: 2, groups: 5, masks: 6, ..SMALL })) {
        check(&fleet)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn what_it_spends_serves_the_demand_and_is_what_is_certified(
        fleet in fleets(Sizes { resources: 3, groups: 5, masks: 5, nodes: 25, offers: 15, amount: 1000, price: 1_000_000_000, ..SMALL })
    ) {
        let bound = solve(&fleet.problem(), EFFORT);
        if bound.unserved.is_empty() {
            // Weak duality: what serves the demand costs no less than what is certified. So both are the optimum.
            let (left, spent) = (flow::unserved(&fleet, &bound), spent(&fleet, &bound));
            prop_assert!(bound.optimal && left < 1e-3, "{left} is not served");
            prop_assert!(bound.price.nanos() as f64 >= spent - 1.0 - 1e-9 * spent, "{} {spent}", bound.price.nanos());
        } else {
            prop_assert!(bound.unserved.iter().all(|mask| fleet.pending.iter().any(|pod| pod.mask == mask.0)));
        }
    }
}

#[test]
fn what_the_relaxation_spends_is_the_bound_for_large_fleets() {
    for (nodes, groups, masks) in [(400, 1, 1), (400, 6, 10), (300, 20, 40), (200, 50, 100)] {
        let (problem, costs) = generated::fleet(nodes, groups, masks, 11);
        let bound = solve(&problem, EFFORT);
        assert!(bound.optimal);
        let spent: f64 = costs.spent(&bound.keep, &bound.launch);
        let price = bound.price.nanos() as f64;
        assert!((spent - price).abs() < 1e-9 * price + 1.0, "{spent} {price}");
    }
}
