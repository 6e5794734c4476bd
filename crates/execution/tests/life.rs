//! A move in a cluster where things get lost, come late, fail or change, and where whoever carries it out may die at any time.

use std::collections::BTreeMap;

use restow_execution::action::DISRUPTING;
use restow_execution::brakes::{Brake, Brakes};
use restow_execution::{
    Action, Execution, Failure, Judge, Launch, Observed, Outcome, Phase, Record, Source,
};
use restow_model::{
    Condition, Effect, Meta, Node, NodeClaim, Pod, Price, Snapshot, Str, Taint, Time, Truth, Uid,
};
use restow_testkit::Rng;

/// Seconds between steps.
const STEP: i64 = 5;

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

struct World {
    now: i64,
    snapshot: Snapshot,
    written: BTreeMap<String, Record>,
    /// When claims were asked for, and when they began to go.
    asked: BTreeMap<String, i64>,
    going: BTreeMap<String, i64>,
    /// A replacement whose launch fails, and one that never gets ready.
    fails: Option<String>,
    hangs: Option<String>,
    uids: u128,
}

fn record(sources: usize, launches: usize) -> Record {
    let source = |at: usize| Source {
        node: format!("node-{at}"),
        uid: Uid(at as u128 + 1),
        claim: format!("claim-{at}"),
        price: Price::from_nanos(200_000_000),
    };
    let launch = |at: usize| Launch {
        claim: format!("m-{at}"),
        pool: "default".to_owned(),
        instance_types: vec!["m6a.large".to_owned()],
        zones: vec!["a".to_owned()],
        capacity_types: vec!["on-demand".to_owned()],
        price: Price::from_nanos(100_000_000),
        seen: false,
    };
    Record {
        id: "m".to_owned(),
        phase: Phase::Validating,
        since: Time::from_seconds(0),
        proposed: Time::from_seconds(0),
        sources: (0..sources).map(source).collect(),
        launches: (0..launches).map(launch).collect(),
        pods: Vec::new(),
        promised: Price::from_nanos(200_000_000 * sources as i64 - 100_000_000 * launches as i64),
        required: Price::ZERO,
        parents: Vec::new(),
        outcome: None,
    }
}

impl World {
    fn new(record: &Record) -> Self {
        let mut world = Self {
            now: 0,
            snapshot: Snapshot::default(),
            written: BTreeMap::from([(record.id.clone(), record.clone())]),
            asked: BTreeMap::new(),
            going: BTreeMap::new(),
            fails: None,
            hangs: None,
            uids: 1000,
        };
        for source in &record.sources {
            world.add_node(&source.node, source.uid);
            world.add_claim(&source.claim, &source.node, &["Launched", "Initialized"]);
        }
        world
    }

    fn add_node(&mut self, name: &str, uid: Uid) {
        let name = self.snapshot.strings.intern(name);
        let meta = Meta { name, uid, ..Meta::default() };
        self.snapshot.nodes.push(Node { meta, ..Node::default() });
    }

    fn add_claim(&mut self, name: &str, node: &str, conditions: &[&str]) {
        self.uids += 1;
        let [name, node] = [name, node].map(|text| self.snapshot.strings.intern(text));
        let meta = Meta { name, uid: Uid(self.uids), ..Meta::default() };
        let mut claim = NodeClaim { meta, node, ..NodeClaim::default() };
        for kind in conditions {
            claim.conditions.push(self.condition(kind));
        }
        self.snapshot.node_claims.push(claim);
    }

    fn condition(&mut self, kind: &str) -> Condition {
        let kind = self.snapshot.strings.intern(kind);
        Condition { kind, truth: Truth::True, reason: Str::EMPTY, changed: None }
    }

    fn claim(&self, name: &str) -> Option<&NodeClaim> {
        let name = self.snapshot.strings.get(name)?;
        self.snapshot.node_claims.iter().find(|own| own.meta.name == name)
    }

    fn is_ready(&self, name: &str) -> bool {
        let kind = self.snapshot.strings.get("Initialized");
        self.claim(name).is_some_and(|own| own.conditions.iter().any(|own| Some(own.kind) == kind))
    }

    fn set_taint(&mut self, node: &str, uid: Uid, on: bool) {
        let [node, key] = [node, DISRUPTING].map(|text| self.snapshot.strings.intern(text));
        let nodes = self.snapshot.nodes.iter_mut();
        for own in nodes.filter(|own| own.meta.name == node && own.meta.uid == uid) {
            own.taints.retain(|taint| taint.key != key);
            if on {
                let taint = Taint { key, value: Str::EMPTY, effect: Effect::NoSchedule };
                own.taints.push(taint);
            }
        }
    }

    /// Does what is asked, and checks that it may be done.
    fn act(&mut self, action: &Action, first: &Record) {
        match action {
            Action::Write(record) => {
                self.written.insert(record.id.clone(), (**record).clone());
            }
            Action::Taint { node, uid } => self.set_taint(node, *uid, true),
            Action::Untaint { node, uid } => self.set_taint(node, *uid, false),
            Action::CreateClaim { launch, .. } => {
                if self.claim(&launch.claim).is_none() {
                    self.add_claim(&launch.claim, "", &[]);
                    self.asked.insert(launch.claim.clone(), self.now);
                }
            }
            Action::DeleteClaim { claim, uid } => {
                if first.sources.iter().any(|own| own.claim == *claim) {
                    let mut launches = first.launches.iter();
                    assert!(
                        launches.all(|own| self.is_ready(&own.claim)),
                        "I1: {claim} goes first"
                    );
                }
                let now = Time::from_seconds(self.now);
                let name = self.snapshot.strings.intern(claim);
                let claims = self.snapshot.node_claims.iter_mut();
                for own in claims.filter(|own| own.meta.name == name && own.meta.uid == *uid) {
                    own.meta.deleted.get_or_insert(now);
                    self.going.entry(claim.clone()).or_insert(self.now);
                }
            }
        }
    }

    /// What happens by itself.
    fn pass_time(&mut self) {
        self.now += STEP;
        for (claim, asked) in self.asked.clone() {
            let waited = self.now - asked;
            if self.fails.as_ref() == Some(&claim) && waited >= 2 * STEP {
                self.remove(&claim);
                continue;
            }
            let kind = match waited {
                10 => "Launched",
                40 if self.hangs.as_ref() != Some(&claim) => "Initialized",
                _ => continue,
            };
            let condition = self.condition(kind);
            let name = self.snapshot.strings.intern(&claim);
            let claims = self.snapshot.node_claims.iter_mut();
            claims
                .filter(|own| own.meta.name == name)
                .for_each(|own| own.conditions.push(condition));
        }
        for (claim, since) in self.going.clone() {
            if self.now - since >= 4 * STEP {
                self.remove(&claim);
            }
        }
    }

    fn remove(&mut self, claim: &str) {
        let Some(own) = self.claim(claim) else { return };
        let (name, node) = (own.meta.name, own.node);
        self.snapshot.node_claims.retain(|own| own.meta.name != name);
        self.snapshot.nodes.retain(|own| own.meta.name != node);
        self.asked.remove(claim);
        self.going.remove(claim);
    }

    fn tainted(&self) -> usize {
        self.snapshot.nodes.iter().filter(|own| !own.taints.is_empty()).count()
    }
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
        let observed = Observed { snapshot: seen, paused: step >= stops };
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
    let observed = Observed { snapshot: &world.snapshot, paused: false };
    for seconds in [0, 5, 10, 14] {
        let actions = execution.step(Time::from_seconds(seconds), &observed, &mut { YES });
        assert_eq!(actions, [], "after {seconds} s");
    }
    let actions = execution.step(Time::from_seconds(15), &observed, &mut { YES });
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
                assert_eq!((nodes, claims), (0, first.launches.len()), "seed {seed}");
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
