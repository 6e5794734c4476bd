//! Sentences and lists that fit a width.

use unicode_width::UnicodeWidthStr;

use crate::nodes_view::ViewOptions;
use crate::style::{Style, Styled};
use crate::units::grouped;

/// How many of many names are shown.
const FEW: usize = 3;

/// Writes a sentence on as many lines as it needs; what continues it is indented.
pub(crate) fn sentence(out: &mut String, text: &str, style: Style, options: &ViewOptions) {
    for line in hanging("", text, 2, options.width) {
        Styled::new(line, style).write_to(out, options.color);
        out.push('\n');
    }
}

/// Writes a sentence beside a word that stands before it, `indent` columns from the left.
pub(crate) fn beside(
    out: &mut String,
    word: &str,
    text: &str,
    indent: usize,
    options: &ViewOptions,
) {
    for line in hanging(word, text, indent, options.width) {
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// Lines of at most `width`: the first starts with `word`, the others with `indent` spaces.
pub(crate) fn hanging(word: &str, text: &str, indent: usize, width: Option<usize>) -> Vec<String> {
    // Where the indent leaves no room for words, they go below.
    let indent = width.map_or(indent, |width| indent.min(width / 2));
    let first = match word {
        blank if blank.trim().is_empty() => blank.to_owned(),
        word => format!("{word}{}", " ".repeat(indent.saturating_sub(word.width()).max(1))),
    };
    let mut lines = vec![first];
    let mut started = false;
    for part in text.split(' ') {
        let at = lines.len() - 1;
        let needed = lines[at].width() + usize::from(started) + part.width();
        if started && width.is_some_and(|width| needed > width) {
            lines.push(format!("{}{part}", " ".repeat(indent)));
        } else {
            if started {
                lines[at].push(' ');
            }
            lines[at].push_str(part);
        }
        started = true;
    }
    lines
}

/// The first few names, and how many there are besides: `a, b, c and 9 more`.
pub(crate) fn few<T: ToString>(names: &[T]) -> String {
    let shown: Vec<String> = names.iter().take(FEW).map(ToString::to_string).collect();
    match names.len().saturating_sub(FEW) {
        0 => shown.join(", "),
        more => format!("{} and {} more", shown.join(", "), grouped(more as u128)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_hang_below_their_first_words() {
        assert_eq!(hanging("", "one two three", 2, Some(8)), ["one two", "  three"]);
        assert_eq!(hanging("3 nodes", "a b c", 9, Some(11)), ["3 nodes a b", "     c"]);
        assert_eq!(hanging("3 nodes", "a bc d", 9, Some(20)), ["3 nodes  a bc d"]);
        assert_eq!(hanging("", "one", 2, None), ["one"]);
    }

    #[test]
    fn many_names_are_counted() {
        assert_eq!(few(&["a", "b"]), "a, b");
        assert_eq!(few(&["a", "b", "c", "d", "e"]), "a, b, c and 2 more");
    }
}
