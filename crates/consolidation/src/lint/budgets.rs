//! Disruption budgets of pools that do something else than they seem to.

use restow_model::{DisruptionReason, DurationOrNever};

use super::{Finding, Object, Problem, Severity};
use crate::budget;
use crate::fleet::Fleet;

pub(super) fn find(fleet: &Fleet<'_>, found: &mut Vec<Finding>) {
    for (at, pool) in fleet.pools.iter().enumerate() {
        let settings = &pool.resolved.settings;
        let mut say = |severity, problem| {
            found.push(Finding::new(severity, Object::Pool(at), problem));
        };
        if settings.consolidate_after == DurationOrNever::Never {
            continue;
        }
        let rules = &settings.budgets;
        if rules.is_empty() {
            say(Severity::Note, Problem::BudgetsUnlimited);
        }
        for rule in rules {
            if rule.reasons.as_ref().is_some_and(Vec::is_empty) {
                say(Severity::Warning, Problem::BudgetForNothing);
            }
            let Some(schedule) = &rule.schedule else { continue };
            match &schedule.cron {
                None => {
                    let schedule = schedule.text.clone();
                    say(Severity::Error, Problem::BudgetUnreadable { schedule });
                }
                Some(cron) if cron.next_after(fleet.now).is_none() => {
                    let schedule = schedule.text.clone();
                    say(Severity::Error, Problem::BudgetNeverComes { schedule });
                }
                Some(_) => {}
            }
        }
        let always: Vec<_> = rules.iter().filter(|rule| rule.schedule.is_none()).collect();
        let closed = always.iter().any(|rule| {
            budget::resolve(rule.nodes, pool.counted_nodes.max(1)) == 0
                && rule.is_about(DisruptionReason::Underutilized)
                && !rule.is_switch()
        });
        if closed {
            say(Severity::Warning, Problem::BudgetsNeverAllow);
        } else if !rules.is_empty()
            && !always.iter().any(|rule| rule.is_about(DisruptionReason::Underutilized))
        {
            say(Severity::Warning, Problem::BudgetGaps);
        }
    }
}
