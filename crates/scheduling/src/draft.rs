//! New nodes while they fill: what each may still become, narrowed as pods come to it.
//!
//! A draft keeps a set of groups of one pool. It is settled in a label only when a pod comes for which that label matters
//! (because it spreads, attracts or repels over it, or is counted by others that do), so that whatever is left open at the
//! end can be chosen freely. Its columns in the state hold an upper bound of what is free; the option that it would be
//! launched as, the cheapest that holds everything, is exact.

use restow_model::{Price, Resources};
use smallvec::SmallVec;

use crate::bits::ones;
use crate::fitting::Fitting;
use crate::ids::{ClassId, Domain, GroupId, NodeId, OPEN_DOMAIN, PoolId};
use crate::state::{Batch, Change, Free, State};
use crate::tables::Tables;
use crate::topology::KeyKind;

pub(crate) type Words = SmallVec<[u64; 2]>;

pub(crate) const NO_OPTION: u32 = u32::MAX;

/// A new node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) pool: PoolId,
    pub(crate) groups: Words,
    /// The most that any option of its groups has: what is used is that less what the state says is free.
    pub(crate) top: Free,
    pub(crate) top_rare: SmallVec<[i64; 2]>,
    /// The cheapest option that holds everything.
    pub(crate) option: u32,
}

/// What a draft was before a change.
#[derive(Clone, Debug)]
struct Saved {
    at: u32,
    draft: Draft,
    free: Free,
    rare: SmallVec<[i64; 2]>,
    domains: SmallVec<[Domain; 4]>,
}

/// All new nodes, and what limits them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drafts {
    pub(crate) list: Vec<Draft>,
    saved: Vec<Saved>,
    /// What each pool may still hold, and how many nodes.
    pub(crate) rooms: Vec<(Option<Resources>, Option<i64>)>,
    /// Whether any pool is limited at all.
    pub(crate) limited: bool,
    /// What is left of each reservation.
    pub(crate) left: Vec<Option<u32>>,
    /// How many there were before the trial.
    pub(crate) first: usize,
    /// New nodes at most.
    pub(crate) most: usize,
    /// Only options cheaper than this.
    pub(crate) below: Option<Price>,
    /// Whether a new node stays open in labels that only matter to other pods, as Karpenter's do.
    pub(crate) loose: bool,
}

impl PartialEq for Drafts {
    /// What a trial was allowed to do does not count, nor does its log.
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list && self.rooms == other.rooms && self.left == other.left
    }
}

impl Drafts {
    pub(crate) fn new(tables: &Tables) -> Self {
        Self {
            rooms: tables
                .launch
                .pools
                .iter()
                .map(|pool| (pool.limits.clone(), pool.node_limit))
                .collect(),
            limited: tables
                .launch
                .pools
                .iter()
                .any(|pool| pool.limits.is_some() || pool.node_limit.is_some()),
            left: tables.launch.reservations.clone(),
            most: usize::MAX,
            ..Self::default()
        }
    }

    /// A group that the draft may be of; all of them agree in what its pods care for.
    pub(crate) fn group(&self, tables: &Tables, node: NodeId) -> Option<GroupId> {
        let draft = self.list.get(node.index().checked_sub(tables.nodes.len())?)?;
        ones(&draft.groups).next().map(GroupId::new)
    }

    pub(crate) fn settle(&mut self) {
        self.saved.clear();
    }

    /// Allows some more new nodes, if they are cheap enough.
    pub(crate) fn allow(&mut self, more: usize, below: Option<Price>) {
        self.first = self.list.len();
        self.most = self.first.saturating_add(more);
        self.below = below;
    }

    /// A node of a pool comes (`1`) or goes (`-1`).
    pub(crate) fn occupy(&mut self, pool: PoolId, capacity: &Resources, sign: i64) {
        let Some((limits, nodes)) = self.rooms.get_mut(pool.index()) else { return };
        if let Some(limits) = limits {
            let mut room = limits.clone();
            if sign > 0 {
                room.subtract(capacity);
            } else {
                room.add(capacity);
            }
            *limits = keep_limited(room, limits);
        }
        if let Some(nodes) = nodes {
            *nodes -= sign;
        }
    }
}

/// Amounts of resources that are not limited stay out.
fn keep_limited(mut room: Resources, limits: &Resources) -> Resources {
    room.others.retain(|(name, _)| limits.others.iter().any(|(own, _)| own == name));
    room
}

impl State {
    /// The price of a new node as it would be launched.
    pub(crate) fn draft_price(&self, tables: &Tables, at: usize) -> Price {
        let draft = &self.drafts.list[at];
        let pool = tables.launch.pool(draft.pool);
        pool.options.get(draft.option as usize).map(|option| option.price).unwrap_or_default()
    }

    /// Forgets the newest draft.
    pub(crate) fn drop_draft(&mut self) {
        self.drafts.list.pop();
        self.pop_node();
    }

    /// Gives a draft back what it was before its newest change.
    pub(crate) fn widen(&mut self, tables: &Tables) {
        let Some(saved) = self.drafts.saved.pop() else { return };
        let at = saved.at as usize;
        let node = tables.nodes.len() + at;
        let now = self.drafts.list[at].option;
        self.charge(tables, saved.draft.pool, now, -1);
        self.charge(tables, saved.draft.pool, saved.draft.option, 1);
        self.drafts.list[at] = saved.draft;
        self.free[node] = saved.free;
        for (column, value) in self.rare.iter_mut().zip(&saved.rare) {
            column[node] = *value;
        }
        for (column, value) in self.domains.iter_mut().zip(&saved.domains) {
            column[node] = *value;
        }
    }

    fn save(&mut self, tables: &Tables, at: usize) {
        let node = tables.nodes.len() + at;
        self.drafts.saved.push(Saved {
            at: at as u32,
            draft: self.drafts.list[at].clone(),
            free: self.free[node],
            rare: self.rare.iter().map(|column| column[node]).collect(),
            domains: self.domains.iter().map(|column| column[node]).collect(),
        });
        self.changes.push(Change::Narrowed);
    }

    /// Takes what a draft would be launched as from its pool's limits (`1`), or gives it back (`-1`).
    pub(crate) fn charge_draft(&mut self, tables: &Tables, at: usize, sign: i64) {
        let draft = &self.drafts.list[at];
        let (pool, option) = (draft.pool, draft.option);
        self.charge(tables, pool, option, sign);
    }

    /// Takes an option from its pool's limits and reservations (`1`), or gives it back (`-1`).
    fn charge(&mut self, tables: &Tables, pool: PoolId, option: u32, sign: i64) {
        if option == NO_OPTION {
            return;
        }
        let own = tables.launch.pool(pool);
        let option = &own.options[option as usize];
        if own.limits.is_some() || own.node_limit.is_some() {
            let capacity = &tables.launch.offered_type(own, option).capacity;
            self.drafts.occupy(pool, capacity, sign);
        }
        if let Some(reservation) = option.reservation
            && let Some(left) = &mut self.drafts.left[reservation as usize]
        {
            *left = if sign > 0 { left.saturating_sub(1) } else { *left + 1 };
        }
    }

    /// What a new node for a pod of a class would be, and what it would cost, if a pool can launch one that takes it.
    pub(crate) fn opening(
        &mut self,
        tables: &Tables,
        class: ClassId,
    ) -> Option<(Price, PoolId, Fitting)> {
        if self.drafts.list.len() >= self.drafts.most || tables.launch.pools.is_empty() {
            return None;
        }
        let class = tables.class(class);
        let node = self.push_open_node(tables);
        let mut best: Option<(u32, Price, PoolId, Fitting)> = None;
        for (at, pool) in tables.launch.pools.iter().enumerate() {
            if best.as_ref().is_some_and(|(tier, ..)| *tier != pool.tier) {
                break;
            }
            let empty = tables.empty_draft(PoolId::new(at));
            if let Some(fitting) = tables.fitting(self, class, &empty, node, 1) {
                let price = pool.options[fitting.option as usize].price;
                if best.as_ref().is_none_or(|(_, other, ..)| price < *other) {
                    best = Some((pool.tier, price, empty.pool, fitting));
                }
            }
        }
        self.pop_node();
        best.map(|(_, price, pool, fitting)| (price, pool, fitting))
    }

    /// A node of which nothing is settled.
    pub(crate) fn push_open_node(&mut self, tables: &Tables) -> NodeId {
        let node = self.push_node();
        for (column, (_, key)) in self.domains.iter_mut().zip(tables.keys.iter()) {
            column[node.index()] = match key.kind {
                KeyKind::Node | KeyKind::Hostname => node.0,
                KeyKind::Cluster => 0,
                KeyKind::Label => OPEN_DOMAIN,
            };
        }
        node
    }

    /// Opens a new node for a pod of a class, if a pool can launch one that takes it.
    pub(crate) fn open(&mut self, tables: &Tables, pod: Batch) -> Option<NodeId> {
        let (_, pool, fitting) = self.opening(tables, pod.class)?;
        Some(self.open_as(tables, pod, pool, fitting))
    }

    /// Opens a new node for a pod of a class in one of some groups of a pool, if that takes it.
    pub(crate) fn open_within(
        &mut self,
        tables: &Tables,
        pod: Batch,
        pool: PoolId,
        groups: &[usize],
    ) -> Option<NodeId> {
        if self.drafts.list.len() >= self.drafts.most || pool.index() >= tables.launch.pools.len() {
            return None;
        }
        let draft = tables.draft_within(pool, groups);
        let node = self.push_open_node(tables);
        let Some(fitting) = tables.fitting(self, tables.class(pod.class), &draft, node, pod.count)
        else {
            self.pop_node();
            return None;
        };
        self.drafts.list.push(draft);
        self.changes.push(Change::Opened);
        self.fill(tables, pod, node, fitting);
        Some(node)
    }

    /// Opens a new node as what was found for it.
    pub(crate) fn open_as(
        &mut self,
        tables: &Tables,
        pod: Batch,
        pool: PoolId,
        fitting: Fitting,
    ) -> NodeId {
        let node = self.push_open_node(tables);
        self.drafts.list.push(tables.empty_draft(pool));
        self.changes.push(Change::Opened);
        self.fill(tables, pod, node, fitting);
        node
    }

    /// Puts pods on a new node that `fitting` was found for.
    pub(crate) fn fill(&mut self, tables: &Tables, pods: Batch, node: NodeId, fitting: Fitting) {
        let at = node.index() - tables.nodes.len();
        if fitting.groups.is_some() || self.drafts.list[at].option != fitting.option {
            self.narrow(tables, at, fitting);
        }
        self.place(tables, pods, node);
    }

    /// Makes a draft what `fitting` says; logged with what it has free.
    pub(crate) fn narrow(&mut self, tables: &Tables, at: usize, fitting: Fitting) {
        let draft = &self.drafts.list[at];
        let (pool, before) = (draft.pool, draft.option);
        let settled = fitting.groups.is_some() || before == NO_OPTION;
        self.save(tables, at);
        self.charge(tables, pool, before, -1);
        self.charge(tables, pool, fitting.option, 1);
        let draft = &mut self.drafts.list[at];
        draft.option = fitting.option;
        if let Some(groups) = fitting.groups {
            draft.groups = groups;
        }
        if settled {
            self.spread_out(tables, at, before == NO_OPTION);
        }
    }

    /// Recomputes what a draft could have free and which domains are settled.
    fn spread_out(&mut self, tables: &Tables, at: usize, fresh: bool) {
        let node = tables.nodes.len() + at;
        let draft = &mut self.drafts.list[at];
        let mut top = Free::default();
        let mut rare: SmallVec<[i64; 2]> = SmallVec::from_elem(0, self.rare.len());
        for group in ones(&draft.groups) {
            let own = &tables.launch.groups[group].top;
            top.cpu = top.cpu.max(own.cpu);
            top.memory = top.memory.max(own.memory);
            top.pods = top.pods.max(own.pods as i32);
            for (most, own) in rare.iter_mut().zip(&own.rare) {
                *most = (*most).max(*own);
            }
        }
        let free = &mut self.free[node];
        if fresh {
            *free = top;
        } else {
            free.cpu += top.cpu - draft.top.cpu;
            free.memory += top.memory - draft.top.memory;
            free.pods += top.pods - draft.top.pods;
        }
        for (column, values) in self.rare.iter_mut().enumerate() {
            let before = draft.top_rare.get(column).copied().unwrap_or_default();
            values[node] = if fresh { rare[column] } else { values[node] + rare[column] - before };
        }
        draft.top = top;
        draft.top_rare = rare;
        for (key, info) in tables.keys.iter() {
            if info.kind == KeyKind::Label {
                let mut of_groups = ones(&draft.groups)
                    .map(|group| tables.launch.groups[group].domains[key.index()]);
                let first = of_groups.next().unwrap_or(OPEN_DOMAIN);
                let settled = of_groups.all(|domain| domain == first);
                self.domains[key.index()][node] = if settled { first } else { OPEN_DOMAIN };
            }
        }
    }
}
