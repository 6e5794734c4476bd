//! What stands in the way of nodes that would save something, each node under its headline.

use restow_model::Price;

use super::{Finding, Object, Problem, Severity};
use crate::fleet::Fleet;
use crate::plan::Plan;
use crate::reason::Reason;

pub(super) fn find(fleet: &Fleet<'_>, plan: &Plan) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for (node, verdict) in plan.verdicts.iter().enumerate() {
        let Some(reason) = verdict.reasons.first() else { continue };
        let Some(object) = object(fleet, node, reason) else { continue };
        let locked = verdict.locked.unwrap_or(Price::ZERO);
        let known = found.iter_mut().find(|own| {
            own.object == object
                && matches!(&own.problem, Problem::Blocks(own) if own.code() == reason.code())
        });
        match known {
            Some(own) => {
                own.nodes.push(node);
                own.locked += locked;
            }
            None => found.push(Finding {
                severity: Severity::Warning,
                object,
                owner: owner(fleet, reason),
                problem: Problem::Blocks(Box::new(reason.clone())),
                nodes: vec![node],
                locked,
            }),
        }
    }
    // What ends by itself and locks nothing in is nobody's fault.
    found.retain(|own| own.locked > Price::ZERO || is_always_worth_a_word(own));
    found
}

fn is_always_worth_a_word(finding: &Finding) -> bool {
    let Problem::Blocks(reason) = &finding.problem else { return true };
    matches!(**reason, Reason::MultiplePdbs { .. })
}

/// The object to change, if there is one.
fn object(fleet: &Fleet<'_>, node: usize, reason: &Reason) -> Option<Object> {
    let pool = || fleet.nodes[node].pool.map(Object::Pool);
    match reason {
        Reason::PdbBlocks { budget, .. } => {
            fleet.pdbs.iter().position(|own| (own.namespace, own.name) == *budget).map(Object::Pdb)
        }
        Reason::DoNotDisruptPod { pod, .. }
        | Reason::PodWithoutOwner { pod, .. }
        | Reason::MultiplePdbs { pod, .. }
        | Reason::RolloutInProgress { pod, .. } => {
            Some(fleet.pod_workloads[*pod].map_or(Object::Pod(*pod), Object::Workload))
        }
        Reason::DoNotDisruptNode { .. } => Some(Object::Node(node)),
        Reason::StaticPool { .. }
        | Reason::PoolNotReady { .. }
        | Reason::ConsolidationOff
        | Reason::PolicyForbids { .. }
        | Reason::UtilizationAboveThreshold { .. }
        | Reason::BudgetExhausted { .. }
        | Reason::InGracePeriod { .. } => pool(),
        _ => None,
    }
}

fn owner(fleet: &Fleet<'_>, reason: &Reason) -> Option<crate::fleet::WorkloadId> {
    match reason {
        Reason::PdbBlocks { pod, .. }
        | Reason::DoNotDisruptPod { pod, .. }
        | Reason::MultiplePdbs { pod, .. }
        | Reason::RolloutInProgress { pod, .. } => fleet.pod_workloads[*pod],
        _ => None,
    }
}
