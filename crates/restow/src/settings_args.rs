//! Settings on the command line and in the environment: one flag and one variable for each, made of the list of names.

use std::sync::OnceLock;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use restow_catalog::nearest;
use restow_consolidation::settings::{
    Entry, Name, Origin, RateBudget, Settings, Value, Window, Written, WrittenBudget,
};

/// The variable of seed 000, which older installations set.
const OLD_UTILIZATION_THRESHOLD: &str = "SCALE_DOWN_UTILIZATION_THRESHOLD";

/// A setting as somebody wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Given {
    /// The setting.
    pub(crate) name: Name,
    /// What was written.
    text: String,
    /// By a flag or a variable.
    origin: Origin,
    /// The flag or variable, for errors and notes.
    pub(crate) by: String,
}

impl Given {
    /// The value as settings take it, or what is wrong and where.
    pub(crate) fn entry(&self) -> anyhow::Result<Entry> {
        let value = read(self.name, &self.text)
            .map_err(|problem| anyhow::anyhow!("{}: {problem}", self.by))?;
        Ok(Entry { pool: None, name: self.name, value, origin: self.origin })
    }
}

/// Reads a value and checks that the setting may have it.
pub(crate) fn read(name: Name, text: &str) -> Result<Value, String> {
    let value = read_structured(name, text)?;
    Settings::default().set(name, &value).map_err(|error| error.problem)?;
    Ok(value)
}

/// Reads budgets, rates and windows from YAML: a list, or one of them; everything else is text.
pub(crate) fn read_structured(name: Name, text: &str) -> Result<Value, String> {
    let text = text.trim();
    let is_plain = !text.contains([':', '[', '{']);
    match name {
        // `--budgets 10%` and `--budgets 0` say enough.
        Name::Budgets if is_plain && !text.is_empty() => {
            let nodes = Written::Text(text.trim_matches(['"', '\'']).to_owned());
            let budget = WrittenBudget { nodes, reasons: None, schedule: None, duration: None };
            Ok(Value::Budgets(vec![budget]))
        }
        Name::Budgets => list::<WrittenBudget>(text).map(Value::Budgets),
        // `off`, `10%/1h`.
        Name::RateBudgets | Name::Windows if is_plain => Ok(Value::Text(text.to_owned())),
        Name::RateBudgets => list::<RateBudget>(text).map(Value::Rates),
        Name::Windows => list::<Window>(text).map(Value::Windows),
        _ => Ok(Value::Text(text.to_owned())),
    }
}

fn list<T: serde::de::DeserializeOwned>(text: &str) -> Result<Vec<T>, String> {
    let is_one = !text.starts_with(['[', '-']);
    let read = if is_one {
        serde_saphyr::from_str::<T>(text).map(|own| vec![own])
    } else {
        serde_saphyr::from_str::<Vec<T>>(text)
    };
    read.map_err(|error| first_line(&error.to_string()))
}

/// What is wrong with YAML, without the drawing of the place: that is the argument itself.
pub(crate) fn first_line(error: &str) -> String {
    let line = error.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}

/// Settings that [`crate::args::PriceArgs`] takes, with the ids of its fields.
const OF_PRICES: [(Name, &str); 3] =
    [(Name::Catalog, "catalogs"), (Name::NodeFee, "node_fee"), (Name::Discounts, "discounts")];

fn is_of_prices(name: Name) -> bool {
    OF_PRICES.iter().any(|(own, _)| *own == name)
}

/// The variable of each setting, in the order of [`Name::ALL`].
fn variables() -> &'static [String] {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let variable =
            |name: &Name| format!("RESTOW_{}", name.text().to_ascii_uppercase().replace('-', "_"));
        Name::ALL.iter().map(variable).collect()
    })
}

/// The settings that were given.
#[derive(Clone, Debug, Default)]
pub(crate) struct SettingsArgs {
    pub(crate) given: Vec<Given>,
}

impl Args for SettingsArgs {
    fn augment_args(command: Command) -> Command {
        let own = Name::ALL.iter().zip(variables()).filter(|(name, _)| !is_of_prices(**name));
        own.fold(command, |command, (name, variable)| {
            let help = name.help().trim_end_matches('.');
            command.arg(
                Arg::new(name.text())
                    .long(name.text())
                    .value_name("VALUE")
                    .env(variable.as_str())
                    .hide_env(true)
                    .help(format!("{help} [default: {}]", name.default_text()))
                    .help_heading(
                        "Settings (also as RESTOW_NAME, or restow.dev/NAME on a NodePool)",
                    )
                    // All of them would bury the rest of the short help.
                    .hide_short_help(true)
                    .allow_negative_numbers(true),
            )
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for SettingsArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = Vec::new();
        for (name, variable) in Name::ALL.iter().copied().zip(variables()) {
            let id = OF_PRICES.iter().find(|(own, _)| *own == name).map(|(_, id)| *id);
            let found = written(matches, id.unwrap_or(name.text()));
            let old =
                || (name == Name::ScaledownUtilizationThreshold).then(old_threshold).flatten();
            if let Some((text, flag)) = found {
                let (origin, by) = if flag {
                    (Origin::Flag, format!("--{name}"))
                } else {
                    (Origin::Environment, variable.clone())
                };
                given.push(Given { name, text, origin, by });
            } else if let Some(text) = old() {
                let by = OLD_UTILIZATION_THRESHOLD.to_owned();
                given.push(Given { name, text, origin: Origin::Environment, by });
            }
        }
        Ok(Self { given })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Variables that look like ours and are spelled almost like one, with that one. Others may be somebody else's.
pub(crate) fn misspelled() -> Vec<(String, &'static str)> {
    let mut found: Vec<(String, &str)> = std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| name.starts_with("RESTOW_") && !variables().contains(name))
        .filter_map(|name| {
            let near = nearest(&name, variables().iter().map(String::as_str), 1);
            near.first().map(|near| (name, *near))
        })
        .collect();
    found.sort();
    found
}

/// What was written for an argument, and whether on the command line.
fn written(matches: &ArgMatches, id: &str) -> Option<(String, bool)> {
    if !matches.try_contains_id(id).is_ok_and(|there| there) {
        return None;
    }
    let values: Vec<String> =
        matches.try_get_raw(id).ok()??.map(|value| value.to_string_lossy().into_owned()).collect();
    Some((values.join(","), matches.value_source(id)? == ValueSource::CommandLine))
}

fn old_threshold() -> Option<String> {
    std::env::var(OLD_UTILIZATION_THRESHOLD).ok().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structured_settings_are_yaml_in_the_shape_of_the_spec() {
        let Ok(Value::Budgets(two)) =
            read(Name::Budgets, "[{nodes: 10%}, {nodes: \"0\", reasons: [Empty]}]")
        else {
            panic!("two budgets");
        };
        assert_eq!(two.len(), 2);
        for one in ["{nodes: 1}", "nodes: 1", "1", "10%", "- nodes: 1"] {
            let Ok(Value::Budgets(budgets)) = read(Name::Budgets, one) else { panic!("{one}") };
            assert_eq!(budgets.len(), 1, "{one}");
        }
        let windows = "[{schedule: '0 2 * * *', duration: 4h}]";
        assert!(matches!(read(Name::Windows, windows), Ok(Value::Windows(_))));
        assert!(matches!(read(Name::RateBudgets, "10%/1h"), Ok(Value::Text(_))));
        assert!(matches!(read(Name::RateBudgets, "[{pods: 5, per: 1h}]"), Ok(Value::Rates(_))));
    }

    #[test]
    fn what_is_wrong_with_a_value_is_said() {
        for (name, text, expected) in [
            (Name::Budgets, "[{nods: 1}]", "nods"),
            (Name::Budgets, "110%", "percentage"),
            (Name::Windows, "[{schedule: 'x', duration: 4h}]", "x"),
            (Name::SavingsThresholdCents, "-1", "cents"),
        ] {
            let problem = read(name, text).unwrap_err();
            assert!(problem.contains(expected), "{problem}");
        }
    }

    #[test]
    fn variables_are_named_after_their_settings() {
        assert_eq!(
            variables()[Name::SavingsThresholdCents as usize],
            "RESTOW_SAVINGS_THRESHOLD_CENTS"
        );
    }
}
