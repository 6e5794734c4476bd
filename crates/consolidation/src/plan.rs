//! The plan: moves in waves, a verdict for every node, and what comes of it.

use std::sync::Arc;

use restow_model::{Price, Str};
use restow_scheduling::Offers;

use crate::assess::Ask;
use crate::board::Board;
use crate::bound::bound;
use crate::fleet::Fleet;
use crate::gate::Gate;
use crate::gates;
use crate::moves::Move;
use crate::reason::Reason;
use crate::search::{self, Found};
use crate::settings::Search;
use crate::verdict::{Outcome, Verdict};
use crate::waves::{self, Turn};

/// A move with its turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// The move.
    pub own: Move,
    /// When it may run.
    pub turn: Turn,
}

/// Nodes, pods and price.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Nodes.
    pub nodes: usize,
    /// Pods that hold room on them.
    pub pods: usize,
    /// What the nodes cost per hour, as far as it is known.
    pub price: Price,
}

/// What an object keeps from being saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locked {
    /// The code of the reason.
    pub code: &'static str,
    /// The object that is in the way, where there is one: namespace and name.
    pub object: Option<(Str, Str)>,
    /// How many nodes it keeps.
    pub nodes: usize,
    /// What they would save by themselves.
    pub savings: Price,
}

/// What the work took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Nodes that passed gates 1 to 9.
    pub candidates: usize,
    /// Questions asked of the engine.
    pub probes: u64,
    /// Units of work.
    pub effort: u64,
    /// Those of them until there was a complete plan, where plans get better after that.
    pub first: u64,
    /// Moves that wait for nodes that may go soon.
    pub postponed: usize,
    /// Whether the caller's stop ended the search.
    pub stopped: bool,
}

/// A plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The moves: those of the first wave first, within a wave what saves most for its disruption.
    pub moves: Vec<Planned>,
    /// One verdict for each node of the fleet.
    pub verdicts: Vec<Verdict>,
    /// As it is.
    pub before: Totals,
    /// As it will be when every move that has a wave is done.
    pub after: Totals,
    /// What blocked nodes would save, by what blocks them.
    pub locked: Vec<Locked>,
    /// The least that the fleet could cost per hour, whatever is done with the nodes that may go; `None` where the cluster is
    /// too varied to be added up.
    pub bound: Option<Price>,
    /// What the work took.
    pub stats: Stats,
}

impl Plan {
    /// Plans for a fleet. `stop` is asked now and then whether to end the search early.
    pub fn new(fleet: &Fleet<'_>, offers: &Arc<Offers>, stop: &mut dyn FnMut() -> bool) -> Self {
        Self::make(fleet, offers, (stop, &mut || {}), true)
    }

    /// The same for whoever carries plans out again and again: without what blocked nodes would save, and without a bound where
    /// the search needs none. `first` is told when there is a complete plan; the rest of the effort makes it better.
    pub fn brief(
        fleet: &Fleet<'_>,
        offers: &Arc<Offers>,
        stop: &mut dyn FnMut() -> bool,
        first: &mut dyn FnMut(),
    ) -> Self {
        Self::make(fleet, offers, (stop, first), false)
    }

    fn make(
        fleet: &Fleet<'_>,
        offers: &Arc<Offers>,
        (stop, first): (&mut dyn FnMut() -> bool, &mut dyn FnMut()),
        whole: bool,
    ) -> Self {
        let board = Board::new(fleet, offers);
        let failures: Vec<Vec<Reason>> =
            (0..fleet.nodes.len()).map(|at| blocked(&board, at)).collect();
        let ripe = |at: &usize| failures[*at].is_empty();
        let soon = |at: &usize| ripe(at) || goes_soon(fleet, *at, &failures[*at]);
        let candidates: Vec<usize> = (0..fleet.nodes.len()).filter(soon).collect();
        let mut stopped = false;
        let mut asked = || {
            stopped = stopped || stop();
            stopped
        };
        let mut work = board;
        let mut found = search::search(&mut work, &candidates, &mut asked, first);
        let all = found.moves.len();
        found.moves.retain(|own| own.sources.iter().all(ripe));
        let postponed = all - found.moves.len();
        let candidates: Vec<usize> = candidates.into_iter().filter(ripe).collect();
        let moves = in_turns(fleet, std::mem::take(&mut found.moves));
        let (probes, effort) = (work.probes, work.effort);
        // Verdicts are about the nodes as they are, and there is no second copy of them while the search goes on.
        let mut board = Board::on(fleet, work.into_ground());
        let verdicts = verdicts(&mut board, failures, &moves, &found, whole);
        let stats = Stats {
            candidates: candidates.len(),
            probes,
            effort,
            first: found.first,
            postponed,
            stopped,
        };
        let before = Totals {
            nodes: fleet.nodes.len(),
            pods: fleet
                .snapshot
                .pods
                .iter()
                .filter(|pod| pod.is_bound() && !pod.is_finished())
                .count(),
            price: fleet.price(),
        };
        let mut after = before;
        for own in moves.iter().filter(|own| own.turn.wave.is_some()).map(|own| &own.own) {
            after.nodes = after.nodes + own.replacements.len() - own.sources.len();
            after.price = after.price - own.before + own.after;
        }
        let locked = locked(fleet, &verdicts);
        let bound = found
            .bound
            .or_else(|| whole.then(|| bound(&board, &candidates)).flatten().map(|own| own.price));
        Self { moves, verdicts, before, after, locked, bound, stats }
    }

    /// Puts another move of the same nodes in the place of one.
    pub(crate) fn replace(&mut self, at: usize, other: Move) {
        let own = std::mem::replace(&mut self.moves[at].own, other);
        let other = &self.moves[at].own;
        if self.moves[at].turn.wave.is_some() {
            let after = &mut self.after;
            after.nodes = after.nodes + other.replacements.len() - own.replacements.len();
            after.price = after.price + other.after - own.after;
        }
    }

    /// Leaves some moves out, by their places in the plan: their nodes stay.
    pub(crate) fn leave_out(&mut self, moves: &[usize]) {
        let mut numbers: Vec<Option<usize>> = Vec::with_capacity(self.moves.len());
        let mut kept = Vec::new();
        for (at, own) in std::mem::take(&mut self.moves).into_iter().enumerate() {
            if !moves.contains(&at) {
                numbers.push(Some(kept.len()));
                kept.push(own);
                continue;
            }
            numbers.push(None);
            if own.turn.wave.is_some() {
                let (after, own) = (&mut self.after, &own.own);
                after.nodes = after.nodes + own.sources.len() - own.replacements.len();
                after.price = after.price + own.before - own.after;
            }
            for node in &own.own.sources {
                let savings = own.own.savings();
                self.verdicts[*node].outcome = Outcome::Kept;
                self.verdicts[*node].reasons = vec![Reason::NothingBetter { savings }];
            }
        }
        self.moves = kept;
        for verdict in &mut self.verdicts {
            verdict.in_move = verdict.in_move.and_then(|at| numbers[at]);
        }
    }

    /// How far the plan is from the least that the fleet could cost, in percent of that.
    pub fn gap_percent(&self) -> Option<f64> {
        let least = self.bound.filter(|least| *least > Price::ZERO)?;
        Some(100.0 * (self.after.price.dollars() / least.dollars() - 1.0))
    }

    /// What the plan saves per hour.
    pub fn savings(&self) -> Price {
        self.before.price - self.after.price
    }
}

/// Whether a node may go soon, if nothing happens to it until then.
fn goes_soon(fleet: &Fleet<'_>, at: usize, failures: &[Reason]) -> bool {
    let then = fleet.now.plus(fleet.ahead);
    let ends = |reason: &Reason| {
        matches!(reason, Reason::RecentPodEvent { .. } | Reason::TooYoung { .. })
            && reason.until().is_some_and(|until| until <= then)
    };
    !fleet.staying.contains_key(&at) && failures.iter().all(ends)
}

/// Gates 1 to 9, and the pods that wait for a node.
pub(crate) fn blocked(board: &Board<'_>, at: usize) -> Vec<Reason> {
    let mut failures = gates::failures(board.fleet, at);
    let managed = failures.first().is_none_or(|first| first.gate() != Gate::Managed);
    if managed
        && !board.fleet.settings(at).peer_rules
        && let Some(pod) = board.awaited.get(&board.fleet.nodes[at].name)
    {
        failures.insert(0, Reason::Nominated { pod: *pod });
    } else if managed
        && board.fleet.nodes[at].is_empty()
        && let Some(buffer) = board.buffered.get(&board.fleet.nodes[at].name)
    {
        failures.insert(0, Reason::CapacityBuffer { buffer: *buffer });
    }
    failures
}

/// Moves in waves, the waves in order.
fn in_turns(fleet: &Fleet<'_>, moves: Vec<Move>) -> Vec<Planned> {
    let alone = fleet.cluster.settings.search == Search::Seed;
    let turns = waves::waves(fleet, &moves, alone);
    let mut planned: Vec<Planned> =
        moves.into_iter().zip(turns).map(|(own, turn)| Planned { own, turn }).collect();
    planned.sort_by_key(|own| own.turn.wave.unwrap_or(u32::MAX));
    planned
}

fn verdicts(
    board: &mut Board<'_>,
    failures: Vec<Vec<Reason>>,
    moves: &[Planned],
    found: &Found,
    whole: bool,
) -> Vec<Verdict> {
    let mut in_move: Vec<Option<usize>> = vec![None; failures.len()];
    for (at, own) in moves.iter().enumerate() {
        for node in &own.own.sources {
            in_move[*node] = Some(at);
        }
    }
    let mut verdicts = Vec::with_capacity(failures.len());
    for (node, reasons) in failures.into_iter().enumerate() {
        let verdict = match (in_move[node], reasons.first()) {
            (Some(at), _) => {
                let turn = &moves[at].turn;
                let now = turn.wave == Some(1);
                Verdict {
                    outcome: if now { Outcome::Consolidate } else { Outcome::Deferred },
                    in_move: Some(at),
                    reasons: turn.deferred.iter().filter(|_| !now).cloned().collect(),
                    locked: None,
                }
            }
            (None, Some(Reason::NotManaged)) => {
                Verdict { outcome: Outcome::Unmanaged, in_move: None, reasons, locked: None }
            }
            (None, Some(first)) => {
                // What it would save if nobody stood in the way.
                let locked = if whole && first.gate() > Gate::Priced {
                    let own = board.glance(node, Ask::OWN).is_none();
                    let own = own.then(|| board.assess(&[node], Ask::OWN).ok()).flatten();
                    own.map(|own| own.savings())
                } else {
                    None
                };
                Verdict { outcome: Outcome::Blocked, in_move: None, reasons, locked }
            }
            (None, None) => {
                let reason = if found.unseen.contains(&node) {
                    Reason::EffortSpent
                } else {
                    match board.assess(&[node], Ask::OWN) {
                        Ok(own) => Reason::NothingBetter { savings: own.savings() },
                        Err(reason) => reason,
                    }
                };
                let reasons = vec![reason];
                Verdict { outcome: Outcome::Kept, in_move: None, reasons, locked: None }
            }
        };
        verdicts.push(verdict);
    }
    verdicts
}

/// What is in the way, and what it keeps from being saved: each node once, under its headline.
fn locked(fleet: &Fleet<'_>, verdicts: &[Verdict]) -> Vec<Locked> {
    let mut found: Vec<Locked> = Vec::new();
    for (node, verdict) in verdicts.iter().enumerate() {
        let (Some(savings), Some(reason)) = (verdict.locked, verdict.reasons.first()) else {
            continue;
        };
        let object = in_the_way(fleet, node, reason);
        let code = reason.code();
        match found.iter_mut().find(|own| own.code == code && own.object == object) {
            Some(own) => {
                own.nodes += 1;
                own.savings += savings;
            }
            None => found.push(Locked { code, object, nodes: 1, savings }),
        }
    }
    found.sort_by_key(|own| (std::cmp::Reverse(own.savings), own.code, own.object));
    found
}

/// The object that stands in the way.
fn in_the_way(fleet: &Fleet<'_>, node: usize, reason: &Reason) -> Option<(Str, Str)> {
    let of_pod = |pod: usize| Some((fleet.pod(pod).namespace, fleet.pod(pod).name));
    match reason {
        Reason::PdbBlocks { budget, .. } => Some(*budget),
        Reason::RolloutInProgress { workload, .. } => Some(*workload),
        Reason::DoNotDisruptPod { pod, .. }
        | Reason::PodWithoutOwner { pod, .. }
        | Reason::MultiplePdbs { pod, .. } => of_pod(*pod),
        Reason::DoNotDisruptNode { .. } => Some((Str::EMPTY, fleet.nodes[node].name)),
        _ => fleet.nodes[node].pool.map(|pool| (Str::EMPTY, fleet.pools[pool].name)),
    }
}
