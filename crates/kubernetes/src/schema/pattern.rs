//! What text has to look like: each pattern twice, as the API server reads it and as a function.
//!
//! The functions spare the program a regular expression engine for eleven patterns. They accept exactly what the patterns do,
//! including where those are loose; `restow-differential admission` compares them on texts from the edges.

use super::form::Pattern;

pub(crate) static DURATION: Pattern = Pattern {
    regex: "^([0-9]+(s|m|h))+$",
    matches: is_duration,
    expected: "a duration such as 30s, 5m or 1h30m",
};

pub(crate) static DURATION_OR_NEVER: Pattern = Pattern {
    regex: "^(([0-9]+(s|m|h))+|Never)$",
    matches: |text| text == "Never" || is_duration(text),
    expected: "a duration such as 30s, 5m or 1h30m, or Never",
};

/// Budgets open by cron, which knows no seconds; Go prints none as `0s`.
pub(crate) static BUDGET_DURATION: Pattern = Pattern {
    regex: "^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$",
    matches: is_budget_duration,
    expected: "hours and minutes such as 8h, 30m or 1h30m",
};

pub(crate) static NODES: Pattern = Pattern {
    regex: "^((100|[0-9]{1,2})%|[0-9]+)$",
    matches: |text| is_percent(text) || is_digits(text),
    expected: "a number of nodes or a percentage such as 10%",
};

pub(crate) static PERCENT: Pattern = Pattern {
    regex: "^(100|[0-9]{1,2})%$",
    matches: is_percent,
    expected: "a percentage such as 30%",
};

/// As loose as Karpenter's: what is no cron expression shows when the budget is evaluated.
pub(crate) static SCHEDULE: Pattern = Pattern {
    regex: r"^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\s(.+)\s(.+)\s(.+)\s(.+))$",
    matches: is_schedule,
    expected: "five fields as in cron, such as \"0 9 * * mon-fri\", or a word such as @daily",
};

pub(crate) static CENTS: Pattern = Pattern {
    regex: r"^[0-9]+(\.[0-9]+)?$",
    matches: |text| match text.split_once('.') {
        Some((whole, fraction)) => is_digits(whole) && is_digits(fraction),
        None => is_digits(text),
    },
    expected: "cents such as 1 or 0.5",
};

pub(crate) static QUANTITY: Pattern = Pattern {
    regex: r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$",
    matches: is_quantity,
    expected: "a quantity such as 500m, 2 or 1.5Gi",
};

pub(crate) static LABEL_VALUE: Pattern = Pattern {
    regex: "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$",
    matches: |text| text.is_empty() || is_name(text),
    expected: "letters, digits, '-', '_' and '.', with a letter or digit at both ends",
};

pub(crate) static QUALIFIED_NAME: Pattern = Pattern {
    regex: r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$",
    matches: |text| match text.split_once('/') {
        Some((domain, name)) => domain.split('.').all(is_domain_label) && is_name(name),
        None => is_name(text),
    },
    expected: "a name such as app or example.com/app",
};

pub(crate) static GROUP: Pattern = Pattern {
    regex: "^[^/]*$",
    matches: |text| !text.contains('/'),
    expected: "an API group without its version",
};

pub(crate) static REASON: Pattern = Pattern {
    regex: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
    matches: |text| {
        let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"_,:".contains(&byte);
        text.starts_with(|first: char| first.is_ascii_alphabetic())
            && text.bytes().all(inner)
            && !text.ends_with([',', ':'])
    },
    expected: "a word such as NodesReady",
};

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_percent(text: &str) -> bool {
    text.strip_suffix('%').is_some_and(|text| text == "100" || (is_digits(text) && text.len() < 3))
}

fn is_duration(text: &str) -> bool {
    let part = |part: &str| part.strip_suffix(['s', 'm', 'h']).is_some_and(is_digits);
    !text.is_empty() && text.split_inclusive(['s', 'm', 'h']).all(part)
}

fn is_budget_duration(text: &str) -> bool {
    let units = |text: &str| match text.split_once('h') {
        Some((hours, "")) => is_digits(hours),
        Some((hours, rest)) => is_digits(hours) && rest.strip_suffix('m').is_some_and(is_digits),
        None => text.strip_suffix('m').is_some_and(is_digits),
    };
    units(text) || text.strip_suffix("0s").is_some_and(units)
}

/// The pattern's `^` belongs to its first half only and its `$` to the second.
fn is_schedule(text: &str) -> bool {
    const WORDS: [&str; 7] =
        ["@annually", "@yearly", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];
    WORDS.iter().any(|word| text.starts_with(word)) || ends_in_five_fields(text)
}

/// Five fields of at least one character each, with a space between them. A field may hold spaces, but no end of a line; what
/// stands before them does not matter. Bit `n` says that the text so far may end before, or in, field `n`.
fn ends_in_five_fields(text: &str) -> bool {
    let (mut before, mut within) = (1_u8, 0_u8);
    for letter in text.chars() {
        let space = matches!(letter, ' ' | '\t' | '\n' | '\u{c}' | '\r');
        let next = if space { within << 1 } else { 0 };
        within = if letter == '\n' { 0 } else { before | within };
        before = 1 | next;
    }
    within & (1 << 4) != 0
}

fn is_quantity(text: &str) -> bool {
    let unsigned = |text: &str| text.strip_prefix(['+', '-']).unwrap_or(text).to_owned();
    let text = unsigned(text);
    let number = |text: &str| match text.split_once('.') {
        Some(("", fraction)) => is_digits(fraction),
        Some((whole, fraction)) => is_digits(whole) && (fraction.is_empty() || is_digits(fraction)),
        None => is_digits(text),
    };
    if number(&text) {
        return true;
    }
    let plain =
        text.strip_suffix('i').and_then(|text| text.strip_suffix(['K', 'M', 'G', 'T', 'P', 'E']));
    let suffixes = ['n', 'u', 'm', 'k', 'M', 'G', 'T', 'P', 'E'];
    if plain.or_else(|| text.strip_suffix(suffixes)).is_some_and(number) {
        return true;
    }
    text.split_once(['e', 'E'])
        .is_some_and(|(mantissa, exponent)| number(mantissa) && number(&unsigned(exponent)))
}

/// A label's value or the last part of its key.
fn is_name(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let ends = [text.bytes().next(), text.bytes().next_back()];
    text.bytes().all(inner)
        && ends.iter().all(|end| end.is_some_and(|byte| byte.is_ascii_alphanumeric()))
}

fn is_domain_label(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let ends = [text.bytes().next(), text.bytes().next_back()];
    text.bytes().all(|byte| letter(byte) || byte == b'-')
        && ends.iter().all(|end| end.is_some_and(letter))
}

/// What the API server takes for the format `date-time`: looser than RFC 3339 about fractions.
pub(crate) fn is_time(text: &str) -> bool {
    let text = text.to_lowercase();
    let mut halves = text.split('t');
    let (Some(date), Some(clock)) = (halves.next(), halves.next()) else { return false };
    date.len() == 10
        && format!("{date}T00:00:00Z").parse::<restow_model::Time>().is_ok()
        && is_clock(clock)
}

fn is_clock(text: &str) -> bool {
    let two = |text: Option<&str>| text.is_some_and(|text| text.len() == 2 && is_digits(text));
    let within = |at: usize, most: &str| {
        two(text.get(at..at + 2)) && text.get(at..at + 2).is_some_and(|part| part <= most)
    };
    let colon = |at: usize| text.get(at..=at) == Some(":");
    if !(within(0, "23") && colon(2) && within(3, "59") && colon(5) && within(6, "59")) {
        return false;
    }
    let Some(rest) = text.get(8..) else { return false };
    let fraction = |text: &str| {
        let mut letters = text.chars();
        match letters.next() {
            None => true,
            Some('\n') => false,
            Some(_) => is_digits(letters.as_str()),
        }
    };
    let offset = |text: &str| {
        text.starts_with(['+', '-'])
            && two(text.get(1..3))
            && text.get(3..4) == Some(":")
            && two(text.get(4..))
    };
    rest.strip_suffix('z').is_some_and(fraction)
        || rest.len().checked_sub(6).is_some_and(|at| {
            rest.get(at..).is_some_and(offset) && rest.get(..at).is_some_and(fraction)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_take_what_they_say_and_no_more() {
        let cases: [(&Pattern, &[&str], &[&str]); 11] = [
            (&DURATION, &["30s", "1h30m5s", "0s"], &["", "Never", "-1s", "1hr", "1", "s", "1.5h"]),
            (&DURATION_OR_NEVER, &["Never", "5m"], &["never", "FooNever", "5d"]),
            (
                &BUDGET_DURATION,
                &["8h", "30m", "1h30m", "1h0s", "1h30m0s"],
                &["30s", "1m1h", "10s", "h"],
            ),
            (
                &NODES,
                &["0", "10%", "100%", "00%", "123456789012"],
                &["", "101%", "010%", "-1", "1.5", "%"],
            ),
            (&PERCENT, &["0%", "100%"], &["30", "101%"]),
            (
                &SCHEDULE,
                &["@daily", "@dailyish", "0 9 * * mon-fri", "a 0 9 * * 1", "a   b c d"],
                &["@every 1h", "* * * *", ""],
            ),
            (&CENTS, &["0", "1", "0.5", "10.25"], &["", "-1", ".5", "1.", "1e3"]),
            (
                &QUANTITY,
                &["1", "500m", "1.5Gi", ".5", "5.", "-1", "1e3", "1E", "1E3", "2e-.5"],
                &["", "1x", "Gi", "1ki", "1e"],
            ),
            (&LABEL_VALUE, &["", "a", "a.b-c_d"], &["-a", "a-", "a b", "a/b"]),
            (
                &QUALIFIED_NAME,
                &["app", "example.com/App_1"],
                &["", "/a", "a/", "A.com/a", "a..b/c", "a/b/c"],
            ),
            (&GROUP, &["", "karpenter.k8s.aws"], &["a/v1"]),
        ];
        for (pattern, yes, no) in cases {
            for text in yes {
                assert!((pattern.matches)(text), "{} should take {text:?}", pattern.regex);
            }
            for text in no {
                assert!(!(pattern.matches)(text), "{} should refuse {text:?}", pattern.regex);
            }
        }
    }

    #[test]
    fn times_are_read_as_the_api_server_reads_them() {
        for yes in ["2026-11-15T12:00:00Z", "2026-11-15t12:00:00.5+02:00", "2026-11-15T12:00:00z"] {
            assert!(is_time(yes), "{yes}");
        }
        for no in
            ["2026-11-15", "2026-02-30T12:00:00Z", "2026-11-15T24:00:00Z", "2026-11-15T12:00Z", ""]
        {
            assert!(!is_time(no), "{no}");
        }
    }
}
