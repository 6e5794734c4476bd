//! Karpenter 1.14 consolidates: every ten seconds it takes the first command that it finds, waits fifteen seconds, looks
//! whether it would still be possible, and starts it. What it decides comes from `consolidation::peer`, which is compared with
//! its own code.

use restow_consolidation::search::{empty_now, many_now};
use restow_consolidation::{Board, Fleet, Inputs, Move, gates, peer};
use restow_execution::Changes;
use restow_model::{DisruptionReason, Effect, GoDuration, Price, Str, Time};

use super::decision;
use crate::agenda::ClaimRef;
use crate::names::{set, taint};
use crate::outcome::Ending;
use crate::provider::{Leaving, Request};
use crate::setup::Policy;
use crate::world::World;

const POLL: GoDuration = GoDuration::from_seconds(10);
const VALIDATION: GoDuration = GoDuration::from_seconds(15);
const SECOND: GoDuration = GoDuration::from_seconds(1);

/// Everything is looked at again after this time, even if nothing changed.
const STALE: GoDuration = GoDuration::from_seconds(300);

/// A command that waits longer for its replacements is given up.
const COMMAND_LIMIT: GoDuration = GoDuration::from_seconds(600);

/// What one simulation takes, by node: about 0.9 s for a thousand (kubernetes-sigs/karpenter#3271). It decides how many nodes
/// are looked at before a method's time is over.
const MICROS_PER_NODE: i64 = 900;

/// How long the two methods may take.
const MULTI_LIMIT: GoDuration = GoDuration::from_seconds(60);
const SINGLE_LIMIT: GoDuration = GoDuration::from_seconds(180);

/// What a command is about, by names: numbers change while it waits.
#[derive(Clone, Debug)]
struct Command {
    id: String,
    sources: Vec<Str>,
    /// The pool and what may be launched.
    replacements: Vec<(Str, Request)>,
    /// Where pods are expected to go.
    pods: Vec<(Str, Str, Meant)>,
    before: Price,
    reason: DisruptionReason,
}

#[derive(Clone, Copy, Debug)]
enum Meant {
    Node(Str),
    Replacement(usize),
}

/// A command that was started.
#[derive(Debug)]
struct Running {
    command: Command,
    since: Time,
    claims: Vec<ClaimRef>,
    names: Vec<Str>,
    ready: Vec<bool>,
}

/// Karpenter's loop.
#[derive(Debug, Default)]
pub(crate) struct Karpenter {
    /// A command that waits to be validated, and until when.
    pending: Option<(Command, Time)>,
    running: Vec<Running>,
    /// What was found not to be consolidatable, and when that was.
    settled: Option<(Changes, Time)>,
    count: u64,
    next: Time,
}

impl Karpenter {
    /// Looks at the cluster once; returns when to look again.
    pub(crate) fn tick(&mut self, world: &mut World, policy: &Policy) -> Time {
        self.go_on(world);
        Self::mark_quiet(world, policy);
        let now = world.now;
        if let Some((command, due)) = self.pending.take() {
            if now < due {
                self.pending = Some((command, due));
                return self.sooner(now, due);
            }
            if self.is_valid(world, policy, &command) {
                self.start(world, command);
                self.next = now;
            } else {
                let code = "ChangedSincePlan".to_owned();
                world.end_decision(&command.id, Ending::RolledBack { code }, Price::ZERO);
                self.next = now.plus(POLL);
            }
        }
        if now < self.next {
            return self.sooner(now, self.next);
        }
        if world.paused {
            self.next = now.plus(POLL);
            return self.next;
        }
        let unknown = |own: &restow_model::NodeClaim| {
            own.provider_id.is_empty() && own.node.is_empty() && own.meta.deleted.is_none()
        };
        if world.snapshot.node_claims.iter().any(unknown) {
            return now.plus(SECOND);
        }
        self.next = now.plus(POLL);
        let fresh = self
            .settled
            .is_none_or(|(changes, since)| changes != world.changes || now.since(since) >= STALE);
        if fresh {
            world.measure.totals.searches += 1;
            match self.search(world, policy) {
                Some((command, took)) => {
                    let due = now.plus(VALIDATION).plus(took);
                    self.pending = Some((command, due));
                    return self.sooner(now, due);
                }
                None => self.settled = Some((world.changes, now)),
            }
        }
        self.sooner(now, self.next)
    }

    /// While replacements start they are looked at every second.
    fn sooner(&self, now: Time, then: Time) -> Time {
        if self.running.is_empty() { then } else { then.min(now.plus(SECOND)) }
    }

    fn inputs<'a>(world: &'a World, policy: &'a Policy) -> Inputs<'a> {
        Inputs {
            book: &world.book,
            cluster: &policy.cluster,
            pools: &policy.pools,
            groups: &[],
            price_age: None,
        }
    }

    /// Keeps the condition that says whether a node was quiet for long enough.
    fn mark_quiet(world: &mut World, policy: &Policy) {
        let (now, names) = (world.now, world.names);
        let pools: Vec<(Str, Option<GoDuration>)> = world
            .snapshot
            .node_pools
            .iter()
            .zip(&policy.pools)
            .map(|(pool, own)| (pool.meta.name, own.settings.consolidate_after.after()))
            .collect();
        for claim in &mut world.snapshot.node_claims {
            let pool = claim.meta.labels.get(names.node_pool);
            let after = pools.iter().find(|own| Some(own.0) == pool).and_then(|own| own.1);
            let initialized = claim.conditions.iter().find(|own| own.kind == names.initialized);
            let since = initialized.map(|own| claim.last_pod_event.or(own.changed));
            let quiet = match (after, since) {
                (Some(after), Some(since)) => {
                    after.is_zero() || since.is_none_or(|since| now.since(since) >= after)
                }
                _ => false,
            };
            if quiet {
                set(&mut claim.conditions, names.consolidatable, now);
            } else {
                claim.conditions.retain(|own| own.kind != names.consolidatable);
            }
        }
    }

    /// The fleet as Karpenter remembers it: nodes of commands that were started are as good as deleted.
    fn fleet<'a>(&self, world: &'a World, policy: &'a Policy) -> Fleet<'a> {
        let mut fleet = Fleet::new(&world.snapshot, &Self::inputs(world, policy));
        for name in self.running.iter().flat_map(|own| &own.command.sources) {
            let Some(at) = world.node_at.get(name) else { continue };
            let node = &mut fleet.nodes[*at];
            if !node.deleting {
                node.deleting = true;
                if let Some(pool) = node.pool {
                    fleet.pools[pool].disrupting += 1;
                }
            }
        }
        fleet
    }

    /// Nodes that may go, as Karpenter asks; those in its queue and those that it keeps for waiting pods may not.
    fn candidates(&self, world: &World, fleet: &Fleet<'_>) -> Vec<usize> {
        let busy = |name: Str| {
            self.running.iter().any(|own| own.command.sources.contains(&name))
                || world.nominations.get(&name).is_some_and(|until| *until > world.now)
        };
        (0..fleet.nodes.len())
            .filter(|at| !busy(fleet.nodes[*at].name) && gates::failures(fleet, *at).is_empty())
            .collect()
    }

    fn search(&mut self, world: &mut World, policy: &Policy) -> Option<(Command, GoDuration)> {
        let fleet = self.fleet(world, policy);
        let candidates = self.candidates(world, &fleet);
        if candidates.is_empty() {
            return None;
        }
        let one = GoDuration::from_millis((MICROS_PER_NODE * fleet.nodes.len() as i64) / 1000);
        let most = |limit: GoDuration| (limit.millis() / one.millis().max(1)).max(1) as usize;
        let allowed: Vec<usize> = candidates
            .iter()
            .copied()
            .filter(|at| fleet.settings(*at).allows_emptiness())
            .collect();
        let empty = empty_now(&fleet, &allowed);
        let mut spent = 0;
        let found: Option<(Move, DisruptionReason)> = if empty.is_empty() {
            let mut board = Board::new(&fleet, &world.offers);
            spent = most(MULTI_LIMIT).min(8);
            many_now(&mut board, &candidates)
                .or_else(|| {
                    let order = restow_consolidation::search::one_by_one(&fleet, &candidates);
                    order.into_iter().take(most(SINGLE_LIMIT)).find_map(|at| {
                        spent += 1;
                        peer::compute(&mut board, &[at], false).ok()
                    })
                })
                .map(|own| (own, DisruptionReason::Underutilized))
        } else {
            Some((peer::delete_empty(&fleet, &empty), DisruptionReason::Empty))
        };
        let (own, reason) = found?;
        self.count += 1;
        let id = format!("karpenter-{}", self.count);
        let command = command(&fleet, &own, &id, reason);
        let parents = parents(world, &command);
        let noted = decision(world, &fleet, &id, &own, parents, world.now);
        world.note_decision(noted);
        Some((command, GoDuration::from_millis(one.millis() * spent as i64)))
    }

    /// Whether a command is still possible. Its price is not looked at again.
    fn is_valid(&self, world: &World, policy: &Policy, command: &Command) -> bool {
        let fleet = self.fleet(world, policy);
        let candidates = self.candidates(world, &fleet);
        let sources: Vec<usize> = candidates
            .into_iter()
            .filter(|at| command.sources.contains(&fleet.nodes[*at].name))
            .collect();
        let enough = restow_consolidation::search::within_budgets(&fleet, &sources, command.reason);
        if sources.len() != command.sources.len() || enough.len() != sources.len() {
            return false;
        }
        if command.reason == DisruptionReason::Empty {
            return sources.iter().all(|at| peer::is_empty(&fleet, *at));
        }
        let mut board = Board::new(&fleet, &world.offers);
        let Some(types) = peer::still_possible(&mut board, &sources) else { return false };
        match (types.as_slice(), command.replacements.as_slice()) {
            ([], []) => true,
            ([new], [(_, old)]) => old.instance_types.iter().all(|own| new.contains(own)),
            _ => false,
        }
    }

    fn start(&mut self, world: &mut World, command: Command) {
        let mark = taint(world.names.disrupted, Effect::NoSchedule);
        for name in &command.sources {
            world.taint(*name, mark, true);
        }
        let mut claims = Vec::new();
        let mut names = Vec::new();
        for (at, (pool, request)) in command.replacements.iter().enumerate() {
            let name = format!("{}-{at}", command.id);
            claims.push(world.create_claim(&name, *pool, request.clone()));
            names.push(world.snapshot.strings.intern(&name));
        }
        let until = world.now.plus(GoDuration::from_seconds(20));
        for (.., meant) in &command.pods {
            if let Meant::Node(node) = meant {
                world.nominations.insert(*node, until);
            }
        }
        let ready = vec![false; claims.len()];
        self.running.push(Running { command, since: world.now, claims, names, ready });
        self.go_on(world);
    }

    /// Commands whose replacements are ready let their nodes go.
    fn go_on(&mut self, world: &mut World) {
        let mut running = std::mem::take(&mut self.running);
        running.retain_mut(|own| !own.step(world));
        self.running = running;
    }
}

impl Running {
    /// Whether it is over.
    fn step(&mut self, world: &mut World) -> bool {
        let mut lost = false;
        for (at, own) in self.claims.iter().enumerate() {
            match world.claims.get(&own.0) {
                Some(claim) => {
                    let object = &world.snapshot.node_claims[claim.at];
                    let kind = world.names.initialized;
                    self.ready[at] |= object.conditions.iter().any(|own| own.kind == kind);
                }
                None => lost = !self.ready[at],
            }
        }
        if lost || world.now.since(self.since) > COMMAND_LIMIT {
            let mark = taint(world.names.disrupted, Effect::NoSchedule);
            for name in &self.command.sources {
                world.taint(*name, mark, false);
            }
            let code = if lost { "NotLaunched" } else { "NotReady" }.to_owned();
            world.end_decision(&self.command.id, Ending::RolledBack { code }, Price::ZERO);
            return true;
        }
        if !self.ready.iter().all(|ready| *ready) {
            return false;
        }
        let mut after = Price::ZERO;
        for (at, name) in self.names.iter().enumerate() {
            world.note_replacement(&self.command.id, at, *name);
            let claim = world.claims.values().find(|own| own.name == *name);
            after += claim.and_then(|own| own.price).unwrap_or_default();
        }
        for (pod, node, meant) in &self.command.pods {
            let to = match meant {
                Meant::Node(name) => *name,
                Meant::Replacement(at) => self.names.get(*at).copied().unwrap_or(Str::EMPTY),
            };
            let pods = world.pods_on.get(node).cloned().unwrap_or_default();
            for at in pods {
                if world.snapshot.pods[at as usize].name == *pod {
                    world.lives[at as usize].meant = to;
                }
            }
        }
        for name in &self.command.sources {
            if let Some(own) = world.claim_of.get(name).copied() {
                world.delete_claim(own, Leaving::Consolidated);
            }
        }
        world.end_decision(&self.command.id, Ending::Done, self.command.before - after);
        true
    }
}

fn command(fleet: &Fleet<'_>, own: &Move, id: &str, reason: DisruptionReason) -> Command {
    Command {
        id: id.to_owned(),
        sources: own.sources.iter().map(|at| fleet.nodes[*at].name).collect(),
        replacements: own
            .replacements
            .iter()
            .map(|new| {
                let request = Request {
                    instance_types: new.instance_types.clone(),
                    zones: new.zones.clone(),
                    capacity_types: new.capacity_types.clone(),
                    labels: Vec::new(),
                };
                (new.pool, request)
            })
            .collect(),
        pods: own
            .pods
            .iter()
            .map(|moved| {
                let to = match moved.to {
                    restow_consolidation::Target::Node(name) => Meant::Node(name),
                    restow_consolidation::Target::Replacement(at) => Meant::Replacement(at),
                };
                (fleet.pod(moved.pod).name, fleet.nodes[moved.from].name, to)
            })
            .collect(),
        before: own.before,
        reason,
    }
}

/// Decisions that launched one of the nodes.
fn parents(world: &World, command: &Command) -> Vec<String> {
    let names: Vec<&str> = command.sources.iter().map(|name| world.snapshot.text(*name)).collect();
    let launched = |own: &&crate::outcome::Decision| {
        own.replacements.iter().any(|new| names.contains(&new.name.as_str()))
    };
    world.measure.decisions.iter().filter(launched).map(|own| own.id.clone()).collect()
}
