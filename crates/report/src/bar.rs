//! Bars of two tones: what daemon pods ask for, and what the others ask for.

use crate::style::{Style, Styled};

/// Shares of a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bar {
    /// All that is asked for; more than 1 fills the bar.
    pub share: f64,
    /// The part of it that daemon pods ask for.
    pub daemons: f64,
}

/// What the tones mean, in words.
pub(crate) const fn legend(ascii: bool) -> &'static str {
    if ascii { "= daemon pods, # other pods" } else { "▓ daemon pods, █ other pods" }
}

impl Bar {
    /// The bar, exactly `width` columns wide.
    pub fn render(self, width: usize, ascii: bool) -> [Styled; 3] {
        // Whole columns in ASCII, else eighths of one.
        let steps = if ascii { 1 } else { 8 };
        let filled = steps_of(self.share, width, steps);
        let (full, part) = (filled / steps, filled % steps);
        let used = full + usize::from(part > 0);
        let daemons = steps_of(self.daemons, width, 1).min(used);
        let [daemon, other, track] = if ascii { ["=", "#", "."] } else { ["▓", "█", "░"] };
        let mut rest = other.repeat(full.saturating_sub(daemons));
        if part > 0 && daemons < used {
            rest.push(['▏', '▎', '▍', '▌', '▋', '▊', '▉'][part - 1]);
        }
        [
            Styled::plain(daemon.repeat(daemons)),
            Styled::new(rest, Style::of_utilization(self.share)),
            Styled::new(track.repeat(width - used), Style::Dim),
        ]
    }
}

fn steps_of(share: f64, width: usize, steps: usize) -> usize {
    let all = width * steps;
    // A share that is not a number is none.
    ((share.max(0.0) * all as f64).round() as usize).min(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(share: f64, daemons: f64, width: usize, ascii: bool) -> String {
        Bar { share, daemons }.render(width, ascii).map(|part| part.text).concat()
    }

    #[test]
    fn the_end_of_a_bar_is_drawn_in_eighths() {
        assert_eq!(text(0.0, 0.0, 4, false), "░░░░");
        assert_eq!(text(0.5, 0.0, 4, false), "██░░");
        assert_eq!(text(0.53125, 0.0, 4, false), "██▏░");
        assert_eq!(text(0.72, 0.0, 4, false), "██▉░");
        assert_eq!(text(1.0, 0.0, 4, false), "████");
    }

    #[test]
    fn daemon_pods_have_a_tone_of_their_own() {
        assert_eq!(text(0.75, 0.25, 8, false), "▓▓████░░");
        assert_eq!(text(0.75, 0.25, 8, true), "==####..");
        assert_eq!(text(0.25, 0.25, 8, true), "==......");
        assert_eq!(text(0.09, 0.09, 8, false), "▓░░░░░░░");
    }

    #[test]
    fn a_bar_is_never_wider_than_asked_for() {
        for (share, daemons) in [(7.0, 3.0), (-1.0, 2.0), (f64::NAN, f64::INFINITY)] {
            for ascii in [true, false] {
                assert_eq!(text(share, daemons, 5, ascii).chars().count(), 5);
            }
        }
    }
}
