//! Finding a place for pods: nodes that were just used, then the tightest that fit, then new nodes.

use crate::bits::Ones;
use crate::class::{Class, Rule};
use crate::draft::Fitting;
use crate::ids::{ClassId, NodeId};
use crate::rules::Spot;
use crate::state::State;
use crate::tables::{DRAFTS, MIXED, Tables};

/// Beyond this many touched nodes the grid is brought up to date instead of looking at each.
const TOUCHED_AT_MOST: usize = 48;

/// Where a pod can go.
enum Found {
    Node(NodeId),
    New(NodeId, Fitting),
}

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
        let class = self.class(now);
        if class.never.is_some() {
            return count;
        }
        let plain = class.is_plain();
        let mut left = count;
        // Once every node that there is was refused for good, only newer ones need a look.
        let mut refused: Option<usize> = None;
        while left > 0 {
            let found = match refused {
                None => self.find(state, class),
                Some(from) => self.find_new(state, class, from),
            };
            match found {
                Some(Found::Node(node)) => {
                    let some = if plain { self.room(state, class, node, left).max(1) } else { 1 };
                    state.place(self, now, original, node, some);
                    left -= some;
                }
                Some(Found::New(node, fitting)) => {
                    state.fill(self, now, original, node, fitting);
                    left -= 1;
                }
                None => {
                    if class.monotone && refused.is_none() {
                        refused = Some(state.cpu.len());
                    }
                    if state.open(self, now, original).is_none() {
                        break;
                    }
                    left -= 1;
                }
            }
            if state.touched.len() > TOUCHED_AT_MOST {
                state.refresh(self);
            }
        }
        left
    }

    /// A node or a draft for one more pod.
    fn find(&self, state: &State, class: &Class) -> Option<Found> {
        for at in 0..state.touched.len() {
            let node = state.touched[at];
            if !self.has_room(state, class, node) {
                continue;
            }
            if node.index() >= self.nodes.len() {
                if let Some(fitting) = self.fits_draft(state, class, node) {
                    return Some(Found::New(node, fitting));
                }
            } else if self.fits(state, class, node) {
                return Some(Found::Node(node));
            }
        }
        let sectors = self.sectors_for(state, class);
        if sectors == 0 {
            return None;
        }
        let mut found = None;
        state.grid.search(sectors, class.row, class.column, |node| {
            let node = NodeId(node);
            if state.is_touched(node) || !self.has_room(state, class, node) {
                return false;
            }
            match self.sector(node) {
                DRAFTS => {
                    found = self.fits_draft(state, class, node).map(|own| Found::New(node, own));
                }
                MIXED => {
                    if self.fits(state, class, node) {
                        found = Some(Found::Node(node));
                    }
                }
                _ => {
                    if !class.per_node || self.holds_on(state, class, node) {
                        found = Some(Found::Node(node));
                    }
                }
            }
            found.is_some()
        });
        found
    }

    /// A draft that is newer than some number.
    fn find_new(&self, state: &State, class: &Class, from: usize) -> Option<Found> {
        (from..state.cpu.len()).map(NodeId::new).find_map(|node| {
            if !self.has_room(state, class, node) {
                return None;
            }
            self.fits_draft(state, class, node).map(|fitting| Found::New(node, fitting))
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
    fn sectors_for(&self, state: &State, class: &Class) -> u64 {
        let allowed = self.sector_masks[class.selection.index()];
        if !class.per_domain {
            return allowed;
        }
        let shared = 1 << MIXED | 1 << DRAFTS;
        let mut kept = allowed & shared;
        for sector in Ones(allowed & !shared) {
            let spot = Spot::Node(self.sector_nodes[sector]);
            let holds = class
                .rules
                .iter()
                .filter(|rule| self.is_for_domains(rule))
                .all(|rule| self.holds(state, class, rule, spot));
            if holds {
                kept |= 1 << sector;
            }
        }
        kept
    }
}
