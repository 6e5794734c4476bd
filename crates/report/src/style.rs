//! Colours by meaning. They repeat what the text says and never say it alone.

use anstyle::{AnsiColor, Effects};

/// What a piece of text means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// Nothing in particular.
    #[default]
    Plain,
    /// As it should be.
    Good,
    /// Worth a look.
    Warn,
    /// Not as it should be.
    Bad,
    /// Of less interest.
    Dim,
    /// Of more interest.
    Strong,
}

impl Style {
    /// How a terminal shows it.
    pub fn ansi(self) -> anstyle::Style {
        let style = anstyle::Style::new();
        match self {
            Self::Plain => style,
            Self::Good => style.fg_color(Some(AnsiColor::Green.into())),
            Self::Warn => style.fg_color(Some(AnsiColor::Yellow.into())),
            Self::Bad => style.fg_color(Some(AnsiColor::Red.into())),
            Self::Dim => style.effects(Effects::DIMMED),
            Self::Strong => style.effects(Effects::BOLD),
        }
    }

    /// How good a utilization is: high is good.
    pub fn of_utilization(share: f64) -> Self {
        match share {
            share if share >= 0.9 => Self::Good,
            share if share > 0.6 => Self::Warn,
            _ => Self::Bad,
        }
    }
}

/// Text with a meaning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Styled {
    /// The text, on one line.
    pub text: String,
    /// What it means.
    pub style: Style,
}

impl Styled {
    /// Text of this meaning.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }

    /// Text that means nothing in particular.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Style::Plain)
    }

    /// Writes the text, in colour if asked for.
    pub fn write_to(&self, out: &mut String, color: bool) {
        let style = self.style.ansi();
        if !color || self.text.is_empty() || style.is_plain() {
            out.push_str(&self.text);
        } else {
            out.push_str(&style.render().to_string());
            out.push_str(&self.text);
            out.push_str(&style.render_reset().to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_text_is_written_without_colour() {
        let mut out = String::new();
        Styled::new("NotReady", Style::Bad).write_to(&mut out, false);
        assert_eq!(out, "NotReady");
    }

    #[test]
    fn colours_end_where_the_text_ends() {
        let mut out = String::new();
        Styled::new("a", Style::Good).write_to(&mut out, true);
        Styled::plain("b").write_to(&mut out, true);
        assert_eq!(out, "\u{1b}[32ma\u{1b}[0mb");
    }

    #[test]
    fn a_high_utilization_is_good() {
        let styles = [0.9, 0.899, 0.61, 0.6, 0.0].map(Style::of_utilization);
        assert_eq!(styles, [Style::Good, Style::Warn, Style::Warn, Style::Bad, Style::Bad]);
    }
}
