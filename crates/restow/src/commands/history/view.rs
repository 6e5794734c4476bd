//! The history on a terminal.

use std::fmt::Write;

use restow_model::GoDuration;
use restow_report::ViewOptions;
use restow_report::table::{Cell, Column, Cut, Table, TableOptions};
use restow_report::units::counted;

use super::document::{Chain, History, MoveLine};

pub(super) fn view(history: &History, options: &ViewOptions) -> String {
    if history.moves.is_empty() {
        return "No moves were made.\n".to_owned();
    }
    let mut table = Table::new(vec![
        Column::new("MOVE", 0),
        Column::new("PROPOSED", 2),
        Column::new("POOL", 3),
        Column::new("NODES", 0).cut(Cut::Middle, 12),
        Column::new("REPLACED BY", 1).cut(Cut::End, 10),
        Column::new("PODS", 1).right(),
        Column::new("PROMISED", 1).right(),
        Column::new("REALISED", 0).right(),
        Column::new("STATE", 0),
    ]);
    for own in &history.moves {
        table.rows.push(row(own).map(Cell::plain).to_vec());
    }
    let mut text = table.render(&TableOptions {
        width: options.width,
        headers: options.headers,
        color: options.color,
        ascii: options.ascii,
    });
    if !history.chains.is_empty() {
        text.push_str("\nReplaced again:\n");
        for own in &history.chains {
            let _ = writeln!(text, "  {}", chain(own));
        }
    }
    let totals = &history.totals;
    let _ = writeln!(
        text,
        "\n{} done with {}: saved ${:.4} per hour of ${:.4} promised.",
        counted(totals.done, "move"),
        counted(totals.evictions, "eviction"),
        totals.realised_per_hour,
        totals.promised_per_hour
    );
    if totals.under_way > 0 {
        let _ = writeln!(text, "{} under way.", counted(totals.under_way, "move"));
    }
    for (code, count) in &totals.taken_back {
        let _ = writeln!(text, "{} taken back: {code}.", counted(*count, "move"));
    }
    text
}

fn row(own: &MoveLine) -> [String; 9] {
    let more = |all: &[String]| match all {
        [] => "-".to_owned(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first} +{}", rest.len()),
    };
    let state = match &own.failure {
        Some(code) => format!("{:?} ({code})", own.phase),
        None => format!("{:?}", own.phase),
    };
    [
        own.name.clone(),
        own.proposed_at.get(..16).unwrap_or(&own.proposed_at).replace('T', " "),
        own.pools.join(","),
        more(&own.nodes),
        more(&own.replacements),
        own.pods.to_string(),
        format!("{:.4}", own.promised_per_hour),
        own.realised_per_hour.map(|own| format!("{own:.4}")).unwrap_or_default(),
        state,
    ]
}

/// `a → b (2h10m) → c`
fn chain(own: &Chain) -> String {
    let mut text = String::new();
    for (at, node) in own.nodes.iter().enumerate() {
        if at > 0 {
            text.push_str(" → ");
        }
        text.push_str(node);
        if let Some(seconds) = at.checked_sub(1).and_then(|at| own.dwell_seconds.get(at)) {
            let _ = write!(text, " ({})", GoDuration::from_seconds(*seconds));
        }
    }
    text
}
