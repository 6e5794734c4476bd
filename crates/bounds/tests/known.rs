//! Problems whose answer is known without solving anything, and those at the edge of making sense.

use restow_bounds::{
    Bound, GroupId, Malformed, MaskId, NodeId, NodeTerms, OfferId, Problem, solve,
};
use restow_model::Price;

const EFFORT: u32 = 1000;

fn price(nanos: i64) -> Price {
    Price::from_nanos(nanos)
}

fn node(group: u32, nanos: i64) -> NodeTerms {
    NodeTerms {
        group: GroupId(group),
        price: price(nanos),
        disruption: Price::ZERO,
        kept: false,
        closed: false,
    }
}

fn near(values: &[f64], expected: &[f64]) {
    assert_eq!(values.len(), expected.len());
    let near = values.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6 * (1.0 + b.abs()));
    assert!(near, "{values:?} rather than {expected:?}");
}

fn finite(bound: &Bound, problem: &Problem) {
    let lists = [&bound.keep, &bound.launch, &bound.reduced_cost];
    assert!(lists.into_iter().flatten().all(|value| value.is_finite()));
    let groups = (0..problem.groups()).flat_map(|at| bound.mu.of(at));
    assert!(groups.chain((0..4).flat_map(|at| bound.nu.of(at))).all(|value| value.is_finite()));
}

#[test]
fn pending_pods_need_the_cheapest_mix_of_offers() {
    let mut problem = Problem::new(2, 1);
    let mask = problem.add_mask([GroupId(0)]).unwrap();
    problem.add_pending(mask, &[40, 100]).unwrap();
    // Much processor, much memory, and both but dear.
    problem.add_offer(GroupId(0), price(100), &[10, 10], None).unwrap();
    problem.add_offer(GroupId(0), price(120), &[5, 20], None).unwrap();
    problem.add_offer(GroupId(0), price(300), &[10, 20], None).unwrap();
    let bound = solve(&problem, EFFORT);
    // 10 a + 5 b = 40 and 10 a + 20 b = 100: four of the second, two of the first.
    near(&bound.launch, &[2.0, 4.0, 0.0]);
    assert_eq!(bound.price, price(680));
    // 10 u + 10 v = 100 and 5 u + 20 v = 120.
    near(bound.mu.of(0), &[16.0 / 3.0, 14.0 / 3.0]);
    assert!(bound.optimal);
}

#[test]
fn the_pods_of_a_dear_node_go_to_what_others_have_free() {
    let mut problem = Problem::new(1, 1);
    let mask = problem.add_mask([GroupId(0)]).unwrap();
    problem.add_node(node(0, 100), &[6], [(mask, [4])]).unwrap();
    problem.add_node(node(0, 300), &[6], [(mask, [4])]).unwrap();
    let bound = solve(&problem, EFFORT);
    near(&bound.keep, &[0.8, 0.0]);
    assert_eq!(bound.price, price(100), "one whole node");
    assert!(bound.reduced_cost[1] > 100.0);
}

#[test]
fn a_mask_takes_the_cheaper_of_its_groups_and_a_pinned_one_does_not() {
    let mut problem = Problem::new(1, 3);
    let pinned = problem.add_mask([GroupId(0)]).unwrap();
    let free = problem.add_mask([GroupId(0), GroupId(1), GroupId(2)]).unwrap();
    problem.add_pending(pinned, &[100]).unwrap();
    problem.add_pending(free, &[50]).unwrap();
    for (group, nanos) in [(0, 100), (1, 30), (2, 45)] {
        problem.add_offer(GroupId(group), price(nanos), &[10], None).unwrap();
    }
    let bound = solve(&problem, EFFORT);
    near(&bound.launch, &[10.0, 5.0, 0.0]);
    near(bound.nu.of(0), &[10.0]);
    near(bound.nu.of(1), &[3.0]);
    assert_eq!(bound.price, price(1150));
}

#[test]
fn disruption_keeps_a_node_that_money_alone_would_not() {
    let mut problem = Problem::new(1, 1);
    let mask = problem.add_mask([GroupId(0)]).unwrap();
    let terms = NodeTerms { disruption: price(50), ..node(0, 100) };
    problem.add_node(terms, &[0], [(mask, [10])]).unwrap();
    problem.add_node(node(0, 100), &[0], [(mask, [10])]).unwrap();
    problem.add_offer(GroupId(0), price(60), &[10], None).unwrap();
    let bound = solve(&problem, EFFORT);
    near(&bound.keep, &[1.0, 0.0]);
    assert_eq!(bound.price, price(160));
}

#[test]
fn offers_that_do_the_same_are_launched_once_and_limits_hold() {
    let mut problem = Problem::new(1, 2);
    let mask = problem.add_mask([GroupId(0), GroupId(1)]).unwrap();
    problem.add_pending(mask, &[100]).unwrap();
    for group in [GroupId(0), GroupId(1)] {
        problem.add_offer(group, price(50), &[10], None).unwrap();
        problem.add_offer(group, price(60), &[9], None).unwrap();
        problem.add_offer(group, price(20), &[10], Some(2)).unwrap();
        problem.add_offer(group, price(1), &[1000], Some(0)).unwrap();
    }
    let bound = solve(&problem, EFFORT);
    near(&bound.launch, &[6.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0, 0.0]);
    assert_eq!(bound.price, price(380));
}

#[test]
fn demand_that_nothing_can_serve_is_named_and_the_rest_is_bounded() {
    let mut problem = Problem::new(2, 2);
    let fine = problem.add_mask([GroupId(0)]).unwrap();
    let nowhere = problem.add_mask([GroupId(1)]).unwrap();
    let none = problem.add_mask([]).unwrap();
    for mask in [fine, nowhere, none] {
        problem.add_pending(mask, &[10, 0]).unwrap();
    }
    problem.add_offer(GroupId(0), price(100), &[10, 1], None).unwrap();
    let bound = solve(&problem, EFFORT);
    assert_eq!(bound.unserved, [nowhere, none]);
    assert_eq!((bound.price, bound.optimal), (price(100), true));
}

#[test]
fn demand_beyond_what_there_can_be_is_named_and_the_rest_is_bounded() {
    let mut problem = Problem::new(1, 3);
    let first = problem.add_mask([GroupId(0)]).unwrap();
    let second = problem.add_mask([GroupId(1), GroupId(2)]).unwrap();
    problem.add_pending(first, &[10]).unwrap();
    problem.add_pending(second, &[21]).unwrap();
    problem.add_offer(GroupId(0), price(100), &[10], None).unwrap();
    problem.add_offer(GroupId(1), price(100), &[10], Some(1)).unwrap();
    problem.add_offer(GroupId(2), price(100), &[10], Some(1)).unwrap();
    let bound = solve(&problem, EFFORT);
    assert_eq!(bound.unserved, [second]);
    assert_eq!((bound.price, bound.optimal), (price(100), true));
    near(&bound.launch, &[1.0, 0.0, 0.0]);
}

#[test]
fn pods_that_can_go_nowhere_strand_their_node() {
    let mut problem = Problem::new(1, 2);
    let nowhere = problem.add_mask([GroupId(1)]).unwrap();
    let stranded = problem.add_node(node(0, 70), &[3], [(nowhere, [1])]).unwrap();
    let kept = NodeTerms { kept: true, ..node(0, 30) };
    problem.add_node(kept, &[3], [(nowhere, [1])]).unwrap();
    let bound = solve(&problem, EFFORT);
    assert_eq!((bound.price, bound.stranded), (price(100), vec![stranded]));
    near(&bound.keep, &[1.0, 1.0]);
}

#[test]
fn nothing_costs_nothing() {
    for (resources, groups) in [(0, 0), (0, 3), (3, 0), (3, 3)] {
        let problem = Problem::new(resources, groups);
        let bound = solve(&problem, EFFORT);
        assert_eq!((bound.price, bound.iterations, bound.optimal), (Price::ZERO, 0, true));
    }
}

#[test]
fn without_offers_what_is_needed_stays() {
    let mut problem = Problem::new(1, 1);
    let mask = problem.add_mask([GroupId(0)]).unwrap();
    for _ in 0..3 {
        problem.add_node(node(0, 100), &[0], [(mask, [10])]).unwrap();
    }
    problem.add_node(node(0, 100), &[10], [(mask, [0])]).unwrap();
    let bound = solve(&problem, EFFORT);
    assert_eq!(bound.price, price(300));
}

#[test]
fn without_demand_only_what_must_stay_costs() {
    let mut problem = Problem::new(2, 2);
    problem.add_mask([GroupId(0)]).unwrap();
    let nothing: [(MaskId, [i64; 2]); 0] = [];
    problem.add_node(node(0, 500), &[1, 1], nothing).unwrap();
    problem.add_node(NodeTerms { kept: true, ..node(1, 20) }, &[1, 1], nothing).unwrap();
    problem.add_offer(GroupId(0), price(5), &[1, 1], None).unwrap();
    let bound = solve(&problem, EFFORT);
    assert_eq!(bound.price, price(20));
    near(&bound.keep, &[0.0, 1.0]);
}

#[test]
fn free_nodes_and_free_offers_cost_nothing() {
    let mut problem = Problem::new(2, 1);
    let mask = problem.add_mask([GroupId(0)]).unwrap();
    problem.add_node(node(0, 0), &[1, 1], [(mask, [5, 5])]).unwrap();
    problem.add_node(node(0, 90), &[1, 1], [(mask, [5, 5])]).unwrap();
    problem.add_offer(GroupId(0), Price::ZERO, &[1, 1], None).unwrap();
    let bound = solve(&problem, EFFORT);
    assert_eq!(bound.price, Price::ZERO);
    finite(&bound, &problem);
}

#[test]
fn amounts_beyond_all_reason_do_no_harm() {
    for huge in [1_i64 << 50, i64::MAX] {
        let mut problem = Problem::new(3, 2);
        let mask = problem.add_mask([GroupId(0), GroupId(1)]).unwrap();
        let pinned = problem.add_mask([GroupId(1)]).unwrap();
        problem.add_pending(mask, &[huge, 1, -5]).unwrap();
        problem.add_pending(mask, &[huge, 1, 0]).unwrap();
        for at in 0..20 {
            let terms = node(at % 2, i64::MAX / 1000);
            problem
                .add_node(terms, &[huge, -1, 7], [(mask, [huge, 3, 0]), (pinned, [1, 1, huge])])
                .unwrap();
        }
        problem.add_offer(GroupId(0), price(1), &[1, huge, 1], None).unwrap();
        problem.add_offer(GroupId(1), price(i64::MAX), &[huge, 1, 1], Some(u32::MAX)).unwrap();
        let bound = solve(&problem, EFFORT);
        assert!(bound.price >= Price::ZERO);
        finite(&bound, &problem);
    }
}

#[test]
fn a_gift_that_is_limited_is_taken() {
    let mut problem = Problem::new(1, 1);
    problem.add_offer(GroupId(0), price(-5), &[1], Some(3)).unwrap();
    let bound = solve(&problem, EFFORT);
    assert_eq!(bound.price, price(-15));
    near(&bound.launch, &[3.0]);
}

#[test]
fn no_effort_still_gives_a_bound() {
    let mut problem = Problem::new(1, 1);
    let mask = problem.add_mask([GroupId(0)]).unwrap();
    problem.add_pending(mask, &[95]).unwrap();
    problem.add_offer(GroupId(0), price(100), &[10], None).unwrap();
    let bound = solve(&problem, 0);
    assert_eq!((bound.price, bound.optimal, bound.iterations), (price(100), false, 0));
    assert_eq!(solve(&problem, 1).price, price(950));
}

#[test]
fn what_is_malformed_is_refused_where_it_is_added() {
    let mut problem = Problem::new(2, 1);
    assert_eq!(problem.add_mask([GroupId(1)]), Err(Malformed::Group(1, 1)));
    assert_eq!(problem.add_pending(MaskId(0), &[1, 1]), Err(Malformed::Mask(0, 0)));
    let mask = problem.add_mask([GroupId(0)]).unwrap();
    assert_eq!(problem.add_pending(mask, &[1]), Err(Malformed::Amounts(1, 2)));
    let wrong = problem.add_node(node(0, 1), &[1, 1], [(mask, [1, 1]), (MaskId(9), [1, 1])]);
    assert_eq!(wrong, Err(Malformed::Mask(9, 1)));
    let right = problem.add_node(node(0, 1), &[1, 1], [(mask, [1, 1])]);
    assert_eq!(right, Ok(NodeId(0)));
    let unlimited = problem.add_offer(GroupId(0), price(-1), &[1, 1], None);
    assert_eq!(unlimited, Err(Malformed::Negative(-1)));
    assert_eq!(problem.add_offer(GroupId(0), price(-1), &[1, 1], Some(1)), Ok(OfferId(0)));
}
