//! What would have to be otherwise for a node to go. Each answer is tried by planning under it before it is given.

mod budgets;

use restow_model::{Price, Str};

use crate::assess::allowed_replacements;
use crate::case::{Case, WhatIf};
use crate::fleet::Fleet;
use crate::gates;
use crate::plan::Plan;
use crate::reason::Reason;
use crate::settings::Name;
use crate::verdict::Outcome;
use crate::what_if::Change;

/// What would have to be otherwise, and what would become of the node then.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterfactual {
    /// All of it together.
    pub what_if: Vec<WhatIf>,
    /// What becomes of the node then.
    pub outcome: Outcome,
}

/// How often a change may reveal the next obstacle.
const ROUNDS: usize = 6;

/// The smallest changes, as far as they are known, under which a node would go. Empty if it goes anyway, or if nothing that
/// is in somebody's hands would help.
pub fn counterfactuals(case: &Case<'_>, plan: &Plan, node: usize) -> Vec<Counterfactual> {
    if plan.verdicts[node].outcome == Outcome::Consolidate {
        return Vec::new();
    }
    let mut changes: Vec<WhatIf> = Vec::new();
    let mut lowered = false;
    for _ in 0..ROUNDS {
        let Ok(other) = case.what_if(&changes) else { return Vec::new() };
        let (outcome, more) = other.ask(|fleet, offers| {
            let plan = Plan::new(fleet, offers, &mut || false);
            let verdict = &plan.verdicts[node];
            let mut reasons = verdict.reasons.clone();
            if verdict.outcome == Outcome::Blocked {
                reasons = gates::failures(fleet, node);
                reasons.extend(verdict.reasons.first().cloned());
            }
            let more: Vec<WhatIf> =
                reasons.iter().flat_map(|reason| remedies(fleet, node, reason)).collect();
            (verdict.outcome, more)
        });
        if outcome == Outcome::Consolidate {
            return alternatives(case, node, changes);
        }
        let before = changes.clone();
        for change in more {
            put(&mut changes, change);
        }
        // Once is enough: what a hair does not change has another cause.
        if changes == before && (std::mem::replace(&mut lowered, true) || !ask_less(&mut changes)) {
            return Vec::new();
        }
    }
    Vec::new()
}

/// Adds a change; one of the same thing is replaced.
fn put(changes: &mut Vec<WhatIf>, change: WhatIf) {
    let same = |own: &WhatIf| match (own, &change) {
        (
            WhatIf::Setting { pool, name, .. },
            WhatIf::Setting { pool: other_pool, name: other, .. },
        ) => pool == other_pool && name == other,
        (own, other) => own == other,
    };
    match changes.iter_mut().find(|own| same(own)) {
        Some(own) => *own = change,
        None => changes.push(change),
    }
}

/// Lowers a savings threshold by a hair: what saves exactly what is asked for is not always worth a move to a search.
fn ask_less(changes: &mut [WhatIf]) -> bool {
    for change in changes {
        if let WhatIf::Setting { name: Name::SavingsThresholdCents, text, .. } = change {
            let Ok(cents) = text.parse::<f64>() else { return false };
            let units = (cents * 1e4).round();
            if units < 1.0 {
                return false;
            }
            *text = ((units - 1.0) / 1e4).to_string();
            return true;
        }
    }
    false
}

/// All changes together work: drops those that are not needed, and lists each that works alone.
fn alternatives(case: &Case<'_>, node: usize, changes: Vec<WhatIf>) -> Vec<Counterfactual> {
    let works = |changes: &[WhatIf]| goes(case, node, changes);
    let mut found: Vec<Vec<WhatIf>> = Vec::new();
    if changes.len() > 1 {
        for change in &changes {
            if works(std::slice::from_ref(change)) {
                found.push(vec![change.clone()]);
            }
        }
    }
    if found.is_empty() {
        let mut needed = changes;
        let mut at = 0;
        while at < needed.len() && needed.len() > 1 {
            let mut fewer = needed.clone();
            fewer.remove(at);
            if works(&fewer) {
                needed = fewer;
            } else {
                at += 1;
            }
        }
        found.push(needed);
    }
    found
        .into_iter()
        .map(|what_if| budgets::tighten(case, node, what_if))
        .map(|what_if| Counterfactual { what_if, outcome: Outcome::Consolidate })
        .collect()
}

/// Whether a node goes now under some changes.
fn goes(case: &Case<'_>, node: usize, changes: &[WhatIf]) -> bool {
    let Ok(other) = case.what_if(changes) else { return false };
    other.plan(&mut || false).verdicts[node].outcome == Outcome::Consolidate
}

/// What would remove one obstacle.
pub(crate) fn remedies(fleet: &Fleet<'_>, node: usize, reason: &Reason) -> Vec<WhatIf> {
    let pool = fleet.nodes[node].pool.map(|pool| fleet.snapshot.text(fleet.pools[pool].name));
    let text = |name| fleet.snapshot.text(name).to_owned();
    let set = |name: Name, text: String| {
        vec![WhatIf::Setting { pool: pool.map(str::to_owned), name, text }]
    };
    // What holds a move back may be the pool of another of its nodes.
    let in_pool = |pool: Str, name: Name, value: &str| {
        vec![WhatIf::Setting { pool: Some(text(pool)), name, text: value.to_owned() }]
    };
    let all = |name: Name, text: String| vec![WhatIf::Setting { pool: None, name, text }];
    let pod = |pod: usize| {
        let own = fleet.pod(pod);
        WhatIf::Object(Change::Pod { namespace: text(own.namespace), name: text(own.name) })
    };
    // Any move at all: what is not needed of it is dropped later.
    let wider = || {
        let settings = fleet.settings(node);
        let mut all = set(Name::ConsolidationPolicy, "WhenUnderutilizedOrCheaper".to_owned());
        for (switch, name) in [
            (settings.single_node, Name::SingleNode),
            (settings.multi_node, Name::MultiNode),
            (settings.emptiness, Name::Emptiness),
        ] {
            if switch == Some(false) {
                all.extend(set(name, "on".to_owned()));
            }
        }
        all
    };
    match reason {
        Reason::UtilizationAboveThreshold { utilization, .. } => {
            set(Name::ScaledownUtilizationThreshold, rounded_up(*utilization).to_string())
        }
        Reason::SavingsBelowThreshold { savings, cost, .. } => {
            set(Name::SavingsThresholdCents, cents_per_unit(*savings, *cost))
        }
        Reason::SavingsBelowPercentage { percent, .. } => {
            set(Name::MinimumSavingsPercent, ((percent * 100.0).floor() / 100.0).to_string())
        }
        Reason::PaybackTooLong { .. } => set(Name::Payback, "off".to_owned()),
        Reason::ScoreBelowThreshold { score, .. } if *score > 0.0 => {
            set(Name::BalancedK, ((100.0 / score).ceil() / 100.0).to_string())
        }
        Reason::TooYoung { age, .. } => {
            set(Name::MinimumNodeLifetime, format!("{}s", age.seconds().max(0)))
        }
        Reason::RecentPodEvent { quiet, .. } => {
            set(Name::ConsolidateAfter, format!("{}s", quiet.seconds().max(0)))
        }
        Reason::RecentlyMoved { .. } => set(Name::MinimumPodDwell, "off".to_owned()),
        Reason::InGracePeriod { .. } => set(Name::ConsolidationGracePeriod, "Never".to_owned()),
        Reason::ConsolidationOff => set(Name::ConsolidateAfter, "0s".to_owned()),
        Reason::PolicyForbids { .. } => wider(),
        Reason::PdbBlocks { budget, needed, .. } => vec![WhatIf::Object(Change::Pdb {
            namespace: text(budget.0),
            name: text(budget.1),
            allowed: (*needed).max(1) as i64,
        })],
        Reason::DoNotDisruptPod { .. } => fleet.nodes[node]
            .pods
            .iter()
            .map(|own| own.pod as usize)
            .filter(|own| gates::protection(fleet, *own).is_some())
            .map(pod)
            .collect(),
        Reason::PodWithoutOwner { .. } => fleet.nodes[node]
            .movable_pods()
            .filter(|own| fleet.snapshot.owner(fleet.pod(*own)).is_none())
            .map(pod)
            .collect(),
        Reason::DoNotDisruptNode { .. } => {
            vec![WhatIf::Object(Change::Node { name: text(fleet.nodes[node].name) })]
        }
        // Its pods may fit nowhere only because nothing may be launched for them.
        Reason::PodsDoNotFit { .. } if allowed_replacements(fleet, &[node], true) == Some(0) => {
            wider()
        }
        Reason::SpotToSpotOff => set(Name::SpotToSpot, "true".to_owned()),
        Reason::TooFewSpotOptions { options, .. } if *options > 0 => {
            set(Name::SpotFlexibility, options.to_string())
        }
        Reason::TooManyReplacements { needed, .. } => {
            set(Name::MaxReplacements, needed.to_string())
        }
        Reason::LastReadyReplicas { .. } => set(Name::WorkloadFloor, "off".to_owned()),
        Reason::HeadroomReached { .. } => set(Name::Headroom, "off".to_owned()),
        Reason::BudgetExhausted { pool, .. } => in_pool(*pool, Name::Budgets, budgets::ALL),
        Reason::RateExhausted { pool, .. } => in_pool(*pool, Name::RateBudgets, "off"),
        Reason::OutsideWindow { pool, .. } => in_pool(*pool, Name::Windows, "off"),
        Reason::StalePrices { age, .. } => {
            all(Name::PriceMaxAge, format!("{}s", age.seconds().saturating_add(1)))
        }
        _ => Vec::new(),
    }
}

/// A share that is not below the given one, to four places.
fn rounded_up(share: f64) -> f64 {
    ((share * 1e4).ceil() / 1e4).min(1.0)
}

/// The highest threshold that the savings still clear, in cents, to four places.
fn cents_per_unit(savings: Price, cost: f64) -> String {
    let units = savings.dollars() * 1e6 / cost.max(1e-9);
    // What is a whole number but for the noise of dividing stays one: 0.6 cents for 6 units are 0.1 each, not 0.0999.
    let whole = units.round();
    let most = if (units - whole).abs() < 1e-6 { whole } else { units.floor() };
    format!("{}", most.max(0.0) / 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_are_the_highest_that_the_savings_clear() {
        let cents = |savings: &str, cost| cents_per_unit(savings.parse().unwrap(), cost);
        assert_eq!(cents("0.006", 6.0), "0.1");
        assert_eq!(cents("0.006", 7.0), "0.0857");
        assert_eq!(cents("-0.006", 6.0), "0");
    }

    #[test]
    fn shares_are_rounded_up() {
        assert!((rounded_up(0.398_51) - 0.3986).abs() < 1e-12);
        assert!((rounded_up(0.999_99) - 1.0).abs() < 1e-12);
    }
}
