//! What to paste for a pool: a patch of its spec, an annotation, or a flag where there is no NodePool to change.

use restow_consolidation::lint::Problem;
use restow_consolidation::settings::{BudgetRule, Name, Origin, Schedule, SettingFault, Settings};
use restow_consolidation::{Fleet, Reason, budget};
use restow_model::{DisruptionReason, NodeCount};
use serde_json::{Value, json};

use crate::explain::shell_word;

/// A schedule for whoever has to write one.
const WORKING_HOURS: &str = "0 9 * * mon-fri";

/// What the default budget allows.
const SOME: NodeCount = NodeCount::Percent(10);

/// The fix of a finding about the pool itself.
pub(super) fn fix(fleet: &Fleet<'_>, at: usize, problem: &Problem) -> String {
    let pool = Pool { fleet, at };
    let rules = &pool.settings().budgets;
    match problem {
        Problem::InvalidSetting(fault) => pool.fault(fault),
        Problem::DaemonsDominate { .. } => pool.set(Name::DaemonCost, "none"),
        Problem::GraceIgnored => pool.unset(Name::ConsolidationGracePeriod),
        Problem::QuietLongerThanLife { .. } => pool.set(Name::ConsolidateAfter, "5m"),
        Problem::BudgetsUnlimited => pool.budgets(&[always(SOME)]),
        Problem::BudgetGaps => {
            let mut rules = rules.clone();
            rules.push(always(SOME));
            pool.budgets(&rules)
        }
        Problem::BudgetForNothing => {
            let all = |rule: &BudgetRule| BudgetRule {
                reasons: rule.reasons.clone().filter(|own| !own.is_empty()),
                ..rule.clone()
            };
            pool.budgets(&rules.iter().map(all).collect::<Vec<_>>())
        }
        Problem::BudgetUnreadable { schedule } | Problem::BudgetNeverComes { schedule } => {
            let readable = |rule: &BudgetRule| match &rule.schedule {
                Some(own) if own.text == *schedule => BudgetRule {
                    schedule: Some(Schedule::new(WORKING_HOURS, own.duration)),
                    ..rule.clone()
                },
                _ => rule.clone(),
            };
            let rules: Vec<BudgetRule> = rules.iter().map(readable).collect();
            format!(
                "# with the schedule that you meant: minute hour day month weekday, in UTC\n{}",
                pool.budgets(&rules)
            )
        }
        Problem::BudgetsNeverAllow => {
            let count = fleet.pools[at].counted_nodes.max(1);
            let open = |rule: &BudgetRule| {
                let closed = rule.schedule.is_none()
                    && rule.is_about(DisruptionReason::Underutilized)
                    && budget::resolve(rule.nodes, count) == 0;
                if closed { BudgetRule { nodes: SOME, ..rule.clone() } } else { rule.clone() }
            };
            pool.budgets(&rules.iter().map(open).collect::<Vec<_>>())
        }
        _ => String::new(),
    }
}

/// The fix of a reason that a setting of the pool decides.
pub(super) fn blocker(
    fleet: &Fleet<'_>,
    at: usize,
    reason: &Reason,
    nodes: &[usize],
) -> Option<String> {
    let pool = Pool { fleet, at };
    match reason {
        Reason::ConsolidationOff => Some(pool.set(Name::ConsolidateAfter, "5m")),
        // The widest policy that a stock Karpenter knows as well.
        Reason::PolicyForbids { .. } => {
            Some(pool.set(Name::ConsolidationPolicy, "WhenEmptyOrUnderutilized"))
        }
        Reason::UtilizationAboveThreshold { .. } => {
            let fullest = nodes.iter().map(|node| fleet.nodes[*node].utilization.average);
            let most = fullest.fold(0.0, f64::max);
            let text = ((most * 100.0).ceil() / 100.0).min(1.0).to_string();
            Some(pool.set(Name::ScaledownUtilizationThreshold, &text))
        }
        Reason::InGracePeriod { .. } => Some(pool.set(Name::ConsolidationGracePeriod, "Never")),
        _ => None,
    }
}

fn always(nodes: NodeCount) -> BudgetRule {
    BudgetRule { nodes, reasons: None, schedule: None }
}

struct Pool<'a> {
    fleet: &'a Fleet<'a>,
    at: usize,
}

impl<'a> Pool<'a> {
    fn settings(&self) -> &'a Settings {
        &self.fleet.pools[self.at].resolved.settings
    }

    fn name(&self) -> &'a str {
        self.fleet.snapshot.text(self.fleet.pools[self.at].name)
    }

    fn origin(&self, name: Name) -> Origin {
        self.fleet.pools[self.at].resolved.origin(name)
    }

    /// Whether there is a NodePool that can be changed.
    fn is_object(&self) -> bool {
        let pool = &self.fleet.pools[self.at];
        pool.at.is_some() && !pool.group
    }

    fn annotate(&self, words: &str) -> String {
        format!("kubectl annotate nodepool {} --overwrite {words}", self.name())
    }

    fn patch(&self, disruption: &Value) -> String {
        let patch = json!({"spec": {"disruption": disruption}}).to_string();
        format!("kubectl patch nodepool {} --type merge -p {}", self.name(), shell_word(&patch))
    }

    /// The field of the spec that a setting is read from; ours are there only where our CRD is.
    fn field(&self, name: Name) -> Option<&'static str> {
        let ours = self.origin(name) == Origin::Spec;
        match name {
            Name::ConsolidateAfter => Some("consolidateAfter"),
            Name::ConsolidationPolicy => Some("consolidationPolicy"),
            Name::Budgets => Some("budgets"),
            Name::ConsolidationGracePeriod if ours => Some("consolidationGracePeriod"),
            Name::SavingsThresholdCents if ours => Some("consolidationSavingsThresholdCents"),
            Name::TtlSecondsAfterEmpty if ours => Some("ttlSecondsAfterEmpty"),
            _ => None,
        }
    }

    fn set(&self, name: Name, text: &str) -> String {
        let value = json!(text);
        self.write(name, text, &value)
    }

    /// Where the value comes from now is where it is changed: an annotation beats the spec.
    fn write(&self, name: Name, text: &str, value: &Value) -> String {
        let annotated = self.origin(name) == Origin::Annotation;
        match self.field(name).filter(|_| !annotated) {
            _ if !self.is_object() => format!("restow lint --{name} {}", shell_word(text)),
            Some(field) => self.patch(&json!({field: value})),
            None => self.annotate(&format!("restow.dev/{name}={}", shell_word(text))),
        }
    }

    fn unset(&self, name: Name) -> String {
        match self.field(name).filter(|_| self.origin(name) == Origin::Spec) {
            Some(field) => self.patch(&json!({field: null})),
            None => format!("kubectl annotate nodepool {} restow.dev/{name}-", self.name()),
        }
    }

    fn budgets(&self, rules: &[BudgetRule]) -> String {
        let settings = Settings { budgets: rules.to_vec(), ..Settings::default() };
        let all: Vec<Value> = rules.iter().map(budget_value).collect();
        self.write(Name::Budgets, &settings.show(Name::Budgets), &json!(all))
    }

    fn fault(&self, fault: &SettingFault) -> String {
        if fault.field == "ttlSecondsAfterEmpty" {
            let name = Name::TtlSecondsAfterEmpty;
            let flag = !self.is_object() || self.origin(name) < Origin::Spec;
            return if flag { format!("# leave out --{name}") } else { self.unset(name) };
        }
        let Some(given) = fault.field.strip_prefix("restow.dev/") else {
            return format!("# correct {} of NodePool {}", fault.field, self.name());
        };
        let remove = format!("kubectl annotate nodepool {} {}-", self.name(), fault.field);
        // A name that is misspelled keeps its value under the right one.
        let pool = self.fleet.pools[self.at].at.map(|at| &self.fleet.snapshot.node_pools[at]);
        let value = pool
            .and_then(|own| own.meta.annotations.text(&fault.field, &self.fleet.snapshot.strings));
        let meant = given.parse::<Name>().err().and_then(|error| error.nearest);
        match (meant, value) {
            (Some(name), Some(value)) => {
                format!("{remove} restow.dev/{name}={}", shell_word(value))
            }
            _ => remove,
        }
    }
}

/// A budget in the shape of the spec.
fn budget_value(rule: &BudgetRule) -> Value {
    let nodes = match rule.nodes {
        NodeCount::Count(count) => count.to_string(),
        NodeCount::Percent(percent) => format!("{percent}%"),
    };
    let mut value = json!({"nodes": nodes});
    if let Some(reasons) = &rule.reasons {
        value["reasons"] = json!(reasons);
    }
    if let Some(schedule) = &rule.schedule {
        value["schedule"] = json!(schedule.text);
        value["duration"] = json!(schedule.duration.to_string());
    }
    value
}
