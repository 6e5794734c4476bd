//! A pool: what becomes of its nodes, what its budgets allow now, and how its settings differ from the defaults.

use std::collections::BTreeMap;

use restow_consolidation::{Fleet, Outcome, Plan, budget};
use restow_model::{DisruptionReason, Price, Time};
use serde::Serialize;

use crate::plan::{FaultRow, SettingRow, SettingsDocument};
use crate::reason::CODES;

/// `kind: PoolExplanation`, for programs. Fields may be added, never renamed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PoolExplanation {
    api_version: &'static str,
    kind: &'static str,
    /// The pool.
    pub node_pool: String,
    /// The time of the snapshot, if it has one.
    pub now: Option<String>,
    /// How many nodes it has.
    pub nodes: usize,
    /// What they cost, as far as it is known.
    pub price_per_hour: f64,
    /// What moves of its nodes save, in any wave.
    pub savings_per_hour: f64,
    /// What moves of its nodes would save that wait for a budget or a window.
    pub waiting_savings_per_hour: f64,
    /// What its blocked nodes would save by themselves.
    pub blocked_savings_per_hour: f64,
    /// Its nodes by what becomes of them and why, in the order of the gates.
    pub verdicts: Vec<VerdictRow>,
    /// What its budgets allow now.
    pub budgets: Vec<BudgetNow>,
    /// Whether its windows are open.
    pub window: WindowNow,
    /// Settings that are not what they are by default.
    pub settings: Vec<SettingRow>,
    /// What is wrong with its settings; such a pool is not consolidated.
    pub faults: Vec<FaultRow>,
}

/// Nodes with one verdict for one reason.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictRow {
    /// What becomes of them.
    pub verdict: &'static str,
    /// Why; `None` for nodes that go now.
    pub code: Option<&'static str>,
    /// How many.
    pub nodes: usize,
    /// One of them, to ask about.
    pub example: String,
    /// What they cost.
    pub price_per_hour: f64,
    /// What blocked ones would save by themselves.
    pub savings_per_hour: f64,
}

/// What the budgets allow now for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BudgetNow {
    /// `Empty` or `Underutilized`.
    pub reason: &'static str,
    /// Nodes at a time; `None` if nothing limits them.
    pub allowed: Option<usize>,
    /// Nodes that are being disrupted.
    pub used: usize,
    /// When that may change by itself.
    pub until: Option<String>,
}

/// Whether moves are allowed by the pool's windows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WindowNow {
    /// Whether they are.
    pub open: bool,
    /// If not, when they will be.
    pub until: Option<String>,
}

impl PoolExplanation {
    /// Explains the pool at this place of the fleet.
    pub fn new(fleet: &Fleet<'_>, plan: &Plan, at: usize) -> Self {
        let pool = &fleet.pools[at];
        let name = fleet.snapshot.text(pool.name);
        let nodes: Vec<usize> =
            (0..fleet.nodes.len()).filter(|node| fleet.nodes[*node].pool == Some(at)).collect();
        let settings =
            SettingsDocument::new(&fleet.cluster, std::iter::once((name, &pool.resolved)), false);
        let (settings, faults) = settings
            .pools
            .into_iter()
            .next()
            .map(|own| (own.settings, own.faults))
            .unwrap_or_default();
        let saved = |waiting: bool| -> Price {
            let own = plan.moves.iter().filter(|own| own.turn.wave.is_none() == waiting);
            let of_pool = |node: &usize| fleet.nodes[*node].pool == Some(at);
            own.filter(|own| own.own.sources.iter().any(of_pool)).map(|own| own.own.savings()).sum()
        };
        let locked: Price = nodes.iter().filter_map(|node| plan.verdicts[*node].locked).sum();
        let window = budget::window(&pool.resolved.settings, fleet.now);
        Self {
            api_version: "restow.dev/v1alpha1",
            kind: "PoolExplanation",
            node_pool: name.to_owned(),
            now: (fleet.now != Time::default()).then(|| fleet.now.to_string()),
            nodes: nodes.len(),
            price_per_hour: nodes
                .iter()
                .map(|node| fleet.nodes[*node].price())
                .sum::<Price>()
                .dollars(),
            savings_per_hour: saved(false).dollars(),
            waiting_savings_per_hour: saved(true).dollars(),
            blocked_savings_per_hour: locked.dollars(),
            verdicts: verdicts(fleet, plan, &nodes),
            budgets: [
                ("Empty", DisruptionReason::Empty),
                ("Underutilized", DisruptionReason::Underutilized),
            ]
            .map(|(name, reason)| {
                let (_, found) = budget::left(pool, reason, fleet.now);
                BudgetNow {
                    reason: name,
                    allowed: (found.allowed < usize::MAX).then_some(found.allowed),
                    used: pool.disrupting,
                    until: found.until.map(|until| until.to_string()),
                }
            })
            .to_vec(),
            window: WindowNow {
                open: window.is_ok(),
                until: window.err().flatten().map(|until| until.to_string()),
            },
            settings,
            faults,
        }
    }
}

/// Nodes with one verdict for one reason, before money is made into numbers.
struct Alike {
    row: VerdictRow,
    price: Price,
    locked: Price,
}

fn verdicts(fleet: &Fleet<'_>, plan: &Plan, nodes: &[usize]) -> Vec<VerdictRow> {
    let place = |code: &str| CODES.iter().position(|(own, _)| *own == code);
    let mut found: BTreeMap<(Outcome, Option<usize>), Alike> = BTreeMap::new();
    for node in nodes {
        let verdict = &plan.verdicts[*node];
        let code = verdict.reasons.first().map(restow_consolidation::Reason::code);
        let alike = found.entry((verdict.outcome, code.and_then(place))).or_insert_with(|| Alike {
            row: VerdictRow {
                verdict: verdict.outcome.name(),
                code,
                example: fleet.snapshot.text(fleet.nodes[*node].name).to_owned(),
                ..VerdictRow::default()
            },
            price: Price::ZERO,
            locked: Price::ZERO,
        });
        alike.row.nodes += 1;
        alike.price += fleet.nodes[*node].price();
        alike.locked += verdict.locked.unwrap_or_default();
    }
    let rows = found.into_values().map(|own| VerdictRow {
        price_per_hour: own.price.dollars(),
        savings_per_hour: own.locked.dollars(),
        ..own.row
    });
    rows.collect()
}
