//! No pod on the node stands in the way of its eviction.

use restow_model::{GoDuration, Time};
use rustc_hash::FxHashMap;

use crate::fleet::{Fleet, PdbId, Role};
use crate::marks::{DO_NOT_DISRUPT, DO_NOT_EVICT};
use crate::reason::Reason;

pub(super) fn ask(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    if !fleet.watched[at] {
        return None;
    }
    marked(fleet, at)
        .or_else(|| without_owner(fleet, at))
        .or_else(|| protected(fleet, at))
        .or_else(|| rolling_out(fleet, at))
}

/// Pods that may stand in the way: Karpenter also asks daemons and mirrors about their marks.
fn asked(fleet: &Fleet<'_>, at: usize, role: Role) -> bool {
    match role {
        Role::Movable => true,
        Role::Daemon | Role::Mirror => fleet.settings(at).peer_rules,
        Role::Finished | Role::Leaving => false,
    }
}

/// How long a pod must not be disrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protection {
    /// For as long as it is there.
    Always,
    /// Until then.
    Until(Time),
}

impl Protection {
    /// That of two pods together.
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Until(a), Self::Until(b)) => Self::Until(a.max(b)),
            _ => Self::Always,
        }
    }

    fn until(self) -> Option<Time> {
        match self {
            Self::Always => None,
            Self::Until(time) => Some(time),
        }
    }
}

/// How long a pod must not be disrupted, if it is protected.
pub(crate) fn protection(fleet: &Fleet<'_>, pod: usize) -> Option<Protection> {
    let (own, strings) = (fleet.pod(pod), &fleet.snapshot.strings);
    let annotations = &fleet.snapshot.labels[own.annotations];
    if annotations.text(DO_NOT_EVICT, strings) == Some("true") {
        return Some(Protection::Always);
    }
    let text = annotations.text(DO_NOT_DISRUPT, strings)?;
    if text == "true" {
        return Some(Protection::Always);
    }
    let duration: GoDuration = text.parse().ok().filter(|own| *own > GoDuration::ZERO)?;
    // A pod that has not started is protected: nobody knows yet for how long.
    let Some(started) = own.started else { return Some(Protection::Always) };
    let until = started.plus(duration);
    (fleet.now < until).then_some(Protection::Until(until))
}

fn marked(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    let node = &fleet.nodes[at];
    let mut found = node
        .pods
        .iter()
        .filter(|own| asked(fleet, at, own.role))
        .filter(|own| !fleet.pod(own.pod as usize).is_terminating())
        .filter_map(|own| Some((own.pod as usize, protection(fleet, own.pod as usize)?)));
    let (pod, first) = found.next()?;
    let (mut pods, mut all) = (1, first);
    for (_, other) in found {
        pods += 1;
        // The node is free when the last of them is.
        all = all.and(other);
    }
    Some(Reason::DoNotDisruptPod { pod, pods, until: all.until() })
}

fn without_owner(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    if fleet.settings(at).peer_rules {
        return None;
    }
    let mut found = fleet.nodes[at]
        .movable_pods()
        .filter(|pod| fleet.snapshot.owner(fleet.pod(*pod)).is_none());
    let pod = found.next()?;
    Some(Reason::PodWithoutOwner { pod, pods: 1 + found.count() })
}

/// Whether an eviction of the pod would ask its disruption budgets.
pub fn draws_on(fleet: &Fleet<'_>, pod: usize, pdb: PdbId) -> bool {
    let own = &fleet.pdbs[pdb.index()];
    !own.evict_unhealthy_always || fleet.pod(pod).ready
}

fn protected(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    let node = &fleet.nodes[at];
    let mut needed: FxHashMap<PdbId, (usize, usize)> = FxHashMap::default();
    for own in node.pods.iter().filter(|own| asked_about_budgets(fleet, at, own.role)) {
        let pod = own.pod as usize;
        if fleet.pod(pod).is_terminating() || tolerates_disruption(fleet, pod) {
            continue;
        }
        let budgets = &fleet.pod_pdbs[pod];
        if budgets.len() > 1 {
            // Karpenter tells of the first pod that it cannot evict, and looks no further.
            if fleet.settings(at).peer_rules && needed.keys().any(|pdb| is_used_up(fleet, *pdb)) {
                break;
            }
            return Some(Reason::MultiplePdbs { pod, budgets: budgets.len() });
        }
        for pdb in budgets {
            if draws_on(fleet, pod, *pdb) {
                needed.entry(*pdb).or_insert((pod, 0)).1 += 1;
            }
        }
    }
    // Past a termination grace period Karpenter forces the rest of a drain, budget or not: then all must be allowed.
    let claim = node.claim.map(|at| &fleet.snapshot.node_claims[at]);
    let forced = claim.is_some_and(|claim| claim.termination_grace_period.is_some())
        && !fleet.settings(at).peer_rules;
    let mut blocking: Vec<(PdbId, (usize, usize))> = needed
        .into_iter()
        .filter(|(pdb, (_, needed))| {
            let allowed = fleet.pdbs[pdb.index()].allowed;
            allowed <= 0 || (forced && allowed < *needed as i64)
        })
        .collect();
    blocking.sort_unstable();
    let (pdb, (pod, needed)) = *blocking.first()?;
    let own = &fleet.pdbs[pdb.index()];
    let budget = (own.namespace, own.name);
    Some(Reason::PdbBlocks { budget, pod, allowed: own.allowed, needed })
}

fn is_used_up(fleet: &Fleet<'_>, pdb: PdbId) -> bool {
    fleet.pdbs[pdb.index()].allowed <= 0
}

fn asked_about_budgets(fleet: &Fleet<'_>, at: usize, role: Role) -> bool {
    role == Role::Movable || (role == Role::Daemon && fleet.settings(at).peer_rules)
}

/// Karpenter does not evict pods that tolerate its own taint: they go with the machine.
pub(crate) fn tolerates_disruption(fleet: &Fleet<'_>, pod: usize) -> bool {
    let shape = &fleet.snapshot.shapes[fleet.pod(pod).shape];
    shape.tolerations.iter().any(|own| own.tolerates(&fleet.disruption_taint))
}

fn rolling_out(fleet: &Fleet<'_>, at: usize) -> Option<Reason> {
    if fleet.settings(at).peer_rules {
        return None;
    }
    fleet.nodes[at].movable_pods().find_map(|pod| {
        let workload = &fleet.workloads[fleet.pod_workloads[pod]?.index()];
        let (updated, desired) = workload.rollout?;
        let workload = (workload.namespace, workload.name);
        Some(Reason::RolloutInProgress { pod, workload, updated, desired })
    })
}
