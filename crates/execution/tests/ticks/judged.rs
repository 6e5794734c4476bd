//! The second look, by the real rules.

use restow_consolidation::settings::Name;
use restow_execution::{Action, Failure, Happened, Phase, Record};

use super::world::World;

/// Two half-empty nodes of which one can take the pods of the other.
fn halves() -> World {
    let mut world = World::new();
    for node in ["a", "b"] {
        world.node(node, "medium");
        world.pods(node, node, 2, 500);
    }
    world
}

fn refused(happened: &[Happened]) -> Vec<&str> {
    happened
        .iter()
        .filter_map(|own| match own {
            Happened::Refused { code, .. } => Some(code.as_str()),
            _ => None,
        })
        .collect()
}

#[test]
fn a_move_is_carried_out_to_its_end() {
    let mut world = halves();
    let happened = world.run(600, 5);
    let done = happened.iter().filter(|own| matches!(own, Happened::Done { .. })).count();
    assert!(done >= 1, "{happened:?}");
    assert_eq!(refused(&happened), [] as [&str; 0]);
    assert_eq!(world.snapshot.nodes.len(), 1, "{:?}", world.nodes());
    assert!(world.snapshot.pods.iter().all(|pod| pod.is_finished() || pod.is_bound()));
    for record in world.execution.records() {
        let outcome = record.outcome.as_ref().unwrap();
        assert_eq!((record.phase, outcome.realised), (Phase::Done, record.promised));
    }
    // Then there is silence.
    let after = world.run(1200, 5);
    assert!(
        after.iter().all(|own| matches!(own, Happened::Searched { moves: 0, .. })),
        "{after:?}"
    );
}

#[test]
fn what_is_protected_since_the_plan_stays() {
    let mut world = halves();
    world.tick();
    assert_eq!(world.execution.records().len(), 1);
    let marks = world.labels(&[("karpenter.sh/do-not-disrupt", "true")]);
    let marks = world.snapshot.labels.share(marks);
    for pod in &mut world.snapshot.pods {
        pod.annotations = marks;
    }
    world.pass(15);
    let happened = world.run(30, 5);
    assert_eq!(refused(&happened), ["DoNotDisruptPod"]);
    assert_eq!(world.snapshot.nodes.len(), 2);
}

/// Pods that came since are placed freely, and where there is no room for all the move does not hold any more.
#[test]
fn what_has_no_room_any_more_does_not_hold() {
    let mut world = halves();
    world.tick();
    let source = world.execution.records()[0].sources[0].node.clone();
    let other = if source == "a" { "b" } else { "a" };
    world.pods(other, "late", 1, 2800);
    world.pass(15);
    let happened = world.run(30, 5);
    assert_eq!(refused(&happened), ["ChangedSincePlan"]);
    world.set(Name::Mode, "act");
    let failure = |own: &Record| own.outcome.clone().and_then(|own| own.failure);
    let first = failure(&world.execution.records()[0]);
    assert!(matches!(first, Some(Failure::Refused { .. })), "{first:?}");
}

/// A move is confirmed as it was packed: two nodes that are full to the last drop become one.
#[test]
fn a_tight_move_is_confirmed_as_it_was_packed() {
    let mut world = World::new();
    for node in ["a", "b", "c", "d"] {
        world.node(node, "medium");
    }
    // Together exactly what one large node holds, in pieces that first fit does not pack.
    for (node, sizes) in
        [("a", [1500, 700]), ("b", [1300, 500]), ("c", [1100, 900]), ("d", [1700, 300])]
    {
        for (at, size) in sizes.into_iter().enumerate() {
            world.pods(node, &format!("{node}{at}"), 1, size);
        }
    }
    let happened = world.run(900, 5);
    assert_eq!(refused(&happened), [] as [&str; 0]);
    let done = happened.iter().filter(|own| matches!(own, Happened::Done { .. })).count();
    assert!(done > 0, "{happened:?}");
    assert!(world.snapshot.pods.iter().all(|pod| pod.is_finished() || pod.is_bound()));
}

/// Design 3.7: sources of one move that share a disruption budget of pods go one after another.
#[test]
fn sources_that_share_a_budget_of_pods_go_one_after_another() {
    let mut world = World::new();
    for node in ["a", "b", "c"] {
        world.node(node, "medium");
        world.pods(node, "api", 1, 1200);
        world.pods(node, node, 1, 100);
    }
    world.pdb("api", 1);
    let mut deleted = Vec::new();
    for _ in 0..200 {
        let actions = world.tick();
        let claims = actions.iter().filter_map(|own| match own {
            Action::DeleteClaim { claim, .. } => Some(claim.clone()),
            _ => None,
        });
        let now: Vec<String> = claims.collect();
        assert!(now.len() <= 1, "{now:?} at once");
        deleted.extend(now);
        world.pass(5);
    }
    assert!(deleted.len() >= 2, "{deleted:?}");
}

#[test]
fn in_mode_observe_nothing_is_done() {
    let mut world = halves();
    world.set(Name::Mode, "observe");
    for _ in 0..20 {
        let actions = world.tick();
        assert!(actions.iter().all(|own| !own.is_write()), "{actions:?}");
        world.pass(15);
    }
    assert!(world.execution.records().is_empty());
}

#[test]
fn who_is_paused_begins_nothing_and_takes_back_what_is_under_way() {
    let mut world = halves();
    world.tick();
    world.paused = true;
    world.run(60, 5);
    assert_eq!(world.execution.records()[0].phase, Phase::RolledBack);
    world.run(600, 5);
    assert_eq!(world.execution.records().len(), 1);
    world.paused = false;
    world.run(600, 5);
    assert_eq!(world.snapshot.nodes.len(), 1);
}
