//! Disruption budgets of pods that cannot do what they are for.

use restow_model::CountOrPercent;

use super::{Finding, Object, Problem, Severity};
use crate::fleet::{Fleet, PdbId};

pub(super) fn find(fleet: &Fleet<'_>, found: &mut Vec<Finding>) {
    let mut pods: Vec<Vec<usize>> = vec![Vec::new(); fleet.pdbs.len()];
    let mut overlapping: Vec<usize> = Vec::new();
    for (pod, budgets) in fleet.pod_pdbs.iter().enumerate() {
        let own = fleet.pod(pod);
        if own.is_finished() || own.is_terminating() {
            continue;
        }
        for PdbId(at) in budgets {
            pods[*at as usize].push(pod);
        }
        if budgets.len() > 1 {
            overlapping.push(pod);
        }
    }
    for (at, pods) in pods.iter().enumerate() {
        let object = Object::Pdb(at);
        let problem = match pods.as_slice() {
            [] => Some((Severity::Note, Problem::PdbSelectsNothing)),
            _ if never_allows(fleet, at, pods.len()) => {
                Some((Severity::Error, Problem::PdbNeverAllows { pods: pods.len() }))
            }
            _ => held(fleet, at, pods).map(|problem| (Severity::Warning, problem)),
        };
        let Some((severity, problem)) = problem else { continue };
        // What it locks in is known already: the finding says more than that it blocks.
        let known = found.iter().position(|own| own.object == object);
        let mut finding = Finding::new(severity, object, problem);
        finding.owner = pods.first().and_then(|pod| fleet.pod_workloads[*pod]);
        if let Some(known) = known {
            let blocked = found.swap_remove(known);
            finding.nodes = blocked.nodes;
            finding.locked = blocked.locked;
        }
        found.push(finding);
    }
    if let Some(first) = overlapping.first() {
        let known = |own: &Finding| own.problem.code() == "MultiplePdbs";
        if !found.iter().any(known) {
            let object = fleet.pod_workloads[*first].map_or(Object::Pod(*first), Object::Workload);
            let problem = Problem::PdbsOverlap { pods: overlapping.len() };
            found.push(Finding::new(Severity::Error, object, problem));
        }
    }
}

/// Whether it could not allow a single eviction even if all pods were healthy.
fn never_allows(fleet: &Fleet<'_>, at: usize, pods: usize) -> bool {
    let own = &fleet.snapshot.pod_disruption_budgets[at];
    let pods = pods as i64;
    match (own.max_unavailable, own.min_available) {
        (Some(CountOrPercent::Count(most) | CountOrPercent::Percent(most)), _) => most <= 0,
        (None, Some(CountOrPercent::Count(least))) => least >= pods,
        (None, Some(CountOrPercent::Percent(least))) => (least * pods + 99) / 100 >= pods,
        (None, None) => false,
    }
}

/// Whether pods that are not healthy hold it, and it would not let them go.
fn held(fleet: &Fleet<'_>, at: usize, pods: &[usize]) -> Option<Problem> {
    let own = &fleet.pdbs[at];
    let unhealthy = pods.iter().filter(|pod| !fleet.pod(**pod).ready).count();
    (own.allowed <= 0 && unhealthy > 0 && !own.evict_unhealthy_always)
        .then_some(Problem::PdbHeldByUnhealthy { unhealthy, pods: pods.len() })
}
