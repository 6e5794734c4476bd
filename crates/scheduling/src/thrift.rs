//! Filling new nodes so that they cost as little as possible together: each pod goes where it raises the bill least, which
//! keeps pods apart that would make each other's nodes dear.

use restow_model::Price;

use crate::class::Class;
use crate::fitting::Fitting;
use crate::ids::NodeId;
use crate::state::{Batch, State};
use crate::tables::Tables;

impl Tables {
    /// Places one pod on a new node, an open one or another, where it costs least; whether that was possible.
    pub(crate) fn place_thriftily(&self, state: &mut State, pod: Batch) -> bool {
        let class = self.class(pod.class);
        let best = self.cheapest_draft(state, class);
        // A node that has room for it anyway costs nothing more.
        if let Some((rise, _, node, fitting)) = &best
            && *rise <= Price::ZERO
        {
            state.fill(self, pod, *node, fitting.clone());
            return true;
        }
        match (best, state.opening(self, pod.class)) {
            (Some((rise, ..)), Some((price, pool, fitting))) if price < rise => {
                state.open_as(self, pod, pool, fitting);
                true
            }
            (Some((_, _, node, fitting)), _) => {
                state.fill(self, pod, node, fitting);
                true
            }
            (None, Some((_, pool, fitting))) => {
                state.open_as(self, pod, pool, fitting);
                true
            }
            (None, None) => false,
        }
    }

    /// The draft that gets dearer by least, of equal ones the fullest.
    fn cheapest_draft(
        &self,
        state: &State,
        class: &Class,
    ) -> Option<(Price, i64, NodeId, Fitting)> {
        let mut best: Option<(Price, i64, NodeId, Fitting)> = None;
        for at in state.drafts.first..state.drafts.list.len() {
            let node = NodeId::new(self.nodes.len() + at);
            if state.free[node.index()].pods <= 0 || !Self::has_room(state, class, node) {
                continue;
            }
            let Some(fitting) = self.fits_draft(state, class, node, 1) else { continue };
            let draft = &state.drafts.list[at];
            let pool = self.launch.pool(draft.pool);
            let price = |option: u32| pool.options.get(option as usize).map(|own| own.price);
            let (now, then) = (price(draft.option), price(fitting.option));
            let rise = then.unwrap_or_default() - now.unwrap_or_default();
            let room = pool.options[fitting.option as usize].room.cpu;
            let slack = room - (draft.top.cpu - state.free[node.index()].cpu);
            if best.as_ref().is_none_or(|(least, tight, ..)| (rise, slack) < (*least, *tight)) {
                best = Some((rise, slack, node, fitting));
            }
        }
        best
    }
}
