//! Amounts as people read them.

/// A whole number with separators between thousands.
pub fn grouped(number: u128) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A whole number with a sign and separators between thousands.
pub fn count(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{}", grouped(u128::from(number.unsigned_abs())))
}

/// `1 node`, `14 nodes`.
pub fn counted(number: usize, what: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{} {what}{s}", grouped(number as u128))
}

/// Cores from thousandths, with three figures or one decimal: `8`, `7.91`, `38.6`, `1,412.5`.
pub fn cores(milli: i64) -> String {
    let sign = if milli < 0 { "-" } else { "" };
    let milli = milli.unsigned_abs();
    let unit = if milli < 9995 { 10 } else { 100 };
    let hundredths = (milli + unit / 2) / unit * unit / 10;
    let whole = grouped(u128::from(hundredths / 100));
    match hundredths % 100 {
        0 => format!("{sign}{whole}"),
        tens if tens % 10 == 0 => format!("{sign}{whole}.{}", tens / 10),
        rest => format!("{sign}{whole}.{rest:02}"),
    }
}

/// Bytes with one decimal in the largest binary unit that leaves at least one: `512Mi`, `15.3Gi`, `1.6Ti`.
pub fn bytes(bytes: i64) -> String {
    const UNITS: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let sign = if bytes < 0 { "-" } else { "" };
    let size = u128::from(bytes.unsigned_abs());
    let tenths = |unit: usize| ((size * 10) + (1 << (10 * unit)) / 2) >> (10 * unit);
    let unit = (0..UNITS.len()).rev().find(|unit| tenths(*unit) >= 10).unwrap_or(0);
    let (whole, tenth) = (tenths(unit) / 10, tenths(unit) % 10);
    match tenth {
        0 => format!("{sign}{whole}{}", UNITS[unit]),
        _ => format!("{sign}{whole}.{tenth}{}", UNITS[unit]),
    }
}

/// A share in whole percent: `73%`.
pub fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

/// A share in percent with one decimal: `73.6%`.
pub fn percent_1(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_have_only_the_decimals_they_need() {
        let all = [8000, 7910, 7900, 4, 5, 0, -250].map(cores);
        assert_eq!(all, ["8", "7.91", "7.9", "0", "0.01", "0", "-0.25"]);
        let all = [9994, 9995, 38_610, 104_760, 99_960, 1_412_500].map(cores);
        assert_eq!(all, ["9.99", "10", "38.6", "104.8", "100", "1,412.5"]);
    }

    #[test]
    fn bytes_are_in_the_largest_unit_that_leaves_one() {
        let gi = 1_i64 << 30;
        let all = [0, 1023, 512 << 20, gi, 15 * gi + gi / 3, 1638 * gi].map(bytes);
        assert_eq!(all, ["0", "1Ki", "512Mi", "1Gi", "15.3Gi", "1.6Ti"]);
        assert_eq!(bytes(i64::MAX), "8Ei");
    }

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!([0, 999, 1000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(count(-1000), "-1,000");
        assert_eq!(counted(1, "node"), "1 node");
        assert_eq!(counted(1000, "node"), "1,000 nodes");
    }

    #[test]
    fn shares_are_rounded_to_whole_or_tenths_of_percent() {
        assert_eq!((percent(0.736), percent_1(0.7364)), ("74%".to_owned(), "73.6%".to_owned()));
    }
}
