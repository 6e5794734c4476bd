//! New nodes while they fill: what each may still become, narrowed as pods come to it.
//!
//! A draft keeps a set of groups of one pool. It is settled in a label only when a pod comes for which that label matters
//! (because it spreads, attracts or repels over it, or is counted by others that do), so that whatever is left open at the
//! end can be chosen freely. Its columns in the state hold an upper bound of what is free; the option that it would be
//! launched as, the cheapest that holds everything, is exact.

use restow_model::{Price, Resources, Str};
use smallvec::SmallVec;

use crate::bits::ones;
use crate::class::{Class, Forbidden, Rule};
use crate::ids::{ClassId, Domain, GroupId, NodeId, OPEN_DOMAIN, PoolId, TallyId};
use crate::launch::{LaunchOption, LaunchPool};
use crate::rules::Spot;
use crate::state::{Change, Free, State};
use crate::tables::{SPARSE, Tables};
use crate::topology::KeyKind;

type Words = SmallVec<[u64; 2]>;

const NO_OPTION: u32 = u32::MAX;

/// A new node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) pool: PoolId,
    groups: Words,
    /// The most that any option of its groups has: what is used is that less what the state says is free.
    top: Free,
    top_rare: SmallVec<[i64; 2]>,
    /// The cheapest option that holds everything.
    option: u32,
}

/// What pods take of a draft, with one more or without.
struct Used {
    cpu: i64,
    memory: i64,
    pods: i64,
    rare: SmallVec<[(u16, i64); 2]>,
}

impl Used {
    fn of(state: &State, draft: &Draft, node: NodeId) -> Self {
        if draft.option == NO_OPTION {
            return Self { cpu: 0, memory: 0, pods: 0, rare: SmallVec::new() };
        }
        let free = &state.free[node.index()];
        let mut rare = SmallVec::new();
        for (column, (top, values)) in draft.top_rare.iter().zip(&state.rare).enumerate() {
            let used = top - values[node.index()];
            if used != 0 {
                rare.push((column as u16, used));
            }
        }
        Self {
            cpu: draft.top.cpu - free.cpu,
            memory: draft.top.memory - free.memory,
            pods: i64::from(draft.top.pods - free.pods),
            rare,
        }
    }

    fn add(mut self, class: &Class) -> Self {
        self.cpu += class.demand.cpu;
        self.memory += class.demand.memory;
        self.pods += 1;
        for (column, amount) in &class.demand.rare {
            match self.rare.iter_mut().find(|(own, _)| own == column) {
                Some((_, used)) => *used += amount,
                None => self.rare.push((*column, *amount)),
            }
        }
        self
    }

    /// Whether an option holds it.
    #[inline]
    fn fits(&self, option: &LaunchOption) -> bool {
        let enough = |have: i64, used: i64| used <= have || used == 0;
        enough(option.room.cpu, self.cpu)
            && enough(option.room.memory, self.memory)
            && self.pods <= option.room.pods
            && self.rare.iter().all(|(column, used)| {
                enough(
                    option.room.rare.get(usize::from(*column)).copied().unwrap_or_default(),
                    *used,
                )
            })
    }
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

/// What a draft becomes when a pod comes to it.
#[derive(Clone, Debug)]
pub(crate) struct Fitting {
    /// The groups that are left, if they are fewer than before.
    groups: Option<Words>,
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
        if self.drafts.list.len() >= self.drafts.most || tables.launch.pools.is_empty() {
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
        let draft = &self.drafts.list[at];
        let (pool, before) = (draft.pool, draft.option);
        let settled = fitting.groups.is_some() || before == NO_OPTION;
        if settled || before != fitting.option {
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
        self.place(tables, class, original, node, 1);
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

impl Tables {
    /// What a draft would become with one more pod of a class.
    pub(crate) fn fits_draft(&self, state: &State, class: &Class, node: NodeId) -> Option<Fitting> {
        let draft = &state.drafts.list[node.index() - self.nodes.len()];
        self.fitting(state, class, draft, node)
    }

    fn fitting(
        &self,
        state: &State,
        class: &Class,
        draft: &Draft,
        node: NodeId,
    ) -> Option<Fitting> {
        let allowed = self.groups.allowed(class.selection);
        let used = Used::of(state, draft, node).add(class);
        let fewer = draft.groups.iter().enumerate().any(|(at, word)| word & !allowed.word(at) != 0);
        if !fewer && class.rules.is_empty() && !class.settles {
            let option = self.cheapest(state, draft, &draft.groups, &used)?;
            return Some(Fitting { groups: None, option });
        }
        let mut groups: Words = draft.groups.clone();
        for (at, word) in groups.iter_mut().enumerate() {
            *word &= allowed.word(at);
        }
        if groups.iter().all(|word| *word == 0) {
            return None;
        }
        if class.rules.is_empty() && !class.settles {
            let option = self.cheapest(state, draft, &groups, &used)?;
            return Some(Fitting { groups: Some(groups), option });
        }
        if self.is_settled(state, class, node) {
            let group = ones(&groups).next().map(GroupId::new)?;
            let spot = Spot::New(node, group);
            if !class.rules.iter().all(|rule| self.holds(state, class, rule, spot)) {
                return None;
            }
            let option = self.cheapest(state, draft, &groups, &used)?;
            return Some(Fitting { groups: fewer.then_some(groups), option });
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
            if let Some(option) = self.cheapest(state, draft, &settled, &used) {
                let groups = (settled != draft.groups).then_some(settled);
                return Some(Fitting { groups, option });
            }
        }
        None
    }

    /// Whether everything that pods of the class care for is settled already, so that all groups that are left are alike.
    fn is_settled(&self, state: &State, class: &Class, node: NodeId) -> bool {
        let settled = |tally: TallyId| {
            let hot = &self.tally_hot[tally.index()];
            hot.uniform && (hot.row == SPARSE || state.domain(hot.key, node) != OPEN_DOMAIN)
        };
        class.adds.iter().all(|tally| settled(*tally))
            && class.rules.iter().all(|rule| match rule {
                // Daemons of different groups may take different ports.
                Rule::Forbid { why: Forbidden::Port(_), .. } | Rule::Bind => false,
                Rule::Forbid { tally, .. } | Rule::Spread { tally, .. } => settled(*tally),
                Rule::Require { tallies, .. } => tallies.iter().all(|tally| settled(*tally)),
                Rule::Attach => true,
            })
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
                && self.counts_group(tally, a) == self.counts_group(tally, b)
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
    fn cheapest(&self, state: &State, draft: &Draft, groups: &Words, used: &Used) -> Option<u32> {
        let pool = self.launch.pool(draft.pool);
        let limited = pool.limits.is_some() || pool.node_limit.is_some();
        let whole = limited || !pool.min_values.is_empty() || !used.rare.is_empty();
        let below = state.drafts.below.unwrap_or(Price::from_nanos(i64::MAX));
        let has = |group: GroupId| groups[group.index() / 64] >> (group.index() % 64) & 1 == 1;
        let is_left = |at: u32, option: &LaunchOption| {
            at == draft.option
                || option.reservation.is_none_or(|own| state.drafts.left[own as usize] != Some(0))
        };
        let found = if whole {
            let first = if draft.option == NO_OPTION { 0 } else { draft.option };
            let mut options = pool.options.iter().enumerate().skip(first as usize);
            let found = options.find(|(at, option)| {
                option.price >= below
                    || (has(option.group)
                        && used.fits(option)
                        && is_left(*at as u32, option)
                        && (!limited || self.within_limits(state, draft, pool, option)))
            });
            found.filter(|(_, option)| option.price < below).map(|(at, _)| at as u32)
        } else {
            let first = match draft.option {
                NO_OPTION => 0,
                option => pool.front.partition_point(|own| own.option < option),
            };
            // A node that nothing is asked of holds nothing, even if daemons take more than it has.
            let (cpu, memory) = (nothing_as_least(used.cpu), nothing_as_least(used.memory));
            let found = pool.front[first..].iter().find(|own| {
                own.price >= below
                    || (cpu <= own.cpu
                        && memory <= own.memory
                        && used.pods <= own.pods
                        && has(own.group)
                        && (!own.reserved
                            || is_left(own.option, &pool.options[own.option as usize])))
            });
            found.filter(|own| own.price < below).map(|own| own.option)
        }?;
        if self.unmet_values(pool, groups, used).is_none() {
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
            && declared
                .into_iter()
                .flat_map(|own| &own.others)
                .all(|(name, _)| capacity.other(*name) <= room.other(*name))
    }

    /// The first label of which too few different values stay possible.
    fn unmet_values(&self, pool: &LaunchPool, groups: &Words, used: &Used) -> Option<(Str, u32)> {
        let fits = |option: &&LaunchOption| {
            groups[option.group.index() / 64] >> (option.group.index() % 64) & 1 == 1
                && used.fits(option)
        };
        let value = |option: &LaunchOption, key: Str| {
            let offered = self.launch.offered_type(pool, option);
            let offering = self.launch.offering(pool, option);
            let mut labels = offering.labels.iter().chain(&offered.labels);
            labels.find(|(own, _)| *own == key).map(|(_, value)| *value)
        };
        let unmet = |(key, least): &&(Str, u32)| {
            let options = pool.options.iter().filter(fits);
            let mut values: Vec<Str> = options.filter_map(|option| value(option, *key)).collect();
            values.sort_unstable();
            values.dedup();
            values.len() < *least as usize
        };
        pool.min_values.iter().find(unmet).copied()
    }

    fn empty_draft(&self, pool: PoolId) -> Draft {
        Draft {
            pool,
            groups: self.launch.pool(pool).groups.words().iter().copied().collect(),
            top: Free::default(),
            top_rare: SmallVec::new(),
            option: NO_OPTION,
        }
    }

    /// The first label of which too few different values would stay possible on a new node for one pod.
    pub(crate) fn too_few_values(&self, class: &Class, pool: PoolId) -> Option<(Str, u32)> {
        let draft = self.empty_draft(pool);
        let used = Used { cpu: 0, memory: 0, pods: 0, rare: SmallVec::new() }.add(class);
        self.unmet_values(self.launch.pool(pool), &draft.groups, &used)
    }

    /// Whether the pool's limits leave room for some node that holds one pod.
    pub(crate) fn has_limit_room(&self, state: &State, class: &Class, pool: PoolId) -> bool {
        let draft = self.empty_draft(pool);
        let own = self.launch.pool(pool);
        let used = Used { cpu: 0, memory: 0, pods: 0, rare: SmallVec::new() }.add(class);
        own.options
            .iter()
            .any(|option| used.fits(option) && self.within_limits(state, &draft, own, option))
    }

    /// The options that a draft may be launched with, the cheapest first.
    pub(crate) fn options<'a>(
        &'a self,
        state: &State,
        at: usize,
    ) -> impl Iterator<Item = &'a LaunchOption> + use<'a> {
        let draft = state.drafts.list[at].clone();
        let used = Used::of(state, &draft, NodeId::new(self.nodes.len() + at));
        let first = draft.option as usize;
        let pool = self.launch.pool(draft.pool);
        pool.options.iter().skip(first).filter(move |option| {
            draft.groups[option.group.index() / 64] >> (option.group.index() % 64) & 1 == 1
                && used.fits(option)
        })
    }
}

fn nothing_as_least(amount: i64) -> i64 {
    if amount == 0 { i64::MIN } else { amount }
}
