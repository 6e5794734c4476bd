//! What stays: grouped by reason, with what it costs, what it locks, and what can be done.

use std::collections::BTreeMap;

use super::document::PlanDocument;
use super::rows::{NodeRow, ReasonRow};
use super::text::{paragraph, price, table_options};
use super::view::verdict_style;
use crate::money;
use crate::nodes_view::ViewOptions;
use crate::reason::{CODES, fix_of};
use crate::style::Style;
use crate::table::{Cell, Column, Table};
use crate::units::{counted, grouped};

/// How many of the closest nodes are named.
const FEW: usize = 3;

/// Nodes that stay for one reason.
pub(super) struct Stay<'a> {
    pub(super) verdict: &'a str,
    pub(super) code: &'a str,
    pub(super) nodes: Vec<&'a NodeRow>,
    pub(super) price_per_hour: f64,
    pub(super) locked_per_hour: f64,
}

impl Stay<'_> {
    /// The node that came closest to moving, or the dearest.
    pub(super) fn example(&self) -> Option<(&NodeRow, &ReasonRow)> {
        let rank = |node: &&&NodeRow| {
            let near = node.reasons.first().and_then(closeness).unwrap_or_default();
            (near, node.price_per_hour.unwrap_or_default())
        };
        let best = self.nodes.iter().rev().max_by(|a, b| {
            let (a, b) = (rank(a), rank(b));
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1))
        })?;
        Some((best, best.reasons.first()?))
    }
}

/// Nodes that are in no move, by their headline, in the order of the gates.
pub(super) fn stays(plan: &PlanDocument) -> Vec<Stay<'_>> {
    let place = |code: &str| CODES.iter().position(|(own, _)| *own == code);
    let mut found: BTreeMap<(Option<usize>, &str), Stay<'_>> = BTreeMap::new();
    for node in plan.nodes.iter().filter(|node| node.in_move.is_none()) {
        let Some(reason) = node.reasons.first() else { continue };
        let code = reason.code.as_str();
        let stay = found.entry((place(code), code)).or_insert_with(|| Stay {
            verdict: &node.verdict,
            code,
            nodes: Vec::new(),
            price_per_hour: 0.0,
            locked_per_hour: 0.0,
        });
        stay.nodes.push(node);
        stay.price_per_hour += node.price_per_hour.unwrap_or_default();
    }
    for locked in &plan.blocked_savings_per_hour {
        if let Some(stay) = found.values_mut().find(|own| own.code == locked.code) {
            stay.locked_per_hour += locked.savings_per_hour;
        }
    }
    found.into_values().collect()
}

/// How near a reason's numbers are to what they would have to be, below 1; `None` if it has none to compare.
pub(super) fn closeness(reason: &ReasonRow) -> Option<f64> {
    let number = |name: &str| reason.values.number(name);
    let share = |have: Option<f64>, need: Option<f64>| {
        let (have, need) = have.zip(need)?;
        (need > 0.0).then(|| (have / need).clamp(0.0, 1.0))
    };
    match reason.code.as_str() {
        "SavingsBelowThreshold" => share(number("savingsCents"), number("requiredCents")),
        "SavingsBelowPercentage" => share(number("savingsPercent"), number("requiredPercent")),
        "ScoreBelowThreshold" => share(number("score"), number("threshold")),
        "UtilizationAboveThreshold" => share(number("threshold"), number("utilization")),
        "NoCheaperReplacement" => share(number("pricePerHour"), number("cheapestPerHour")),
        "TooFewSpotOptions" => share(number("options"), number("required")),
        "PaybackTooLong" => share(number("maxPaybackSeconds"), number("paybackSeconds")),
        _ => None,
    }
}

pub(super) fn write(out: &mut String, plan: &PlanDocument, options: &ViewOptions) {
    let stays = stays(plan);
    if stays.is_empty() {
        return;
    }
    out.push('\n');
    write_stays(out, &stays, options);
    write_locked(out, plan, options);
    write_closest(out, plan, &stays, options);
}

fn write_stays(out: &mut String, stays: &[Stay<'_>], options: &ViewOptions) {
    let locks = stays.iter().any(|own| own.locked_per_hour > 0.0);
    let mut columns = vec![
        Column::new("NOT MOVED", 0),
        Column::new("VERDICT", 2),
        Column::new("NODES", 0).right(),
        Column::new("$/HOUR", 1).right(),
    ];
    if locks {
        columns.push(Column::new("LOCKED $/HOUR", 1).right());
    }
    let mut table = Table::new(columns);
    for own in stays {
        let mut row = vec![
            Cell::styled(own.code, Style::Strong),
            Cell::styled(own.verdict, verdict_style(own.verdict)),
            Cell::plain(grouped(own.nodes.len() as u128)),
            Cell::plain(money::hourly_figure(price(own.price_per_hour), 4)),
        ];
        if locks {
            row.push(if own.locked_per_hour > 0.0 {
                Cell::plain(money::hourly_figure(price(own.locked_per_hour), 4))
            } else {
                Cell::styled("-", Style::Dim)
            });
        }
        table.rows.push(row);
    }
    let text = table.render(&table_options(options, 0));
    let mut lines = text.lines();
    if options.headers {
        out.extend(lines.next());
        out.push('\n');
    }
    for (line, own) in lines.zip(stays) {
        out.push_str(line);
        out.push('\n');
        if let Some((node, reason)) = own.example() {
            let text = format!("{}: {}", node.name, reason.message);
            paragraph(out, &text, Style::Plain, 2, options);
        }
        let fix = fix_of(own.code);
        if !fix.is_empty() {
            paragraph(out, &format!("fix: {fix}"), Style::Dim, 2, options);
        }
    }
}

/// `Blocked savings: $0.380/hour, by PdbBlocks web/ingress $0.3800/h (2 nodes).`
fn write_locked(out: &mut String, plan: &PlanDocument, options: &ViewOptions) {
    let all: f64 = plan.blocked_savings_per_hour.iter().map(|own| own.savings_per_hour).sum();
    if all <= 0.0 {
        return;
    }
    let own = plan.blocked_savings_per_hour.iter().filter(|own| own.savings_per_hour > 0.0);
    let shown = if options.wide { usize::MAX } else { FEW };
    let mut parts: Vec<String> = own
        .clone()
        .take(shown)
        .map(|own| {
            let object = own.object.as_ref().map_or_else(String::new, |own| format!(" {own}"));
            format!(
                "{}{object} {} ({})",
                own.code,
                money::node_per_hour(price(own.savings_per_hour)),
                counted(own.nodes, "node")
            )
        })
        .collect();
    if own.clone().count() > shown {
        parts.push(format!("{} more", own.count() - shown));
    }
    let text =
        format!("Blocked savings: {}, by {}.", money::per_hour(price(all)), parts.join(", "));
    out.push('\n');
    paragraph(out, &text, Style::Warn, 0, options);
}

/// Nodes that came closest, besides those that are shown already.
fn write_closest(out: &mut String, plan: &PlanDocument, stays: &[Stay<'_>], options: &ViewOptions) {
    let shown: Vec<&str> =
        stays.iter().filter_map(|own| Some(own.example()?.0.name.as_str())).collect();
    let mut near: Vec<(f64, &NodeRow, &ReasonRow)> = plan
        .nodes
        .iter()
        .filter(|node| node.in_move.is_none() && !shown.contains(&node.name.as_str()))
        .filter_map(|node| {
            let reason = node.reasons.first()?;
            Some((closeness(reason)?, node, reason))
        })
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
    if near.is_empty() {
        return;
    }
    out.push('\n');
    paragraph(out, "Other near misses", Style::Strong, 0, options);
    for (_, node, reason) in near.iter().take(FEW) {
        let text = format!("{}: {}: {}", node.name, reason.code, reason.message);
        paragraph(out, &text, Style::Plain, 2, options);
    }
}
