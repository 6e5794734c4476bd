//! What if these nodes vanished? A question that leaves the cluster as it was, unless its answer is kept.

use restow_model::{Labels, Price, Resources, Str, Taint};

use crate::cluster::Cluster;
use crate::ids::{ClassId, NodeId};
use crate::known::UNNAMED;
use crate::state::{Batch, Change, Mark, Run, State};
use crate::tables::Tables;

/// What a trial may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// New nodes at most.
    pub new_nodes: usize,
    /// Each new node must be cheaper than this.
    pub below: Option<Price>,
}

impl Limits {
    /// No new nodes.
    pub const EXISTING: Self = Self { new_nodes: 0, below: None };

    /// As many new nodes as it takes.
    pub const ANY: Self = Self { new_nodes: usize::MAX, below: None };
}

/// Pods of one class that found a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Their class.
    pub class: ClassId,
    /// What they are placed as: the same with fewer preferences, where some had to be given up.
    pub placed_as: ClassId,
    /// Where they go.
    pub node: NodeId,
    /// How many.
    pub count: u32,
}

/// The short answer of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every pod has a place on nodes that exist.
    Fits,
    /// Every pod has a place with new nodes of this price in sum.
    Replaced {
        /// Price per hour of all new nodes.
        price: Price,
        /// How many they are.
        nodes: u32,
    },
    /// Some pod has no place.
    Misfit {
        /// The first class of which a pod has none.
        class: ClassId,
    },
}

/// A new node that a trial would launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNode {
    /// Its pool.
    pub pool: Str,
    /// The cheapest type that holds its pods.
    pub instance_type: Str,
    /// Every type that would hold them in some way that it may still be bought, the cheapest first.
    pub instance_types: Vec<Str>,
    /// The zone of the cheapest.
    pub zone: Option<Str>,
    /// The capacity type of the cheapest.
    pub capacity_type: Str,
    /// The price of the cheapest.
    pub price: Price,
    /// The labels that the cheapest would have, its host name aside.
    pub labels: Labels,
    /// Its taints, once it has started.
    pub taints: Vec<Taint>,
    /// What the cheapest offers to pods, daemons included.
    pub allocatable: Resources,
    /// What daemons take of it.
    pub overhead: Resources,
}

/// A question that is being asked. Dropping it takes everything back.
#[derive(Debug)]
pub struct Trial<'a> {
    cluster: &'a Tables,
    state: &'a mut State,
    mark: Mark,
    /// New nodes that were there before.
    first: usize,
    missed: Vec<(ClassId, u32)>,
    kept: bool,
}

impl Cluster {
    /// What if these nodes vanished? Their pods are placed elsewhere, as far as the limits allow.
    pub fn trial<'a>(
        &'a self,
        state: &'a mut State,
        sources: &[NodeId],
        limits: Limits,
    ) -> Trial<'a> {
        let mut trial = Trial::start(&self.tables, state, limits);
        trial.vacate(sources);
        trial
    }
}

impl<'a> Trial<'a> {
    pub(crate) fn start(cluster: &'a Tables, state: &'a mut State, limits: Limits) -> Self {
        let mark = state.mark();
        state.drafts.allow(limits.new_nodes, limits.below);
        let first = state.drafts.list.len();
        Self { cluster, state, mark, first, missed: Vec::new(), kept: false }
    }

    /// Makes everything permanent; pods count as what they were placed as.
    pub(crate) fn settle_all(&mut self) -> (&Tables, &mut State) {
        self.state.settle(self.cluster, |pods| pods.class);
        self.kept = true;
        (self.cluster, self.state)
    }

    pub(crate) fn first_new(&self) -> usize {
        self.first
    }

    pub(crate) fn parts(&self) -> (&Tables, &State) {
        (self.cluster, self.state)
    }

    pub(crate) fn parts_mut(&mut self) -> (&'a Tables, &mut State) {
        (self.cluster, self.state)
    }

    fn vacate(&mut self, sources: &[NodeId]) {
        let of_node = |source: &NodeId| self.state.runs[source.index()].iter().copied();
        let runs: Vec<Run> = sources.iter().flat_map(of_node).collect();
        self.drain(sources);
        self.place(runs);
    }

    /// Closes nodes.
    pub(crate) fn drain(&mut self, sources: &[NodeId]) {
        for source in sources {
            self.state.close(self.cluster, *source);
        }
    }

    /// Places one pod on a node that exists, if it can run there.
    pub(crate) fn place_at(&mut self, class: ClassId, node: NodeId) -> bool {
        let mut now = Some(class);
        while let Some(id) = now {
            let own = self.cluster.class(id);
            if own.never.is_none() && self.cluster.fits(self.state, own, node) {
                let pods = Batch { class: id, original: class, count: 1, counted: true };
                self.state.place(self.cluster, pods, node);
                return true;
            }
            now = own.relaxed;
        }
        false
    }

    /// Places pods, those of the highest priority first and of these the largest, and those that waited for others again until nothing changes.
    pub(crate) fn place(&mut self, mut runs: Vec<Run>) {
        let tables = self.cluster;
        runs.sort_by_key(|run| (tables.class(run.class).order(), run.class));
        runs.dedup_by(|run, kept| {
            let same = run.class == kept.class;
            if same {
                kept.count += run.count;
            }
            same
        });
        runs.retain(|run| run.count > 0);
        loop {
            let before: u32 = runs.iter().map(|run| run.count).sum();
            for run in &mut runs {
                run.count = tables.place_run(self.state, run.class, run.count);
            }
            runs.retain(|run| run.count > 0);
            let after: u32 = runs.iter().map(|run| run.count).sum();
            let waiting = runs.iter().any(|run| !tables.class(run.class).monotone);
            if after == before || after == 0 || !waiting {
                break;
            }
        }
        self.missed.extend(runs.iter().map(|run| (run.class, run.count)));
    }

    /// Whether every pod has a place.
    pub fn is_complete(&self) -> bool {
        self.missed.is_empty()
    }

    /// Pods without a place.
    pub fn missed(&self) -> &[(ClassId, u32)] {
        &self.missed
    }

    /// Where pods go, in the order in which they were placed.
    pub fn placements(&self) -> impl Iterator<Item = Placed> {
        self.state.changes_since(self.mark).filter_map(|change| match *change {
            Change::Placed { pods, node } => {
                let (class, placed_as) = (pods.original, pods.class);
                Some(Placed { class, placed_as, node, count: pods.count })
            }
            _ => None,
        })
    }

    /// What would be launched, in the order of the numbers after the nodes.
    pub fn new_nodes(&self) -> Vec<NewNode> {
        (0..self.state.drafts.list.len()).map(|at| self.new_node(at)).collect()
    }

    pub(crate) fn new_node(&self, at: usize) -> NewNode {
        let tables = self.cluster;
        let pool = tables.launch.pool(self.state.drafts.list[at].pool);
        let possible = tables.possible_types(self.state, at);
        let cheapest = possible.first().copied();
        let offering = cheapest.map(|option| tables.launch.offering(pool, option));
        let offered = cheapest.map(|option| tables.launch.offered_type(pool, option));
        let group = cheapest.map(|option| option.group);
        let of_pool = tables.launch.offered_pool(pool);
        let mut labels: Vec<(Str, Str)> = of_pool.labels.clone();
        labels.extend(offered.into_iter().flat_map(|own| own.labels.iter().copied()));
        labels.extend(offering.into_iter().flat_map(|own| own.labels.iter().copied()));
        let system = offered.and_then(|own| own.systems.first());
        labels.extend(system.map(|system| (tables.launch.offers.os, *system)));
        // Labels that the pool leaves open have some value, and the one that pods asked for where they did.
        let some = |(key, values): &(Str, Vec<Str>)| Some((*key, *values.first()?));
        labels.extend(of_pool.choices.iter().filter_map(some));
        labels.extend(
            group
                .into_iter()
                .flat_map(|group| tables.groups.get(group).labels.iter())
                .filter(|(_, value)| *value != UNNAMED),
        );
        NewNode {
            labels: Labels::new(labels),
            taints: of_pool.taints.clone(),
            allocatable: offered.map(|own| own.allocatable.clone()).unwrap_or_default(),
            overhead: group
                .map(|group| tables.launch.groups[group.index()].overhead.clone())
                .unwrap_or_default(),
            pool: pool.name,
            instance_type: offered.map(|own| own.name).unwrap_or_default(),
            zone: offering.and_then(|offering| offering.zone),
            capacity_type: offering.map(|offering| offering.capacity_type).unwrap_or_default(),
            price: offering.map(|offering| offering.price).unwrap_or_default(),
            instance_types: possible
                .iter()
                .map(|option| tables.launch.offered_type(pool, option).name)
                .collect(),
        }
    }

    /// The price of everything that would be launched.
    pub fn price(&self) -> Price {
        (0..self.state.drafts.list.len()).map(|at| self.state.draft_price(self.cluster, at)).sum()
    }

    /// Keeps the answer: the cluster is as the trial left it.
    pub fn keep(mut self) {
        self.state.settle(self.cluster, |pods| pods.original);
        self.kept = true;
    }
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        if !self.kept {
            self.state.undo(self.cluster, self.mark);
        }
    }
}
