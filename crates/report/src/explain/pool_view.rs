//! A pool as a screen.

use super::pool::{BudgetNow, PoolExplanation, WindowNow};
use crate::money;
use crate::nodes_view::ViewOptions;
use crate::plan::text::{paragraph, price, table_options};
use crate::plan::{verdict_style, word};
use crate::style::Style;
use crate::table::{Cell, Column, Cut, Table};
use crate::units::{counted, grouped};

/// The screen, in lines without spaces at their ends.
pub fn pool_explanation_view(own: &PoolExplanation, options: &ViewOptions) -> String {
    let mut out = String::new();
    paragraph(&mut out, &headline(own), Style::Strong, 0, options);
    for fault in &own.faults {
        let text = format!("Wrong: {}: {}", fault.field, fault.problem);
        paragraph(&mut out, &text, Style::Bad, 0, options);
    }
    for text in budgets(&own.budgets).into_iter().chain(window(&own.window)) {
        paragraph(&mut out, &text, Style::Plain, 0, options);
    }
    if !own.verdicts.is_empty() {
        out.push('\n');
        out.push_str(&verdicts(own).render(&table_options(options, 0)));
    }
    out.push('\n');
    if own.settings.is_empty() {
        paragraph(&mut out, "All settings are defaults.", Style::Plain, 0, options);
        return out;
    }
    let mut table = Table::new(vec![
        Column::new("SETTING", 0),
        Column::new("VALUE", 0).cut(Cut::End, 12),
        Column::new("FROM", 1),
        Column::new("DEFAULT", 2).cut(Cut::End, 8),
    ]);
    for row in &own.settings {
        table.rows.push(vec![
            Cell::plain(row.name),
            Cell::plain(&*row.value),
            Cell::plain(row.origin),
            Cell::styled(row.default, Style::Dim),
        ]);
    }
    out.push_str(&table.render(&table_options(options, 0)));
    out
}

/// `Pool default: 7 nodes, $0.602/hour: moves of its nodes save $0.172/hour, $0.086/hour is blocked.`
fn headline(own: &PoolExplanation) -> String {
    let mut parts = Vec::new();
    if own.savings_per_hour > 0.0 {
        let saved = money::per_hour(price(own.savings_per_hour));
        parts.push(format!("moves of its nodes save {saved}"));
    }
    if own.waiting_savings_per_hour > 0.0 {
        let waiting = money::per_hour(price(own.waiting_savings_per_hour));
        parts.push(format!("{waiting} waits for a budget or a window"));
    }
    if own.blocked_savings_per_hour > 0.0 {
        let blocked = money::per_hour(price(own.blocked_savings_per_hour));
        parts.push(format!("{blocked} is blocked"));
    }
    let rest = if parts.is_empty() { "nothing to save".to_owned() } else { parts.join(", ") };
    format!(
        "Pool {}: {}, {}: {rest}.",
        own.node_pool,
        counted(own.nodes, "node"),
        money::per_hour(price(own.price_per_hour))
    )
}

/// What budgets allow, in one sentence if both reasons have the same answer.
fn budgets(budgets: &[BudgetNow]) -> Vec<String> {
    let text = |own: &BudgetNow, what: &str| {
        let until = own.until.as_ref().map_or_else(String::new, |until| format!(" until {until}"));
        match own.allowed {
            None => format!("Budgets now: no limit for {what}{until}."),
            Some(allowed) => format!(
                "Budgets now: {} at a time for {what}{until}, {} in use.",
                counted(allowed, "node"),
                grouped(own.used as u128)
            ),
        }
    };
    match budgets {
        [a, b] if (a.allowed, &a.until) == (b.allowed, &b.until) => {
            vec![text(a, &format!("{} and {}", a.reason, b.reason))]
        }
        all => all.iter().map(|own| text(own, own.reason)).collect(),
    }
}

fn window(own: &WindowNow) -> Option<String> {
    if own.open {
        return None;
    }
    let until = own.until.as_ref().map_or_else(String::new, |until| format!(" until {until}"));
    Some(format!("Windows: closed{until}."))
}

fn verdicts(own: &PoolExplanation) -> Table {
    let locks = own.verdicts.iter().any(|row| row.savings_per_hour > 0.0);
    let mut columns = vec![
        Column::new("VERDICT", 0),
        Column::new("REASON", 0),
        Column::new("NODES", 0).right(),
        Column::new("$/HOUR", 1).right(),
    ];
    if locks {
        columns.push(Column::new("LOCKED $/HOUR", 1).right());
    }
    columns.push(Column::new("SUCH AS", 2).cut(Cut::Middle, 12));
    let mut table = Table::new(columns);
    for row in &own.verdicts {
        let mut cells = vec![
            Cell::styled(row.verdict, verdict_style(row.verdict)),
            word(row.code),
            Cell::plain(grouped(row.nodes as u128)),
            Cell::plain(money::hourly_figure(price(row.price_per_hour), 4)),
        ];
        if locks {
            let locked = money::hourly_figure(price(row.savings_per_hour), 4);
            cells.push(word(Some(locked.as_str()).filter(|_| row.savings_per_hour > 0.0)));
        }
        cells.push(Cell::plain(&*row.example));
        table.rows.push(cells);
    }
    table
}
