//! Kubernetes quantities as whole numbers: the readers need no more than that.

/// Thousandths of the unit, rounded up as the API server does, or `None` when the text is no quantity.
pub(crate) fn milli(text: &str) -> Option<i64> {
    if text.len() > 64 {
        return None;
    }
    let end = text
        .char_indices()
        .find(|(_, c)| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-')))
        .map_or(text.len(), |(at, _)| at);
    let (number, suffix) = text.split_at(end);
    let (negative, digits) = match number.as_bytes().first()? {
        b'-' => (true, &number[1..]),
        b'+' => (false, &number[1..]),
        _ => (false, number),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut mantissa = 0_i128;
    for digit in whole.bytes().chain(fraction.bytes()) {
        if !digit.is_ascii_digit() {
            return None;
        }
        mantissa = mantissa.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    // The value in thousandths is `mantissa × multiplier / 10^(fraction digits + shift)`.
    let (multiplier, shift): (i128, u32) = match suffix {
        "" => (1000, 0),
        "n" => (1, 6),
        "u" => (1, 3),
        "m" => (1, 0),
        "k" => (1_000_000, 0),
        "M" => (1_000_000_000, 0),
        "G" => (1_000_000_000_000, 0),
        "T" => (1_000_000_000_000_000, 0),
        "P" => (1_000_000_000_000_000_000, 0),
        "Ki" => (1000 << 10, 0),
        "Mi" => (1000 << 20, 0),
        "Gi" => (1000 << 30, 0),
        "Ti" => (1000 << 40, 0),
        "Pi" => (1000 << 50, 0),
        _ => {
            let exponent: i32 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
            match exponent {
                0..=18 => (1000 * 10_i128.pow(exponent.unsigned_abs()), 0),
                -18..0 => (1000, exponent.unsigned_abs()),
                _ => return None,
            }
        }
    };
    let divisor = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?.checked_add(shift)?)?;
    let scaled = mantissa.checked_mul(multiplier)?;
    let rounded = scaled / divisor + i128::from(scaled % divisor != 0);
    i64::try_from(if negative { -rounded } else { rounded }).ok()
}

/// Whole units, rounded up.
pub(crate) fn whole(text: &str) -> Option<i64> {
    // Bytes of a large machine times a thousand still fit: 9 PB.
    milli(text).map(|milli| milli.div_euclid(1000) + i64::from(milli.rem_euclid(1000) != 0))
}

/// Bytes as the API server prints them: with the largest binary suffix that leaves a whole number.
pub(crate) fn binary(bytes: i64) -> String {
    let mut amount = bytes;
    let mut suffix = "";
    for next in ["Ki", "Mi", "Gi", "Ti", "Pi"] {
        if amount == 0 || amount % 1024 != 0 {
            break;
        }
        amount /= 1024;
        suffix = next;
    }
    format!("{amount}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn reads_suffixes_exponents_and_fractions() {
        for (text, expected) in [
            ("1", Some(1000)),
            ("100m", Some(100)),
            ("1.5", Some(1500)),
            ("2Gi", Some(2_147_483_648_000)),
            ("0.5Ki", Some(512_000)),
            ("1e3", Some(1_000_000)),
            ("15E-1", Some(1500)),
            ("1n", Some(1)),
            ("-2", Some(-2000)),
            ("", None),
            (".", None),
            ("1.2.3", None),
            ("1x", None),
            ("Gi", None),
            ("1e99", None),
            ("99999999999999999999Pi", None),
        ] {
            assert_eq!(milli(text), expected, "{text}");
        }
        assert_eq!(whole("100m"), Some(1));
        assert_eq!(
            (binary(2 << 30), binary(1 << 40), binary(1000)),
            ("2Gi".into(), "1Ti".into(), "1000".into())
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}") {
            let _ = (milli(&text), whole(&text));
        }

        #[test]
        fn printed_bytes_read_back(bytes in 0_i64..1 << 52) {
            prop_assert_eq!(whole(&binary(bytes)), Some(bytes));
        }
    }
}
