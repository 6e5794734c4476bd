//! Making a text fit so that it can still be told from its neighbours.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::Cut;

/// Cuts the texts of one column, all in the same way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cutter {
    place: Place,
    /// The width of the column.
    pub(super) width: usize,
    ascii: bool,
}

/// What goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The end.
    End,
    /// The middle.
    Middle,
    /// Part of what all texts start with, which is that wide.
    Prefix(usize),
    /// All of what they end with, which is that wide.
    Suffix(usize),
}

impl Cutter {
    pub(super) fn new<'a>(
        cut: Cut,
        width: usize,
        ascii: bool,
        texts: &(impl Iterator<Item = &'a str> + Clone),
    ) -> Self {
        let place = match cut {
            Cut::Never | Cut::End => Place::End,
            Cut::Middle => Self::inside(width, texts),
        };
        Self { place, width, ascii }
    }

    /// One that cuts ends, whatever the column allows.
    pub(super) fn end(width: usize, ascii: bool) -> Self {
        Self { place: Place::End, width, ascii }
    }

    /// What tells least: the common end, the common start, else the middle.
    fn inside<'a>(width: usize, texts: &(impl Iterator<Item = &'a str> + Clone)) -> Place {
        let wide = || texts.clone().filter(|text| text.width() > width);
        let Some(widest) = wide().map(UnicodeWidthStr::width).max() else { return Place::End };
        let excess = widest - width.saturating_sub(1);
        // Names that fit may be of another sort.
        let (prefix, suffix) = Some(common(texts.clone()))
            .filter(|found| *found != (0, 0))
            .unwrap_or_else(|| common(wide()));
        if suffix >= excess {
            Place::Suffix(suffix)
        } else if prefix > excess {
            Place::Prefix(prefix)
        } else {
            Place::Middle
        }
    }

    pub(super) fn cut(&self, text: &str) -> String {
        let all = text.width();
        if all <= self.width {
            return text.to_owned();
        }
        let room = self.width.saturating_sub(1);
        let (head, tail) = match self.place {
            Place::End => (room, 0),
            Place::Middle => (room - room / 2, room / 2),
            Place::Prefix(prefix) => (prefix.saturating_sub(all - room), all - prefix),
            Place::Suffix(suffix) => (all - suffix, 0),
        };
        let mark = match (self.width, self.ascii) {
            (0, _) => "",
            (_, true) => "~",
            (_, false) => "…",
        };
        format!("{}{mark}{}", first(text, head), last(text, tail))
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
        let cutter = Cutter::new(cut, width, false, &texts.iter().copied());
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
