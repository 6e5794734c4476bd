//! Keeping the answer of a trial as one step of a plan: its new nodes take no further pods unless they are vacated again,
//! and nodes that were closed are gone for all that follows.

use crate::ids::{NO_DOMAIN, NodeId, TallyId};
use crate::state::State;
use crate::tables::{SPARSE, Tables};
use crate::trial::Trial;

impl Trial<'_> {
    /// Keeps the answer as a step of a plan. Pods count from now on as what they were placed as.
    pub fn keep_step(mut self) {
        let first = self.first_new();
        let (tables, state) = self.settle_all();
        state.seal(tables, first);
        state.fold_closed(tables);
    }
}

impl State {
    /// Keeps further pods off new nodes from one on.
    fn seal(&mut self, tables: &Tables, first: usize) {
        for at in tables.nodes.len() + first..self.free.len() {
            if self.free[at].pods >= 0 {
                self.free[at].pods = i32::MIN / 2;
            }
            self.index(tables, NodeId::new(at));
        }
    }

    /// Nodes that are closed for good need no further mention: they are taken out of the counts of domains.
    fn fold_closed(&mut self, tables: &Tables) {
        if !tables.options.new_domains {
            return;
        }
        for node in std::mem::take(&mut self.closed) {
            let Some(group) = tables.node_groups.get(node.index()) else { continue };
            for (at, hot) in tables.tally_hot.iter().enumerate() {
                let tally = TallyId::new(at);
                if hot.row == SPARSE || !tables.counts_nodes(tally) {
                    continue;
                }
                let domain = self.domain(hot.key, node);
                if domain != NO_DOMAIN && tables.counts_group(tally, *group) {
                    self.row_nodes[hot.row as usize + domain as usize] -= 1;
                }
            }
        }
    }
}
