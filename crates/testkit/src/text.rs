//! The small texts of Kubernetes: times, uids, random name endings, addresses.

use crate::rng::mix;

/// 2026-11-15T12:00:00Z: the time at which a generated cluster is looked at.
pub const NOW: i64 = 1_794_744_000;

/// `seconds` since 1970 as Kubernetes writes it.
pub fn time(seconds: i64) -> String {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Years run from March here, so that the leap day is the last of its year.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

/// A version 4 uid that belongs to (`seed`, `what`, `index`).
pub(crate) fn uid(seed: u64, what: u64, index: u64) -> String {
    let (high, low) = (mix(seed, what, index), mix(!seed, what, index));
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        0x8000 | ((low >> 48) & 0x3fff),
        low & 0xffff_ffff_ffff
    )
}

/// `length` characters of the alphabet from which Kubernetes draws name endings (no vowels, no 0, 1, 3).
pub(crate) fn ending(bits: u64, length: usize) -> String {
    const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
    let mut left = bits;
    (0..length)
        .map(|_| {
            let letter = ALPHABET[(left % 27) as usize] as char;
            left /= 27;
            letter
        })
        .collect()
}

/// An address in 10.0.0.0/8 that belongs to `bits`.
pub(crate) fn address(bits: u64) -> String {
    format!("10.{}.{}.{}", 16 + (bits >> 16) % 200, (bits >> 8) & 0xff, 1 + bits % 254)
}

/// 64 hexadecimal digits, as image and container ids have them.
pub(crate) fn digest(bits: u64) -> String {
    format!(
        "{:016x}{:016x}{:016x}{:016x}",
        mix(bits, 1, 0),
        mix(bits, 2, 0),
        mix(bits, 3, 0),
        mix(bits, 4, 0)
    )
}

/// Milli-cpus as people write them.
pub(crate) fn cpu(milli: u32) -> String {
    if milli.is_multiple_of(1000) { (milli / 1000).to_string() } else { format!("{milli}m") }
}

/// Mebibytes as people write them.
pub(crate) fn memory(mebibytes: u32) -> String {
    if mebibytes != 0 && mebibytes.is_multiple_of(1024) {
        format!("{}Gi", mebibytes / 1024)
    } else {
        format!("{mebibytes}Mi")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_kubernetes_does() {
        assert_eq!(time(NOW), "2026-11-15T12:00:00Z");
        assert_eq!(time(0), "1970-01-01T00:00:00Z");
        assert_eq!(time(1_709_164_799), "2024-02-28T23:59:59Z");
        assert_eq!(time(1_709_164_800), "2024-02-29T00:00:00Z");
        assert_eq!(time(1_735_689_599), "2024-12-31T23:59:59Z");
    }

    #[test]
    fn uids_look_like_uids() {
        let uid = uid(1, 2, 3);
        assert_eq!(uid.len(), 36);
        assert_eq!(uid.as_bytes()[14], b'4');
    }

    #[test]
    fn quantities_are_short() {
        assert_eq!((cpu(2000), cpu(250)), ("2".to_owned(), "250m".to_owned()));
        assert_eq!((memory(2048), memory(100)), ("2Gi".to_owned(), "100Mi".to_owned()));
    }
}
