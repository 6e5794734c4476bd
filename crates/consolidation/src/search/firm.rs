//! The last steps of a search: no node is launched that a plan made afterwards would let go again at once.
//!
//! The engine opens a new node before it gives up what a pod would like, and steps fill the new nodes of one move at a time. Made
//! anew on what came of it, the next plan cannot launch anything cheaper, gives the likes up, and deletes what was launched: pods
//! move twice. So every new node has to be needed: alone, and beside each of the emptiest others.

use restow_scheduling::NodeId;

use super::construct::LEAST_GAIN;
use super::improve::{Outline, Step};

/// How many others a new node is tried with.
const OTHERS: usize = 8;

/// The part of the effort that may be spent here besides.
const PART: u64 = 4;

/// Does without new nodes where that is possible.
pub(super) fn firm(outline: &mut Outline<'_, '_>, stop: &mut dyn FnMut() -> bool) {
    let most = outline.board.effort + outline.board.fleet.cluster.settings.effort / PART;
    let mut better = true;
    while std::mem::take(&mut better) {
        for own in outline.launched() {
            if outline.board.effort > most || stop() {
                return;
            }
            better |= outline.is_launched(own) && without(outline, own);
        }
    }
}

/// Whether the pods of a new node have a place without it, or together with those of another new node.
fn without(outline: &mut Outline<'_, '_>, own: NodeId) -> bool {
    let alone = Step { new: vec![own], likes: true, ..Step::default() };
    if outline.take(alone, LEAST_GAIN) {
        return true;
    }
    let others: Vec<NodeId> =
        outline.launched().into_iter().filter(|other| *other != own).take(OTHERS).collect();
    others.into_iter().any(|other| {
        let both = Step { new: vec![own, other], new_nodes: 1, likes: true, ..Step::default() };
        outline.take(both, LEAST_GAIN)
    })
}
