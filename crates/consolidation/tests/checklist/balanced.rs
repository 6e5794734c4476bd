//! The policy Balanced: `BAL`. What is about the formula alone is beside it in `value.rs`.

use restow_consolidation::settings::Name;
use restow_consolidation::{Reason, peer, value};
use restow_model::{Policy, Price};

use super::peer::{large, many, medium, one, pods, refusal, shop, small, why};
use crate::world::{World, dollars};

fn balanced() -> World {
    let mut world = shop();
    world.snapshot.node_pools[0].disruption.policy = Some(Policy::Balanced);
    world
}

fn approved(savings: f64, disruption: f64, price: f64, total: f64, k: f64) -> bool {
    value::score(savings, disruption, price, total).score >= 1.0 / k
}

#[test]
fn bal_1_to_5_scores_of_the_reference_pool() {
    for (savings, disruption, passes) in
        [(7.26, 4.0, true), (4.84, 5.0, true), (2.42, 9.0, false), (0.0, 11.0, false)]
    {
        assert_eq!(approved(savings, disruption, 58.08, 90.0, 2.0), passes, "{savings}");
    }
    assert!(value::score(2.42, 9.0, 48.40, 90.0).score + 1e-9 >= 0.5);
}

#[test]
fn bal_12_a_larger_k_lets_more_through() {
    let passes = [1.0, 2.0, 3.0].map(|k| approved(2.42, 9.0, 58.08, 90.0, k));
    assert_eq!(passes, [false, false, true]);
}

#[test]
fn bal_14_18_and_40_only_balanced_pools_are_scored() {
    // Replacing half a pool's disruption for a fourth of its price.
    let cluster = |policy| {
        let mut world = shop();
        world.sells("cheap", "4", "16Gi", "1.8");
        world.snapshot.node_pools[0].disruption.policy = Some(policy);
        let node = medium(&mut world, "a");
        world.pods(node, "app", 8, 450, 100);
        (world, node)
    };
    let (mut world, node) = cluster(Policy::WhenEmptyOrUnderutilized);
    assert_eq!(why(&mut world, node), "goes");
    assert_eq!(one(&mut world, node).unwrap().score, None);
    let (mut world, node) = cluster(Policy::Balanced);
    assert_eq!(why(&mut world, node), "ScoreBelowThreshold");
    world.set(Name::BalancedK, "20");
    assert_eq!(why(&mut world, node), "goes");
}

#[test]
fn bal_15_and_16_totals_are_those_of_all_nodes() {
    let mut world = balanced();
    let (a, b) = (medium(&mut world, "a"), medium(&mut world, "b"));
    let odd = world.node_as("c", "default", "medium", (4, 16), "on-demand", "nowhere");
    for (node, count) in [(a, 1), (b, 2), (odd, 3)] {
        pods(&mut world, node, "app", count);
    }
    super::peer::annotate_node(&mut world, b, "true");
    let (price, disruption) =
        world.fleet(|fleet, _| (fleet.pools[0].price, fleet.pools[0].disruption));
    assert_eq!((price, disruption), (dollars("4"), 2.0 + 3.0 + 4.0));
}

#[test]
fn bal_20_and_34_a_pool_of_one_node_may_go() {
    let mut world = balanced();
    let node = small(&mut world, "a");
    pods(&mut world, node, "app", 3);
    world.pool("other");
    let other = world.node("b", "other", "medium", (4, 16));
    pods(&mut world, other, "b", 1);
    let found = one(&mut world, node).unwrap();
    assert_eq!((found.replacements.len(), found.score), (0, Some(1.0)));
}

/// Two pools, each with a node that goes and one that stays.
fn two_pools(second: usize) -> (World, Vec<usize>) {
    let mut world = balanced();
    world.pool("other").disruption.policy = Some(Policy::Balanced);
    let a = medium(&mut world, "a");
    let b = world.node("b", "other", "large", (16, 64));
    pods(&mut world, a, "a", 1);
    pods(&mut world, b, "b", second);
    for (name, pool) in [("c", "default"), ("d", "other")] {
        world.node(name, pool, "large", (16, 64));
    }
    (world, vec![a, b])
}

#[test]
fn bal_21_savings_are_shared_by_price() {
    let (mut world, sources) = two_pools(1);
    // 5 of 10 dollars: 1 for the first pool of 10 with 2 of 3 units, 4 for the second of 16 with 2 of 3.
    let score = world.fleet(|fleet, _| {
        let (before, after) = (dollars("10"), dollars("5"));
        value::score_gate(fleet, &sources, before, after)
    });
    let Err(Reason::ScoreBelowThreshold { savings_share, disruption_share, .. }) = score else {
        panic!("a tenth for two thirds is too little");
    };
    assert_eq!((savings_share, disruption_share), (0.1, 2.0 / 3.0));
}

#[test]
fn bal_22_every_pool_must_approve() {
    let approves = |second: usize| {
        let (mut world, sources) = two_pools(second);
        world.fleet(|fleet, _| {
            value::score_gate(fleet, &sources, dollars("10"), Price::ZERO).is_ok()
        })
    };
    // With many pods the second pool would lose nearly all of its disruption for half of its price.
    assert!(!approves(60));
    let (mut world, sources) = two_pools(60);
    let alone = world.fleet(|fleet, _| {
        value::score_gate(fleet, &sources[1..], dollars("8"), Price::ZERO).is_ok()
    });
    assert!(alone, "the second pool approves by itself");
}

#[test]
fn bal_27_balanced_allows_every_move() {
    for policy in [Policy::Balanced, Policy::WhenEmptyOrUnderutilized] {
        let mut world = shop();
        world.snapshot.node_pools[0].disruption.policy = Some(policy);
        let node = medium(&mut world, "a");
        pods(&mut world, node, "app", 1);
        assert_eq!(refusal(&mut world, node), None);
    }
}

#[test]
fn bal_33_the_price_of_a_node_does_not_need_an_offer_that_is_available() {
    let mut world = balanced();
    let node = large(&mut world, "a");
    let price = world.fleet(|fleet, _| fleet.nodes[node].price());
    assert_eq!(price, dollars("8"));
}

#[test]
fn bal_35_and_38_deletions_where_pods_fit_else_replacements() {
    let mut world = balanced();
    let node = large(&mut world, "a");
    pods(&mut world, node, "app", 2);
    assert_eq!(one(&mut world, node).unwrap().replacements.len(), 1);
    let other = medium(&mut world, "b");
    pods(&mut world, other, "b", 2);
    assert!(one(&mut world, node).unwrap().replacements.is_empty());
    let third = medium(&mut world, "c");
    pods(&mut world, third, "c", 2);
    assert!(many(&mut world).unwrap().sources.len() >= 2);
    let passes = world.fleet(|fleet, _| peer::cannot_pass(fleet, node).is_none());
    assert!(passes);
}
