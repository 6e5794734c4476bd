//! The whole cluster at once: first what the relaxation would do, then single nodes that save most for their disruption, then
//! better plans for as long as effort is left.

use restow_model::Price;

use super::Found;
use super::construct::{LEAST_GAIN, Maker, NEW_NODES};
use super::exchange::Shuffle;
use super::firm;
use super::improve::{Outline, Step};
use crate::assess::Ask;
use crate::board::Board;
use crate::bound;
use crate::moves::Move;
use crate::value;

/// A candidate with what it was worth when it was last looked at.
struct Ranked {
    worth: f64,
    node: usize,
    /// How many moves had been made then.
    seen: usize,
}

/// Beyond this many candidates the others' first moves are a drop in the ocean.
const FEW: usize = 100;

pub(super) fn search(
    board: &mut Board<'_>,
    candidates: &[usize],
    stop: &mut dyn FnMut() -> bool,
    first: &mut dyn FnMut(),
) -> Found {
    let best = if candidates.len() <= FEW { best_first(board, candidates) } else { None };
    let found = search_all(board, candidates, stop, first);
    let savings: Price = found.moves.iter().map(Move::savings).sum();
    match best {
        Some(best) if best.savings() > savings => Found { moves: vec![best], ..found },
        _ => found,
    }
}

/// The best of what the other searches would do first, by our own rules of price.
fn best_first(board: &mut Board<'_>, candidates: &[usize]) -> Option<Move> {
    let seed = super::seed::order(board, candidates)
        .into_iter()
        .find_map(|node| board.assess(&[node], Ask::OWN).ok());
    let peer = super::karpenter::many_now(board, candidates)
        .and_then(|own| board.assess(&own.sources, Ask::ANY).ok());
    let better = |a: &Move, b: &Move| a.savings().cmp(&b.savings());
    seed.into_iter().chain(peer).max_by(better)
}

fn search_all(
    board: &mut Board<'_>,
    candidates: &[usize],
    stop: &mut dyn FnMut() -> bool,
    first: &mut dyn FnMut(),
) -> Found {
    let effort = board.fleet.cluster.settings.effort;
    let relaxed = bound::relax(board, candidates, true);
    let mut found = Found::default();
    // Where disruption costs nothing, that is the bound of the plan as well.
    if value::required(board.fleet, candidates) == Price::ZERO {
        found.bound = relaxed.as_ref().map(|own| own.price);
    }
    let mut outline = Outline::new(board);
    let mut maker = Maker::new(&outline, relaxed.as_ref(), candidates);
    maker.construct(&mut outline, candidates, effort, stop);
    found.first = outline.board.effort;
    first();
    let mut ranked: Vec<Ranked> = Vec::new();
    for (seen, node) in candidates.iter().enumerate() {
        if outline.board.effort > effort || stop() {
            let unseen = candidates[seen..].iter().copied();
            found.unseen = unseen.filter(|node| !outline.is_gone(*node)).collect();
            break;
        }
        if !outline.is_gone(*node)
            && let Some(worth) = alone(outline.board, *node)
        {
            ranked.push(Ranked { worth, node: *node, seen: 0 });
        }
    }
    greedy(&mut outline, ranked, stop);
    improve(&mut outline, &mut maker, candidates, effort, stop);
    if outline.board.likes.any {
        firm::firm(&mut outline, stop);
    }
    found.moves = outline.into_moves();
    found
}

fn alone(board: &mut Board<'_>, node: usize) -> Option<f64> {
    if board.glance(node, Ask::OWN).is_some() {
        return None;
    }
    board.assess(&[node], Ask::OWN).ok().map(|own| own.worth())
}

fn single(node: usize, new_nodes: usize) -> Step {
    Step { nodes: vec![node], new_nodes, likes: new_nodes == 0, ..Step::default() }
}

/// Takes the best single node, again and again.
fn greedy(outline: &mut Outline<'_, '_>, mut ranked: Vec<Ranked>, stop: &mut dyn FnMut() -> bool) {
    let mut made = 0;
    while !ranked.is_empty() && !stop() {
        let fleet = outline.board.fleet;
        let name = |own: &Ranked| fleet.nodes[own.node].name;
        let better = |a: &Ranked, b: &Ranked| {
            a.worth.total_cmp(&b.worth).then_with(|| name(b).cmp(&name(a)))
        };
        let best = (0..ranked.len()).max_by(|a, b| better(&ranked[*a], &ranked[*b]));
        let Some(best) = best else { break };
        let node = ranked[best].node;
        if ranked[best].seen == made {
            // It was looked at since the last move: it is the best there is.
            ranked.swap_remove(best);
            let steps = if outline.board.likes.any { 0..=1 } else { 1..=1 };
            let taken = { steps }.any(|new| outline.take(single(node, new), Price::ZERO));
            made += usize::from(taken);
            continue;
        }
        match alone(outline.board, node) {
            Some(worth) => {
                ranked[best].worth = worth;
                ranked[best].seen = made;
            }
            None => {
                ranked.swap_remove(best);
            }
        }
    }
}

/// How large new nodes may be: what all vacated nodes cost, by these.
const PARTS: [i64; 5] = [1, 2, 3, 4, 6];

/// Of how many nodes the one is chosen around which a plan is made better.
const OF: usize = 3;

/// Places the pods of some nodes anew, again and again, until the effort is spent or nothing was better for a long time.
fn improve(
    outline: &mut Outline<'_, '_>,
    maker: &mut Maker,
    candidates: &[usize],
    effort: u64,
    stop: &mut dyn FnMut() -> bool,
) {
    if candidates.is_empty() {
        return;
    }
    let mut shuffle = Shuffle(0x9E37_79B9_7F4A_7C15);
    // Around a few nodes there is soon nothing left to try.
    let (mut vain, patience) = (0, 40 * candidates.len() + (20 * candidates.len()).min(200));
    while outline.board.effort < effort && vain < patience && !stop() {
        outline.board.spend(0);
        let any = |_: &Maker, shuffle: &mut Shuffle| candidates[shuffle.below(candidates.len())];
        let pivot = wasteful(outline, maker, &mut shuffle, any);
        let like = |own: &Maker, shuffle: &mut Shuffle| partner(own, candidates, pivot, shuffle);
        let other = wasteful(outline, maker, &mut shuffle, like);
        let better = step(outline, maker, candidates, [pivot, other], &mut shuffle);
        vain = if better { 0 } else { vain + 1 };
    }
}

/// Of some nodes the one whose move wastes most: there is more to gain. The first one decides whether it is one that goes.
fn wasteful(
    outline: &mut Outline<'_, '_>,
    maker: &mut Maker,
    shuffle: &mut Shuffle,
    next: impl Fn(&Maker, &mut Shuffle) -> usize,
) -> usize {
    let mut found = next(maker, shuffle);
    if !outline.is_gone(found) {
        return found;
    }
    let mut most = maker.waste_of_move(outline, found);
    for _ in 1..OF {
        let own = next(maker, shuffle);
        let waste = maker.waste_of_move(outline, own);
        if waste > most {
            (found, most) = (own, waste);
        }
    }
    found
}

/// Tries to make a plan better around two nodes; returns whether it did.
fn step(
    outline: &mut Outline<'_, '_>,
    maker: &mut Maker,
    candidates: &[usize],
    [pivot, other]: [usize; 2],
    shuffle: &mut Shuffle,
) -> bool {
    let reseat = maker.has_hosts() && shuffle.below(4) == 0;
    match (outline.is_gone(pivot), outline.is_gone(other)) {
        (true, _) if reseat => {
            let new = outline.group(pivot).new;
            let one = new.get(shuffle.below(new.len())).copied();
            one.is_some_and(|one| maker.reseat(outline, &[], &[one], shuffle))
        }
        (true, true) => match shuffle.below(12) {
            0..=3 => maker.repack_some(outline, pivot, &[], shuffle),
            4..=8 => maker.exchange(outline, [pivot, other], shuffle),
            _ => maker.repack(outline, pivot, &[], shuffle.way()),
        },
        (true, false) => absorb(outline, maker, pivot, other, shuffle),
        (false, true) => absorb(outline, maker, other, pivot, shuffle),
        (false, false) if shuffle.below(8) > 0 => maker.reseat(outline, &[pivot], &[], shuffle),
        (false, false) => {
            let mut nodes = vec![pivot];
            for _ in 0..shuffle.below(7) {
                let more = partner(maker, candidates, pivot, shuffle);
                if !outline.is_gone(more) && !nodes.contains(&more) {
                    nodes.push(more);
                }
            }
            if shuffle.below(3) == 0 {
                maker.delete(outline, &nodes, shuffle.way())
            } else {
                vacate(outline, &nodes, shuffle)
            }
        }
    }
}

/// Lets a node go as part of a move that there is already.
fn absorb(
    outline: &mut Outline<'_, '_>,
    maker: &mut Maker,
    gone: usize,
    node: usize,
    shuffle: &mut Shuffle,
) -> bool {
    if shuffle.below(4) == 0 {
        maker.repack(outline, gone, &[node], shuffle.way())
    } else {
        maker.repack_some(outline, gone, &[node], shuffle)
    }
}

/// Another node, mostly one of the same kind.
fn partner(maker: &Maker, candidates: &[usize], pivot: usize, shuffle: &mut Shuffle) -> usize {
    let mut other = pivot;
    for _ in 0..4 {
        other = candidates[shuffle.below(candidates.len())];
        if maker.home[other] == maker.home[pivot] {
            break;
        }
    }
    other
}

/// Places the pods of some nodes, or of the moves that they are part of, as the engine likes it.
fn vacate(outline: &mut Outline<'_, '_>, nodes: &[usize], shuffle: &mut Shuffle) -> bool {
    let fleet = outline.board.fleet;
    let mut step = Step { new_nodes: NEW_NODES, ..Step::default() };
    for node in nodes {
        if !outline.is_gone(*node) {
            step.nodes.push(*node);
            continue;
        }
        for id in outline.group(*node).new {
            if !step.new.contains(&id) {
                step.new.push(id);
            }
        }
    }
    let whole: Price = step.nodes.iter().map(|node| fleet.nodes[*node].price()).sum::<Price>()
        + step.new.iter().map(|id| outline.price(*id)).sum();
    let part = PARTS[shuffle.below(PARTS.len())];
    step.below = Some(Price::from_nanos(whole.nanos() / part));
    outline.take(step, LEAST_GAIN)
}
