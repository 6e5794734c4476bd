//! We consolidate: the loop that runs in production, with the simulated cluster in place of the API server.

use restow_consolidation::Inputs;
use restow_execution::invariants::{Invariants, Step};
use restow_execution::{
    Action, Adaptive, Changes, Execution, Failure, Happened, Observed, Phase, Record,
};
use restow_model::{Effect, GoDuration, Labels, Snapshot, Str, Time};
use rustc_hash::FxHashMap;

use crate::agenda::ClaimRef;
use crate::broken::{Breach, Broken};
use crate::faults::{Fate, Mishaps};
use crate::names::taint;
use crate::outcome::{Decision, DecisionNode, Ending};
use crate::provider::{Leaving, Request};
use crate::setup::Policy;
use crate::world::World;

/// The loop and what it keeps.
pub(crate) struct Restow {
    pub(crate) execution: Execution,
    /// What was written: what a new leader would find.
    pub(crate) written: FxHashMap<String, Record>,
    /// What goes wrong.
    pub(crate) mishaps: Option<Mishaps>,
    invariants: Invariants,
    adaptive: bool,
    resumes: Option<Time>,
    /// When to look again whatever happens, and how far the cluster was at the last look.
    due: Time,
    seen: Changes,
}

/// Whether an action reached the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Applied {
    /// It did.
    Done,
    /// What it is about is not there, or is another one.
    Missed,
}

const SECOND: GoDuration = GoDuration::from_seconds(1);

/// How long somebody stops everything.
const PAUSE: GoDuration = GoDuration::from_seconds(120);

impl Restow {
    pub(crate) fn new(policy: &Policy, mishaps: Option<Mishaps>) -> Self {
        let mut own = Self {
            execution: Execution::default(),
            written: FxHashMap::default(),
            mishaps,
            invariants: Invariants::default(),
            adaptive: policy.adaptive,
            resumes: None,
            due: Time::default(),
            seen: Changes::default(),
        };
        own.start(Vec::new());
        own
    }

    /// Begins anew with what was written.
    fn start(&mut self, records: Vec<Record>) {
        self.execution = Execution::resume(records);
        self.execution.adaptive = self.adaptive.then(Adaptive::default);
    }

    /// Looks at the cluster, if it changed or it is time to; returns when to ask again.
    pub(crate) fn tick(&mut self, world: &mut World, policy: &Policy) -> Time {
        let now = world.now;
        if now >= self.due || world.changes != self.seen || self.mishaps.is_some() {
            self.due = self.look(world, policy);
            self.seen = world.changes;
        }
        let poll = policy.cluster.settings.poll_period;
        self.due.min(now.plus(poll)).max(now.plus(SECOND))
    }

    fn look(&mut self, world: &mut World, policy: &Policy) -> Time {
        self.pause(world);
        let late = self.mishaps.as_mut().map(|own| std::mem::take(&mut own.late));
        for action in late.into_iter().flatten() {
            self.apply(world, action);
        }
        let stale = self.mishaps.as_mut().and_then(|own| own.sight(&world.snapshot));
        let actions = self.decide(world, policy, stale.as_ref());
        self.carry_out(world, actions);
        self.execution.next_due(world.now)
    }

    /// Somebody stops everything, and lets it go on after a while.
    fn pause(&mut self, world: &mut World) {
        let Some(mishaps) = &mut self.mishaps else { return };
        if self.resumes.is_some_and(|end| world.now >= end) {
            self.resumes = None;
            world.paused = false;
        }
        if self.resumes.is_none() && mishaps.pauses() {
            self.resumes = Some(world.now.plus(PAUSE));
            world.paused = true;
        }
    }

    fn carry_out(&mut self, world: &mut World, actions: Vec<Action>) {
        for action in actions {
            let fate = self.mishaps.as_mut().map_or(Fate::Done, |own| own.fate(&action));
            let written = matches!(action, Action::Write(_) | Action::Forget { .. });
            match fate {
                Fate::Done => {
                    self.apply(world, action);
                }
                Fate::Twice => {
                    self.apply(world, action.clone());
                    self.apply(world, action);
                }
                Fate::Late => {
                    if let Some(own) = &mut self.mishaps {
                        own.late.push(action);
                    }
                }
                Fate::Lost if written => return self.restart(),
                Fate::Lost => {}
            }
            if self.mishaps.as_mut().is_some_and(Mishaps::crashes) {
                return self.restart();
            }
        }
    }

    /// The process ends, and another one goes on from what was written.
    fn restart(&mut self) {
        let mut records: Vec<Record> = self.written.values().cloned().collect();
        records.sort_by(|a, b| (a.proposed, &a.id).cmp(&(b.proposed, &b.id)));
        self.invariants.resumed(&records);
        self.start(records);
    }

    /// What is to be done now.
    fn decide(
        &mut self,
        world: &mut World,
        policy: &Policy,
        stale: Option<&Snapshot>,
    ) -> Vec<Action> {
        let inputs = Inputs {
            book: &world.book,
            cluster: &policy.cluster,
            pools: &policy.pools,
            groups: &[],
            price_age: None,
        };
        let seen = stale.unwrap_or(&world.snapshot);
        let changed = self.mishaps.is_none().then_some(world.changes);
        let observed = Observed { snapshot: seen, paused: world.paused, changed };
        let policy = restow_execution::Policy { inputs, offers: &world.offers };
        let actions = self.execution.tick(world.now, &observed, &policy);
        if world.checks {
            let found = self.invariants.check(&Step {
                now: world.now,
                seen,
                actions: &actions,
                records: self.execution.records(),
                policy: &policy,
            });
            let at = world.now;
            world
                .broken
                .extend(found.into_iter().map(|own| Broken { at, what: Breach::Execution(own) }));
        }
        actions
    }

    /// Does something to the cluster.
    fn apply(&mut self, world: &mut World, action: Action) -> Applied {
        match action {
            Action::Write(record) => {
                self.log(world, &record);
                self.written.insert(record.id.clone(), *record);
                Applied::Done
            }
            Action::Forget { id } => {
                self.written.remove(&id);
                Applied::Done
            }
            Action::Taint { node, uid } => on_node(world, &node, uid, |world, name| {
                world.taint(name, taint(world.names.disrupting, Effect::NoSchedule), true);
            }),
            Action::Untaint { node, uid } => on_node(world, &node, uid, |world, name| {
                world.taint(name, taint(world.names.disrupting, Effect::NoSchedule), false);
            }),
            Action::Steer { node, uid, .. } => on_node(world, &node, uid, |world, name| {
                world.taint(name, taint(world.names.going, Effect::PreferNoSchedule), true);
            }),
            Action::Unsteer { node, uid } => on_node(world, &node, uid, |world, name| {
                world.taint(name, taint(world.names.going, Effect::PreferNoSchedule), false);
            }),
            Action::CreateClaim { launch, .. } => {
                if world.claim_named(&launch.claim).is_some() {
                    return Applied::Done;
                }
                let strings = &mut world.snapshot.strings;
                let mut names = |texts: &[String]| -> Vec<Str> {
                    texts.iter().map(|text| strings.intern(text)).collect()
                };
                let request = Request {
                    instance_types: names(&launch.instance_types),
                    zones: names(&launch.zones),
                    capacity_types: names(&launch.capacity_types),
                    labels: Vec::new(),
                };
                let pool = world.snapshot.strings.intern(&launch.pool);
                world.create_claim(&launch.claim, pool, request);
                Applied::Done
            }
            Action::DeleteClaim { claim, uid } => {
                let Some(own) = world.claim_named(&claim) else { return Applied::Missed };
                if claim_uid(world, own) != Some(uid) {
                    return Applied::Missed;
                }
                let why = self.aim(world, &claim);
                world.delete_claim(own, why);
                Applied::Done
            }
            Action::Evaluated { claim, uid, at } => {
                let Some(own) = world.claim_named(&claim) else { return Applied::Missed };
                if claim_uid(world, own) != Some(uid) {
                    return Applied::Missed;
                }
                let value = world.snapshot.strings.intern(&at.to_string());
                let key = world.names.evaluated;
                let place = world.claims[&own.0].at;
                let meta = &mut world.snapshot.node_claims[place].meta;
                let others = meta.annotations.iter().filter(|(own, _)| *own != key);
                meta.annotations = Labels::new(others.chain([(key, value)]).collect());
                Applied::Done
            }
            Action::Note(happened) => {
                if matches!(happened, Happened::Searched { .. }) {
                    world.measure.totals.searches += 1;
                }
                Applied::Done
            }
        }
    }

    /// Tells the pods of a source where its move means them to go; says why the claim goes.
    fn aim(&self, world: &mut World, claim: &str) -> Leaving {
        let moved = self.written.values().find(|own| {
            own.phase == Phase::Draining && own.sources.iter().any(|source| source.claim == claim)
        });
        let Some(record) = moved else { return Leaving::Other };
        let source = record.sources.iter().find(|own| own.claim == claim);
        let Some(node) = source.and_then(|own| world.snapshot.strings.get(&own.node)) else {
            return Leaving::Consolidated;
        };
        let pods = world.pods_on.get(&node).cloned().unwrap_or_default();
        for at in pods {
            let pod = &world.snapshot.pods[at as usize];
            let strings = &world.snapshot.strings;
            let (namespace, name) = (strings.text(pod.namespace), strings.text(pod.name));
            let meant = record
                .pods
                .iter()
                .find(|own| own.pod.0 == namespace && own.pod.1 == name)
                .and_then(|own| strings.get(&own.to));
            world.lives[at as usize].meant = meant.unwrap_or(Str::EMPTY);
        }
        Leaving::Consolidated
    }

    fn log(&self, world: &mut World, record: &Record) {
        if !self.written.contains_key(&record.id) {
            let node = |own: &restow_execution::Source| {
                let name = world.snapshot.strings.get(&own.node).unwrap_or(Str::EMPTY);
                world.decision_node(name, own.price)
            };
            let replacement = |own: &restow_execution::Launch| DecisionNode {
                name: own.claim.clone(),
                instance_type: own.instance_types.first().cloned().unwrap_or_default(),
                capacity_type: own.capacity_types.first().cloned().unwrap_or_default(),
                price: own.price,
            };
            let method = match (record.pods.len(), record.sources.len(), record.launches.len()) {
                (0, _, 0) => "emptiness",
                (_, 1, 0 | 1) => "single-node",
                (_, _, 0 | 1) => "multi-node",
                _ => "global",
            };
            let decision = Decision {
                id: record.id.clone(),
                at: record.proposed,
                took: None,
                method: method.to_owned(),
                sources: record.sources.iter().map(node).collect(),
                replacements: record.launches.iter().map(replacement).collect(),
                pods: record.pods.len() as u32,
                promised: record.promised,
                realised: restow_model::Price::ZERO,
                required: record.required,
                cost: 0.0,
                parents: record.parents.clone(),
                ending: Ending::Open,
            };
            world.note_decision(decision);
        }
        if record.phase == Phase::Draining {
            for (at, launch) in record.launches.iter().enumerate() {
                if let Some(claim) = world.snapshot.strings.get(&launch.claim) {
                    world.note_replacement(&record.id, at, claim);
                }
            }
        }
        if record.phase.is_over() {
            let outcome = record.outcome.as_ref();
            let realised = outcome.map(|own| own.realised).unwrap_or_default();
            let failure = outcome.and_then(|own| own.failure.as_ref());
            let ending = match record.phase {
                Phase::Done => Ending::Done,
                _ => Ending::RolledBack { code: code(failure) },
            };
            world.end_decision(&record.id, ending, realised);
        }
    }
}

fn code(failure: Option<&Failure>) -> String {
    match failure {
        Some(Failure::Refused { code }) => code.clone(),
        Some(Failure::NotLaunched { .. }) => "NotLaunched".to_owned(),
        Some(Failure::NotReady { .. }) => "NotReady".to_owned(),
        Some(Failure::Lost { .. }) => "Lost".to_owned(),
        Some(Failure::NotDrained { .. }) => "NotDrained".to_owned(),
        Some(Failure::Stopped) => "Paused".to_owned(),
        None => String::new(),
    }
}

fn claim_uid(world: &World, own: ClaimRef) -> Option<restow_model::Uid> {
    let claim = world.claims.get(&own.0)?;
    Some(world.snapshot.node_claims.get(claim.at)?.meta.uid)
}

fn on_node(
    world: &mut World,
    node: &str,
    uid: restow_model::Uid,
    change: impl FnOnce(&mut World, Str),
) -> Applied {
    let name = world.snapshot.strings.get(node);
    let there = name.filter(|name| world.node(*name).is_some_and(|node| node.meta.uid == uid));
    match there {
        Some(name) => {
            change(world, name);
            Applied::Done
        }
        None => Applied::Missed,
    }
}
