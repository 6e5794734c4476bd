//! The difference of two plans as a screen.

use super::diff::{MoveBrief, MoveChange, PlanDiff, TotalsChange};
use super::text::{arrow, indented, paragraph, price, table_options};
use crate::money;
use crate::nodes_view::ViewOptions;
use crate::schedule::text::few;
use crate::style::Style;
use crate::table::{Cell, Column, Cut, Table, TableOptions};
use crate::units::{counted, grouped};

/// How many moves, and how many verdicts, are shown where room is short.
const SHOWN: usize = 12;

/// The screen, in lines without spaces at their ends.
pub fn diff_view(diff: &PlanDiff, options: &ViewOptions) -> String {
    let options = &ViewOptions { width: options.width.filter(|_| !options.wide), ..*options };
    let mut out = String::new();
    if diff.is_empty() {
        paragraph(&mut out, "No difference.", Style::Strong, 0, options);
        return out;
    }
    if diff.before.from != diff.before.to {
        let text = format!("Fleet before: {}.", totals(&diff.before, options));
        paragraph(&mut out, &text, Style::Plain, 0, options);
    }
    paragraph(&mut out, &savings(diff, options), Style::Strong, 0, options);
    if diff.after.from != diff.after.to {
        let text = format!("Fleet after: {}.", totals(&diff.after, options));
        paragraph(&mut out, &text, Style::Plain, 0, options);
    }
    if !diff.moves.is_empty() {
        paragraph(&mut out, &counts(&diff.moves), Style::Strong, 0, options);
        let shown = if options.wide { usize::MAX } else { SHOWN };
        for own in diff.moves.iter().take(shown) {
            write_move(&mut out, own, options);
        }
        if diff.moves.len() > shown {
            let more = counted(diff.moves.len() - shown, "more move");
            paragraph(&mut out, &format!("… and {more}"), Style::Dim, 2, options);
        }
    }
    if !diff.verdicts.is_empty() {
        let text = format!("Verdicts that differ: {}", grouped(diff.verdicts.len() as u128));
        paragraph(&mut out, &text, Style::Strong, 0, options);
        let shown = if options.wide { usize::MAX } else { SHOWN };
        let narrow = TableOptions { headers: false, ..table_options(options, 2) };
        indented(&mut out, &verdicts(diff, shown, options).render(&narrow), 2);
        if diff.verdicts.len() > shown {
            let more = counted(diff.verdicts.len() - shown, "more node");
            paragraph(&mut out, &format!("… and {more}"), Style::Dim, 2, options);
        }
    }
    out
}

/// `Moves that differ: 3, of which 1 is new and 2 are gone`.
fn counts(moves: &[MoveChange]) -> String {
    let new = moves.iter().filter(|own| own.from.is_none()).count();
    let gone = moves.iter().filter(|own| own.to.is_none()).count();
    let be = |count: usize| if count == 1 { "is" } else { "are" };
    let mut parts = Vec::new();
    if new > 0 {
        parts.push(format!("{new} {} new", be(new)));
    }
    if gone > 0 {
        parts.push(format!("{gone} {} gone", be(gone)));
    }
    let which = if parts.is_empty() {
        String::new()
    } else {
        format!(", of which {}", parts.join(" and "))
    };
    format!("Moves that differ: {}{which}", grouped(moves.len() as u128))
}

fn totals(change: &TotalsChange, options: &ViewOptions) -> String {
    let to = arrow(options);
    format!(
        "{} {to} {}, {} {to} {}",
        counted(change.from.nodes, "node"),
        change.to.nodes,
        money::per_hour(price(change.from.price_per_hour)),
        money::per_hour(price(change.to.price_per_hour))
    )
}

fn savings(diff: &PlanDiff, options: &ViewOptions) -> String {
    let saved = |before: f64, after: f64| price(before) - price(after);
    let from = saved(diff.before.from.price_per_hour, diff.after.from.price_per_hour);
    let to = saved(diff.before.to.price_per_hour, diff.after.to.price_per_hour);
    let change = to - from;
    if change == price(0.0) {
        return format!("Saves {} as before.", money::per_hour(from));
    }
    let sign = if change > price(0.0) { "+" } else { "" };
    format!(
        "Saves {} {} {} ({sign}{}, {sign}{}).",
        money::per_hour(from),
        arrow(options),
        money::per_hour(to),
        money::per_hour(change),
        money::per_month(change)
    )
}

fn write_move(out: &mut String, own: &MoveChange, options: &ViewOptions) {
    let nodes = if options.wide { own.nodes.join(", ") } else { few(&own.nodes) };
    let (text, style) = match (&own.from, &own.to) {
        (None, Some(to)) => (format!("+ {} {nodes}: {}", to.decision, brief(to)), Style::Good),
        (Some(from), None) => (format!("- {} {nodes}: {}", from.decision, brief(from)), Style::Bad),
        (Some(from), Some(to)) => {
            let change = changed(from, to, options);
            (format!("~ {} {nodes}: {change}", to.decision), Style::Warn)
        }
        (None, None) => return,
    };
    paragraph(out, &text, style, 2, options);
}

fn brief(own: &MoveBrief) -> String {
    format!(
        "saves {}, {}, {}",
        money::node_per_hour(price(own.savings_per_hour)),
        counted(own.pods, "pod"),
        wave(own.wave)
    )
}

fn wave(wave: Option<u32>) -> String {
    wave.map_or_else(|| "not now".to_owned(), |wave| format!("wave {wave}"))
}

/// What of a move is otherwise.
fn changed(from: &MoveBrief, to: &MoveBrief, options: &ViewOptions) -> String {
    let into = arrow(options);
    let mut parts = Vec::new();
    if from.decision != to.decision {
        parts.push(format!("{} {into} {}", from.decision, to.decision));
    }
    if from.wave != to.wave {
        parts.push(format!("{} {into} {}", wave(from.wave), wave(to.wave)));
    }
    let dollars = |own: &MoveBrief| money::node_per_hour(price(own.savings_per_hour));
    if dollars(from) != dollars(to) {
        parts.push(format!("saves {} {into} {}", dollars(from), dollars(to)));
    }
    if from.replacements != to.replacements {
        parts.push(format!("{} {into} {} new nodes", from.replacements, to.replacements));
    }
    if parts.is_empty() {
        parts.push("other places for its pods".to_owned());
    }
    parts.join(", ")
}

fn verdicts(diff: &PlanDiff, shown: usize, options: &ViewOptions) -> Table {
    let mut table = Table::new(vec![
        Column::new("", 0).cut(Cut::Middle, 12),
        Column::new("", 1).cut(Cut::End, 12),
        Column::new("", 0).cut(Cut::End, 12),
    ]);
    let text = |verdict: &Option<String>| verdict.clone().unwrap_or_else(|| "absent".to_owned());
    for own in diff.verdicts.iter().take(shown) {
        table.rows.push(vec![
            Cell::plain(&*own.node),
            Cell::plain(text(&own.from)),
            Cell::plain(format!("{} {}", arrow(options), text(&own.to))),
        ]);
    }
    table
}
