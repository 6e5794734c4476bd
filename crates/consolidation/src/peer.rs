//! What Karpenter would do with some nodes: its order, its rules of price, spot and same types, so that results can be
//! compared with its own.

mod price;
mod provision;
mod simulation;

pub use provision::{Provisioned, provision};

pub(crate) use simulation::{Simulation, Simulator, is_in_use};

use restow_model::{Price, Str};
use restow_scheduling::NodeId;

use crate::board::Board;
use crate::fleet::Fleet;
use crate::moves::{Move, PodMove, Target};
use crate::reason::Reason;
use crate::value;
use price::Rule;

/// How many nodes one command takes at most; the peer's own off-by-one makes it one more.
pub const MOST_AT_ONCE: usize = 100;

/// Whether Karpenter takes a node for empty: none of its pods costs anything to evict.
pub fn is_empty(fleet: &Fleet<'_>, node: usize) -> bool {
    fleet.nodes[node].costs.peer <= 1.0
}

/// Price for each unit of disruption: the only order that Karpenter knows.
pub fn savings_ratio(fleet: &Fleet<'_>, node: usize) -> f64 {
    let node = &fleet.nodes[node];
    node.price().dollars() / node.costs.peer
}

/// Nodes in Karpenter's order; equal ones by name.
pub fn in_order(fleet: &Fleet<'_>, nodes: &[usize]) -> Vec<usize> {
    let mut sorted = nodes.to_vec();
    sorted.sort_by(|a, b| {
        let name = |at: &usize| fleet.nodes[*at].name;
        savings_ratio(fleet, *b)
            .total_cmp(&savings_ratio(fleet, *a))
            .then_with(|| name(a).cmp(&name(b)))
    });
    sorted
}

/// Deletes nodes that Karpenter takes for empty. It does not look where their pods go.
pub fn delete_empty(fleet: &Fleet<'_>, sources: &[usize]) -> Move {
    Move {
        sources: sources.to_vec(),
        replacements: Vec::new(),
        pods: Vec::new(),
        before: sources.iter().map(|at| fleet.nodes[*at].price()).sum(),
        after: Price::ZERO,
        cost: value::cost(fleet, sources),
        required: value::required(fleet, sources),
        score: None,
        risks: Vec::new(),
    }
}

/// Takes empty nodes out of what later simulations see.
pub(crate) fn vacate(board: &mut Board<'_>, sources: &[usize]) {
    let ids: Vec<NodeId> = sources.iter().filter_map(|node| board.id(*node)).collect();
    board.simulator().close(&ids);
}

/// What Karpenter makes of some nodes: a deletion, one replacement, or why not.
pub fn compute(board: &mut Board<'_>, sources: &[usize], keep: bool) -> Result<Move, Reason> {
    let fleet = board.fleet;
    let ids: Vec<NodeId> = sources.iter().filter_map(|node| board.id(*node)).collect();
    board.spend(sources.iter().map(|node| fleet.nodes[*node].movable).sum());
    let simulator = board.simulator();
    if !simulator.has_pools {
        let pool = sources.first().and_then(|at| fleet.nodes[*at].pool);
        let pool = pool.map(|pool| fleet.pools[pool].name).unwrap_or_default();
        return Err(Reason::PoolNotReady { pool, exists: true });
    }
    let names = simulator.names();
    let Simulation { trial, placed, missed } = simulator.run(fleet, &ids);
    if let Some(pod) = missed.first() {
        return Err(Reason::PodsDoNotFit { pod: Some(*pod), pods: missed.len(), miss: None });
    }
    if trial.added().len() > 1 {
        return Err(Reason::TooManyReplacements { needed: trial.added().len(), most: 1 });
    }
    let before: Price = sources.iter().map(|node| fleet.nodes[*node].price()).sum();
    let required = value::required(fleet, sources);
    let mut replacements = Vec::new();
    for at in trial.added() {
        let is_new = |(_, node): &&(usize, NodeId)| node.index() >= names.len();
        let pods: Vec<usize> = placed.iter().filter(is_new).map(|(pod, _)| *pod).collect();
        let values = |instance_type, key| trial.values(at, instance_type, key);
        let rule = Rule::new(fleet, sources, trial.min_values(at), &values);
        replacements.push(rule.choose(trial.added_at(at), &pods, &trial.choices(at))?);
    }
    let after: Price = replacements.iter().map(|own| own.cheapest).sum();
    if required > Price::ZERO {
        value::savings_gate(fleet, sources, before, after)?;
    }
    let score = value::score_gate(fleet, sources, before, after)?;
    let drafts = names.len() + trial.drafts_before();
    let mut pods: Vec<PodMove> = Vec::new();
    for (pod, node) in &placed {
        let own = fleet.pod(*pod);
        let from = sources.iter().find(|at| fleet.nodes[**at].name == own.node);
        let Some(from) = from.copied().filter(|_| own.is_bound()) else { continue };
        let to = match node.index().checked_sub(drafts) {
            Some(at) => Target::Replacement(at),
            None => Target::Node(names.get(node.index()).copied().unwrap_or_default()),
        };
        pods.push(PodMove { pod: *pod, from, to });
    }
    crate::assess::in_order(fleet, &mut pods);
    let mut own = Move {
        sources: sources.to_vec(),
        replacements,
        pods,
        before,
        after,
        cost: value::cost(fleet, sources),
        required,
        score,
        risks: Vec::new(),
    };
    own.sources.sort_unstable_by_key(|at| fleet.nodes[*at].name);
    own.risks = crate::risk::risks(fleet, &own);
    if keep {
        trial.keep_step();
        simulator.settle(&placed);
    } else {
        drop(trial);
    }
    Ok(own)
}

/// What would be launched if some nodes went, as the types that each new node could be, whatever they cost; `None` if some pod
/// would have no place. This is all that Karpenter asks before it starts a command that it has found earlier.
pub fn still_possible(board: &mut Board<'_>, sources: &[usize]) -> Option<Vec<Vec<Str>>> {
    let fleet = board.fleet;
    let ids: Vec<NodeId> = sources.iter().filter_map(|node| board.id(*node)).collect();
    let simulator = board.simulator();
    let Simulation { trial, missed, .. } = simulator.run(fleet, &ids);
    let types = trial.added().map(|at| trial.added_at(at).instance_types).collect();
    missed.is_empty().then_some(types)
}

/// The longest prefix of nodes in order that makes a valid command, as a binary search finds it.
pub fn longest_prefix(board: &mut Board<'_>, sorted: &[usize]) -> Option<Vec<usize>> {
    if sorted.len() < 2 {
        return None;
    }
    let (mut low, mut high) = (1, sorted.len().min(MOST_AT_ONCE));
    if sorted.len() <= MOST_AT_ONCE {
        high = sorted.len() - 1;
    }
    let mut best = None;
    while low <= high {
        let middle = usize::midpoint(low, high);
        let prefix = &sorted[..=middle];
        if compute(board, prefix, false).is_ok() {
            best = Some(prefix.to_vec());
            low = middle + 1;
        } else {
            high = middle - 1;
        }
    }
    best
}

/// Whether even a deletion of the node would not score enough, so that Karpenter does not look at it.
pub fn cannot_pass(fleet: &Fleet<'_>, node: usize) -> Option<Reason> {
    let price = fleet.nodes[node].price();
    value::score_gate(fleet, &[node], price, Price::ZERO).err()
}
