//! Durations in Go's notation.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Nanoseconds, as Go's `time.Duration`. Arithmetic saturates.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct GoDuration(i64);

/// Text that is not a duration of the kind that was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseDurationError {
    /// Not in Go's notation.
    #[error("expected a duration such as 45s, 1h30m or 1.5h, got {0:?}")]
    Duration(String),
    /// Neither `Never` nor whole hours, minutes and seconds.
    #[error("expected Never, or whole hours, minutes and seconds such as 30s or 1h30m, got {0:?}")]
    DurationOrNever(String),
    /// Not the duration of a budget.
    #[error("expected whole hours and minutes such as 8h, 45m or 1h30m, got {0:?}")]
    Budget(String),
    /// More nanoseconds than 64 bits hold.
    #[error("expected a duration of at most 292 years (2562047h), got {0:?}")]
    TooLong(String),
}

const MICROSECOND: u64 = 1000;
const MILLISECOND: u64 = 1000 * MICROSECOND;
const SECOND: u64 = 1000 * MILLISECOND;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

impl GoDuration {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// The longest duration, about 292 years.
    pub const MAX: Self = Self(i64::MAX);

    /// That many nanoseconds.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// That many milliseconds.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis.saturating_mul(MILLISECOND as i64))
    }

    /// That many seconds.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(SECOND as i64))
    }

    /// Nanoseconds.
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// Whole milliseconds, rounded towards zero.
    pub const fn millis(self) -> i64 {
        self.0 / MILLISECOND as i64
    }

    /// Whole seconds, rounded towards zero.
    pub const fn seconds(self) -> i64 {
        self.0 / SECOND as i64
    }

    /// Whether it is no time.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// Reads the duration of a disruption budget: whole hours, minutes or both, with an optional `0s` at the end,
    /// by the schema's pattern `^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$`.
    pub fn parse_budget(text: &str) -> Result<Self, ParseDurationError> {
        let number = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
        let minutes = |text: &str| text.strip_suffix('m').is_some_and(number);
        let units = text.strip_suffix("0s").unwrap_or(text);
        let fits = match units.split_once('h') {
            Some((hours, rest)) => number(hours) && (rest.is_empty() || minutes(rest)),
            None => minutes(units),
        };
        if !fits {
            return Err(ParseDurationError::Budget(text.to_owned()));
        }
        parse(text).map(Self).ok_or_else(|| ParseDurationError::TooLong(text.to_owned()))
    }

    /// Two or three significant figures for tables, as kubectl prints ages: `45s`, `3h12m`, `5d`.
    pub fn human(self) -> String {
        let seconds = self.seconds();
        let (minutes, hours) = (seconds / 60, seconds / 3600);
        let days = hours / 24;
        // The larger unit, and the smaller one unless it is zero.
        let both = |large: i64, unit: char, small: i64, small_unit: char| match small {
            0 => format!("{large}{unit}"),
            _ => format!("{large}{unit}{small}{small_unit}"),
        };
        match seconds {
            ..=-2 => "<invalid>".to_owned(),
            // Clocks of two machines differ.
            -1 => "0s".to_owned(),
            0..120 => format!("{seconds}s"),
            _ if minutes < 10 => both(minutes, 'm', seconds % 60, 's'),
            _ if hours < 3 => format!("{minutes}m"),
            _ if hours < 8 => both(hours, 'h', minutes % 60, 'm'),
            _ if hours < 48 => format!("{hours}h"),
            _ if days < 8 => both(days, 'd', hours % 24, 'h'),
            _ if days < 2 * 365 => format!("{days}d"),
            _ if days < 8 * 365 => both(days / 365, 'y', days % 365, 'd'),
            _ => format!("{}y", days / 365),
        }
    }
}

impl FromStr for GoDuration {
    type Err = ParseDurationError;

    /// What Go's `time.ParseDuration` accepts, with its rounding.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).map(Self).ok_or_else(|| ParseDurationError::Duration(text.to_owned()))
    }
}

/// The largest magnitude, that of the most negative duration.
const LIMIT: u64 = 1 << 63;

fn parse(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total = 0_u64;
    while !rest.is_empty() {
        let (whole, after) = split_digits(rest);
        let (fraction, after) = after.strip_prefix('.').map_or(("", after), split_digits);
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let next = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let unit = match &after[..next] {
            "ns" => 1,
            "us" | "\u{b5}s" | "\u{3bc}s" => MICROSECOND,
            "ms" => MILLISECOND,
            "s" => SECOND,
            "m" => MINUTE,
            "h" => HOUR,
            _ => return None,
        };
        rest = &after[next..];
        let whole = whole
            .bytes()
            .try_fold(0_u64, |n, c| n.checked_mul(10)?.checked_add(u64::from(c - b'0')))?;
        let nanos = whole.checked_mul(unit)?.checked_add(fraction_of(fraction, unit))?;
        if nanos > LIMIT {
            return None;
        }
        // Two parts of exactly the limit wrap to zero in Go, too.
        total = total.wrapping_add(nanos);
        if total > LIMIT {
            return None;
        }
    }
    if negative { Some((total as i64).wrapping_neg()) } else { i64::try_from(total).ok() }
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// Nanoseconds in `0.fraction` units. Go computes this in floating point, and so must we to agree to the nanosecond.
fn fraction_of(fraction: &str, unit: u64) -> u64 {
    let (mut number, mut scale) = (0_u64, 1.0_f64);
    for digit in fraction.bytes() {
        // Digits that do not fit any more are not worth a nanosecond.
        if number > i64::MAX as u64 / 10 {
            break;
        }
        let longer = number * 10 + u64::from(digit - b'0');
        if longer > LIMIT {
            break;
        }
        number = longer;
        scale *= 10.0;
    }
    (number as f64 * (unit as f64 / scale)) as u64
}

impl fmt::Display for GoDuration {
    /// As Go prints it: `1h0m0s`, `1.5s`, `300ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.0.unsigned_abs();
        if self.0 < 0 {
            f.write_str("-")?;
        }
        match nanos {
            0 => f.write_str("0s"),
            1..MICROSECOND => write!(f, "{nanos}ns"),
            MICROSECOND..MILLISECOND => write_fraction(f, nanos, MICROSECOND, "\u{b5}s"),
            MILLISECOND..SECOND => write_fraction(f, nanos, MILLISECOND, "ms"),
            _ => {
                if nanos >= HOUR {
                    write!(f, "{}h", nanos / HOUR)?;
                }
                if nanos >= MINUTE {
                    write!(f, "{}m", nanos % HOUR / MINUTE)?;
                }
                write_fraction(f, nanos % MINUTE, SECOND, "s")
            }
        }
    }
}

fn write_fraction(f: &mut fmt::Formatter<'_>, nanos: u64, unit: u64, name: &str) -> fmt::Result {
    write!(f, "{}", nanos / unit)?;
    let (mut part, mut width) = (nanos % unit, unit.ilog10() as usize);
    if part != 0 {
        while part.is_multiple_of(10) {
            part /= 10;
            width -= 1;
        }
        write!(f, ".{part:0width$}")?;
    }
    f.write_str(name)
}

impl Add for GoDuration {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for GoDuration {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Mul<i64> for GoDuration {
    type Output = Self;
    fn mul(self, times: i64) -> Self {
        Self(self.0.saturating_mul(times))
    }
}

impl Neg for GoDuration {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl AddAssign for GoDuration {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for GoDuration {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// A duration, or `Never`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum DurationOrNever {
    /// Not at all.
    Never,
    /// After this long.
    After(GoDuration),
}

impl DurationOrNever {
    /// The duration, unless it is `Never`.
    pub const fn after(self) -> Option<GoDuration> {
        match self {
            Self::Never => None,
            Self::After(duration) => Some(duration),
        }
    }
}

impl FromStr for DurationOrNever {
    type Err = ParseDurationError;

    /// By the schema's pattern `^(([0-9]+(s|m|h))+|Never)$`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "Never" {
            return Ok(Self::Never);
        }
        let mut parts = text.split_inclusive(['s', 'm', 'h']);
        let whole_units = parts.all(|part| {
            part.strip_suffix(['s', 'm', 'h'])
                .is_some_and(|n| !n.is_empty() && n.bytes().all(|c| c.is_ascii_digit()))
        });
        if text.is_empty() || !whole_units {
            return Err(ParseDurationError::DurationOrNever(text.to_owned()));
        }
        match parse(text) {
            Some(nanos) => Ok(Self::After(GoDuration(nanos))),
            None => Err(ParseDurationError::TooLong(text.to_owned())),
        }
    }
}

impl fmt::Display for DurationOrNever {
    /// Text that reads as the same value, without units that are zero: `1h30m`, `0s`, `Never`.
    ///
    /// The pattern has no sign and no fraction; values that need them print as Go prints them.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let duration = match *self {
            Self::Never => return f.write_str("Never"),
            Self::After(duration) => duration,
        };
        let seconds = duration.seconds();
        if seconds <= 0 || GoDuration::from_seconds(seconds) != duration {
            return write!(f, "{duration}");
        }
        for (amount, unit) in [(seconds / 3600, "h"), (seconds / 60 % 60, "m"), (seconds % 60, "s")]
        {
            if amount != 0 {
                write!(f, "{amount}{unit}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn never_and_whole_units_are_read() {
        let read = |text: &str| text.parse::<DurationOrNever>().ok();
        let seconds = |s| Some(DurationOrNever::After(GoDuration::from_seconds(s)));
        assert_eq!(read("Never"), Some(DurationOrNever::Never));
        assert_eq!(read("0s"), seconds(0));
        assert_eq!(read("1h30m"), seconds(5400));
        assert_eq!(read("30s1h"), seconds(3630));
        for bad in ["", "never", "0", "1.5h", "-1h", "1h 30m", "500ms", "1d", "h", "Never1s", "1"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn budgets_last_whole_hours_and_minutes() {
        let read = |text: &str| GoDuration::parse_budget(text).map(GoDuration::seconds).ok();
        assert_eq!(read("8h"), Some(28_800));
        assert_eq!(read("45m"), Some(2700));
        assert_eq!(read("1h30m0s"), Some(5400));
        assert_eq!(read("1h0s"), Some(3600));
        for bad in ["", "0s", "30s", "1m30s", "1h10s", "30m1h", "1.5h", "1h1h", "1h00s", "Never"] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn errors_say_what_was_expected() {
        assert_eq!(
            "1d".parse::<GoDuration>().unwrap_err().to_string(),
            "expected a duration such as 45s, 1h30m or 1.5h, got \"1d\""
        );
        assert_eq!(
            "never".parse::<DurationOrNever>().unwrap_err().to_string(),
            "expected Never, or whole hours, minutes and seconds such as 30s or 1h30m, got \"never\""
        );
        assert_eq!(
            GoDuration::parse_budget("30s").unwrap_err().to_string(),
            "expected whole hours and minutes such as 8h, 45m or 1h30m, got \"30s\""
        );
        assert_eq!(
            "9999999h".parse::<DurationOrNever>().unwrap_err().to_string(),
            "expected a duration of at most 292 years (2562047h), got \"9999999h\""
        );
    }

    #[test]
    fn zero_units_are_left_out_where_a_setting_is_printed() {
        for text in ["Never", "0s", "1h", "1h30m", "1h0m5s", "90m", "45s"] {
            let value: DurationOrNever = text.parse().unwrap();
            let expected = match text {
                "90m" => "1h30m",
                "1h0m5s" => "1h5s",
                same => same,
            };
            assert_eq!(value.to_string(), expected);
        }
    }

    #[test]
    fn arithmetic_saturates() {
        assert_eq!(GoDuration::MAX + GoDuration::from_seconds(1), GoDuration::MAX);
        assert_eq!(-GoDuration::from_nanos(i64::MIN), GoDuration::MAX);
        assert_eq!(GoDuration::from_seconds(i64::MAX), GoDuration::MAX);
        assert_eq!(GoDuration::MAX * 2 - GoDuration::MAX, GoDuration::ZERO);
    }

    proptest! {
        #[test]
        fn text_round_trips(nanos in any::<i64>()) {
            let duration = GoDuration::from_nanos(nanos);
            prop_assert_eq!(duration.to_string().parse(), Ok(duration));
        }

        #[test]
        fn settings_round_trip(text in "([0-9]{1,6}[smh]){1,4}|Never") {
            let value: DurationOrNever = text.parse().unwrap();
            prop_assert_eq!(value.to_string().parse(), Ok(value));
            if let Some(duration) = value.after() {
                prop_assert_eq!(duration.to_string().parse(), Ok(value));
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}", near in "[-+]?([0-9]{0,22}\\.?[0-9]{0,22}(ns|us|µs|ms|s|m|h)){0,3}") {
            for text in [text, near] {
                let _ = text.parse::<GoDuration>().map(|duration| (duration.to_string(), duration.human()));
                let _ = (text.parse::<DurationOrNever>(), GoDuration::parse_budget(&text));
            }
        }

        #[test]
        fn ages_are_short(nanos in any::<i64>()) {
            prop_assert!(GoDuration::from_nanos(nanos).human().len() <= "<invalid>".len());
        }
    }
}
