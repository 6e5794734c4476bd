//! Whether moves also work under the scheduler that will place the pods, which does not know the plan.
//!
//! A plan packs pods tightly; the default scheduler scatters them. A move that pays only if every pod goes where the plan
//! says is a promise that nobody keeps.

use std::sync::Arc;

use restow_model::Str;
use restow_scheduling::{Cluster, Offers, Profile, Settings as Placing};

use crate::after::after;
use crate::fleet::Fleet;
use crate::moves::Risk;
use crate::plan::Plan;
use crate::settings::{Scheduler, TightMoves};

/// Beyond this many pods times nodes nobody waits for the answer.
const LARGEST: usize = 40_000_000;

/// Lets the scheduler of the settings place the pods of all moves that may run, in their order, on the nodes as they will be.
/// Moves of which pods find no place are marked, or left out of the plan if the settings say so. Whether that was asked:
/// plans that move very much are not.
pub fn mark_tight(fleet: &Fleet<'_>, plan: &mut Plan) -> bool {
    let profile = match fleet.cluster.settings.scheduler {
        Scheduler::BestFit => return true,
        Scheduler::LeastAllocated => Profile::LeastAllocated,
        Scheduler::MostAllocated => Profile::MostAllocated,
    };
    let moved: usize = plan.moves.iter().map(|own| own.own.pods.len()).sum();
    if moved == 0 {
        return true;
    }
    if moved.saturating_mul(fleet.nodes.len()) > LARGEST {
        return false;
    }
    let mut next = after(fleet, plan.moves.iter().map(|own| &own.own));
    for pod in plan.moves.iter().flat_map(|own| &own.own.pods) {
        next.pods[pod.pod].node = Str::EMPTY;
    }
    let placing = Placing { scores: true, ..Placing::SCHEDULER };
    let mut cluster = Cluster::new(&next, Arc::new(Offers::none()), placing);
    let mut tight = Vec::new();
    for (at, planned) in plan.moves.iter().enumerate() {
        let mut nowhere = 0;
        for moved in &planned.own.pods {
            let scores = cluster.scores(&next, moved.pod, profile);
            // Of the best the scheduler takes any; here it is the first by name.
            let best = scores
                .iter()
                .max_by_key(|own| (own.total, std::cmp::Reverse(cluster.name(own.node))));
            match best {
                Some(best) => {
                    next.pods[moved.pod].node = cluster.name(best.node);
                    cluster.change_pod(&next, moved.pod);
                }
                None => nowhere += 1,
            }
        }
        if nowhere > 0 {
            tight.push((at, nowhere));
        }
    }
    let drop = fleet.cluster.settings.tight_moves == TightMoves::Drop;
    for (at, pods) in &tight {
        plan.moves[*at].own.risks.push(Risk::TightPacking { pods: *pods });
    }
    if drop {
        plan.leave_out(&tight.iter().map(|(at, _)| *at).collect::<Vec<_>>());
    }
    true
}
