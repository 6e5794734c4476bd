//! Seed 002: a node that was evaluated in vain is left alone for a while.

use restow_consolidation::Outcome;
use restow_consolidation::settings::Name;
use restow_model::{GoDuration, Time};

use crate::world::{NOW, World};

/// A node whose last pod event was `ago` seconds ago and that was evaluated `evaluated` seconds ago.
fn node(ago: i64, evaluated: Option<i64>) -> (World, usize) {
    let mut world = World::new();
    world.sells("dear", "4", "16Gi", "1").sells("cheap", "4", "16Gi", "0.5");
    world.pool("default").disruption.consolidate_after = "30s".parse().ok();
    let node = world.node("a", "default", "dear", (4, 16));
    world.pods(node, "api", 2, 500, 512);
    world.set(Name::ConsolidationGracePeriod, "5m").set(Name::WorkloadFloor, "off");
    let before = |seconds: i64| NOW.minus(GoDuration::from_seconds(seconds));
    world.claim(node).last_pod_event = Some(before(ago));
    if let Some(evaluated) = evaluated {
        let time: Time = before(evaluated);
        let key = world.snapshot.strings.intern("restow.dev/evaluated-at");
        let value = world.snapshot.strings.intern(&time.to_string());
        let labels = restow_model::Labels::new(vec![(key, value)]);
        world.claim(node).meta.annotations = labels;
    }
    (world, node)
}

/// T=0 a pod is scheduled; until T=30s `consolidateAfter` protects the node.
#[test]
fn before_it_is_quiet() {
    let (mut world, at) = node(20, None);
    assert_eq!(world.outcome(at), (Outcome::Blocked, "RecentPodEvent"));
    assert_eq!(world.verdict(at).reasons[0].until(), Some(NOW.plus(GoDuration::from_seconds(10))));
}

/// T=30s: evaluated, and consolidated if that pays.
#[test]
fn without_a_record_it_is_evaluated() {
    let (mut world, at) = node(30, None);
    assert_eq!(world.outcome(at).0, Outcome::Consolidate);
}

/// Evaluated in vain at T=30s it is protected until T=5m30s.
#[test]
fn after_an_evaluation_it_is_protected() {
    let (mut world, at) = node(60, Some(30));
    assert_eq!(world.outcome(at), (Outcome::Blocked, "InGracePeriod"));
    assert_eq!(world.verdict(at).reasons[0].until(), Some(NOW.plus(GoDuration::from_seconds(270))));
}

/// T=5m30s: evaluated again.
#[test]
fn the_protection_ends() {
    let (mut world, at) = node(330, Some(300));
    assert_eq!(world.outcome(at).0, Outcome::Consolidate);
}

/// A pod event ends the protection: what counts is the evaluation since then.
#[test]
fn a_pod_event_ends_it() {
    let (mut world, at) = node(40, Some(100));
    assert_eq!(world.outcome(at).0, Outcome::Consolidate);
}

/// `Never` is the same as not setting it.
#[test]
fn never_is_off() {
    let (mut world, at) = node(60, Some(30));
    world.set(Name::ConsolidationGracePeriod, "Never");
    assert_eq!(world.outcome(at).0, Outcome::Consolidate);
}
