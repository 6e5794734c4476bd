//! Several policies as a screen: a row for each, what is best, and whether they did what was expected.

use super::document::SimulationReport;
use super::expectations;
use super::headline::invalid;
use super::rows::PolicyRow;
use super::sparkline::{range, sparkline};
use super::text::{against, between, count, decimals, short, signed_percent, span};
use crate::money;
use crate::nodes_view::ViewOptions;
use crate::plan::text::{indented, paragraph, table_options};
use crate::style::Style;
use crate::table::{Cell, Column, Cut, Table};

/// The screen, in lines without spaces at their ends.
pub fn comparison_view(report: &SimulationReport, options: &ViewOptions) -> String {
    let options = &ViewOptions { width: options.width.filter(|_| !options.wide), ..*options };
    let mut out = String::new();
    paragraph(&mut out, &title(report), Style::Strong, 0, options);
    for text in report.policies.iter().filter_map(invalid) {
        paragraph(&mut out, &text, Style::Warn, 0, options);
    }
    out.push('\n');
    indented(&mut out, &numbers(report, options).render(&table_options(options, 2)), 2);
    out.push('\n');
    indented(&mut out, &fleets(report, options).render(&table_options(options, 2)), 2);
    out.push('\n');
    paragraph(&mut out, &legend(report, options), Style::Dim, 0, options);
    expectations::write(&mut out, report, options);
    out
}

/// `7 days of s1 under 4 policies, medians of 5 seeds.`
pub(super) fn title(report: &SimulationReport) -> String {
    let policies = match report.policies.len() {
        1 => "1 policy".to_owned(),
        count => format!("{count} policies"),
    };
    let seeds = match report.seeds() {
        0 | 1 => String::new(),
        seeds => format!(", medians of {seeds} seeds"),
    };
    format!("{} of {} under {policies}{seeds}.", span(report.duration_seconds), report.scenario)
}

/// What the words above mean.
fn legend(report: &SimulationReport, options: &ViewOptions) -> String {
    let mark = mark(options.ascii);
    let mut text = format!(
        "{mark} no other policy is as good in cost, evictions and waiting and better in one. AGAIN: evicted again within \
         the hour. MOST: evictions of one pod. CHAIN: replacements of replacements in a row. WAITED: for a node, all pods together."
    );
    if let Some(name) = &report.baseline {
        text.push_str(" CHANGE: cost against ");
        text.push_str(name);
        text.push('.');
    }
    text
}

/// What stands at a policy that is worth choosing.
pub(super) const fn mark(ascii: bool) -> &'static str {
    if ascii { "*" } else { "★" }
}

/// A column of numbers.
struct Measure {
    header: &'static str,
    key: &'static str,
    priority: u8,
    /// Whether the least is the best; a number that nobody wants more or less of has none.
    judged: bool,
}

const MEASURES: [Measure; 6] = [
    Measure { header: "EVICTED", key: "evictions", priority: 0, judged: true },
    Measure { header: "AGAIN", key: "reEvictions", priority: 2, judged: true },
    Measure { header: "MOST", key: "maxEvictionsPerPod", priority: 2, judged: true },
    Measure { header: "CHAIN", key: "generations", priority: 3, judged: true },
    Measure { header: "MOVES", key: "moves", priority: 4, judged: false },
    Measure { header: "WAITED", key: "pendingPodSeconds", priority: 1, judged: true },
];

/// What each policy cost and whom it disturbed.
fn numbers(report: &SimulationReport, options: &ViewOptions) -> Table {
    let nobody = report.nobody();
    let mut columns = vec![
        Column::new("", 0),
        Column::new("POLICY", 0).cut(Cut::Middle, 12),
        Column::new("COST", 0).right(),
    ];
    if nobody.is_some() {
        columns.push(Column::new("CHANGE", 1).right());
    }
    columns.extend(MEASURES.iter().map(|own| Column::new(own.header, own.priority).right()));
    let mut table = Table::new(columns);
    let places = decimals(greatest(report, "dollars"));
    for policy in &report.policies {
        let cell = |key: &str, judged: bool, text: &dyn Fn(f64) -> String| {
            let own = policy.number(key);
            let text =
                if options.wide { between(&own, options.ascii, text) } else { text(own.median) };
            let best = judged && is_best(report, policy, key);
            Cell::styled(text, if best { Style::Good } else { Style::Plain })
        };
        let mut row = vec![
            Cell::styled(if policy.pareto { mark(options.ascii) } else { "" }, Style::Good),
            name(policy),
            cell("dollars", true, &|own| money::amount(own, places)),
        ];
        if let Some(nobody) = nobody {
            let other = nobody.number("dollars").median;
            let change = against(policy.number("dollars").median, other);
            row.push(match change.filter(|_| nobody.name != policy.name) {
                Some(own) => Cell::plain(signed_percent(own, options.ascii)),
                None => Cell::empty(),
            });
        }
        for own in &MEASURES {
            let waited = own.key == "pendingPodSeconds";
            row.push(cell(own.key, own.judged, if waited { &short } else { &count }));
        }
        table.rows.push(row);
    }
    table
}

/// How large the fleet was, and its cost over time.
fn fleets(report: &SimulationReport, options: &ViewOptions) -> Table {
    let mut table = Table::new(vec![
        Column::new("POLICY", 0).cut(Cut::Middle, 12),
        Column::new("NODE-HOURS", 1).right(),
        Column::new("NODES AT END", 1).right(),
        Column::new("$/HOUR AT END", 0).right(),
        Column::new("$/HOUR OVER TIME", 2).cut(Cut::End, 10),
    ]);
    let courses: Vec<Vec<f64>> = report
        .policies
        .iter()
        .map(|policy| {
            let series = policy.typical().map(|run| run.series.as_slice()).unwrap_or_default();
            series.iter().map(|own| own.price).collect()
        })
        .collect();
    let range = range(courses.iter());
    // What the other columns leave of the width.
    let names = report.policies.iter().map(|own| own.name.chars().count()).max().unwrap_or(0);
    let room = options.width.map_or(40, |width| width.saturating_sub(names.max(12) + 47));
    for (policy, course) in report.policies.iter().zip(&courses) {
        let best = |key: &str| {
            if is_best(report, policy, key) { Style::Good } else { Style::Plain }
        };
        let middle = |key: &str| policy.number(key).median;
        table.rows.push(vec![
            name(policy),
            Cell::plain(count(middle("nodeHours"))),
            Cell::plain(count(middle("nodesAtEnd"))),
            Cell::styled(money::amount(middle("pricePerHourAtEnd"), 3), best("pricePerHourAtEnd")),
            Cell::plain(sparkline(course, range, room.clamp(8, 40), options.ascii)),
        ]);
    }
    table
}

fn name(policy: &PolicyRow) -> Cell {
    if policy.valid {
        Cell::plain(&*policy.name)
    } else {
        Cell::styled(format!("{} (invalid)", policy.name), Style::Warn)
    }
}

fn greatest(report: &SimulationReport, key: &str) -> f64 {
    report.policies.iter().map(|own| own.number(key).max).fold(0.0, f64::max)
}

/// Whether no valid policy has less, and some has more: what all have is nobody's merit.
pub(super) fn is_best(report: &SimulationReport, policy: &PolicyRow, key: &str) -> bool {
    let middles = || {
        let valid = report.policies.iter().filter(|own| own.valid);
        valid.map(|own| own.number(key).median)
    };
    let own = policy.number(key).median;
    policy.valid && middles().all(|other| own <= other) && middles().any(|other| own < other)
}
