//! Finding a place for pods: on a node that was just used, on the tightest node or draft that fits, else on a new node.

use crate::bits::Ones;
use crate::class::{Class, Rule};
use crate::fitting::Fitting;
use crate::ids::{ClassId, NodeId, TallyId};
use crate::rules::Spot;
use crate::state::{Batch, State};
use crate::tables::{DRAFTS, Hot, MIXED, Need, STARTING, Tables};

impl Tables {
    /// Places pods of a class, giving up preferences where it must; returns how many found no place.
    pub(crate) fn place_run(&self, state: &mut State, class: ClassId, count: u32) -> u32 {
        let mut left = count;
        let mut now = class;
        loop {
            left = self.place_as(state, now, class, left);
            if left == 0 {
                return 0;
            }
            match self.class(now).relaxed {
                Some(relaxed) => now = relaxed,
                None => return left,
            }
        }
    }

    fn place_as(&self, state: &mut State, now: ClassId, original: ClassId, count: u32) -> u32 {
        let (class, hot) = (self.class(now), &self.hot[now.index()]);
        if !hot.simple && class.never.is_some() {
            return count;
        }
        let pods = |count: u32| Batch { class: now, original, count, counted: true };
        let mut left = count;
        let mut full = false;
        // Once every node that there is was refused for good, only newer ones need a look.
        let mut refused: Option<usize> = None;
        while left > 0 {
            if !full {
                left = self.place_on_nodes(state, now, original, left);
                if left == 0 {
                    break;
                }
                full = hot.lasting;
            }
            let find = |state: &State, some: u32| match refused {
                None => self.find_draft(state, class, hot, some),
                Some(from) => self.find_new(state, class, from, some),
            };
            let mut some = if hot.batch { left } else { 1 };
            let mut found = find(state, some);
            if found.is_none() && some > 1 {
                some = 1;
                found = find(state, some);
            }
            if let Some((node, fitting)) = found {
                state.fill(self, pods(some), node, fitting);
                left -= some;
                continue;
            }
            if hot.lasting && refused.is_none() {
                refused = Some(state.free.len());
            }
            if state.open(self, pods(1)).is_none() {
                break;
            }
            left -= 1;
        }
        left
    }

    /// Places pods on nodes that exist; returns how many found no place.
    pub(crate) fn place_on_nodes(
        &self,
        state: &mut State,
        now: ClassId,
        original: ClassId,
        count: u32,
    ) -> u32 {
        let (class, hot) = (self.class(now), &self.hot[now.index()]);
        let batch = |count: u32| Batch { class: now, original, count, counted: true };
        if hot.simple {
            return self.place_simple(state, now, count, |state, found, some| {
                state.place(self, batch(some), found.node());
            });
        }
        let mut left = count;
        while left > 0 {
            let Some(node) = self.find_node(state, class, hot) else { break };
            let some =
                if class.is_plain() { Self::room(state, class, node, left).max(1) } else { 1 };
            state.place(self, batch(some), node);
            left -= some;
        }
        left
    }

    /// Places pods that care for nothing but cpu and memory on nodes that exist; returns how many found no place.
    #[inline]
    pub(crate) fn place_simple(
        &self,
        state: &mut State,
        id: ClassId,
        count: u32,
        put: impl Fn(&mut State, Found, u32),
    ) -> u32 {
        let hot = &self.hot[id.index()];
        let mut left = count;
        // A node that takes them all, or else any.
        let mut some = count;
        while left > 0 {
            if let Some(found) = self.find_simple(state, id, some) {
                if some < left {
                    some = hot.room(&state.free[found.node().index()], left);
                }
                put(state, found, some);
                left -= some;
            } else if some == 1 {
                break;
            }
            some = 1;
        }
        left
    }

    /// A node that exists for some pods that care for nothing but cpu and memory.
    fn find_simple(&self, state: &State, id: ClassId, count: u32) -> Option<Found> {
        let hot = &self.hot[id.index()];
        let mut need = hot.need(count);
        if count > 1 && (state.scarce || !state.drafts.list.is_empty()) {
            // Room is rare; for several at once only cells are worth a look whose nodes have it for sure.
            need.row += 1;
            need.column += 1;
        }
        self.seek(state, &need, hot.sectors, |node, own_group| {
            own_group || self.fits(state, self.class(id), node)
        })
    }

    /// A node that exists for one more pod.
    fn find_node(&self, state: &State, class: &Class, hot: &Hot) -> Option<NodeId> {
        let sectors = self.sectors_for(state, class, hot);
        let found = self.seek(state, &hot.need(1), sectors, |node, own_group| {
            if own_group {
                self.agrees(state, class, hot, node)
            } else {
                self.fits(state, class, node)
            }
        });
        found.map(Found::node)
    }

    /// A node that exists with room for what is needed, to which `ask` agrees: it is told whether the node's sector holds one
    /// group only. First come nodes that were used before; then, if a probe asks for it, nodes with a lot of room, so that the
    /// next pods need not search; then the tightest.
    #[inline]
    pub(crate) fn seek(
        &self,
        state: &State,
        need: &Need,
        sectors: u64,
        ask: impl Fn(NodeId, bool) -> bool,
    ) -> Option<Found> {
        let look = |sectors: u64| -> Option<Found> {
            for (block, all) in state.touched.chunks(64).enumerate() {
                // Who has room is found without branches: it is anybody's guess.
                let roomy = all.iter().rev().fold(0_u64, |roomy, own| {
                    roomy << 1 | (u64::from(need.fits(&own.free)) & sectors >> own.sector & 1)
                });
                for at in Ones(roomy) {
                    let own = &all[at];
                    if ask(own.node, own.sector < MIXED) {
                        return Some(Found::Again(block * 64 + at, own.node));
                    }
                }
            }
            let mut found = None;
            let mut visit = |sector: u8, node: u32| {
                let node = NodeId(node);
                let fits = need.fits(&state.free[node.index()])
                    && !state.is_touched(node)
                    && ask(node, sector < MIXED);
                if fits {
                    found = Some(Found::First(sector, node));
                }
                fits
            };
            if state.roomy {
                let (row, column) = (need.row + ROOMY, need.column + ROOMY);
                if state.grid.search(sectors, row, column, &mut visit) {
                    return found;
                }
            }
            state.grid.search(sectors, need.row, need.column, &mut visit);
            found
        };
        let ready = sectors & !(1 << DRAFTS | 1 << STARTING);
        look(ready).or_else(|| if self.any_starting { look(1 << STARTING) } else { None })
    }

    /// Whether a node with cpu, memory and a place for a pod takes one of the class, whose selection and domains allow it.
    fn agrees(&self, state: &State, class: &Class, hot: &Hot, node: NodeId) -> bool {
        (!hot.rare || Self::has_room(state, class, node))
            && (!class.per_node || self.holds_on(state, class, node))
    }

    /// A new node for some more pods.
    pub(crate) fn find_draft(
        &self,
        state: &State,
        class: &Class,
        hot: &Hot,
        count: u32,
    ) -> Option<(NodeId, Fitting)> {
        if state.drafts.list.is_empty() {
            return None;
        }
        let ask = |node: NodeId| {
            if !Self::has_room(state, class, node) {
                return None;
            }
            self.fits_draft(state, class, node, count).map(|fitting| (node, fitting))
        };
        let touched = state.touched.iter().filter(|own| own.sector == DRAFTS);
        let mut found = touched.map(|own| own.node).find_map(ask);
        if found.is_none() {
            state.grid.search(1 << DRAFTS, hot.row, hot.column, |_, node| {
                if !state.is_touched(NodeId(node)) {
                    found = ask(NodeId(node));
                }
                found.is_some()
            });
        }
        found
    }

    /// A draft that is newer than some number.
    fn find_new(
        &self,
        state: &State,
        class: &Class,
        from: usize,
        count: u32,
    ) -> Option<(NodeId, Fitting)> {
        (from..state.free.len()).map(NodeId::new).find_map(|node| {
            if !Self::has_room(state, class, node) {
                return None;
            }
            self.fits_draft(state, class, node, count).map(|fitting| (node, fitting))
        })
    }

    /// Whether the rules that speak of a node alone hold there.
    #[inline]
    fn holds_on(&self, state: &State, class: &Class, node: NodeId) -> bool {
        class
            .rules
            .iter()
            .filter(|rule| !self.is_for_domains(rule))
            .all(|rule| self.holds(state, class, rule, Spot::Node(node)))
    }

    fn is_for_domains(&self, rule: &Rule) -> bool {
        match rule {
            Rule::Forbid { tally, .. } | Rule::Spread { tally, .. } => self.is_dense(*tally),
            Rule::Require { tallies, .. } => tallies.iter().all(|tally| self.is_dense(*tally)),
            Rule::Attach | Rule::Bind => false,
        }
    }

    /// The sectors in which a class may be now: its selection, and the rules that hold for whole domains.
    #[inline]
    fn sectors_for(&self, state: &State, class: &Class, hot: &Hot) -> u64 {
        let mut allowed = hot.sectors;
        if !class.per_domain {
            return allowed;
        }
        for rule in &class.rules {
            match rule {
                Rule::Forbid { tally, .. } if self.is_dense(*tally) => {
                    // Sectors without the label are in no domain, and nothing is forbidden there.
                    allowed &= OPEN | !self.sectors_where(state, *tally, |count| count > 0);
                }
                Rule::Spread { tally, max_skew, min_domains, own } if self.is_dense(*tally) => {
                    let (mut least, domains) = state.emptiest(self, *tally);
                    if domains < i64::from(*min_domains) {
                        least = 0;
                    }
                    let most = i64::from(*max_skew) - i64::from(*own) + least;
                    allowed &=
                        OPEN | self.sectors_where(state, *tally, |count| i64::from(count) <= most);
                }
                Rule::Require { tallies, own }
                    if tallies.iter().all(|tally| self.is_dense(*tally)) =>
                {
                    let first =
                        *own && tallies.iter().all(|tally| state.totals[tally.index()] == 0);
                    for tally in tallies {
                        allowed &=
                            OPEN | self.sectors_where(state, *tally, |count| first || count > 0);
                    }
                }
                _ => {}
            }
        }
        allowed
    }

    /// The sectors of domains whose count passes.
    #[inline]
    fn sectors_where(&self, state: &State, tally: TallyId, passes: impl Fn(i32) -> bool) -> u64 {
        let row = self.tally_hot[tally.index()].row as usize;
        let sectors = &self.key_sectors[self.key_of(tally).index()];
        let counts = &state.rows[row..row + sectors.len()];
        let passing = counts.iter().zip(sectors).filter(|(count, _)| passes(**count));
        passing.fold(0, |all, (_, sectors)| all | sectors)
    }
}

/// Sectors whose nodes are not all in one domain: each node is asked.
pub(crate) const OPEN: u64 = 1 << MIXED | 1 << STARTING | 1 << DRAFTS;

/// How many half octaves a node with a lot of room is above what is needed.
const ROOMY: u8 = 3;

/// A node that was found.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Found {
    /// One that was touched before, and where in that list it is.
    Again(usize, NodeId),
    /// One that was not, and its sector.
    First(u8, NodeId),
}

impl Found {
    #[inline]
    pub(crate) fn node(self) -> NodeId {
        let (Self::Again(_, node) | Self::First(_, node)) = self;
        node
    }
}
