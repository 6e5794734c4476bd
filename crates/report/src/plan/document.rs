//! From a plan to `kind: Plan`: names instead of numbers, sentences instead of reasons.

use restow_catalog::SourceInfo;
use restow_consolidation::{
    Fleet, Locked, Plan, PodMove, Replacement, Risk, Target, Totals, Verdict,
};
use restow_model::{Price, Str, Time};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::diff::PlanDiff;
use super::load::Loads;
use super::preferences::loses;
use super::rows::{
    Bound, CatalogInfo, Evictions, LockedRow, MoveRow, NodeRow, PodRow, PreferencesRow, ReasonRow,
    ReplacementRow, RiskRow, StatsRow, TotalsRow, UtilizationRow,
};
use crate::output::rounded;
use crate::reason::{Told, tell};
use crate::schedule::PodName;

/// What a plan does not know of itself.
#[derive(Clone, Debug, Default)]
pub struct PlanFacts<'a> {
    /// Where prices come from.
    pub sources: &'a [SourceInfo],
    /// The time it took to plan.
    pub elapsed_ms: f64,
    /// Pools whose nodes were asked about; empty for all.
    pub pools: &'a [Str],
}

/// A plan, complete and by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanDocument {
    /// `restow.dev/v1alpha1`.
    pub api_version: String,
    /// `Plan`.
    pub kind: String,
    /// The time of the snapshot, if it has one.
    pub now: Option<String>,
    /// How moves were searched.
    pub search: String,
    /// The presets of the cluster.
    pub profile: String,
    /// Where prices come from.
    pub catalog: CatalogInfo,
    /// As it is.
    pub before: TotalsRow,
    /// As it will be when every move that has a wave is done.
    pub after: TotalsRow,
    /// The moves in order.
    pub moves: Vec<MoveRow>,
    /// A verdict for each node.
    pub nodes: Vec<NodeRow>,
    /// What blocked nodes would save, by what blocks them.
    pub blocked_savings_per_hour: Vec<LockedRow>,
    /// The least that any fleet for these pods would cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Bound>,
    /// Whether nothing would be left to move after the plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub converged: Option<bool>,
    /// What pods would like and what it costs to keep that, where they like anything and it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preferences: Option<PreferencesRow>,
    /// What the work took.
    pub stats: StatsRow,
    /// What the plan disturbs.
    #[serde(default)]
    pub evictions: Evictions,
    /// Who places evicted pods.
    #[serde(default)]
    pub scheduler: String,
    /// What was assumed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub what_if: Vec<String>,
    /// What the assumptions change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<Box<PlanDiff>>,
}

impl PlanDocument {
    /// The plan of a fleet by name.
    pub fn new(fleet: &Fleet<'_>, plan: &Plan, facts: &PlanFacts<'_>) -> Self {
        let settings = &fleet.cluster.settings;
        let namer = Namer { fleet, loads: Loads::new(fleet, plan) };
        let asked = |at: usize| {
            let pool = fleet.nodes[at].pool.map(|pool| fleet.pools[pool].name);
            facts.pools.is_empty() || pool.is_some_and(|pool| facts.pools.contains(&pool))
        };
        Self {
            api_version: "restow.dev/v1alpha1".to_owned(),
            kind: "Plan".to_owned(),
            now: (fleet.now != Time::default()).then(|| fleet.now.to_string()),
            search: settings.search.text().to_owned(),
            profile: settings.profile.text().to_owned(),
            catalog: catalog(facts.sources),
            before: totals(plan.before),
            after: totals(plan.after),
            moves: (0..plan.moves.len()).map(|at| namer.planned(plan, at)).collect(),
            nodes: (0..fleet.nodes.len())
                .filter(|at| asked(*at))
                .map(|at| namer.node(at, &plan.verdicts[at]))
                .collect(),
            blocked_savings_per_hour: plan.locked.iter().map(|own| namer.locked(own)).collect(),
            bound: plan.bound.zip(plan.gap_percent()).map(|(price, gap)| Bound {
                price_per_hour: price.dollars(),
                gap_percent: (gap * 10.0).round() / 10.0,
            }),
            converged: None,
            preferences: None,
            stats: StatsRow {
                candidates: plan.stats.candidates,
                probes: plan.stats.probes,
                effort: plan.stats.effort,
                elapsed_ms: (facts.elapsed_ms * 10.0).round() / 10.0,
                deadline_hit: plan.stats.stopped,
            },
            evictions: evictions(fleet, plan),
            scheduler: settings.scheduler.text().to_owned(),
            what_if: Vec::new(),
            difference: None,
        }
    }

    /// What the plan saves per hour.
    pub fn savings_per_hour(&self) -> f64 {
        self.before.price_per_hour - self.after.price_per_hour
    }

    /// The node of that name.
    pub fn node(&self, name: &str) -> Option<&NodeRow> {
        self.nodes.iter().find(|node| node.name == name)
    }
}

fn catalog(sources: &[SourceInfo]) -> CatalogInfo {
    let names: Vec<&str> = sources.iter().map(|own| own.name.as_str()).collect();
    let dates = sources.iter().flat_map(|own| [&own.date, &own.spot_date]).flatten();
    CatalogInfo { source: names.join(", "), date: dates.min().cloned() }
}

fn totals(totals: Totals) -> TotalsRow {
    let Totals { nodes, pods, price } = totals;
    TotalsRow { nodes, pods, price_per_hour: price.dollars() }
}

fn evictions(fleet: &Fleet<'_>, plan: &Plan) -> Evictions {
    let moved = || {
        let moves = plan.moves.iter().filter(|own| own.turn.wave.is_some());
        moves.flat_map(|own| own.own.pods.iter().map(|own| own.pod))
    };
    let workloads: FxHashSet<_> = moved().filter_map(|pod| fleet.pod_workloads[pod]).collect();
    Evictions { pods: moved().count(), workloads: workloads.len() }
}

impl From<Told> for ReasonRow {
    fn from(told: Told) -> Self {
        Self {
            gate: told.gate.to_owned(),
            code: told.code.to_owned(),
            message: told.message,
            values: told.values,
            until: told.until.map(|until| until.to_string()),
        }
    }
}

/// Gives names to what a plan knows by number.
struct Namer<'a> {
    fleet: &'a Fleet<'a>,
    loads: Loads,
}

impl Namer<'_> {
    fn text(&self, name: Str) -> String {
        self.fleet.snapshot.text(name).to_owned()
    }

    fn texts(&self, names: &[Str]) -> Vec<String> {
        names.iter().map(|name| self.text(*name)).collect()
    }

    fn reason(&self, reason: &restow_consolidation::Reason) -> ReasonRow {
        tell(self.fleet.snapshot, reason).into()
    }

    fn planned(&self, plan: &Plan, at: usize) -> MoveRow {
        let planned = &plan.moves[at];
        let own = &planned.own;
        let now = planned.turn.wave == Some(1);
        MoveRow {
            id: move_id(at),
            wave: planned.turn.wave,
            method: own.method().name().to_owned(),
            decision: if own.replacements.is_empty() { "delete" } else { "replace" }.to_owned(),
            nodes: own.sources.iter().map(|at| self.text(self.fleet.nodes[*at].name)).collect(),
            replacements: (0..own.replacements.len())
                .map(|new| self.replacement(&own.replacements[new], (at, new)))
                .collect(),
            pods: own.pods.iter().map(|own| self.pod(own)).collect(),
            price_per_hour_before: own.before.dollars(),
            price_per_hour_after: own.after.dollars(),
            savings_per_hour: own.savings().dollars(),
            disruption_cost: rounded(own.cost),
            required_savings_per_hour: own.required.dollars(),
            score: own.score.map(rounded),
            risks: own.risks.iter().map(|risk| self.risk(*risk)).collect(),
            deferred: planned.turn.deferred.as_ref().filter(|_| !now).map(|own| self.reason(own)),
        }
    }

    fn replacement(&self, own: &Replacement, place: (usize, usize)) -> ReplacementRow {
        ReplacementRow {
            node_pool: self.text(own.pool),
            instance_types: self.texts(&own.instance_types),
            zones: self.texts(&own.zones),
            capacity_types: self.texts(&own.capacity_types),
            price_per_hour: own.price.dollars(),
            utilization: self.loads.replacement(place),
        }
    }

    fn pod(&self, own: &PodMove) -> PodRow {
        let PodName { namespace, name } = PodName::new(self.fleet.snapshot, own.pod);
        PodRow {
            namespace,
            name,
            from: self.text(self.fleet.nodes[own.from].name),
            to: match own.to {
                Target::Node(name) => self.text(name),
                Target::Replacement(at) => format!("replacement/{at}"),
            },
        }
    }

    fn risk(&self, risk: Risk) -> RiskRow {
        let pod = risk.pod().map(|pod| PodName::new(self.fleet.snapshot, pod).to_string());
        let name = pod.clone().unwrap_or_default();
        let message = match risk {
            Risk::SingleReplica { .. } => {
                format!(
                    "{name} is the only replica of its workload: it is away while it starts anew"
                )
            }
            Risk::LocalData { .. } => format!("{name} loses the data that it keeps on its node"),
            Risk::Volume { .. } => {
                format!("a volume of {name} has to be detached and attached again")
            }
            Risk::SlowDrain { allowed, .. } => format!(
                "the PodDisruptionBudget of {name} lets {allowed} go at a time: they go one after another"
            ),
            Risk::Preference { wish, .. } => format!("{name} {}", loses(self.fleet, wish)),
            Risk::TightPacking { pods } => format!(
                "{pods} of its pods find no place if the scheduler spreads them: it pays only if pods are packed"
            ),
            Risk::EstimatedPrice => "the price is an estimate".to_owned(),
        };
        RiskRow { code: risk.code().to_owned(), message, pod }
    }

    fn node(&self, at: usize, verdict: &Verdict) -> NodeRow {
        let node = &self.fleet.nodes[at];
        NodeRow {
            name: self.text(node.name),
            node_pool: node.pool.map(|pool| self.text(self.fleet.pools[pool].name)),
            instance_type: node.instance_type.map(|name| self.text(name)),
            zone: node.zone.map(|name| self.text(name)),
            capacity_type: node.capacity_type.map(|own| own.name().to_owned()),
            price_per_hour: node.quote.as_ref().ok().map(|quote| Price::dollars(quote.price)),
            utilization: UtilizationRow::of(&node.utilization),
            disruption_cost: rounded(node.costs.node),
            lifetime_remaining: rounded(node.lifetime_remaining),
            verdict: verdict.outcome.name().to_owned(),
            in_move: verdict.in_move.map(move_id),
            reasons: verdict.reasons.iter().map(|reason| self.reason(reason)).collect(),
            utilization_after: self.loads.node(at),
        }
    }

    fn locked(&self, own: &Locked) -> LockedRow {
        let object =
            own.object.map(|(namespace, name)| match self.fleet.snapshot.text(namespace) {
                "" => self.text(name),
                namespace => format!("{namespace}/{}", self.fleet.snapshot.text(name)),
            });
        LockedRow {
            code: own.code.to_owned(),
            object,
            nodes: own.nodes,
            savings_per_hour: own.savings.dollars(),
        }
    }
}

/// The id of the move at this place of the plan.
fn move_id(at: usize) -> String {
    format!("m{}", at + 1)
}
