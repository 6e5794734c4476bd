//! Finding a place for pods: on a node that was just used, on the tightest node or draft that fits, else on a new node.

use crate::class::{Class, Rule};
use crate::fitting::Fitting;
use crate::ids::{ClassId, NodeId, TallyId};
use crate::rules::Spot;
use crate::state::{Free, State};
use crate::tables::{DRAFTS, Hot, MIXED, STARTING, Tables};

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
        let mut left = count;
        // Once every node that there is was refused for good, only newer ones need a look.
        let mut refused: Option<usize> = None;
        while left > 0 {
            if refused.is_none()
                && let Some(node) = self.find_node(state, class, hot)
            {
                let some = if left == 1 {
                    1
                } else if hot.simple {
                    hot.room(&state.free[node.index()], left)
                } else if class.is_plain() {
                    Self::room(state, class, node, left).max(1)
                } else {
                    1
                };
                state.place(self, now, original, node, some);
                left -= some;
                continue;
            }
            let found = match refused {
                None => self.find_draft(state, class, hot),
                Some(from) => self.find_new(state, class, from),
            };
            if let Some((node, fitting)) = found {
                state.fill(self, now, original, node, fitting);
            } else {
                if refused.is_none() && (hot.simple || class.monotone) {
                    refused = Some(state.free.len());
                }
                if state.open(self, now, original).is_none() {
                    break;
                }
            }
            left -= 1;
        }
        left
    }

    /// A node that exists for one more pod.
    #[inline]
    fn find_node(&self, state: &State, class: &Class, hot: &Hot) -> Option<NodeId> {
        let sectors = if hot.simple { hot.sectors } else { self.sectors_for(state, class, hot) };
        let (cpu, memory, simple) = (hot.need_cpu, hot.need_memory, hot.simple);
        let room = |free: &Free| cpu <= free.cpu && memory <= free.memory && free.pods >= 1;
        let ask = |node: NodeId, sector: u8| -> bool {
            // Nodes of one group that have room for a pod that cares for nothing else.
            (simple && sector < MIXED) || self.agrees(state, class, hot, node, sector)
        };
        let look = |sectors: u64| -> Option<NodeId> {
            for own in &state.touched {
                if room(&own.free) && sectors >> own.sector & 1 == 1 && ask(own.node, own.sector) {
                    return Some(own.node);
                }
            }
            let mut found = None;
            state.grid.search(sectors, hot.row, hot.column, |sector, node| {
                let node = NodeId(node);
                let fits =
                    room(&state.free[node.index()]) && !state.is_touched(node) && ask(node, sector);
                if fits {
                    found = Some(node);
                }
                fits
            });
            found
        };
        let ready = sectors & !(1 << DRAFTS | 1 << STARTING);
        look(ready).or_else(|| if self.any_starting { look(1 << STARTING) } else { None })
    }

    /// Whether a node with cpu, memory and a place for a pod takes one of the class.
    fn agrees(&self, state: &State, class: &Class, hot: &Hot, node: NodeId, sector: u8) -> bool {
        if sector == MIXED || sector == STARTING {
            return self.fits(state, class, node);
        }
        (!hot.rare || Self::has_room(state, class, node))
            && (!class.per_node || self.holds_on(state, class, node))
    }

    /// A new node for one more pod.
    fn find_draft(&self, state: &State, class: &Class, hot: &Hot) -> Option<(NodeId, Fitting)> {
        if state.drafts.list.is_empty() {
            return None;
        }
        let ask = |node: NodeId| {
            if !Self::has_room(state, class, node) {
                return None;
            }
            self.fits_draft(state, class, node).map(|fitting| (node, fitting))
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
    fn find_new(&self, state: &State, class: &Class, from: usize) -> Option<(NodeId, Fitting)> {
        (from..state.free.len()).map(NodeId::new).find_map(|node| {
            if !Self::has_room(state, class, node) {
                return None;
            }
            self.fits_draft(state, class, node).map(|fitting| (node, fitting))
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
const OPEN: u64 = 1 << MIXED | 1 << STARTING | 1 << DRAFTS;
