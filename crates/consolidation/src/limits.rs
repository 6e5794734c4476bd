//! The parts of gate 10 that are about the whole: some replica of every workload stays, and some room does.

use restow_model::{DisruptionReason, Resources, Str};
use rustc_hash::FxHashMap;

use crate::budget::{self, Emptied};
use crate::fleet::{Fleet, Pool, Utilization, WorkloadId};
use crate::moves::{Move, Target};
use crate::reason::Reason;

/// Ready pods of each workload that leave with some nodes.
pub(crate) fn ready_leaving(
    fleet: &Fleet<'_>,
    sources: &[usize],
) -> FxHashMap<WorkloadId, (usize, usize)> {
    let mut leaving: FxHashMap<WorkloadId, (usize, usize)> = FxHashMap::default();
    for at in sources {
        for pod in fleet.nodes[*at].movable_pods() {
            if let Some(workload) =
                fleet.pod_workloads[pod].filter(|_| fleet.pod_marks[pod].is_ready())
            {
                leaving.entry(workload).or_insert((pod, 0)).1 += 1;
            }
        }
    }
    leaving
}

/// Whether some nodes may go in one move: some replica of each workload stays, and no more nodes of a pool go than its
/// budgets ever allow at a time.
pub(crate) fn together(fleet: &Fleet<'_>, sources: &[usize]) -> Result<(), Reason> {
    if sources.len() > 1 {
        within_budgets(fleet, sources)?;
    }
    floor(fleet, sources)
}

/// A move that needs more than a budget allows could never run. A budget that allows none says nothing about the size of
/// what may run once it is open.
fn within_budgets(fleet: &Fleet<'_>, sources: &[usize]) -> Result<(), Reason> {
    let moves_pods = sources.iter().any(|at| !fleet.nodes[*at].is_empty());
    let reason = if moves_pods { DisruptionReason::Underutilized } else { DisruptionReason::Empty };
    for (at, pool) in fleet.pools.iter().enumerate() {
        let needed = sources.iter().filter(|node| fleet.nodes[**node].pool == Some(at)).count();
        if needed < 2 {
            continue;
        }
        let settings = &pool.resolved.settings;
        let found = budget::allowance(settings, pool.counted_nodes, reason, fleet.now);
        if found.allowed > 0 && needed > found.allowed {
            return Err(Reason::BudgetExhausted {
                pool: pool.name,
                reason,
                allowed: found.allowed,
                used: needed,
                budget: found.budget,
                until: found.until,
            });
        }
        // The evictions of several nodes come together: they must be within each rate, too.
        let own = sources.iter().filter(|node| fleet.nodes[**node].pool == Some(at));
        let needed = own.fold(Emptied::default(), |sum, node| sum.and(fleet.nodes[*node].movable));
        if let Some((most, needed)) =
            budget::rate(settings, pool.movable_pods, needed, &[], fleet.now)
        {
            return Err(Reason::RateExhausted { pool: pool.name, most, needed });
        }
    }
    Ok(())
}

/// Never all ready replicas of a workload that has two or more.
fn floor(fleet: &Fleet<'_>, sources: &[usize]) -> Result<(), Reason> {
    if !sources.iter().any(|at| fleet.settings(*at).workload_floor) {
        return Ok(());
    }
    let mut found: Vec<Reason> = ready_leaving(fleet, sources)
        .into_iter()
        .filter_map(|(workload, (pod, going))| {
            let ready = fleet.workloads[workload.index()].ready;
            (ready >= 2 && going >= ready).then_some(Reason::LastReadyReplicas {
                pod,
                going,
                ready,
            })
        })
        .collect();
    let key = |reason: &Reason| match reason {
        Reason::LastReadyReplicas { pod, .. } => *pod,
        _ => usize::MAX,
    };
    found.sort_unstable_by_key(key);
    match found.into_iter().next() {
        Some(reason) => Err(reason),
        None => Ok(()),
    }
}

/// Each pool that asks for it keeps a part of what its nodes have free, when this move and others are done.
pub(crate) fn headroom(fleet: &Fleet<'_>, own: &Move, others: &[Move]) -> Result<(), Reason> {
    let wanted = |pool: &Pool| pool.resolved.settings.headroom;
    if fleet.pools.iter().all(|pool| wanted(pool).is_off()) {
        return Ok(());
    }
    let mut sums = vec![Sum::default(); fleet.pools.len()];
    let by_name: FxHashMap<Str, usize> =
        fleet.pools.iter().enumerate().map(|(at, pool)| (pool.name, at)).collect();
    for (node, object) in fleet.nodes.iter().zip(&fleet.snapshot.nodes) {
        if let Some(pool) = node.pool.filter(|_| !node.deleting) {
            sums[pool].count(&object.allocatable, node.utilization, 1.0);
        }
    }
    // Nodes that go with moves under way take their room with them; their pods stay.
    for at in fleet.underway.others().flat_map(|own| &own.sources) {
        if let Some(pool) = fleet.nodes[*at].pool.filter(|_| !fleet.nodes[*at].deleting) {
            sums[pool].has.0 -= fleet.snapshot.nodes[*at].allocatable.cpu as f64;
            sums[pool].has.1 -= fleet.snapshot.nodes[*at].allocatable.memory as f64;
        }
    }
    let pool_of: FxHashMap<Str, Option<usize>> =
        fleet.nodes.iter().map(|node| (node.name, node.pool)).collect();
    for own in others.iter().chain([own]) {
        for at in &own.sources {
            let node = &fleet.nodes[*at];
            if let Some(pool) = node.pool {
                let allocatable = &fleet.snapshot.nodes[*at].allocatable;
                sums[pool].count(allocatable, node.utilization, -1.0);
            }
        }
        for new in &own.replacements {
            if let Some(pool) = by_name.get(&new.pool) {
                sums[*pool].has(&new.node.allocatable);
                sums[*pool].uses(&new.node.overhead);
            }
        }
        for moved in &own.pods {
            let pool = match moved.to {
                Target::Node(name) => pool_of.get(&name).copied().flatten(),
                Target::Replacement(at) => {
                    own.replacements.get(at).and_then(|new| by_name.get(&new.pool)).copied()
                }
            };
            if let Some(pool) = pool {
                sums[pool].uses(fleet.snapshot.requests(fleet.pod(moved.pod)));
            }
        }
    }
    for (pool, sum) in fleet.pools.iter().zip(&sums) {
        let wanted = wanted(pool);
        for (memory, has, used, least) in [
            (false, sum.has.0, sum.used.0, wanted.cpu),
            (true, sum.has.1, sum.used.1, wanted.memory),
        ] {
            let left = if has > 0.0 { 100.0 * (has - used) / has } else { 100.0 };
            if least > 0.0 && left + 1e-9 < least {
                return Err(Reason::HeadroomReached { pool: pool.name, memory, left, least });
            }
        }
    }
    Ok(())
}

/// What the nodes of a pool have and what pods ask for: cpu and memory.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    has: (f64, f64),
    used: (f64, f64),
}

impl Sum {
    fn count(&mut self, allocatable: &Resources, utilization: Utilization, sign: f64) {
        let (cpu, memory) = (allocatable.cpu as f64 * sign, allocatable.memory as f64 * sign);
        self.has = (self.has.0 + cpu, self.has.1 + memory);
        self.used.0 += utilization.cpu * cpu;
        self.used.1 += utilization.memory * memory;
    }

    fn has(&mut self, amount: &Resources) {
        self.has = (self.has.0 + amount.cpu as f64, self.has.1 + amount.memory as f64);
    }

    fn uses(&mut self, amount: &Resources) {
        self.used = (self.used.0 + amount.cpu as f64, self.used.1 + amount.memory as f64);
    }
}
