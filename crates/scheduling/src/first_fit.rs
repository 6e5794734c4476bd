//! Placing pods as Karpenter's simulation does, so that what it would do can be told: one pod after another, on the first
//! node in a given order that takes it, else on the emptiest new node, else on another one of the first pool that can.
//!
//! Everything else of this crate looks for the tightest node. This is slower and packs worse; it is there for comparisons.

use std::collections::VecDeque;

use restow_model::Resources;
use rustc_hash::FxHashMap;

use crate::bits::ones;
use crate::class::{Forbidden, Rule};
use crate::cluster::Cluster;
use crate::compile::PodKey;
use crate::ids::{ClassId, Domain, KeyId, NO_DOMAIN, NodeId, PoolId};
use crate::settings::Settings;
use crate::state::{Batch, State};
use crate::tables::Tables;
use crate::trial::{Limits, Trial};

/// The nodes that pods are offered, in order.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Nodes in the order in which they are asked.
    pub order: Vec<NodeId>,
    /// For each node by its number whether it refuses pods that have a place.
    pub refuses: Vec<bool>,
}

/// A pod that needs a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Its place in the snapshot.
    pub pod: usize,
    /// Whether it runs nowhere, or not for long: then no node refuses it.
    pub homeless: bool,
}

/// Where each pod went; `None` if it found no place.
pub type Arrived = Vec<(usize, Option<NodeId>)>;

impl Cluster {
    /// What if these nodes vanished? The pods are placed in the order in which they are given.
    pub fn first_fit_trial<'a>(
        &'a self,
        state: &'a mut State,
        sources: &[NodeId],
        pods: &[Arrival],
        places: &Places,
    ) -> (Trial<'a>, Arrived) {
        let mut trial = Trial::start(&self.tables, state, Limits::ANY);
        trial.drain(sources);
        let (tables, state) = trial.parts_mut();
        self.count_those_who_stay(state, sources, pods);
        state.drafts.loose = true;
        let mut walk = Walk { tables, places, refused: FxHashMap::default(), new: Vec::new() };
        let mut queue: VecDeque<(Arrival, usize)> = pods.iter().map(|pod| (*pod, 0)).collect();
        let mut arrived = Arrived::with_capacity(pods.len());
        while let Some((arrival, last)) = queue.pop_front() {
            // A whole round without a success: the rest finds nothing.
            if last == queue.len() + 1 {
                queue.push_front((arrival, last));
                break;
            }
            let revived = self.revived.get(&(arrival.pod as u32)).copied();
            let class = revived.or_else(|| self.class_of(arrival.pod));
            match class.and_then(|class| walk.place(state, class, arrival.homeless)) {
                Some(node) => arrived.push((arrival.pod, Some(node))),
                None => queue.push_back((arrival, queue.len() + 1)),
            }
        }
        arrived.extend(queue.iter().map(|(arrival, _)| (arrival.pod, None)));
        state.drafts.loose = false;
        (trial, arrived)
    }

    /// Pods of a node that goes and that are not moved, such as daemons, count where they are, as far as others care.
    fn count_those_who_stay(&self, state: &mut State, sources: &[NodeId], pods: &[Arrival]) {
        for node in sources {
            for pod in &self.on_node[node.index()] {
                let moves = pods.iter().any(|arrival| arrival.pod == *pod as usize);
                if let Some(class) = self.class_of(*pod as usize)
                    && !moves
                    && !self.revived.contains_key(pod)
                {
                    let stays = Batch { class, original: class, count: 1, counted: true };
                    state.place(&self.tables, stays, *node);
                }
            }
        }
    }

    /// Whether a node is still starting.
    pub fn is_starting(&self, node: NodeId) -> bool {
        self.tables.nodes.get(node.index()).is_some_and(|own| own.in_flight)
    }
}

/// One trial.
struct Walk<'w> {
    tables: &'w Tables,
    places: &'w Places,
    /// How many of the first nodes in order refuse a class for good.
    refused: FxHashMap<(ClassId, bool), usize>,
    /// New nodes with their pods.
    new: Vec<(usize, NodeId)>,
}

impl Walk<'_> {
    /// Places a pod, giving up preferences where it must.
    fn place(&mut self, state: &mut State, class: ClassId, homeless: bool) -> Option<NodeId> {
        let mut now = Some(class);
        while let Some(id) = now {
            let own = self.tables.class(id);
            if own.never.is_none() {
                let pod = Batch { class: id, original: class, count: 1, counted: true };
                let found = self
                    .on_node(state, pod, homeless)
                    .or_else(|| self.on_new(state, pod))
                    .or_else(|| self.on_another(state, pod));
                if found.is_some() {
                    return found;
                }
            }
            now = own.relaxed;
        }
        None
    }

    fn on_node(&mut self, state: &mut State, pod: Batch, homeless: bool) -> Option<NodeId> {
        let class = self.tables.class(pod.class);
        let key = (pod.class, homeless);
        let start = self.refused.get(&key).copied().unwrap_or_default();
        for (at, node) in self.places.order.iter().enumerate().skip(start) {
            let closed = !homeless && self.places.refuses[node.index()];
            if !closed && self.tables.fits(state, class, *node) {
                // Room only gets less while pods are placed, but for those that need others near.
                if class.monotone {
                    self.refused.insert(key, at);
                }
                state.place(self.tables, pod, *node);
                return Some(*node);
            }
        }
        if class.monotone {
            self.refused.insert(key, self.places.order.len());
        }
        None
    }

    fn on_new(&mut self, state: &mut State, pod: Batch) -> Option<NodeId> {
        let class = self.tables.class(pod.class);
        self.new.sort_by_key(|(pods, _)| *pods);
        for (pods, node) in &mut self.new {
            if let Some(fitting) = self.tables.fits_draft(state, class, *node, 1) {
                state.fill(self.tables, pod, *node, fitting);
                *pods += 1;
                return Some(*node);
            }
        }
        None
    }

    /// Of pools of equal weight the last by name comes first.
    fn on_another(&mut self, state: &mut State, pod: Batch) -> Option<NodeId> {
        let (tables, class) = (self.tables, self.tables.class(pod.class));
        let mut pools: Vec<usize> = (0..tables.launch.pools.len()).rev().collect();
        pools.sort_by_key(|at| tables.launch.pools[*at].tier);
        for pool in pools.into_iter().map(PoolId::new) {
            if !self.new.is_empty() && !self.leaves_room(state, pool) {
                continue;
            }
            let node = state.push_open_node(tables);
            let fitting = tables.fitting(state, class, &tables.empty_draft(pool), node, 1);
            state.pop_node();
            if let Some(fitting) = fitting {
                let node = state.open_as(tables, pod, pool, fitting);
                self.new.push((1, node));
                return Some(node);
            }
        }
        None
    }

    /// Whether the new nodes leave something of a pool's limits if each becomes as large as it may.
    fn leaves_room(&self, state: &State, pool: PoolId) -> bool {
        let own = self.tables.launch.pool(pool);
        let Some(limits) = &state.drafts.rooms[pool.index()].0 else { return true };
        let mut room = limits.clone();
        for (_, node) in &self.new {
            let at = node.index() - self.tables.nodes.len();
            let draft = &state.drafts.list[at];
            if draft.pool != pool {
                continue;
            }
            let capacity = |option| &self.tables.launch.offered_type(own, option).capacity;
            let types = self.tables.possible_types(state, at);
            let most = |pick: fn(&Resources) -> i64| {
                types.iter().map(|option| pick(capacity(option))).max().unwrap_or_default()
            };
            let Some(chosen) = own.options.get(draft.option as usize) else { continue };
            room.cpu -= most(|own| own.cpu) - capacity(chosen).cpu;
            room.memory -= most(|own| own.memory) - capacity(chosen).memory;
        }
        let limited = own.limits.as_ref();
        let within = |pick: fn(&Resources) -> i64| {
            limited.is_none_or(|limits| {
                let least = own
                    .options
                    .iter()
                    .map(|option| pick(&self.tables.launch.offered_type(own, option).capacity));
                pick(limits) == 0 || least.min().is_some_and(|least| least <= pick(&room))
            })
        };
        within(|own| own.cpu) && within(|own| own.memory)
    }
}

/// Pods that are being deleted, as what their controllers will make in their stead.
pub(crate) fn revived(
    keys: impl Iterator<Item = Option<PodKey>>,
    settings: Settings,
) -> Vec<(u32, PodKey)> {
    let keys = keys.take_while(|_| settings.peer).enumerate();
    let leaving =
        keys.filter_map(|(at, key)| Some((at as u32, key.filter(|own| own.terminating)?)));
    leaving.map(|(at, key)| (at, PodKey { terminating: false, ..key })).collect()
}

/// Which tallies keep pods away: a pod that such a tally counts is taken to be wherever its new node might be.
pub(crate) fn forbidding(tables: &Tables) -> Vec<bool> {
    let mut found = vec![false; tables.tallies.len()];
    for rule in tables.classes.iter().flat_map(|class| &class.rules) {
        if let Rule::Forbid { tally, why: Forbidden::Avoided | Forbidden::AvoidedBy } = rule {
            found[tally.index()] = true;
        }
    }
    found
}

/// The domains in which a new node may still be.
pub(crate) fn domains(tables: &Tables, state: &State, key: KeyId, node: NodeId) -> Vec<Domain> {
    let Some(draft) = state.drafts.list.get(node.index() - tables.nodes.len()) else {
        return Vec::new();
    };
    let of_groups =
        ones(&draft.groups).map(|group| tables.launch.groups[group].domains[key.index()]);
    let mut found: Vec<Domain> = of_groups.filter(|domain| *domain != NO_DOMAIN).collect();
    found.sort_unstable();
    found.dedup();
    found
}
