//! An instant, as Kubernetes writes it.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::GoDuration;

/// Milliseconds since 1970-01-01T00:00:00Z. Kubernetes writes whole seconds; virtual time needs finer steps.
///
/// Kept as the distance from the least number there is, which is no instant: so an `Option` of it takes no more room, of which pods
/// have five.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "i64", into = "i64")]
pub struct Time(NonZeroU64);

/// Text that is not an RFC 3339 instant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a time such as 2026-11-15T12:00:00Z, got {0:?}")]
pub struct ParseTimeError(pub String);

impl Time {
    /// The instant that many milliseconds after 1970-01-01T00:00:00Z.
    pub const fn from_millis(millis: i64) -> Self {
        match NonZeroU64::new(millis.wrapping_sub(i64::MIN) as u64) {
            Some(own) => Self(own),
            None => Self(NonZeroU64::MIN),
        }
    }

    /// The instant that many seconds after 1970-01-01T00:00:00Z.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self::from_millis(seconds.saturating_mul(1000))
    }

    /// Milliseconds since 1970-01-01T00:00:00Z.
    pub const fn millis(self) -> i64 {
        (self.0.get() as i64).wrapping_add(i64::MIN)
    }

    /// Whole seconds since 1970-01-01T00:00:00Z, rounded down.
    pub const fn seconds(self) -> i64 {
        self.millis().div_euclid(1000)
    }

    /// The time from `earlier` to `self`, negative if `earlier` is later.
    pub fn since(self, earlier: Self) -> GoDuration {
        GoDuration::from_millis(self.millis().saturating_sub(earlier.millis()))
    }

    /// The instant `duration` later, to the millisecond.
    #[must_use]
    pub fn plus(self, duration: GoDuration) -> Self {
        Self::from_millis(self.millis().saturating_add(duration.millis()))
    }

    /// The instant `duration` earlier, to the millisecond.
    #[must_use]
    pub fn minus(self, duration: GoDuration) -> Self {
        Self::from_millis(self.millis().saturating_sub(duration.millis()))
    }

    /// The same instant for calendar work.
    pub fn to_jiff(self) -> jiff::Timestamp {
        jiff::Timestamp::from_millisecond(self.millis()).unwrap_or(if self.millis() < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        })
    }
}

impl Default for Time {
    fn default() -> Self {
        Self::from_millis(0)
    }
}

impl From<i64> for Time {
    fn from(millis: i64) -> Self {
        Self::from_millis(millis)
    }
}

impl From<Time> for i64 {
    fn from(own: Time) -> Self {
        own.millis()
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Time").field(&self.millis()).finish()
    }
}

impl FromStr for Time {
    type Err = ParseTimeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(seconds) = whole_seconds_utc(text.as_bytes()) {
            return Ok(Self::from_seconds(seconds));
        }
        // Anything with a fraction or an offset. jiff also reads dates without a time zone as errors,
        // which is what the API server does.
        match text.parse::<jiff::Timestamp>() {
            Ok(at) if text.as_bytes().get(10).is_some_and(|c| matches!(c, b'T' | b't')) => {
                Ok(Self::from_millis(at.as_millisecond()))
            }
            _ => Err(ParseTimeError(text.to_owned())),
        }
    }
}

/// The form that Kubernetes writes, `2026-11-15T12:00:00Z`: a large list has a million of them.
fn whole_seconds_utc(text: &[u8]) -> Option<i64> {
    let &[
        y0,
        y1,
        y2,
        y3,
        b'-',
        m0,
        m1,
        b'-',
        d0,
        d1,
        b'T',
        h0,
        h1,
        b':',
        n0,
        n1,
        b':',
        s0,
        s1,
        b'Z',
    ] = text
    else {
        return None;
    };
    let two = |a: u8, b: u8| {
        (a.is_ascii_digit() && b.is_ascii_digit())
            .then(|| i64::from(a - b'0') * 10 + i64::from(b - b'0'))
    };
    let year = two(y0, y1)? * 100 + two(y2, y3)?;
    let (month, day) = (two(m0, m1)?, two(d0, d1)?);
    let (hour, minute, second) = (two(h0, h1)?, two(n0, n1)?, two(s0, s1)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days_in_month = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    if day < 1 || day > days_in_month || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    // Days since 1970-01-01, counting years from March so that the leap day comes last.
    let (shifted_year, shifted_month) =
        if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
    let days = shifted_year * 365 + shifted_year.div_euclid(4) - shifted_year.div_euclid(100)
        + shifted_year.div_euclid(400)
        + day_of_year
        - 719_468;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second)
}

impl fmt::Display for Time {
    /// RFC 3339 in UTC, with milliseconds only where there are some. Years that RFC 3339 cannot write get more digits or a sign.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, millis) = (self.seconds(), self.millis().rem_euclid(1000));
        let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        let (year, month, day) = civil(days);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")?;
        if millis > 0 {
            write!(f, ".{}", format!("{millis:03}").trim_end_matches('0'))?;
        }
        f.write_str("Z")
    }
}

/// Year, month and day of a day since 1970-01-01, counting years from March so that the leap day comes last.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let leap_days = day_of_era / 1460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_what_the_api_server_writes() {
        assert_eq!("1970-01-01T00:00:00Z".parse(), Ok(Time::from_seconds(0)));
        assert_eq!("2026-11-15T12:00:00Z".parse(), Ok(Time::from_seconds(1_794_744_000)));
        assert_eq!("2026-11-15T12:00:00.25Z".parse(), Ok(Time::from_millis(1_794_744_000_250)));
        assert_eq!("2026-11-15T13:00:00+01:00".parse(), Ok(Time::from_seconds(1_794_744_000)));
        // The last second of the format, which is beyond the calendar library's range.
        let last: Time = "9999-12-31T23:59:59Z".parse().unwrap();
        assert_eq!(last.to_string(), "9999-12-31T23:59:59Z");
    }

    #[test]
    fn refuses_what_is_not_an_instant() {
        for bad in ["", "2026-11-15", "2026-02-30T00:00:00Z", "12:00", "2026-11-15 12:00:00Z"] {
            assert!(bad.parse::<Time>().is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn text_round_trips(millis in -62_000_000_000_000_i64..253_402_207_200_000) {
            let time = Time::from_millis(millis);
            prop_assert_eq!(time.to_string().parse(), Ok(time));
            prop_assert_eq!(time.to_string(), time.to_jiff().to_string());
        }

        #[test]
        fn any_time_can_be_written(millis in any::<i64>()) {
            prop_assert!(Time::from_millis(millis).to_string().ends_with('Z'));
        }

        #[test]
        fn the_fast_form_agrees_with_the_calendar(
            year in 0_i64..10_000, month in 0_i64..14, day in 0_i64..33, second in 0_i64..86_400,
        ) {
            let (h, m, s) = (second / 3600, second / 60 % 60, second % 60);
            let text = format!("{year:04}-{month:02}-{day:02}T{h:02}:{m:02}:{s:02}Z");
            let calendar = text.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_second);
            prop_assert_eq!(whole_seconds_utc(text.as_bytes()), calendar);
        }
    }
}
