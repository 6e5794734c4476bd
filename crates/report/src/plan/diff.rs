//! What two plans do not have in common: totals, moves by the nodes that go, verdicts by node.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::document::PlanDocument;
use super::rows::{MoveRow, NodeRow, TotalsRow};

/// A number of each plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TotalsChange {
    /// Of the first plan.
    pub from: TotalsRow,
    /// Of the second.
    pub to: TotalsRow,
}

/// A move, as far as it is compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MoveBrief {
    /// Its id in its own plan.
    pub id: String,
    /// When it may run.
    pub wave: Option<u32>,
    /// `delete` or `replace`.
    pub decision: String,
    /// How many nodes come.
    pub replacements: usize,
    /// How many pods move.
    pub pods: usize,
    /// What it saves.
    pub savings_per_hour: f64,
}

impl MoveBrief {
    fn new(own: &MoveRow) -> Self {
        Self {
            id: own.id.clone(),
            wave: own.wave,
            decision: own.decision.clone(),
            replacements: own.replacements.len(),
            pods: own.pods.len(),
            savings_per_hour: own.savings_per_hour,
        }
    }
}

/// A move that only one plan has, or that both have otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MoveChange {
    /// The nodes that go.
    pub nodes: Vec<String>,
    /// In the first plan.
    pub from: Option<MoveBrief>,
    /// In the second.
    pub to: Option<MoveBrief>,
}

/// A verdict that is not the same in both plans.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictChange {
    /// The node.
    pub node: String,
    /// Verdict and code in the first plan; `None` if it has no such node.
    pub from: Option<String>,
    /// The same of the second.
    pub to: Option<String>,
}

/// What two plans do not have in common.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlanDiff {
    /// The fleets that were planned for.
    pub before: TotalsChange,
    /// What becomes of them.
    pub after: TotalsChange,
    /// Moves, by the nodes that go.
    pub moves: Vec<MoveChange>,
    /// Verdicts, by node.
    pub verdicts: Vec<VerdictChange>,
}

impl PlanDiff {
    /// What changes from one plan to the other.
    pub fn new(from: &PlanDocument, to: &PlanDocument) -> Self {
        Self {
            before: TotalsChange { from: from.before, to: to.before },
            after: TotalsChange { from: from.after, to: to.after },
            moves: moves(from, to),
            verdicts: verdicts(from, to),
        }
    }

    /// Whether the plans are the same in all that counts.
    pub fn is_empty(&self) -> bool {
        let same = |change: &TotalsChange| change.from == change.to;
        same(&self.before) && same(&self.after) && self.moves.is_empty() && self.verdicts.is_empty()
    }
}

/// Pairs of what has the same name on both sides, in the order of the names.
fn paired<K: Ord, V>(
    from: impl Iterator<Item = (K, V)>,
    to: impl Iterator<Item = (K, V)>,
) -> BTreeMap<K, (Option<V>, Option<V>)> {
    let mut found: BTreeMap<K, (Option<V>, Option<V>)> = BTreeMap::new();
    for (key, value) in from {
        found.entry(key).or_default().0 = Some(value);
    }
    for (key, value) in to {
        found.entry(key).or_default().1 = Some(value);
    }
    found
}

fn moves(from: &PlanDocument, to: &PlanDocument) -> Vec<MoveChange> {
    paired(by_nodes(from), by_nodes(to))
        .into_iter()
        .filter(|(_, (from, to))| !from.zip(*to).is_some_and(|(from, to)| is_same(from, to)))
        .map(|(nodes, (from, to))| MoveChange {
            nodes: nodes.into_iter().map(str::to_owned).collect(),
            from: from.map(MoveBrief::new),
            to: to.map(MoveBrief::new),
        })
        .collect()
}

fn by_nodes(plan: &PlanDocument) -> impl Iterator<Item = (Vec<&str>, &MoveRow)> {
    plan.moves.iter().map(|own| {
        let mut nodes: Vec<&str> = own.nodes.iter().map(String::as_str).collect();
        nodes.sort_unstable();
        (nodes, own)
    })
}

/// Whether two moves do the same, whatever they are called.
fn is_same(a: &MoveRow, b: &MoveRow) -> bool {
    a.wave == b.wave
        && a.decision == b.decision
        && a.savings_per_hour.total_cmp(&b.savings_per_hour).is_eq()
        && a.replacements == b.replacements
        && a.pods == b.pods
}

fn verdicts(from: &PlanDocument, to: &PlanDocument) -> Vec<VerdictChange> {
    paired(by_name(from), by_name(to))
        .into_iter()
        .filter(|(_, (from, to))| from != to)
        .map(|(node, (from, to))| VerdictChange { node: node.to_owned(), from, to })
        .collect()
}

fn by_name(plan: &PlanDocument) -> impl Iterator<Item = (&str, String)> {
    plan.nodes.iter().map(|node| (node.name.as_str(), verdict(node)))
}

/// `Kept SavingsBelowThreshold`, `Consolidate`.
fn verdict(node: &NodeRow) -> String {
    match node.reasons.first() {
        Some(reason) => format!("{} {}", node.verdict, reason.code),
        None => node.verdict.clone(),
    }
}
