//! The sentence of each finding.

use restow_consolidation::Fleet;
use restow_consolidation::lint::{Finding, Object, Problem};
use restow_model::CountOrPercent;

use crate::reason::{human, tell};
use crate::units::{counted, grouped, percent};

/// One sentence without a capital or a full stop.
pub(super) fn message(fleet: &Fleet<'_>, finding: &Finding) -> String {
    match &finding.problem {
        Problem::Blocks(reason) => tell(fleet.snapshot, reason).message,
        Problem::PdbNeverAllows { pods } => {
            format!(
                "{} of {} never lets one go",
                asks(fleet, finding.object),
                counted(*pods, "pod")
            )
        }
        Problem::PdbHeldByUnhealthy { unhealthy, pods } => format!(
            "{} of {} {} not ready, and it does not even let those go",
            grouped(*unhealthy as u128),
            counted(*pods, "pod"),
            if *unhealthy == 1 { "is" } else { "are" }
        ),
        Problem::PdbSelectsNothing => "selects no pod, so it protects nothing".to_owned(),
        Problem::PdbsOverlap { pods } => format!(
            "{} {} under more than one PodDisruptionBudget, which the API refuses to evict",
            counted(*pods, "pod"),
            if *pods == 1 { "is" } else { "are" }
        ),
        Problem::BudgetsNeverAllow => "its budgets never allow any node to go".to_owned(),
        Problem::BudgetUnreadable { schedule } => format!(
            "the schedule {schedule:?} of a budget cannot be read, which allows no node for any reason"
        ),
        Problem::BudgetNeverComes { schedule } => {
            format!(
                "the schedule {schedule:?} of a budget never comes, and such a budget always applies"
            )
        }
        Problem::BudgetForNothing => {
            "a budget with an empty list of reasons applies to nothing".to_owned()
        }
        Problem::BudgetsUnlimited => {
            "an empty list of budgets does not limit how many nodes go at a time".to_owned()
        }
        Problem::BudgetGaps => {
            "outside of the schedules of its budgets nothing limits how many nodes go at a time"
                .to_owned()
        }
        Problem::InvalidSetting(fault) => {
            format!("is not consolidated: {}: {}", fault.field, fault.problem)
        }
        Problem::UselessMark { value } => {
            let known = match finding.object {
                Object::Node(_) => "\"true\"",
                _ => "\"true\" or a duration",
            };
            format!("karpenter.sh/do-not-disrupt: {value:?} protects nothing: only {known} does")
        }
        Problem::DaemonsDominate { share } => format!(
            "daemon pods make up {} of what its nodes must save, although they move nowhere",
            percent(*share)
        ),
        Problem::GraceIgnored => {
            "its consolidationGracePeriod is ignored: its number of nodes is fixed".to_owned()
        }
        Problem::NoPrice { nodes } => format!(
            "{} {} no price and {} left alone",
            counted(*nodes, "node"),
            if *nodes == 1 { "has" } else { "have" },
            if *nodes == 1 { "is" } else { "are" }
        ),
        Problem::QuietLongerThanLife { quiet, life } => format!(
            "needs {} of quiet, but its nodes live for {} only",
            human(*quiet),
            human(*life)
        ),
    }
}

/// `minAvailable: 100%`, as it is written.
fn asks(fleet: &Fleet<'_>, object: Object) -> String {
    let Object::Pdb(at) = object else { return String::new() };
    let own = &fleet.snapshot.pod_disruption_budgets[at];
    match (own.max_unavailable, own.min_available) {
        (Some(most), _) => format!("maxUnavailable: {}", written(most)),
        (None, Some(least)) => format!("minAvailable: {}", written(least)),
        (None, None) => "it".to_owned(),
    }
}

fn written(count: CountOrPercent) -> String {
    match count {
        CountOrPercent::Count(count) => count.to_string(),
        CountOrPercent::Percent(percent) => format!("{percent}%"),
    }
}
