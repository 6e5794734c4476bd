//! Gates 10 to 13: whether the pods of some nodes have another place, and whether that is worth it.

use std::sync::Arc;

use restow_catalog::{CapacityType, label};
use restow_model::{Price, Str};
use restow_scheduling::{Choice, ClassId, Limits, NewNode, NodeId, Trial, Verdict};
use rustc_hash::FxHashMap;

use crate::board::Board;
use crate::fleet::Fleet;
use crate::launch::{Rule, SpotToSpot, Terms, choose};
use crate::moves::{Move, PodMove, Replacement, Target};
use crate::reason::Reason;
use crate::shape::Shape;
use crate::{limits, risk, value};

/// What an assessment may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// New nodes at most, whatever the pools allow.
    pub new_nodes: usize,
    /// Each new node must be cheaper than this.
    pub below: Option<Price>,
    /// Whether to say in detail why a pod fits nowhere.
    pub nearest_miss: bool,
}

impl Ask {
    /// What a node's own verdict is about: this node alone, with one replacement at most.
    pub const OWN: Self = Self { new_nodes: 1, below: None, nearest_miss: false };

    /// As many new nodes as the pools allow.
    pub const ANY: Self = Self { new_nodes: usize::MAX, below: None, nearest_miss: false };
}

/// What the sources of a move have in common.
struct Sources<'s> {
    at: &'s [usize],
    ids: Vec<NodeId>,
    before: Price,
    /// New nodes at most.
    most: usize,
}

impl Board<'_> {
    /// Tries to delete some nodes, and leaves the board as it was.
    pub fn assess(&mut self, sources: &[usize], ask: Ask) -> Result<Move, Reason> {
        self.attempt(sources, ask, false)
    }

    /// Tries to delete some nodes, and if that is a good move carries it out on the board.
    pub fn take(&mut self, sources: &[usize], ask: Ask) -> Result<Move, Reason> {
        self.attempt(sources, ask, true)
    }

    /// A short look at one node: `None` if it could be a move, which has to be assessed, else why it stays.
    pub fn glance(&mut self, node: usize, ask: Ask) -> Option<Reason> {
        let own = &self.fleet.nodes[node];
        if own.is_empty() {
            return None;
        }
        let id = self.id(node)?;
        let before = own.price();
        let most = allowed_replacements(self.fleet, &[node], true)?.min(ask.new_nodes);
        let limits = Limits { new_nodes: most, below: Some(ask.below.unwrap_or(before)) };
        self.spend(1);
        match self.cluster.probe(&mut self.state, id, limits) {
            Verdict::Fits => None,
            Verdict::Replaced { price, .. } => {
                let reason = value::savings_gate(self.fleet, &[node], before, price).err()?;
                let enough = self.likes.any
                    && self.cluster.probe(&mut self.state, id, Limits::EXISTING) == Verdict::Fits;
                (!enough).then_some(reason)
            }
            Verdict::Misfit { .. } => Some(Reason::PodsDoNotFit { pod: None, pods: 0, miss: None }),
        }
    }

    pub(crate) fn spend(&mut self, runs: usize) {
        self.effort += 1 + runs as u64;
        self.probes += 1;
    }

    fn attempt(&mut self, at: &[usize], ask: Ask, keep: bool) -> Result<Move, Reason> {
        let fleet = self.fleet;
        let mut at = at.to_vec();
        at.sort_unstable_by_key(|node| fleet.nodes[*node].name);
        let ids: Vec<NodeId> = at.iter().filter_map(|node| self.id(*node)).collect();
        let moves_pods = at.iter().any(|node| !fleet.nodes[*node].is_empty());
        let Some(most) = allowed_replacements(fleet, &at, moves_pods) else {
            let settings = fleet.settings(at.first().copied().unwrap_or_default());
            let shape = Shape { sources: at.len(), replacements: 0, moves_pods };
            let method = Some(shape.method());
            return Err(Reason::PolicyForbids { policy: settings.policy, method });
        };
        let sources = Sources {
            before: at.iter().map(|node| fleet.nodes[*node].price()).sum(),
            at: &at,
            ids,
            most: most.min(ask.new_nodes),
        };
        limits::together(fleet, &at)?;
        self.spend(sources.at.iter().map(|node| fleet.nodes[*node].movable).sum());
        let below = ask.below.unwrap_or(sources.before);
        let limits = Limits { new_nodes: sources.most, below: Some(below) };
        let likes = Arc::clone(&self.likes);
        let Self { cluster, state, .. } = self;
        let mut trial = cluster.trial(state, &sources.ids, limits);
        if !trial.is_complete() {
            drop(trial);
            return Err(self.why_not(&sources, ask));
        }
        if likes.any && !trial.added().is_empty() {
            // What is launched for a spread that cannot be kept would go next, and pods would move twice.
            drop(trial);
            trial = cluster.trial(state, &sources.ids, Limits::EXISTING);
            if !trial.is_complete() || !likes.may_be(trial.placements()) {
                drop(trial);
                trial = cluster.trial(state, &sources.ids, limits);
            }
        }
        let moved = pod_moves(fleet, cluster, &trial, sources.at, &sources.ids);
        let new = trial.added().map(|at| New::of(&trial, at)).collect::<Vec<_>>();
        let found = judge(fleet, &at, &new.iter().collect::<Vec<_>>(), moved, &self.taken)?;
        if keep {
            trial.keep_step();
            self.taken.push(found.clone());
        }
        Ok(found)
    }

    /// Why the pods of some nodes have no other place.
    fn why_not(&mut self, sources: &Sources<'_>, ask: Ask) -> Reason {
        let Self { cluster, state, .. } = self;
        if sources.most > 0 {
            // With more new nodes it might be cheaper, or possible at all.
            let limits = Limits { new_nodes: usize::MAX, below: Some(sources.before) };
            let trial = cluster.trial(state, &sources.ids, limits);
            if trial.is_complete() && trial.added_price() < sources.before {
                let needed = trial.added().len();
                return Reason::TooManyReplacements { needed, most: sources.most };
            }
            drop(trial);
            // With dearer ones they might fit: then it is a matter of price.
            let limits = Limits { new_nodes: sources.most, below: None };
            let trial = cluster.trial(state, &sources.ids, limits);
            if trial.is_complete() {
                let cheapest = Some(trial.added_price());
                return Reason::NoCheaperReplacement { current: sources.before, cheapest };
            }
            drop(trial);
            let trial = cluster.trial(state, &sources.ids, Limits::ANY);
            if trial.is_complete() {
                let needed = trial.added().len();
                return Reason::TooManyReplacements { needed, most: sources.most };
            }
        }
        self.misfit(sources.at, &sources.ids, Ask { new_nodes: sources.most, ..ask })
    }

    /// Which pods of some nodes have no other place, and why.
    pub(crate) fn misfit(&mut self, at: &[usize], ids: &[NodeId], ask: Ask) -> Reason {
        let fleet = self.fleet;
        let Self { cluster, state, .. } = self;
        let trial = cluster.trial(state, ids, Limits { new_nodes: ask.new_nodes, below: None });
        let Some((class, _)) = trial.missed().first().copied() else {
            return Reason::PodsDoNotFit { pod: None, pods: 0, miss: None };
        };
        let pods = trial.missed().iter().map(|(_, count)| *count as usize).sum();
        let mut of_class = at.iter().flat_map(|at| fleet.nodes[*at].movable_pods());
        let pod = of_class.find(|pod| cluster.class_of(*pod) == Some(class));
        let miss = ask.nearest_miss.then(|| Box::new(trial.miss(cluster, fleet.snapshot, class)));
        Reason::PodsDoNotFit { pod, pods, miss }
    }
}

/// How many new nodes the pools of all sources allow, by their policies; `None` if they allow no such move at all.
pub(crate) fn allowed_replacements(
    fleet: &Fleet<'_>,
    sources: &[usize],
    moves_pods: bool,
) -> Option<usize> {
    let mut most = usize::MAX;
    for at in sources {
        let settings = fleet.settings(*at);
        let nearly_empty = fleet.is_nearly_empty(*at);
        let allows = |replacements: usize| {
            let shape = Shape { sources: sources.len(), replacements, moves_pods };
            settings.allows(shape, nearly_empty)
        };
        let own = if allows(2) {
            settings.max_replacements as usize
        } else if allows(1) {
            settings.max_replacements.min(1) as usize
        } else if allows(0) {
            0
        } else {
            return None;
        };
        most = most.min(own);
    }
    Some(most)
}

/// A new node with everything that it could be bought as.
#[derive(Clone, Debug)]
pub(crate) struct New {
    pub(crate) node: NewNode,
    pub(crate) choices: Vec<Choice>,
    pub(crate) min_values: Vec<(Str, u32)>,
}

impl New {
    pub(crate) fn of(trial: &Trial<'_>, at: usize) -> Self {
        Self {
            node: trial.added_at(at),
            choices: trial.choices(at),
            min_values: trial.min_values(at).to_vec(),
        }
    }
}

/// Gates 11 to 13 for pods that all have a place. `others` are moves that are made besides.
pub(crate) fn judge(
    fleet: &Fleet<'_>,
    sources: &[usize],
    new: &[&New],
    pods: Vec<PodMove>,
    others: &[Move],
) -> Result<Move, Reason> {
    let replacements = replacements(fleet, sources, new)?;
    weigh(fleet, sources, replacements, pods, others)
}

/// What new nodes may be launched as, by the rules of price and spot.
pub(crate) fn replacements(
    fleet: &Fleet<'_>,
    sources: &[usize],
    new: &[&New],
) -> Result<Vec<Replacement>, Reason> {
    let before: Price = sources.iter().map(|at| fleet.nodes[*at].price()).sum();
    let rule = rule(fleet, sources, new.len(), before, value::required(fleet, sources));
    let type_key = fleet.snapshot.strings.get(label::INSTANCE_TYPE);
    let mut replacements: Vec<Replacement> = Vec::with_capacity(new.len());
    for own in new {
        let (node, least) = (own.node.clone(), &own.min_values);
        let choices = fleet.withheld.left_of(&own.choices);
        replacements.push(choose(node, &choices, least, &rule, type_key)?);
    }
    Ok(replacements)
}

/// Whether a move is worth it, with its replacements at their prices.
pub(crate) fn weigh(
    fleet: &Fleet<'_>,
    sources: &[usize],
    replacements: Vec<Replacement>,
    pods: Vec<PodMove>,
    others: &[Move],
) -> Result<Move, Reason> {
    let before: Price = sources.iter().map(|at| fleet.nodes[*at].price()).sum();
    let moves_pods = sources.iter().any(|at| !fleet.nodes[*at].is_empty());
    let required = value::required(fleet, sources);
    let after: Price = replacements.iter().map(|own| own.price).sum();
    if !replacements.is_empty() && after >= before {
        return Err(Reason::NoCheaperReplacement { current: before, cheapest: Some(after) });
    }
    let shape = Shape { sources: sources.len(), replacements: replacements.len(), moves_pods };
    for at in sources {
        let settings = fleet.settings(*at);
        if !settings.allows(shape, fleet.is_nearly_empty(*at)) {
            let method = Some(shape.method());
            return Err(Reason::PolicyForbids { policy: settings.policy, method });
        }
    }
    value::savings_gate(fleet, sources, before, after)?;
    let score = if moves_pods { value::score_gate(fleet, sources, before, after)? } else { None };
    let mut found = Move {
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
    limits::headroom(fleet, &found, others)?;
    found.risks = risk::risks(fleet, &found);
    Ok(found)
}

fn rule(
    fleet: &Fleet<'_>,
    sources: &[usize],
    new_nodes: usize,
    before: Price,
    required: Price,
) -> Rule {
    let strictest = |value: fn(&crate::settings::Settings) -> u32| {
        sources.iter().map(|at| value(fleet.settings(*at))).max().unwrap_or(1) as usize
    };
    let spot = |at: &usize| fleet.nodes[*at].capacity_type == Some(CapacityType::Spot);
    let at_most = (before - required).min(before - Price::from_nanos(1));
    Rule {
        terms: Terms::new(&fleet.snapshot.strings),
        spot_to_spot: sources.iter().all(spot).then(|| SpotToSpot {
            allowed: sources.iter().all(|at| fleet.settings(*at).spot_to_spot),
            single: sources.len() == 1 && new_nodes == 1,
            at_most,
        }),
        flexibility: strictest(|settings| settings.spot_flexibility),
    }
}

/// Which pod goes where: of pods that are alike, the oldest first.
pub(crate) fn pod_moves(
    fleet: &Fleet<'_>,
    cluster: &restow_scheduling::Cluster,
    trial: &Trial<'_>,
    sources: &[usize],
    ids: &[NodeId],
) -> Vec<PodMove> {
    let mut waiting: FxHashMap<ClassId, Vec<(usize, usize)>> = FxHashMap::default();
    for (at, id) in sources.iter().zip(ids) {
        for (pod, class) in cluster.movable(*id) {
            waiting.entry(class).or_default().push((pod, *at));
        }
    }
    for pods in waiting.values_mut() {
        pods.sort_unstable_by_key(|(pod, _)| {
            let own = fleet.pod(*pod);
            std::cmp::Reverse((own.created, own.uid, own.namespace, own.name))
        });
    }
    let existing = cluster.node_count();
    let first = existing + trial.drafts_before();
    let target = |node: NodeId| -> Target {
        match node.index().checked_sub(first) {
            Some(at) if node.index() >= existing => Target::Replacement(at),
            _ => Target::Node(cluster.name(node)),
        }
    };
    let mut moves = Vec::new();
    for placed in trial.placements() {
        for _ in 0..placed.count {
            if let Some((pod, from)) = waiting.get_mut(&placed.class).and_then(Vec::pop) {
                // Pods that wait for a node hold their room there, but run nowhere yet.
                if fleet.pod(pod).is_bound() {
                    moves.push(PodMove { pod, from, to: target(placed.node) });
                }
            }
        }
    }
    in_order(fleet, &mut moves);
    moves
}

/// Pods by the node that they leave, and by name.
pub(crate) fn in_order(fleet: &Fleet<'_>, moves: &mut [PodMove]) {
    moves.sort_unstable_by_key(|own| {
        let pod = fleet.pod(own.pod);
        (fleet.nodes[own.from].name, pod.namespace, pod.name)
    });
}

/// The name of a target, for those who print it.
impl Target {
    /// The node that exists, if it is one.
    pub const fn node(self) -> Option<Str> {
        match self {
            Self::Node(name) => Some(name),
            Self::Replacement(_) => None,
        }
    }
}
