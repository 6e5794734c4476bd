//! A savings threshold that finds itself.

use restow_execution::{Adaptive, Outcome, Phase, Record, Source};
use restow_model::{Price, Time, Uid};

use super::world::{START, World, seconds};

const DAY: i64 = 24 * 3600;

fn cents(tenths: i64) -> Price {
    Price::from_nanos(tenths * 1_000_000)
}

/// A move that was carried out, of a node that another had launched.
fn moved(id: &str, at: i64, claim: &str, launches: &str) -> Record {
    let at = Time::from_seconds(at);
    Record {
        id: id.to_owned(),
        phase: Phase::Done,
        since: at,
        proposed: at.minus(seconds(60)),
        sources: vec![Source {
            node: format!("node-{id}"),
            uid: Uid(1),
            claim: claim.to_owned(),
            pool: "default".to_owned(),
            price: cents(200),
            threshold: Price::ZERO,
            evictions: 1,
            went: Some(at),
        }],
        launches: vec![restow_execution::Launch {
            claim: launches.to_owned(),
            pool: "default".to_owned(),
            instance_types: Vec::new(),
            zones: Vec::new(),
            capacity_types: Vec::new(),
            price: cents(100),
            seen: true,
        }],
        pods: Vec::new(),
        promised: cents(100),
        required: Price::ZERO,
        bill: cents(1000),
        parents: Vec::new(),
        trouble: None,
        outcome: Some(Outcome { failure: None, realised: cents(100) }),
    }
}

#[test]
fn churn_doubles_the_threshold_and_calm_lowers_it() {
    let mut adaptive = Adaptive::default();
    let see = |adaptive: &mut Adaptive, records: &[Record], at: i64, blocked: bool| {
        let pools = [("default", Price::ZERO, blocked)].into_iter();
        adaptive.observe(Time::from_seconds(at), records, pools);
        adaptive.threshold("default").unwrap()
    };
    let chain = [
        moved("a", 100, "x", "a-0"),
        moved("b", 1000, "a-0", "b-0"),
        moved("c", 2000, "b-0", "c-0"),
    ];
    assert_eq!(see(&mut adaptive, &[], 50, false), Price::ZERO);
    assert_eq!(see(&mut adaptive, &chain[..1], 200, false), Price::ZERO);
    assert_eq!(see(&mut adaptive, &chain[..2], 1100, false), cents(5));
    assert_eq!(see(&mut adaptive, &chain[..2], 1200, false), cents(5), "each counts once");
    assert_eq!(see(&mut adaptive, &chain, 2100, false), cents(10));
    // A day of calm: it falls if it keeps something from being saved.
    assert_eq!(see(&mut adaptive, &chain, 2000 + DAY, false), cents(10));
    assert_eq!(see(&mut adaptive, &chain, 2000 + 2 * DAY, true), Price::from_nanos(7_500_000));
    assert_eq!(see(&mut adaptive, &chain, 2100 + 2 * DAY, true), Price::from_nanos(7_500_000));
    for day in 3..9 {
        see(&mut adaptive, &chain, 2000 + day * DAY, true);
    }
    assert_eq!(see(&mut adaptive, &chain, 2000 + 9 * DAY, true), Price::ZERO);
}

#[test]
fn a_new_leader_starts_from_the_last_move() {
    let mut last = moved("a", 100, "x", "a-0");
    last.sources[0].threshold = cents(20);
    let mut adaptive = Adaptive::default();
    let pools = [("default", Price::ZERO, false)].into_iter();
    adaptive.observe(Time::from_seconds(500), &[last], pools);
    assert_eq!(adaptive.threshold("default"), Some(cents(20)));
}

/// The threshold that was found is the one that moves are measured by.
#[test]
fn the_loop_plans_by_it() {
    for (threshold, moves) in [(Price::ZERO, true), (Price::from_nanos(2_000_000_000), false)] {
        let mut world = World::new();
        for node in ["a", "b"] {
            world.node(node, "medium");
            world.pods(node, node, 2, 500);
        }
        let mut adaptive = Adaptive::default();
        adaptive.observe(START, &[], [("default", threshold, false)].into_iter());
        world.execution.adaptive = Some(adaptive);
        world.tick();
        assert_eq!(!world.execution.records().is_empty(), moves, "{threshold}");
    }
}
