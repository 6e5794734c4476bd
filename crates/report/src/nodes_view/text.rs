//! Sentences that fit a width.

use unicode_width::UnicodeWidthStr;

use super::ViewOptions;
use crate::style::Styled;

/// Writes a sentence on as many lines as it needs.
pub(super) fn paragraph(out: &mut String, text: &Styled, options: &ViewOptions) {
    for line in wrap(&text.text, options.width) {
        Styled::new(line, text.style).write_to(out, options.color);
        out.push('\n');
    }
}

/// Lines no wider than asked for, broken between words; what continues a note is indented.
fn wrap(text: &str, width: Option<usize>) -> Vec<String> {
    let Some(width) = width else { return vec![text.to_owned()] };
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        for piece in pieces(word, width.saturating_sub(2).max(1)) {
            let at = lines.len() - 1;
            let line = &mut lines[at];
            let space = usize::from(!line.trim_start().is_empty());
            if line.width() + space + piece.width() <= width || line.trim_start().is_empty() {
                line.push_str(if space == 1 { " " } else { "" });
                line.push_str(&piece);
            } else {
                lines.push(format!("{}{piece}", if width > 2 { "  " } else { "" }));
            }
        }
    }
    lines
}

/// A word in pieces that fit a line.
fn pieces(word: &str, width: usize) -> Vec<String> {
    if word.width() <= width {
        return vec![word.to_owned()];
    }
    let mut pieces = vec![String::new()];
    for c in word.chars() {
        let at = pieces.len() - 1;
        let mut longer = pieces[at].clone();
        longer.push(c);
        if longer.width() <= width || pieces[at].is_empty() {
            pieces[at] = longer;
        } else {
            pieces.push(c.to_string());
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_break_between_words_and_long_words_anywhere() {
        assert_eq!(wrap("one two three", Some(8)), ["one two", "  three"]);
        assert_eq!(wrap("one", None), ["one"]);
        assert_eq!(wrap("a abcdefghij b", Some(6)), ["a abcd", "  efgh", "  ij b"]);
    }
}
