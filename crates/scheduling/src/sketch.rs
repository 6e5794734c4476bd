//! The new node of a probe as a sum of its pods: no more is asked as long as they care for room and their own replicas only.
//!
//! A draft is written into every column of the state and taken back from there. Most probes need its price alone, so that
//! the draft is made only when a pod comes that other pods count.

use restow_model::Price;
use smallvec::SmallVec;

use crate::bits::Bits;
use crate::draft::{Draft, NO_OPTION, Words};
use crate::fitting::Fitting;
use crate::ids::{Domain, KeyId, NO_DOMAIN, NodeId, PoolId};
use crate::lone::Lone;
use crate::state::{Change, State};
use crate::tables::{Hot, Tables};
use crate::used::Used;

/// A new node with pods that are written down nowhere else.
pub(crate) struct Sketch {
    /// What is written down of it, with which its pool is charged: nothing as long as it has no option.
    draft: Draft,
    groups: Words,
    option: u32,
    used: Used,
    /// The domain of each key in which pods settled it.
    settled: SmallVec<[(KeyId, Domain); 2]>,
}

impl Sketch {
    fn new(draft: Draft, used: Used) -> Self {
        Self {
            groups: draft.groups.clone(),
            option: draft.option,
            used,
            settled: SmallVec::new(),
            draft,
        }
    }

    /// A new node that is a draft already.
    pub(crate) fn over(tables: &Tables, state: &State, node: NodeId) -> Self {
        let draft = &state.drafts.list[node.index() - tables.nodes.len()];
        Self::new(draft.clone(), Used::of(state, draft, node))
    }

    /// The domain in which it is settled of those that a pod spreads over.
    fn domain(&self, lone: &Lone) -> Option<Domain> {
        self.settled.iter().find(|(key, _)| *key == lone.key).map(|(_, domain)| *domain)
    }

    /// What it costs as it would be launched.
    pub(crate) fn price(&self, tables: &Tables) -> Price {
        let options = &tables.launch.pool(self.draft.pool).options;
        options.get(self.option as usize).map(|option| option.price).unwrap_or_default()
    }
}

impl Tables {
    /// A new node for one pod, if a pool can launch one: chosen as [`State::opening`] does.
    pub(crate) fn sketch(&self, state: &State, hot: &Hot, lone: Option<&Lone>) -> Option<Sketch> {
        if state.drafts.list.len() >= state.drafts.most {
            return None;
        }
        let mut best: Option<(u32, Price, Sketch)> = None;
        for (at, pool) in self.launch.pools.iter().enumerate() {
            if best.as_ref().is_some_and(|(tier, ..)| *tier != pool.tier) {
                break;
            }
            let mut sketch = Sketch::new(self.empty_draft(PoolId::new(at)), Used::default());
            if self.join(state, &mut sketch, hot, lone, 1) {
                let price = sketch.price(self);
                if best.as_ref().is_none_or(|(_, other, _)| price < *other) {
                    best = Some((pool.tier, price, sketch));
                }
            }
        }
        best.map(|(.., sketch)| sketch)
    }

    /// Puts pods on a new node if it can hold all of them: those of an easy class, or one of a lone class.
    pub(crate) fn join(
        &self,
        state: &State,
        sketch: &mut Sketch,
        hot: &Hot,
        lone: Option<&Lone>,
        count: u32,
    ) -> bool {
        let allowed = self.groups.allowed(hot.selection);
        let narrow = |groups: &mut Words| {
            groups.iter_mut().enumerate().for_each(|(at, word)| *word &= allowed.word(at));
        };
        sketch.used.take(hot, i64::from(count));
        if self.stays(state, sketch, allowed, lone) {
            narrow(&mut sketch.groups);
            return true;
        }
        let mut groups = Words::from_slice(&sketch.groups);
        narrow(&mut groups);
        let found = match lone {
            Some(lone) if lone.spreads() => self.settle(state, sketch, lone, groups),
            _ => self.launched_as(state, sketch, &groups).map(|option| (groups, option)),
        };
        let joined = found.is_some();
        match found {
            Some((groups, option)) => (sketch.groups, sketch.option) = (groups, option),
            None => sketch.used.take(hot, -i64::from(count)),
        }
        joined
    }

    /// Whether a new node with more pods is launched as without them, which is mostly so and quick to say.
    #[inline]
    fn stays(&self, state: &State, sketch: &Sketch, allowed: &Bits, lone: Option<&Lone>) -> bool {
        let pool = self.launch.pool(sketch.draft.pool);
        let Some(option) = pool.options.get(sketch.option as usize) else { return false };
        let settled = |lone: &Lone| {
            sketch.domain(lone).is_some_and(|domain| {
                state.rows[lone.row as usize + domain as usize] <= self.most_for_lone(state, lone)
            })
        };
        pool.min_values.is_empty()
            && allowed.contains(option.group.index())
            && sketch.used.fits(option)
            && lone.is_none_or(|lone| !lone.spreads() || settled(lone))
    }

    /// The groups and the option of a new node with one more pod that spreads; its domain is decided now if it was not.
    fn settle(
        &self,
        state: &State,
        sketch: &mut Sketch,
        lone: &Lone,
        groups: Words,
    ) -> Option<(Words, u32)> {
        let most = self.most_for_lone(state, lone);
        let passes = |domain: Domain| {
            let count = state.rows[lone.row as usize + domain as usize];
            (count <= most).then_some(count)
        };
        if let Some(domain) = sketch.domain(lone) {
            passes(domain)?;
            return self.launched_as(state, sketch, &groups).map(|option| (groups, option));
        }
        let mut choices: SmallVec<[(i32, Domain, Words); 8]> = SmallVec::new();
        for group in &self.launch.pool(sketch.draft.pool).order {
            let (word, bit) = (group.index() / 64, 1 << (group.index() % 64));
            let domain = self.launch.groups[group.index()].domains[lone.key.index()];
            if groups[word] & bit == 0 || domain == NO_DOMAIN {
                continue;
            }
            let Some(count) = passes(domain) else { continue };
            let known = choices.iter().position(|(_, other, _)| *other == domain);
            let at = known.unwrap_or_else(|| {
                choices.push((count, domain, SmallVec::from_elem(0, groups.len())));
                choices.len() - 1
            });
            choices[at].2[word] |= bit;
        }
        // The emptiest domains first, then the cheapest: the pool's order is by price.
        choices.sort_by_key(|(count, ..)| *count);
        choices.into_iter().find_map(|(_, domain, groups)| {
            let option = self.launched_as(state, sketch, &groups)?;
            sketch.settled.push((lone.key, domain));
            Some((groups, option))
        })
    }

    /// The cheapest option of some groups that holds the pods of a new node.
    fn launched_as(&self, state: &State, sketch: &Sketch, groups: &Words) -> Option<u32> {
        self.cheapest(state, &sketch.draft, sketch.option, groups, &sketch.used)
    }

    /// Makes a new node a draft that all pods can see.
    pub(crate) fn write_down(&self, state: &mut State, sketch: Sketch) {
        let Sketch { draft, groups, option, used, .. } = sketch;
        if draft.option == NO_OPTION {
            state.push_open_node(self);
            state.drafts.list.push(draft);
            state.changes.push(Change::Opened);
        }
        let at = state.drafts.list.len() - 1;
        let node = NodeId::new(self.nodes.len() + at);
        let own = &state.drafts.list[at];
        let (before, written) = (state.free[node.index()], Used::of(state, own, node));
        let groups = (groups != own.groups).then_some(groups);
        // What the draft had free is logged, so that the pods need not be.
        state.narrow(self, at, Fitting { groups, option });
        let free = &mut state.free[node.index()];
        free.cpu -= used.cpu - written.cpu;
        free.memory -= used.memory - written.memory;
        free.pods -= (used.pods - written.pods) as i32;
        state.touch(self, node, before);
    }
}
