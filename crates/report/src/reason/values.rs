//! The numbers behind each reason, for programs.

use restow_consolidation::Reason;
use restow_model::{NodeCount, Price, Snapshot, Str};
use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use super::message::{disruption_name, full_name, seconds};
use crate::output::rounded;

/// Names and values in the order in which they are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReasonValues(pub Vec<(String, Value)>);

impl ReasonValues {
    /// The number of a name.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(own, _)| own == name)?.1.as_f64()
    }
}

impl Serialize for ReasonValues {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ReasonValues {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = ReasonValues;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("names with values")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ReasonValues, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(ReasonValues(pairs))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

fn cents(price: Price) -> f64 {
    // Nano-dollars are ten millionths of a cent: more digits are noise.
    (price.dollars() * 1e9).round() / 1e7
}

fn written(count: NodeCount) -> Value {
    match count {
        NodeCount::Count(count) => json!(count.to_string()),
        NodeCount::Percent(percent) => json!(format!("{percent}%")),
    }
}

/// The numbers of a reason, named in the words of the settings and of Kubernetes.
pub(super) fn values(snapshot: &Snapshot, reason: &Reason) -> ReasonValues {
    let text = |name: &Str| Value::from(snapshot.text(*name));
    let named =
        |(namespace, name): &(Str, Str)| Value::from(full_name(snapshot, *namespace, *name));
    let pod = |at: &usize| {
        let pod = &snapshot.pods[*at];
        Value::from(full_name(snapshot, pod.namespace, pod.name))
    };
    let pairs: Vec<(&str, Value)> = match reason {
        Reason::NotManaged
        | Reason::NotInitialized
        | Reason::BeingDeleted
        | Reason::InMove
        | Reason::ConsolidationOff
        | Reason::SpotToSpotOff
        | Reason::Unstable { .. }
        | Reason::Paused { .. }
        | Reason::CoolingDown { .. }
        | Reason::ChangedSincePlan
        | Reason::EffortSpent
        | Reason::NoPrice { unpriced: None } => Vec::new(),
        Reason::Nominated { pod: at } | Reason::RecentlyMoved { pod: at, .. } => {
            vec![("pod", pod(at))]
        }
        Reason::CapacityBuffer { buffer } => vec![("capacityBuffer", named(buffer))],
        Reason::PoolNotReady { pool, exists } => {
            vec![("nodePool", text(pool)), ("exists", json!(exists))]
        }
        Reason::StaticPool { pool } | Reason::PoolLimitReached { pool } => {
            vec![("nodePool", text(pool))]
        }
        Reason::InvalidSettings { pool, faults } => {
            let faults: Vec<Value> = faults
                .iter()
                .map(|own| json!({"field": own.field, "problem": own.problem}))
                .collect();
            vec![("nodePool", text(pool)), ("faults", json!(faults))]
        }
        Reason::UnknownInstanceType { unpriced } | Reason::NoPrice { unpriced: Some(unpriced) } => {
            vec![("unpriced", json!(unpriced.to_string()))]
        }
        Reason::StalePrices { age, most } => {
            vec![("ageSeconds", json!(seconds(*age))), ("maxAgeSeconds", json!(seconds(*most)))]
        }
        Reason::DoNotDisruptNode { annotation, on_claim } => vec![
            ("annotation", json!(annotation)),
            ("on", json!(if *on_claim { "NodeClaim" } else { "Node" })),
        ],
        Reason::DoNotDisruptPod { pod: at, pods, .. }
        | Reason::PodWithoutOwner { pod: at, pods } => {
            vec![("pod", pod(at)), ("pods", json!(pods))]
        }
        Reason::PdbBlocks { budget, pod: at, allowed, needed } => vec![
            ("podDisruptionBudget", named(budget)),
            ("pod", pod(at)),
            ("allowed", json!(allowed)),
            ("needed", json!(needed)),
        ],
        Reason::MultiplePdbs { pod: at, budgets } => {
            vec![("pod", pod(at)), ("podDisruptionBudgets", json!(budgets))]
        }
        Reason::RolloutInProgress { pod: at, workload, updated, desired } => vec![
            ("workload", named(workload)),
            ("pod", pod(at)),
            ("updated", json!(updated)),
            ("desired", json!(desired)),
        ],
        Reason::PolicyForbids { policy, method } => {
            let mut pairs = vec![("policy", json!(policy.name()))];
            pairs.extend(method.map(|method| ("method", json!(method.name()))));
            pairs
        }
        Reason::TooYoung { age, least, .. } => {
            vec![("ageSeconds", json!(seconds(*age))), ("requiredSeconds", json!(seconds(*least)))]
        }
        Reason::RecentPodEvent { quiet, least, .. } => vec![
            ("quietSeconds", json!(seconds(*quiet))),
            ("requiredSeconds", json!(seconds(*least))),
        ],
        Reason::InGracePeriod { evaluated, .. } => {
            vec![("evaluatedAt", json!(evaluated.to_string()))]
        }
        Reason::UtilizationAboveThreshold { utilization, threshold } => {
            vec![("utilization", json!(rounded(*utilization))), ("threshold", json!(threshold))]
        }
        Reason::PodsDoNotFit { pod: at, pods, miss } => {
            let mut pairs: Vec<(&str, Value)> = Vec::new();
            pairs.extend(at.as_ref().map(|at| ("pod", pod(at))));
            if *pods > 0 {
                pairs.push(("pods", json!(pods)));
            }
            let node = miss.as_deref().and_then(|miss| miss.nodes.first()?.nodes.first());
            pairs.extend(node.map(|node| ("closestNode", text(node))));
            pairs
        }
        Reason::TooManyReplacements { needed, most } => {
            vec![("replacements", json!(needed)), ("maxReplacements", json!(most))]
        }
        Reason::LastReadyReplicas { pod: at, going, ready } => {
            vec![("pod", pod(at)), ("going", json!(going)), ("ready", json!(ready))]
        }
        Reason::HeadroomReached { pool, memory, left, least } => vec![
            ("nodePool", text(pool)),
            ("resource", json!(if *memory { "memory" } else { "cpu" })),
            ("freePercent", json!(rounded(*left))),
            ("requiredPercent", json!(least)),
        ],
        Reason::NoCheaperReplacement { current, cheapest } => vec![
            ("pricePerHour", json!(current.dollars())),
            ("cheapestPerHour", json!(cheapest.map(Price::dollars))),
        ],
        Reason::SameInstanceType { instance_type } => vec![("instanceType", text(instance_type))],
        Reason::TooFewSpotOptions { options, least } => {
            vec![("options", json!(options)), ("required", json!(least))]
        }
        Reason::MinValuesUnmet { key, values, least } => {
            vec![("key", text(key)), ("values", json!(values)), ("minValues", json!(least))]
        }
        Reason::SavingsBelowThreshold { savings, required, cost, threshold } => {
            let mut pairs = vec![
                ("savingsCents", json!(cents(*savings))),
                ("requiredCents", json!(cents(*required))),
                ("disruptionCost", json!(rounded(*cost))),
            ];
            pairs.extend(threshold.map(|own| ("thresholdCents", json!(cents(own)))));
            pairs
        }
        Reason::SavingsBelowPercentage { percent, least } => {
            vec![("savingsPercent", json!(rounded(*percent))), ("requiredPercent", json!(least))]
        }
        Reason::PaybackTooLong { payback, most } => vec![
            ("paybackSeconds", json!(seconds(*payback))),
            ("maxPaybackSeconds", json!(seconds(*most))),
        ],
        Reason::ScoreBelowThreshold { pool, score, least, savings_share, disruption_share } => {
            vec![
                ("nodePool", text(pool)),
                ("score", json!(rounded(*score))),
                ("threshold", json!(rounded(*least))),
                ("savingsShare", json!(rounded(*savings_share))),
                ("disruptionShare", json!(rounded(*disruption_share))),
            ]
        }
        Reason::BudgetExhausted { pool, reason, allowed, used, budget, .. } => {
            let mut pairs = vec![
                ("nodePool", text(pool)),
                ("reason", json!(disruption_name(*reason))),
                ("allowed", json!(allowed)),
                ("used", json!(used)),
            ];
            pairs.extend(budget.map(|own| ("budget", written(own))));
            pairs
        }
        Reason::RateExhausted { pool, most, needed } => {
            vec![("nodePool", text(pool)), ("maxPods", json!(most)), ("pods", json!(needed))]
        }
        Reason::OutsideWindow { pool, .. } => vec![("nodePool", text(pool))],
        Reason::PdbShared { budget, allowed } => {
            vec![("podDisruptionBudget", named(budget)), ("allowed", json!(allowed))]
        }
        Reason::NothingBetter { savings } => vec![("savingsPerHour", json!(savings.dollars()))],
    };
    ReasonValues(pairs.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}
