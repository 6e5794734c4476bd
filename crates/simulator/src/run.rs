//! One run: from the start to the end of a scenario, under one policy and one seed.

use restow_catalog::node_facts;
use restow_consolidation::settings::{Entry, Mode, Name, Origin, Resolved, Value, resolve};
use restow_model::{GoDuration, Time};
use rustc_hash::FxHashMap;

use crate::agenda::Event;
use crate::broken::{Breach, Broken};
use crate::consolidators::{Karpenter, Restow};
use crate::faults::{Faults, Mishaps};
use crate::outcome::{NodeShot, Run, Sample, WorkloadTotals};
use crate::setup::{Consolidator, Policy, Setup};
use crate::world::World;

/// Units of work of a search where nobody says: a week has thousands of them. The nodes that stay are looked at again soon.
const EFFORT: u64 = 20_000;

/// How many points of the course are noted.
const POINTS: i64 = 360;

/// A pod that waits longer at the end than it takes to launch a node counts against the run.
const PATIENCE: GoDuration = GoDuration::from_seconds(300);

/// What a run is doing, told now and then.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// How much virtual time has passed.
    pub passed: GoDuration,
    /// Of how much.
    pub of: GoDuration,
    /// Events so far.
    pub events: u64,
}

enum Acting {
    Restow(Box<Restow>),
    Karpenter(Box<Karpenter>),
    Nobody,
}

/// What a run does besides.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// What goes wrong between restow and the cluster. The last hour is quiet, so that everything can come to rest.
    pub faults: Option<Faults>,
    /// Whether every binding, every budget and every step is looked over, which takes time.
    pub checks: bool,
}

/// How long it is quiet at the end of a run with faults.
const REST: GoDuration = GoDuration::from_seconds(3600);

/// Simulates a setup under a policy. Equal arguments give equal results.
pub fn run(setup: &Setup, policy: &Policy, seed: u64, watch: &mut dyn FnMut(Progress)) -> Run {
    run_checked(setup, policy, seed, Options::default(), watch).0
}

/// The same, with faults or looked over; also returns everything that must not have been.
pub fn run_checked(
    setup: &Setup,
    policy: &Policy,
    seed: u64,
    options: Options,
    watch: &mut dyn FnMut(Progress),
) -> (Run, Vec<Broken>) {
    let script = &setup.script;
    let policy = &acting(policy);
    let mut world = World::new(
        setup.snapshot.clone(),
        setup.book.clone(),
        script.scheduler,
        script.provider.clone(),
        seed,
    );
    world.checks = options.checks;
    let peer = peer_settings(&setup.snapshot);
    world.measure.begin(world.now);
    world.found_nodes();
    world.populate(&script.behaviours);
    world.note_happenings(&script.happenings);
    let (start, end) = (world.start, world.start.plus(script.duration));
    let step = GoDuration::from_millis((script.duration.millis() / POINTS).max(1000));
    world.agenda.note(start, Event::Sample);
    world.agenda.note(start, Event::Consolidate);
    world.measure.totals.nodes_at_start = world.measure.nodes();
    world.measure.totals.price_per_hour_at_start = world.measure.rate().dollars();
    world.schedule();
    let before = world.node_shots();
    let mut who = match policy.consolidator {
        Consolidator::Restow => {
            let mishaps = options.faults.map(|faults| Mishaps::new(faults, seed));
            Acting::Restow(Box::new(Restow::new(policy, mishaps)))
        }
        Consolidator::Karpenter => Acting::Karpenter(Box::default()),
        Consolidator::None => Acting::Nobody,
    };
    while let Some((at, event)) = world.agenda.next() {
        if at > end {
            break;
        }
        world.now = at;
        world.snapshot.time = at;
        world.events += 1;
        match event {
            Event::Consolidate => {
                if options.faults.is_some() && end.since(at) <= REST {
                    world.paused = true;
                    if let Acting::Restow(own) = &mut who {
                        own.mishaps = None;
                    }
                }
                let next = match &mut who {
                    Acting::Restow(own) => own.tick(&mut world, policy),
                    Acting::Karpenter(own) => own.tick(&mut world, policy),
                    Acting::Nobody => end.plus(step),
                };
                let next = next.max(at.plus(GoDuration::from_millis(100)));
                world.agenda.note(next, Event::Consolidate);
            }
            Event::Sample => {
                world.sample();
                world.check_counts();
                world.agenda.note(at.plus(step), Event::Sample);
                watch(Progress {
                    passed: at.since(start),
                    of: script.duration,
                    events: world.events,
                });
            }
            Event::Happens(number) => {
                let (_, happening) = &script.happenings[number as usize];
                world.happens(&happening.clone());
            }
            Event::Provision => world.provision(&peer),
            other => world.handle(other),
        }
        world.schedule();
    }
    world.now = end;
    world.snapshot.time = end;
    if options.faults.is_some() {
        world.check_rest();
        if let Acting::Restow(own) = &who {
            let open = own.execution.records().iter().filter(|own| !own.phase.is_over());
            let found = open.map(|own| Breach::NeverEnded { id: own.id.clone() });
            world.broken.extend(found.map(|what| Broken { at: end, what }));
        }
    }
    let broken = std::mem::take(&mut world.broken);
    (world.finish(seed, before), broken)
}

/// The policy as it is carried out: nobody observes here.
fn acting(policy: &Policy) -> Policy {
    let mut policy = policy.clone();
    if policy.cluster.origin(Name::Effort) == Origin::Default {
        policy.cluster.settings.effort = EFFORT;
    }
    for own in policy.pools.iter_mut().chain([&mut policy.cluster]) {
        own.settings.mode = Mode::Act;
    }
    policy
}

impl World {
    fn handle(&mut self, event: Event) {
        match event {
            Event::Retry(pod) => self.retry(pod),
            Event::Flush => self.flush(),
            Event::Ready(pod) => self.pod_ready(pod),
            Event::Finished(pod) => self.pod_finished(pod),
            Event::Gone(pod) => self.pod_gone(pod),
            Event::Launched(claim) => self.launched(claim),
            Event::Registered(claim) => self.registered(claim),
            Event::Initialized(claim) => self.initialized(claim),
            Event::GivenUp(claim) => self.given_up(claim),
            Event::Drain(claim) => self.drain(claim),
            Event::Terminated(claim) | Event::Reclaimed(claim) => self.remove_claim(claim),
            Event::Expired(claim) => self.expired(claim),
            Event::Noticed(claim) => self.noticed(claim),
            Event::Step(unit) => self.step(unit),
            Event::Autoscale(unit) => self.autoscale(unit),
            Event::Churn(unit) => self.churn(unit),
            Event::Cron(unit) => self.cron(unit),
            Event::Happens(_) | Event::Consolidate | Event::Sample | Event::Provision => {}
        }
    }

    fn sample(&mut self) {
        let mut asked = [0_i64; 2];
        let mut there = [0_i64; 2];
        for node in &self.snapshot.nodes {
            there[0] += node.allocatable.cpu;
            there[1] += node.allocatable.memory;
        }
        let (mut pods, mut pending) = (0, 0);
        for pod in self.snapshot.pods.iter().filter(|pod| !pod.is_finished()) {
            if pod.is_bound() {
                let requests = self.snapshot.requests(pod);
                asked[0] += requests.cpu;
                asked[1] += requests.memory;
                pods += 1;
            } else {
                pending += 1;
            }
        }
        let share = |at: usize| asked[at] as f64 / (there[at].max(1)) as f64;
        self.measure.series.push(Sample {
            at: self.now.since(self.start).seconds(),
            nodes: self.measure.nodes() as u32,
            pods,
            pending,
            price: self.measure.rate().dollars(),
            evictions: self.measure.totals.evictions,
            requested: share(0).max(share(1)) as f32,
        });
    }

    pub(crate) fn node_shots(&self) -> Vec<NodeShot> {
        let strings = &self.snapshot.strings;
        let shot = |node: &restow_model::Node| {
            let facts = node_facts(node, strings);
            let (used, all) = self.room(node);
            let part = |used: i64, all: i64| used as f32 / all.max(1) as f32;
            let pods = self.pods_on.get(&node.meta.name).map_or(&[][..], Vec::as_slice);
            let daemon = |at: &&u32| !self.snapshot.is_daemon(&self.snapshot.pods[**at as usize]);
            NodeShot {
                name: strings.text(node.meta.name).to_owned(),
                pool: facts.node_pool.unwrap_or_default().to_owned(),
                instance_type: facts.instance_type.unwrap_or_default().to_owned(),
                zone: facts.zone.unwrap_or_default().to_owned(),
                capacity_type: facts
                    .capacity_type
                    .map(|own| own.name().to_owned())
                    .unwrap_or_default(),
                price: self.price_of(node).dollars(),
                cpu: part(used.cpu, all.cpu),
                memory: part(used.memory, all.memory),
                pods: pods.iter().filter(daemon).count() as u32,
            }
        };
        let mut shots: Vec<NodeShot> = self.snapshot.nodes.iter().map(shot).collect();
        shots.sort_by(|a, b| a.name.cmp(&b.name));
        shots
    }

    fn finish(mut self, seed: u64, before: Vec<NodeShot>) -> Run {
        let (now, after) = (self.now, self.node_shots());
        let waits = |pod: &&restow_model::Pod| {
            !pod.is_finished()
                && !pod.is_bound()
                && !pod.is_terminating()
                && self.snapshot.shapes[pod.shape].gates.is_empty()
        };
        let waiting: Vec<Time> =
            self.snapshot.pods.iter().filter(waits).map(|pod| pod.created).collect();
        for since in &waiting {
            self.measure.waited(now.since(*since));
        }
        let late = waiting.iter().filter(|since| now.since(**since) > PATIENCE).count() as u64;
        let mut totals = self.measure.sums(now);
        totals.pending_at_end = late;
        totals.valid = late == 0;
        totals.generations = generations(&self.measure.decisions);
        let kind = |kind| match kind {
            restow_model::WorkloadKind::StatefulSet => "StatefulSet",
            restow_model::WorkloadKind::ReplicaSet => "ReplicaSet",
            restow_model::WorkloadKind::ReplicationController => "ReplicationController",
            restow_model::WorkloadKind::Job => "Job",
            restow_model::WorkloadKind::CronJob => "CronJob",
            restow_model::WorkloadKind::DaemonSet => "DaemonSet",
            _ => "Deployment",
        };
        let mut workloads: Vec<WorkloadTotals> = Vec::new();
        for unit in &mut self.units {
            if unit.kind == restow_model::WorkloadKind::DaemonSet {
                continue;
            }
            if let Some(since) = unit.unready_since {
                unit.unready += now.since(since);
            }
            workloads.push(WorkloadTotals {
                workload: format!(
                    "{} {}/{}",
                    kind(unit.kind),
                    self.snapshot.strings.text(unit.namespace),
                    self.snapshot.strings.text(unit.name)
                ),
                evictions: unit.evictions,
                least_ready: u64::from(unit.least_ready.unwrap_or_default()),
                unready_seconds: unit.unready.millis() as f64 / 1000.0,
            });
        }
        workloads.sort_by(|a, b| {
            b.evictions.cmp(&a.evictions).then_with(|| a.workload.cmp(&b.workload))
        });
        Run {
            seed,
            totals,
            workloads,
            series: self.measure.series,
            decisions: self.measure.decisions,
            before,
            after,
        }
    }
}

/// The longest chain of decisions each of which moved a node that the one before had launched.
fn generations(decisions: &[crate::outcome::Decision]) -> u64 {
    let mut known: FxHashMap<&str, u64> = FxHashMap::default();
    let done = decisions.iter().filter(|own| own.ending == crate::outcome::Ending::Done);
    for own in done {
        let parents = own.parents.iter().filter_map(|id| known.get(id.as_str()));
        let longest = parents.max().copied().unwrap_or_default();
        known.insert(&own.id, longest + 1);
    }
    known.values().max().copied().unwrap_or_default()
}

/// The settings under which nodes for waiting pods are looked for.
fn peer_settings(snapshot: &restow_model::Snapshot) -> Resolved {
    let entry = Entry {
        pool: None,
        name: Name::Profile,
        value: Value::Text("karpenter".to_owned()),
        origin: Origin::Flag,
    };
    let none = |_: Name, _: &str| Err("not read here".to_owned());
    resolve(&[], &snapshot.strings, &[entry], &none).0
}
