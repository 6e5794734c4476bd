//! What each gate says of a node: one row for each, whether it passes, fails or was not asked.

use restow_consolidation::{Answer, Explanation, Fleet, Gate, Number, Reason};
use restow_model::{DurationOrNever, GoDuration, Policy, Price};
use serde::Serialize;
use serde_json::{Value, json};

use crate::money::node_per_hour;
use crate::output::rounded;
use crate::reason::{ReasonValues, human, seconds, tell};
use crate::units::{count, counted, percent_1};

/// A gate and its answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateRow {
    /// The gate.
    pub gate: &'static str,
    /// Whether the node passes; `None` if it was not asked.
    pub passed: Option<bool>,
    /// What programs compare, where it fails.
    pub code: Option<&'static str>,
    /// What people read.
    pub message: String,
    /// What programs calculate with.
    pub values: ReasonValues,
    /// When a failure ends by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// What can be done about a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<&'static str>,
}

/// One row for each gate, in order. A node that passed them all and still stays has one more, which says why.
pub(super) fn rows(fleet: &Fleet<'_>, explained: &Explanation) -> Vec<GateRow> {
    let mut failed = None;
    let mut rows: Vec<GateRow> = Vec::with_capacity(explained.gates.len() + 1);
    for (gate, answer) in &explained.gates {
        rows.push(match answer {
            Answer::Failed(reason) => failure(fleet, *gate, reason),
            Answer::Passed(numbers) => passed(fleet, explained.node, *gate, numbers),
            Answer::NotAsked => not_asked(*gate, failed),
        });
        if let Answer::Failed(_) = answer {
            failed = Some(*gate);
        }
    }
    let last = explained.verdict.reasons.iter().find(|own| own.gate() == Gate::Search);
    rows.extend(last.map(|reason| failure(fleet, Gate::Search, reason)));
    rows
}

fn failure(fleet: &Fleet<'_>, gate: Gate, reason: &Reason) -> GateRow {
    let told = tell(fleet.snapshot, reason);
    GateRow {
        gate: gate.name(),
        passed: Some(false),
        code: Some(told.code),
        message: told.message,
        values: told.values,
        until: told.until.map(|until| until.to_string()),
        fix: Some(told.fix),
    }
}

fn plain(gate: Gate, passed: Option<bool>, message: String, values: ReasonValues) -> GateRow {
    GateRow { gate: gate.name(), passed, code: None, message, values, until: None, fix: None }
}

fn not_asked(gate: Gate, failed: Option<Gate>) -> GateRow {
    let message = failed.map_or_else(
        || "not asked".to_owned(),
        |failed| format!("not asked: {failed} has to pass first"),
    );
    plain(gate, None, message, ReasonValues::default())
}

fn passed(fleet: &Fleet<'_>, at: usize, gate: Gate, numbers: &[(&str, Number)]) -> GateRow {
    let message = Passed { fleet, at, numbers }.message(gate);
    let values = numbers.iter().map(|own| value(own.0, own.1)).collect();
    plain(gate, Some(true), message, ReasonValues(values))
}

/// Names as the failures of the same gate have them, so that programs compare like with like.
fn value(name: &str, number: Number) -> (String, Value) {
    match (name, number) {
        ("least", Number::Time(time)) => ("requiredSeconds".to_owned(), json!(seconds(time))),
        (name, Number::Time(time)) => (format!("{name}Seconds"), json!(seconds(time))),
        ("savings" | "required", Number::Money(money)) => {
            (format!("{name}Cents"), json!((money.dollars() * 1e9).round() / 1e7))
        }
        ("before", Number::Money(money)) => {
            ("pricePerHourBefore".to_owned(), json!(money.dollars()))
        }
        ("after", Number::Money(money)) => ("pricePerHourAfter".to_owned(), json!(money.dollars())),
        (name, Number::Money(money)) => (name.to_owned(), json!(money.dollars())),
        (name, Number::Count(count)) => (name.to_owned(), json!(count)),
        (name, Number::Share(share)) => (name.to_owned(), json!(rounded(share))),
    }
}

/// The sentence of a gate that a node passes.
struct Passed<'a> {
    fleet: &'a Fleet<'a>,
    at: usize,
    numbers: &'a [(&'a str, Number)],
}

impl Passed<'_> {
    fn number(&self, wanted: &str) -> Option<Number> {
        self.numbers.iter().find(|(name, _)| *name == wanted).map(|(_, number)| *number)
    }

    fn count(&self, name: &str) -> Option<i64> {
        match self.number(name)? {
            Number::Count(count) => Some(count),
            _ => None,
        }
    }

    fn share(&self, name: &str) -> Option<f64> {
        match self.number(name)? {
            Number::Share(share) => Some(share),
            _ => None,
        }
    }

    fn money(&self, name: &str) -> Option<Price> {
        match self.number(name)? {
            Number::Money(money) => Some(money),
            _ => None,
        }
    }

    fn time(&self, name: &str) -> Option<GoDuration> {
        match self.number(name)? {
            Number::Time(time) => Some(time),
            _ => None,
        }
    }

    fn message(&self, gate: Gate) -> String {
        let settings = self.fleet.settings(self.at);
        match gate {
            Gate::Managed => {
                let pool = self.fleet.nodes[self.at].pool.map(|pool| self.fleet.pools[pool].name);
                let pool = pool.map(|name| self.fleet.snapshot.text(name)).unwrap_or_default();
                format!("pool {pool} made it, and nothing else has plans for it")
            }
            Gate::Priced => {
                format!("costs {}", node_per_hour(self.money("pricePerHour").unwrap_or_default()))
            }
            Gate::Annotated => "nobody marked it or its claim".to_owned(),
            Gate::Pods => self.pods(),
            Gate::Policy => format!("{} allows some move of it", settings.policy.name()),
            Gate::Age => self.times("age", "ready for"),
            Gate::Quiet => self.times("quiet", "no pod came or went for"),
            Gate::Grace if settings.grace_period == DurationOrNever::Never => {
                "no grace period is set".to_owned()
            }
            Gate::Grace => "not evaluated in vain a short while ago".to_owned(),
            Gate::Utilization => self.utilization(),
            Gate::Placement => self.placement(),
            Gate::Price => match (self.money("before"), self.money("after")) {
                (Some(before), Some(Price::ZERO)) => {
                    format!("{} less, nothing comes for it", node_per_hour(before))
                }
                (Some(before), Some(after)) => {
                    format!("costs {}, then {}", node_per_hour(before), node_per_hour(after))
                }
                _ => "its own move is cheaper".to_owned(),
            },
            Gate::Savings => self.savings(),
            Gate::Score => match self.share("score") {
                Some(score) => format!("score {score:.2}"),
                None if settings.policy == Policy::Balanced => "not scored".to_owned(),
                None => "asked under policy Balanced only".to_owned(),
            },
            Gate::Budget => match (self.count("allowed"), self.count("used")) {
                (Some(allowed), used) => format!(
                    "{} at a time allowed, {} in use",
                    counted(allowed.max(0) as usize, "node"),
                    count(used.unwrap_or_default())
                ),
                (None, _) => "no budget limits it now".to_owned(),
            },
            _ => "nothing is known to be unsettled".to_owned(),
        }
    }

    fn pods(&self) -> String {
        let pods = self.count("pods").unwrap_or_default().max(0) as usize;
        match self.count("movable").unwrap_or_default() {
            0 => "no pod has to move".to_owned(),
            1 => format!("1 of {} has to move and may be evicted", counted(pods, "pod")),
            more => {
                format!(
                    "{} of {} have to move and may be evicted",
                    count(more),
                    counted(pods, "pod")
                )
            }
        }
    }

    fn times(&self, name: &str, words: &str) -> String {
        match (self.time(name), self.time("least")) {
            (Some(own), Some(least)) => {
                format!("{words} {}, needs {}", human(own), human(least))
            }
            (Some(own), None) => format!("{words} {}", human(own)),
            (None, _) => "nothing is asked for".to_owned(),
        }
    }

    fn utilization(&self) -> String {
        let used = self.share("utilization").unwrap_or_default();
        let most = self.share("threshold").unwrap_or_default();
        let (own, most_text) = (percent_1(used), percent_1(most));
        if self.fleet.nodes[self.at].is_empty() {
            "empty nodes always pass".to_owned()
        } else if used > most {
            format!("utilization {own} above threshold {most_text}, but it expires soon or drifted")
        } else {
            format!("utilization {own}, threshold {most_text}")
        }
    }

    fn placement(&self) -> String {
        let pods = self.count("pods").map(|pods| pods.max(0) as usize);
        match (pods, self.count("newNodes").unwrap_or_default()) {
            (Some(0), _) => "no pod needs a place".to_owned(),
            (Some(pods), 0) => {
                let fit = if pods == 1 { "fits" } else { "fit" };
                format!("{} {fit} on other nodes", counted(pods, "pod"))
            }
            (Some(pods), new) => {
                let fit = if pods == 1 { "fits" } else { "fit" };
                let new = counted(new.max(0) as usize, "new node");
                format!("{} {fit} with {new}", counted(pods, "pod"))
            }
            (None, _) => "every pod has a place".to_owned(),
        }
    }

    fn savings(&self) -> String {
        let cents = |price: Price| price.dollars() * 100.0;
        match (self.money("savings"), self.money("required")) {
            (Some(savings), Some(required)) => format!(
                "savings {:.1} cents/hr, required {:.1} cents/hr (disruption_cost={:.1})",
                cents(savings),
                cents(required),
                self.share("disruptionCost").unwrap_or_default()
            ),
            _ => "its own move saves enough".to_owned(),
        }
    }
}
