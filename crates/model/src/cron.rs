//! Schedules in the dialect that Karpenter's budgets use, always in UTC.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::duration::{GoDuration, ParseDurationError};
use crate::time::Time;

/// A schedule of five fields (minute, hour, day of month, month, day of week) or a descriptor such as `@daily`.
///
/// Accepts, refuses and fires as robfig/cron's standard parser does when Karpenter hands it a budget's schedule.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Cron {
    text: String,
    schedule: Schedule,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Schedule {
    Calendar(Calendar),
    /// That many seconds after whatever time is asked about.
    Every(i64),
}

/// The minutes at which a schedule fires: bit `n` of a field says whether `n` is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Calendar {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// Whether day of month and day of week must both match, which is when one of them is a star.
    both_days: bool,
}

/// One of the five fields of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CronField {
    /// 0 to 59.
    Minute,
    /// 0 to 23.
    Hour,
    /// 1 to 31.
    DayOfMonth,
    /// 1 to 12, or a name.
    Month,
    /// 0 (Sunday) to 6, or a name.
    DayOfWeek,
}

/// Text that is not a schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseCronError {
    /// Not five fields.
    #[error(
        "expected five fields (minute, hour, day of month, month, day of week), found {found} in {text:?}"
    )]
    FieldCount {
        /// How many there are.
        found: usize,
        /// The schedule.
        text: String,
    },
    /// A zone in front.
    #[error("schedules are always in UTC: expected none of TZ= and CRON_TZ=, got {0:?}")]
    TimeZone(String),
    /// A part of a field is wrong.
    #[error("{field}: expected {expected}, got {part:?}")]
    Field {
        /// Where.
        field: CronField,
        /// What would have been right.
        expected: &'static str,
        /// What is there.
        part: String,
    },
    /// An unknown word after `@`.
    #[error(
        "expected @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually or @every with a duration, \
         got {0:?}"
    )]
    Descriptor(String),
    /// `@every` without a duration.
    #[error("@every: {0}")]
    Every(#[source] ParseDurationError),
}

impl Cron {
    /// Reads a schedule.
    pub fn parse(text: &str) -> Result<Self, ParseCronError> {
        let trimmed = text.trim();
        let schedule = if trimmed.starts_with('@') {
            parse_descriptor(trimmed)?
        } else {
            Schedule::Calendar(parse_calendar(trimmed)?)
        };
        Ok(Self { text: text.to_owned(), schedule })
    }

    /// The text it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The first time strictly later than `after` at which the schedule fires, on a whole second; `None` when it
    /// does not in the rest of that year and the five years that follow.
    pub fn next_after(&self, after: Time) -> Option<Time> {
        let second = match self.schedule {
            Schedule::Every(seconds) => after.seconds().checked_add(seconds)?,
            Schedule::Calendar(calendar) => calendar.next_after(after.seconds())?,
        };
        second.checked_mul(1000).map(Time::from_millis)
    }

    /// Whether a window that opens at each hit and stays open for `duration` is open now: the first hit strictly
    /// after `now - duration` is not later than `now`.
    ///
    /// A schedule that never fires (31 February) counts as always active, because it does in Karpenter: a
    /// budget that was written down keeps limiting.
    pub fn is_active(&self, now: Time, duration: GoDuration) -> bool {
        self.next_after(now.minus(duration)).is_none_or(|hit| hit <= now)
    }
}

impl FromStr for Cron {
    type Err = ParseCronError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl TryFrom<String> for Cron {
    type Error = ParseCronError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<Cron> for String {
    fn from(cron: Cron) -> Self {
        cron.text
    }
}

impl fmt::Display for Cron {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for CronField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Minute => "minute",
            Self::Hour => "hour",
            Self::DayOfMonth => "day of month",
            Self::Month => "month",
            Self::DayOfWeek => "day of week",
        })
    }
}

fn parse_descriptor(text: &str) -> Result<Schedule, ParseCronError> {
    if let Some(duration) = text.strip_prefix("@every ") {
        let duration: GoDuration = duration.parse().map_err(ParseCronError::Every)?;
        return Ok(Schedule::Every(duration.seconds().max(1)));
    }
    let fields = match text {
        "@yearly" | "@annually" => "0 0 1 1 *",
        "@monthly" => "0 0 1 * *",
        "@weekly" => "0 0 * * 0",
        "@daily" | "@midnight" => "0 0 * * *",
        "@hourly" => "0 * * * *",
        _ => return Err(ParseCronError::Descriptor(text.to_owned())),
    };
    parse_calendar(fields).map(Schedule::Calendar)
}

fn parse_calendar(text: &str) -> Result<Calendar, ParseCronError> {
    let mut fields = text.split_whitespace();
    let mut next = || fields.next();
    let (Some(minute), Some(hour), Some(day), Some(month), Some(weekday), None) =
        (next(), next(), next(), next(), next(), next())
    else {
        // Karpenter puts its own zone in front, so that a second one is one field too many.
        if let Some(zone) = text.split_whitespace().next()
            && (zone.starts_with("TZ=") || zone.starts_with("CRON_TZ="))
        {
            return Err(ParseCronError::TimeZone(zone.to_owned()));
        }
        let found = text.split_whitespace().count();
        return Err(ParseCronError::FieldCount { found, text: text.to_owned() });
    };
    let (minutes, _) = CronField::Minute.parse(minute)?;
    let (hours, _) = CronField::Hour.parse(hour)?;
    let (days, any_day) = CronField::DayOfMonth.parse(day)?;
    let (months, _) = CronField::Month.parse(month)?;
    let (weekdays, any_weekday) = CronField::DayOfWeek.parse(weekday)?;
    let both_days = any_day || any_weekday;
    Ok(Calendar { minutes, hours, days, months, weekdays, both_days })
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

impl CronField {
    /// The smallest and the largest value.
    const fn bounds(self) -> (u64, u64) {
        match self {
            Self::Minute => (0, 59),
            Self::Hour => (0, 23),
            Self::DayOfMonth => (1, 31),
            Self::Month => (1, 12),
            Self::DayOfWeek => (0, 6),
        }
    }

    /// Names of values, from the smallest value on.
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Month => &MONTHS,
            Self::DayOfWeek => &WEEKDAYS,
            Self::Minute | Self::Hour | Self::DayOfMonth => &[],
        }
    }

    const fn expected(self) -> &'static str {
        match self {
            Self::Minute => "a number from 0 to 59",
            Self::Hour => "a number from 0 to 23",
            Self::DayOfMonth => "a number from 1 to 31",
            Self::Month => "a number from 1 to 12 or a name from jan to dec",
            Self::DayOfWeek => "a number from 0 (Sunday) to 6 or a name from sun to sat",
        }
    }

    /// The values of a field as bits, and whether it has a star. Empty parts between commas are skipped, so that
    /// a lone comma stands for no value at all.
    fn parse(self, text: &str) -> Result<(u64, bool), ParseCronError> {
        let mut field = (0, false);
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (values, star) = self.parse_part(part)?;
            field = (field.0 | values, field.1 || star);
        }
        Ok(field)
    }

    /// `*`, `5`, `5-9`, each with an optional `/step`. A step after a single value runs to the largest one.
    fn parse_part(self, part: &str) -> Result<(u64, bool), ParseCronError> {
        let refuse =
            |expected| ParseCronError::Field { field: self, expected, part: part.to_owned() };
        let (min, max) = self.bounds();
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(step)),
            None => (part, None),
        };
        let mut ends = range.split('-');
        let first = ends.next().unwrap_or_default();
        let (start, end, star) = if matches!(first, "*" | "?") {
            // Whatever follows a star and a hyphen is ignored.
            (min, max, true)
        } else {
            let value = |text| self.value(text).ok_or_else(|| refuse(self.expected()));
            let start = value(first)?;
            let end = match (ends.next(), step) {
                (Some(end), _) => value(end)?,
                (None, Some(_)) => max,
                (None, None) => start,
            };
            if ends.next().is_some() {
                return Err(refuse("one value or a range such as 1-5"));
            }
            (start, end, false)
        };
        let step = match step {
            Some(step) => number(step)
                .filter(|step| *step > 0)
                .ok_or_else(|| refuse("one step of at least 1 after the slash"))?,
            None => 1,
        };
        if start < min || end > max {
            return Err(refuse(self.expected()));
        }
        if start > end {
            return Err(refuse("a range that does not run backwards"));
        }
        let mut values = 0;
        let mut value = start;
        while value <= end {
            values |= 1 << value;
            value = value.saturating_add(step);
        }
        Ok((values, star && step == 1))
    }

    fn value(self, text: &str) -> Option<u64> {
        let named = self.names().iter().position(|name| name.eq_ignore_ascii_case(text));
        named.map_or_else(|| number(text), |index| Some(index as u64 + self.bounds().0))
    }
}

/// A number that is not negative; signs and leading zeros are fine.
fn number(text: &str) -> Option<u64> {
    text.parse::<i64>().ok().and_then(|number| u64::try_from(number).ok())
}

const SECONDS_PER_DAY: i64 = 86_400;
const MINUTES_PER_DAY: i64 = 1440;

impl Calendar {
    /// The first matching minute that starts after `second` (both since 1970), in seconds.
    fn next_after(&self, second: i64) -> Option<i64> {
        if self.hours == 0 || self.minutes == 0 {
            return None;
        }
        let last_year = Date::of((second + 1).div_euclid(SECONDS_PER_DAY)).year + 5;
        let minute = second.div_euclid(60) + 1;
        let today = minute.div_euclid(MINUTES_PER_DAY);
        let mut date = Date::of(today);
        let mut days = self.days_of(date) & (u64::MAX << date.day);
        if days & (1 << date.day) != 0 {
            if let Some(minute) = self.minute_at_or_after(minute.rem_euclid(MINUTES_PER_DAY)) {
                return Some(today * SECONDS_PER_DAY + minute * 60);
            }
            days &= !(1 << date.day);
        }
        let mut first = today + 1 - date.day;
        while days == 0 {
            first += date.days_in_month();
            date = date.next_month();
            if date.year > last_year {
                return None;
            }
            days = self.days_of(date);
        }
        let day = first + i64::from(days.trailing_zeros()) - 1;
        let minute = self.hours.trailing_zeros() * 60 + self.minutes.trailing_zeros();
        Some(day * SECONDS_PER_DAY + i64::from(minute) * 60)
    }

    /// The days of the date's month on which the schedule fires.
    fn days_of(&self, date: Date) -> u64 {
        if self.months & (1 << date.month) == 0 {
            return 0;
        }
        // Day 1 is bit 1: put the weekday of day 1 there, then repeat the week.
        let week =
            (self.weekdays >> date.first_weekday) | (self.weekdays << (7 - date.first_weekday));
        let week = (week & 0b111_1111) << 1;
        let weekdays = week | (week << 7) | (week << 14) | (week << 21) | (week << 28);
        let days = if self.both_days { self.days & weekdays } else { self.days | weekdays };
        days & ((2 << date.days_in_month()) - 1)
    }

    /// The first matching minute of a day, not before the given one.
    fn minute_at_or_after(&self, minute: i64) -> Option<i64> {
        let (hour, minute) = (minute / 60, minute % 60);
        let minutes = self.minutes & (u64::MAX << minute);
        if self.hours & (1 << hour) != 0 && minutes != 0 {
            return Some(hour * 60 + i64::from(minutes.trailing_zeros()));
        }
        let hours = self.hours & (u64::MAX << (hour + 1));
        (hours != 0).then(|| {
            i64::from(hours.trailing_zeros()) * 60 + i64::from(self.minutes.trailing_zeros())
        })
    }
}

/// A day of the Gregorian calendar, with the weekday on which its month starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Date {
    year: i64,
    month: i64,
    day: i64,
    first_weekday: i64,
}

impl Date {
    /// The date that many days after 1970-01-01.
    fn of(days: i64) -> Self {
        // Years are counted from March and in cycles of 400, so that the leap day comes last in both.
        let since_march_0 = days + 719_468;
        let (cycle, day) = (since_march_0.div_euclid(146_097), since_march_0.rem_euclid(146_097));
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day_of_year = day - (365 * year + year / 4 - year / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let (month, next_year) =
            if shifted_month < 10 { (shifted_month + 3, 0) } else { (shifted_month - 9, 1) };
        // 1970-01-01 was a Thursday.
        let first_weekday = (days - day + 1 + 4).rem_euclid(7);
        Self { year: cycle * 400 + year + next_year, month, day, first_weekday }
    }

    /// The first day of the next month.
    fn next_month(self) -> Self {
        let first_weekday = (self.first_weekday + self.days_in_month()) % 7;
        let (year, month) =
            if self.month == 12 { (self.year + 1, 1) } else { (self.year, self.month + 1) };
        Self { year, month, day: 1, first_weekday }
    }

    fn days_in_month(self) -> i64 {
        match self.month {
            2 if self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0) => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn time(text: &str) -> Time {
        text.parse().unwrap()
    }

    fn next(schedule: &str, after: &str) -> Option<Time> {
        Cron::parse(schedule).unwrap().next_after(time(after))
    }

    fn error(schedule: &str) -> String {
        Cron::parse(schedule).unwrap_err().to_string()
    }

    #[test]
    fn a_hit_is_strictly_later() {
        let noon = "2026-11-15T12:00:00Z";
        assert_eq!(next("0 12 * * *", noon), Some(time("2026-11-16T12:00:00Z")));
        assert_eq!(next("0 12 * * *", "2026-11-15T11:59:59.999Z"), Some(time(noon)));
    }

    #[test]
    fn day_of_month_and_day_of_week_are_alternatives_unless_one_is_a_star() {
        let start = "2026-11-15T00:00:00Z";
        assert_eq!(next("0 0 20 * 1", start), Some(time("2026-11-16T00:00:00Z")));
        assert_eq!(next("0 0 * * 3", start), Some(time("2026-11-18T00:00:00Z")));
        assert_eq!(next("0 0 20 * *", start), Some(time("2026-11-20T00:00:00Z")));
        // A star with a step is none: Mondays fire next to the odd days.
        assert_eq!(next("0 0 */2 * 1", start), Some(time("2026-11-16T00:00:00Z")));
    }

    #[test]
    fn a_leap_day_is_found_within_five_years_only() {
        assert_eq!(next("0 0 29 2 *", "2024-02-29T00:00:00Z"), Some(time("2028-02-29T00:00:00Z")));
        assert_eq!(next("0 0 29 2 *", "2096-02-29T00:00:00Z"), None);
        assert_eq!(next("0 0 30 2 *", "2024-01-01T00:00:00Z"), None);
    }

    #[test]
    fn a_window_is_open_from_a_hit_until_its_duration_has_passed() {
        let cron = Cron::parse("0 9 * * mon-fri").unwrap();
        let hours = |h: i64| GoDuration::from_seconds(h * 3600);
        let active = |at: &str| cron.is_active(time(at), hours(8));
        assert!(!active("2026-11-16T08:59:59Z"));
        assert!(active("2026-11-16T09:00:00Z"));
        assert!(active("2026-11-16T16:59:59.999Z"));
        assert!(!active("2026-11-16T17:00:00Z"));
        assert!(!active("2026-11-15T09:00:00Z"));
        assert!(cron.is_active(time("2026-11-15T09:00:00Z"), hours(72)));
    }

    #[test]
    fn a_schedule_that_never_fires_is_always_active() {
        let cron = Cron::parse("0 0 31 2 *").unwrap();
        assert!(cron.is_active(time("2026-11-16T09:00:00Z"), GoDuration::from_seconds(60)));
    }

    #[test]
    fn every_counts_from_the_time_that_is_asked_about() {
        let start = "2026-11-15T12:00:00.5Z";
        assert_eq!(next("@every 90s", start), Some(time("2026-11-15T12:01:30Z")));
        assert_eq!(next("@every 1ms", start), Some(time("2026-11-15T12:00:01Z")));
    }

    #[test]
    fn errors_name_the_field_and_what_was_expected() {
        assert_eq!(error("60 * * * *"), "minute: expected a number from 0 to 59, got \"60\"");
        assert_eq!(
            error("0 0 * * 7"),
            "day of week: expected a number from 0 (Sunday) to 6 or a name from sun to sat, got \"7\""
        );
        assert_eq!(
            error("0 0 * 5-3 *"),
            "month: expected a range that does not run backwards, got \"5-3\""
        );
        assert_eq!(
            error("*/0 * * * *"),
            "minute: expected one step of at least 1 after the slash, got \"*/0\""
        );
        assert_eq!(
            error("0 0 * *"),
            "expected five fields (minute, hour, day of month, month, day of week), found 4 in \"0 0 * *\""
        );
        assert_eq!(
            error("@every 1d"),
            "@every: expected a duration such as 45s, 1h30m or 1.5h, got \"1d\""
        );
        assert!(error("@reboot").ends_with("or @every with a duration, got \"@reboot\""));
    }

    #[test]
    fn a_time_zone_is_refused() {
        assert_eq!(
            error("TZ=Europe/Berlin 0 9 * * *"),
            "schedules are always in UTC: expected none of TZ= and CRON_TZ=, got \"TZ=Europe/Berlin\""
        );
        assert!(Cron::parse("CRON_TZ=UTC @daily").is_err());
    }

    #[test]
    fn the_source_text_is_kept() {
        let cron = Cron::parse(" @daily").unwrap();
        assert_eq!(cron.to_string(), " @daily");
        let json = serde_json::to_string(&cron).unwrap();
        assert_eq!(json, "\" @daily\"");
        assert_eq!(serde_json::from_str::<Cron>(&json).unwrap(), cron);
    }

    #[test]
    fn the_far_ends_of_time_do_not_overflow() {
        for text in ["* * * * *", "@every 2562047h", "0 0 29 2 *"] {
            let cron = Cron::parse(text).unwrap();
            for at in [i64::MIN, i64::MIN + 60_000, i64::MAX - 60_000, i64::MAX] {
                let at = Time::from_millis(at);
                assert!(cron.next_after(at).is_none_or(|hit| hit > at), "{text}");
                cron.is_active(at, GoDuration::MAX);
            }
        }
    }

    /// Whether the calendar fires in the minute that starts at `at`, by another calendar's dates.
    fn fires_at(calendar: &Calendar, at: Time) -> bool {
        let date = at.to_jiff().to_zoned(jiff::tz::TimeZone::UTC).datetime();
        let has = |values: u64, value: i8| values & (1 << value) != 0;
        let day = has(calendar.days, date.day());
        let weekday = has(calendar.weekdays, date.weekday().to_sunday_zero_offset());
        has(calendar.minutes, date.minute())
            && has(calendar.hours, date.hour())
            && has(calendar.months, date.month())
            && if calendar.both_days { day && weekday } else { day || weekday }
    }

    fn field(max: u8, min: u8) -> impl Strategy<Value = String> {
        let part = prop_oneof![
            3 => Just("*".to_owned()),
            3 => (min..=max).prop_map(|n| n.to_string()),
            1 => (min..=max, min..=max).prop_map(|(a, b)| format!("{}-{}", a.min(b), a.max(b))),
            1 => (1..=max).prop_map(|step| format!("*/{step}")),
            1 => (min..=max, 1..=max).prop_map(|(n, step)| format!("{n}/{step}")),
        ];
        proptest::collection::vec(part, 1..3).prop_map(|parts| parts.join(","))
    }

    fn schedules() -> impl Strategy<Value = String> {
        (field(59, 0), field(23, 0), field(31, 1), field(12, 1), field(6, 0))
            .prop_map(|(a, b, c, d, e)| format!("{a} {b} {c} {d} {e}"))
    }

    proptest! {
        #[test]
        fn the_next_hit_is_later_matches_and_is_the_first(
            text in schedules(), millis in -3_000_000_000_000_i64..6_000_000_000_000,
        ) {
            let cron = Cron::parse(&text).unwrap();
            let Schedule::Calendar(calendar) = cron.schedule else { unreachable!() };
            let start = Time::from_millis(millis);
            let hit = cron.next_after(start);
            if let Some(hit) = hit {
                prop_assert!(hit > start);
                prop_assert_eq!(hit.millis().rem_euclid(60_000), 0);
                prop_assert!(fires_at(&calendar, hit));
            }
            // Not missed within the first days, nor within the hours before the hit.
            let end = hit.map_or(i64::MAX, Time::millis);
            let first = millis.div_euclid(60_000) * 60_000 + 60_000;
            for at in (0..3000).map(|n| first + n * 60_000).take_while(|at| *at < end) {
                prop_assert!(!fires_at(&calendar, Time::from_millis(at)));
            }
            if let Some(hit) = hit {
                for at in (1..600).map(|n| hit.millis() - n * 60_000).take_while(|at| *at > millis) {
                    prop_assert!(!fires_at(&calendar, Time::from_millis(at)));
                }
            }
        }

        #[test]
        fn dates_agree_with_another_calendar(days in -700_000_i64..2_900_000) {
            let other = Time::from_seconds(days * SECONDS_PER_DAY).to_jiff().to_zoned(jiff::tz::TimeZone::UTC).date();
            let date = Date::of(days);
            prop_assert_eq!((date.year, date.month, date.day), (other.year().into(), other.month().into(), other.day().into()));
            prop_assert_eq!(date.days_in_month(), i64::from(other.days_in_month()));
            prop_assert_eq!(date.first_weekday, i64::from(other.first_of_month().weekday().to_sunday_zero_offset()));
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}", near in "[@0-9*?/, a-z-]{0,40}") {
            let _ = (Cron::parse(&text), Cron::parse(&near));
        }
    }
}
