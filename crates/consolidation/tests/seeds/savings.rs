//! Seed 001: savings must be worth the disruption.

use restow_consolidation::settings::Name;
use restow_consolidation::{Outcome, Reason};
use restow_model::Price;

use crate::world::{World, dollars};

/// The block of issue #7146: an m6a.large at $0.086 with 5 pods, and one cheaper type to replace it with.
fn issue_7146(replacement: &str) -> (World, usize) {
    let mut world = World::new();
    world.sells("m6a.large", "2", "8Gi", "0.086").sells("other.large", "2", "8Gi", replacement);
    world.pool("default");
    let node = world.node("a", "default", "m6a.large", (2, 8));
    world.pods(node, "api", 5, 200, 512);
    // Another app keeps the floor out of the way.
    world.set(Name::WorkloadFloor, "off");
    (world, node)
}

fn reason(world: &mut World, node: usize) -> Reason {
    world.verdict(node).reasons[0].clone()
}

#[test]
fn six_tenths_of_a_cent_do_not_pay() {
    let (mut world, node) = issue_7146("0.080");
    world.set(Name::SavingsThresholdCents, "1");
    assert_eq!(
        reason(&mut world, node),
        Reason::SavingsBelowThreshold {
            savings: dollars("0.006"),
            required: dollars("0.06"),
            cost: 6.0,
            threshold: Some(dollars("0.01")),
        }
    );
}

#[test]
fn with_threshold_zero_they_do() {
    let (mut world, node) = issue_7146("0.080");
    assert_eq!(world.outcome(node).0, Outcome::Consolidate);
    let plan = world.plan();
    assert_eq!(plan.savings(), dollars("0.006"));
}

#[test]
fn the_boundary_is_at_six_cents() {
    let (mut world, node) = issue_7146("0.038");
    world.set(Name::SavingsThresholdCents, "1");
    let Reason::SavingsBelowThreshold { savings, required, .. } = reason(&mut world, node) else {
        panic!("4.8 cents are less than 6.0");
    };
    assert_eq!((savings, required), (dollars("0.048"), dollars("0.06")));
    let (mut world, node) = issue_7146("0.026");
    world.set(Name::SavingsThresholdCents, "1");
    assert_eq!(world.outcome(node).0, Outcome::Consolidate);
    let plan = world.plan();
    assert_eq!(plan.moves[0].own.savings(), dollars("0.06"));
    assert_eq!(plan.moves[0].own.required, dollars("0.06"));
}

/// Equal prices never qualify, whatever the threshold.
#[test]
fn no_savings_no_move() {
    let (mut world, node) = issue_7146("0.086");
    assert_eq!(world.outcome(node), (Outcome::Kept, "NoCheaperReplacement"));
}

/// Two pools: 15 cents for the critical node and 11 for the batch node make 26; the savings are 10.
#[test]
fn thresholds_of_two_pools_add_up() {
    let mut world = World::new();
    world.sells("half", "8", "32Gi", "0.50").sells("merged", "16", "64Gi", "0.90");
    world.pool("critical");
    world.pool("batch");
    world.set_in("critical", Name::SavingsThresholdCents, "5");
    world.set_in("batch", Name::SavingsThresholdCents, "1");
    let a = world.node("a", "critical", "half", (8, 32));
    let b = world.node("b", "batch", "half", (8, 32));
    world.pods(a, "a", 2, 2000, 1024);
    world.pods(b, "b", 10, 500, 1024);
    let (required, gate) = world.fleet(|fleet, _| {
        (
            restow_consolidation::value::required(fleet, &[a, b]),
            restow_consolidation::value::savings_gate(
                fleet,
                &[a, b],
                dollars("1.00"),
                dollars("0.90"),
            ),
        )
    });
    assert_eq!(required, dollars("0.26"));
    assert_eq!(
        gate,
        Err(Reason::SavingsBelowThreshold {
            savings: dollars("0.10"),
            required: dollars("0.26"),
            cost: 14.0,
            threshold: None,
        })
    );
    // With threshold 0 for the batch pool 15 cents are left, which is still more than 10.
    world.set_in("batch", Name::SavingsThresholdCents, "0");
    let required = world.fleet(|fleet, _| restow_consolidation::value::required(fleet, &[a, b]));
    assert_eq!(required, dollars("0.15"));
}

/// The table of the configuration guidance.
#[test]
fn guidance_table() {
    for (threshold, five, fifteen) in [("1", 6, 16), ("5", 30, 80), ("10", 60, 160)] {
        for (pods, cents) in [(5, five), (15, fifteen)] {
            let mut world = World::new();
            world.sells("large", "16", "64Gi", "1");
            world.pool("default");
            let node = world.node("a", "default", "large", (16, 64));
            world.pods(node, "api", pods, 100, 128);
            world.set(Name::SavingsThresholdCents, threshold);
            let required =
                world.fleet(|fleet, _| restow_consolidation::value::required(fleet, &[node]));
            assert_eq!(required, Price::from_nanos(cents * 10_000_000), "{threshold} {pods}");
        }
    }
}

/// An empty node has a cost of one, so that the threshold applies to it too.
#[test]
fn an_empty_node_costs_one() {
    let mut world = World::new();
    world.sells("tiny", "2", "8Gi", "0.04");
    world.pool("default");
    let node = world.node("a", "default", "tiny", (2, 8));
    world.set(Name::SavingsThresholdCents, "5");
    assert_eq!(world.outcome(node), (Outcome::Kept, "SavingsBelowThreshold"));
    world.set(Name::SavingsThresholdCents, "4");
    assert_eq!(world.outcome(node).0, Outcome::Consolidate);
}

/// Spot to spot: of the cheaper types only those that clear the threshold count for the rule of fifteen.
#[test]
fn flexibility_is_counted_after_the_threshold() {
    let spot = |cheap: usize| {
        let mut world = World::new();
        world.sells_as("old", "8", "32Gi", "0.50", "spot", "a");
        for at in 0..cheap {
            world.sells_as(&format!("good{at:02}"), "4", "16Gi", "0.20", "spot", "a");
        }
        for at in 0..20 {
            world.sells_as(&format!("meh{at:02}"), "4", "16Gi", "0.49", "spot", "a");
        }
        world.pool("default");
        let node = world.node_as("a", "default", "old", (8, 32), "spot", "a");
        world.pods(node, "api", 5, 300, 512);
        world.set(Name::SavingsThresholdCents, "2").set(Name::WorkloadFloor, "off");
        (world, node)
    };
    let (mut world, node) = spot(15);
    assert_eq!(world.outcome(node), (Outcome::Kept, "SpotToSpotOff"));
    world.set(Name::SpotToSpot, "true");
    let plan = world.plan();
    assert_eq!(plan.moves[0].own.replacements[0].instance_types.len(), 15);
    let (mut world, node) = spot(14);
    world.set(Name::SpotToSpot, "true");
    assert_eq!(reason(&mut world, node), Reason::TooFewSpotOptions { options: 14, least: 15 });
}
