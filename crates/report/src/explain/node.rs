//! A node, gate by gate.

use restow_consolidation::{Counterfactual, Explanation, Fleet, Outcome, Plan, Planned, Turn};
use restow_model::Time;
use serde::Serialize;

use super::gates::{GateRow, rows};
use super::miss::{MissRow, nearest};
use super::what_if::{condition, shell_word};
use crate::plan::{MoveRow, NodeRow, PlanDocument, PlanFacts};

/// `kind: Explanation`, for programs. Fields may be added, never renamed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeExplanation {
    api_version: &'static str,
    kind: &'static str,
    /// The node.
    pub node: String,
    /// What becomes of it.
    pub verdict: &'static str,
    /// Every gate, in order.
    pub gates: Vec<GateRow>,
    /// What its own move is short of, where it has none.
    pub nearest_miss: Option<MissRow>,
    /// What would have to be otherwise for it to go; each was tried.
    pub counterfactuals: Vec<CounterfactualRow>,
    /// Whether they were looked for.
    pub counterfactuals_asked: bool,
    /// The time of the snapshot, if it has one.
    pub now: Option<String>,
    /// What it is.
    pub details: NodeRow,
    /// The move of the plan that it is part of.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub in_move: Option<MoveRow>,
    /// The move that it could make by itself if nothing stood in its way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_move: Option<MoveRow>,
    /// What was assumed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub what_if: Vec<String>,
}

/// What would have to be otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CounterfactualRow {
    /// All of it together, in the words of `--what-if`.
    pub what_if: Vec<String>,
    /// What becomes of the node then.
    pub verdict: &'static str,
    /// What people read.
    pub message: String,
    /// The command that shows it.
    pub command: String,
}

/// What is asked of a node, and what is known already.
#[derive(Clone, Copy, Debug)]
pub struct NodeQuestion<'a> {
    /// What the gates say.
    pub explained: &'a Explanation,
    /// What would have to be otherwise; `None` if nobody asked.
    pub counterfactuals: Option<&'a [Counterfactual]>,
    /// What was assumed.
    pub what_if: &'a [String],
}

impl NodeExplanation {
    /// Explains what a plan says of a node.
    ///
    /// `None` only if the fleet does not have the node that was explained.
    pub fn new(fleet: &Fleet<'_>, plan: &Plan, question: &NodeQuestion<'_>) -> Option<Self> {
        let explained = question.explained;
        let at = explained.node;
        let name = fleet.snapshot.text(fleet.nodes.get(at)?.name).to_owned();
        let document = PlanDocument::new(fleet, plan, &PlanFacts::default());
        let details = document.node(&name)?.clone();
        let in_move = explained.verdict.in_move.and_then(|at| document.moves.get(at)).cloned();
        let own_move = if in_move.is_none() { alone(fleet, plan, explained) } else { None };
        Some(Self {
            api_version: "restow.dev/v1alpha1",
            kind: "Explanation",
            node: name,
            verdict: explained.verdict.outcome.name(),
            gates: rows(fleet, explained),
            nearest_miss: nearest(fleet, explained),
            counterfactuals: question
                .counterfactuals
                .unwrap_or_default()
                .iter()
                .map(|own| counterfactual(fleet, own, question.what_if))
                .collect(),
            counterfactuals_asked: question.counterfactuals.is_some(),
            now: (fleet.now != Time::default()).then(|| fleet.now.to_string()),
            details,
            in_move,
            own_move,
            what_if: question.what_if.to_vec(),
        })
    }

    /// Whether it goes now.
    pub fn goes(&self) -> bool {
        self.verdict == Outcome::Consolidate.name()
    }

    /// The code of the first gate that it fails.
    pub fn headline(&self) -> Option<&str> {
        self.details.reasons.first().map(|own| own.code.as_str())
    }
}

/// The node's own move as a move of a plan is shown.
fn alone(fleet: &Fleet<'_>, plan: &Plan, explained: &Explanation) -> Option<MoveRow> {
    let own = explained.own.clone()?;
    let turn = Turn { wave: Some(1), deferred: None };
    let plan = Plan { moves: vec![Planned { own, turn }], ..plan.clone() };
    let mut row = PlanDocument::new(fleet, &plan, &PlanFacts::default()).moves.pop()?;
    // It is in no plan: nobody should look for it there.
    "own".clone_into(&mut row.id);
    row.wave = None;
    Some(row)
}

fn counterfactual(
    fleet: &Fleet<'_>,
    own: &Counterfactual,
    assumed: &[String],
) -> CounterfactualRow {
    let what_if: Vec<String> = own.what_if.iter().map(ToString::to_string).collect();
    let conditions: Vec<String> = own.what_if.iter().map(|own| condition(fleet, own)).collect();
    let about = |text: &str| text.split('=').next().unwrap_or_default().to_owned();
    // What is assumed of the same thing would be said twice.
    let kept = assumed.iter().filter(|own| !what_if.iter().any(|new| about(new) == about(own)));
    let command = kept
        .chain(&what_if)
        .fold("restow plan".to_owned(), |all, own| format!("{all} --what-if {}", shell_word(own)));
    CounterfactualRow {
        what_if,
        verdict: own.outcome.name(),
        message: conditions.join(", and "),
        command,
    }
}
