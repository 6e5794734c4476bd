//! Making a text fit so that it can still be told from its neighbours.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::Cut;

/// Cuts the texts of one column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cutter {
    cut: Cut,
    /// The width of the column.
    pub(super) width: usize,
    ascii: bool,
    /// How many characters all texts start with, and end with.
    common: (usize, usize),
}

impl Cutter {
    pub(super) fn new<'a>(
        cut: Cut,
        width: usize,
        ascii: bool,
        texts: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        let mut wide = texts.clone().filter(|text| text.width() > width).peekable();
        let common = match cut {
            Cut::Middle if wide.peek().is_some() => {
                // Names that fit may be of another sort.
                Some(common(texts)).filter(|found| *found != (0, 0)).unwrap_or_else(|| common(wide))
            }
            _ => (0, 0),
        };
        Self { cut, width, ascii, common }
    }

    /// One that cuts ends, whatever the column allows.
    pub(super) fn end(width: usize, ascii: bool) -> Self {
        Self { cut: Cut::End, width, ascii, common: (0, 0) }
    }

    pub(super) fn cut(&self, text: &str) -> String {
        if text.width() <= self.width {
            return text.to_owned();
        }
        let mark = if self.ascii { "~" } else { "…" };
        let room = self.width.saturating_sub(1);
        let (head, tail) = match self.cut {
            Cut::Middle => self.around(text, room),
            Cut::Never | Cut::End => (room, 0),
        };
        let mut out = first(text, head).to_owned();
        if self.width > 0 {
            out.push_str(mark);
        }
        out.push_str(last(text, tail));
        out
    }

    /// How many columns to keep before and after the cut. What all texts end with goes as a whole, it tells nothing; else
    /// the cut is in what they start with, if that is enough.
    fn around(&self, text: &str, room: usize) -> (usize, usize) {
        let (prefix, suffix) = self.common;
        let all = text.width();
        let excess = all.saturating_sub(room);
        if suffix >= excess && all - suffix <= room {
            (all - suffix, 0)
        } else if prefix >= excess {
            (prefix - excess, all - prefix)
        } else {
            (room - room / 2, room / 2)
        }
    }
}

/// How many columns of words all texts start with and end with. Of a single text nothing is common.
fn common<'a>(mut texts: impl Iterator<Item = &'a str>) -> (usize, usize) {
    let Some(model) = texts.next() else { return (0, 0) };
    let (mut prefix, mut suffix) = (model, model);
    let mut several = false;
    for text in texts {
        several |= text != model;
        let same = prefix.chars().zip(text.chars()).take_while(|(a, b)| a == b);
        prefix = &prefix[..same.map(|(c, _)| c.len_utf8()).sum()];
        let same = suffix.chars().rev().zip(text.chars().rev()).take_while(|(a, b)| a == b);
        let len: usize = same.map(|(c, _)| c.len_utf8()).sum();
        suffix = &suffix[suffix.len() - len..];
    }
    if !several {
        return (0, 0);
    }
    // Whole words only: that two addresses end in the same digit is chance.
    let between = |c: char| matches!(c, '.' | '-' | '_' | '/');
    let prefix = prefix.rfind(between).map_or("", |at| &prefix[..=at]);
    let suffix = suffix.find(between).map_or("", |at| &suffix[at..]);
    (prefix.width(), suffix.width())
}

/// The start of a text, at most `width` columns of it.
fn first(text: &str, width: usize) -> &str {
    let mut used = 0;
    let end = text.char_indices().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > width
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// The end of a text, at most `width` columns of it.
fn last(text: &str, width: usize) -> &str {
    let mut used = 0;
    let start = text.char_indices().rev().find(|(_, c)| {
        used += c.width().unwrap_or(0);
        used > width
    });
    start.map_or(text, |(at, c)| &text[at + c.len_utf8()..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(texts: &[&str], cut: Cut, width: usize) -> Vec<String> {
        let cutter = Cutter::new(cut, width, false, texts.iter().copied());
        texts.iter().map(|text| cutter.cut(text)).collect()
    }

    #[test]
    fn texts_that_fit_are_left_alone() {
        assert_eq!(cut(&["abc", "de"], Cut::Middle, 3), ["abc", "de"]);
    }

    #[test]
    fn what_ends_all_names_goes_first() {
        let names = ["ip-10-40-0-1.ec2.internal", "ip-10-40-12-101.ec2.internal"];
        assert_eq!(cut(&names, Cut::Middle, 20), ["ip-10-40-0-1…", "ip-10-40-12-101…"]);
        assert_eq!(cut(&names, Cut::Middle, 16), ["ip-10-40-0-1…", "ip-10-40-12-101…"]);
    }

    #[test]
    fn then_what_starts_all_names() {
        let names = ["gke-production-a-0001", "gke-production-b-0002"];
        assert_eq!(cut(&names, Cut::Middle, 14), ["gke-pro…a-0001", "gke-pro…b-0002"]);
    }

    #[test]
    fn else_the_middle_goes() {
        assert_eq!(cut(&["abcdefghij"], Cut::Middle, 5), ["ab…ij"]);
        assert_eq!(cut(&["abcdefghij"], Cut::End, 5), ["abcd…"]);
    }

    #[test]
    fn wide_characters_count_twice() {
        for width in 0..14 {
            for how in [Cut::Middle, Cut::End] {
                let text = &cut(&["節点節点節点-x"], how, width)[0];
                assert!(text.width() <= width, "{text} in {width}");
            }
        }
        assert_eq!(cut(&["節点節点"], Cut::End, 5), ["節点…"]);
    }

    #[test]
    fn a_mark_in_ascii_is_ascii() {
        assert_eq!(Cutter::end(4, true).cut("abcdef"), "abc~");
    }
}
