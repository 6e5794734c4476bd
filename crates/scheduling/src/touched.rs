//! Nodes that placements changed, which the grid does not know yet: few, so that they are looked through first.

use crate::ids::NodeId;
use crate::place::Found;
use crate::state::{Free, State};
use crate::tables::{Hot, Tables};

/// A node that a placement changed, with what it has free now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touched {
    pub(crate) free: Free,
    /// What it had free when it was first touched.
    pub(crate) before: Free,
    pub(crate) node: NodeId,
    pub(crate) sector: u8,
}

/// Beyond this many the grid is brought up to date instead.
const TOUCHED_AT_MOST: usize = 48;

impl State {
    /// Takes room for pods without a log, while a probe is under way: at its end every node gets its room back.
    #[inline]
    pub(crate) fn lodge(&mut self, hot: &Hot, found: Found, count: u32) {
        let (Found::Again(_, node) | Found::First(_, node)) = found;
        let free = &mut self.free[node.index()];
        let before = *free;
        free.cpu -= hot.cpu * i64::from(count);
        free.memory -= hot.memory * i64::from(count);
        free.pods -= count as i32;
        let free = *free;
        match found {
            Found::Again(at, _) => self.touched[at].free = free,
            Found::First(sector, _) => {
                self.stamps[node.index()] = (self.stamp, self.touched.len() as u32);
                self.touched.push(Touched { free, before, node, sector });
            }
        }
    }

    /// Whether the grid does not know what a node has free.
    #[inline]
    pub(crate) fn is_touched(&self, node: NodeId) -> bool {
        self.stamps[node.index()].0 == self.stamp
    }

    #[inline]
    pub(crate) fn touch(&mut self, tables: &Tables, node: NodeId, before: Free) {
        let free = self.free[node.index()];
        let stamp = &mut self.stamps[node.index()];
        if stamp.0 == self.stamp {
            if let Some(own) = self.touched.get_mut(stamp.1 as usize) {
                own.free = free;
            }
            return;
        }
        *stamp = (self.stamp, self.touched.len() as u32);
        self.touched.push(Touched { free, before, node, sector: tables.sector(node) });
        if self.touched.len() > TOUCHED_AT_MOST && !self.probing {
            self.refresh(tables);
        }
    }

    /// Brings the grid up to date.
    pub(crate) fn refresh(&mut self, tables: &Tables) {
        for at in 0..self.touched.len() {
            let node = self.touched[at].node;
            self.index(tables, node);
            self.indexed.push(node);
        }
        for at in 0..self.closed.len() {
            let node = self.closed[at];
            self.grid.take(node.0);
            self.indexed.push(node);
        }
        self.touched.clear();
        self.stamp += 1;
    }
}
