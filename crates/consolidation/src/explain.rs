//! Why a node stays, gate by gate, and what would have to be otherwise for it to go.

use restow_model::{GoDuration, Price};

use crate::assess::Ask;
use crate::board::Board;
use crate::fleet::{Fleet, NodePod, Role};
use crate::gate::Gate;
use crate::gates::Protection;
use crate::moves::Move;
use crate::plan::Plan;
use crate::reason::Reason;
use crate::verdict::Verdict;
use crate::{budget, gates, value};

/// A number that a gate looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// How many.
    Count(i64),
    /// A share or a score.
    Share(f64),
    /// Money per hour.
    Money(Price),
    /// How long.
    Time(GoDuration),
}

/// What a gate says of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It passes, with the numbers that were looked at.
    Passed(Vec<(&'static str, Number)>),
    /// It does not.
    Failed(Reason),
    /// It could not be asked, as a gate before it must pass first.
    NotAsked,
}

/// A node, gate by gate.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The node, by its place in the fleet.
    pub node: usize,
    /// What the plan says of it.
    pub verdict: Verdict,
    /// Every gate, in order.
    pub gates: Vec<(Gate, Answer)>,
    /// Its own move, if gates 10 to 13 allow one.
    pub own: Option<Move>,
}

impl Explanation {
    /// Explains what a plan says of a node.
    pub fn new(board: &mut Board<'_>, plan: &Plan, node: usize) -> Self {
        let verdict = plan.verdicts[node].clone();
        let fleet = board.fleet;
        let failures = gates::failures(fleet, node);
        let unmanaged = matches!(failures.first(), Some(Reason::NotManaged));
        let mut own = board.assess(&[node], Ask { nearest_miss: true, ..Ask::OWN });
        if let Err(Reason::PodsDoNotFit { miss: Some(miss), .. }) = &mut own {
            // That its pods cannot stay on the node itself is the question, not an answer.
            for group in &mut miss.nodes {
                group.nodes.retain(|name| *name != fleet.nodes[node].name);
            }
            miss.nodes.retain(|group| !group.nodes.is_empty());
        }
        // The policy may allow some move and still not the one that this node could make.
        let forbidden = own.as_ref().err().filter(|reason| reason.gate() == Gate::Policy);
        let mut answers = Vec::with_capacity(Gate::ALL.len());
        for gate in Gate::ALL {
            let headline =
                verdict.reasons.iter().find(|own| own.gate() == gate && gate == Gate::Managed);
            let failed = headline
                .or_else(|| failures.iter().find(|own| own.gate() == gate))
                .or_else(|| forbidden.filter(|own| own.gate() == gate));
            let answer = match failed {
                Some(reason) => Answer::Failed(reason.clone()),
                None if unmanaged => Answer::NotAsked,
                None if gate <= Gate::Utilization => Answer::Passed(numbers(fleet, node, gate)),
                None if gate <= Gate::Score => of_move(fleet, node, gate, &own),
                None => later(fleet, node, gate, &verdict),
            };
            answers.push((gate, answer));
        }
        Self { node, verdict, gates: answers, own: own.ok().filter(|_| !unmanaged) }
    }
}

/// What gates 1 to 9 looked at.
fn numbers(fleet: &Fleet<'_>, at: usize, gate: Gate) -> Vec<(&'static str, Number)> {
    let (node, settings) = (&fleet.nodes[at], fleet.settings(at));
    match gate {
        Gate::Priced => vec![("pricePerHour", Number::Money(node.price()))],
        Gate::Pods => vec![
            ("pods", Number::Count(node.pods.len() as i64)),
            ("movable", Number::Count(node.movable as i64)),
        ],
        Gate::Age => node
            .initialized
            .map(|since| {
                vec![
                    ("age", Number::Time(fleet.now.since(since))),
                    ("least", Number::Time(settings.minimum_node_lifetime)),
                ]
            })
            .unwrap_or_default(),
        Gate::Quiet => {
            let since = node.last_pod_event.or(node.initialized);
            let least = settings.consolidate_after.after();
            let quiet = since.map(|since| ("quiet", Number::Time(fleet.now.since(since))));
            quiet.into_iter().chain(least.map(|own| ("least", Number::Time(own)))).collect()
        }
        Gate::Utilization => vec![
            ("utilization", Number::Share(node.utilization.average)),
            ("threshold", Number::Share(settings.utilization_threshold)),
        ],
        _ => Vec::new(),
    }
}

/// What gates 10 to 13 say of the node's own move.
fn of_move(fleet: &Fleet<'_>, at: usize, gate: Gate, own: &Result<Move, Reason>) -> Answer {
    match own {
        Err(reason) if reason.gate() == gate => Answer::Failed(reason.clone()),
        Err(reason) if reason.gate() < gate => Answer::NotAsked,
        Err(_) => Answer::Passed(Vec::new()),
        Ok(own) => Answer::Passed(match gate {
            Gate::Placement => vec![
                ("pods", Number::Count(own.pods.len() as i64)),
                ("newNodes", Number::Count(own.replacements.len() as i64)),
            ],
            Gate::Price => {
                vec![("before", Number::Money(own.before)), ("after", Number::Money(own.after))]
            }
            Gate::Savings => vec![
                ("savings", Number::Money(own.savings())),
                ("required", Number::Money(value::required(fleet, &[at]))),
                ("disruptionCost", Number::Share(own.cost)),
            ],
            _ => own.score.map(|score| ("score", Number::Share(score))).into_iter().collect(),
        }),
    }
}

/// What budgets and the rest say now.
fn later(fleet: &Fleet<'_>, at: usize, gate: Gate, verdict: &Verdict) -> Answer {
    if let Some(reason) = verdict.reasons.iter().find(|own| own.gate() == gate) {
        return Answer::Failed(reason.clone());
    }
    let Some(pool) = fleet.nodes[at].pool.map(|pool| &fleet.pools[pool]) else {
        return Answer::NotAsked;
    };
    if gate != Gate::Budget {
        return Answer::Passed(Vec::new());
    }
    let reason = if fleet.nodes[at].is_empty() {
        restow_model::DisruptionReason::Empty
    } else {
        restow_model::DisruptionReason::Underutilized
    };
    let (left, found) = budget::left(pool, reason, fleet.now);
    if left == 0 {
        return Answer::Failed(Reason::BudgetExhausted {
            pool: pool.name,
            reason,
            allowed: found.allowed,
            used: pool.disrupting,
            budget: found.budget,
            until: found.until,
        });
    }
    if let Err(until) = budget::window(&pool.resolved.settings, fleet.now) {
        return Answer::Failed(Reason::OutsideWindow { pool: pool.name, until });
    }
    let mut numbers = vec![("used", Number::Count(pool.disrupting as i64))];
    if found.allowed < usize::MAX {
        numbers.push(("allowed", Number::Count(found.allowed as i64)));
    }
    Answer::Passed(numbers)
}

/// Everything about one pod that keeps its node, not only what comes first; empty for a pod that runs nowhere.
pub fn pod_blockers(fleet: &Fleet<'_>, pod: usize) -> Vec<Reason> {
    let own = fleet.pod(pod);
    let found = fleet.nodes.iter().position(|node| own.is_bound() && node.name == own.node);
    let Some((at, role)) = found.and_then(|at| Some((at, role(fleet, at, pod)?))) else {
        return Vec::new();
    };
    let peer_rules = fleet.settings(at).peer_rules;
    let asked = match role {
        Role::Movable => true,
        Role::Daemon | Role::Mirror => peer_rules,
        Role::Finished | Role::Leaving => false,
    };
    if !asked || own.is_terminating() {
        return Vec::new();
    }
    let mut reasons = Vec::new();
    if let Some(protection) = gates::protection(fleet, pod) {
        let until = match protection {
            Protection::Always => None,
            Protection::Until(until) => Some(until),
        };
        reasons.push(Reason::DoNotDisruptPod { pod, pods: 1, until });
    }
    if role == Role::Movable && !peer_rules && fleet.snapshot.owner(own).is_none() {
        reasons.push(Reason::PodWithoutOwner { pod, pods: 1 });
    }
    if role != Role::Mirror {
        reasons.extend(budget_blocker(fleet, at, pod));
    }
    if role == Role::Movable && !peer_rules {
        let workload = fleet.pod_workloads[pod].map(|id| &fleet.workloads[id.index()]);
        reasons.extend(workload.and_then(|own| {
            let (updated, desired) = own.rollout?;
            let workload = (own.namespace, own.name);
            Some(Reason::RolloutInProgress { pod, workload, updated, desired })
        }));
    }
    reasons
}

fn role(fleet: &Fleet<'_>, at: usize, pod: usize) -> Option<Role> {
    let own: Option<&NodePod> = fleet.nodes[at].pods.iter().find(|own| own.pod as usize == pod);
    own.map(|own| own.role)
}

/// The disruption budget that keeps a pod on its node.
fn budget_blocker(fleet: &Fleet<'_>, at: usize, pod: usize) -> Option<Reason> {
    if gates::tolerates_disruption(fleet, pod) {
        return None;
    }
    let budgets = &fleet.pod_pdbs[pod];
    if budgets.len() > 1 {
        return Some(Reason::MultiplePdbs { pod, budgets: budgets.len() });
    }
    let pdb = budgets.iter().find(|pdb| gates::draws_on(fleet, pod, **pdb))?;
    let own = &fleet.pdbs[pdb.index()];
    let budget = (own.namespace, own.name);
    // One may go while the node as a whole needs more than are allowed: then the gate has named it.
    let of_node = gates::failures(fleet, at).into_iter().find_map(|reason| match reason {
        Reason::PdbBlocks { budget: named, needed, .. } if named == budget => Some(needed),
        _ => None,
    });
    let needed = of_node.or_else(|| (own.allowed <= 0).then_some(1))?;
    Some(Reason::PdbBlocks { budget, pod, allowed: own.allowed, needed })
}
