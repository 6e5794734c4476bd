//! Money as people read it.

use restow_model::Price;
use restow_model::price::HOURS_PER_MONTH;

use crate::units::grouped;

/// `$2.520/hour`, for a whole fleet.
pub fn per_hour(price: Price) -> String {
    format!("{}/hour", dollars(i128::from(price.nanos()), 3))
}

/// `$0.1234/h`, for one node.
pub fn node_per_hour(price: Price) -> String {
    format!("{}/h", dollars(i128::from(price.nanos()), 4))
}

/// `$1,839.60/month`, of 730 hours.
pub fn per_month(price: Price) -> String {
    format!("{}/month", month(price))
}

/// `$1,839.60`, what the price comes to in a month of 730 hours.
pub fn month(price: Price) -> String {
    dollars(nanos_per_month(price), 2)
}

/// `0.1234`, dollars per hour under a header that says so.
pub fn hourly_figure(price: Price, decimals: u32) -> String {
    figure(i128::from(price.nanos()), decimals)
}

/// `1,839.60`, dollars per month under a header that says so.
pub fn monthly_figure(price: Price) -> String {
    figure(nanos_per_month(price), 2)
}

/// Dollars in a month of 730 hours, as a number that prints with the decimals it has.
pub fn dollars_per_month(price: Price) -> f64 {
    nanos_per_month(price) as f64 / 1e9
}

/// `$370.12`, an amount that was paid.
pub fn amount(dollars: f64, decimals: u32) -> String {
    // A float that is not a number is none; one beyond all money is cut.
    self::dollars((dollars * 1e9).round() as i128, decimals)
}

fn nanos_per_month(price: Price) -> i128 {
    i128::from(price.nanos()) * i128::from(HOURS_PER_MONTH)
}

fn dollars(nanos: i128, decimals: u32) -> String {
    let text = figure(nanos, decimals);
    match text.strip_prefix('-') {
        Some(text) => format!("-${text}"),
        None => format!("${text}"),
    }
}

/// Dollars with one to nine decimals and separators between thousands; half a unit goes away from zero.
fn figure(nanos: i128, decimals: u32) -> String {
    let decimals = decimals.clamp(1, 9);
    let unit = 10_u128.pow(9 - decimals);
    let rounded = (nanos.unsigned_abs() + unit / 2) / unit;
    let per_dollar = 10_u128.pow(decimals);
    let sign = if nanos < 0 && rounded > 0 { "-" } else { "" };
    let whole = grouped(rounded / per_dollar);
    format!("{sign}{whole}.{:0width$}", rounded % per_dollar, width = decimals as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(text: &str) -> Price {
        text.parse().unwrap()
    }

    #[test]
    fn fleets_have_three_decimals_nodes_four_and_months_two() {
        assert_eq!(per_hour(price("2.52")), "$2.520/hour");
        assert_eq!(node_per_hour(price("0.12345")), "$0.1235/h");
        assert_eq!(per_month(price("2.52")), "$1,839.60/month");
    }

    #[test]
    fn thousands_are_separated_and_signs_come_first() {
        assert_eq!(per_hour(price("1234567.8")), "$1,234,567.800/hour");
        assert_eq!(per_hour(price("-1234.5")), "-$1,234.500/hour");
        assert_eq!(per_hour(price("-0.0000001")), "$0.000/hour");
    }

    #[test]
    fn a_month_is_exact() {
        assert_eq!(dollars_per_month(price("0.0864")).to_string(), "63.072");
        assert_eq!(month(Price::from_nanos(i64::MAX)), "$6,733,061,586,903.99");
    }
}
