//! Reading one setting: text, or for structured ones a value that someone else has read from YAML.

use restow_model::{DurationOrNever, GoDuration, NodeCount, Policy, Price};
use restow_scheduling::Preferences;

use super::rules::{Headroom, RateBudget, Window, Written, WrittenBudget};
use super::{DaemonCost, Mode, Name, Profile, Scheduler, Search, Settings, Steering, TightMoves};

/// A value as it was given.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Text.
    Text(String),
    /// Budgets of nodes.
    Budgets(Vec<WrittenBudget>),
    /// Rates of evictions.
    Rates(Vec<RateBudget>),
    /// Windows.
    Windows(Vec<Window>),
}

impl Name {
    /// Whether its value is YAML, which this crate does not read.
    pub const fn is_structured(self) -> bool {
        matches!(self, Self::Budgets | Self::RateBudgets | Self::Windows)
    }
}

/// A value that a setting cannot have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {problem}")]
pub struct SettingError {
    /// The setting.
    pub name: Name,
    /// What is wrong.
    pub problem: String,
}

fn choose<T: Copy>(all: &[T], text: fn(T) -> &'static str, given: &str) -> Result<T, String> {
    all.iter().copied().find(|own| text(*own) == given).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|own| text(*own)).collect();
        format!("expected one of {}, got {given:?}", names.join(", "))
    })
}

fn switch(given: &str) -> Result<bool, String> {
    match given {
        "on" | "true" => Ok(true),
        "off" | "false" => Ok(false),
        _ => Err(format!("expected on or off, got {given:?}")),
    }
}

fn by_policy(given: &str) -> Result<Option<bool>, String> {
    if given == "policy" { Ok(None) } else { switch(given).map(Some) }
}

fn duration(given: &str) -> Result<GoDuration, String> {
    // Days are not Go's, but people write them.
    let days = given.strip_suffix('d').and_then(|days| days.parse::<i64>().ok());
    let read = match days {
        Some(days) if days >= 0 => Ok(GoDuration::from_seconds(days.saturating_mul(86_400))),
        _ => given.parse::<GoDuration>().map_err(|error| error.to_string()),
    }?;
    if read < GoDuration::ZERO {
        Err(format!("expected no time less than 0s, got {given:?}"))
    } else {
        Ok(read)
    }
}

fn duration_or_off(given: &str) -> Result<Option<GoDuration>, String> {
    if given == "off" || given == "unset" { Ok(None) } else { duration(given).map(Some) }
}

fn never(given: &str) -> Result<DurationOrNever, String> {
    given.parse::<DurationOrNever>().map_err(|error| error.to_string())
}

fn number(given: &str, least: f64, most: f64) -> Result<f64, String> {
    match given.parse::<f64>() {
        Ok(value) if value >= least && value <= most => Ok(value),
        _ if most.is_finite() => {
            Err(format!("expected a number from {least} to {most}, got {given:?}"))
        }
        _ => Err(format!("expected a number of {least} or more, got {given:?}")),
    }
}

fn count(given: &str, least: u32) -> Result<u32, String> {
    match given.parse::<u32>() {
        Ok(value) if value >= least => Ok(value),
        _ => Err(format!("expected a whole number of {least} or more, got {given:?}")),
    }
}

/// Cents, by the pattern of the seed: `^[0-9]+(\.[0-9]+)?$`.
fn cents(given: &str) -> Result<Price, String> {
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let (whole, fraction) = given.split_once('.').unwrap_or((given, "0"));
    if !digits(whole) || !digits(fraction) {
        return Err(format!("expected cents such as 1 or 0.5, got {given:?}"));
    }
    let cents: Price = given.parse().map_err(|error| format!("{error}"))?;
    Ok(cents.times_millionths(10_000))
}

fn percent(given: &str) -> Result<u8, String> {
    match Written::Text(given.to_owned()).count() {
        Ok(NodeCount::Percent(percent)) => Ok(percent),
        _ => Err(format!("expected a percentage such as 30%, got {given:?}")),
    }
}

/// `10%/1h`, the short form of one rate.
fn rates(given: &str) -> Result<Vec<RateBudget>, String> {
    if given == "off" {
        return Ok(Vec::new());
    }
    let wrong = || format!("expected off, or pods per time such as 10%/1h, got {given:?}");
    let (pods, per) = given.split_once('/').ok_or_else(wrong)?;
    let rate = RateBudget { pods: Written::Text(pods.to_owned()), per: per.to_owned() };
    rate.check()?;
    Ok(vec![rate])
}

impl Settings {
    /// Sets one setting.
    pub fn set(&mut self, name: Name, value: &Value) -> Result<(), SettingError> {
        let result = match value {
            Value::Text(text) => self.set_text(name, text.trim()),
            Value::Budgets(budgets) if name == Name::Budgets => {
                let rules = budgets.iter().map(WrittenBudget::rule).collect::<Result<_, _>>();
                rules.map(|rules| self.budgets = rules)
            }
            Value::Rates(rates) if name == Name::RateBudgets => rates
                .iter()
                .try_for_each(RateBudget::check)
                .map(|()| self.rate_budgets.clone_from(rates)),
            Value::Windows(windows) if name == Name::Windows => windows
                .iter()
                .try_for_each(|window| window.schedule().map(|_| ()))
                .map(|()| self.windows.clone_from(windows)),
            Value::Budgets(_) | Value::Rates(_) | Value::Windows(_) => {
                Err("expected plain text".to_owned())
            }
        };
        result.map_err(|problem| SettingError { name, problem })
    }

    fn set_text(&mut self, name: Name, given: &str) -> Result<(), String> {
        match name {
            Name::Mode => self.mode = choose(Mode::ALL, Mode::text, given)?,
            Name::Profile => self.profile = choose(Profile::ALL, Profile::text, given)?,
            Name::ConsolidationPolicy => self.policy = choose(&Policy::ALL, Policy::name, given)?,
            Name::ConsolidateAfter => self.consolidate_after = never(given)?,
            Name::ConsolidationGracePeriod => self.grace_period = never(given)?,
            Name::SavingsThresholdCents => self.savings_threshold = cents(given)?,
            Name::DaemonCost => {
                self.daemon_cost = choose(DaemonCost::ALL, DaemonCost::text, given)?;
            }
            Name::ScaledownUtilizationThreshold => {
                self.utilization_threshold = number(given, 0.0, 1.0)?;
            }
            Name::MinimumNodeLifetime => self.minimum_node_lifetime = duration(given)?,
            Name::StabilizationWindow => self.stabilization_window = duration(given)?,
            Name::PollPeriod => self.poll_period = duration(given)?,
            Name::ValidationWait => self.validation_wait = duration(given)?,
            Name::TtlSecondsAfterEmpty => {
                self.ttl_seconds_after_empty = match given {
                    "unset" => None,
                    _ => Some(i64::from(count(given, 0)?)),
                };
            }
            Name::Emptiness => self.emptiness = by_policy(given)?,
            Name::EmptyThreshold => {
                self.empty_threshold = if given == "unset" { None } else { Some(percent(given)?) };
            }
            Name::MultiNode => self.multi_node = by_policy(given)?,
            Name::MaxParallel => self.max_parallel = count(given, 1)?,
            Name::SingleNode => self.single_node = by_policy(given)?,
            Name::BalancedK => {
                let k = number(given, 0.0, f64::INFINITY)?;
                if k <= 0.0 || !k.is_finite() {
                    return Err(format!("expected a number above 0, got {given:?}"));
                }
                self.balanced_k = k;
            }
            Name::SpotToSpot => self.spot_to_spot = switch(given)?,
            Name::SpotFlexibility => self.spot_flexibility = count(given, 1)?,
            Name::MinimumSavingsPercent => {
                self.minimum_savings_percent = number(given.trim_end_matches('%'), 0.0, 100.0)?;
            }
            Name::DestinationMinimumLifetime => {
                self.destination_minimum_lifetime = duration(given)?;
            }
            Name::MaxReplacements => self.max_replacements = count(given, 0)?,
            Name::WorkloadFloor => self.workload_floor = switch(given)?,
            Name::MinimumPodDwell => self.minimum_pod_dwell = duration_or_off(given)?,
            Name::RateBudgets => self.rate_budgets = rates(given)?,
            Name::Headroom => {
                self.headroom =
                    if given == "off" { Headroom::default() } else { Headroom::parse(given)? };
            }
            Name::Payback => self.payback = duration_or_off(given)?,
            Name::CoolDown => self.cool_down = duration(given)?,
            Name::PeerRules => self.peer_rules = switch(given)?,
            Name::TightMoves => {
                self.tight_moves = choose(TightMoves::ALL, TightMoves::text, given)?;
            }
            Name::Search => self.search = choose(Search::ALL, Search::text, given)?,
            Name::Effort => {
                self.effort =
                    given.parse().map_err(|_| format!("expected a whole number, got {given:?}"))?;
            }
            Name::Deadline => self.deadline = duration(given)?,
            Name::Scheduler => self.scheduler = choose(Scheduler::ALL, Scheduler::text, given)?,
            Name::Preferences => {
                self.preferences = match given {
                    "respect" => Preferences::Respect,
                    "ignore" => Preferences::Ignore,
                    _ => return Err(format!("expected respect or ignore, got {given:?}")),
                };
            }
            Name::Steering => self.steering = choose(Steering::ALL, Steering::text, given)?,
            Name::Catalog => self.catalog = Some(given.to_owned()),
            Name::NodeFee => {
                let fee: Price = given.parse().map_err(|error| format!("{error}"))?;
                if fee < Price::ZERO {
                    return Err(format!("expected no fee below 0, got {given:?}"));
                }
                self.node_fee = fee;
            }
            Name::Discounts => self.discounts = Some(given.to_owned()),
            Name::PriceMaxAge => self.price_max_age = duration(given)?,
            Name::Windows if given == "off" => self.windows = Vec::new(),
            Name::Budgets | Name::Windows => {
                return Err(format!("expected YAML in the shape of the spec, got {given:?}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: Name, text: &str) -> Result<Settings, String> {
        let mut settings = Settings::default();
        settings
            .set(name, &Value::Text(text.to_owned()))
            .map(|()| settings)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_read_as_what_they_are() {
        for name in Name::ALL {
            if matches!(name, Name::Budgets | Name::Catalog | Name::Discounts) {
                continue;
            }
            let read = set(*name, name.default_text()).unwrap();
            assert_eq!(read, Settings::default(), "{name}");
        }
    }

    /// Seed 000: between 0.0 and 1.0.
    #[test]
    fn the_utilization_threshold_is_a_share() {
        for text in ["0.0", "0.75", "1.0"] {
            set(Name::ScaledownUtilizationThreshold, text).unwrap();
        }
        for text in ["-0.1", "1.01", "75%", "NaN"] {
            let error = set(Name::ScaledownUtilizationThreshold, text).unwrap_err();
            assert!(error.contains("from 0 to 1"), "{error}");
        }
    }

    /// Seed 001: negative values are rejected.
    #[test]
    fn the_savings_threshold_is_not_negative() {
        let cent = set(Name::SavingsThresholdCents, "1").unwrap().savings_threshold;
        assert_eq!(cent, Price::from_nanos(10_000_000));
        for text in ["-1", "1e3", ".5", "5.", ""] {
            assert!(set(Name::SavingsThresholdCents, text).is_err(), "{text}");
        }
    }

    /// Seed 002: a duration or `Never`.
    #[test]
    fn the_grace_period_is_a_duration_or_never() {
        for text in ["30m", "1h", "2h30m", "Never"] {
            set(Name::ConsolidationGracePeriod, text).unwrap();
        }
        for text in ["1d", "-5m", "1.5h", "never"] {
            assert!(set(Name::ConsolidationGracePeriod, text).is_err(), "{text}");
        }
    }

    #[test]
    fn presets_of_profiles_can_be_read() {
        for profile in Profile::ALL {
            for (name, text) in profile.presets() {
                set(*name, text).unwrap();
            }
        }
    }
}
