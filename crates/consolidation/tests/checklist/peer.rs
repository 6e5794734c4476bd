//! What Karpenter's methods say about a small cluster.

use restow_consolidation::settings::Name;
use restow_consolidation::{Board, Move, Plan, Reason, gates, peer, search};
use restow_model::{Budget, Labels, NodeCount, Operator, Requirement, RequirementSpec, Str};

use crate::world::World;

/// A cluster under Karpenter's rules, in which spot may replace spot.
pub(crate) fn world() -> World {
    let mut world = World::new();
    world.set(Name::Profile, "karpenter").set(Name::Search, "karpenter");
    world.set(Name::SpotToSpot, "true");
    world
}

/// Three sizes on demand: 1, 2 and 8 dollars.
pub(crate) fn shop() -> World {
    let mut world = world();
    world.sells("small", "2", "8Gi", "1").sells("medium", "4", "16Gi", "2");
    world.sells("large", "16", "64Gi", "8");
    world.pool("default");
    world
}

pub(crate) fn large(world: &mut World, name: &str) -> usize {
    world.node(name, "default", "large", (16, 64))
}

pub(crate) fn medium(world: &mut World, name: &str) -> usize {
    world.node(name, "default", "medium", (4, 16))
}

pub(crate) fn small(world: &mut World, name: &str) -> usize {
    world.node(name, "default", "small", (2, 8))
}

/// Some small pods of an app of that name.
pub(crate) fn pods(world: &mut World, node: usize, app: &str, count: usize) -> Vec<usize> {
    world.pods(node, app, count, 100, 100)
}

/// Budgets that allow this much for every reason.
pub(crate) fn budget(nodes: NodeCount) -> Vec<Budget> {
    vec![Budget { nodes, reasons: None, schedule: Str::EMPTY, duration: None }]
}

pub(crate) fn requirement(
    world: &mut World,
    key: &str,
    values: &[&str],
    min_values: Option<u32>,
) -> Requirement {
    let spec = RequirementSpec {
        key: key.to_owned(),
        operator: Operator::In,
        values: values.iter().map(|value| (*value).to_owned()).collect(),
        min_values,
    };
    Requirement::new(&spec, &mut world.snapshot.strings)
}

/// Takes a label off a node.
pub(crate) fn unlabel(world: &mut World, node: usize, key: &str) {
    let key = world.snapshot.strings.get(key).unwrap();
    let labels = &mut world.snapshot.nodes[node].meta.labels;
    let others: Vec<(Str, Str)> = labels.iter().filter(|(own, _)| *own != key).collect();
    *labels = Labels::new(others);
}

/// Sets a label of a node.
pub(crate) fn label(world: &mut World, node: usize, key: &str, value: &str) {
    unlabel(world, node, key);
    let pair = (world.snapshot.strings.intern(key), world.snapshot.strings.intern(value));
    let labels = &mut world.snapshot.nodes[node].meta.labels;
    *labels = Labels::new(labels.iter().chain([pair]).collect::<Vec<_>>());
}

pub(crate) fn annotate_node(world: &mut World, node: usize, value: &str) {
    let key = world.snapshot.strings.intern("karpenter.sh/do-not-disrupt");
    let value = world.snapshot.strings.intern(value);
    world.snapshot.nodes[node].meta.annotations = Labels::new(vec![(key, value)]);
}

/// Drops a condition of a node's claim.
pub(crate) fn without_condition(world: &mut World, node: usize, kind: &str) {
    let kind = world.snapshot.strings.get(kind).unwrap();
    world.claim(node).conditions.retain(|own| own.kind != kind);
}

/// Why a node is no candidate.
pub(crate) fn refusal(world: &mut World, node: usize) -> Option<&'static str> {
    world.fleet(|fleet, _| gates::first_failure(fleet, node).map(|reason| reason.code()))
}

fn candidates(fleet: &restow_consolidation::Fleet<'_>) -> Vec<usize> {
    (0..fleet.nodes.len()).filter(|at| gates::first_failure(fleet, *at).is_none()).collect()
}

/// The empty nodes that would go now.
pub(crate) fn empty(world: &mut World) -> Vec<usize> {
    world.fleet(|fleet, _| {
        let mut found = search::empty_now(fleet, &candidates(fleet));
        found.sort_unstable();
        found
    })
}

/// The command of multi-node consolidation.
pub(crate) fn many(world: &mut World) -> Option<Move> {
    world
        .fleet(|fleet, offers| search::many_now(&mut Board::new(fleet, offers), &candidates(fleet)))
}

/// What single-node consolidation says of a node.
pub(crate) fn one(world: &mut World, node: usize) -> Result<Move, Reason> {
    world.fleet(|fleet, offers| {
        if let Some(reason) = gates::first_failure(fleet, node) {
            return Err(reason);
        }
        peer::compute(&mut Board::new(fleet, offers), &[node], false)
    })
}

/// The code of why single-node consolidation leaves a node alone.
pub(crate) fn why(world: &mut World, node: usize) -> &'static str {
    one(world, node).map_or_else(|reason| reason.code(), |_| "goes")
}

/// The nodes that the first move of a plan takes.
pub(crate) fn first(world: &mut World) -> Vec<usize> {
    let plan: Plan = world.plan();
    plan.moves.first().map(|own| own.own.sources.clone()).unwrap_or_default()
}

/// The types that a node would be replaced by.
pub(crate) fn types(world: &mut World, found: &Move) -> Vec<String> {
    let types = &found.replacements[0].instance_types;
    types.iter().map(|name| world.snapshot.text(*name).to_owned()).collect()
}
