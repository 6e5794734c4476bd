//! The report as one page: what each policy cost and whom it disturbed, in numbers and figures.

mod charts;
mod details;

use std::fmt::Write;

use super::comparison::{is_best, title};
use super::document::SimulationReport;
use super::expectations::{sentence, summary};
use super::headline::{difference, headline, invalid, several};
use super::rows::PolicyRow;
use super::text::{against, count, decimals, dollars, short, signed_percent, span};
use crate::figure::Shape;
use crate::money;
use crate::page::{escaped, figure, page};
use crate::units::counted;

/// The page.
pub fn simulation_html(report: &SimulationReport) -> String {
    let mut out = String::new();
    header(&mut out, report);
    expectations(&mut out, report);
    policies(&mut out, report);
    charts::write(&mut out, report);
    details::chains(&mut out, report);
    details::maps(&mut out, report);
    details::moves(&mut out, report);
    details::workloads(&mut out, report);
    details::runs(&mut out, report);
    footer(&mut out, report);
    page(&format!("restow simulation: {}", report.scenario), &out)
}

/// What colours a policy: those that do something by number, the one that does nothing in grey.
fn class(report: &SimulationReport, at: usize) -> String {
    let name = &report.policies[at].name;
    if report.baseline.as_ref() == Some(name) {
        return "sn".to_owned();
    }
    let before =
        report.policies[..at].iter().filter(|own| report.baseline.as_ref() != Some(&own.name));
    format!("s{}", before.count() % 7)
}

/// The shape of a policy's marks.
fn shape(at: usize) -> Shape {
    Shape::of(at)
}

fn acting(report: &SimulationReport) -> Vec<&PolicyRow> {
    report.policies.iter().filter(|own| report.baseline.as_ref() != Some(&own.name)).collect()
}

fn header(out: &mut String, report: &SimulationReport) {
    let _ = writeln!(
        out,
        "<header>\n<h1>Simulation of {}</h1>\n<dl class=\"figures\">",
        escaped(&report.scenario)
    );
    let acting = acting(report);
    match acting.as_slice() {
        [] => {}
        [own] => one(out, report, own),
        all => many(out, report, all),
    }
    out.push_str("</dl>\n");
    let text = match acting.as_slice() {
        [own] => headline(report, own),
        _ => title(report),
    };
    let _ = writeln!(out, "<p>{}</p>", escaped(&text));
    for text in report.policies.iter().filter_map(invalid) {
        let _ = writeln!(out, "<p class=\"warn\">{}</p>", escaped(&text));
    }
    out.push_str("</header>\n");
}

/// The numbers of one policy.
fn one(out: &mut String, report: &SimulationReport, own: &PolicyRow) {
    let middle = |key: &str| own.number(key).median;
    let less = report
        .nobody()
        .and_then(|nobody| difference(middle("dollars"), nobody.number("dollars").median))
        .map_or_else(String::new, |text| format!("{text} doing nothing"));
    figure(out, "Cost", &dollars(middle("dollars")), &less);
    let start_end = format!("{} → {}", count(middle("nodesAtStart")), count(middle("nodesAtEnd")));
    let hours = [middle("pricePerHourAtStart"), middle("pricePerHourAtEnd")];
    let hours = hours.map(|own| money::amount(own, 3));
    figure(out, "Nodes", &start_end, &format!("{} → {} per hour", hours[0], hours[1]));
    figure(
        out,
        "Moves",
        &count(middle("moves")),
        &several(middle("rolledBack"), "taken back").replace("backs", "back"),
    );
    let again = format!("{} again within the hour", count(middle("reEvictions")));
    figure(out, "Evictions", &count(middle("evictions")), &again);
}

/// Who is best at what.
fn many(out: &mut String, report: &SimulationReport, all: &[&PolicyRow]) {
    let least = |key: &str| {
        let valid = all.iter().filter(|own| own.valid);
        valid.min_by(|a, b| a.number(key).median.total_cmp(&b.number(key).median))
    };
    if let Some(own) = least("dollars") {
        figure(out, "Cheapest", &own.name, &dollars(own.number("dollars").median));
    }
    if let Some(own) = least("evictions") {
        let text = several(own.number("evictions").median, "eviction");
        figure(out, "Disturbs least", &own.name, &text);
    }
    if let Some(nobody) = report.nobody() {
        let text = dollars(nobody.number("dollars").median);
        figure(out, "Doing nothing", &text, &span(report.duration_seconds));
    }
    if !report.expectations.is_empty() {
        let held = report.expectations.iter().filter(|own| own.passed).count();
        let all = report.expectations.len();
        figure(out, "Expectations", &format!("{held} of {all}"), "held");
    }
}

fn expectations(out: &mut String, report: &SimulationReport) {
    if report.expectations.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "<section>\n<h2>Expectations</h2>\n<p>{}</p>\n<ul class=\"checks\">",
        summary(report).0
    );
    for own in &report.expectations {
        let (class, mark) = if own.passed { ("held", "✓") } else { ("failed", "✗") };
        let _ = write!(out, "<li class=\"{class}\"><b>{mark}</b>{}", escaped(&sentence(own)));
        if let Some(command) = &own.reproduce {
            let _ = write!(out, "<code>{}</code>", escaped(command));
        }
        out.push_str("</li>\n");
    }
    out.push_str("</ul>\n</section>\n");
}

/// A row for each policy.
fn policies(out: &mut String, report: &SimulationReport) {
    type Text = Box<dyn Fn(f64) -> String>;
    let places =
        decimals(report.policies.iter().map(|own| own.number("dollars").max).fold(0.0, f64::max));
    let columns: [(&str, &str, bool, Text); 10] = [
        ("Cost", "dollars", true, Box::new(move |own| money::amount(own, places))),
        ("Evictions", "evictions", true, Box::new(count)),
        ("Again within the hour", "reEvictions", true, Box::new(count)),
        ("Most of one pod", "maxEvictionsPerPod", true, Box::new(count)),
        ("Longest chain", "generations", true, Box::new(count)),
        ("Moves", "moves", false, Box::new(count)),
        ("Pods waited", "pendingPodSeconds", true, Box::new(short)),
        ("Node-hours", "nodeHours", false, Box::new(count)),
        ("Nodes at end", "nodesAtEnd", false, Box::new(count)),
        ("$/hour at end", "pricePerHourAtEnd", true, Box::new(|own| money::amount(own, 3))),
    ];
    out.push_str("<section>\n<h2>Policies</h2>\n<div class=\"scroll flush\"><table class=\"ruled\">\n<tr><th></th><th>Policy</th>");
    for (header, ..) in &columns {
        let _ = write!(out, "<th class=\"n\">{header}</th>");
    }
    out.push_str("</tr>\n");
    let nobody = report.nobody().map(|own| (own.name.as_str(), own.number("dollars").median));
    for own in &report.policies {
        let name = if own.valid {
            escaped(&own.name)
        } else {
            format!("{} <small>invalid</small>", escaped(&own.name))
        };
        let _ = write!(out, "<tr><td>{}</td><td>{name}</td>", if own.pareto { "★" } else { "" });
        for (_, key, judged, text) in &columns {
            let number = own.number(key);
            let best = if *judged && is_best(report, own, key) { " best" } else { "" };
            let _ = write!(out, "<td class=\"n{best}\">{}", text(number.median));
            let range = [text(number.min), text(number.max)];
            if range[0] != range[1] {
                let _ = write!(out, "<br><small>{}</small>", range.join("–"));
            }
            let change = nobody
                .filter(|(name, _)| *key == "dollars" && *name != own.name)
                .and_then(|(_, other)| against(number.median, other));
            if let Some(change) = change {
                let _ = write!(out, "<br><small>{}</small>", signed_percent(change, false));
            }
            out.push_str("</td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str(
        "</table></div>\n<p class=\"note\">★ No other policy is as good in cost, evictions and waiting and better in one. \
         Below a number: the least and the most of all seeds; below the cost also its change against doing nothing. \
         Longest chain: replacements of replacements in a row. Pods waited: for a node, all together.</p>\n</section>\n",
    );
}

fn footer(out: &mut String, report: &SimulationReport) {
    let seeds = counted(report.seeds(), "seed");
    let policies = report.policies.len();
    let _ = writeln!(
        out,
        "<footer>{} from {}, {policies} {}, {seeds}. A line or a map is of the middle run by cost; bands reach from the least to \
         the most of all seeds. Everything here is also in <code>-o json</code>. Equal input gives equal results.</footer>",
        span(report.duration_seconds),
        escaped(&report.start),
        if policies == 1 { "policy" } else { "policies" },
    );
}
