//! When no more moves are started.

use restow_execution::brakes::{Brake, Brakes};
use restow_execution::{Failure, Outcome, Phase, Record};
use restow_model::{Pod, Price, Snapshot, Time};

use super::world::record;

/// A record of a move that is over, with what came of it.
fn over(id: &str, at: i64, parents: &[&str], failure: Option<Failure>) -> Record {
    let phase = if failure.is_some() { Phase::RolledBack } else { Phase::Done };
    Record {
        id: id.to_owned(),
        phase,
        since: Time::from_seconds(at),
        proposed: Time::from_seconds(at - 60),
        parents: parents.iter().map(|own| (*own).to_owned()).collect(),
        outcome: Some(Outcome { failure, realised: Price::ZERO }),
        ..record(1, 1)
    }
}

#[test]
fn launches_that_fail_again_and_again_are_a_reason_to_wait() {
    let failed = |at: i64| {
        let failure = Failure::NotLaunched { claim: String::new() };
        over(&format!("m-{at}"), at, &[], Some(failure))
    };
    let brakes = Brakes::default();
    let empty = Snapshot::default();
    let held = |records: &[Record], at: i64| brakes.hold(records, &empty, Time::from_seconds(at));
    assert_eq!(held(&[failed(0), failed(100)], 200), None);
    let three = [failed(0), failed(100), failed(500)];
    let until = Time::from_seconds(500 + 1800);
    assert_eq!(held(&three, 600), Some(Brake::Launches { failures: 3, until }));
    assert_eq!(held(&three, 2300), None);
    // Too far apart.
    assert_eq!(held(&[failed(0), failed(400), failed(800)], 900), None);
}

#[test]
fn replacements_that_are_replaced_are_a_reason_to_wait() {
    let brakes = Brakes::default();
    let chain =
        [over("a", 100, &[], None), over("b", 900, &["a"], None), over("c", 1800, &["b"], None)];
    let empty = Snapshot::default();
    let held = |records: &[Record], at: i64| brakes.hold(records, &empty, Time::from_seconds(at));
    assert_eq!(held(&chain[..2], 2000), None);
    let until = Time::from_seconds(1800 + 1800);
    assert_eq!(held(&chain, 2000), Some(Brake::Loop { generations: 3, until }));
    // One that stood for a day in between is no chain.
    let slow = [chain[0].clone(), over("b", 90_000, &["a"], None), over("c", 90_900, &["b"], None)];
    assert_eq!(held(&slow, 91_000), None);
}

#[test]
fn pods_that_wait_since_a_move_began_are_a_reason_to_wait() {
    let brakes = Brakes::default();
    let mut snapshot = Snapshot::default();
    for created in [50, 300] {
        let created = Time::from_seconds(created);
        snapshot.pods.push(Pod { created, unschedulable: true, ..Pod::default() });
    }
    let held =
        |records: &[Record], at: i64| brakes.hold(records, &snapshot, Time::from_seconds(at));
    let moved = [over("a", 200, &[], None)];
    assert_eq!(held(&moved, 310), None, "it may take a minute");
    assert_eq!(held(&moved, 360), Some(Brake::Pending { pods: 1 }), "the other one waited before");
    assert_eq!(held(&[], 360), None, "without a move it is not our doing");
    assert_eq!(held(&moved, 801), None, "the move is long over");
}
