//! What a new node becomes when a pod comes to it: which groups are left, and the cheapest option that holds everything.

use restow_model::{Price, Resources, Str};
use smallvec::SmallVec;

use crate::bits::ones;
use crate::class::{Class, Forbidden, Rule};
use crate::draft::{Draft, NO_OPTION, Words};
use crate::ids::{GroupId, NodeId, OPEN_DOMAIN, PoolId, TallyId};
use crate::launch::{LaunchOption, LaunchPool};
use crate::rules::Spot;
use crate::state::{Free, State};
use crate::tables::{SPARSE, Tables};
use crate::used::Used;

/// What a draft becomes when a pod comes to it.
#[derive(Clone, Debug)]
pub(crate) struct Fitting {
    /// The groups that are left, if they are fewer than before.
    pub(crate) groups: Option<Words>,
    pub(crate) option: u32,
}

impl Tables {
    /// What a draft would become with some more pods of a class; more than one only of a class without rules.
    pub(crate) fn fits_draft(
        &self,
        state: &State,
        class: &Class,
        node: NodeId,
        count: u32,
    ) -> Option<Fitting> {
        let draft = &state.drafts.list[node.index() - self.nodes.len()];
        self.fitting(state, class, draft, node, count)
    }

    pub(crate) fn fitting(
        &self,
        state: &State,
        class: &Class,
        draft: &Draft,
        node: NodeId,
        count: u32,
    ) -> Option<Fitting> {
        let allowed = self.groups.allowed(class.selection);
        let used = Used::of(state, draft, node).add(class, count);
        let settles = class.settles && !state.drafts.loose;
        let fewer = draft.groups.iter().enumerate().any(|(at, word)| word & !allowed.word(at) != 0);
        if !fewer && class.rules.is_empty() && !settles {
            let option = self.cheapest(state, draft, draft.option, &draft.groups, &used)?;
            return Some(Fitting { groups: None, option });
        }
        let mut groups: Words = draft.groups.clone();
        for (at, word) in groups.iter_mut().enumerate() {
            *word &= allowed.word(at);
        }
        if groups.iter().all(|word| *word == 0) {
            return None;
        }
        if class.rules.is_empty() && !settles {
            let option = self.cheapest(state, draft, draft.option, &groups, &used)?;
            return Some(Fitting { groups: Some(groups), option });
        }
        if self.is_settled(state, class, node) {
            let group = ones(&groups).next().map(GroupId::new)?;
            let spot = Spot::New(node, group);
            if !class.rules.iter().all(|rule| self.holds(state, class, rule, spot)) {
                return None;
            }
            let option = self.cheapest(state, draft, draft.option, &groups, &used)?;
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
        let emptiest = valid.first().map(|(crowd, _)| *crowd);
        for (crowd, group) in &valid {
            // Karpenter takes an emptiest domain and asks no other.
            if state.drafts.loose && Some(*crowd) != emptiest {
                break;
            }
            if tried.iter().any(|other| self.alike(state, class, *other, *group)) {
                continue;
            }
            tried.push(*group);
            let mut settled: Words = SmallVec::from_elem(0, groups.len());
            for (_, other) in &valid {
                if self.alike(state, class, *other, *group) {
                    settled[other.index() / 64] |= 1 << (other.index() % 64);
                }
            }
            if let Some(option) = self.cheapest(state, draft, draft.option, &settled, &used) {
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
        (state.drafts.loose || class.adds.iter().all(|tally| settled(*tally)))
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
    fn alike(&self, state: &State, class: &Class, a: GroupId, b: GroupId) -> bool {
        let loose = state.drafts.loose;
        let same = |tally: TallyId| {
            let key = self.key_of(tally).index();
            let domain = |group: GroupId| self.launch.groups[group.index()].domains[key];
            (!self.is_dense(tally) || domain(a) == domain(b))
                && self.counts_group(tally, a) == self.counts_group(tally, b)
        };
        (loose || class.adds.iter().all(|tally| same(*tally)))
            && class.rules.iter().all(|rule| match rule {
                // Any of the domains that are allowed will do, unless the pod is the first of its kind.
                Rule::Forbid { .. } if loose => true,
                Rule::Require { tallies, .. }
                    if loose && tallies.iter().any(|own| state.totals[own.index()] > 0) =>
                {
                    true
                }
                Rule::Forbid { tally, .. } | Rule::Spread { tally, .. } => same(*tally),
                Rule::Require { tallies, .. } => tallies.iter().all(|tally| same(*tally)),
                Rule::Attach => true,
                Rule::Bind => class.open_claims.iter().all(|open| {
                    let reached = open.volumes.iter().map(|candidate| candidate.reached);
                    reached.chain(open.made).all(|selection| {
                        let allowed = self.groups.allowed(selection);
                        allowed.contains(a.index()) == allowed.contains(b.index())
                    })
                }),
            })
    }

    /// The cheapest option of some groups that holds what is used of a draft: none before `from` does.
    pub(crate) fn cheapest(
        &self,
        state: &State,
        draft: &Draft,
        from: u32,
        groups: &Words,
        used: &Used,
    ) -> Option<u32> {
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
            let first = if from == NO_OPTION { 0 } else { from };
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
            let first = match from {
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
        if self.unmet_values(state, draft, groups, used).is_none() { Some(found) } else { None }
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

    /// Whether an option can still be had: its groups are left, it holds the pods, and neither limits nor reservations are in
    /// the way.
    pub(crate) fn is_possible(
        &self,
        state: &State,
        draft: &Draft,
        groups: &Words,
        used: &Used,
        option: &LaunchOption,
    ) -> bool {
        let pool = self.launch.pool(draft.pool);
        let own = pool.options.get(draft.option as usize).and_then(|own| own.reservation);
        groups[option.group.index() / 64] >> (option.group.index() % 64) & 1 == 1
            && used.fits(option)
            && option.reservation.is_none_or(|reservation| {
                own == Some(reservation) || state.drafts.left[reservation as usize] != Some(0)
            })
            && ((pool.limits.is_none() && pool.node_limit.is_none())
                || self.within_limits(state, draft, pool, option))
    }

    /// The first label of which too few different values stay possible.
    fn unmet_values(
        &self,
        state: &State,
        draft: &Draft,
        groups: &Words,
        used: &Used,
    ) -> Option<(Str, u32)> {
        let pool = self.launch.pool(draft.pool);
        let values_of = |option: &LaunchOption, key: Str| -> SmallVec<[Str; 2]> {
            let offered = self.launch.offered_type(pool, option);
            if key == self.launch.offers.os && !offered.systems.is_empty() {
                return offered.systems.iter().copied().collect();
            }
            let offering = self.launch.offering(pool, option);
            let mut labels = offering.labels.iter().chain(&offered.labels);
            labels.find(|(own, _)| *own == key).map(|(_, value)| *value).into_iter().collect()
        };
        let unmet = |(key, least): &&(Str, u32)| {
            let options = pool
                .options
                .iter()
                .filter(|option| self.is_possible(state, draft, groups, used, option));
            let mut values: Vec<Str> = options.flat_map(|option| values_of(option, *key)).collect();
            values.sort_unstable();
            values.dedup();
            values.len() < *least as usize
        };
        pool.min_values.iter().find(unmet).copied()
    }

    pub(crate) fn empty_draft(&self, pool: PoolId) -> Draft {
        Draft {
            pool,
            groups: self.launch.pool(pool).groups.words().iter().copied().collect(),
            top: Free::default(),
            top_rare: SmallVec::new(),
            option: NO_OPTION,
        }
    }

    /// The first label of which too few different values would stay possible on a new node for one pod.
    pub(crate) fn too_few_values(
        &self,
        state: &State,
        class: &Class,
        pool: PoolId,
    ) -> Option<(Str, u32)> {
        let draft = self.empty_draft(pool);
        let used = Used::default().add(class, 1);
        self.unmet_values(state, &draft, &draft.groups, &used)
    }

    /// Whether the pool's limits leave room for some node that holds one pod.
    pub(crate) fn has_limit_room(&self, state: &State, class: &Class, pool: PoolId) -> bool {
        let draft = self.empty_draft(pool);
        let own = self.launch.pool(pool);
        let used = Used::default().add(class, 1);
        own.options
            .iter()
            .any(|option| used.fits(option) && self.within_limits(state, &draft, own, option))
    }

    /// The types that a draft may be launched as, the cheapest first, each with the cheapest way to buy it.
    pub(crate) fn possible_types<'a>(&'a self, state: &State, at: usize) -> Vec<&'a LaunchOption> {
        let draft = &state.drafts.list[at];
        let used = Used::of(state, draft, NodeId::new(self.nodes.len() + at));
        let pool = self.launch.pool(draft.pool);
        let mut listed = vec![false; self.launch.offered_pool(pool).types.len()];
        let mut found = Vec::new();
        for option in pool.options.iter().skip(draft.option as usize) {
            let seen = &mut listed[option.at.0 as usize];
            if !*seen && self.is_possible(state, draft, &draft.groups, &used, option) {
                *seen = true;
                found.push(option);
            }
        }
        found
    }
}

pub(crate) fn nothing_as_least(amount: i64) -> i64 {
    if amount == 0 { i64::MIN } else { amount }
}
