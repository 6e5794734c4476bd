//! When moves may run: together as far as budgets, rates, disruption budgets of pods and the workload floor allow, and the
//! rest once those are done.

use restow_model::Time;
use rustc_hash::FxHashMap;

use crate::budget::{self, Emptied};
use crate::fleet::{Fleet, PdbId, WorkloadId};
use crate::gates::draws_on;
use crate::limits::ready_leaving;
use crate::moves::Move;
use crate::reason::Reason;

/// When a move may run.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Its wave, from 1; `None` while a budget is zero or a window is closed.
    pub wave: Option<u32>,
    /// Why it is not in the first wave.
    pub deferred: Option<Reason>,
}

/// What the moves of one wave draw on.
#[derive(Clone, Debug, Default)]
struct Wave {
    nodes: FxHashMap<usize, usize>,
    evictions: FxHashMap<usize, Emptied>,
    pdbs: FxHashMap<PdbId, i64>,
    ready: FxHashMap<WorkloadId, usize>,
    moves: usize,
}

impl Wave {
    /// What is under way: the first wave runs beside it.
    fn running(fleet: &Fleet<'_>) -> Self {
        let mut wave = Self::default();
        for own in fleet.underway.others() {
            wave.moves += 1;
            for at in &own.sources {
                let node = &fleet.nodes[*at];
                if let Some(pool) = node.pool.filter(|_| !own.let_go.contains(at)) {
                    let evictions = wave.evictions.entry(pool).or_default();
                    *evictions = evictions.and(node.movable);
                }
                for pod in node.movable_pods() {
                    draw_pdbs(fleet, pod, &mut wave.pdbs);
                }
            }
            for (workload, (_, going)) in ready_leaving(fleet, &own.sources) {
                *wave.ready.entry(workload).or_default() += going;
            }
        }
        wave
    }
}

/// Puts moves into waves, in their order. `alone` gives each move that disrupts pods a wave of its own.
pub fn waves(fleet: &Fleet<'_>, moves: &[Move], alone: bool) -> Vec<Turn> {
    let mut waves: Vec<Wave> = vec![Wave::running(fleet)];
    moves.iter().map(|own| turn(fleet, own, &mut waves, alone)).collect()
}

fn turn(fleet: &Fleet<'_>, own: &Move, waves: &mut Vec<Wave>, alone: bool) -> Turn {
    if let Some(reason) = closed(fleet, own) {
        return Turn { wave: None, deferred: Some(reason) };
    }
    let mut first: Option<Reason> = None;
    for at in 0.. {
        if waves.len() <= at {
            waves.push(Wave::default());
        }
        let wave = &mut waves[at];
        let refused = if alone && !own.pods.is_empty() && wave.moves > 0 {
            Some(Reason::Unstable { until: None })
        } else {
            refusal(fleet, own, wave, at == 0)
        };
        match refused {
            // A wave that holds nobody else cannot become any emptier.
            Some(reason) if wave.moves > 0 || (at == 0 && is_now(&reason)) => {
                first.get_or_insert(reason);
            }
            _ => {
                draw(fleet, own, wave);
                return Turn { wave: Some(at as u32 + 1), deferred: first };
            }
        }
    }
    Turn { wave: None, deferred: first }
}

/// Whether a reason is about what is disrupted now, so that a later wave may do.
const fn is_now(reason: &Reason) -> bool {
    matches!(reason, Reason::BudgetExhausted { .. } | Reason::RateExhausted { .. })
}

fn pools(fleet: &Fleet<'_>, own: &Move) -> Vec<(usize, usize, Emptied)> {
    let mut found: Vec<(usize, usize, Emptied)> = Vec::new();
    for at in &own.sources {
        let Some(pool) = fleet.nodes[*at].pool else { continue };
        let evicted = fleet.nodes[*at].movable;
        match found.iter_mut().find(|(known, ..)| *known == pool) {
            Some((_, nodes, evictions)) => {
                *nodes += 1;
                *evictions = evictions.and(evicted);
            }
            None => found.push((pool, 1, Emptied::default().and(evicted))),
        }
    }
    found
}

/// Why a move cannot run at all for now.
fn closed(fleet: &Fleet<'_>, own: &Move) -> Option<Reason> {
    let reason = own.shape().budget_reason();
    for (at, nodes, _) in pools(fleet, own) {
        let pool = &fleet.pools[at];
        if let Err(until) = budget::window(&pool.resolved.settings, fleet.now) {
            return Some(Reason::OutsideWindow { pool: pool.name, until });
        }
        let found =
            budget::allowance(&pool.resolved.settings, pool.counted_nodes, reason, fleet.now);
        if found.allowed < nodes {
            return Some(Reason::BudgetExhausted {
                pool: pool.name,
                reason,
                allowed: found.allowed,
                used: pool.disrupting + pool.underway,
                budget: found.budget,
                until: found.until,
            });
        }
    }
    None
}

/// Why a move cannot join a wave.
fn refusal(fleet: &Fleet<'_>, own: &Move, wave: &Wave, now: bool) -> Option<Reason> {
    let reason = own.shape().budget_reason();
    for (at, nodes, evictions) in pools(fleet, own) {
        let pool = &fleet.pools[at];
        let settings = &pool.resolved.settings;
        let found = budget::allowance(settings, pool.counted_nodes, reason, fleet.now);
        // Nodes that are being disrupted now hold the budget of the first wave only.
        let used = wave.nodes.get(&at).copied().unwrap_or_default()
            + if now { pool.disrupting + pool.underway } else { 0 };
        if used + nodes > found.allowed {
            return Some(Reason::BudgetExhausted {
                pool: pool.name,
                reason,
                allowed: found.allowed,
                used,
                budget: found.budget,
                until: found.until,
            });
        }
        let others = wave.evictions.get(&at).copied().unwrap_or_default();
        let needed =
            Emptied { nodes: others.nodes + evictions.nodes, pods: others.pods + evictions.pods };
        let past = if now { evicted(fleet, at) } else { Vec::new() };
        let exhausted = budget::rate(settings, pool.movable_pods, needed, &past, fleet.now);
        if let Some((most, needed)) = exhausted.filter(|_| evictions.pods > 0 || !now) {
            return Some(Reason::RateExhausted { pool: pool.name, most, needed });
        }
    }
    for (pdb, needed) in drawn(fleet, own) {
        let budget = &fleet.pdbs[pdb.index()];
        let used = wave.pdbs.get(&pdb).copied().unwrap_or_default();
        if used > 0 && used + needed > budget.allowed {
            let allowed = budget.allowed;
            return Some(Reason::PdbShared { budget: (budget.namespace, budget.name), allowed });
        }
    }
    if own.sources.iter().any(|at| fleet.settings(*at).workload_floor) {
        let mut leaving: Vec<_> = ready_leaving(fleet, &own.sources).into_iter().collect();
        leaving.sort_unstable();
        for (workload, (pod, going)) in leaving {
            let ready = fleet.workloads[workload.index()].ready;
            let going = going + wave.ready.get(&workload).copied().unwrap_or_default();
            if ready >= 2 && going >= ready {
                return Some(Reason::LastReadyReplicas { pod, going, ready });
            }
        }
    }
    None
}

/// Pods of a pool that were evicted for moves a short while ago: when, and how many.
pub fn evicted(fleet: &Fleet<'_>, pool: usize) -> Vec<(Time, usize)> {
    let of_pool = fleet.underway.evictions.iter().filter(|(at, ..)| *at == pool);
    of_pool.map(|(_, when, pods)| (*when, *pods)).collect()
}

/// Counts what the eviction of a pod asks of its disruption budgets.
fn draw_pdbs(fleet: &Fleet<'_>, pod: usize, drawn: &mut FxHashMap<PdbId, i64>) {
    for pdb in &fleet.pod_pdbs[pod] {
        if draws_on(fleet, pod, *pdb) {
            *drawn.entry(*pdb).or_default() += 1;
        }
    }
}

/// How many evictions a move asks of each disruption budget of pods.
fn drawn(fleet: &Fleet<'_>, own: &Move) -> Vec<(PdbId, i64)> {
    if fleet.pdbs.is_empty() {
        return Vec::new();
    }
    let mut drawn: FxHashMap<PdbId, i64> = FxHashMap::default();
    for moved in &own.pods {
        draw_pdbs(fleet, moved.pod, &mut drawn);
    }
    let mut drawn: Vec<(PdbId, i64)> = drawn.into_iter().collect();
    drawn.sort_unstable();
    drawn
}

fn draw(fleet: &Fleet<'_>, own: &Move, wave: &mut Wave) {
    wave.moves += 1;
    for (pool, nodes, evictions) in pools(fleet, own) {
        *wave.nodes.entry(pool).or_default() += nodes;
        let sum = wave.evictions.entry(pool).or_default();
        sum.nodes += evictions.nodes;
        sum.pods += evictions.pods;
    }
    for (pdb, needed) in drawn(fleet, own) {
        *wave.pdbs.entry(pdb).or_default() += needed;
    }
    for (workload, (_, going)) in ready_leaving(fleet, &own.sources) {
        *wave.ready.entry(workload).or_default() += going;
    }
}
