//! The invariants catch what they are there for.

use restow_consolidation::settings::Name;
use restow_execution::{Action, Happened, Phase, Record, Violation};
use restow_model::Price;

use super::world::{World, seconds};

/// A cluster with a move that has just been proposed.
fn proposed() -> World {
    let mut world = World::new();
    for node in ["a", "b"] {
        world.node(node, "large");
        world.pods(node, node, 2, 500);
    }
    world.tick();
    assert!(!world.execution.records().is_empty());
    world
}

fn delete(world: &World, record: &Record) -> Action {
    let claim = record.sources[0].claim.clone();
    let mut claims = world.snapshot.node_claims.iter();
    let own = claims.find(|own| world.snapshot.text(own.meta.name) == claim).unwrap();
    Action::DeleteClaim { claim, uid: own.meta.uid }
}

#[test]
fn i1_a_source_that_goes_first() {
    let mut world = proposed();
    let mut record = world.execution.records()[0].clone();
    assert!(!record.launches.is_empty(), "a move with a replacement");
    record.phase = Phase::Draining;
    let found = world.check(&[delete(&world, &record)], &[record]);
    assert!(matches!(found[..], [Violation::SourceFirst { .. }, ..]), "{found:?}");
}

#[test]
fn i4_a_taint_that_nobody_wants() {
    let mut world = proposed();
    let record = world.execution.records()[0].clone();
    let (node, uid) = (record.sources[0].node.clone(), record.sources[0].uid);
    world.act(&Action::Taint { node: node.clone(), uid });
    world.invariants.resumed(&[]);
    assert_eq!(world.check(&[], &[]), []);
    world.snapshot.time = world.now().plus(seconds(3600));
    assert_eq!(world.check(&[], &[]), [Violation::TaintLeft { node }]);
}

#[test]
fn i5_a_node_in_two_moves() {
    let mut world = proposed();
    let record = world.execution.records()[0].clone();
    let other = Record { id: "other".to_owned(), ..record.clone() };
    let found = world.check(&[], &[record, other]);
    assert!(found.iter().any(|own| matches!(own, Violation::PromisedTwice { .. })), "{found:?}");
}

#[test]
fn i6_a_protected_pod() {
    let mut world = proposed();
    let mut record = world.execution.records()[0].clone();
    (record.phase, record.launches) = (Phase::Draining, Vec::new());
    let marks = world.labels(&[("karpenter.sh/do-not-disrupt", "true")]);
    let marks = world.snapshot.labels.share(marks);
    for pod in &mut world.snapshot.pods {
        pod.annotations = marks;
    }
    let found = world.check(&[delete(&world, &record)], &[record]);
    let protected =
        |own: &Violation| matches!(own, Violation::Protected { code: "DoNotDisruptPod", .. });
    assert!(found.iter().any(protected), "{found:?}");
}

#[test]
fn i9_what_is_lost_or_not_accounted_for() {
    let mut world = proposed();
    let record = world.execution.records()[0].clone();
    let id = record.id.clone();
    assert_eq!(world.check(&[], &[]), [Violation::Unaccounted { id: id.clone() }]);
    let over = Record { phase: Phase::Done, outcome: None, ..record };
    assert_eq!(world.check(&[], &[over]), [Violation::Unaccounted { id }]);
    let stray = Action::DeleteClaim { claim: "claim-a".to_owned(), uid: restow_model::Uid(1) };
    world.invariants.resumed(&[]);
    let object = "claim-a".to_owned();
    assert_eq!(world.check(&[stray], &[]), [Violation::Unexplained { object }]);
}

#[test]
fn i10_a_write_while_observing() {
    let mut world = proposed();
    let record = world.execution.records()[0].clone();
    world.set(Name::Mode, "observe");
    let note = Happened::Proposed { id: String::new(), promised: Price::ZERO };
    assert_eq!(world.check(&[Action::Note(note)], std::slice::from_ref(&record)), []);
    let write = Action::Write(Box::new(record.clone()));
    assert_eq!(world.check(&[write], &[record]), [Violation::WriteWhileObserving]);
}
