//! The moves of a plan, wave by wave: `-` goes, `+` comes, `~` moves, `!` is a risk.

use rustc_hash::FxHashMap;

use super::document::PlanDocument;
use super::rows::{MoveRow, NodeRow, ReasonRow, ReplacementRow, RiskRow};
use super::text::{arrow, indented, paragraph, price, table_options};
use super::view::word;
use crate::money;
use crate::nodes_view::ViewOptions;
use crate::style::Style;
use crate::table::{Cell, Column, Cut, Table, TableOptions};
use crate::units::{counted, grouped, percent};

/// How many pods of a move are shown where room is short.
const FEW: usize = 3;

pub(super) fn write(out: &mut String, plan: &PlanDocument, options: &ViewOptions) {
    let nodes: FxHashMap<&str, &NodeRow> =
        plan.nodes.iter().map(|node| (node.name.as_str(), node)).collect();
    for moves in plan.moves.chunk_by(|a, b| a.wave == b.wave) {
        let Some(first) = moves.first() else { continue };
        out.push('\n');
        paragraph(out, &wave(first.wave), Style::Strong, 0, options);
        // What holds back all of them is said once.
        let all = moves.len() > 1 && moves.iter().all(|own| own.deferred == first.deferred);
        if let Some(reason) = first.deferred.as_ref().filter(|_| all) {
            paragraph(out, &waits(reason), Style::Warn, 1, options);
        }
        for own in moves {
            write_move(out, own, &nodes, options);
            if let Some(reason) = own.deferred.as_ref().filter(|_| !all) {
                paragraph(out, &waits(reason), Style::Warn, 4, options);
            }
        }
    }
}

fn waits(reason: &ReasonRow) -> String {
    format!("waits: {}: {}", reason.code, reason.message)
}

fn wave(wave: Option<u32>) -> String {
    match wave {
        Some(..=1) => "Wave 1, now".to_owned(),
        Some(wave) => format!("Wave {wave}, once wave {} is done", wave - 1),
        None => "Not now".to_owned(),
    }
}

fn write_move(
    out: &mut String,
    own: &MoveRow,
    nodes: &FxHashMap<&str, &NodeRow>,
    options: &ViewOptions,
) {
    paragraph(out, &title(own), Style::Plain, 1, options);
    let narrow = TableOptions { headers: false, ..table_options(options, 4) };
    indented(out, &machines(own, nodes).render(&narrow), 4);
    let shown = if options.wide { own.pods.len() } else { own.pods.len().min(FEW) };
    // One line more costs no more than saying that it is left out.
    let shown = if own.pods.len() == shown + 1 { shown + 1 } else { shown };
    if shown > 0 {
        indented(out, &pods(own, shown, options).render(&narrow), 4);
    }
    if own.pods.len() > shown {
        let more = grouped((own.pods.len() - shown) as u128);
        paragraph(out, &format!("… and {more} more pods"), Style::Dim, 6, options);
    }
    for text in risks(own, options.wide) {
        paragraph(out, &text, Style::Warn, 4, options);
    }
}

/// Risks, where room is short those of one kind together.
fn risks(own: &MoveRow, wide: bool) -> Vec<String> {
    let line = |risk: &RiskRow| format!("! {}: {}", risk.code, risk.message);
    if wide {
        return own.risks.iter().map(line).collect();
    }
    let mut kinds: Vec<(&RiskRow, usize)> = Vec::new();
    for risk in &own.risks {
        match kinds.iter_mut().find(|(known, _)| known.code == risk.code) {
            Some((_, count)) => *count += 1,
            None => kinds.push((risk, 1)),
        }
    }
    let text = |(risk, count): &(&RiskRow, usize)| match count {
        1 => line(risk),
        more => format!("{} (and {})", line(risk), counted(more - 1, "more pod")),
    };
    kinds.iter().map(text).collect()
}

/// `m1 replace 2 nodes by 1: saves $0.0864/h ($63.07/month), 6 pods move, disruption 6.0 needs $0.0600/h, score 0.97`
fn title(own: &MoveRow) -> String {
    let saved = price(own.savings_per_hour);
    let by = match own.replacements.len() {
        0 => String::new(),
        count => format!(" by {count}"),
    };
    let pods = pods_move(own);
    let asked = if own.required_savings_per_hour > 0.0 {
        format!(" asks for {}", money::node_per_hour(price(own.required_savings_per_hour)))
    } else {
        String::new()
    };
    let score = own.score.map_or_else(String::new, |score| format!(", score {score:.2}"));
    format!(
        "{} {} {}{by}: saves {} ({}), {pods}, disruption {:.1}{asked}{score}",
        own.id,
        own.decision,
        counted(own.nodes.len(), "node"),
        money::node_per_hour(saved),
        money::per_month(saved),
        own.disruption_cost
    )
}

/// `no pod moves`, `6 pods move`.
pub(super) fn pods_move(own: &MoveRow) -> String {
    match own.pods.len() {
        0 => "no pod moves".to_owned(),
        1 => "1 pod moves".to_owned(),
        pods => format!("{} move", counted(pods, "pod")),
    }
}

/// Nodes that go and nodes that come.
fn machines(own: &MoveRow, nodes: &FxHashMap<&str, &NodeRow>) -> Table {
    let mut table = Table::new(vec![
        Column::new("", 0),
        Column::new("", 0).cut(Cut::Middle, 12),
        Column::new("", 1),
        Column::new("", 3),
        Column::new("", 4),
        Column::new("", 2).right(),
        Column::new("", 5).right(),
    ]);
    for name in &own.nodes {
        let Some(node) = nodes.get(name.as_str()) else {
            table.rows.push(vec![Cell::styled("-", Style::Bad), Cell::plain(name)]);
            continue;
        };
        let cost = node.price_per_hour.map(|dollars| money::node_per_hour(price(dollars)));
        table.rows.push(vec![
            Cell::styled("-", Style::Bad),
            Cell::plain(name),
            word(node.instance_type.as_deref()),
            word(node.zone.as_deref()),
            word(node.capacity_type.as_deref()),
            word(cost.as_deref()),
            Cell::styled(format!("{} full", percent(node.utilization.average)), Style::Dim),
        ]);
    }
    for (at, new) in own.replacements.iter().enumerate() {
        table.rows.push(vec![
            Cell::styled("+", Style::Good),
            Cell::plain(format!("replacement/{at}")),
            Cell::plain(types(new)),
            Cell::plain(first_of(&new.zones)),
            Cell::plain(new.capacity_types.join(" or ")),
            Cell::plain(money::node_per_hour(price(new.price_per_hour))),
            Cell::styled(format!("pool {}", new.node_pool), Style::Dim),
        ]);
    }
    table
}

/// `m6a.large`, `m6a.large of 15`.
pub(super) fn types(new: &ReplacementRow) -> String {
    first_of(&new.instance_types)
}

fn first_of(names: &[String]) -> String {
    match names {
        [] => "-".to_owned(),
        [only] => only.clone(),
        [first, ..] => format!("{first} of {}", names.len()),
    }
}

/// Pods and where they go.
fn pods(own: &MoveRow, shown: usize, options: &ViewOptions) -> Table {
    let several = own.nodes.len() > 1;
    let mut columns = vec![Column::new("", 0), Column::new("", 0).cut(Cut::Middle, 16)];
    if several {
        columns.push(Column::new("", 2).cut(Cut::Middle, 8));
    }
    columns.push(Column::new("", 0).cut(Cut::Middle, 12));
    let mut table = Table::new(columns);
    for pod in own.pods.iter().take(shown) {
        let mut row = vec![
            Cell::styled("~", Style::Warn),
            Cell::plain(format!("{}/{}", pod.namespace, pod.name)),
        ];
        if several {
            row.push(Cell::styled(&*pod.from, Style::Dim));
        }
        row.push(Cell::plain(format!("{} {}", arrow(options), pod.to)));
        table.rows.push(row);
    }
    table
}
