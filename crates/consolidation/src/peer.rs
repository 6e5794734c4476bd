//! What Karpenter would do with some nodes: its order, its rules of price, spot and same types, so that results can be
//! compared with its own.

use restow_catalog::{CapacityType, label};
use restow_model::{Price, Str};
use restow_scheduling::{Limits, NodeId};
use rustc_hash::FxHashMap;

use crate::assess::Ask;
use crate::board::Board;
use crate::fleet::Fleet;
use crate::launch::{Terms, TypeChoice, by_type};
use crate::moves::{Move, Replacement};
use crate::reason::Reason;
use crate::value;

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

/// What Karpenter makes of some nodes: a deletion, one replacement, or why not.
pub fn compute(board: &mut Board<'_>, sources: &[usize], keep: bool) -> Result<Move, Reason> {
    let fleet = board.fleet;
    let ids: Vec<NodeId> = sources.iter().filter_map(|node| board.id(*node)).collect();
    let before: Price = sources.iter().map(|node| fleet.nodes[*node].price()).sum();
    let movable = sources.iter().map(|node| fleet.nodes[*node].movable).sum();
    board.spend(movable);
    let Board { cluster, state, .. } = board;
    let trial = cluster.trial(state, &ids, Limits { new_nodes: 1, below: None });
    if !trial.is_complete() {
        drop(trial);
        let trial = cluster.trial(state, &ids, Limits::ANY);
        if trial.is_complete() {
            return Err(Reason::TooManyReplacements { needed: trial.added().len(), most: 1 });
        }
        drop(trial);
        return Err(board.misfit(sources, &ids, Ask::OWN));
    }
    let required = value::required(fleet, sources);
    let nano = Price::from_nanos(1);
    let at_most = (before - required).min(before - nano);
    let mut replacements = Vec::new();
    for at in trial.added() {
        let (node, choices) = (trial.added_at(at), trial.choices(at));
        let rule = Peer { fleet, sources, before, at_most, min_values: trial.min_values(at) };
        let types = rule.filter(&choices)?;
        let mut zones: Vec<Str> = types.iter().flat_map(|own| own.zones.iter().copied()).collect();
        zones.sort_unstable();
        zones.dedup();
        let mut terms: Vec<Str> = types.iter().map(|own| own.terms).collect();
        terms.sort_unstable();
        terms.dedup();
        replacements.push(Replacement {
            pool: node.pool,
            instance_types: types.iter().map(|own| own.instance_type).collect(),
            zones,
            capacity_types: terms,
            price: types.iter().map(|own| own.worst).max().unwrap_or_default(),
            cheapest: types.iter().map(|own| own.best).min().unwrap_or_default(),
            node,
        });
    }
    let after: Price = replacements.iter().map(|own| own.cheapest).sum();
    let score = value::score_gate(fleet, sources, before, after)?;
    let moved = crate::assess::pod_moves(fleet, cluster, &trial, sources, &ids);
    let mut found = Move {
        sources: sources.to_vec(),
        replacements,
        pods: moved,
        before,
        after,
        cost: value::cost(fleet, sources),
        required,
        score,
        risks: Vec::new(),
    };
    found.sources.sort_unstable_by_key(|at| fleet.nodes[*at].name);
    found.risks = crate::risk::risks(fleet, &found);
    if keep {
        trial.keep_step();
    }
    Ok(found)
}

/// How Karpenter narrows down what a replacement may be.
struct Peer<'p> {
    fleet: &'p Fleet<'p>,
    sources: &'p [usize],
    before: Price,
    at_most: Price,
    min_values: &'p [(Str, u32)],
}

impl Peer<'_> {
    fn filter(&self, choices: &[restow_scheduling::Choice]) -> Result<Vec<TypeChoice>, Reason> {
        let fleet = self.fleet;
        let terms = Terms::new(&fleet.snapshot.strings);
        let is_spot = |at: &usize| fleet.nodes[*at].capacity_type == Some(CapacityType::Spot);
        let any_spot = choices.iter().any(|own| terms.is_spot(own.capacity_type));
        let spot_to_spot = any_spot && self.sources.iter().all(is_spot);
        let mut types = by_type(choices, terms);
        if spot_to_spot {
            if !self.sources.iter().all(|at| fleet.settings(*at).spot_to_spot) {
                return Err(Reason::SpotToSpotOff);
            }
            types.retain(|own| terms.is_spot(own.terms));
        }
        let cheapest = types.first().map(|own| own.worst);
        types.retain(|own| own.worst <= self.at_most);
        self.keeps_values(&types)?;
        if types.is_empty() {
            return Err(Reason::NoCheaperReplacement { current: self.before, cheapest });
        }
        if spot_to_spot && self.sources.len() == 1 {
            let least = fleet.settings(self.sources[0]).spot_flexibility as usize;
            if types.len() < least {
                return Err(Reason::TooFewSpotOptions { options: types.len(), least });
            }
            types.truncate(least.max(self.types_needed()));
        }
        if self.sources.len() > 1 {
            types = self.without_same(types)?;
        }
        Ok(types)
    }

    fn types_needed(&self) -> usize {
        let key = self.fleet.snapshot.strings.get(label::INSTANCE_TYPE);
        let of_types = self.min_values.iter().filter(|(own, _)| Some(*own) == key);
        of_types.map(|(_, least)| *least as usize).max().unwrap_or(1)
    }

    /// Values that pools ask for must stay possible after every step.
    fn keeps_values(&self, types: &[TypeChoice]) -> Result<(), Reason> {
        let least = self.types_needed();
        if least > 1 && types.len() < least {
            let key = self.fleet.snapshot.strings.get(label::INSTANCE_TYPE).unwrap_or_default();
            return Err(Reason::MinValuesUnmet { key, values: types.len(), least });
        }
        Ok(())
    }

    /// Several nodes do not become one of a type that is among them: then it would be better to delete the others.
    fn without_same(&self, types: Vec<TypeChoice>) -> Result<Vec<TypeChoice>, Reason> {
        let mut prices: FxHashMap<Str, Price> = FxHashMap::default();
        for at in self.sources {
            let node = &self.fleet.nodes[*at];
            if let Some(own) = node.instance_type {
                let known = prices.entry(own).or_insert_with(|| node.price());
                *known = (*known).min(node.price());
            }
        }
        let same = types.iter().filter_map(|own| {
            prices.get(&own.instance_type).map(|price| (*price, own.instance_type))
        });
        let Some((most, instance_type)) = same.min() else { return Ok(types) };
        let kept: Vec<TypeChoice> = types.into_iter().filter(|own| own.worst < most).collect();
        self.keeps_values(&kept)?;
        if kept.is_empty() {
            return Err(Reason::SameInstanceType { instance_type });
        }
        Ok(kept)
    }
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
