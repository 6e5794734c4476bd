//! Settings as text: what `restow config` prints, in the words in which they would be set.

use restow_model::{DisruptionReason, GoDuration};
use restow_scheduling::Preferences;

use super::rules::duration_text;
use super::{BudgetRule, Name, Settings, count_text};

fn switch(on: bool) -> String {
    if on { "on" } else { "off" }.to_owned()
}

fn by_policy(value: Option<bool>) -> String {
    value.map_or_else(|| "policy".to_owned(), switch)
}

fn or_off(value: Option<GoDuration>) -> String {
    value.map_or_else(|| "off".to_owned(), duration_text)
}

fn or(text: &str, value: Option<String>) -> String {
    value.unwrap_or_else(|| text.to_owned())
}

fn reason_text(reason: DisruptionReason) -> &'static str {
    match reason {
        DisruptionReason::Underutilized => "Underutilized",
        DisruptionReason::Empty => "Empty",
        DisruptionReason::Drifted => "Drifted",
    }
}

/// A budget as one line of YAML.
fn budget_text(rule: &BudgetRule) -> String {
    let mut parts = vec![format!("nodes: {}", count_text(rule.nodes))];
    if let Some(reasons) = &rule.reasons {
        let names: Vec<&str> = reasons.iter().map(|reason| reason_text(*reason)).collect();
        parts.push(format!("reasons: [{}]", names.join(", ")));
    }
    if let Some(schedule) = &rule.schedule {
        parts.push(format!("schedule: \"{}\"", schedule.text));
        parts.push(format!("duration: {}", duration_text(schedule.duration)));
    }
    format!("{{{}}}", parts.join(", "))
}

impl Settings {
    /// The value of one setting, as it would be written.
    pub fn show(&self, name: Name) -> String {
        let list = |parts: Vec<String>| format!("[{}]", parts.join(", "));
        match name {
            Name::Mode => self.mode.text().to_owned(),
            Name::Profile => self.profile.text().to_owned(),
            Name::ConsolidationPolicy => self.policy.name().to_owned(),
            Name::ConsolidateAfter => self.consolidate_after.to_string(),
            Name::ConsolidationGracePeriod => self.grace_period.to_string(),
            Name::SavingsThresholdCents => {
                let cents = self.savings_threshold.dollars() * 100.0;
                format!("{}", (cents * 1e7).round() / 1e7)
            }
            Name::DaemonCost => self.daemon_cost.text().to_owned(),
            Name::ScaledownUtilizationThreshold => self.utilization_threshold.to_string(),
            Name::MinimumNodeLifetime => duration_text(self.minimum_node_lifetime),
            Name::StabilizationWindow => duration_text(self.stabilization_window),
            Name::PollPeriod => duration_text(self.poll_period),
            Name::ValidationWait => duration_text(self.validation_wait),
            Name::TtlSecondsAfterEmpty => {
                or("unset", self.ttl_seconds_after_empty.map(|seconds| seconds.to_string()))
            }
            Name::Emptiness => by_policy(self.emptiness),
            Name::EmptyThreshold => {
                or("unset", self.empty_threshold.map(|percent| format!("{percent}%")))
            }
            Name::MultiNode => by_policy(self.multi_node),
            Name::MaxParallel => self.max_parallel.to_string(),
            Name::SingleNode => by_policy(self.single_node),
            Name::Budgets => list(self.budgets.iter().map(budget_text).collect()),
            Name::BalancedK => self.balanced_k.to_string(),
            Name::SpotToSpot => self.spot_to_spot.to_string(),
            Name::SpotFlexibility => self.spot_flexibility.to_string(),
            Name::MinimumSavingsPercent => self.minimum_savings_percent.to_string(),
            Name::DestinationMinimumLifetime => duration_text(self.destination_minimum_lifetime),
            Name::MaxReplacements => self.max_replacements.to_string(),
            Name::WorkloadFloor => switch(self.workload_floor),
            Name::MinimumPodDwell => or_off(self.minimum_pod_dwell),
            Name::RateBudgets if self.rate_budgets.is_empty() => "off".to_owned(),
            Name::RateBudgets => {
                let text = |rate: &super::RateBudget| {
                    let pods = rate.pods.count().map(count_text).unwrap_or_default();
                    format!("{{pods: {pods}, per: {}}}", rate.per)
                };
                list(self.rate_budgets.iter().map(text).collect())
            }
            Name::Windows if self.windows.is_empty() => "off".to_owned(),
            Name::Windows => {
                let text = |window: &super::Window| {
                    let deny = if window.deny { ", deny: true" } else { "" };
                    format!(
                        "{{schedule: \"{}\", duration: {}{deny}}}",
                        window.schedule, window.duration
                    )
                };
                list(self.windows.iter().map(text).collect())
            }
            Name::Headroom => self.headroom.to_string(),
            Name::Payback => or_off(self.payback),
            Name::CoolDown => duration_text(self.cool_down),
            Name::PeerRules => switch(self.peer_rules),
            Name::TightMoves => self.tight_moves.text().to_owned(),
            Name::Search => self.search.text().to_owned(),
            Name::Effort => self.effort.to_string(),
            Name::Deadline => duration_text(self.deadline),
            Name::Scheduler => self.scheduler.text().to_owned(),
            Name::Preferences => match self.preferences {
                Preferences::Respect => "respect".to_owned(),
                Preferences::Ignore => "ignore".to_owned(),
            },
            Name::Steering => self.steering.text().to_owned(),
            Name::Catalog => or("by provider", self.catalog.clone()),
            Name::NodeFee => self.node_fee.dollars().to_string(),
            Name::Discounts => or("none", self.discounts.clone()),
            Name::PriceMaxAge => duration_text(self.price_max_age),
        }
    }
}
