//! The findings as a screen: a table with a sentence for each, then what to paste.

use super::{FindingRow, LintReport};
use crate::money;
use crate::nodes_view::ViewOptions;
use crate::plan::text::{paragraph, price, table_options};
use crate::plan::word;
use crate::schedule::text::few;
use crate::style::{Style, Styled};
use crate::table::{Cell, Column, Cut, Table};
use crate::units::{counted, grouped};

/// The screen, in lines without spaces at their ends.
pub fn lint_view(report: &LintReport, options: &ViewOptions) -> String {
    let options = &ViewOptions { width: options.width.filter(|_| !options.wide), ..*options };
    let mut out = String::new();
    paragraph(&mut out, &headline(report), Style::Strong, 0, options);
    if report.left_out > 0 {
        let text = format!("{} less severe left out.", counted(report.left_out, "finding"));
        paragraph(&mut out, &text, Style::Dim, 0, options);
    }
    if report.findings.is_empty() {
        return out;
    }
    out.push('\n');
    write_table(&mut out, report, options);
    out.push('\n');
    paragraph(&mut out, "Fixes, to be read before they are pasted", Style::Strong, 0, options);
    for (at, own) in report.findings.iter().enumerate() {
        let title = format!("{} {} {}", at + 1, own.code, own.object);
        paragraph(&mut out, &title, Style::Plain, 0, options);
        // Commands are pasted: they stay on their lines, however long.
        for line in own.fix.lines() {
            let style = if line.starts_with('#') { Style::Dim } else { Style::Good };
            out.push_str("    ");
            Styled::new(line, style).write_to(&mut out, options.color);
            out.push('\n');
        }
    }
    out
}

/// `4 findings: 1 error, 2 warnings, 1 note; $0.172/hour ($125.56/month) locked in.`
fn headline(report: &LintReport) -> String {
    let number =
        |severity: &str| report.findings.iter().filter(|own| own.severity == severity).count();
    if report.findings.is_empty() {
        return "Nothing found.".to_owned();
    }
    let kinds: Vec<String> = ["error", "warning", "note"]
        .iter()
        .filter(|severity| number(severity) > 0)
        .map(|severity| counted(number(severity), severity))
        .collect();
    let locked = price(report.savings_per_hour);
    let locked = if report.savings_per_hour > 0.0 {
        format!("{} ({}) locked in", money::per_hour(locked), money::per_month(locked))
    } else {
        "no savings locked in".to_owned()
    };
    format!("{}: {}; {locked}.", counted(report.findings.len(), "finding"), kinds.join(", "))
}

fn severity_style(severity: &str) -> Style {
    match severity {
        "error" => Style::Bad,
        "warning" => Style::Warn,
        _ => Style::Dim,
    }
}

fn write_table(out: &mut String, report: &LintReport, options: &ViewOptions) {
    // The namespace is that of the object, and a workload is its own owner: neither is said twice.
    let owner = |own: &FindingRow| {
        let owner = own.owner.as_ref().filter(|owner| **owner != own.object)?;
        Some(format!("{} {}", owner.kind, owner.name.as_deref().unwrap_or_default()))
    };
    let owned = report.findings.iter().any(|own| owner(own).is_some());
    let mut columns = vec![
        Column::new("#", 0).right(),
        Column::new("SEVERITY", 1),
        Column::new("CODE", 0),
        Column::new("OBJECT", 0).cut(Cut::Middle, 16),
    ];
    if owned {
        columns.push(Column::new("OWNER", 3).cut(Cut::Middle, 16));
    }
    columns.push(Column::new("NODES", 2).right());
    columns.push(Column::new("LOCKED $/HOUR", 0).right());
    let mut table = Table::new(columns);
    for (at, own) in report.findings.iter().enumerate() {
        let mut row = vec![
            Cell::styled((at + 1).to_string(), Style::Dim),
            Cell::styled(own.severity, severity_style(own.severity)),
            Cell::styled(own.code, Style::Strong),
            Cell::plain(own.object.to_string()),
        ];
        if owned {
            row.push(word(owner(own).as_deref()));
        }
        let nodes = Some(own.nodes.len()).filter(|nodes| *nodes > 0);
        row.push(word(nodes.map(|nodes| grouped(nodes as u128)).as_deref()));
        let locked = Some(own.savings_per_hour).filter(|locked| *locked > 0.0);
        row.push(word(locked.map(|own| money::hourly_figure(price(own), 4)).as_deref()));
        table.rows.push(row);
    }
    let text = table.render(&table_options(options, 0));
    let mut lines = text.lines();
    if options.headers {
        out.extend(lines.next());
        out.push('\n');
    }
    for (line, own) in lines.zip(&report.findings) {
        out.push_str(line);
        out.push('\n');
        paragraph(out, &sentence(own, options), Style::Plain, 3, options);
    }
}

fn sentence(own: &FindingRow, options: &ViewOptions) -> String {
    let nodes = match own.nodes.as_slice() {
        [] => String::new(),
        all if options.wide => format!(" ({})", all.join(", ")),
        all => format!(" ({})", few(all)),
    };
    format!("{}{nodes}", own.message)
}
