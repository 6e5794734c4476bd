//! Values without parts: what they may be, in a pattern for editors and in a function for us.

use restow_catalog::nearest;
use restow_model::{Cron, GoDuration, Price, Quantity, Time};
use serde_json::Value;

use crate::form::Scalar;

/// What is wrong with a value, in words; nothing if it may be what it is.
pub(crate) fn check(scalar: Scalar, value: &Value) -> Result<(), String> {
    let wrong = |expected: &str| format!("expected {expected}, got {}", shown(value));
    let text = || value.as_str().ok_or_else(|| quoted(scalar.expected().as_str(), value));
    match scalar {
        Scalar::Text => text().map(|_| ()),
        Scalar::Name => {
            is_name(text()?).then_some(()).ok_or_else(|| wrong(scalar.expected().as_str()))
        }
        Scalar::Words(all) => {
            let given = text()?;
            if all.contains(&given) {
                return Ok(());
            }
            Err(match nearest(given, all.iter().copied(), 1).first() {
                // A long list would bury what was meant.
                Some(near) if all.len() > 6 => {
                    format!("there is no {given:?}; did you mean {near}?")
                }
                Some(near) => format!("{}; did you mean {near}?", wrong(&scalar.expected())),
                None => wrong(&scalar.expected()),
            })
        }
        Scalar::Duration => duration(value).map(|_| ()),
        Scalar::Time => text()?.parse::<Time>().map(|_| ()).map_err(|error| error.to_string()),
        Scalar::Quantity => {
            let quantity = plain(value).and_then(|text| text.parse::<Quantity>().ok());
            let fits = quantity.is_some_and(|own| (0..1 << 56).contains(&own.value_up()));
            fits.then_some(()).ok_or_else(|| wrong(&scalar.expected()))
        }
        Scalar::Share => share(value).map(|_| ()).ok_or_else(|| wrong(&scalar.expected())),
        Scalar::Price => price(value).map(|_| ()).ok_or_else(|| wrong(&scalar.expected())),
        Scalar::CountOrPercent => {
            let percent =
                |text: &str| text.strip_suffix('%').is_some_and(|n| n.parse::<u32>().is_ok());
            let fits = value.as_u64().is_some() || value.as_str().is_some_and(percent);
            fits.then_some(()).ok_or_else(|| wrong(&scalar.expected()))
        }
        Scalar::Cron => text()?.parse::<Cron>().map(|_| ()).map_err(|error| error.to_string()),
        Scalar::Integer { least, most } => {
            let fits = value.as_i64().is_some_and(|own| (least..=most).contains(&own));
            fits.then_some(()).ok_or_else(|| wrong(&scalar.expected()))
        }
        Scalar::Number { least } => {
            let fits = value.as_f64().is_some_and(|own| own >= least);
            fits.then_some(()).ok_or_else(|| wrong(&scalar.expected()))
        }
        Scalar::Boolean => {
            value.is_boolean().then_some(()).ok_or_else(|| wrong(&scalar.expected()))
        }
        Scalar::True => {
            (*value == Value::Bool(true)).then_some(()).ok_or_else(|| wrong(&scalar.expected()))
        }
    }
}

impl Scalar {
    /// For people: "expected …".
    pub(crate) fn expected(self) -> String {
        let fixed = match self {
            Self::Text => "text",
            Self::Name => "a name of small letters, digits, dots and dashes",
            Self::Words(all) => return or(all),
            Self::Duration => "a duration such as 45s, 1h30m or 7d",
            Self::Time => "a time such as 2026-11-15T12:00:00Z",
            Self::Quantity => "an amount such as 2, 500m or 16Gi",
            Self::Share => "a share such as 2% or 0.02",
            Self::Price => "dollars per hour such as 0.0864",
            Self::CountOrPercent => "a whole number or a percentage such as 25%",
            Self::Cron => "a schedule such as */5 * * * *",
            Self::Integer { least, most } => {
                return format!("a whole number from {least} to {most}");
            }
            Self::Number { least } if least > f64::MIN => {
                return format!("a number of {least} or more");
            }
            Self::Number { .. } => "a number",
            Self::Boolean => "true or false",
            Self::True => "true",
        };
        fixed.to_owned()
    }
}

/// `a, b or c`.
pub(crate) fn or(words: &[&str]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [some @ .., last] => format!("{} or {last}", some.join(", ")),
    }
}

/// A value as an error shows it.
pub(crate) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) if text.chars().count() > 60 => {
            format!("{:?}…", text.chars().take(60).collect::<String>())
        }
        other => other.to_string(),
    }
}

/// YAML reads `1.10` and `yes` as a number and a switch; where text is meant, that is said.
fn quoted(expected: &str, value: &Value) -> String {
    let hint = if value.is_number() || value.is_boolean() { ": put it in quotes" } else { "" };
    format!("expected {expected}, got {}{hint}", shown(value))
}

fn is_name(text: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.len() <= 200
        && text.starts_with(inner)
        && text.ends_with(inner)
        && text.chars().all(|c| inner(c) || c == '-' || c == '.')
}

/// Text, or a number as text.
pub(crate) fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Go's notation, with days before it.
pub(crate) fn duration(value: &Value) -> Result<GoDuration, String> {
    let wrong = || format!("expected {}, got {}", Scalar::Duration.expected(), shown(value));
    let text = match value {
        Value::String(text) => text.as_str(),
        Value::Number(number) if number.as_i64() == Some(0) => "0",
        _ => return Err(wrong()),
    };
    let (days, rest) = match text.split_once('d') {
        Some((days, rest)) if days.bytes().all(|byte| byte.is_ascii_digit()) => {
            (days.parse::<u32>().map_err(|_| wrong())?, rest)
        }
        _ => (0, text),
    };
    let days = GoDuration::from_seconds(i64::from(days) * 86_400);
    let rest = if rest.is_empty() && days > GoDuration::ZERO {
        GoDuration::ZERO
    } else {
        rest.parse::<GoDuration>().map_err(|_| wrong())?
    };
    let whole = days + rest;
    // A hundred years: whatever is added to it stays far from the end of time.
    let fits = rest >= GoDuration::ZERO && whole <= GoDuration::from_seconds(36_500 * 86_400);
    fits.then_some(whole).ok_or_else(wrong)
}

/// From 0 to 1.
pub(crate) fn share(value: &Value) -> Option<f64> {
    let share = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => {
            let digits = text.strip_suffix('%')?;
            let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            digits.parse::<f64>().ok().filter(|_| plain)? / 100.0
        }
        _ => return None,
    };
    (0.0..=1.0).contains(&share).then_some(share)
}

/// Not below zero, and not so much that a fleet of them overflows.
pub(crate) fn price(value: &Value) -> Option<Price> {
    let price = plain(value)?.parse::<Price>().ok()?;
    (Price::ZERO..=Price::from_nanos(1_000_000_000_000_000)).contains(&price).then_some(price)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn durations_have_days() {
        for (text, seconds) in
            [("7d", 604_800), ("1d12h", 129_600), ("90s", 90), ("0", 0), ("0s", 0)]
        {
            assert_eq!(duration(&json!(text)), Ok(GoDuration::from_seconds(seconds)), "{text}");
        }
        assert_eq!(duration(&json!(0)), Ok(GoDuration::ZERO));
        for bad in [
            json!("d"),
            json!("-1h"),
            json!("1w"),
            json!("99999999d"),
            json!("1d-1h"),
            json!(5),
            json!(""),
        ] {
            assert!(duration(&bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn shares_are_percentages_or_parts_of_one() {
        assert_eq!(share(&json!("2%")), Some(0.02));
        assert_eq!(share(&json!(0.02)), Some(0.02));
        for bad in [json!("2"), json!("101%"), json!(1.5), json!("-1%"), json!("%"), json!("NaN%")]
        {
            assert_eq!(share(&bad), None, "{bad}");
        }
    }

    #[test]
    fn what_yaml_reads_as_something_else_is_said() {
        assert_eq!(
            check(Scalar::Text, &json!(1.1)).unwrap_err(),
            "expected text, got 1.1: put it in quotes"
        );
    }
}
