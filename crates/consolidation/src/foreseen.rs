//! Moves that are about to begin, as the scheduler will have it: it does not know the plan, and the nodes that go later are still
//! there.
//!
//! A move begins only if it pays wherever its pods go: what has to be launched for those that find no place is taken off what it
//! saves. It launches only what some pod will come to: an empty node goes next, and was launched for nothing. Both ends of
//! what the scheduler may do are tried.

use std::sync::Arc;

use restow_model::{Price, Snapshot, Str};
use restow_scheduling::{Cluster, Limits, Offers, Profile};
use rustc_hash::FxHashSet;

use crate::after::after;
use crate::assess::Ask;
use crate::board::Board;
use crate::fleet::{Fleet, Flight};
use crate::moves::{Move, Target};
use crate::plan::{Plan, Planned};
use crate::settings::Steering;
use crate::steering::{avoided, mark};
use crate::tight::{Order, Outlook, is_too_much, profile};

/// How many moves are changed or left out, one at a time, to see whether the others work then. After that nothing begins.
const TRIES: usize = 16;

/// What comes of a move, whichever way the scheduler goes.
struct Prospect {
    /// Whether it pays, with what has to be launched for pods that find no place.
    pays: bool,
    /// Replacements that some pod comes to in any case.
    sure: usize,
    /// Those that one may come to.
    used: usize,
}

/// Changes what would begin now so that it works under the scheduler of the settings, or leaves it out of the plan.
pub fn leave_tight(fleet: &Fleet<'_>, offers: &Arc<Offers>, plan: &mut Plan) {
    let Some(profile) = profile(fleet) else { return };
    // Moves, by a node of theirs, that cannot do with less although they may get less.
    let mut settled: FxHashSet<usize> = FxHashSet::default();
    for left in (0..TRIES).rev() {
        let first: Vec<usize> = (0..plan.moves.len()).filter(|at| now(&plan.moves[*at])).collect();
        let moves: Vec<&Move> = first.iter().map(|at| &plan.moves[*at].own).collect();
        if moves.iter().all(|own| own.pods.is_empty()) || is_too_much(fleet, &moves) {
            return;
        }
        let mut outlook = outlook(fleet, &moves);
        let fine = |own: &Move, next: &Prospect| {
            let enough = next.sure == own.replacements.len();
            next.pays && (enough || settled.contains(&own.sources[0]))
        };
        let Some((wrong, next)) = first_wrong(&mut outlook, offers, profile, &fine) else { return };
        let at = first[wrong];
        if left == 0 {
            plan.leave_out(&first);
            return;
        }
        match next.pays.then(|| with_fewer(fleet, offers, plan, at, next.sure)).flatten() {
            Some(other) => plan.replace(at, other),
            None if next.pays && next.used == moves[wrong].replacements.len() => {
                settled.insert(moves[wrong].sources[0]);
            }
            None => plan.leave_out(&[at]),
        }
    }
}

/// The cluster when moves that begin together are done.
fn outlook<'m>(fleet: &Fleet<'_>, moves: &'m [&'m Move]) -> Outlook<'m> {
    let mut next = after(fleet, moves.iter().copied());
    arrive(fleet, &mut next);
    steer(fleet, moves, &mut next);
    Outlook::new(next, moves)
}

/// The first move of which something comes that is not fine, and what.
fn first_wrong(
    outlook: &mut Outlook<'_>,
    offers: &Arc<Offers>,
    profile: Profile,
    fine: &dyn Fn(&Move, &Prospect) -> bool,
) -> Option<(usize, Prospect)> {
    let found = [Order::First, Order::Last].map(|order| outlook.foresee(profile, order));
    let moves = outlook.moves;
    let mut clusters = [None, None];
    let mut pays = |at: usize, order: usize| {
        let (own, left) = (moves[at], &found[order][at].left);
        let mut more = Some(Price::ZERO);
        if !left.is_empty() {
            let launching = || outlook.launching(offers, &found[order]);
            let cluster: &Cluster = clusters[order].get_or_insert_with(launching);
            more = extra(cluster.clone(), &outlook.next, left);
        }
        more.is_some_and(|more| own.savings() > more && own.savings() - more >= own.required)
    };
    let mut prospect = |at: usize| {
        let [one, other] = [&found[0][at].used, &found[1][at].used];
        let pays = pays(at, 0) && pays(at, 1);
        Prospect { pays, sure: one.intersection(other).count(), used: one.union(other).count() }
    };
    (0..moves.len()).map(|at| (at, prospect(at))).find(|(at, next)| !fine(moves[*at], next))
}

/// What has to be paid for nodes for pods that found no place; `None` if nothing helps.
fn extra(mut cluster: Cluster, next: &Snapshot, left: &[usize]) -> Option<Price> {
    let answer = cluster.schedule(next, left, &[], Limits::ANY);
    let placed = answer.unplaced.is_empty();
    placed.then(|| answer.new_nodes.iter().map(|own| own.price).sum())
}

/// Whether a move would begin now.
fn now(own: &Planned) -> bool {
    own.turn.wave == Some(1)
}

/// The same nodes go, with so many replacements at most, if that is at least as good; what else begins now keeps its room.
fn with_fewer(
    fleet: &Fleet<'_>,
    offers: &Arc<Offers>,
    plan: &Plan,
    at: usize,
    new_nodes: usize,
) -> Option<Move> {
    let mut beside = fleet.clone();
    let mut underway = fleet.underway.clone();
    for (_, own) in plan.moves.iter().enumerate().filter(|(own, of)| *own != at && now(of)) {
        let own = &own.own;
        let node = |to: Target| to.node();
        let pods = own.pods.iter().filter_map(|own| Some((own.pod, node(own.to)?)));
        underway.moves.push(Flight {
            sources: own.sources.clone(),
            let_go: Vec::new(),
            pods: pods.collect(),
        });
    }
    beside.set_underway(underway);
    let own = &plan.moves[at].own;
    let found = Board::new(&beside, offers).assess(&own.sources, Ask { new_nodes, ..Ask::ANY });
    found.ok().filter(|other| other.savings() >= own.savings())
}

/// Lets everything that is under way be done: pods where they are expected, sources gone.
fn arrive(fleet: &Fleet<'_>, next: &mut Snapshot) {
    let mut gone: FxHashSet<Str> = FxHashSet::default();
    for own in &fleet.underway.moves {
        for (pod, to) in &own.pods {
            next.pods[*pod].node = *to;
        }
        gone.extend(own.sources.iter().map(|at| fleet.nodes[*at].name));
    }
    next.nodes.retain(|node| !gone.contains(&node.meta.name));
}

/// Marks what pods are kept off while these moves run, where that is done; replacements too: they are for what fits nowhere else.
fn steer(fleet: &Fleet<'_>, moves: &[&Move], next: &mut Snapshot) {
    let mut marks = Vec::new();
    if fleet.cluster.settings.steering == Steering::SoftTaints {
        let pods = || moves.iter().flat_map(|own| &own.pods);
        let meant: FxHashSet<Str> = pods().filter_map(|own| own.to.node()).collect();
        marks = avoided(next, pods().map(|own| own.pod), &|node| meant.contains(&node));
    }
    mark(next, &marks);
}
