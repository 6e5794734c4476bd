//! A node, gate by gate, as a screen.

use super::gates::GateRow;
use super::miss::MissRow;
use super::node::NodeExplanation;
use crate::money;
use crate::nodes_view::ViewOptions;
use crate::plan::text::{arrow, indented, paragraph, price, table_options};
use crate::plan::{MoveRow, NodeRow};
use crate::schedule::text::hanging;
use crate::style::{Style, Styled};
use crate::table::{Cell, Column, Cut, Table, TableOptions};
use crate::units::{counted, grouped, percent};

/// How many pods of a move are shown.
const FEW: usize = 8;

/// Where sentences start: after the longest gate and the longest answer.
const INDENT: usize = 19;

/// The screen, in lines without spaces at their ends.
pub fn node_explanation_view(own: &NodeExplanation, options: &ViewOptions) -> String {
    let mut out = String::new();
    if !own.what_if.is_empty() {
        let text = format!("What if {}:", own.what_if.join(", "));
        paragraph(&mut out, &text, Style::Strong, 0, options);
    }
    let headline = own.headline();
    let code = headline.map_or_else(String::new, |code| format!(", {code}"));
    paragraph(&mut out, &format!("{}: {}{code}", own.node, own.verdict), Style::Strong, 0, options);
    paragraph(&mut out, &machine(&own.details), Style::Dim, 0, options);
    out.push('\n');
    for row in &own.gates {
        write_gate(&mut out, row, row.code.is_some() && row.code == headline, options);
    }
    write_move(&mut out, own, options);
    if let Some(miss) = own.nearest_miss.as_ref().filter(|_| !own.goes()) {
        write_miss(&mut out, miss, options);
    }
    write_counterfactuals(&mut out, own, options);
    out
}

/// `pool default, m6a.large in eu-west-1a, on-demand, $0.0860/h ($62.78/month), 59% full, disruption 6.0`
fn machine(node: &NodeRow) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(node.node_pool.as_ref().map(|pool| format!("pool {pool}")));
    parts.extend(match (&node.instance_type, &node.zone) {
        (Some(own), Some(zone)) => Some(format!("{own} in {zone}")),
        (own, zone) => own.clone().or_else(|| zone.clone()),
    });
    parts.extend(node.capacity_type.clone());
    parts.extend(node.price_per_hour.map(|dollars| {
        let price = price(dollars);
        format!("{} ({})", money::node_per_hour(price), money::per_month(price))
    }));
    parts.push(format!("{} full", percent(node.utilization.average)));
    parts.push(format!("disruption {:.1}", node.disruption_cost));
    parts.join(", ")
}

fn write_gate(out: &mut String, row: &GateRow, headline: bool, options: &ViewOptions) {
    let (mark, mark_style) = match row.passed {
        Some(true) => ("yes", Style::Good),
        Some(false) => ("NO", Style::Bad),
        None => ("-", Style::Dim),
    };
    let text =
        row.code.map_or_else(|| row.message.clone(), |code| format!("{code}: {}", row.message));
    let style = match row.passed {
        Some(false) if headline => Style::Strong,
        Some(_) => Style::Plain,
        None => Style::Dim,
    };
    let gap = |out: &mut String, spaces: usize| out.extend(std::iter::repeat_n(' ', spaces));
    gap(out, 2);
    out.push_str(row.gate);
    gap(out, 13 - row.gate.len().min(12));
    Styled::new(mark, mark_style).write_to(out, options.color);
    gap(out, INDENT - 15 - mark.len());
    let mut write = |text: &str, style: Style, first: &mut bool| {
        for line in hanging(&" ".repeat(INDENT), text, INDENT, options.width) {
            let words = line.trim_start();
            if !std::mem::take(first) {
                out.extend(std::iter::repeat_n(' ', line.len() - words.len()));
            }
            Styled::new(words, style).write_to(out, options.color);
            out.push('\n');
        }
    };
    let mut first = true;
    write(&text, style, &mut first);
    if let Some(fix) = row.fix.filter(|_| row.passed == Some(false)) {
        write(&format!("fix: {fix}"), Style::Dim, &mut first);
    }
}

/// The move that it is part of, or could make by itself.
fn write_move(out: &mut String, own: &NodeExplanation, options: &ViewOptions) {
    let (text, shown) = match (&own.in_move, &own.own_move) {
        (Some(planned), _) => (planned_title(own, planned), planned),
        (None, Some(alone)) => (by_itself(alone), alone),
        (None, None) => return,
    };
    out.push('\n');
    paragraph(out, &text, Style::Strong, 0, options);
    let mut table = Table::new(vec![
        Column::new("", 0),
        Column::new("", 0).cut(Cut::Middle, 16),
        Column::new("", 0).cut(Cut::Middle, 12),
    ]);
    for (at, new) in shown.replacements.iter().enumerate() {
        let first = new.instance_types.first().map_or("-", String::as_str);
        let of = match new.instance_types.len() {
            0 | 1 => String::new(),
            more => format!(" of {more} types"),
        };
        table.rows.push(vec![
            Cell::styled("+", Style::Good),
            Cell::plain(format!("replacement/{at} {first}{of}")),
            Cell::plain(money::node_per_hour(price(new.price_per_hour))),
        ]);
    }
    let pods: Vec<_> = shown.pods.iter().filter(|pod| pod.from == own.node).collect();
    for pod in pods.iter().take(FEW) {
        table.rows.push(vec![
            Cell::styled("~", Style::Warn),
            Cell::plain(format!("{}/{}", pod.namespace, pod.name)),
            Cell::plain(format!("{} {}", arrow(options), pod.to)),
        ]);
    }
    let narrow = TableOptions { headers: false, ..table_options(options, 2) };
    indented(out, &table.render(&narrow), 2);
    if pods.len() > FEW {
        let more = grouped((pods.len() - FEW) as u128);
        paragraph(out, &format!("… and {more} more pods"), Style::Dim, 4, options);
    }
}

fn planned_title(own: &NodeExplanation, planned: &MoveRow) -> String {
    let when = match planned.wave {
        Some(1) => "now".to_owned(),
        Some(wave) => format!("in wave {wave}"),
        None => "once it may".to_owned(),
    };
    let others: Vec<&str> =
        planned.nodes.iter().map(String::as_str).filter(|name| *name != own.node).collect();
    let with = match others.as_slice() {
        [] => String::new(),
        [one] => format!(" with {one}"),
        more => format!(" with {}", counted(more.len(), "other node")),
    };
    let (it, by) = match (planned.nodes.len(), planned.replacements.len()) {
        (1, 0) => ("it".to_owned(), String::new()),
        (1, new) => ("it".to_owned(), format!(" by {}", counted(new, "node"))),
        (nodes, 0) => (counted(nodes, "node"), String::new()),
        (nodes, new) => (counted(nodes, "node"), format!(" by {}", grouped(new as u128))),
    };
    let text = format!(
        "It goes {when}{with} by move {}, which {}s {it}{by} and saves {}.",
        planned.id,
        planned.decision,
        saved(planned)
    );
    // Gates 10 to 13 are asked of the node alone, whatever larger move it is part of.
    let alone = own.gates.iter().any(|row| {
        row.passed == Some(false) && ["placement", "price", "savings", "score"].contains(&row.gate)
    });
    if alone && !others.is_empty() {
        format!("{text} Gates from placement to score are about the node alone.")
    } else {
        text
    }
}

/// `By itself it could be deleted, saving $0.0860/h ($62.78/month).`
fn by_itself(own: &MoveRow) -> String {
    let by = match own.replacements.len() {
        0 => String::new(),
        new => format!(" by {}", counted(new, "node")),
    };
    format!("By itself it could be {}d{by}, saving {}.", own.decision, saved(own))
}

fn saved(own: &MoveRow) -> String {
    let saved = price(own.savings_per_hour);
    format!("{} ({})", money::node_per_hour(saved), money::per_month(saved))
}

fn write_miss(out: &mut String, miss: &MissRow, options: &ViewOptions) {
    out.push('\n');
    if miss.obstacles.is_empty() {
        let text = format!("Nearest miss: {}.", miss.message);
        paragraph(out, &text, Style::Strong, 0, options);
        return;
    }
    let pod = miss.pod.as_deref().unwrap_or_default();
    let text = format!("Nearest miss: pod {pod} fits no other node:");
    paragraph(out, &text, Style::Strong, 0, options);
    for (at, obstacle) in miss.obstacles.iter().enumerate() {
        let closest = if at == 0 && obstacle.closest.is_some() { "closest " } else { "" };
        let text = format!("{closest}{}: {}", obstacle.who(), obstacle.message);
        paragraph(out, &text, Style::Plain, 2, options);
    }
}

fn write_counterfactuals(out: &mut String, own: &NodeExplanation, options: &ViewOptions) {
    if own.goes() || !own.counterfactuals_asked {
        return;
    }
    out.push('\n');
    if own.counterfactuals.is_empty() {
        let text = "No setting, PodDisruptionBudget or mark that was tried would make it go.";
        paragraph(out, text, Style::Plain, 0, options);
        return;
    }
    paragraph(out, "It would be consolidated now if", Style::Strong, 0, options);
    for row in &own.counterfactuals {
        paragraph(out, &row.message, Style::Plain, 2, options);
        // A command is pasted: it stays on one line, however long.
        out.push_str("    ");
        Styled::new(row.command.as_str(), Style::Dim).write_to(out, options.color);
        out.push('\n');
    }
}
