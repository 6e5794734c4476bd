//! Where pods could run, as a screen: a row for each, or all about one.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use restow_scheduling::Reason;

use super::feasible::PodFeasibility;
use super::message::Explained;
use super::text::{beside, few, sentence};
use super::view::table_options;
use crate::nodes_view::ViewOptions;
use crate::style::Style;
use crate::table::{Cell, Column, Cut, Table};
use crate::units::{counted, grouped};

/// The screen, in lines without spaces at their ends.
pub fn feasibility_view<'a>(
    answers: impl Iterator<Item = PodFeasibility<'a>>,
    options: &ViewOptions,
) -> String {
    let options = &ViewOptions { width: options.width.filter(|_| !options.wide), ..*options };
    let mut answers = answers.peekable();
    let Some(first) = answers.next() else { return String::new() };
    if answers.peek().is_none() {
        return one(&first, options);
    }
    let mut table = Table::new(vec![
        Column::new("POD", 1).cut(Cut::Middle, 28),
        Column::new("NODES", 0).right(),
        Column::new("REFUSED BY", 0).cut(Cut::End, 20),
    ]);
    let mut somewhere = 0;
    for answer in std::iter::once(first).chain(answers) {
        let feasible = answer.feasible().count();
        somewhere += usize::from(feasible > 0);
        let groups = groups(&answer);
        let all = feasible + groups.iter().map(|group| group.nodes.len()).sum::<usize>();
        let style = if feasible == 0 { Style::Bad } else { Style::Plain };
        let refused: Vec<String> = groups
            .iter()
            .map(|group| format!("{} {}", grouped(group.nodes.len() as u128), group.brief))
            .collect();
        table.rows.push(vec![
            Cell::plain(answer.pod().to_string()),
            Cell::styled(format!("{}/{}", count(feasible), count(all)), style),
            Cell::plain(refused.join(", ")),
        ]);
    }
    let mut out = String::new();
    let text = format!(
        "{}, each asked by itself: {} could run somewhere.",
        counted(table.rows.len(), "pod"),
        count(somewhere)
    );
    sentence(&mut out, &text, Style::Strong, options);
    out.push('\n');
    out.push_str(&table.render(&table_options(options)));
    out
}

fn count(number: usize) -> String {
    grouped(number as u128)
}

/// Nodes that refuse a pod for the same reason.
struct Group<'a> {
    brief: String,
    nodes: Vec<&'a str>,
    /// How close the closest came; smaller is closer.
    closeness: i128,
    closest: &'a str,
    why: Explained,
}

/// Refusals by reason, the most nodes first.
fn groups<'a>(answer: &PodFeasibility<'a>) -> Vec<Group<'a>> {
    let speaker = answer.speaker();
    let mut found: BTreeMap<String, Group<'a>> = BTreeMap::new();
    for (node, reason) in answer.infeasible() {
        let closeness = closeness(reason);
        let brief = speaker.brief(reason);
        let group = found.entry(brief.clone()).or_insert_with(|| Group {
            brief,
            nodes: Vec::new(),
            closeness,
            closest: node,
            why: speaker.reason(reason),
        });
        group.nodes.push(node);
        if closeness < group.closeness {
            (group.closeness, group.closest) = (closeness, node);
            group.why = speaker.reason(reason);
        }
    }
    let mut groups: Vec<Group<'_>> = found.into_values().collect();
    groups.sort_by_key(|group| Reverse(group.nodes.len()));
    groups
}

/// By how much a node refuses, in thousandths of what is asked for where it is a share.
fn closeness(reason: &Reason) -> i128 {
    match reason {
        Reason::InsufficientResources { shortages } => {
            let share = shortages.iter().map(|short| {
                i128::from(short.missing()) * 1000 / i128::from(short.requested.max(1))
            });
            share.max().unwrap_or_default()
        }
        Reason::SpreadSkew { skew, .. } => i128::from(*skew),
        Reason::VolumeLimit { limit, attached, new, .. } => i128::from(attached + new - limit),
        _ => 0,
    }
}

fn one(answer: &PodFeasibility<'_>, options: &ViewOptions) -> String {
    let mut out = String::new();
    let feasible: Vec<&str> = answer.feasible().collect();
    let groups = groups(answer);
    let all = feasible.len() + groups.iter().map(|group| group.nodes.len()).sum::<usize>();
    let names = match feasible.len() {
        0 => ".".to_owned(),
        _ if options.wide => format!(": {}", feasible.join(", ")),
        _ => format!(": {}", few(&feasible)),
    };
    let text = format!(
        "{} could run on {} of {}{names}",
        answer.pod(),
        count(feasible.len()),
        counted(all, "node")
    );
    let style = if feasible.is_empty() { Style::Bad } else { Style::Strong };
    sentence(&mut out, &text, style, options);
    let digits = groups.iter().map(|group| count(group.nodes.len()).len()).max().unwrap_or(0);
    for group in &groups {
        let s = if group.nodes.len() == 1 { "" } else { "s" };
        let word = format!("  {:>digits$} node{s}", count(group.nodes.len()));
        let text = match group.nodes.len() {
            1 => format!("{} ({})", group.why.message, group.closest),
            _ if group.closeness > 0 => {
                format!("{}; closest: {}", group.why.message, group.closest)
            }
            _ => group.why.message.clone(),
        };
        beside(&mut out, &word, &text, digits + 10, options);
    }
    if options.wide {
        out.push('\n');
        let mut table = Table::new(vec![Column::new("NODE", 0), Column::new("ANSWER", 1)]);
        let speaker = answer.speaker();
        for (node, reason) in answer.answers() {
            let text =
                reason.map_or_else(|| "could run".to_owned(), |own| speaker.reason(own).message);
            table.rows.push(vec![Cell::plain(node), Cell::plain(text)]);
        }
        out.push_str(&table.render(&table_options(options)));
    }
    out
}
