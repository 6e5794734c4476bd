//! The plan as a screen: what it saves, the moves wave by wave, and what stays with its reasons.

use super::diff_view::diff_view;
use super::document::PlanDocument;
use super::misses;
use super::moves;
use super::rows::NodeRow;
use super::text::{arrow, bound_sentence, paragraph, price, prices, saved_percent, table_options};
use crate::money;
use crate::nodes_view::ViewOptions;
use crate::style::Style;
use crate::table::{Cell, Column, Cut, Table};
use crate::units::{counted, percent};

/// The screen, in lines without spaces at their ends.
pub fn plan_view(plan: &PlanDocument, options: &ViewOptions) -> String {
    let options = &ViewOptions { width: options.width.filter(|_| !options.wide), ..*options };
    let mut out = String::new();
    if let Some(difference) = &plan.difference {
        let text = format!("What if {}:", plan.what_if.join(", "));
        paragraph(&mut out, &text, Style::Strong, 0, options);
        out.push_str(&diff_view(difference, options));
        out.push_str("\nThe plan then:\n");
    }
    paragraph(&mut out, &headline(plan, options), Style::Strong, 0, options);
    if let Some(text) = disturbed(plan) {
        paragraph(&mut out, &text, Style::Plain, 0, options);
    }
    paragraph(&mut out, &basis(plan), Style::Dim, 0, options);
    if plan.stats.deadline_hit {
        let text = format!(
            "The deadline ended the search after {} units of effort: there may be more.",
            plan.stats.effort
        );
        paragraph(&mut out, &text, Style::Warn, 0, options);
    }
    moves::write(&mut out, plan, options);
    misses::write(&mut out, plan, options);
    if let Some(text) = bound_sentence(plan) {
        paragraph(&mut out, &text, Style::Plain, 0, options);
    }
    if let Some(own) = &plan.preferences {
        paragraph(&mut out, &own.sentence(), Style::Plain, 0, options);
    }
    if let Some(converged) = plan.converged.filter(|_| !plan.moves.is_empty()) {
        let text = if converged { "yes" } else { "no, planning again would move more" };
        paragraph(
            &mut out,
            &format!("Converged after the plan: {text}."),
            Style::Plain,
            0,
            options,
        );
    }
    if options.wide && !plan.nodes.is_empty() {
        out.push('\n');
        out.push_str(&nodes(plan).render(&table_options(options, 0)));
    }
    out
}

/// `14 nodes → 13, $2.520/hour → $2.328/hour: saves $0.192/hour, $140.16/month (7.6%).`
fn headline(plan: &PlanDocument, options: &ViewOptions) -> String {
    let (before, after) = (&plan.before, &plan.after);
    let cost = money::per_hour(price(before.price_per_hour));
    let nodes = counted(before.nodes, "node");
    let waiting = plan.moves.iter().filter(|own| own.wave.is_none());
    if plan.moves.iter().all(|own| own.wave.is_none()) {
        let would: f64 = waiting.clone().map(|own| own.savings_per_hour).sum();
        return match waiting.count() {
            0 => format!("{nodes}, {cost}: nothing to move."),
            count => format!(
                "{nodes}, {cost}: nothing may move now; {} would save {}.",
                counted(count, "move"),
                money::node_per_hour(price(would))
            ),
        };
    }
    let saved = price(before.price_per_hour) - price(after.price_per_hour);
    let share = saved_percent(plan).map_or_else(String::new, |own| format!(" ({own:.1}%)"));
    let to = arrow(options);
    format!(
        "{nodes} {to} {}, {cost} {to} {}: saves {}, {}{share}.",
        after.nodes,
        money::per_hour(price(after.price_per_hour)),
        money::per_hour(saved),
        money::per_month(saved),
    )
}

/// `11 pods of 7 workloads move.`
fn disturbed(plan: &PlanDocument) -> Option<String> {
    let own = &plan.evictions;
    match (own.pods, plan.moves.iter().any(|own| own.wave.is_some())) {
        (_, false) => None,
        (0, true) => Some("No pod has to move.".to_owned()),
        (1, true) => Some("1 pod moves.".to_owned()),
        (pods, true) => Some(format!(
            "{} of {} move.",
            counted(pods, "pod"),
            counted(own.workloads, "workload")
        )),
    }
}

/// What the plan rests on.
fn basis(plan: &PlanDocument) -> String {
    let profile = match plan.profile.as_str() {
        "seeds" => String::new(),
        profile => format!(", profile {profile}"),
    };
    format!(
        "Prices: {}. Scheduler: {}. Search: {}{profile}, {} of {}.",
        prices(plan),
        plan.scheduler,
        plan.search,
        counted(plan.stats.candidates, "candidate"),
        counted(plan.before.nodes, "node")
    )
}

/// How a verdict looks.
pub(crate) fn verdict_style(verdict: &str) -> Style {
    match verdict {
        "Consolidate" => Style::Good,
        "Deferred" => Style::Warn,
        "Blocked" => Style::Bad,
        "Unmanaged" => Style::Dim,
        _ => Style::Plain,
    }
}

/// A word, or a hyphen where nobody knows.
pub(crate) fn word(text: Option<&str>) -> Cell {
    text.map_or_else(|| Cell::styled("-", Style::Dim), Cell::plain)
}

/// A row for each node.
fn nodes(plan: &PlanDocument) -> Table {
    let mut table = Table::new(vec![
        Column::new("NODE", 0).cut(Cut::Middle, 12),
        Column::new("POOL", 3),
        Column::new("TYPE", 2),
        Column::new("ZONE", 4),
        Column::new("CAPACITY", 4),
        Column::new("$/HOUR", 1).right(),
        Column::new("FULL", 2).right(),
        Column::new("COST", 3).right(),
        Column::new("VERDICT", 0),
        Column::new("MOVE", 1),
        Column::new("REASONS", 1),
    ]);
    let price_of = |node: &NodeRow| match node.price_per_hour {
        Some(dollars) => Cell::plain(money::hourly_figure(price(dollars), 4)),
        None => Cell::styled("-", Style::Dim),
    };
    for node in &plan.nodes {
        let codes: Vec<&str> = node.reasons.iter().map(|own| own.code.as_str()).collect();
        table.rows.push(vec![
            Cell::plain(&*node.name),
            word(node.node_pool.as_deref()),
            word(node.instance_type.as_deref()),
            word(node.zone.as_deref()),
            word(node.capacity_type.as_deref()),
            price_of(node),
            Cell::plain(percent(node.utilization.average)),
            Cell::plain(format!("{:.1}", node.disruption_cost)),
            Cell::styled(&*node.verdict, verdict_style(&node.verdict)),
            word(node.in_move.as_deref()),
            word(Some(codes.join(", ")).as_deref().filter(|text| !text.is_empty())),
        ]);
    }
    table
}
