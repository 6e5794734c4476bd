//! Replacements: `REP`.

use super::peer::{large, many, one, pods, requirement, shop, types, why, world};
use crate::world::{World, dollars};

/// A spot node at 1 dollar with a small pod, and so many cheaper spot types, the cheapest last.
fn spot(cheaper: usize) -> (World, usize) {
    let mut world = world();
    world.sells_as("own", "4", "16Gi", "1", "spot", "a");
    for number in 0..cheaper {
        let price = format!("0.{}", 900 - number);
        world.sells_as(&format!("t{number:02}"), "4", "16Gi", &price, "spot", "a");
    }
    world.pool("default");
    let node = world.node_as("a", "default", "own", (4, 16), "spot", "a");
    pods(&mut world, node, "app", 1);
    (world, node)
}

#[test]
fn rep_1_a_dear_node_becomes_a_cheaper_one() {
    let mut world = shop();
    let node = large(&mut world, "a");
    pods(&mut world, node, "app", 1);
    let found = one(&mut world, node).unwrap();
    assert_eq!(types(&mut world, &found), ["small", "medium"]);
    let (mut world, node) = spot(20);
    let found = one(&mut world, node).unwrap();
    assert!(!types(&mut world, &found).contains(&"own".to_owned()));
}

#[test]
fn rep_2_too_few_cheaper_spot_types() {
    let (mut world, node) = spot(14);
    assert_eq!(why(&mut world, node), "TooFewSpotOptions");
}

#[test]
fn rep_3_spot_to_spot_is_off() {
    let (mut world, node) = spot(20);
    world.set(restow_consolidation::settings::Name::SpotToSpot, "false");
    assert_eq!(why(&mut world, node), "SpotToSpotOff");
}

#[test]
fn rep_4_a_node_that_is_among_the_cheapest_stays() {
    let (mut world, _) = spot(20);
    let node = world.node_as("b", "default", "t05", (4, 16), "spot", "a");
    pods(&mut world, node, "b", 1);
    let full = world.pods(0, "full", 1, 3_900, 100);
    assert_eq!(full.len(), 1);
    assert_eq!(why(&mut world, node), "TooFewSpotOptions");
}

#[test]
fn rep_5_the_fifteen_cheapest_by_price() {
    let (mut world, node) = spot(18);
    let found = one(&mut world, node).unwrap();
    let expected: Vec<String> = (3..18).rev().map(|number| format!("t{number:02}")).collect();
    assert_eq!(types(&mut world, &found), expected);
}

fn with_min_values(cheaper: usize, least: u32) -> (World, usize) {
    let (mut world, node) = spot(cheaper);
    let names: Vec<String> = (0..cheaper).map(|number| format!("t{number:02}")).collect();
    let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
    names.push("own");
    let key = "node.kubernetes.io/instance-type";
    let wanted = requirement(&mut world, key, &names, Some(least));
    world.snapshot.node_pools[0].template.requirements.push(wanted);
    (world, node)
}

#[test]
fn rep_6_and_8_minimum_values_may_ask_for_more_than_fifteen() {
    for (least, kept) in [(16, 16), (10, 15)] {
        let (mut world, node) = with_min_values(18, least);
        let found = one(&mut world, node).unwrap();
        assert_eq!(types(&mut world, &found).len(), kept);
    }
}

#[test]
fn rep_9_the_price_leaves_too_few_values() {
    let (mut world, node) = with_min_values(15, 16);
    assert_eq!(why(&mut world, node), "MinValuesUnmet");
}

#[test]
fn rep_7_same_types_and_minimum_values_together() {
    let mut world = world();
    world.sells("one", "2", "8Gi", "0.5").sells("two", "2", "8Gi", "0.4");
    world.pool("default");
    let key = "node.kubernetes.io/instance-type";
    let wanted = requirement(&mut world, key, &["one", "two"], Some(2));
    world.snapshot.node_pools[0].template.requirements.push(wanted);
    for name in ["a", "b", "c"] {
        let node = world.node(name, "default", "one", (2, 8));
        world.pods(node, name, 1, 900, 100);
    }
    let plan = world.plan();
    assert_eq!(plan.moves[0].own.sources.len(), 1);
    assert!(plan.moves[0].own.replacements.is_empty());
    assert!(many(&mut world).is_none());
}

/// A node at 50 cents, and one type on these terms.
fn half(offers: &[(&str, &str, &str)], terms: &[&str]) -> (World, usize) {
    let mut world = world();
    world.sells("own", "4", "16Gi", "0.5");
    for (terms, zone, price) in offers {
        world.sells_as("other", "4", "16Gi", price, terms, zone);
    }
    world.pool("default");
    let wanted = requirement(&mut world, "karpenter.sh/capacity-type", terms, None);
    world.snapshot.node_pools[0].template.requirements.push(wanted);
    let node = world.node("a", "default", "own", (4, 16));
    pods(&mut world, node, "app", 1);
    (world, node)
}

#[test]
fn rep_16_the_dearest_zone_counts() {
    let both = ["spot", "on-demand"];
    let dear = [("spot", "a", "0.2"), ("spot", "b", "0.4"), ("spot", "c", "1.0")];
    let (mut world, node) = half(&dear, &both);
    assert_eq!(why(&mut world, node), "NoCheaperReplacement");
    let (mut world, node) = half(&dear[..2], &both);
    assert_eq!(one(&mut world, node).unwrap().after, dollars("0.2"));
}

#[test]
fn rep_17_and_bal_26_spot_prices_do_not_stand_in_for_others() {
    let offers = [("on-demand", "a", "0.6"), ("spot", "a", "0.2"), ("spot", "b", "0.3")];
    let (mut world, node) = half(&offers, &["on-demand"]);
    assert_eq!(why(&mut world, node), "NoCheaperReplacement");
}
