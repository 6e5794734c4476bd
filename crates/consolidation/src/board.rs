//! The cluster on which moves are tried: the engine's nodes and the fleet's, side by side.

use std::sync::Arc;

use restow_model::Str;
use restow_scheduling::{
    Aim, Bin, ClassId, Cluster, Limits, NodeId, Offers, Settings as Placing, Share, State,
};
use rustc_hash::FxHashMap;

use crate::buffers::buffer_of;
use crate::committed::{Likes, committed};
use crate::fleet::{Fleet, holds};
use crate::gates;
use crate::moves::Move;
use crate::peer::{self, Simulator};

/// A board without its fleet: what is the same whichever of the moves that are under way is looked at.
#[derive(Clone, Debug)]
pub struct Ground {
    cluster: Arc<Cluster>,
    ids: Vec<Option<NodeId>>,
    awaited: FxHashMap<Str, usize>,
    buffered: FxHashMap<Str, (Str, Str)>,
    likes: Arc<Likes>,
    offers: Arc<Offers>,
}

/// Where moves are tried.
#[derive(Clone, Debug)]
pub struct Board<'a> {
    /// The nodes as gates see them.
    pub fleet: &'a Fleet<'a>,
    /// The nodes as placements see them, with pending pods where they fit.
    pub cluster: Arc<Cluster>,
    /// What moves so far have changed.
    pub state: State,
    /// The engine's number of each node of the fleet.
    pub(crate) ids: Vec<Option<NodeId>>,
    /// Pending pods that have a place, by the node's name.
    pub awaited: FxHashMap<Str, usize>,
    /// Buffers that hold room on a node, by its name.
    pub buffered: FxHashMap<Str, (Str, Str)>,
    /// What pods would like: new nodes might be launched for the sake of that alone.
    pub(crate) likes: Arc<Likes>,
    /// Moves that were carried out here.
    pub(crate) taken: Vec<Move>,
    /// Work done so far.
    pub effort: u64,
    /// How many questions were asked of the engine.
    pub probes: u64,
    /// What pools may launch.
    pub(crate) offers: Arc<Offers>,
    /// The cluster as Karpenter's simulation sees it, if that was asked for.
    pub(crate) simulator: Option<Box<Simulator>>,
}

impl Ground {
    /// Pods that wait have their places, and nodes that should take no pods take none.
    fn new(fleet: &Fleet<'_>, offers: &Arc<Offers>) -> Self {
        let settings = &fleet.cluster.settings;
        let placing = Placing { preferences: settings.preferences, ..Placing::PLANNER };
        let snapshot = &*committed(fleet);
        let mut cluster = Cluster::new(snapshot, Arc::clone(offers), placing);
        let ids: Vec<Option<NodeId>> =
            fleet.nodes.iter().map(|node| cluster.node(node.name)).collect();
        let leaving: Vec<NodeId> = fleet
            .nodes
            .iter()
            .zip(&ids)
            .enumerate()
            .filter(|(at, (node, _))| node.deleting && !fleet.underway.takes(*at))
            .filter_map(|(_, (_, id))| *id)
            .collect();
        let waiting: Vec<usize> = snapshot
            .pods
            .iter()
            .enumerate()
            .filter(|(_, pod)| !pod.is_bound() && !pod.is_finished() && !pod.is_terminating())
            .filter(|(_, pod)| snapshot.shapes[pod.shape].gates.is_empty())
            .map(|(at, _)| at)
            .collect();
        let (mut awaited, mut buffered) = (FxHashMap::default(), FxHashMap::default());
        if !waiting.is_empty() || !leaving.is_empty() {
            let answer = cluster.schedule(snapshot, &waiting, &leaving, Limits::EXISTING);
            for placement in &answer.placements {
                if let restow_scheduling::Destination::Node(name) = placement.to {
                    match buffer_of(snapshot, placement.pod) {
                        Some(buffer) => {
                            buffered.entry(name).or_insert(buffer);
                        }
                        None => {
                            awaited.entry(name).or_insert(placement.pod);
                        }
                    }
                }
            }
        }
        let closed: Vec<NodeId> = (0..fleet.nodes.len())
            .filter(|at| !is_destination(fleet, *at) || fleet.underway.takes(*at))
            .filter_map(|at| ids[at])
            .collect();
        for node in closed {
            cluster.keep_out(node);
        }
        let likes = Arc::new(Likes::new(fleet, snapshot, &cluster));
        let cluster = Arc::new(cluster);
        Self { cluster, ids, awaited, buffered, likes, offers: Arc::clone(offers) }
    }
}

impl<'a> Board<'a> {
    /// Sets up the cluster: pods that wait have their places first, then those of moves that are under way, and nodes that
    /// should take no pods take none.
    pub fn new(fleet: &'a Fleet<'a>, offers: &Arc<Offers>) -> Self {
        Self::on(fleet, Ground::new(fleet, offers))
    }

    /// The board of a fleet on a ground that was made for the same snapshot and moves under way.
    pub fn on(fleet: &'a Fleet<'a>, ground: Ground) -> Self {
        let Ground { cluster, ids, awaited, buffered, likes, offers } = ground;
        let state = cluster.state().clone();
        let mut board = Self {
            fleet,
            cluster,
            state,
            ids,
            awaited,
            buffered,
            likes,
            taken: Vec::new(),
            effort: 0,
            probes: 0,
            offers,
            simulator: None,
        };
        board.keep_promises();
        board
    }

    /// The ground, for another look.
    pub fn into_ground(self) -> Ground {
        let Self { cluster, ids, awaited, buffered, likes, offers, .. } = self;
        Ground { cluster, ids, awaited, buffered, likes, offers }
    }

    /// Pods of moves that are under way have the places that were planned for them: room is promised once.
    fn keep_promises(&mut self) {
        for flight in self.fleet.underway.others() {
            let aims: FxHashMap<usize, Str> = flight.pods.iter().copied().collect();
            let mut bins: FxHashMap<NodeId, Vec<(ClassId, u32)>> = FxHashMap::default();
            let mut leaving: Vec<(NodeId, ClassId)> = Vec::new();
            for from in flight.sources.iter().filter_map(|at| self.id(*at)) {
                for (pod, class) in self.cluster.movable(from) {
                    let aim = aims.get(&pod).and_then(|name| self.cluster.node(*name));
                    if let Some(aim) = aim {
                        leaving.push((from, class));
                        bins.entry(aim).or_default().push((class, 1));
                    }
                }
            }
            if leaving.is_empty() {
                continue;
            }
            let mut classes: Vec<ClassId> = leaving.iter().map(|(_, class)| *class).collect();
            classes.sort_unstable();
            let pods = classes.chunk_by(|a, b| a == b);
            let mut bins: Vec<Bin> =
                bins.into_iter().map(|(node, pods)| Bin { aim: Aim::Node(node), pods }).collect();
            bins.sort_unstable_by_key(|bin| match bin.aim {
                Aim::Node(node) => node,
                Aim::New { .. } => NodeId::default(),
            });
            let share = Share { pods: pods.map(|own| (own[0], own.len() as u32)).collect(), bins };
            let Self { cluster, state, .. } = &mut *self;
            let limits = Limits::EXISTING;
            let (trial, _) = cluster.directed_trial(state, &[], &leaving, &[share], limits);
            trial.keep_step();
        }
    }

    /// The engine's number of a node.
    pub fn id(&self, node: usize) -> Option<NodeId> {
        self.ids.get(node).copied().flatten()
    }
}

/// Whether pods may be moved to a node (seed 001: not to one that goes soon).
pub(crate) fn is_destination(fleet: &Fleet<'_>, at: usize) -> bool {
    let (node, settings) = (&fleet.nodes[at], fleet.settings(at));
    // What was launched for pods takes them, however young it is.
    let mut promised = fleet.underway.moves.iter().flat_map(|own| &own.pods);
    if promised.any(|(_, to)| *to == node.name) {
        return true;
    }
    if settings.peer_rules {
        return !is_in_quiet_time(fleet, at);
    }
    let soon = node
        .expires
        .is_some_and(|end| end.since(fleet.now) < settings.destination_minimum_lifetime);
    // Pods are not moved to what is about to go for nothing: drained for the sake of an empty node, a full one pays twice.
    !node.drifted && !soon && !gates::is_about_to_go(fleet, at)
}

/// Karpenter since 1.14: a node that is still in its own quiet time takes no pods of others. Pools that it would launch nothing
/// for do not count, nor do nodes that it does not manage.
fn is_in_quiet_time(fleet: &Fleet<'_>, at: usize) -> bool {
    let node = &fleet.nodes[at];
    let pool = node.pool.and_then(|pool| fleet.pools[pool].at);
    if !pool.is_some_and(|pool| peer::is_in_use(fleet, &fleet.snapshot.node_pools[pool])) {
        return false;
    }
    let after = fleet.settings(at).consolidate_after.after().unwrap_or_default();
    let claim = node.claim.map(|at| &fleet.snapshot.node_claims[at]);
    let since = claim.and_then(|claim| {
        let initialized = holds(&claim.conditions, "Initialized", &fleet.snapshot.strings)?;
        Some(claim.last_pod_event.or(initialized.changed).unwrap_or(claim.meta.created))
    });
    since.is_some_and(|since| !after.is_zero() && fleet.now.since(since) < after)
}
