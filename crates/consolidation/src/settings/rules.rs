//! Structured settings: budgets, rates, windows and headroom, as values of their own that need no table of names.

use std::fmt;

use restow_model::{
    Budget, Cron, DisruptionReason, DurationOrNever, GoDuration, NodeCount, Strings, Time,
};
use serde::{Deserialize, Serialize};

/// When a rule applies: from each hit of a cron schedule for a while, in UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// The schedule as it is written.
    pub text: String,
    /// The schedule, or `None` if it cannot be read.
    pub cron: Option<Cron>,
    /// How long it applies each time.
    pub duration: GoDuration,
}

impl Schedule {
    /// Reads a schedule; one that cannot be read is kept as such.
    pub fn new(text: &str, duration: GoDuration) -> Self {
        Self { text: text.to_owned(), cron: Cron::parse(text).ok(), duration }
    }

    /// Whether it applies now; `None` if it cannot be read.
    pub fn is_active(&self, now: Time) -> Option<bool> {
        self.cron.as_ref().map(|cron| cron.is_active(now, self.duration))
    }
}

/// How many nodes of a pool may be disrupted at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetRule {
    /// The number.
    pub nodes: NodeCount,
    /// For which reasons; `None` means all, an empty list none.
    pub reasons: Option<Vec<DisruptionReason>>,
    /// When it applies; `None` for always.
    pub schedule: Option<Schedule>,
}

impl BudgetRule {
    /// The rule of a pool's spec.
    pub fn of_spec(budget: &Budget, strings: &Strings) -> Self {
        let text = strings.text(budget.schedule);
        Self {
            nodes: budget.nodes,
            reasons: budget.reasons.clone(),
            schedule: (!text.is_empty())
                .then(|| Schedule::new(text, budget.duration.unwrap_or_default())),
        }
    }

    /// Whether it has something to say about a reason.
    pub fn is_about(&self, reason: DisruptionReason) -> bool {
        self.reasons.as_ref().is_none_or(|reasons| reasons.contains(&reason))
    }

    /// The one budget by which a pool says that Karpenter's own consolidation is off.
    pub fn is_switch(&self) -> bool {
        let both = [DisruptionReason::Underutilized, DisruptionReason::Empty];
        self.nodes == NodeCount::Count(0)
            && self.schedule.is_none()
            && self
                .reasons
                .as_ref()
                .is_some_and(|own| own.len() == 2 && both.iter().all(|reason| own.contains(reason)))
    }
}

/// A budget as it is written in a setting.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WrittenBudget {
    /// A number or a percentage.
    #[serde(default = "ten_percent")]
    pub nodes: Written,
    /// For which reasons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasons: Option<Vec<DisruptionReason>>,
    /// When, in cron notation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schedule: Option<String>,
    /// For how long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<String>,
}

fn ten_percent() -> Written {
    Written::Text("10%".to_owned())
}

/// A number, with or without quotes, or a percentage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Written {
    /// A bare number.
    Number(u32),
    /// Text.
    Text(String),
}

impl Written {
    /// As a count or a share.
    pub fn count(&self) -> Result<NodeCount, String> {
        match self {
            Self::Number(number) => Ok(NodeCount::Count(*number)),
            Self::Text(text) => {
                let wrong =
                    || format!("expected a number or a percentage such as 10%, got {text:?}");
                match text.strip_suffix('%') {
                    Some(percent) => match percent.parse() {
                        Ok(percent) if percent <= 100 => Ok(NodeCount::Percent(percent)),
                        _ => Err(wrong()),
                    },
                    None => text.parse().map(NodeCount::Count).map_err(|_| wrong()),
                }
            }
        }
    }
}

impl WrittenBudget {
    /// The rule, or what is wrong with it.
    pub fn rule(&self) -> Result<BudgetRule, String> {
        let schedule = match (&self.schedule, &self.duration) {
            (None, None) => None,
            (Some(text), Some(duration)) => {
                Cron::parse(text).map_err(|error| error.to_string())?;
                let duration =
                    GoDuration::parse_budget(duration).map_err(|error| error.to_string())?;
                Some(Schedule::new(text, duration))
            }
            _ => return Err("expected both a schedule and a duration, or neither".to_owned()),
        };
        Ok(BudgetRule { nodes: self.nodes.count()?, reasons: self.reasons.clone(), schedule })
    }
}

/// How many pods of a pool may be evicted in a while.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RateBudget {
    /// A number or a percentage of the pool's pods.
    pub pods: Written,
    /// The while.
    pub per: String,
}

impl RateBudget {
    /// The most pods of `all` that may be evicted.
    pub fn most(&self, all: usize) -> usize {
        match self.pods.count() {
            Ok(NodeCount::Count(count)) => count as usize,
            Ok(NodeCount::Percent(percent)) => (all * usize::from(percent)).div_ceil(100),
            Err(_) => 0,
        }
    }

    /// The while.
    pub fn period(&self) -> Option<GoDuration> {
        self.per.parse().ok().filter(|period| *period > GoDuration::ZERO)
    }

    /// What is wrong with it.
    pub fn check(&self) -> Result<(), String> {
        self.pods.count()?;
        self.period()
            .map(|_| ())
            .ok_or_else(|| format!("expected a time such as 1h in per, got {:?}", self.per))
    }
}

/// A time in which moves are allowed, or forbidden.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Window {
    /// When it begins, in cron notation, in UTC.
    pub schedule: String,
    /// How long it lasts.
    pub duration: String,
    /// Whether moves are forbidden in it; without it they are allowed in it and forbidden outside of all such.
    #[serde(default)]
    pub deny: bool,
}

impl Window {
    /// What it says, once read.
    pub fn schedule(&self) -> Result<Schedule, String> {
        let cron = Cron::parse(&self.schedule).map_err(|error| error.to_string())?;
        // One that never begins would never allow anything, or forbid nothing: a slip of the pen.
        if cron.next_after(Time::default()).is_none() {
            return Err(format!("schedule {:?} never comes", self.schedule));
        }
        let duration =
            GoDuration::parse_budget(&self.duration).map_err(|error| error.to_string())?;
        Ok(Schedule { text: self.schedule.clone(), cron: Some(cron), duration })
    }
}

/// Room that a pool keeps free, in percent of what its nodes have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Headroom {
    /// Of cpu.
    pub cpu: f64,
    /// Of memory.
    pub memory: f64,
}

impl Headroom {
    /// Reads `cpu=10%,memory=5%`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut room = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let wrong = || format!("expected cpu=10% or memory=10%, got {part:?}");
            let (name, percent) = part.split_once('=').ok_or_else(wrong)?;
            let share: f64 = percent.trim_end_matches('%').parse().map_err(|_| wrong())?;
            if !(0.0..=100.0).contains(&share) {
                return Err(wrong());
            }
            match name {
                "cpu" => room.cpu = share,
                "memory" => room.memory = share,
                _ => return Err(wrong()),
            }
        }
        Ok(room)
    }

    /// Whether nothing has to stay free.
    pub fn is_off(&self) -> bool {
        self.cpu <= 0.0 && self.memory <= 0.0
    }
}

impl fmt::Display for Headroom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.cpu > 0.0, self.memory > 0.0) {
            (false, false) => f.write_str("off"),
            (true, false) => write!(f, "cpu={}%", self.cpu),
            (false, true) => write!(f, "memory={}%", self.memory),
            (true, true) => write!(f, "cpu={}%,memory={}%", self.cpu, self.memory),
        }
    }
}

/// Prints a count or a share as it is written.
pub fn count_text(count: NodeCount) -> String {
    match count {
        NodeCount::Count(count) => count.to_string(),
        NodeCount::Percent(percent) => format!("{percent}%"),
    }
}

/// A duration as settings write it: whole hours, minutes and seconds.
pub(super) fn duration_text(duration: GoDuration) -> String {
    DurationOrNever::After(duration).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headroom_reads_back() {
        let room = Headroom::parse("cpu=10%,memory=5%").unwrap();
        assert_eq!(room.to_string(), "cpu=10%,memory=5%");
        assert!(Headroom::parse("gpu=1%").is_err());
        assert!(Headroom::parse("cpu=120%").is_err());
    }

    #[test]
    fn a_window_that_never_comes_is_refused() {
        let window = Window { schedule: "0 0 31 2 *".into(), duration: "1h".into(), deny: false };
        assert!(window.schedule().unwrap_err().contains("never comes"));
    }

    #[test]
    fn a_written_budget_is_held_to_the_rules_of_the_spec() {
        let budget = |nodes: &str| WrittenBudget {
            nodes: Written::Text(nodes.to_owned()),
            reasons: None,
            schedule: None,
            duration: None,
        };
        assert_eq!(budget("10%").rule().unwrap().nodes, NodeCount::Percent(10));
        assert_eq!(budget("3").rule().unwrap().nodes, NodeCount::Count(3));
        assert!(budget("101%").rule().is_err());
        let half = WrittenBudget { schedule: Some("@daily".into()), ..budget("0") };
        assert!(half.rule().unwrap_err().contains("both"));
    }
}
