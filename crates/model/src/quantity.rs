//! Amounts of a resource, as Kubernetes writes them: `500m`, `2`, `1.5Gi`.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// An exact amount in billionths, with the notation it was written in.
///
/// Accepts, rounds and prints as Kubernetes' `resource.Quantity`. Equality, order and hash are by amount:
/// `1Gi` equals `1073741824`. Amounts beyond ±1.7e29, ten billion times what fits 64 bits, are held at that limit.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quantity {
    nanos: i128,
    format: Format,
}

/// The notation of a [`Quantity`]. It matters for printing only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Format {
    /// Powers of a thousand by letter: `500m`, `2`, `3k`.
    #[default]
    Decimal,
    /// Powers of 1024: `512Mi`.
    Binary,
    /// Powers of ten by number: `12e6`.
    Exponent,
}

/// Text that is not a quantity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a quantity such as 500m, 2 or 1.5Gi, got {0:?}")]
pub struct ParseQuantityError(pub String);

const NANO: i128 = 1;
const MILLI: i128 = 1_000_000 * NANO;
const ONE: i128 = 1000 * MILLI;

/// The largest amount in binary notation: Kubernetes cuts these, and only these, to 64 bits.
const BINARY_LIMIT: i128 = i64::MAX as i128 * ONE;

impl Quantity {
    /// Nothing.
    pub const ZERO: Self = Self::from_nanos(0);

    /// That many billionths.
    pub const fn from_nanos(nanos: i128) -> Self {
        Self { nanos, format: Format::Decimal }
    }

    /// That many thousandths: millicores of cpu.
    pub const fn from_milli(milli: i64) -> Self {
        Self::from_nanos(milli as i128 * MILLI)
    }

    /// That many whole units: bytes of memory, pods.
    pub const fn from_value(value: i64) -> Self {
        Self::from_nanos(value as i128 * ONE)
    }

    /// The same amount in another notation.
    #[must_use]
    pub const fn with_format(self, format: Format) -> Self {
        Self { format, ..self }
    }

    /// The exact amount in billionths.
    pub const fn nanos(self) -> i128 {
        self.nanos
    }

    /// The notation it is printed in.
    pub const fn format(self) -> Format {
        self.format
    }

    /// Whether it is nothing.
    pub const fn is_zero(self) -> bool {
        self.nanos == 0
    }

    /// Thousandths, for requests: a part of one counts as a whole one (away from zero). Saturates.
    pub const fn milli_up(self) -> i64 {
        self.rounded_up(MILLI)
    }

    /// Thousandths, for allocatable: a part of one does not count (towards zero). Saturates.
    pub const fn milli_down(self) -> i64 {
        saturated(self.nanos / MILLI)
    }

    /// Whole units, for requests: a part of one counts as a whole one (away from zero). Saturates.
    pub const fn value_up(self) -> i64 {
        self.rounded_up(ONE)
    }

    /// Whole units, for allocatable: a part of one does not count (towards zero). Saturates.
    pub const fn value_down(self) -> i64 {
        saturated(self.nanos / ONE)
    }

    /// The same with parts of a thousandth as a whole one (away from zero), as the API server stores amounts of resources.
    #[must_use]
    pub const fn to_whole_milli(self) -> Self {
        let (whole, part) = (self.nanos / MILLI, self.nanos % MILLI);
        Self { nanos: (whole + part.signum()).saturating_mul(MILLI), ..self }
    }

    const fn rounded_up(self, unit: i128) -> i64 {
        let (whole, part) = (self.nanos / unit, self.nanos % unit);
        saturated(whole + part.signum())
    }
}

const fn saturated(amount: i128) -> i64 {
    if amount > i64::MAX as i128 {
        i64::MAX
    } else if amount < i64::MIN as i128 {
        i64::MIN
    } else {
        amount as i64
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Self) -> bool {
        self.nanos == other.nanos
    }
}

impl Eq for Quantity {}

impl Hash for Quantity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.nanos.hash(state);
    }
}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Self) -> Ordering {
        self.nanos.cmp(&other.nanos)
    }
}

impl FromStr for Quantity {
    type Err = ParseQuantityError;

    /// What the API server accepts; parts of a billionth count as a whole one (away from zero).
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_short(text.as_bytes())
            .or_else(|| parse(text))
            .ok_or_else(|| ParseQuantityError(text.to_owned()))
    }
}

/// Up to 18 digits with a common suffix: nearly every quantity of a real cluster.
fn parse_short(text: &[u8]) -> Option<Quantity> {
    let digits = text.iter().take_while(|c| c.is_ascii_digit()).count();
    if digits == 0 || digits > 18 {
        return None;
    }
    let (number, suffix) = text.split_at(digits);
    let number = number.iter().fold(0, |number, digit| number * 10 + u64::from(digit - b'0'));
    let (unit, format) = match suffix {
        b"" => (ONE, Format::Decimal),
        b"m" => (MILLI, Format::Decimal),
        b"Ki" => (ONE << 10, Format::Binary),
        b"Mi" => (ONE << 20, Format::Binary),
        b"Gi" => (ONE << 30, Format::Binary),
        _ => return None,
    };
    let nanos = i128::from(number) * unit;
    let limit = if format == Format::Binary { BINARY_LIMIT } else { i128::MAX };
    Some(Quantity { nanos: nanos.min(limit), format })
}

/// What a suffix multiplies by.
enum Unit {
    PowerOfTen(i32, Format),
    PowerOfTwo(u32),
}

fn parse(text: &str) -> Option<Quantity> {
    if text.is_empty() {
        return None;
    }
    let (negative, unsigned) = match text.as_bytes()[0] {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (whole, rest) = split_digits(unsigned);
    let (fraction, suffix) = rest.strip_prefix('.').map_or(("", rest), split_digits);
    let has_digits = !(whole.is_empty() && fraction.is_empty());
    let (amount, format) = match parse_suffix(suffix)? {
        // Kubernetes reads a missing number as zero, except where its slow path is needed.
        Unit::PowerOfTen(exponent, _) if !has_digits && exponent < -9 => return None,
        Unit::PowerOfTwo(bits) if !has_digits && bits > 40 => return None,
        Unit::PowerOfTen(exponent, format) => (decimal(whole, fraction, exponent), format),
        Unit::PowerOfTwo(bits) => {
            let amount = binary(whole, fraction, bits);
            // Less than one has no binary notation.
            (amount, if 0 < amount && amount < ONE { Format::Decimal } else { Format::Binary })
        }
    };
    Some(Quantity { nanos: if negative { -amount } else { amount }, format })
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

fn parse_suffix(suffix: &str) -> Option<Unit> {
    let exponent = match suffix {
        "n" => -9,
        "u" => -6,
        "m" => -3,
        "" => 0,
        "k" => 3,
        "M" => 6,
        "G" => 9,
        "T" => 12,
        "P" => 15,
        "E" => 18,
        "Ki" => return Some(Unit::PowerOfTwo(10)),
        "Mi" => return Some(Unit::PowerOfTwo(20)),
        "Gi" => return Some(Unit::PowerOfTwo(30)),
        "Ti" => return Some(Unit::PowerOfTwo(40)),
        "Pi" => return Some(Unit::PowerOfTwo(50)),
        "Ei" => return Some(Unit::PowerOfTwo(60)),
        _ => {
            let exponent: i64 = suffix.strip_prefix(['e', 'E'])?.parse().ok()?;
            // Kubernetes keeps the lower 32 bits.
            return Some(Unit::PowerOfTen(exponent as i32, Format::Exponent));
        }
    };
    Some(Unit::PowerOfTen(exponent, Format::Decimal))
}

/// Billionths of `whole.fraction × 10^exponent`, rounded up.
fn decimal(whole: &str, fraction: &str, exponent: i32) -> i128 {
    let shift = i64::from(exponent) + 9 - fraction.len() as i64;
    let digits = (whole.len() + fraction.len()) as i64;
    let counted = (digits + shift.min(0)).max(0) as usize;
    let (mut nanos, mut lost) = (0_i128, false);
    for (index, digit) in whole.bytes().chain(fraction.bytes()).enumerate() {
        if index < counted {
            nanos = nanos.saturating_mul(10).saturating_add(i128::from(digit - b'0'));
        } else {
            lost |= digit != b'0';
        }
    }
    for _ in 0..shift {
        if nanos == 0 || nanos == i128::MAX {
            break;
        }
        nanos = nanos.saturating_mul(10);
    }
    nanos.saturating_add(i128::from(lost))
}

/// Billionths of `whole.fraction × 2^bits`, rounded up and cut to the limit of binary notation.
fn binary(whole: &str, fraction: &str, bits: u32) -> i128 {
    let unit = ONE << bits;
    let whole = whole.bytes().fold(0_i128, |number, digit| {
        (number * 10 + i128::from(digit - b'0')).min(i128::from(i64::MAX))
    });
    // From the last digit to the first, so that only a remainder has to be remembered of what is dropped.
    let (part, lost) = fraction.bytes().rev().fold((0_i128, false), |(part, lost), digit| {
        let sum = part + i128::from(digit - b'0') * unit;
        (sum / 10, lost || sum % 10 != 0)
    });
    whole.saturating_mul(unit).saturating_add(part + i128::from(lost)).min(BINARY_LIMIT)
}

impl fmt::Display for Quantity {
    /// The canonical form: no fraction, and the largest unit that allows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nanos == 0 {
            return f.write_str("0");
        }
        // Binary notation starts at 1024 and has no fractions.
        let binary = self.format == Format::Binary
            && self.nanos.unsigned_abs() >= 1024 * ONE.unsigned_abs()
            && self.nanos % ONE == 0;
        if binary {
            let mut number = self.nanos / ONE;
            let mut suffixes = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"].iter();
            let mut suffix = "";
            while number % 1024 == 0
                && let Some(larger) = suffixes.next()
            {
                number /= 1024;
                suffix = larger;
            }
            return write!(f, "{number}{suffix}");
        }
        let (mut number, mut exponent) = (self.nanos, -9);
        let largest = if self.format == Format::Exponent { i32::MAX } else { 18 };
        while number % 1000 == 0 && exponent < largest {
            number /= 1000;
            exponent += 3;
        }
        if self.format == Format::Exponent && exponent != 0 {
            return write!(f, "{number}e{exponent}");
        }
        let suffix = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"];
        write!(f, "{number}{}", suffix[(exponent / 3 + 3) as usize])
    }
}

impl Serialize for Quantity {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            (self.nanos, self.format).serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Quantity {
    /// From text or a number, as the API server takes it: space around the text is ignored.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(Visitor)
        } else {
            <(i128, Format)>::deserialize(deserializer)
                .map(|(nanos, format)| Self { nanos, format })
        }
    }
}

struct Visitor;

impl de::Visitor<'_> for Visitor {
    type Value = Quantity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a quantity such as 500m, 2 or 1.5Gi")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Quantity, E> {
        text.trim().parse().map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Quantity, E> {
        Ok(Quantity::from_value(value))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Quantity, E> {
        Ok(Quantity::from_nanos(i128::from(value) * ONE))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Quantity, E> {
        // The shortest text that reads as this number is what was written.
        self.visit_str(&value.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn quantity(text: &str) -> Quantity {
        text.parse().unwrap()
    }

    fn formats() -> impl Strategy<Value = Format> {
        prop_oneof![Just(Format::Decimal), Just(Format::Binary), Just(Format::Exponent)]
    }

    #[test]
    fn an_amount_beyond_all_bounds_stays_there_when_it_is_rounded() {
        let most: Quantity = "1e30".parse().expect("more than fits is the most");
        assert_eq!(most.to_whole_milli().value_up(), i64::MAX);
    }

    #[test]
    fn requests_round_up_and_allocatable_rounds_down() {
        let amount = quantity("1.0005");
        assert_eq!((amount.milli_up(), amount.milli_down()), (1001, 1000));
        assert_eq!((amount.value_up(), amount.value_down()), (2, 1));
        let negative = quantity("-1.0005");
        assert_eq!((negative.milli_up(), negative.milli_down()), (-1001, -1000));
        assert_eq!((negative.value_up(), negative.value_down()), (-2, -1));
    }

    #[test]
    fn whole_numbers_beyond_64_bits_saturate() {
        assert_eq!(quantity("1e30").milli_up(), i64::MAX);
        assert_eq!(quantity("1e30").value_down(), i64::MAX);
        assert_eq!(quantity("-1e30").value_up(), i64::MIN);
        assert_eq!(quantity("8Ei").value_up(), i64::MAX);
        assert_eq!(quantity("8Ei").milli_down(), i64::MAX);
        assert_eq!(quantity("9223372036854775807").value_up(), i64::MAX);
    }

    #[test]
    fn equality_is_by_amount_not_by_notation() {
        assert_eq!(quantity("1Gi"), quantity("1073741824"));
        assert_eq!(quantity("1"), quantity("1000m"));
        assert_eq!(quantity("1e3"), quantity("1k"));
        assert!(quantity("1G") < quantity("1Gi"));
    }

    #[test]
    fn only_binary_notation_is_cut_to_64_bits() {
        assert_eq!(quantity("100Ei"), Quantity::from_value(i64::MAX));
        assert_eq!(quantity("-100Ei"), Quantity::from_value(-i64::MAX));
        assert_eq!(quantity("100E").nanos(), 100 * 10_i128.pow(27));
    }

    #[test]
    fn a_part_of_a_billionth_counts_as_a_whole_one() {
        assert_eq!(quantity("0.1n").nanos(), 1);
        assert_eq!(quantity("-0.1n").nanos(), -1);
        assert_eq!(quantity("1e-999999999").nanos(), 1);
        assert_eq!(quantity(&format!("1.{}1Ki", "0".repeat(500))).nanos(), 1024 * ONE + 1);
    }

    #[test]
    fn large_decimals_print_with_the_largest_letter() {
        // Kubernetes loses the exponent here and prints 1.
        assert_eq!(quantity("1000E").to_string(), "1000E");
    }

    #[test]
    fn constructors_print_in_the_notation_that_was_asked_for() {
        assert_eq!(Quantity::from_milli(1500).to_string(), "1500m");
        assert_eq!(Quantity::from_milli(2000).to_string(), "2");
        assert_eq!(Quantity::from_value(3000).to_string(), "3k");
        assert_eq!(Quantity::from_value(3 << 30).with_format(Format::Binary).to_string(), "3Gi");
        assert_eq!(Quantity::from_value(3000).with_format(Format::Exponent).to_string(), "3e3");
    }

    #[test]
    fn an_error_says_what_was_expected() {
        let error = "12x".parse::<Quantity>().unwrap_err();
        assert_eq!(error.to_string(), "expected a quantity such as 500m, 2 or 1.5Gi, got \"12x\"");
    }

    #[test]
    fn json_holds_text_and_may_hold_a_number() {
        let read = |json: &str| serde_json::from_str::<Quantity>(json).ok();
        assert_eq!(read("\"1.5Gi\""), Some(quantity("1.5Gi")));
        assert_eq!(read("\" 2 \""), Some(quantity("2")));
        assert_eq!(read("2"), Some(quantity("2")));
        assert_eq!(read("-2"), Some(quantity("-2")));
        assert_eq!(read("0.1"), Some(quantity("100m")));
        assert_eq!(read("\"\""), None);
        assert_eq!(read("true"), None);
        assert_eq!(serde_json::to_string(&quantity("1536Mi")).unwrap(), "\"1536Mi\"");
    }

    proptest! {
        #[test]
        fn text_round_trips(
            nanos in prop_oneof![
                any::<i128>(),
                any::<i64>().prop_map(i128::from),
                any::<i64>().prop_map(|value| i128::from(value) * ONE),
                any::<i32>().prop_map(|value| i128::from(value) * MILLI),
            ],
            format in formats(),
        ) {
            // Parsing holds amounts at ±i128::MAX, and binary ones at ±BINARY_LIMIT.
            let limit = if format == Format::Binary { BINARY_LIMIT } else { i128::MAX };
            let before = Quantity::from_nanos(nanos.clamp(-limit, limit)).with_format(format);
            prop_assert_eq!(before.to_string().parse(), Ok(before));
        }

        #[test]
        fn printing_a_parsed_text_is_stable(text in "[+-]?[0-9]{0,25}(\\.[0-9]{0,25})?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|e[0-9]|E-[0-9])?") {
            if let Ok(before) = text.parse::<Quantity>() {
                let printed = before.to_string();
                let after = printed.parse::<Quantity>();
                prop_assert_eq!(after.as_ref(), Ok(&before));
                prop_assert_eq!(after.map(|q| q.to_string()), Ok(printed));
            }
        }

        #[test]
        fn the_short_form_agrees_with_the_general_one(text in "[0-9]{1,19}(m|Ki|Mi|Gi)?") {
            let general = parse(&text).unwrap();
            if let Some(short) = parse_short(text.as_bytes()) {
                prop_assert_eq!((short.nanos, short.format), (general.nanos, general.format));
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".{0,40}", near in "[-+0-9.eEinumkKMGTP]{0,40}") {
            let _ = (text.parse::<Quantity>(), near.parse::<Quantity>());
        }

        #[test]
        fn up_and_down_enclose_the_amount(nanos in any::<i64>()) {
            let amount = Quantity::from_nanos(i128::from(nanos));
            let (up, down) = (Quantity::from_milli(amount.milli_up()), Quantity::from_milli(amount.milli_down()));
            prop_assert!(down.nanos().abs() <= amount.nanos().abs() && amount.nanos().abs() <= up.nanos().abs());
            prop_assert!(up.nanos().abs() - down.nanos().abs() <= MILLI);
        }

        #[test]
        fn stored_bytes_keep_amount_and_notation(nanos in any::<i128>(), format in formats()) {
            let before = Quantity::from_nanos(nanos).with_format(format);
            let bytes = postcard::to_allocvec(&before).unwrap();
            let after: Quantity = postcard::from_bytes(&bytes).unwrap();
            prop_assert_eq!((after.nanos, after.format), (before.nanos, before.format));
        }
    }
}
