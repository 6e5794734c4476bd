//! Small words that all views of simulations share.

use restow_model::GoDuration;

use super::distribution::Distribution;
use super::rows::{DecisionRow, SideRow, millionths};
use crate::money;
use crate::units::grouped;

/// A number with the decimals that it has, six at most: `12`, `0.5`.
pub(super) fn plain(value: f64) -> String {
    format!("{}", millionths(value))
}

/// A number as people read it, with one decimal unless it is whole: `1,234`, `12.5`.
pub(super) fn count(value: f64) -> String {
    let tenths = (value.abs() * 10.0).round() as u128;
    let sign = if value < 0.0 && tenths > 0 { "-" } else { "" };
    match tenths % 10 {
        0 => format!("{sign}{}", grouped(tenths / 10)),
        tenth => format!("{sign}{}.{tenth}", grouped(tenths / 10)),
    }
}

/// How many decimals tell amounts of this size apart.
pub(super) fn decimals(greatest: f64) -> u32 {
    match greatest.abs() {
        own if own >= 10.0 => 2,
        own if own >= 1.0 => 3,
        _ => 4,
    }
}

/// An amount that was paid.
pub(super) fn dollars(value: f64) -> String {
    money::amount(value, decimals(value))
}

/// How much more or less than another amount, in percent; `None` where that is nothing.
pub(super) fn against(value: f64, other: f64) -> Option<f64> {
    (other > 0.0).then(|| 100.0 * (value - other) / other)
}

/// `−12.3%`, `+4.0%`, `0.0%`.
pub(super) fn signed_percent(percent: f64, ascii: bool) -> String {
    let minus = if ascii { "-" } else { "−" };
    match (percent * 10.0).round() {
        0.0 => "0.0%".to_owned(),
        own if own < 0.0 => format!("{minus}{:.1}%", own.abs() / 10.0),
        own => format!("+{:.1}%", own / 10.0),
    }
}

/// A length of time in words: `7 days`, `36 hours`, `30 minutes`.
pub(super) fn span(seconds: i64) -> String {
    let unit = [(86_400, "day"), (3600, "hour"), (60, "minute")]
        .into_iter()
        .find(|(unit, _)| seconds >= *unit && seconds % unit == 0);
    let (unit, word) = unit.unwrap_or((1, "second"));
    let count = seconds / unit;
    format!("{} {word}{}", grouped(count.unsigned_abs().into()), if count == 1 { "" } else { "s" })
}

/// A short length of time: `45s`, `3h12m`.
pub(super) fn short(seconds: f64) -> String {
    GoDuration::from_seconds(seconds.round() as i64).human()
}

/// A time after the start, as fine as the whole asks for: `0:45` minutes, `13:45` hours, `2d 13:45`.
pub(super) fn instant(seconds: f64, whole: i64) -> String {
    let seconds = seconds.max(0.0) as i64;
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600, seconds / 60 % 60);
    match whole {
        ..=7200 => format!("{}:{:02}", seconds / 60, seconds % 60),
        7201..=172_800 => format!("{hours}:{minutes:02}"),
        _ => format!("{days}d {:02}:{minutes:02}", hours % 24),
    }
}

/// What [`instant`] counts in.
pub(super) const fn instant_unit(whole: i64) -> &'static str {
    match whole {
        ..=7200 => "minutes:seconds",
        7201..=172_800 => "hours:minutes",
        _ => "days hours:minutes",
    }
}

/// The middle, and what it lies between where runs differ: `12 [9–15]`.
pub(super) fn between(own: &Distribution, ascii: bool, text: impl Fn(f64) -> String) -> String {
    let [middle, least, most] = [own.median, own.min, own.max].map(text);
    if least == most {
        return middle;
    }
    let to = if ascii { "-" } else { "–" };
    format!("{middle} [{least}{to}{most}]")
}

/// Nodes by their types: `2 × m6a.large, m6a.xlarge`.
pub(super) fn kinds(nodes: &[SideRow], ascii: bool) -> String {
    let mut kinds: Vec<(&str, usize)> = Vec::new();
    for node in nodes {
        match kinds.iter_mut().find(|own| own.0 == node.instance_type) {
            Some(own) => own.1 += 1,
            None => kinds.push((&node.instance_type, 1)),
        }
    }
    let times = if ascii { "x" } else { "×" };
    let texts: Vec<String> = kinds
        .iter()
        .map(|(kind, count)| match count {
            1 => (*kind).to_owned(),
            count => format!("{count} {times} {kind}"),
        })
        .collect();
    texts.join(", ")
}

/// What goes and what comes: `2 × m6a.large → m6a.xlarge`, `m6a.large deleted`.
pub(super) fn what(own: &DecisionRow, ascii: bool) -> String {
    let from = kinds(&own.sources, ascii);
    if own.replacements.is_empty() {
        return format!("{from} deleted");
    }
    let to = if ascii { "->" } else { "→" };
    format!("{from} {to} {}", kinds(&own.replacements, ascii))
}
