//! The plan as one page that needs nothing else: no network, no script, light or dark, on screen or paper.

mod map;
mod money_bar;

use std::fmt::Write;

use super::diff_view::diff_view;
use super::document::PlanDocument;
use super::misses::{Stay, stays};
use super::moves::{pods_move, types};
use super::rows::{MoveRow, NodeRow, PreferencesRow, ReasonRow};
use super::text::{bound_sentence, price, prices, saved_percent};
use crate::money;
use crate::nodes_view::ViewOptions;
use crate::page::{escaped, figure, page, row};
use crate::reason::fix_of;
use crate::units::{counted, grouped, percent};

/// The page.
pub fn plan_html(plan: &PlanDocument) -> String {
    let mut out = String::new();
    header(&mut out, plan);
    money_bar::write(&mut out, plan);
    map::write(&mut out, plan);
    moves(&mut out, plan);
    kept(&mut out, plan);
    all_nodes(&mut out, plan);
    footer(&mut out, plan);
    page("restow plan", &out)
}

fn header(out: &mut String, plan: &PlanDocument) {
    let saved = price(plan.before.price_per_hour) - price(plan.after.price_per_hour);
    let share = saved_percent(plan).unwrap_or_default();
    out.push_str("<header>\n<h1>Consolidation plan</h1>\n<dl class=\"figures\">\n");
    figure(
        out,
        "Saves",
        &money::per_month(saved),
        &format!("{}, {share:.1}%", money::per_hour(saved)),
    );
    figure(
        out,
        "Nodes",
        &format!("{} → {}", plan.before.nodes, plan.after.nodes),
        &counted(plan.moves.len(), "move"),
    );
    figure(
        out,
        "Cost",
        &money::per_hour(price(plan.after.price_per_hour)),
        &format!("now {}", money::per_hour(price(plan.before.price_per_hour))),
    );
    figure(
        out,
        "Evictions",
        &counted(plan.evictions.pods, "pod"),
        &counted(plan.evictions.workloads, "workload"),
    );
    out.push_str("</dl>\n");
    for text in bound_sentence(plan)
        .into_iter()
        .chain(plan.preferences.iter().map(PreferencesRow::sentence))
    {
        let _ = writeln!(out, "<p>{}</p>", escaped(&text));
    }
    out.push_str("</header>\n");
    if !plan.what_if.is_empty() {
        let _ = writeln!(out, "<h2>What if {}</h2>", escaped(&plan.what_if.join(", ")));
        if let Some(difference) = &plan.difference {
            let text = diff_view(difference, &ViewOptions { wide: true, ..ViewOptions::default() });
            let _ = writeln!(out, "<pre>{}</pre>", escaped(&text));
        }
    }
}

fn moves(out: &mut String, plan: &PlanDocument) {
    out.push_str("<section>\n<h2>Moves</h2>\n");
    if plan.moves.is_empty() {
        out.push_str("<p>Nothing to move.</p>\n");
    }
    let mut last: Option<Option<u32>> = None;
    for own in &plan.moves {
        if last != Some(own.wave) {
            let title = match own.wave {
                Some(wave) => format!("Wave {wave}"),
                None => "Not now".to_owned(),
            };
            let _ = writeln!(out, "<h3>{title}</h3>");
            last = Some(own.wave);
        }
        one_move(out, plan, own);
    }
    out.push_str("</section>\n");
}

fn one_move(out: &mut String, plan: &PlanDocument, own: &MoveRow) {
    let into = match own.replacements.len() {
        0 => String::new(),
        count => format!(" by {count}"),
    };
    // What fits a screen needs no click.
    let open = if plan.moves.len() <= 10 { " open" } else { "" };
    let _ = write!(
        out,
        "<details{open}><summary><b>{}</b> {} {}{into}: saves {}, {}, disruption {:.1}",
        escaped(&own.id),
        escaped(&own.decision),
        counted(own.nodes.len(), "node"),
        money::node_per_hour(price(own.savings_per_hour)),
        pods_move(own),
        own.disruption_cost
    );
    if let Some(score) = own.score {
        let _ = write!(out, ", score {score:.2}");
    }
    if !own.risks.is_empty() {
        let _ = write!(out, ", {}", counted(own.risks.len(), "risk"));
    }
    out.push_str("</summary>\n<div class=\"scroll\"><table>\n");
    for name in &own.nodes {
        let node = plan.node(name);
        let cost = node.and_then(|node| node.price_per_hour);
        let of = |text: fn(&NodeRow) -> &Option<String>| {
            node.and_then(|node| text(node).as_deref()).unwrap_or("-")
        };
        let cells = [
            "−",
            name,
            of(|node| &node.instance_type),
            of(|node| &node.zone),
            of(|node| &node.capacity_type),
            &cost.map_or_else(|| "-".to_owned(), |dollars| money::node_per_hour(price(dollars))),
        ];
        row(out, "gone", &cells);
    }
    for (at, new) in own.replacements.iter().enumerate() {
        let cells = [
            "+",
            &format!("replacement/{at}"),
            &types(new),
            &new.zones.join(", "),
            &new.capacity_types.join(", "),
            &money::node_per_hour(price(new.price_per_hour)),
        ];
        row(out, "new", &cells);
    }
    out.push_str("</table></div>\n");
    if let Some(reason) = &own.deferred {
        let _ = writeln!(out, "<p class=\"warn\">Waits: {}</p>", sentence(reason));
    }
    for risk in &own.risks {
        let _ = writeln!(
            out,
            "<p class=\"warn\">{}: {}</p>",
            escaped(&risk.code),
            escaped(&risk.message)
        );
    }
    if !own.pods.is_empty() {
        out.push_str(
            "<div class=\"scroll\"><table>\n<tr><th>Pod</th><th>From</th><th>To</th></tr>\n",
        );
        for pod in &own.pods {
            row(out, "", &[&format!("{}/{}", pod.namespace, pod.name), &pod.from, &pod.to]);
        }
        out.push_str("</table></div>\n");
    }
    out.push_str("</details>\n");
}

fn sentence(reason: &ReasonRow) -> String {
    format!("<b>{}</b> {}", escaped(&reason.code), escaped(&reason.message))
}

fn kept(out: &mut String, plan: &PlanDocument) {
    let stays = stays(plan);
    if stays.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>Not moved</h2>\n");
    let locked: f64 = plan.blocked_savings_per_hour.iter().map(|own| own.savings_per_hour).sum();
    if locked > 0.0 {
        let _ = writeln!(out, "<p>Blocked savings: {}.</p>", money::per_hour(price(locked)));
    }
    // What fits a screen needs no click.
    let few = stays.iter().map(|own| own.nodes.len()).sum::<usize>() <= 20;
    for own in &stays {
        stay(out, own, few);
    }
    out.push_str("</section>\n");
}

fn stay(out: &mut String, own: &Stay<'_>, open: bool) {
    let open = if open { " open" } else { "" };
    let _ = write!(
        out,
        "<details{open}><summary><b>{}</b> {}: {} for {}",
        escaped(own.code),
        escaped(own.verdict),
        counted(own.nodes.len(), "node"),
        money::per_hour(price(own.price_per_hour))
    );
    if own.locked_per_hour > 0.0 {
        let locked = money::per_hour(price(own.locked_per_hour));
        let _ = write!(out, ", {locked} could be saved");
    }
    let _ = writeln!(out, "</summary>\n<p class=\"fix\">Fix: {}.</p>", escaped(fix_of(own.code)));
    out.push_str("<div class=\"scroll\"><table>\n");
    for node in &own.nodes {
        let message = node.reasons.first().map_or("", |reason| reason.message.as_str());
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td class=\"text\">{}</td></tr>",
            escaped(&node.name),
            escaped(message)
        );
    }
    out.push_str("</table></div>\n</details>\n");
}

fn all_nodes(out: &mut String, plan: &PlanDocument) {
    let _ = writeln!(
        out,
        "<section>\n<h2>Nodes</h2>\n<details><summary>All {}</summary>\n<div class=\"scroll\"><table>\n\
         <tr><th>Node</th><th>Pool</th><th>Type</th><th>Zone</th><th>Capacity</th><th>$/hour</th>\
         <th>Full</th><th>Cost</th><th>Verdict</th><th>Why</th></tr>",
        counted(plan.nodes.len(), "node")
    );
    for node in &plan.nodes {
        let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        let why: Vec<&str> = node.reasons.iter().map(|own| own.code.as_str()).collect();
        let dollars = node.price_per_hour.map(|own| money::hourly_figure(price(own), 4));
        let cells = [
            node.name.clone(),
            text(&node.node_pool),
            text(&node.instance_type),
            text(&node.zone),
            text(&node.capacity_type),
            text(&dollars),
            percent(node.utilization.average),
            format!("{:.1}", node.disruption_cost),
            match &node.in_move {
                Some(own) => format!("{} {own}", node.verdict),
                None => node.verdict.clone(),
            },
            why.join(", "),
        ];
        row(out, "", &cells.each_ref().map(String::as_str));
    }
    out.push_str("</table></div>\n</details>\n</section>\n");
}

fn footer(out: &mut String, plan: &PlanDocument) {
    let now = plan.now.as_deref().unwrap_or("an unknown time");
    let converged = match plan.converged {
        Some(true) => " Nothing more would move after the plan.",
        Some(false) => " Planning again would move more.",
        None => "",
    };
    let _ = writeln!(
        out,
        "<footer>As of {}. Prices: {}. Scheduler: {}. Search: {}, profile {}, {} units of effort.{converged}</footer>",
        escaped(now),
        escaped(&prices(plan)),
        escaped(&plan.scheduler),
        escaped(&plan.search),
        escaped(&plan.profile),
        grouped(plan.stats.effort.into())
    );
}
