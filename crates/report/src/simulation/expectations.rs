//! What was expected, and what came of it.

use super::document::SimulationReport;
use super::rows::ExpectationRow;
use super::text::plain;
use crate::nodes_view::ViewOptions;
use crate::plan::text::paragraph;
use crate::style::{Style, Styled};

/// Writes a line for each expectation; under one that failed, how to see it again.
pub(super) fn write(out: &mut String, report: &SimulationReport, options: &ViewOptions) {
    if report.expectations.is_empty() {
        return;
    }
    out.push('\n');
    let (text, style) = summary(report);
    paragraph(out, &text, style, 0, options);
    for own in &report.expectations {
        let (mark, style) = match (own.passed, options.ascii) {
            (true, false) => ("✓", Style::Good),
            (true, true) => ("ok", Style::Good),
            (false, false) => ("✗", Style::Bad),
            (false, true) => ("NO", Style::Bad),
        };
        let mut text = String::new();
        let body = ViewOptions { color: false, ..*options };
        let room = mark.chars().count();
        paragraph(&mut text, &sentence(own), Style::Plain, 3 + room, &body);
        out.push_str("  ");
        Styled::new(mark, style).write_to(out, options.color);
        out.push_str(text.get(2 + room..).unwrap_or_default());
        if let Some(command) = &own.reproduce {
            // Nobody wants to copy a command out of two lines.
            out.push_str(&" ".repeat(3 + room));
            Styled::new(format!("See it again: {command}"), Style::Dim)
                .write_to(out, options.color);
            out.push('\n');
        }
    }
}

/// How many held.
pub(super) fn summary(report: &SimulationReport) -> (String, Style) {
    let all = report.expectations.len();
    match report.expectations.iter().filter(|own| !own.passed).count() {
        0 if all == 1 => ("The expectation held.".to_owned(), Style::Good),
        0 => (format!("All {all} expectations held."), Style::Good),
        failed => (format!("{failed} of {all} expectations failed."), Style::Bad),
    }
}

/// `costs no more than the peer: 370.12, expected at most 380`.
pub(super) fn sentence(own: &ExpectationRow) -> String {
    let actual = own.actual.map_or_else(|| "no number".to_owned(), plain);
    let seed = match (own.passed, own.seed) {
        (false, Some(seed)) => format!(" (seed {seed})"),
        _ => String::new(),
    };
    format!("{}: {actual}, expected {}{seed}", own.name, own.expected)
}
