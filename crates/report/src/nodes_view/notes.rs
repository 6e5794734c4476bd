//! What has to be known to read the figures right.

use std::collections::BTreeMap;

use restow_catalog::SourceInfo;

use super::ViewOptions;
use super::text::paragraph;
use crate::bar;
use crate::fleet::{Fleet, UnpricedNodes};
use crate::state::NodeState;
use crate::style::{Style, Styled};
use crate::units::{counted, grouped};

/// So many reasons and names are spelled out.
const FEW: usize = 3;

pub(super) fn write(out: &mut String, fleet: &Fleet, options: &ViewOptions) {
    for note in notes(fleet, options.ascii) {
        paragraph(out, &note, options);
    }
}

fn notes(fleet: &Fleet, ascii: bool) -> Vec<Styled> {
    let mut notes = Vec::new();
    let mut note = |style, text: String| notes.push(Styled::new(text, style));
    if fleet.nodes.is_empty() {
        let text = match fleet.hidden {
            0 => "There are no nodes.".to_owned(),
            hidden => format!("No node passes the filter; there are {}.", grouped(hidden as u128)),
        };
        note(Style::Warn, text);
    } else {
        if let Some(states) = states(fleet) {
            note(Style::Warn, states);
        }
        note(Style::Dim, format!("Requests, not usage ({}).", bar::legend(ascii)));
        if fleet.totals.priced() > 0 {
            note(Style::Dim, prices(fleet));
        }
    }
    if let Some(time) = fleet.time {
        let shown = match fleet.hidden {
            0 => String::new(),
            hidden => format!(
                ", {} of {}",
                grouped(fleet.nodes.len() as u128),
                counted(fleet.nodes.len() + hidden, "node")
            ),
        };
        note(Style::Dim, format!("Snapshot of {time}{shown}."));
    }
    if fleet.sources.is_empty() && fleet.totals.unpriced > 0 {
        let nodes = counted(fleet.totals.unpriced, "node");
        note(Style::Warn, format!("No price for {nodes}: no catalog was given or fits them."));
    } else {
        for reason in fleet.unpriced.iter().take(FEW) {
            note(Style::Warn, unpriced(reason));
        }
        let rest = fleet.unpriced.iter().skip(FEW).map(|reason| reason.nodes.len()).sum::<usize>();
        if rest > 0 {
            note(Style::Warn, format!("No price for {} for other reasons.", counted(rest, "node")));
        }
    }
    if fleet.claims_without_node > 0 {
        let claims = counted(fleet.claims_without_node, "claim");
        note(Style::Warn, format!("{claims} without a node yet."));
    }
    if fleet.pods.elsewhere > 0 {
        let pods = counted(fleet.pods.elsewhere, "pod");
        note(Style::Warn, format!("{pods} on nodes that the snapshot does not have."));
    }
    notes
}

/// How many nodes are up to what, unless all are just ready.
fn states(fleet: &Fleet) -> Option<String> {
    let mut counts: BTreeMap<NodeState, usize> = BTreeMap::new();
    for node in &fleet.nodes {
        *counts.entry(node.state()).or_default() += 1;
    }
    if counts.keys().all(|state| *state == NodeState::Ready) {
        return None;
    }
    let parts: Vec<String> = counts
        .into_iter()
        .map(|(state, count)| format!("{} {state}", grouped(count as u128)))
        .collect();
    Some(format!("Nodes: {}.", parts.join(", ")))
}

fn prices(fleet: &Fleet) -> String {
    let source = |info: &SourceInfo| {
        let name = &info.name;
        match (&info.date, &info.spot_date) {
            (Some(date), Some(spot)) if date != spot => format!("{name} of {date}, spot of {spot}"),
            (Some(date), _) => format!("{name} of {date}"),
            (None, Some(spot)) => format!("{name}, spot of {spot}"),
            (None, None) => name.clone(),
        }
    };
    let mut sources: Vec<String> = fleet.sources.iter().map(source).collect();
    if fleet.has_written_prices() {
        sources.push("written on nodes".to_owned());
    }
    let estimates = match fleet.totals.estimated {
        0 => String::new(),
        count => format!(" ~ marks the estimates of {}.", counted(count, "node")),
    };
    let partial = if fleet.groups.is_some() && fleet.totals.unpriced > 0 {
        " > marks sums that lack a price."
    } else {
        ""
    };
    format!("Prices: {}.{estimates}{partial}", sources.join("; "))
}

fn unpriced(UnpricedNodes { reason, nodes }: &UnpricedNodes) -> String {
    let names: Vec<&str> = nodes.iter().take(FEW).map(String::as_str).collect();
    let more = match nodes.len().saturating_sub(FEW) {
        0 => String::new(),
        more => format!(" and {} more", grouped(more as u128)),
    };
    format!("No price for {}: {reason} ({}{more}).", counted(nodes.len(), "node"), names.join(", "))
}
