//! How near a node came: what its own move is short of, or who refuses which of its pods.

use restow_consolidation::{Answer, Explanation, Fleet, Gate, Reason};
use serde::Serialize;

use crate::reason::{ReasonValues, tell, told_apart};
use crate::schedule::{Obstacle, PodName, Values, Where, obstacles};
use crate::units::counted;

/// What a node's own move failed at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MissRow {
    /// The gate.
    pub gate: &'static str,
    /// What programs compare.
    pub code: &'static str,
    /// What people read, with what is short where that is a number.
    pub message: String,
    /// What programs calculate with.
    pub values: ReasonValues,
    /// The pod that has no place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pod: Option<String>,
    /// Who refuses that pod: nodes, the closest first, then pools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub obstacles: Vec<ObstacleRow>,
}

/// Nodes that refuse a pod for one reason, or a pool that launches none for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ObstacleRow {
    /// How many nodes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<usize>,
    /// The closest of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closest: Option<String>,
    /// The pool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_pool: Option<String>,
    /// What programs compare.
    pub code: &'static str,
    /// What people read.
    pub message: String,
    /// What programs calculate with.
    pub values: Values,
}

impl ObstacleRow {
    fn new(own: Obstacle) -> Self {
        let (nodes, closest, node_pool) = match own.at {
            Where::Everywhere { nodes } => (Some(nodes), None, None),
            Where::Nodes { count, nearest } => (Some(count), Some(nearest), None),
            Where::Pool(name) => (None, None, Some(name)),
            Where::NoPools => (None, None, None),
        };
        let (code, message, values) = (own.why.code, own.why.message, own.why.values);
        Self { nodes, closest, node_pool, code, message, values }
    }

    /// Who refuses: `closest node-b`, `node-b and 2 more`, `pool default`.
    pub(super) fn who(&self) -> String {
        match (&self.closest, self.nodes, &self.node_pool) {
            (Some(name), Some(1) | None, _) => name.clone(),
            (Some(name), Some(more), _) => format!("{name} and {} more", more - 1),
            (None, Some(nodes), _) => counted(nodes, "node"),
            (None, None, Some(pool)) => format!("pool {pool}"),
            (None, None, None) => "launching".to_owned(),
        }
    }
}

/// The first of gates 10 to 13 that the node's own move fails, if one does.
pub(super) fn nearest(fleet: &Fleet<'_>, explained: &Explanation) -> Option<MissRow> {
    let reason = explained.gates.iter().find_map(|(gate, answer)| match answer {
        Answer::Failed(reason) if (Gate::Placement..=Gate::Score).contains(gate) => Some(reason),
        _ => None,
    })?;
    let told = tell(fleet.snapshot, reason);
    let short = short(reason).map_or_else(String::new, |short| format!(": {short}"));
    let mut row = MissRow {
        gate: told.gate,
        code: told.code,
        message: format!("{}{short}", told.message),
        values: told.values,
        pod: None,
        obstacles: Vec::new(),
    };
    if let Reason::PodsDoNotFit { pod: Some(pod), miss: Some(miss), .. } = reason {
        row.pod = Some(PodName::new(fleet.snapshot, *pod).to_string());
        let found = obstacles(fleet.snapshot, &[*pod], miss);
        row.obstacles = found.into_iter().map(ObstacleRow::new).collect();
    }
    Some(row)
}

/// By how much, where a number decides.
fn short(reason: &Reason) -> Option<String> {
    match reason {
        Reason::SavingsBelowThreshold { savings, required, .. } => {
            let cents = (required.dollars() - savings.dollars()) * 100.0;
            Some(format!("{} cents/hr short", told_apart(cents, 0.0).0))
        }
        Reason::SavingsBelowPercentage { percent, least } => {
            Some(format!("{} points short", told_apart(least - percent, 0.0).0))
        }
        Reason::NoCheaperReplacement { current, cheapest: Some(cheapest) } => {
            let cents = (cheapest.dollars() - current.dollars()) * 100.0;
            let dearer = format!("{} cents/hr dearer", told_apart(cents, 0.0).0);
            Some(if cents <= 0.0 { "not cheaper".to_owned() } else { dearer })
        }
        Reason::TooFewSpotOptions { options, least } => {
            Some(format!("{} short", counted(least.saturating_sub(*options), "type")))
        }
        Reason::ScoreBelowThreshold { score, least, .. } => {
            Some(format!("{:.2} short", least - score))
        }
        _ => None,
    }
}
