use restow_model::Price;

use super::*;
use crate::ids::GroupId;
use crate::problem::NodeTerms;

fn nanos(certificate: &Certificate) -> i64 {
    certificate.price.nanos()
}

fn node(group: u32, price: i64) -> NodeTerms {
    NodeTerms {
        group: GroupId(group),
        price: Price::from_nanos(price),
        disruption: Price::ZERO,
        kept: false,
        closed: false,
    }
}

fn prices(groups: &[&[f64]]) -> Prices {
    let mut mu = Prices::zero(groups.len(), groups[0].len());
    for (at, values) in groups.iter().enumerate() {
        mu.of_mut(at).copy_from_slice(values);
    }
    mu
}

/// Two groups; pods of mask 0 may run in both, of mask 1 in the second; an offer in each.
fn two_groups() -> Problem {
    let mut problem = Problem::new(1, 2);
    let anywhere = problem.add_mask([GroupId(0), GroupId(1)]).unwrap();
    let second = problem.add_mask([GroupId(1)]).unwrap();
    problem.add_node(node(0, 1000), &[6], [(anywhere, [4])]).unwrap();
    problem.add_node(node(1, 1000), &[2], [(second, [8])]).unwrap();
    problem.add_offer(GroupId(0), Price::from_nanos(500), &[10], None).unwrap();
    problem.add_offer(GroupId(1), Price::from_nanos(800), &[10], None).unwrap();
    problem
}

#[test]
fn each_node_stays_or_goes_whichever_is_less() {
    let certificate = certify(&two_groups(), &prices(&[&[40.0], &[75.0]]), &[]);
    // The first goes for 4 × 40 rather than stay for 1000 − 6 × 40, the second for 8 × 75 rather than 1000 − 2 × 75.
    assert_eq!(nanos(&certificate), 160 + 600);
    assert!((certificate.reduced_cost[0] - (760.0 - 160.0)).abs() < 1e-6);
    assert!((certificate.reduced_cost[1] - (850.0 - 600.0)).abs() < 1e-6);
}

#[test]
fn demand_is_priced_where_capacity_is_cheapest() {
    let certificate = certify(&two_groups(), &prices(&[&[40.0], &[75.0]]), &[]);
    assert_eq!(certificate.nu.of(0), certificate.mu.of(0));
    assert_eq!(certificate.nu.of(1), certificate.mu.of(1));
}

#[test]
fn prices_at_which_a_launch_would_earn_money_are_lowered() {
    let certificate = certify(&two_groups(), &prices(&[&[1e6], &[1e300]]), &[]);
    assert!((certificate.mu.of(0)[0] - 50.0).abs() < 1e-9 && certificate.mu.of(0)[0] < 50.0);
    assert!((certificate.mu.of(1)[0] - 80.0).abs() < 1e-9 && certificate.mu.of(1)[0] < 80.0);
    assert_eq!(nanos(&certificate), 4 * 50 + 8 * 80);
}

#[test]
fn prices_that_are_no_prices_count_as_nothing() {
    for wrong in [f64::NAN, -1.0, f64::NEG_INFINITY] {
        let certificate = certify(&two_groups(), &prices(&[&[wrong], &[wrong]]), &[]);
        // What is left is that something has to be there.
        assert_eq!(nanos(&certificate), 500);
        assert_eq!(certificate.mu.of(0), [0.0]);
    }
    let certificate = certify(&two_groups(), &prices(&[&[f64::INFINITY], &[f64::INFINITY]]), &[]);
    assert_eq!(nanos(&certificate), 4 * 50 + 8 * 80);
    let certificate = certify(&two_groups(), &Prices::default(), &[]);
    assert_eq!(nanos(&certificate), 500);
}

#[test]
fn a_free_launch_makes_only_what_it_has_worthless() {
    let mut problem = Problem::new(2, 1);
    let mask = problem.add_mask([GroupId(0)]).unwrap();
    problem.add_pending(mask, &[5, 5]).unwrap();
    problem.add_offer(GroupId(0), Price::ZERO, &[10, 0], None).unwrap();
    problem.add_offer(GroupId(0), Price::from_nanos(100), &[0, 1], None).unwrap();
    let certificate = certify(&problem, &prices(&[&[7.0, 100.0]]), &[]);
    assert_eq!(certificate.mu.of(0)[0].to_bits(), 0);
    assert_eq!(nanos(&certificate), 500);
}

#[test]
fn a_limited_offer_may_earn_and_what_it_earns_is_taken_off() {
    let mut problem = Problem::new(1, 1);
    let mask = problem.add_mask([GroupId(0)]).unwrap();
    problem.add_pending(mask, &[30]).unwrap();
    problem.add_offer(GroupId(0), Price::from_nanos(10), &[10], Some(2)).unwrap();
    problem.add_offer(GroupId(0), Price::from_nanos(50), &[10], None).unwrap();
    assert_eq!(nanos(&certify(&problem, &prices(&[&[5.0]]), &[])), 2 * 10 + 50);
}

#[test]
fn a_node_that_stays_costs_its_price_and_gives_its_free_capacity() {
    let mut problem = Problem::new(1, 1);
    let mask = problem.add_mask([GroupId(0)]).unwrap();
    problem.add_node(NodeTerms { kept: true, ..node(0, 900) }, &[3], [(mask, [5])]).unwrap();
    let closed = NodeTerms { kept: true, closed: true, ..node(0, 70) };
    problem.add_node(closed, &[3], [(mask, [5])]).unwrap();
    problem.add_pending(mask, &[4]).unwrap();
    problem.add_offer(GroupId(0), Price::from_nanos(10), &[1], None).unwrap();
    assert_eq!(nanos(&certify(&problem, &prices(&[&[10.0]]), &[])), 900 + 70 + 10);
}

#[test]
fn disruption_is_what_going_costs() {
    let mut problem = Problem::new(1, 1);
    let mask = problem.add_mask([GroupId(0)]).unwrap();
    let terms = NodeTerms { disruption: Price::from_nanos(300), ..node(0, 1000) };
    problem.add_node(terms, &[0], [(mask, [5])]).unwrap();
    problem.add_offer(GroupId(0), Price::from_nanos(100), &[1], None).unwrap();
    assert_eq!(nanos(&certify(&problem, &prices(&[&[100.0]]), &[])), 300 + 500);
    assert_eq!(nanos(&certify(&problem, &prices(&[&[60.0]]), &[])), 300 + 300);
}

#[test]
fn pods_that_can_go_nowhere_hold_their_node() {
    let mut problem = Problem::new(1, 2);
    let nowhere = problem.add_mask([GroupId(1)]).unwrap();
    problem.add_node(node(0, 1000), &[5], [(nowhere, [1])]).unwrap();
    assert_eq!(nanos(&certify(&problem, &Prices::zero(2, 1), &[])), 1000);
}

#[test]
fn a_part_of_the_fleet_that_needs_anything_needs_a_whole_node() {
    let mut problem = Problem::new(1, 2);
    let first = problem.add_mask([GroupId(0)]).unwrap();
    let second = problem.add_mask([GroupId(1)]).unwrap();
    problem.add_pending(first, &[1]).unwrap();
    problem.add_pending(second, &[25]).unwrap();
    for group in [GroupId(0), GroupId(1)] {
        problem.add_offer(group, Price::from_nanos(100), &[10], None).unwrap();
        problem.add_offer(group, Price::from_nanos(60), &[5], None).unwrap();
    }
    let certificate = certify(&problem, &prices(&[&[10.0], &[10.0]]), &[]);
    assert_eq!(nanos(&certificate), 60 + 250);
    let without = certify(&problem, &prices(&[&[10.0], &[10.0]]), &[first]);
    assert_eq!(nanos(&without), 250);
}
