//! When no more moves are started.

use restow_execution::{Brake, Brakes, Failure, Held, Moving, Outcome, Phase, Record};
use restow_model::{GoDuration, Price, Time};

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

fn held(records: &[Record], at: i64) -> Vec<Held> {
    let half_an_hour = |_: &str| GoDuration::from_seconds(1800);
    Brakes::default().hold(records, &half_an_hour, Time::from_seconds(at))
}

fn in_default(brake: Brake) -> Vec<Held> {
    vec![Held { pool: Some("default".to_owned()), brake }]
}

/// A move that was taken back since its replacement, in a pool, could not be had.
fn failed(at: i64, pool: &str) -> Record {
    let failure = Failure::NotLaunched { claim: "m-0".to_owned() };
    let mut record = over(&format!("m-{at}"), at, &[], Some(failure));
    pool.clone_into(&mut record.launches[0].pool);
    record
}

#[test]
fn launches_that_fail_again_and_again_are_a_reason_to_wait() {
    let failed = |at: i64| failed(at, "default");
    assert_eq!(held(&[failed(0), failed(100)], 200), []);
    let three = [failed(0), failed(100), failed(500)];
    let until = Time::from_seconds(500 + 1800);
    assert_eq!(held(&three, 600), in_default(Brake::Launches { failures: 3, until }));
    assert_eq!(held(&three, 2300), []);
    // Too far apart.
    assert_eq!(held(&[failed(0), failed(400), failed(800)], 900), []);
}

#[test]
fn launches_that_fail_in_several_pools_are_a_reason_to_wait_everywhere() {
    let one = held(&[failed(0, "a"), failed(100, "a"), failed(500, "a")], 600);
    assert_eq!(one.iter().map(|own| own.pool.as_deref()).collect::<Vec<_>>(), [Some("a")]);
    let all = held(&[failed(0, "a"), failed(100, "b"), failed(500, "a")], 600);
    assert_eq!(all.iter().map(|own| own.pool.as_deref()).collect::<Vec<_>>(), [None]);
    assert!(Brake::of(&all, "c").is_some());
    assert!(Brake::of(&one, "c").is_none());
}

#[test]
fn replacements_that_are_replaced_are_a_reason_to_wait() {
    let chain =
        [over("a", 100, &[], None), over("b", 900, &["a"], None), over("c", 1800, &["b"], None)];
    assert_eq!(held(&chain[..2], 2000), []);
    let until = Time::from_seconds(1800 + 1800);
    assert_eq!(held(&chain, 2000), in_default(Brake::Loop { generations: 3, until }));
    // One that stood for a day in between is no chain.
    let slow = [chain[0].clone(), over("b", 90_000, &["a"], None), over("c", 90_900, &["b"], None)];
    assert_eq!(held(&slow, 91_000), []);
}

/// User needs A6: the same pods twice within an hour, and the bill did not fall.
#[test]
fn pods_that_are_moved_again_for_nothing_are_a_reason_to_wait() {
    let moved = |id: &str, at: i64, bill: i64, before: Option<i64>| {
        let mut record = over(id, at, &[], None);
        record.sources[0].went = Some(Time::from_seconds(at - 10));
        record.bill = Price::from_nanos(bill);
        record.pods = vec![Moving {
            pod: ("web".to_owned(), format!("api-{at}")),
            owner: Some(("ReplicaSet".to_owned(), "api".to_owned())),
            moved: before.map(Time::from_seconds),
            from: "node-0".to_owned(),
            to: "m-0".to_owned(),
        }];
        record
    };
    let until = Time::from_seconds(890 + 1800);
    let again = [moved("a", 300, 1000, None), moved("b", 900, 1000, Some(290))];
    assert_eq!(held(&again, 1000), in_default(Brake::Loop { generations: 2, until }));
    // What is over for long neither holds nor hides anything.
    let before = [moved("z", -90_000, 1000, None), again[0].clone(), again[1].clone()];
    assert_eq!(held(&before, 1000), in_default(Brake::Loop { generations: 2, until }));
    assert_eq!(held(&before, 2689).len(), 1);
    assert_eq!(held(&before, 2690), []);
    let others = [moved("a", 300, 1000, None), moved("b", 900, 1000, None)];
    assert_eq!(held(&others, 1000), [], "other pods of the same controller");
    let cheaper = [moved("a", 300, 1000, None), moved("b", 900, 900, Some(290))];
    assert_eq!(held(&cheaper, 1000), []);
    let later = [moved("a", 300, 1000, None), moved("b", 9000, 1000, Some(290))];
    assert_eq!(held(&later, 9100), []);
}

/// User needs S3.
#[test]
fn pods_that_waited_after_a_move_are_a_reason_to_wait_in_its_pools() {
    let mut moved = over("a", 200, &[], None);
    assert_eq!(held(std::slice::from_ref(&moved), 310), []);
    moved.trouble = Some(Time::from_seconds(300));
    let until = Time::from_seconds(300 + 1800);
    let held = held(&[moved], 310);
    assert_eq!(held, in_default(Brake::Pending { until }));
    assert!(Brake::of(&held, "other").is_none());
}
