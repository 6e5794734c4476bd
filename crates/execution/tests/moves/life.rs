//! A move in a cluster where things get lost, come late, fail or change, and where whoever carries it out may die at any time.

use restow_execution::{Action, Execution, Failure, Judge, Observed, Outcome, Phase, Record};
use restow_model::{Price, Time};
use restow_testkit::Rng;

use super::world::{World, record};

/// Steps after which everything has to be over.
const STEPS: i64 = 400;

/// What may go wrong, each in percent of all chances.
#[derive(Clone, Copy, Default)]
struct Faults {
    /// Something to be done is not done.
    lost: u32,
    /// Whoever carries it out dies before the next thing is done.
    crash: u32,
    /// The cluster is seen as it was a step ago.
    stale: u32,
}

/// Agrees, or not.
struct Says {
    make: Result<(), &'static str>,
    drain: Result<(), &'static str>,
}

impl Judge for Says {
    fn would_make(&mut self, _: &Record) -> Result<(), &'static str> {
        self.make
    }

    fn may_drain(&mut self, _: &Record) -> Result<(), &'static str> {
        self.drain
    }

    fn next_to_go(&mut self, record: &Record) -> Vec<(usize, usize)> {
        (0..record.sources.len()).map(|at| (at, 1)).collect()
    }
}

const YES: Says = Says { make: Ok(()), drain: Ok(()) };

/// Lets time pass until everything is over; returns the record that is left, and the world.
fn live(
    mut world: World,
    mut says: Says,
    faults: Faults,
    stops: i64,
    seed: u64,
) -> (Record, World) {
    let first = world.written["m"].clone();
    let mut rng = Rng::new(seed);
    let mut execution = Execution::resume(world.written.values().cloned().collect());
    let mut before = world.snapshot.clone();
    for step in 0..STEPS {
        let stale = rng.below(100) < faults.stale;
        let seen = if stale { &before } else { &world.snapshot };
        let observed = Observed { snapshot: seen, paused: step >= stops, changed: None };
        let actions = execution.step(Time::from_seconds(world.now), &observed, &mut says);
        before = world.snapshot.clone();
        let mut crashed = false;
        for action in &actions {
            crashed = crashed || rng.below(100) < faults.crash;
            if crashed {
                break;
            }
            // What is not written is not done either: whoever cannot write stops there.
            if rng.below(100) < faults.lost {
                if matches!(action, Action::Write(_)) {
                    crashed = true;
                    break;
                }
                continue;
            }
            world.act(action, &first);
        }
        if crashed {
            execution = Execution::resume(world.written.values().cloned().collect());
        }
        world.pass_time();
    }
    let record = world.written["m"].clone();
    assert_eq!(execution.records(), std::slice::from_ref(&record), "seed {seed}: I9");
    (record, world)
}

fn outcome(record: &Record) -> Option<Failure> {
    record.outcome.clone().and_then(|own| own.failure)
}

#[test]
fn a_replacement_comes_before_its_sources_go() {
    let first = record(2, 1);
    let (record, world) = live(World::new(&first), YES, Faults::default(), i64::MAX, 1);
    assert_eq!(record.phase, Phase::Done);
    let realised = Price::from_nanos(300_000_000);
    assert_eq!(record.outcome, Some(Outcome { failure: None, realised }));
    assert_eq!(record.promised, realised);
    assert!(world.is_ready("m-0"));
    assert_eq!(world.snapshot.nodes.len(), 0);
}

#[test]
fn nothing_is_done_before_the_second_look() {
    let first = record(1, 1);
    let world = World::new(&first);
    let mut execution = Execution::resume(vec![first]);
    let observed = Observed { snapshot: &world.snapshot, paused: false, changed: None };
    for seconds in [0, 5, 10, 14] {
        let actions = execution.step(Time::from_seconds(seconds), &observed, &mut { YES });
        assert_eq!(actions, [], "after {seconds} s");
    }
    let actions = execution.step(Time::from_seconds(15), &observed, &mut { YES });
    let actions: Vec<Action> = actions.into_iter().filter(Action::is_write).collect();
    let [Action::Write(record), Action::Taint { .. }, Action::CreateClaim { .. }] = &actions[..]
    else {
        panic!("{actions:?}");
    };
    assert_eq!(record.phase, Phase::Launching);
}

#[test]
fn what_changed_since_is_not_done() {
    let says = Says { make: Err("PodsDoNotFit"), drain: Ok(()) };
    let (record, world) = live(World::new(&record(2, 1)), says, Faults::default(), i64::MAX, 1);
    assert_eq!(outcome(&record), Some(Failure::Refused { code: "PodsDoNotFit".to_owned() }));
    assert_eq!((record.phase, world.snapshot.nodes.len()), (Phase::RolledBack, 2));
}

#[test]
fn a_pod_that_may_not_go_any_more_takes_everything_back() {
    let says = Says { make: Ok(()), drain: Err("PdbBlocks") };
    let (record, world) = live(World::new(&record(2, 1)), says, Faults::default(), i64::MAX, 1);
    assert_eq!(outcome(&record), Some(Failure::Refused { code: "PdbBlocks".to_owned() }));
    assert_eq!((world.tainted(), world.snapshot.node_claims.len()), (0, 2));
}

#[test]
fn a_launch_that_fails_or_hangs_takes_everything_back() {
    let first = record(2, 2);
    let (mut fails, mut hangs) = (World::new(&first), World::new(&first));
    fails.fails = Some("m-1".to_owned());
    hangs.hangs = Some("m-0".to_owned());
    let (record, world) = live(fails, YES, Faults::default(), i64::MAX, 1);
    assert_eq!(outcome(&record), Some(Failure::NotLaunched { claim: "m-1".to_owned() }));
    assert_eq!((world.tainted(), world.snapshot.node_claims.len()), (0, 2));
    let (record, world) = live(hangs, YES, Faults::default(), i64::MAX, 1);
    assert_eq!(outcome(&record), Some(Failure::NotReady { claim: "m-0".to_owned() }));
    assert_eq!((world.tainted(), world.snapshot.node_claims.len()), (0, 2));
}

#[test]
fn who_is_asked_to_stop_takes_back_what_can_be_taken_back() {
    for stops in 0..40 {
        let first = record(2, 1);
        let (record, world) = live(World::new(&first), YES, Faults::default(), stops, 1);
        let whole = (world.snapshot.nodes.len(), world.snapshot.node_claims.len());
        match record.phase {
            Phase::RolledBack => {
                assert_eq!(outcome(&record), Some(Failure::Stopped), "after {stops} steps");
                assert_eq!((world.tainted(), whole), (0, (2, 2)), "after {stops} steps");
            }
            _ => assert_eq!((record.phase, whole), (Phase::Done, (0, 1)), "after {stops} steps"),
        }
    }
}

#[test]
fn whatever_goes_wrong_nothing_is_left_behind() {
    let (mut done, mut back) = (0, 0);
    for seed in 0..1000 {
        let mut rng = Rng::new(seed ^ 0xFA17);
        let first = record(1 + rng.below(3) as usize, rng.below(3) as usize);
        let mut world = World::new(&first);
        match rng.below(4) {
            0 if first.launches.len() > 1 => world.fails = Some("m-1".to_owned()),
            1 if !first.launches.is_empty() => world.hangs = Some("m-0".to_owned()),
            _ => {}
        }
        let stops = if rng.below(4) == 0 { i64::from(rng.below(60)) } else { i64::MAX };
        let faults = Faults { lost: rng.below(40), crash: rng.below(20), stale: rng.below(30) };
        let (record, world) = live(world, YES, faults, stops, seed);
        let (nodes, claims) = (world.snapshot.nodes.len(), world.snapshot.node_claims.len());
        assert_eq!(world.tainted(), 0, "seed {seed}: I4, a taint is left");
        match record.phase {
            Phase::Done => {
                // Who stops halfway leaves what has not gone yet.
                let all = nodes + first.launches.len();
                assert_eq!(claims, all, "seed {seed}: I4, a claim is left");
                assert!(nodes == 0 || outcome(&record).is_some(), "seed {seed}: {nodes} left");
                done += 1;
            }
            Phase::RolledBack => {
                let all = first.sources.len();
                assert_eq!((nodes, claims), (all, all), "seed {seed}: I4, a claim is left");
                back += 1;
            }
            phase => panic!("seed {seed}: still {phase:?} in the end"),
        }
    }
    assert!(done > 200 && back > 200, "{done} done, {back} taken back");
}
