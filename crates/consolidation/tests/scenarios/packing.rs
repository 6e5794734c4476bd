//! S8, S9, S10: moves that should be found.

use restow_consolidation::settings::Name;
use restow_consolidation::{Ask, Board, Outcome, Reason};
use restow_scheduling::Reason as Misfit;

use crate::world::{World, dollars};

/// S8: two half-used c5a.xlarge fit one m6a.xlarge, which is cheaper than both.
fn pair(mib: i64) -> World {
    let mut world = World::new();
    world.sells("c5a.xlarge", "4", "8Gi", "0.154").sells("m6a.xlarge", "4", "16Gi", "0.1728");
    world.pool("default");
    for name in ["a", "b"] {
        let node = world.node(name, "default", "c5a.xlarge", (4, 8));
        world.pods(node, &format!("app-{name}"), 4, 450, mib);
    }
    world.set(Name::ScaledownUtilizationThreshold, "1").set(Name::WorkloadFloor, "off");
    world
}

#[test]
fn s8_two_become_one() {
    let mut world = pair(1800);
    let plan = world.plan();
    assert_eq!(plan.savings(), dollars("0.1352"));
    assert_eq!(plan.moves.len(), 1);
    let own = &plan.moves[0].own;
    assert_eq!((own.sources.len(), own.replacements.len()), (2, 1));
    assert_eq!(own.method().name(), "multi-node");
}

/// When it does not fit, nothing is moved and the reason says by how much: a pod of 1950 MiB finds 392 MiB free.
#[test]
fn s8_and_if_it_does_not_fit_the_shortage_is_known() {
    let mut world = pair(1950);
    world.set(Name::MaxReplacements, "0");
    assert!(world.plan().moves.is_empty());
    let reason = world.fleet(|fleet, offers| {
        let ask = Ask { nearest_miss: true, ..Ask::OWN };
        Board::new(fleet, offers).assess(&[0], ask).unwrap_err()
    });
    let Reason::PodsDoNotFit { pod: Some(_), pods: 4, miss: Some(miss) } = reason else {
        panic!("four pods fit nowhere: {reason:?}");
    };
    let missing: Vec<i64> = miss
        .nodes
        .iter()
        .filter_map(|own| match &own.reason {
            Misfit::InsufficientResources { shortages } => Some(shortages[0].missing() >> 20),
            _ => None,
        })
        .collect();
    assert_eq!(missing, [1558]);
}

/// S9: sixteen nodes at 4 cents against one at 65: a fee of 3 cents per node turns the answer around.
fn sixteen(fee: &str) -> World {
    let mut world = World::new();
    world.sells("large", "2", "8Gi", "0.04").sells("8xlarge", "32", "128Gi", "0.65");
    world.node_fee(fee);
    world.pool("default");
    for at in 0..16 {
        let node = world.node(&format!("n{at:02}"), "default", "large", (2, 8));
        world.pods(node, &format!("app{at:02}"), 2, 950, 3800);
    }
    world.set(Name::ScaledownUtilizationThreshold, "1").set(Name::WorkloadFloor, "off");
    world
}

#[test]
fn s9_without_a_fee_sixteen_stay() {
    assert!(sixteen("0").plan().moves.is_empty());
}

#[test]
fn s9_with_a_fee_they_merge() {
    let plan = sixteen("0.03").plan();
    assert_eq!(plan.savings(), dollars("0.44"));
    assert_eq!((plan.before.nodes, plan.after.nodes), (16, 1));
}

/// S10: an oversized node needs two small ones, which the peer refuses and we do not.
#[test]
fn s10_one_becomes_two() {
    let mut world = World::new();
    world.sells("m6a.8xlarge", "32", "128Gi", "1.3824");
    world.sells("m6a.2xlarge", "8", "32Gi", "0.3456").sells("c6a.large", "2", "4Gi", "0.0765");
    world.pool("default");
    let node = world.node("big", "default", "m6a.8xlarge", (32, 128));
    world.pods(node, "small", 4, 940, 175);
    world.pods(node, "middle", 4, 940, 1050);
    world.pods(node, "large", 2, 940, 6450);
    world.set(Name::WorkloadFloor, "off");
    let plan = world.plan();
    assert_eq!(plan.moves.len(), 1);
    let own = &plan.moves[0].own;
    assert_eq!(own.replacements.len(), 2);
    assert_eq!(own.method().name(), "global");
    assert!(own.savings().dollars() >= 0.6 * 1.3824, "{}", own.savings());
    // With one replacement at most, as the peer and the seed have it, it stays.
    world.set(Name::MaxReplacements, "1");
    assert_eq!(world.outcome(node), (Outcome::Kept, "TooManyReplacements"));
}
