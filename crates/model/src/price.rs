//! Money per hour, exact.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Nano-dollars per hour: every list price is exact, and sums do not depend on their order.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Price(i64);

/// Hours in a month, as every cost tool counts them.
pub const HOURS_PER_MONTH: i64 = 730;

/// Text that is not a price.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a price in dollars per hour such as 0.0864, got {0:?}")]
pub struct ParsePriceError(pub String);

impl Price {
    /// No cost.
    pub const ZERO: Self = Self(0);

    /// That many billionths of a dollar per hour.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// Billionths of a dollar per hour.
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// Dollars per hour from a floating-point source, rounded to the nearest nano-dollar; `None` when not a
    /// number or out of range.
    pub fn from_dollars(dollars: f64) -> Option<Self> {
        let nanos = (dollars * 1e9).round();
        (nanos.abs() < 9e18).then_some(Self(nanos as i64))
    }

    /// Dollars per hour, for printing and ratios.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// Dollars per month of 730 hours.
    pub fn dollars_per_month(self) -> f64 {
        self.dollars() * HOURS_PER_MONTH as f64
    }

    /// The price times `numerator / 1_000_000`, rounded to the nearest nano-dollar.
    #[must_use]
    pub fn times_millionths(self, numerator: i64) -> Self {
        let product = i128::from(self.0) * i128::from(numerator);
        let rounded = (product + if product < 0 { -500_000 } else { 500_000 }) / 1_000_000;
        Self(i64::try_from(rounded).unwrap_or(if product < 0 { i64::MIN } else { i64::MAX }))
    }

    /// The larger of the price and zero.
    #[must_use]
    pub fn at_least_zero(self) -> Self {
        Self(self.0.max(0))
    }
}

impl FromStr for Price {
    type Err = ParsePriceError;

    /// A decimal number with an optional sign and exponent; digits beyond the ninth decimal are rounded half up.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text).map(Self).ok_or_else(|| ParsePriceError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<i64> {
    let (negative, unsigned) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (unsigned, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if digits().next().is_none() || !digits().all(|c| c.is_ascii_digit()) || mantissa.len() > 64 {
        return None;
    }
    // The position of the first digit relative to the ninth decimal decides which digits count.
    let mut places = i64::from(exponent) + whole.len() as i64 + 9;
    let (mut nanos, mut round_up) = (0_i64, false);
    for digit in digits() {
        if places > 0 {
            nanos = nanos.checked_mul(10)?.checked_add(i64::from(digit - b'0'))?;
        } else if places == 0 {
            round_up = digit >= b'5';
        }
        places -= 1;
    }
    if nanos != 0 {
        for _ in 0..places.max(0) {
            nanos = nanos.checked_mul(10)?;
        }
    }
    nanos = nanos.checked_add(i64::from(round_up))?;
    Some(if negative { -nanos } else { nanos })
}

impl fmt::Display for Price {
    /// Dollars, with as many decimals as asked for (`{:.4}`), else as many as it has.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let nanos = self.0.unsigned_abs();
        match f.precision() {
            Some(decimals) if decimals < 9 => {
                let unit = 10_u64.pow(9 - decimals as u32);
                let rounded = (nanos + unit / 2) / unit;
                let per_dollar = 10_u64.pow(decimals as u32);
                let sign = if rounded == 0 { "" } else { sign };
                if decimals == 0 {
                    write!(f, "{sign}{rounded}")
                } else {
                    write!(f, "{sign}{}.{:0decimals$}", rounded / per_dollar, rounded % per_dollar)
                }
            }
            _ => {
                let text = format!("{:09}", nanos % 1_000_000_000);
                let fraction = text.trim_end_matches('0');
                let dot = if fraction.is_empty() { "" } else { "." };
                write!(f, "{sign}{}{dot}{fraction}", nanos / 1_000_000_000)
            }
        }
    }
}

impl Add for Price {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Price {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for Price {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl AddAssign for Price {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Price {
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Sum for Price {
    fn sum<I: Iterator<Item = Self>>(prices: I) -> Self {
        prices.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_decimals_and_exponents_exactly() {
        let nanos = |text: &str| text.parse::<Price>().map(Price::nanos).ok();
        assert_eq!(nanos("0.0864"), Some(86_400_000));
        assert_eq!(nanos("1e-05"), Some(10_000));
        assert_eq!(nanos("0.019003238553599998"), Some(19_003_239));
        assert_eq!(nanos("-0.5"), Some(-500_000_000));
        assert_eq!(nanos("+3"), Some(3_000_000_000));
        assert_eq!(nanos(".5"), Some(500_000_000));
        assert_eq!(nanos("0e999"), Some(0));
        for bad in ["", "-", ".", "1.2.3", "NaN", "inf", "0x1", "1e", "99999999999", "1 "] {
            assert_eq!(nanos(bad), None, "{bad}");
        }
    }

    #[test]
    fn prints_with_the_decimals_that_were_asked_for() {
        let price = Price::from_nanos(172_849_999);
        assert_eq!(price.to_string(), "0.172849999");
        assert_eq!(format!("{price:.4}"), "0.1728");
        assert_eq!(format!("{price:.0}"), "0");
        assert_eq!(format!("{:.2}", Price::from_nanos(-1)), "0.00");
        assert_eq!(Price::from_nanos(2_000_000_000).to_string(), "2");
    }

    proptest! {
        #[test]
        fn text_round_trips(nanos in any::<i64>().prop_filter("has a negative", |n| *n != i64::MIN)) {
            let price = Price::from_nanos(nanos);
            prop_assert_eq!(price.to_string().parse(), Ok(price));
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            let _ = text.parse::<Price>();
        }
    }
}
