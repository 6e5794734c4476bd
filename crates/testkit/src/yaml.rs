//! Which texts YAML takes for something else, and so have to be quoted.

use crate::emit::json_text;

/// `text` as a YAML scalar that every reader takes for this text.
pub(crate) fn scalar(out: &mut Vec<u8>, text: &str) {
    if is_plain(text) {
        out.extend_from_slice(text.as_bytes());
    } else {
        json_text(out, text);
    }
}

/// Whether `text` may stand without quotes. In doubt it may not.
fn is_plain(text: &str) -> bool {
    const WORDS: [&str; 11] =
        ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"];
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    if !bytes.iter().all(|c| c.is_ascii_graphic() || *c == b' ') || *last == b' ' || *last == b':' {
        return false;
    }
    if text.contains(": ")
        || text.contains(" #")
        || WORDS.iter().any(|w| text.eq_ignore_ascii_case(w))
    {
        return false;
    }
    match first {
        b'0'..=b'9' => looks_like_a_word(text),
        b'A'..=b'Z' | b'a'..=b'z' | b'/' | b'_' | b'$' | b'(' => true,
        b'-' => text.starts_with("--"),
        b'.' => text == ".",
        _ => false,
    }
}

/// Of a text that starts with a digit: no number, no time, in any dialect. `7e12` and `000014e466` are numbers.
fn looks_like_a_word(text: &str) -> bool {
    let address = text.bytes().filter(|c| *c == b'.').count() == 3
        && text.bytes().all(|c| c.is_ascii_digit() || c == b'.');
    let letter = |c: u8| matches!(c.to_ascii_lowercase(), b'g'..=b'n' | b'p'..=b'w' | b'y' | b'z');
    address || (text.bytes().any(letter) && !text.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_as_something_else_is_quoted() {
        for plain in
            ["web", "100m", "8Gi", "10.0.1.2", "--x=y", "f:metadata", ".", "/var/run", "a b"]
        {
            assert!(is_plain(plain), "{plain}");
        }
        for quoted in [
            "",
            "true",
            "No",
            "y",
            "1",
            "1.5",
            "7e12",
            "000014e466",
            "0xff",
            "2026-11-15T12:00:00Z",
            "10:20",
            "a: b",
            "a #b",
            "{}",
            "[x",
            "*",
            "&a",
            "!b",
            "%c",
            "@d",
            "- x",
            " x",
            "x ",
            "key:",
            ".inf",
            "'",
            "\"",
            "1_000",
            "é",
        ] {
            assert!(!is_plain(quoted), "{quoted}");
        }
    }
}
