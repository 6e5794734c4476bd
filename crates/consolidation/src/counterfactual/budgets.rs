//! The smallest budget under which a node goes: nobody opens a whole pool for one node.

use restow_model::NodeCount;

use super::goes;
use crate::budget;
use crate::case::{Case, WhatIf};
use crate::fleet::Fleet;
use crate::plan::Plan;
use crate::settings::{BudgetRule, Name, Search};
use crate::waves::waves;

/// Everything that a pool has.
pub(super) const ALL: &str = "[{nodes: 100%}]";

/// Makes the budgets among some changes under which a node goes as small as they can be, in the form that the pool uses.
pub(super) fn tighten(case: &Case<'_>, node: usize, mut changes: Vec<WhatIf>) -> Vec<WhatIf> {
    for at in 0..changes.len() {
        let WhatIf::Setting { pool: Some(pool), name: Name::Budgets, text } = &changes[at] else {
            continue;
        };
        if text != ALL {
            continue;
        }
        let sizes = case.ask(|fleet, _| sizes(fleet, pool));
        let Ok(open) = case.what_if(&changes) else { continue };
        let guess = open.ask(|fleet, offers| {
            let plan = Plan::new(fleet, offers, &mut || false);
            first_enough(fleet, &plan, node, pool, &sizes)
        });
        let works = |size: NodeCount| {
            let mut tried = changes.clone();
            if let WhatIf::Setting { text, .. } = &mut tried[at] {
                *text = written(size);
            }
            goes(case, node, &tried).then_some(tried)
        };
        if let Some(found) = search(&sizes, guess, works) {
            changes = found;
        }
    }
    changes
}

/// The first size that is enough, where `guess` is likely to be it: then the one below is asked and no more. What is returned
/// was found to work.
fn search<T>(
    sizes: &[NodeCount],
    guess: usize,
    works: impl Fn(NodeCount) -> Option<T>,
) -> Option<T> {
    let (mut low, mut high) = (0, sizes.len());
    let (mut at, mut found) = (guess, None);
    while low < high {
        let mut first = false;
        if let Some(own) = works(sizes[at]) {
            first = found.replace(own).is_none();
            high = at;
        } else {
            low = at + 1;
        }
        at = if first { high.saturating_sub(1) } else { low.midpoint(high) };
    }
    found
}

/// The sizes of a budget that differ for a pool, the smallest first: percentages if the budget that decides is one.
fn sizes(fleet: &Fleet<'_>, pool: &str) -> Vec<NodeCount> {
    let own = fleet.pools.iter().find(|own| fleet.snapshot.text(own.name) == pool);
    let Some(own) = own else { return Vec::new() };
    let count = own.counted_nodes;
    let rules = || own.resolved.settings.budgets.iter();
    let decides = rules().min_by_key(|rule| budget::resolve(rule.nodes, count));
    if let Some(NodeCount::Count(_)) = decides.map(|rule| rule.nodes) {
        let count = u32::try_from(count).unwrap_or(u32::MAX);
        return (1..=count).map(NodeCount::Count).collect();
    }
    let mut sizes: Vec<NodeCount> = (1..=100).map(NodeCount::Percent).collect();
    sizes.dedup_by_key(|size| budget::resolve(*size, count));
    sizes
}

/// The place of the first size under which the moves of a plan would have the node's in the first wave.
fn first_enough(
    fleet: &Fleet<'_>,
    plan: &Plan,
    node: usize,
    pool: &str,
    sizes: &[NodeCount],
) -> usize {
    let mut fleet = fleet.clone();
    let place = fleet.pools.iter().position(|own| fleet.snapshot.text(own.name) == pool);
    let moves: Vec<_> = plan.moves.iter().map(|own| own.own.clone()).collect();
    let own = moves.iter().position(|own| own.sources.contains(&node));
    let (Some(place), Some(own)) = (place, own) else { return 0 };
    let alone = fleet.cluster.settings.search == Search::Seed;
    let enough = |size: &NodeCount| {
        let rule = BudgetRule { nodes: *size, reasons: None, schedule: None };
        fleet.pools[place].resolved.settings.budgets = vec![rule];
        waves(&fleet, &moves, alone)[own].wave == Some(1)
    };
    sizes.iter().position(enough).unwrap_or_default()
}

fn written(size: NodeCount) -> String {
    match size {
        NodeCount::Count(count) => format!("[{{nodes: {count}}}]"),
        NodeCount::Percent(percent) => format!("[{{nodes: {percent}%}}]"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_works_is_found_and_was_tried() {
        let sizes: Vec<NodeCount> = (1..=20).map(NodeCount::Count).collect();
        let least = |least: u32, guess: usize| {
            search(&sizes, guess, |size| match size {
                NodeCount::Count(size) if size >= least => Some(size),
                _ => None,
            })
        };
        for guess in 0..20 {
            for wanted in 1..=20 {
                assert_eq!(least(wanted, guess), Some(wanted));
            }
        }
        assert_eq!(least(21, 3), None);
        // A good guess takes two plans.
        let asked = std::cell::Cell::new(0);
        let found = search(&sizes, 6, |size| {
            asked.set(asked.get() + 1);
            (size != NodeCount::Count(6)).then_some(size)
        });
        assert_eq!((found, asked.get()), (Some(NodeCount::Count(7)), 2));
    }
}
