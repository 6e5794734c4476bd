//! The whole cluster at once: the node that saves most for its disruption first, then better plans for as long as effort is
//! left.

use restow_model::Price;
use rustc_hash::FxHashMap;

use super::Found;
use super::improve::{Outline, Step};
use crate::assess::Ask;
use crate::board::Board;

/// Nodes that are placed anew together, at most.
const TOGETHER: usize = 10;

/// Steps must gain more than this, so that a search ends.
const LEAST_GAIN: Price = Price::from_nanos(1000);

/// New nodes of one step, at most; how many a move may have is up to the pools.
const NEW_NODES: usize = 8;

/// A candidate with what it was worth when it was last looked at.
struct Ranked {
    worth: f64,
    node: usize,
    /// How many moves had been made then.
    seen: usize,
}

/// Numbers in an order that looks like none, the same in every run.
struct Shuffle(u64);

impl Shuffle {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        if end == 0 { 0 } else { (self.0 % end as u64) as usize }
    }
}

pub(super) fn search(
    board: &mut Board<'_>,
    candidates: &[usize],
    stop: &mut dyn FnMut() -> bool,
) -> Found {
    let mut found = Found::default();
    let effort = board.fleet.cluster.settings.effort;
    let mut ranked: Vec<Ranked> = Vec::new();
    for (seen, node) in candidates.iter().enumerate() {
        if board.effort > effort || stop() {
            found.unseen = candidates[seen..].to_vec();
            break;
        }
        if let Some(worth) = alone(board, *node) {
            ranked.push(Ranked { worth, node: *node, seen: 0 });
        }
    }
    let mut outline = Outline::new(board);
    greedy(&mut outline, ranked, stop);
    improve(&mut outline, candidates, effort, stop);
    found.moves = outline.into_moves();
    found
}

fn alone(board: &mut Board<'_>, node: usize) -> Option<f64> {
    if board.glance(node, Ask::OWN).is_some() {
        return None;
    }
    board.assess(&[node], Ask::OWN).ok().map(|own| own.worth())
}

fn single(node: usize) -> Step {
    Step { nodes: vec![node], new: Vec::new(), new_nodes: 1, below: None }
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
            made += usize::from(outline.take(&single(node), Price::ZERO));
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

/// Tries a step with new nodes of several sizes, and takes the best.
fn take_best(outline: &mut Outline<'_, '_>, step: &mut Step, parts: &[i64]) -> bool {
    let fleet = outline.board.fleet;
    let whole: Price = step.nodes.iter().map(|node| fleet.nodes[*node].price()).sum::<Price>()
        + step.new.iter().map(|id| outline.price(*id)).sum();
    let mut best: Option<(Price, Price)> = None;
    for part in parts {
        let below = Price::from_nanos(whole.nanos() / part);
        step.below = Some(below);
        let price = if parts.len() == 1 { Some(Price::ZERO) } else { outline.ask(step) };
        if let Some(price) = price
            && best.is_none_or(|(least, _)| price < least)
        {
            best = Some((price, below));
        }
    }
    let Some((_, below)) = best else { return false };
    step.below = Some(below);
    outline.take(step, LEAST_GAIN)
}

/// Places the pods of some nodes anew, again and again, until the effort is spent or nothing was better for a long time.
fn improve(
    outline: &mut Outline<'_, '_>,
    candidates: &[usize],
    effort: u64,
    stop: &mut dyn FnMut() -> bool,
) {
    if candidates.len() < 2 {
        return;
    }
    let by_group = Groups::new(outline.board, candidates);
    let mut shuffle = Shuffle(0x9E37_79B9_7F4A_7C15);
    // First all nodes in turn, some at a time.
    for nodes in &by_group.nodes {
        for some in nodes.chunks(TOGETHER) {
            if outline.board.effort >= effort || stop() {
                return;
            }
            let mut step = Step { new_nodes: NEW_NODES, ..Step::default() };
            step.nodes.extend(some.iter().filter(|node| !outline.is_gone(**node)));
            if !step.nodes.is_empty() {
                take_best(outline, &mut step, &PARTS);
            }
        }
    }
    let (mut vain, patience) = (0, 40 * candidates.len() + 200);
    while outline.board.effort < effort && vain < patience && !stop() {
        let mut step = choose(outline, candidates, &by_group, &mut shuffle);
        let part = PARTS[shuffle.below(PARTS.len())];
        if take_best(outline, &mut step, &[part]) {
            vain = 0;
        } else {
            vain += 1;
        }
    }
}

/// Candidates by the group of their node, to find some that have something in common.
struct Groups {
    nodes: Vec<Vec<usize>>,
    of: FxHashMap<usize, usize>,
}

impl Groups {
    fn new(board: &Board<'_>, candidates: &[usize]) -> Self {
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let (mut nodes, mut of): (Vec<Vec<usize>>, FxHashMap<usize, usize>) =
            (Vec::new(), FxHashMap::default());
        for node in candidates {
            let group = board.id(*node).and_then(|id| board.cluster.group_of(id));
            let at = *numbers.entry(group.unwrap_or(usize::MAX)).or_insert_with(|| {
                nodes.push(Vec::new());
                nodes.len() - 1
            });
            nodes[at].push(*node);
            of.insert(*node, at);
        }
        Self { nodes, of }
    }
}

/// Chooses some nodes that are placed anew together: whole moves, and nodes that stay so far.
fn choose(
    outline: &Outline<'_, '_>,
    candidates: &[usize],
    by_group: &Groups,
    shuffle: &mut Shuffle,
) -> Step {
    let pivot = candidates[shuffle.below(candidates.len())];
    let home = by_group.of.get(&pivot).copied().unwrap_or_default();
    let mut step = Step { new_nodes: NEW_NODES, ..Step::default() };
    let add = |node: usize, step: &mut Step| {
        if outline.is_gone(node) {
            for id in outline.launched_for(node) {
                if !step.new.contains(&id) {
                    step.new.push(id);
                }
            }
        } else if !step.nodes.contains(&node) {
            step.nodes.push(node);
        }
    };
    add(pivot, &mut step);
    for _ in 0..shuffle.below(5) {
        let pool = if shuffle.below(10) < 7 { &by_group.nodes[home] } else { candidates };
        add(pool[shuffle.below(pool.len())], &mut step);
        if step.new.len() > NEW_NODES {
            break;
        }
    }
    step
}
