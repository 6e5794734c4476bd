//! One policy as a screen: what it cost, whom it disturbed, every move, and whether it did what was expected.

use super::chains;
use super::document::SimulationReport;
use super::expectations;
use super::headline::{basis, headline, invalid};
use super::rows::{DecisionRow, EndingRow, PolicyRow, RunRow};
use super::sparkline::{range, sparkline};
use super::text::{between, count, decimals, instant, instant_unit, short, what};
use crate::money;
use crate::nodes_view::ViewOptions;
use crate::plan::text::{indented, paragraph, table_options};
use crate::style::Style;
use crate::table::{Cell, Column, Cut, Table};
use crate::units::{counted, percent};

/// How much of long lists a screen shows.
const MOVES: usize = 12;
const CHAINS: usize = 5;
const WORKLOADS: usize = 5;

/// The screen of the first policy that does something, in lines without spaces at their ends.
pub fn simulation_view(report: &SimulationReport, options: &ViewOptions) -> String {
    let options = &ViewOptions { width: options.width.filter(|_| !options.wide), ..*options };
    let mut out = String::new();
    let acts = |own: &&PolicyRow| report.baseline.as_ref() != Some(&own.name);
    let Some(policy) = report.policies.iter().find(acts).or(report.policies.first()) else {
        paragraph(&mut out, "Nothing was simulated.", Style::Plain, 0, options);
        return out;
    };
    paragraph(&mut out, &headline(report, policy), Style::Strong, 0, options);
    if let Some(text) = basis(policy) {
        paragraph(&mut out, &text, Style::Dim, 0, options);
    }
    if let Some(text) = invalid(policy) {
        paragraph(&mut out, &text, Style::Warn, 0, options);
    }
    out.push('\n');
    indented(&mut out, &numbers(report, policy, options).render(&table_options(options, 2)), 2);
    if let Some(run) = policy.typical() {
        course(&mut out, report, run, options);
        moves(&mut out, report, run, options);
        churn(&mut out, report, policy, options);
        workloads(&mut out, run, options);
    }
    expectations::write(&mut out, report, options);
    out
}

/// The numbers, beside those of doing nothing.
fn numbers(report: &SimulationReport, policy: &PolicyRow, options: &ViewOptions) -> Table {
    let ascii = options.ascii;
    let nobody = report.nobody().filter(|own| own.name != policy.name);
    let several = policy.runs.len() > 1;
    let mut columns = vec![
        Column::new("", 0).cut(Cut::End, 16),
        Column::new(if several { "MEDIAN [LEAST–MOST]" } else { "" }, 0),
    ];
    if ascii {
        columns[1].header = columns[1].header.replace('–', "-");
    }
    if nobody.is_some() {
        columns.push(Column::new("DOING NOTHING", 1));
    }
    let mut table = Table::new(columns);
    let mut row = |label: &str, key: &str, text: &dyn Fn(f64) -> String| {
        let Some(own) = policy.distributions.get(key) else { return };
        let ours = between(own, ascii, text);
        let mut cells = vec![Cell::plain(label), Cell::plain(ours)];
        if let Some(nobody) = nobody {
            let other = nobody.distributions.get(key).map(|own| text(own.median));
            cells.push(Cell::styled(other.unwrap_or_default(), Style::Dim));
        }
        table.rows.push(cells);
    };
    let places = decimals(policy.number("dollars").max);
    let dollars = move |own: f64| money::amount(own, places);
    let per_hour = |own: f64| money::amount(own, 3);
    let worth = |key: &str| policy.number(key).max > 0.0;
    row("Cost", "dollars", &dollars);
    row("Cost of an hour at the end", "pricePerHourAtEnd", &per_hour);
    row("Nodes at the end", "nodesAtEnd", &count);
    row("Node-hours", "nodeHours", &count);
    row("Moves", "moves", &count);
    if worth("rolledBack") {
        row("Moves taken back", "rolledBack", &count);
    }
    row("Pods evicted", "evictions", &count);
    row("Evicted again within the hour", "reEvictions", &count);
    row("Most evictions of one pod", "maxEvictionsPerPod", &count);
    row("Longest chain of replacements", "generations", &count);
    row("Pods waited for a node, in sum", "pendingPodSeconds", &short);
    if worth("promisedSavings") {
        row("Promised savings per hour", "promisedSavings", &per_hour);
        row("Realised savings per hour", "realisedSavings", &per_hour);
    }
    row("Pods that went where planned", "placementHits", &percent);
    if worth("interruptions") {
        row("Spot nodes taken back", "interruptions", &count);
    }
    if worth("lostWorkHours") {
        row("Work of jobs lost, in hours", "lostWorkHours", &count);
    }
    table
}

/// The cost over time in one line.
fn course(out: &mut String, report: &SimulationReport, run: &RunRow, options: &ViewOptions) {
    let prices: Vec<f64> = run.series.iter().map(|own| own.price).collect();
    if prices.len() < 2 {
        return;
    }
    let (low, high) = range([&prices].into_iter());
    let width = options.width.unwrap_or(80).saturating_sub(2).min(60);
    out.push('\n');
    let text = format!(
        "Cost of an hour over {}, between {} and {}:",
        super::text::span(report.duration_seconds),
        money::amount(low, 3),
        money::amount(high, 3)
    );
    paragraph(out, &text, Style::Plain, 0, options);
    indented(out, &sparkline(&prices, (low, high), width, options.ascii), 2);
}

/// A row for each move.
fn moves(out: &mut String, report: &SimulationReport, run: &RunRow, options: &ViewOptions) {
    if run.decisions.is_empty() {
        return;
    }
    out.push('\n');
    let text =
        format!("Moves (time in {} since the start):", instant_unit(report.duration_seconds));
    paragraph(out, &text, Style::Plain, 0, options);
    let mut table = Table::new(vec![
        Column::new("TIME", 0).right(),
        Column::new("MOVE", 0).cut(Cut::End, 16),
        Column::new("SAVES $/H", 0).right(),
        Column::new("MUST SAVE", 1).right(),
        Column::new("PODS", 2).right(),
        Column::new("TOOK", 3).right(),
        Column::new("", 1),
    ]);
    let shown = if options.wide { run.decisions.len() } else { MOVES };
    for own in run.decisions.iter().take(shown) {
        table.rows.push(vec![
            Cell::styled(instant(own.at, report.duration_seconds), Style::Dim),
            Cell::plain(what(own, options.ascii)),
            Cell::plain(format!("{:.4}", saved(own))),
            Cell::styled(format!("{:.4}", own.required_savings_per_hour), Style::Dim),
            Cell::plain(own.pods.to_string()),
            Cell::styled(own.took.map_or_else(|| "-".to_owned(), short), Style::Dim),
            ending(own),
        ]);
    }
    indented(out, &table.render(&table_options(options, 2)), 2);
    more(out, run.decisions.len().saturating_sub(shown), "more move", options);
}

/// What it saved, or was to save where it came to nothing or is not over.
pub(super) fn saved(own: &DecisionRow) -> f64 {
    match own.outcome {
        EndingRow::Done => own.realised_savings_per_hour,
        EndingRow::RolledBack | EndingRow::Open => own.promised_savings_per_hour,
    }
}

fn ending(own: &DecisionRow) -> Cell {
    match (own.outcome, &own.code) {
        (EndingRow::Done, _) => Cell::empty(),
        (EndingRow::RolledBack, Some(code)) => {
            Cell::styled(format!("taken back: {code}"), Style::Warn)
        }
        (EndingRow::RolledBack, None) => Cell::styled("taken back", Style::Warn),
        (EndingRow::Open, _) => Cell::styled("not over", Style::Dim),
    }
}

/// How much of a list is not shown.
fn more(out: &mut String, count: usize, what: &str, options: &ViewOptions) {
    if count > 0 {
        let text = format!("and {}; the page (-o html) shows them", counted(count, what));
        paragraph(out, &text, Style::Dim, 2, options);
    }
}

/// Nodes that were replaced by nodes that were replaced.
fn churn(out: &mut String, report: &SimulationReport, policy: &PolicyRow, options: &ViewOptions) {
    let Some((run, chains)) = chains::shown(policy) else { return };
    out.push('\n');
    let text = format!(
        "Replacements that were replaced (seed {}, with how long each was left alone):",
        run.seed
    );
    paragraph(out, &text, Style::Warn, 0, options);
    for chain in chains.iter().take(CHAINS) {
        let text = format!(
            "{}  {}",
            instant(chain.start(), report.duration_seconds),
            chain.text(options.ascii)
        );
        paragraph(out, &text, Style::Plain, 2, options);
    }
    more(out, chains.len().saturating_sub(CHAINS), "more chain", options);
}

/// Who was disturbed most.
fn workloads(out: &mut String, run: &RunRow, options: &ViewOptions) {
    if run.workloads.is_empty() {
        return;
    }
    out.push('\n');
    paragraph(out, "Disturbed most:", Style::Plain, 0, options);
    let mut table = Table::new(vec![
        Column::new("WORKLOAD", 0).cut(Cut::Middle, 16),
        Column::new("EVICTED", 0).right(),
        Column::new("LEAST READY", 1).right(),
        Column::new("NOT ALL READY FOR", 2).right(),
    ]);
    for own in run.workloads.iter().take(WORKLOADS) {
        table.rows.push(vec![
            Cell::plain(&*own.workload),
            Cell::plain(count(own.evictions as f64)),
            Cell::plain(count(own.least_ready as f64)),
            Cell::plain(short(own.unready_seconds)),
        ]);
    }
    indented(out, &table.render(&table_options(options, 2)), 2);
    more(out, run.workloads.len().saturating_sub(WORKLOADS), "more workload", options);
}
