//! Whether moves also work under the scheduler that will place the pods, which does not know the plan.
//!
//! A plan packs pods tightly; the default scheduler scatters them. A move that pays only if every pod goes where the plan
//! says is a promise that nobody keeps.

use std::sync::Arc;

use restow_model::{Snapshot, Str};
use restow_scheduling::{Cluster, Offers, Picking, Profile, Settings as Placing};
use rustc_hash::FxHashSet;

use crate::after::after;
use crate::fleet::Fleet;
use crate::moves::{Move, Risk, Target};
use crate::plan::Plan;
use crate::settings::{Scheduler, TightMoves};

/// Beyond this many pods times nodes nobody waits for the answer.
const LARGEST: usize = 40_000_000;

/// In which order pods come, and which of the best nodes they get: the scheduler takes any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    First,
    Last,
}

/// What the scheduler makes of a move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Foreseen {
    /// Pods that find no place.
    pub(crate) left: Vec<usize>,
    /// Where the others come to be.
    pub(crate) came: Vec<(usize, Str)>,
    /// Replacements that some pod comes to.
    pub(crate) used: FxHashSet<usize>,
}

/// The scheduler of the settings, unless it follows every plan.
pub(crate) fn profile(fleet: &Fleet<'_>) -> Option<Profile> {
    match fleet.cluster.settings.scheduler {
        Scheduler::BestFit => None,
        Scheduler::LeastAllocated => Some(Profile::LeastAllocated),
        Scheduler::MostAllocated => Some(Profile::MostAllocated),
    }
}

pub(crate) fn is_too_much(fleet: &Fleet<'_>, moves: &[&Move]) -> bool {
    let moved: usize = moves.iter().map(|own| own.pods.len()).sum();
    moved.saturating_mul(fleet.nodes.len()) > LARGEST
}

/// Lets the scheduler of the settings place the pods of all moves that may run, in their order, on the nodes as they will be.
/// Moves of which pods find no place are marked, or left out of the plan if the settings say so. Whether that was asked:
/// plans that move very much are not.
pub fn mark_tight(fleet: &Fleet<'_>, plan: &mut Plan) -> bool {
    let moves: Vec<&Move> = plan.moves.iter().map(|own| &own.own).collect();
    let Some(profile) = profile(fleet).filter(|_| moves.iter().any(|own| !own.pods.is_empty()))
    else {
        return true;
    };
    if is_too_much(fleet, &moves) {
        return false;
    }
    let next = after(fleet, moves.iter().copied());
    let foreseen = Outlook::new(next, &moves).foresee(profile, Order::First);
    let mut tight = Vec::new();
    for (at, own) in foreseen.into_iter().enumerate().filter(|(_, own)| !own.left.is_empty()) {
        plan.moves[at].own.risks.push(Risk::TightPacking { pods: own.left.len() });
        tight.push(at);
    }
    if fleet.cluster.settings.tight_moves == TightMoves::Drop {
        plan.leave_out(&tight);
    }
    true
}

/// A cluster in which moves are done, but for their pods: those wait for the scheduler.
pub(crate) struct Outlook<'m> {
    pub(crate) moves: &'m [&'m Move],
    pub(crate) next: Snapshot,
    cluster: Cluster,
    /// Per move the nodes that are its replacements.
    new: Vec<Vec<(Str, usize)>>,
}

impl<'m> Outlook<'m> {
    /// Takes a cluster in which everything is done, pods included.
    pub(crate) fn new(mut next: Snapshot, moves: &'m [&'m Move]) -> Self {
        let mut new: Vec<Vec<(Str, usize)>> = vec![Vec::new(); moves.len()];
        for (own, new) in moves.iter().zip(&mut new) {
            for moved in &own.pods {
                let node = std::mem::take(&mut next.pods[moved.pod].node);
                if let Target::Replacement(at) = moved.to {
                    new.push((node, at));
                }
            }
        }
        let placing = Placing { scores: true, ..Placing::SCHEDULER };
        let cluster = Cluster::new(&next, Arc::new(Offers::none()), placing);
        Self { moves, next, cluster, new }
    }

    /// Lets the scheduler place the pods of the moves, one move after the other. They wait again afterwards.
    pub(crate) fn foresee(&mut self, profile: Profile, order: Order) -> Vec<Foreseen> {
        let mut found = vec![Foreseen::default(); self.moves.len()];
        let mut space = Picking::default();
        let mut chance =
            |best: usize| if order == Order::First { 0 } else { best.saturating_sub(1) };
        for (at, own) in self.moves.iter().enumerate() {
            let mut pods: Vec<usize> = own.pods.iter().map(|own| own.pod).collect();
            if order == Order::Last {
                pods.reverse();
            }
            for pod in pods {
                let Some(node) = self.cluster.pick(pod, profile, &mut space, &mut chance) else {
                    found[at].left.push(pod);
                    continue;
                };
                let node = self.cluster.name(node);
                found[at].came.push((pod, node));
                self.next.pods[pod].node = node;
                self.cluster.change_pod(&self.next, pod);
                for (new, found) in self.new.iter().zip(&mut found) {
                    let here = new.iter().find(|(name, _)| *name == node);
                    found.used.extend(here.map(|(_, at)| *at));
                }
            }
        }
        for (pod, _) in found.iter().flat_map(|own| &own.came) {
            self.next.pods[*pod].node = Str::EMPTY;
            self.cluster.change_pod(&self.next, *pod);
        }
        found
    }

    /// The same cluster as one who launches nodes sees it, with pods where the scheduler put them.
    pub(crate) fn launching(&mut self, offers: &Arc<Offers>, found: &[Foreseen]) -> Cluster {
        for (pod, node) in found.iter().flat_map(|own| &own.came) {
            self.next.pods[*pod].node = *node;
        }
        let cluster = Cluster::new(&self.next, Arc::clone(offers), Placing::PLANNER);
        for (pod, _) in found.iter().flat_map(|own| &own.came) {
            self.next.pods[*pod].node = Str::EMPTY;
        }
        cluster
    }
}
