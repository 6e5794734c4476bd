//! The cluster as it is now: one snapshot that everything reads, with the engine and the counts that are kept up with it.
//!
//! Places of pods that are gone are used again, so that memory is bounded by the cluster and not by the time that passes: until
//! then they hold a pod that has ended, which nobody counts.

use std::sync::Arc;

use restow_catalog::{PriceBook, node_facts};
use restow_execution::Changes;
use restow_model::{GoDuration, Node, Phase, Pod, Price, Snapshot, Str, Taint, Time};
use restow_scheduling::{Cluster, Offers, Profile, Settings as Placing};
use rustc_hash::FxHashMap;

use crate::agenda::{Agenda, ClaimRef, Event, PodRef};
use crate::broken::Broken;
use crate::budgets::Budgets;
use crate::measure::Measure;
use crate::names::Names;
use crate::provider::Claim;
use crate::rng::Rng;
use crate::scheduler::Queue;
use crate::script::{Provider, Spread};
use crate::unit::Unit;

/// A pod, as far as its object does not say.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Life {
    /// Which pod at this place.
    pub(crate) number: u32,
    /// Its workload.
    pub(crate) unit: Option<u32>,
    /// Which replica of its workload it stands for, through all evictions.
    pub(crate) lineage: Lineage,
    /// How often the scheduler tried it in vain.
    pub(crate) tries: u32,
    /// When it may be tried again.
    pub(crate) retry: Time,
    /// The version of its workload's template.
    pub(crate) version: u32,
    /// How much of its work was done before it began.
    pub(crate) done: GoDuration,
    /// Whether it never becomes ready.
    pub(crate) crashes: bool,
    /// Its number within a `StatefulSet`.
    pub(crate) ordinal: u32,
    /// Where a move of its predecessor meant it to go.
    pub(crate) meant: Str,
}

/// A replica through all its pods.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lineage {
    /// How often it was evicted.
    pub(crate) evictions: u32,
    /// When it last was.
    pub(crate) evicted: Option<Time>,
    /// How much of its work is done.
    pub(crate) done: GoDuration,
    /// Where the move that evicted it meant it to go.
    pub(crate) meant: Str,
    /// The number within a `StatefulSet`.
    pub(crate) ordinal: Option<u32>,
}

/// Streams of chance, one for each thing that it decides.
#[derive(Debug)]
pub(crate) struct Chances {
    pub(crate) scheduler: Rng,
    pub(crate) pods: Rng,
    pub(crate) provider: Rng,
    pub(crate) load: Rng,
    pub(crate) churn: Rng,
}

/// The cluster.
pub(crate) struct World {
    pub(crate) now: Time,
    pub(crate) start: Time,
    pub(crate) snapshot: Snapshot,
    pub(crate) names: Names,
    pub(crate) book: PriceBook,
    pub(crate) offers: Arc<Offers>,
    /// The cluster as the scheduler sees it.
    pub(crate) engine: Cluster,
    pub(crate) profile: Profile,
    pub(crate) provider: Provider,
    pub(crate) agenda: Agenda,
    pub(crate) chances: Chances,
    pub(crate) lives: Vec<Life>,
    free: Vec<u32>,
    pub(crate) node_at: FxHashMap<Str, usize>,
    pub(crate) pods_on: FxHashMap<Str, Vec<u32>>,
    pub(crate) units: Vec<Unit>,
    pub(crate) claims: FxHashMap<u32, Claim>,
    pub(crate) claim_of: FxHashMap<Str, ClaimRef>,
    pub(crate) next_claim: u32,
    pub(crate) queue: Queue,
    pub(crate) budgets: Budgets,
    pub(crate) measure: Measure,
    /// Whether the provisioner has something to look at, and since when.
    pub(crate) batch: Option<(Time, Time)>,
    /// Offerings that cannot be had, until when.
    pub(crate) stock_outs: Vec<(crate::script::OfferingFilter, Time)>,
    /// Grows with everything that could open a move.
    pub(crate) changes: Changes,
    pub(crate) paused: bool,
    /// Nodes that the provisioner expects waiting pods on, until when.
    pub(crate) nominations: FxHashMap<Str, Time>,
    /// How much has happened.
    pub(crate) events: u64,
    /// Whether everything is looked over.
    pub(crate) checks: bool,
    /// What was found then.
    pub(crate) broken: Vec<Broken>,
}

impl World {
    pub(crate) fn new(
        mut snapshot: Snapshot,
        book: PriceBook,
        profile: Profile,
        provider: Provider,
        seed: u64,
    ) -> Self {
        let names = Names::new(&mut snapshot.strings);
        let offers = Arc::new(Offers::new(&mut snapshot, &book));
        let engine = Cluster::new(&snapshot, Arc::new(Offers::none()), placing());
        let start = snapshot.time;
        let lives = vec![Life::default(); snapshot.pods.len()];
        let mut world = Self {
            now: start,
            start,
            names,
            book,
            offers,
            engine,
            profile,
            provider,
            agenda: Agenda::default(),
            chances: Chances {
                scheduler: Rng::new(seed, 1),
                pods: Rng::new(seed, 2),
                provider: Rng::new(seed, 3),
                load: Rng::new(seed, 4),
                churn: Rng::new(seed, 5),
            },
            lives,
            free: Vec::new(),
            node_at: FxHashMap::default(),
            pods_on: FxHashMap::default(),
            units: Vec::new(),
            claims: FxHashMap::default(),
            claim_of: FxHashMap::default(),
            next_claim: 0,
            queue: Queue::default(),
            budgets: Budgets::new(&snapshot),
            measure: Measure::default(),
            batch: None,
            stock_outs: Vec::new(),
            changes: Changes::default(),
            paused: false,
            nominations: FxHashMap::default(),
            events: 0,
            checks: false,
            broken: Vec::new(),
            snapshot,
        };
        world.index_nodes();
        for at in 0..world.snapshot.pods.len() {
            let pod = &world.snapshot.pods[at];
            if pod.is_finished() {
                world.free.push(at as u32);
            } else if pod.is_bound() {
                world.pods_on.entry(pod.node).or_default().push(at as u32);
            }
        }
        world
    }

    pub(crate) fn index_nodes(&mut self) {
        let nodes = self.snapshot.nodes.iter().enumerate();
        self.node_at = nodes.map(|(at, node)| (node.meta.name, at)).collect();
    }

    pub(crate) fn node(&self, name: Str) -> Option<&Node> {
        self.node_at.get(&name).map(|at| &self.snapshot.nodes[*at])
    }

    /// A pod that is still this one.
    pub(crate) fn pod(&self, of: PodRef) -> Option<&Pod> {
        let own = self.lives.get(of.at as usize)?;
        (own.number == of.life).then(|| &self.snapshot.pods[of.at as usize])
    }

    pub(crate) fn reference(&self, at: u32) -> PodRef {
        PodRef { at, life: self.lives[at as usize].number }
    }

    /// Draws a length of time.
    pub(crate) fn draw(rng: &mut Rng, spread: Spread) -> GoDuration {
        if spread.sigma <= 0.0 {
            return spread.median;
        }
        let factor = (spread.sigma * rng.normal()).exp();
        let millis = spread.median.millis() as f64 * factor;
        GoDuration::from_millis(millis.round() as i64)
    }

    /// Puts a pod into the cluster; it is on no node unless it says so.
    pub(crate) fn add_pod(&mut self, mut pod: Pod, mut life: Life) -> u32 {
        pod.created = self.now;
        let at = self.free.pop().unwrap_or_else(|| {
            self.snapshot.pods.push(Pod::default());
            self.lives.push(Life::default());
            (self.snapshot.pods.len() - 1) as u32
        });
        life.number = self.lives[at as usize].number + 1;
        if pod.name.is_empty() {
            pod.name = self.pod_name(&pod, at, life.number);
        }
        pod.uid = restow_model::Uid((u128::from(at) << 32) | u128::from(life.number));
        let bound = pod.is_bound().then_some(pod.node);
        self.snapshot.pods[at as usize] = pod;
        self.lives[at as usize] = life;
        self.engine.add_pod(&self.snapshot, at as usize);
        self.budgets.see(&mut self.snapshot, at, true);
        if let Some(node) = bound {
            self.pods_on.entry(node).or_default().push(at);
            self.pod_event(node);
        }
        at
    }

    /// Names come back after a while, so that their number is bounded.
    fn pod_name(&mut self, pod: &Pod, at: u32, number: u32) -> Str {
        const DIGITS: &[u8; 32] = b"bcdfghjklmnpqrstvwxz2456789acefu";
        let owner = self.snapshot.owners[pod.owner].map_or(Str::EMPTY, |owner| owner.name);
        let mut code = u64::from(at) * 32 + u64::from(number % 32);
        let mut suffix = String::new();
        while code > 0 || suffix.len() < 5 {
            suffix.push(DIGITS[(code % 32) as usize] as char);
            code /= 32;
        }
        let text = format!("{}-{suffix}", self.snapshot.strings.text(owner));
        self.snapshot.strings.intern(&text)
    }

    /// Puts a pod on a node.
    pub(crate) fn bind(&mut self, at: u32, node: Str) {
        let now = self.now;
        let pod = &mut self.snapshot.pods[at as usize];
        self.measure.waited(now.since(pod.created));
        pod.node = node;
        pod.scheduled = Some(now);
        pod.started = Some(now);
        pod.unschedulable = false;
        self.engine.change_pod(&self.snapshot, at as usize);
        self.pods_on.entry(node).or_default().push(at);
        self.changes.pods += 1;
        self.pod_event(node);
        self.check_binding(at);
    }

    /// A pod is ready, or not any more.
    pub(crate) fn set_ready(&mut self, at: u32, ready: bool) {
        let now = self.now;
        let pod = &mut self.snapshot.pods[at as usize];
        if ready {
            pod.phase = Phase::Running;
        }
        pod.ready = ready;
        pod.ready_changed = Some(now);
        self.budgets.see(&mut self.snapshot, at, true);
        self.changes.pods += 1;
    }

    /// Takes a pod out of the cluster.
    pub(crate) fn drop_pod(&mut self, at: u32) {
        let pod = &self.snapshot.pods[at as usize];
        let node = pod.node;
        if node.is_empty() {
            self.measure.waited(self.now.since(pod.created));
        } else {
            if let Some(pods) = self.pods_on.get_mut(&node) {
                pods.retain(|own| *own != at);
            }
            self.pod_event(node);
        }
        self.budgets.see(&mut self.snapshot, at, false);
        self.engine.remove_pod(at as usize);
        self.snapshot.pods[at as usize] = Pod { phase: Phase::Succeeded, ..Pod::default() };
        let life = &mut self.lives[at as usize];
        // Whatever was still to happen to it is about nobody now.
        *life = Life { number: life.number + 1, ..Life::default() };
        self.free.push(at);
        self.changes.pods += 1;
        self.queue.room_came();
    }

    /// Tells a node's claim that a pod came, ended or is about to go; daemons do not count.
    pub(crate) fn pod_event(&mut self, node: Str) {
        let now = self.now;
        if let Some(claim) = self.claim_object(node) {
            claim.last_pod_event = Some(now);
        }
    }

    pub(crate) fn claim_object(&mut self, node: Str) -> Option<&mut restow_model::NodeClaim> {
        let claim = self.claims.get(&self.claim_of.get(&node)?.0)?;
        self.snapshot.node_claims.get_mut(claim.at)
    }

    /// A node changed in a way that pods can see.
    pub(crate) fn node_changed(&mut self, name: Str) {
        if let Some(at) = self.node_at.get(&name) {
            self.engine.change_node(&self.snapshot, *at);
        }
        self.changes.others += 1;
        self.queue.room_came();
    }

    /// Puts a taint on a node, or lifts it.
    pub(crate) fn taint(&mut self, name: Str, taint: Taint, there: bool) {
        let Some(at) = self.node_at.get(&name).copied() else { return };
        let taints = &mut self.snapshot.nodes[at].taints;
        let had = taints.iter().any(|own| own.key == taint.key && own.effect == taint.effect);
        if had == there {
            return;
        }
        if there {
            taints.push(taint);
        } else {
            taints.retain(|own| own.key != taint.key || own.effect != taint.effect);
        }
        self.node_changed(name);
    }

    /// What a node costs per hour.
    pub(crate) fn price_of(&self, node: &Node) -> Price {
        let facts = node_facts(node, &self.snapshot.strings);
        self.book.price_of(&facts).map(|quote| quote.price).unwrap_or_default()
    }

    pub(crate) fn after(&mut self, wait: GoDuration, event: Event) {
        self.agenda.note(self.now.plus(wait), event);
    }
}

/// How the scheduler sees the cluster.
pub(crate) fn placing() -> Placing {
    Placing { scores: true, ..Placing::SCHEDULER }
}
