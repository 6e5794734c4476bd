//! The answer as a screen: a sentence, where pods go, and what keeps the others.

use std::collections::BTreeMap;

use restow_catalog::SourceInfo;

use super::answer::{Misfit, Obstacle, ScheduleReport, Where};
use super::nodes::{DrainedNode, Spot};
use super::phrase::list;
use super::text::{beside, few, sentence};
use super::values::Values;
use crate::money;
use crate::nodes_view::ViewOptions;
use crate::style::Style;
use crate::table::{Cell, Column, Cut, Table, TableOptions};
use crate::units::{counted, grouped};

/// The screen, in lines without spaces at their ends.
pub fn schedule_view(report: &ScheduleReport, options: &ViewOptions) -> String {
    let options = &ViewOptions { width: options.width.filter(|_| !options.wide), ..*options };
    let mut out = String::new();
    for node in &report.drained {
        sentence(&mut out, &drained(node), Style::Plain, options);
    }
    sentence(&mut out, &headline(report), Style::Strong, options);
    if !report.new_nodes.is_empty() && !report.sources.is_empty() {
        sentence(&mut out, &prices(&report.sources), Style::Dim, options);
    }
    if let Some(text) = claimed(&report.spots) {
        sentence(&mut out, &text, Style::Plain, options);
    }
    if !report.pools && report.misfits.iter().any(|misfit| !misfit.is_gated()) {
        let text = "The cluster has no NodePools, so no node can be launched.";
        sentence(&mut out, text, Style::Warn, options);
    }
    if let Some(text) = closed(&report.misfits) {
        sentence(&mut out, &text, Style::Warn, options);
    }
    if !report.spots.is_empty() {
        out.push('\n');
        out.push_str(&spots(report, options.wide).render(&table_options(options)));
    }
    if options.wide && !report.placements.is_empty() {
        out.push('\n');
        out.push_str(&pods(report).render(&table_options(options)));
    }
    for misfit in &report.misfits {
        out.push('\n');
        write_misfit(&mut out, misfit, options);
    }
    out
}

pub(super) fn table_options(options: &ViewOptions) -> TableOptions {
    TableOptions {
        width: options.width,
        headers: options.headers,
        color: options.color,
        ascii: options.ascii,
    }
}

/// `12 pods: 9 fit on existing nodes, 2 need 1 new node ($0.0864/h, $63.07/month), 1 fits nowhere.`
fn headline(report: &ScheduleReport) -> String {
    let new: usize =
        report.spots.iter().filter(|own| own.price.is_some()).map(|own| own.pods.len()).sum();
    let old = report.placements.len() - new;
    let gated: usize =
        report.misfits.iter().filter(|own| own.is_gated()).map(|own| own.pods.len()).sum();
    let nowhere = report.left_out() - gated;
    let all = report.placements.len() + report.left_out();
    if all == 0 {
        return report.nothing.clone();
    }
    let mut parts: Vec<(usize, String)> = Vec::new();
    if old > 0 {
        let nodes = if old == 1 { "an existing node" } else { "existing nodes" };
        parts.push((old, format!("{} on {nodes}", verb(old, "fit"))));
    }
    if new > 0 {
        let price = report.price();
        let text = format!(
            "{} {} ({}, {})",
            verb(new, "need"),
            counted(report.new_nodes.len(), "new node"),
            money::node_per_hour(price),
            money::per_month(price)
        );
        parts.push((new, text));
    }
    if nowhere > 0 {
        parts.push((nowhere, format!("{} nowhere", verb(nowhere, "fit"))));
    }
    if gated > 0 {
        parts.push((gated, format!("{} for a scheduling gate", verb(gated, "wait"))));
    }
    if let [(_, only)] = parts.as_slice() {
        return format!("{} {only}.", counted(all, "pod"));
    }
    let number = |(count, text): &(usize, String)| format!("{} {text}", grouped(*count as u128));
    let parts: Vec<String> = parts.iter().map(number).collect();
    format!("{}: {}.", counted(all, "pod"), parts.join(", "))
}

/// `fits` of one, `fit` of several.
fn verb(count: usize, verb: &str) -> String {
    format!("{verb}{}", if count == 1 { "s" } else { "" })
}

/// `a is drained: 12 pods move, 7 daemon pods and 1 static pod end with it.`
fn drained(node: &DrainedNode) -> String {
    let mut ends = Vec::new();
    for (count, what) in [
        (node.daemons, "daemon pod"),
        (node.mirrors, "static pod"),
        (node.terminating, "terminating pod"),
    ] {
        if count > 0 {
            ends.push(counted(count, what));
        }
    }
    let pods = match node.pods {
        0 => "no pod moves".to_owned(),
        pods => format!("{} {}", counted(pods, "pod"), verb(pods, "move")),
    };
    let end = match node.daemons + node.mirrors + node.terminating {
        0 => String::new(),
        count => format!(", {} {} with it", list(&ends), verb(count, "end")),
    };
    let orphans = match node.orphans {
        0 => String::new(),
        1 => "; 1 pod has no controller to make it anew".to_owned(),
        count => format!("; {} pods have no controller to make them anew", grouped(count as u128)),
    };
    format!("{} is drained: {pods}{end}{orphans}.", node.node)
}

fn prices(sources: &[SourceInfo]) -> String {
    let source = |info: &SourceInfo| match (&info.date, &info.spot_date) {
        (Some(date), Some(spot)) if date != spot => {
            format!("{} of {date}, spot of {spot}", info.name)
        }
        (Some(date), _) | (None, Some(date)) => format!("{} of {date}", info.name),
        (None, None) => info.name.clone(),
    };
    format!("Prices: {}.", sources.iter().map(source).collect::<Vec<_>>().join("; "))
}

fn claimed(spots: &[Spot]) -> Option<String> {
    let names: Vec<&str> =
        spots.iter().filter(|own| own.claimed).map(|own| own.name.as_str()).collect();
    let what = match names.len() {
        0 => return None,
        1 => "is a claim whose node is",
        _ => "are claims whose nodes are",
    };
    Some(format!("{} {what} still to come.", few(&names)))
}

/// Pools that launch nothing, once for all pods.
fn closed(misfits: &[Misfit]) -> Option<String> {
    let obstacles = misfits.iter().flat_map(|misfit| &misfit.obstacles);
    let pools: BTreeMap<&str, &str> =
        obstacles.filter_map(|own| Some((own.closed_pool()?, &*own.why.message))).collect();
    let pools: Vec<String> = pools.iter().map(|(name, why)| format!("{name} ({why})")).collect();
    (!pools.is_empty()).then(|| format!("Pools that launch nothing: {}.", pools.join(", ")))
}

/// A row for each node that pods go to.
fn spots(report: &ScheduleReport, wide: bool) -> Table {
    let launches = !report.new_nodes.is_empty();
    let mut columns = vec![
        Column::new("TO", 0).cut(Cut::Middle, 12),
        Column::new("PODS", 1).right(),
        Column::new("TYPE", 2),
        Column::new("ZONE", 4),
        Column::new("CAPACITY", 5),
    ];
    if wide {
        columns.insert(1, Column::new("POOL", 6));
    }
    if launches {
        columns.push(Column::new("$/HOUR", 3).right());
    }
    if wide && launches {
        columns.push(Column::new("TYPES", 7).right());
    }
    if !wide {
        columns.push(Column::new("SUCH AS", 1).cut(Cut::End, 12));
    }
    let mut table = Table::new(columns);
    for own in &report.spots {
        let mut row = vec![
            Cell::plain(&*own.name),
            Cell::plain(grouped(own.pods.len() as u128)),
            word(own.instance_type.as_deref()),
            word(own.zone.as_deref()),
            word(own.capacity_type.as_deref()),
        ];
        if wide {
            row.insert(1, word(own.pool.as_deref()));
        }
        let new = |text: String| own.price.map_or_else(Cell::empty, |_| Cell::plain(text));
        if launches {
            row.push(new(money::hourly_figure(own.price.unwrap_or_default(), 4)));
        }
        if wide && launches {
            row.push(new(grouped(own.types as u128)));
        }
        if !wide {
            row.push(Cell::plain(few(&own.pods)));
        }
        table.rows.push(row);
    }
    table
}

/// A word, or a hyphen where nobody knows.
fn word(text: Option<&str>) -> Cell {
    text.map_or_else(|| Cell::styled("-", Style::Dim), Cell::plain)
}

/// A row for each pod.
fn pods(report: &ScheduleReport) -> Table {
    let moved = report.placements.iter().any(|placed| placed.from.is_some());
    let mut columns = vec![Column::new("POD", 0)];
    if moved {
        columns.push(Column::new("FROM", 2));
    }
    columns.push(Column::new("TO", 1));
    let mut table = Table::new(columns);
    let mut placements: Vec<_> = report.placements.iter().collect();
    placements.sort_by_key(|placed| &placed.pod);
    for placed in placements {
        let mut row = vec![Cell::plain(placed.pod.to_string()), Cell::plain(&*placed.to)];
        if moved {
            row.insert(1, word(placed.from.as_deref()));
        }
        table.rows.push(row);
    }
    table
}

fn write_misfit(out: &mut String, misfit: &Misfit, options: &ViewOptions) {
    let count = misfit.pods.len();
    let what = if misfit.is_gated() {
        format!("{} for a scheduling gate", verb(count, "wait"))
    } else {
        format!("{} nowhere", verb(count, "fit"))
    };
    let names = if options.wide {
        misfit.pods.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    } else {
        few(&misfit.pods)
    };
    let style = if misfit.is_gated() { Style::Plain } else { Style::Bad };
    sentence(out, &format!("{} {what}: {names}", counted(count, "pod")), style, options);
    // What holds for every pod is said above.
    let shown = || {
        let own = misfit.obstacles.iter();
        own.filter(|own| own.at != Where::NoPools && own.closed_pool().is_none())
    };
    let digits = shown().filter_map(|own| nodes(&own.at)).map(|count| grouped(count as u128).len());
    let digits = digits.max().unwrap_or(0);
    let words: Vec<String> = shown().map(|own| who(&own.at, digits)).collect();
    let indent = words.iter().map(|word| word.chars().count()).max().unwrap_or(0) + 2;
    for (obstacle, word) in shown().zip(&words) {
        let indent = if word.trim().is_empty() { 2 } else { indent };
        beside(out, word, &why(obstacle), indent, options);
    }
}

fn nodes(at: &Where) -> Option<usize> {
    match at {
        Where::Nodes { count, .. } => Some(*count),
        _ => None,
    }
}

/// Who refuses: `  41 nodes`, `  pool default`.
fn who(at: &Where, digits: usize) -> String {
    match at {
        Where::Nodes { count, .. } => {
            let s = if *count == 1 { "" } else { "s" };
            format!("  {:>digits$} node{s}", grouped(*count as u128))
        }
        Where::Pool(name) => format!("  pool {name}"),
        Where::Everywhere { .. } | Where::NoPools => "  ".to_owned(),
    }
}

/// The sentence, with the node that came closest where numbers say which did.
fn why(obstacle: &Obstacle) -> String {
    let message = &obstacle.why.message;
    let measured = matches!(
        obstacle.why.values,
        Values::Shortage(_) | Values::Shortages { .. } | Values::Volumes { .. }
    );
    match &obstacle.at {
        Where::Nodes { count: 1, nearest } if message.ends_with(')') => {
            format!("{message} on {nearest}")
        }
        Where::Nodes { count: 1, nearest } => format!("{message} ({nearest})"),
        Where::Nodes { nearest, .. } if measured => format!("{message}; closest: {nearest}"),
        _ => message.clone(),
    }
}
