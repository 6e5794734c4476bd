//! New nodes while they fill: what each may still become, narrowed as pods come to it.
//!
//! A draft keeps a set of groups of one pool. It is settled in a label only when a pod comes for which that label matters
//! (because it spreads, attracts or repels over it, or is counted by others that do), so that whatever is left open at the
//! end can be chosen freely. Its columns in the state hold an upper bound of what is free; the option that it would be
//! launched as, the cheapest that holds everything, is exact.

use restow_model::{Price, Resources};
use smallvec::SmallVec;

use crate::bits::ones;
use crate::class::{Class, Rule};
use crate::ids::{ClassId, Domain, GroupId, NodeId, OPEN_DOMAIN, PoolId, TallyId};
use crate::launch::{LaunchOption, LaunchPool, Room};
use crate::rules::Spot;
use crate::state::{Change, State};
use crate::tables::Tables;
use crate::topology::KeyKind;

type Words = SmallVec<[u64; 2]>;

const NO_OPTION: u32 = u32::MAX;

/// A new node.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) pool: PoolId,
    groups: Words,
    cpu: i64,
    memory: i64,
    pods: i64,
    rare: SmallVec<[(u16, i64); 2]>,
    /// The cheapest option that holds everything.
    option: u32,
}

/// What a draft was before a change.
#[derive(Clone, Debug)]
struct Saved {
    at: u32,
    draft: Draft,
    cpu: i64,
    memory: i64,
    pods: i32,
    rare: SmallVec<[i64; 2]>,
    domains: SmallVec<[Domain; 4]>,
}

/// What a draft becomes when a pod comes to it.
#[derive(Clone, Debug)]
pub(crate) struct Fitting {
    groups: Words,
    option: u32,
}

/// All new nodes, and what limits them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drafts {
    pub(crate) list: Vec<Draft>,
    saved: Vec<Saved>,
    /// What each pool may still hold, and how many nodes.
    rooms: Vec<(Option<Resources>, Option<i64>)>,
    /// What is left of each reservation.
    left: Vec<Option<u32>>,
    /// New nodes at most.
    pub(crate) most: usize,
    /// Only options cheaper than this.
    pub(crate) below: Option<Price>,
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
        self.most = self.list.len().saturating_add(more);
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
        self.cpu[node] = saved.cpu;
        self.memory[node] = saved.memory;
        self.pods[node] = saved.pods;
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
            cpu: self.cpu[node],
            memory: self.memory[node],
            pods: self.pods[node],
            rare: self.rare.iter().map(|column| column[node]).collect(),
            domains: self.domains.iter().map(|column| column[node]).collect(),
        });
        self.changes.push(Change::Narrowed);
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

    /// Opens a new node for a pod of a class, if a pool can launch one that takes it.
    pub(crate) fn open(
        &mut self,
        tables: &Tables,
        class_id: ClassId,
        original: ClassId,
    ) -> Option<NodeId> {
        if self.drafts.list.len() >= self.drafts.most
            || tables.launch.pools.is_empty() {
            return None;
        }
        let class = tables.class(class_id);
        let node = self.push_node();
        for (column, (_, key)) in self.domains.iter_mut().zip(tables.keys.iter()) {
            column[node.index()] = match key.kind {
                KeyKind::Node | KeyKind::Hostname => node.0,
                KeyKind::Cluster => 0,
                KeyKind::Label => OPEN_DOMAIN,
            };
        }
        let mut best: Option<(u32, Price, PoolId, Fitting)> = None;
        for (at, pool) in tables.launch.pools.iter().enumerate() {
            if best.as_ref().is_some_and(|(tier, ..)| *tier != pool.tier) {
                break;
            }
            let empty = tables.empty_draft(PoolId::new(at));
            if let Some(fitting) = tables.fitting(self, class, &empty, node) {
                let price = pool.options[fitting.option as usize].price;
                if best.as_ref().is_none_or(|(_, other, ..)| price < *other) {
                    best = Some((pool.tier, price, empty.pool, fitting));
                }
            }
        }
        let Some((_, _, pool, fitting)) = best else {
            self.pop_node();
            return None;
        };
        self.drafts.list.push(tables.empty_draft(pool));
        self.changes.push(Change::Opened);
        self.fill(tables, class_id, original, node, fitting);
        Some(node)
    }

    /// Puts a pod on a new node that `fitting` was found for.
    pub(crate) fn fill(
        &mut self,
        tables: &Tables,
        class: ClassId,
        original: ClassId,
        node: NodeId,
        fitting: Fitting,
    ) {
        let at = node.index() - tables.nodes.len();
        self.save(tables, at);
        let demand = &tables.class(class).demand;
        let (pool, before) = (self.drafts.list[at].pool, self.drafts.list[at].option);
        if before != fitting.option {
            self.charge(tables, pool, before, -1);
            self.charge(tables, pool, fitting.option, 1);
        }
        let changed = self.drafts.list[at].groups != fitting.groups || before == NO_OPTION;
        let draft = &mut self.drafts.list[at];
        draft.option = fitting.option;
        draft.groups = fitting.groups;
        if changed {
            self.spread_out(tables, at);
        }
        let draft = &mut self.drafts.list[at];
        draft.cpu += demand.cpu;
        draft.memory += demand.memory;
        draft.pods += 1;
        for (column, amount) in &demand.rare {
            match draft.rare.iter_mut().find(|(own, _)| own == column) {
                Some((_, used)) => *used += amount,
                None => draft.rare.push((*column, *amount)),
            }
        }
        self.place(tables, class, original, node, 1);
    }

    /// Recomputes what a draft could have free and which domains are settled.
    fn spread_out(&mut self, tables: &Tables, at: usize) {
        let node = tables.nodes.len() + at;
        let draft = &self.drafts.list[at];
        let mut top = Room::default();
        for group in ones(&draft.groups) {
            top.raise_to(&tables.launch.groups[group].top);
        }
        self.cpu[node] = top.cpu - draft.cpu;
        self.memory[node] = top.memory - draft.memory;
        self.pods[node] = (top.pods - draft.pods) as i32;
        for (column, values) in self.rare.iter_mut().enumerate() {
            let used = draft.rare.iter().find(|(own, _)| usize::from(*own) == column);
            values[node] = top.rare.get(column).copied().unwrap_or_default()
                - used.map_or(0, |(_, amount)| *amount);
        }
        for (key, info) in tables.keys.iter() {
            if info.kind == KeyKind::Label {
                let mut of_groups =
                    ones(&draft.groups).map(|group| tables.launch.groups[group].domains[key.index()]);
                let first = of_groups.next().unwrap_or(OPEN_DOMAIN);
                let settled = of_groups.all(|domain| domain == first);
                self.domains[key.index()][node] = if settled { first } else { OPEN_DOMAIN };
            }
        }
    }
}

impl Tables {
    /// What a draft would become with one more pod of a class.
    pub(crate) fn fits_draft(&self, state: &State, class: &Class, node: NodeId) -> Option<Fitting> {
        let draft = &state.drafts.list[node.index() - self.nodes.len()];
        self.fitting(state, class, draft, node)
    }

    fn fitting(&self, state: &State, class: &Class, draft: &Draft, node: NodeId) -> Option<Fitting> {
        let allowed = self.groups.allowed(class.selection);
        let mut groups: Words = draft.groups.clone();
        for (at, word) in groups.iter_mut().enumerate() {
            *word &= allowed.word(at);
        }
        if groups.iter().all(|word| *word == 0) {
            return None;
        }
        if class.rules.is_empty() && !class.settles {
            let option = self.cheapest(state, class, draft, &groups)?;
            return Some(Fitting { groups, option });
        }
        let order = &self.launch.pool(draft.pool).order;
        let mut valid: SmallVec<[(i64, GroupId); 16]> = SmallVec::new();
        for group in order {
            if groups[group.index() / 64] >> (group.index() % 64) & 1 == 0 {
                continue;
            }
            let spot = Spot::New(node, *group);
            if class.rules.iter().all(|rule| self.holds(state, class, rule, spot)) {
                valid.push((self.crowd(state, class, spot), *group));
            }
        }
        // The emptiest domains first, then the cheapest: the pool's order is by price.
        valid.sort_by_key(|(crowd, _)| *crowd);
        let mut tried: SmallVec<[GroupId; 8]> = SmallVec::new();
        for (_, group) in &valid {
            if tried.iter().any(|other| self.alike(class, *other, *group)) {
                continue;
            }
            tried.push(*group);
            let mut settled: Words = SmallVec::from_elem(0, groups.len());
            for (_, other) in &valid {
                if self.alike(class, *other, *group) {
                    settled[other.index() / 64] |= 1 << (other.index() % 64);
                }
            }
            if let Some(option) = self.cheapest(state, class, draft, &settled) {
                return Some(Fitting { groups: settled, option });
            }
        }
        None
    }

    /// How many pods the domains of the class' spreads hold.
    fn crowd(&self, state: &State, class: &Class, spot: Spot) -> i64 {
        let spreads = class.rules.iter().filter_map(|rule| match rule {
            Rule::Spread { tally, .. } if self.is_dense(*tally) => {
                Some(i64::from(self.count_at(state, *tally, spot)))
            }
            _ => None,
        });
        spreads.sum()
    }

    /// Whether two groups agree in everything that pods of the class care for.
    fn alike(&self, class: &Class, a: GroupId, b: GroupId) -> bool {
        let same = |tally: TallyId| {
            let key = self.key_of(tally).index();
            let domain = |group: GroupId| self.launch.groups[group.index()].domains[key];
            (!self.is_dense(tally) || domain(a) == domain(b))
                && self.tallies.counts_group(tally, a) == self.tallies.counts_group(tally, b)
        };
        class.adds.iter().all(|tally| same(*tally))
            && class.rules.iter().all(|rule| match rule {
                Rule::Forbid { tally, .. } | Rule::Spread { tally, .. } => same(*tally),
                Rule::Require { tallies, .. } => tallies.iter().all(|tally| same(*tally)),
                Rule::Attach => true,
                Rule::Bind => a == b,
            })
    }

    /// The cheapest option of some groups that holds a draft's pods and one more.
    fn cheapest(&self, state: &State, class: &Class, draft: &Draft, groups: &Words) -> Option<u32> {
        let pool = self.launch.pool(draft.pool);
        let limited = pool.limits.is_some() || pool.node_limit.is_some();
        let whole = limited
            || !pool.min_values.is_empty()
            || !draft.rare.is_empty()
            || !class.demand.rare.is_empty();
        let fits = |at: u32| -> Option<bool> {
            let option = &pool.options[at as usize];
            if state.drafts.below.is_some_and(|limit| option.price >= limit) {
                return None;
            }
            Some(
                groups[option.group.index() / 64] >> (option.group.index() % 64) & 1 == 1
                    && holds_all(option, draft, class)
                    && (at == draft.option
                        || option
                            .reservation
                            .is_none_or(|own| state.drafts.left[own as usize] != Some(0)))
                    && (!limited || self.within_limits(state, draft, pool, option)),
            )
        };
        let found = if whole {
            first((0..pool.options.len() as u32).filter(|at| draft.option == NO_OPTION || *at >= draft.option), fits)
        } else {
            let start = match draft.option {
                NO_OPTION => 0,
                option => pool.front.partition_point(|at| *at < option),
            };
            first(pool.front[start..].iter().copied(), fits)
        }?;
        if pool.min_values.is_empty() || self.enough_values(pool, groups, draft, class) {
            Some(found)
        } else {
            None
        }
    }

    fn within_limits(
        &self,
        state: &State,
        draft: &Draft,
        pool: &LaunchPool,
        option: &LaunchOption,
    ) -> bool {
        let (limits, nodes) = &state.drafts.rooms[draft.pool.index()];
        let fresh = draft.option == NO_OPTION;
        if fresh && nodes.is_some_and(|nodes| nodes < 1) {
            return false;
        }
        let Some(limits) = limits else { return true };
        let capacity = &self.launch.offered_type(pool, option).capacity;
        let mut room = limits.clone();
        if !fresh {
            let own = &pool.options[draft.option as usize];
            room.add(&self.launch.offered_type(pool, own).capacity);
        }
        let declared = pool.limits.as_ref();
        let limited = |pick: fn(&Resources) -> i64| declared.is_some_and(|own| pick(own) != 0);
        let within = |pick: fn(&Resources) -> i64| !limited(pick) || pick(capacity) <= pick(&room);
        within(|own| own.cpu)
            && within(|own| own.memory)
            && within(|own| own.ephemeral)
            && within(|own| own.pods)
            && declared.into_iter().flat_map(|own| &own.others).all(|(name, _)| {
                capacity.other(*name) <= room.other(*name)
            })
    }

    /// Whether enough different values stay possible.
    fn enough_values(&self, pool: &LaunchPool, groups: &Words, draft: &Draft, class: &Class) -> bool {
        pool.min_values.iter().all(|(key, least)| {
            let mut values: Vec<_> = pool
                .options
                .iter()
                .filter(|option| {
                    groups[option.group.index() / 64] >> (option.group.index() % 64) & 1 == 1
                        && holds_all(option, draft, class)
                })
                .filter_map(|option| {
                    let offered = self.launch.offered_type(pool, option);
                    let offering = self.launch.offering(pool, option);
                    let mut labels = offering.labels.iter().chain(&offered.labels);
                    labels.find(|(own, _)| own == key).map(|(_, value)| *value)
                })
                .collect();
            values.sort_unstable();
            values.dedup();
            values.len() >= *least as usize
        })
    }

    fn empty_draft(&self, pool: PoolId) -> Draft {
        Draft {
            pool,
            groups: self.launch.pool(pool).groups.words().iter().copied().collect(),
            cpu: 0,
            memory: 0,
            pods: 0,
            rare: SmallVec::new(),
            option: NO_OPTION,
        }
    }

    /// Whether enough different values would stay possible on a new node for one pod.
    pub(crate) fn has_enough_values(&self, class: &Class, pool: PoolId) -> bool {
        let draft = self.empty_draft(pool);
        self.enough_values(self.launch.pool(pool), &draft.groups, &draft, class)
    }

    /// Whether the pool's limits leave room for some node that holds one pod.
    pub(crate) fn has_limit_room(&self, state: &State, class: &Class, pool: PoolId) -> bool {
        let draft = self.empty_draft(pool);
        let own = self.launch.pool(pool);
        own.options.iter().any(|option| {
            holds_all(option, &draft, class) && self.within_limits(state, &draft, own, option)
        })
    }

    /// The options that a draft may be launched with, the cheapest first.
    pub(crate) fn options<'a>(
        &'a self,
        state: &State,
        at: usize,
    ) -> impl Iterator<Item = &'a LaunchOption> + use<'a> {
        let draft = state.drafts.list[at].clone();
        let first = draft.option as usize;
        let pool = self.launch.pool(draft.pool);
        pool.options.iter().skip(first).filter(move |option| {
            draft.groups[option.group.index() / 64] >> (option.group.index() % 64) & 1 == 1
                && holds_draft(option, &draft)
        })
    }
}

/// The first for which `fits` says yes; it may also say that nothing after can.
fn first(mut items: impl Iterator<Item = u32>, fits: impl Fn(u32) -> Option<bool>) -> Option<u32> {
    items.find_map(|at| match fits(at) {
        None => Some(None),
        Some(true) => Some(Some(at)),
        Some(false) => None,
    })?
}

fn enough(have: i64, used: i64) -> bool {
    used <= have || used == 0
}

/// Whether an option holds a draft's pods.
fn holds_draft(option: &LaunchOption, draft: &Draft) -> bool {
    let rare = |column: u16| option.room.rare.get(usize::from(column)).copied().unwrap_or_default();
    enough(option.room.cpu, draft.cpu)
        && enough(option.room.memory, draft.memory)
        && draft.pods <= option.room.pods
        && draft.rare.iter().all(|(column, used)| enough(rare(*column), *used))
}

/// Whether an option holds a draft's pods and one more.
#[inline]
fn holds_all(option: &LaunchOption, draft: &Draft, class: &Class) -> bool {
    let rare = |column: u16| option.room.rare.get(usize::from(column)).copied().unwrap_or_default();
    let more = |column: u16| {
        class.demand.rare.iter().find(|(own, _)| *own == column).map_or(0, |(_, amount)| *amount)
    };
    let used = |column: u16| {
        draft.rare.iter().find(|(own, _)| *own == column).map_or(0, |(_, amount)| *amount)
    };
    enough(option.room.cpu, draft.cpu + class.demand.cpu)
        && enough(option.room.memory, draft.memory + class.demand.memory)
        && draft.pods < option.room.pods
        && draft.rare.iter().all(|(column, own)| enough(rare(*column), own + more(*column)))
        && class.demand.rare.iter().all(|(column, own)| enough(rare(*column), own + used(*column)))
}
