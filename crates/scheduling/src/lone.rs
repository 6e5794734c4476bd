//! Pods that no others count and that count no others: most deployments spread or repel their own replicas only.
//!
//! As long as one such pod moves at a time, nobody else can tell where it is. A probe that only wants a short answer then
//! need not write it into the tallies where it goes: it takes the pod out, asks, and puts it back.

use crate::class::{Forbidden, Rule};
use crate::ids::{ClassId, GroupId, KeyId, NO_DOMAIN, NodeId, TallyId};
use crate::place::{Found, OPEN};
use crate::state::State;
use crate::tables::{EVERYWHERE, SPARSE, Tables};
use crate::tally::sparse_slot;

/// Not a lone class.
pub(crate) const NOT_LONE: u32 = u32::MAX;

/// The rules of a lone class: a spread over few domains, or nobody of its own on the same host, or both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lone {
    spread: TallyId,
    /// The place of the spread's first count, or [`SPARSE`] if there is no spread.
    pub(crate) row: u32,
    domains: u32,
    pub(crate) key: KeyId,
    scope: u32,
    /// How far a domain may be above the emptiest before a pod comes.
    above: i32,
    min_domains: i32,
    /// Whether the spread counts the pod itself.
    own: bool,
    /// Whether a new node need not be settled for it in anything else than what it spreads over.
    pub(crate) direct: bool,
    /// Who must not be on the node.
    avoids: Option<(TallyId, KeyId)>,
}

/// Who has to do with a tally.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    Nobody,
    Only(ClassId),
    Several,
}

impl Who {
    fn add(&mut self, class: ClassId) {
        *self = match *self {
            Self::Nobody => Self::Only(class),
            Self::Only(own) if own == class => *self,
            _ => Self::Several,
        };
    }

    fn is_at_most(self, class: ClassId) -> bool {
        self == Self::Nobody || self == Self::Only(class)
    }
}

/// Finds the lone classes.
pub(crate) fn lay_out(tables: &mut Tables) {
    let mut adders = vec![Who::Nobody; tables.tallies.len()];
    let mut askers = adders.clone();
    for (at, class) in tables.classes.iter().enumerate() {
        let id = ClassId::new(at);
        class.adds.iter().for_each(|tally| adders[tally.index()].add(id));
        for rule in &class.rules {
            match rule {
                Rule::Forbid { tally, .. } | Rule::Spread { tally, .. } => {
                    askers[tally.index()].add(id);
                }
                Rule::Require { tallies, .. } => {
                    tallies.iter().for_each(|tally| askers[tally.index()].add(id));
                }
                Rule::Attach | Rule::Bind => {}
            }
        }
    }
    tables.lones.clear();
    for at in 0..tables.classes.len() {
        let found = lone(tables, ClassId::new(at), &adders, &askers);
        let hot = &mut tables.hot[at];
        let counted = hot.adds.0 < hot.adds.1;
        hot.lone = NOT_LONE;
        hot.quiet = if counted { u32::from(found.is_some()) } else { u32::MAX };
        if let Some(own) = found {
            hot.lone = tables.lones.len() as u32;
            tables.lones.push(own);
        }
    }
}

fn lone(tables: &Tables, id: ClassId, adders: &[Who], askers: &[Who]) -> Option<Lone> {
    let class = tables.class(id);
    let in_the_way = class.never.is_some()
        || class.relaxed.is_some()
        || !class.attaches.is_empty()
        || !class.open_claims.is_empty()
        || !class.demand.rare.is_empty();
    let mine = |tally: &TallyId| {
        adders[tally.index()].is_at_most(id) && askers[tally.index()].is_at_most(id)
    };
    let unseen = |tally: &TallyId| askers[tally.index()].is_at_most(id);
    if in_the_way || class.rules.is_empty() || !class.adds.iter().all(unseen) {
        return None;
    }
    let mut found = Lone {
        spread: TallyId(0),
        row: SPARSE,
        domains: 0,
        key: KeyId(0),
        scope: 0,
        above: 0,
        min_domains: 0,
        own: false,
        direct: false,
        avoids: None,
    };
    for rule in &class.rules {
        match rule {
            Rule::Forbid { tally, why: Forbidden::Avoided | Forbidden::AvoidedBy }
                if mine(tally) =>
            {
                let hot = &tables.tally_hot[tally.index()];
                if !hot.local {
                    return None;
                }
                // What the pods avoid and who avoids them is the same, as it is all them.
                let place = (*tally, hot.key);
                let same = |(other, key): (TallyId, KeyId)| {
                    key == hot.key
                        && tables.tally_hot[other.index()].scope == hot.scope
                        && adders[other.index()] == adders[tally.index()]
                };
                if !found.avoids.is_none_or(same) {
                    return None;
                }
                found.avoids.get_or_insert(place);
            }
            Rule::Spread { tally, max_skew, min_domains, own }
                if mine(tally) && tables.is_dense(*tally) && found.row == SPARSE =>
            {
                let hot = &tables.tally_hot[tally.index()];
                found = Lone {
                    spread: *tally,
                    row: hot.row,
                    domains: hot.domains,
                    key: hot.key,
                    scope: hot.scope,
                    above: *max_skew - i32::from(*own),
                    min_domains: *min_domains,
                    own: adders[tally.index()] == Who::Only(id),
                    direct: false,
                    avoids: found.avoids,
                };
            }
            _ => return None,
        }
    }
    let launched = tables.launch.pools.iter().flat_map(|pool| &pool.order);
    let allowed = tables.groups.allowed(class.selection);
    let mine: Vec<GroupId> =
        launched.copied().filter(|group| allowed.contains(group.index())).collect();
    let asked = found.spreads().then_some(found.spread);
    found.direct = class.adds.iter().chain(&asked).all(|tally| {
        let hot = &tables.tally_hot[tally.index()];
        let counted = |group: &GroupId| tables.is_in_scope(hot.scope, *group);
        (hot.row == SPARSE || (found.spreads() && hot.key == found.key))
            && mine.iter().all(|group| counted(group) == counted(&mine[0]))
    });
    Some(found)
}

impl Lone {
    /// Whether its pods spread over few domains.
    #[inline]
    pub(crate) fn spreads(&self) -> bool {
        self.row != SPARSE
    }

    /// Whether nobody whom the pod avoids is on a node.
    #[inline]
    pub(crate) fn is_welcome(&self, state: &State, node: NodeId) -> bool {
        let Some((tally, key)) = self.avoids else { return true };
        let domain = state.domain(key, node);
        domain == NO_DOMAIN
            || state.sparse.get(&sparse_slot(tally, domain)).is_none_or(|count| *count <= 0)
    }
}

impl Tables {
    /// The most pods that may be in a domain before a lone pod comes to it.
    #[inline]
    pub(crate) fn most_for_lone(&self, state: &State, lone: &Lone) -> i32 {
        let (first, after) = (lone.row as usize, (lone.row + lone.domains) as usize);
        let (counts, nodes) = (&state.rows[first..after], &state.row_nodes[first..after]);
        let (mut least, mut domains, mut scarce) = (i32::MAX, 0, false);
        for (count, nodes) in counts.iter().zip(nodes) {
            if *nodes > 0 {
                // As long as there are more nodes than were closed, some are left.
                scarce |= *nodes as usize <= state.closed.len();
                domains += 1;
                least = least.min(*count);
            }
        }
        if scarce {
            let found = state.emptiest(self, lone.spread);
            (least, domains) = (found.0 as i32, found.1 as i32);
        }
        if domains < lone.min_domains {
            least = 0;
        }
        least.saturating_add(lone.above)
    }

    /// The sectors in which a lone pod may be now.
    #[inline]
    fn sectors_for_lone(&self, state: &State, lone: &Lone, allowed: u64) -> u64 {
        if !lone.spreads() {
            return allowed;
        }
        let most = self.most_for_lone(state, lone);
        let sectors = &self.key_sectors[lone.key.index()];
        let counts = &state.rows[lone.row as usize..lone.row as usize + sectors.len()];
        let passing = counts.iter().zip(sectors);
        let passing = passing.map(|(count, sectors)| if *count <= most { *sectors } else { 0 });
        allowed & passing.fold(OPEN, |all, sectors| all | sectors)
    }

    /// Asks something about a lone pod while it is not counted on its node.
    #[inline]
    pub(crate) fn without<T>(
        &self,
        state: &mut State,
        lone: &Lone,
        node: NodeId,
        ask: impl FnOnce(&mut State) -> T,
    ) -> T {
        self.count_lone(state, lone, node, -1);
        let answer = ask(state);
        self.count_lone(state, lone, node, 1);
        answer
    }

    /// A node that exists for a lone pod that is not counted at the moment.
    pub(crate) fn find_for_lone(&self, state: &State, id: ClassId) -> Option<Found> {
        let hot = &self.hot[id.index()];
        let lone = &self.lones[hot.lone as usize];
        let sectors = self.sectors_for_lone(state, lone, hot.sectors);
        self.seek(state, &hot.need(1), sectors, |node, own_group| {
            if own_group {
                lone.is_welcome(state, node)
            } else {
                self.fits(state, self.class(id), node)
            }
        })
    }

    /// Takes a lone pod of a node out of the counts that its own rules ask for (`-1`), or puts it back (`1`).
    #[inline]
    fn count_lone(&self, state: &mut State, lone: &Lone, node: NodeId, by: i32) {
        if !lone.own {
            return;
        }
        let domain = state.domain(lone.key, node);
        let counted = lone.scope == EVERYWHERE
            || self.is_in_scope(lone.scope, self.node_groups[node.index()]);
        if domain != NO_DOMAIN && counted {
            state.rows[lone.row as usize + domain as usize] += by;
        }
    }
}
