//! Whether a move that was planned a while ago would still be made, packed as it was and not as the engine would pack it now.

use restow_model::{Price, Str};
use restow_scheduling::{Aim, Bin, Choice, ClassId, Limits, NodeId, Share};
use rustc_hash::FxHashMap;

use crate::after::after;
use crate::assess::{New, in_order, replacements, weigh};
use crate::board::Board;
use crate::fleet::Fleet;
use crate::limits;
use crate::moves::{Move, PodMove, Replacement, Target};
use crate::plan::blocked;
use crate::reason::Reason;
use crate::waves;
use crate::wish::spreads_evenly;

/// A node that a planned move launches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its pool.
    pub pool: Str,
    /// Types that it may be.
    pub instance_types: Vec<Str>,
    /// Zones that it may be in; none if that does not matter.
    pub zones: Vec<Str>,
    /// Terms that it may have.
    pub capacity_types: Vec<Str>,
}

/// A move as it was planned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// The nodes that go, by their places in the fleet.
    pub sources: Vec<usize>,
    /// The nodes that come.
    pub launches: Vec<Wanted>,
    /// Where the pods of the sources go that were there then. Those that came since are placed freely.
    pub pods: FxHashMap<usize, Target>,
}

/// Pods of one kind by where they go: those of a bin, and all of them.
#[derive(Default)]
struct Sorted {
    bins: FxHashMap<Target, FxHashMap<ClassId, u32>>,
    all: FxHashMap<ClassId, u32>,
}

fn counts(pods: &FxHashMap<ClassId, u32>) -> Vec<(ClassId, u32)> {
    let mut counts: Vec<(ClassId, u32)> = pods.iter().map(|(own, count)| (*own, *count)).collect();
    counts.sort_unstable();
    counts
}

impl Board<'_> {
    /// Asks all gates of a planned move again, on the cluster as it is: its sources, the places of its pods, prices, savings,
    /// budgets, rates, windows and the floor, with everything else that is under way.
    pub fn confirm(&mut self, packed: &Packed) -> Result<Move, Reason> {
        let fleet = self.fleet;
        let mut sources = packed.sources.clone();
        sources.sort_unstable_by_key(|at| fleet.nodes[*at].name);
        for at in &sources {
            if let Some(reason) = blocked(self, *at).into_iter().next() {
                return Err(reason);
            }
        }
        limits::together(fleet, &sources)?;
        let (launches, pods) = self.fit(&sources, packed)?;
        let found = weigh(fleet, &sources, launches, pods, &self.taken)?;
        match waves::waves(fleet, std::slice::from_ref(&found), false).pop() {
            Some(turn) if turn.wave == Some(1) => Ok(found),
            turn => Err(turn.and_then(|own| own.deferred).unwrap_or(Reason::ChangedSincePlan)),
        }
    }

    /// Whether the pods of some nodes have a place on nodes that are there: those of the move where it was planned, others
    /// anywhere.
    pub fn holds(&mut self, packed: &Packed) -> Result<(), Reason> {
        self.fit(&packed.sources, packed).map(|_| ())
    }

    /// Puts the pods where they were planned to go; the board is left as it was.
    fn fit(
        &mut self,
        sources: &[usize],
        packed: &Packed,
    ) -> Result<(Vec<Replacement>, Vec<PodMove>), Reason> {
        let fleet = self.fleet;
        let mut ids: Vec<NodeId> = Vec::with_capacity(sources.len());
        let mut sorted = Sorted::default();
        let mut waiting: FxHashMap<ClassId, Vec<(usize, usize)>> = FxHashMap::default();
        for at in sources {
            let id = self.id(*at).ok_or(Reason::ChangedSincePlan)?;
            ids.push(id);
            for (pod, class) in self.cluster.movable(id) {
                *sorted.all.entry(class).or_default() += 1;
                waiting.entry(class).or_default().push((pod, *at));
                if let Some(target) = packed.pods.get(&pod) {
                    let bin = sorted.bins.entry(*target).or_default();
                    *bin.entry(class).or_default() += 1;
                }
            }
        }
        let mut bins: Vec<Bin> = Vec::with_capacity(sorted.bins.len());
        for (at, wanted) in packed.launches.iter().enumerate() {
            let pods = sorted.bins.get(&Target::Replacement(at)).map(counts).unwrap_or_default();
            let pool = self.pool_place(wanted.pool).ok_or(Reason::ChangedSincePlan)?;
            let groups = self.groups_of(wanted, pool, &ids, pods.first().map(|own| own.0));
            bins.push(Bin { aim: Aim::New { pool, groups }, pods });
        }
        let mut existing: Vec<(Str, Vec<(ClassId, u32)>)> = Vec::new();
        for (target, pods) in &sorted.bins {
            if let Target::Node(name) = target {
                existing.push((*name, counts(pods)));
            }
        }
        existing.sort_unstable();
        for (name, pods) in existing {
            if let Some(node) = self.cluster.node(name).filter(|node| !ids.contains(node)) {
                bins.push(Bin { aim: Aim::Node(node), pods });
            }
        }
        self.spend(sorted.all.values().map(|count| *count as usize).sum());
        let share = Share { pods: counts(&sorted.all), bins };
        let limits = Limits { new_nodes: packed.launches.len(), below: None };
        let Self { cluster, state, .. } = self;
        let (trial, _) = cluster.directed_trial(state, &ids, &[], &[share], limits);
        if !trial.is_complete() || trial.added().len() != packed.launches.len() {
            return Err(Reason::ChangedSincePlan);
        }
        let mut new: Vec<New> = trial.added().map(|at| New::of(&trial, at)).collect();
        for (new, wanted) in new.iter_mut().zip(&packed.launches) {
            new.choices.retain(|own| wanted.allows(own));
            if new.node.pool != wanted.pool || new.choices.is_empty() {
                return Err(Reason::ChangedSincePlan);
            }
        }
        let mut launches = replacements(fleet, sources, &new.iter().collect::<Vec<_>>())?;
        // It is asked for as any of what was planned, so the dearest of these counts.
        for (launch, new) in launches.iter_mut().zip(&new) {
            launch.price = new.choices.iter().map(|own| own.price).max().unwrap_or_default();
        }
        let first = cluster.node_count() + trial.drafts_before();
        let mut pods: Vec<PodMove> = Vec::new();
        for placed in trial.placements() {
            let to = match placed.node.index().checked_sub(first) {
                Some(at) => Target::Replacement(at),
                None => Target::Node(cluster.name(placed.node)),
            };
            for _ in 0..placed.count {
                let next = waiting.get_mut(&placed.class).and_then(Vec::pop);
                let next = next.filter(|(pod, _)| fleet.pod(*pod).is_bound());
                pods.extend(next.map(|(pod, from)| PodMove { pod, from, to }));
            }
        }
        in_order(fleet, &mut pods);
        if !is_even(fleet, sources, &launches, &pods) {
            return Err(Reason::ChangedSincePlan);
        }
        Ok((launches, pods))
    }

    /// The groups that a planned node may come to be in; all if that cannot be told. In another zone than planned its pods might
    /// be welcome as well, but that is not what would be launched.
    fn groups_of(
        &mut self,
        wanted: &Wanted,
        pool: usize,
        sources: &[NodeId],
        pod: Option<ClassId>,
    ) -> Vec<usize> {
        let Self { cluster, state, .. } = self;
        let of_pool = cluster.launchable().filter(|own| own.pool == pool);
        let mut groups: Vec<usize> = of_pool.map(|own| own.group).collect();
        groups.sort_unstable();
        groups.dedup();
        let Some(class) = pod.filter(|_| groups.len() > 1) else { return groups };
        let mut found = groups.clone();
        found.retain(|group| {
            let aim = Aim::New { pool, groups: vec![*group] };
            let pods = vec![(class, 1)];
            let share = Share { pods: pods.clone(), bins: vec![Bin { aim, pods }] };
            let limits = Limits { new_nodes: 1, below: None };
            let (trial, _) = cluster.directed_trial(state, sources, &[], &[share], limits);
            let mut new = trial.added();
            new.next().is_some_and(|at| trial.choices(at).iter().any(|own| wanted.allows(own)))
        });
        if found.is_empty() { groups } else { found }
    }

    /// The place of a pool among those that can launch something: by weight and name, the closed ones left out.
    fn pool_place(&self, name: Str) -> Option<usize> {
        let mut pools: Vec<(std::cmp::Reverse<i32>, Str)> = self
            .fleet
            .snapshot
            .node_pools
            .iter()
            .map(|pool| (std::cmp::Reverse(pool.weight), pool.meta.name))
            .filter(|(_, pool)| self.offers.closed().all(|(closed, _)| closed != *pool))
            .collect();
        pools.sort_unstable();
        pools.iter().position(|(_, pool)| *pool == name)
    }
}

/// Whether pods that must spread evenly do when all of them are where they go, with those of other moves: which of them come first
/// does not matter then.
fn is_even(
    fleet: &Fleet<'_>,
    sources: &[usize],
    launches: &[Replacement],
    pods: &[PodMove],
) -> bool {
    let snapshot = fleet.snapshot;
    let must = |own: &&PodMove| {
        let mut spread = snapshot.shapes[fleet.pod(own.pod).shape].spread.iter();
        spread.any(|own| own.required)
    };
    if !pods.iter().any(|own| must(&own)) {
        return true;
    }
    let own = Move {
        sources: sources.to_vec(),
        replacements: launches.to_vec(),
        pods: pods.to_vec(),
        before: Price::ZERO,
        after: Price::ZERO,
        cost: 0.0,
        required: Price::ZERO,
        score: None,
        risks: Vec::new(),
    };
    let mut next = after(fleet, std::iter::once(&own));
    let mut on_their_way = Vec::new();
    for other in fleet.underway.others() {
        let aims: FxHashMap<usize, Str> = other.pods.iter().copied().collect();
        for pod in other.sources.iter().flat_map(|at| fleet.nodes[*at].movable_pods()) {
            let there = |to: &&Str| next.nodes.iter().any(|node| node.meta.name == **to);
            let to = aims.get(&pod).filter(there).copied();
            on_their_way.extend(to.is_none().then_some(pod));
            next.pods[pod].node = to.unwrap_or(Str::EMPTY);
        }
    }
    spreads_evenly(&next, pods.iter().filter(must).map(|own| own.pod), &on_their_way)
}

impl Wanted {
    /// Whether it may be launched so.
    fn allows(&self, own: &Choice) -> bool {
        self.instance_types.contains(&own.instance_type)
            && self.capacity_types.contains(&own.capacity_type)
            && own.zone.is_none_or(|zone| self.zones.is_empty() || self.zones.contains(&zone))
    }
}
