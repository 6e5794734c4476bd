//! What happened in detail: chains, nodes before and after, moves, workloads, runs.

use std::fmt::Write;

use restow_simulator::outcome::NodeShot;
use rustc_hash::FxHashSet;

use super::super::chains;
use super::super::document::SimulationReport;
use super::super::rows::{EndingRow, PolicyRow, RunRow};
use super::super::text::{count, decimals, instant, instant_unit, short, what};
use super::super::view::saved;
use crate::figure::{Become, Lane, Lanes, NodeMap, Tile, tile_note};
use crate::money;
use crate::page::{escaped, row};
use crate::units::{counted, grouped};

const CHAINS: usize = 4;
const MOVES: usize = 200;
const WORKLOADS: usize = 20;

/// Says how much of a list is not here.
fn more(out: &mut String, count: usize, what: &str) {
    if count > 0 {
        let _ = writeln!(
            out,
            "<p class=\"note\">And {} more {what}; all are in <code>-o json</code>.</p>",
            grouped(count as u128)
        );
    }
}

/// Replacements that were replaced: boxes on an axis of time.
pub(super) fn chains(out: &mut String, report: &SimulationReport) {
    let found: Vec<_> =
        report.policies.iter().filter_map(|own| Some((own, chains::shown(own)?))).collect();
    if found.is_empty() {
        return;
    }
    out.push_str(
        "<section>\n<h2>Churn: replacements that were replaced</h2>\n\
         <p class=\"note\">One box for each node, from when it was there to when it was decided that it goes again; blue: it stays. \
         Time: ",
    );
    let _ = writeln!(out, "{} since the start.</p>", instant_unit(report.duration_seconds));
    let time = |own: f64| instant(own, report.duration_seconds);
    for (policy, (run, chains)) in found {
        let longest = chains.first().map_or(0, |own| own.moves);
        let _ = writeln!(
            out,
            "<h3>{}: {}, the longest of {} moves (seed {})</h3>",
            escaped(&policy.name),
            counted(chains.len(), "chain"),
            longest,
            run.seed
        );
        for chain in chains.iter().take(CHAINS) {
            let lanes = chain.links.iter().map(|link| Lane {
                text: format!(
                    "{} {}/h{}",
                    link.node.instance_type,
                    money::amount(link.node.price_per_hour, 4),
                    link.dwell().map_or_else(String::new, |own| format!(", {}", short(own)))
                ),
                from: link.from,
                until: link.until,
            });
            let text = chain.text(false);
            out.push_str(
                &Lanes {
                    title: "Chain of replacements",
                    text: &text,
                    boxes: lanes.collect(),
                    time: &time,
                }
                .draw(),
            );
        }
        more(out, chains.len().saturating_sub(CHAINS), "chains");
    }
    out.push_str("</section>\n");
}

/// The nodes at the start, and at the end under each policy.
pub(super) fn maps(out: &mut String, report: &SimulationReport) {
    let Some(first) = report.policies.iter().find(|own| !own.before.is_empty()) else { return };
    let names = |nodes: &[NodeShot]| -> FxHashSet<String> {
        nodes.iter().map(|own| own.name.clone()).collect()
    };
    let there = names(&first.before);
    let changed: Vec<(&PolicyRow, FxHashSet<String>)> = report
        .policies
        .iter()
        .map(|policy| (policy, names(&policy.after)))
        .filter(|(_, here)| *here != there)
        .collect();
    // Which nodes go can be marked if only one policy lets any go.
    let goes = |own: &NodeShot| matches!(&changed[..], [(_, here)] if !here.contains(&own.name));
    let start: Vec<Tile<'_>> = first
        .before
        .iter()
        .map(|own| tile(own, if goes(own) { Become::Goes } else { Become::Stays }))
        .collect();
    let ends: Vec<(&PolicyRow, Vec<Tile<'_>>)> = changed
        .iter()
        .map(|(policy, _)| {
            let tiles = policy.after.iter().map(|own| {
                tile(own, if there.contains(&own.name) { Become::Stays } else { Become::Comes })
            });
            (*policy, tiles.collect())
        })
        .collect();
    let mut fleets: Vec<&[Tile<'_>]> = vec![&start];
    fleets.extend(ends.iter().map(|own| own.1.as_slice()));
    let map = NodeMap::new(&fleets);
    out.push_str("<section>\n<h2>Nodes before and after</h2>\n");
    let mut fleet = |title: &str, tiles: &[Tile<'_>]| {
        let sum: f64 = tiles.iter().map(|own| own.dollars).sum();
        let _ = writeln!(
            out,
            "<h3>{}: {}, {}/hour</h3>",
            escaped(title),
            counted(tiles.len(), "node"),
            money::amount(sum, 3)
        );
        out.push_str(&map.draw(title, tiles));
    };
    fleet("Before", &start);
    for (policy, tiles) in &ends {
        fleet(&format!("After, {}", policy.name), tiles);
    }
    let same: Vec<String> = report
        .policies
        .iter()
        .filter(|policy| changed.iter().all(|(own, _)| own.name != policy.name))
        .map(|policy| format!("<b>{}</b>", escaped(&policy.name)))
        .collect();
    if !same.is_empty() {
        let _ = writeln!(out, "<p>The nodes stay the same under {}.</p>", same.join(", "));
    }
    out.push_str(tile_note());
    out.push_str("</section>\n");
}

fn tile(own: &NodeShot, becomes: Become) -> Tile<'_> {
    Tile {
        name: format!(
            "{}: {} {} in {}, {}/h, {}",
            own.name,
            own.instance_type,
            own.capacity_type,
            own.zone,
            money::amount(own.price, 4),
            counted(own.pods as usize, "pod")
        ),
        kind: &own.instance_type,
        pool: if own.pool.is_empty() { "no pool" } else { &own.pool },
        dollars: own.price,
        full: f64::from(own.cpu.max(own.memory)),
        becomes,
    }
}

/// A row for each move of the middle run.
pub(super) fn moves(out: &mut String, report: &SimulationReport) {
    let some = |own: &&PolicyRow| own.typical().is_some_and(|run| !run.decisions.is_empty());
    let acting: Vec<&PolicyRow> = report.policies.iter().filter(some).collect();
    if acting.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "<section>\n<h2>Moves</h2>\n<p class=\"note\">Of the middle run by cost. Time: {} since the start.</p>",
        instant_unit(report.duration_seconds)
    );
    let few =
        acting.iter().filter_map(|own| own.typical()).map(|run| run.decisions.len()).sum::<usize>()
            <= 40;
    for policy in acting {
        let Some(run) = policy.typical() else { continue };
        let _ = writeln!(
            out,
            "<details{}><summary><b>{}</b>: {} (seed {})</summary>\n<div class=\"scroll\"><table>\n\
             <tr><th class=\"n\">Time</th><th>Move</th><th>Nodes that go</th><th class=\"n\">Saves $/hour</th><th class=\"n\">Must save</th>\
             <th class=\"n\">Pods</th><th class=\"n\">Took</th><th></th></tr>",
            if few { " open" } else { "" },
            escaped(&policy.name),
            counted(run.decisions.len(), "move"),
            run.seed
        );
        for own in run.decisions.iter().take(MOVES) {
            let names: Vec<&str> = own.sources.iter().map(|own| own.name.as_str()).collect();
            let _ = write!(
                out,
                "<tr><td class=\"n\">{}</td><td>{}</td><td class=\"text\">{}</td>",
                instant(own.at, report.duration_seconds),
                escaped(&what(own, false)),
                escaped(&names.join(", "))
            );
            let ending = match (own.outcome, &own.code) {
                (EndingRow::Done, _) => String::new(),
                (EndingRow::RolledBack, code) => {
                    format!("taken back {}", code.as_deref().unwrap_or_default())
                }
                (EndingRow::Open, _) => "not over".to_owned(),
            };
            let _ = writeln!(
                out,
                "<td class=\"n\">{:.4}</td><td class=\"n\">{:.4}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
                saved(own),
                own.required_savings_per_hour,
                own.pods,
                own.took.map_or_else(|| "-".to_owned(), short),
                escaped(ending.trim_end())
            );
        }
        out.push_str("</table></div>\n");
        more(out, run.decisions.len().saturating_sub(MOVES), "moves");
        out.push_str("</details>\n");
    }
    out.push_str("</section>\n");
}

/// Who was disturbed most in the middle run.
pub(super) fn workloads(out: &mut String, report: &SimulationReport) {
    let some = |own: &&PolicyRow| own.typical().is_some_and(|run| !run.workloads.is_empty());
    let disturbed: Vec<&PolicyRow> = report.policies.iter().filter(some).collect();
    if disturbed.is_empty() {
        return;
    }
    out.push_str("<section>\n<h2>Workloads that were disturbed most</h2>\n");
    for policy in disturbed {
        let Some(run) = policy.typical() else { continue };
        let _ = writeln!(
            out,
            "<details open><summary><b>{}</b>: {} (seed {})</summary>\n<div class=\"scroll\"><table>\n<tr><th>Workload</th><th>Evictions</th>\
             <th>Least ready</th><th>Not all ready for</th></tr>",
            escaped(&policy.name),
            counted(run.workloads.len(), "workload"),
            run.seed
        );
        for own in run.workloads.iter().take(WORKLOADS) {
            let cells = [
                own.workload.clone(),
                count(own.evictions as f64),
                own.least_ready.to_string(),
                short(own.unready_seconds),
            ];
            row(out, "", &cells.each_ref().map(String::as_str));
        }
        out.push_str("</table></div>\n");
        more(out, run.workloads.len().saturating_sub(WORKLOADS), "workloads");
        out.push_str("</details>\n");
    }
    out.push_str("</section>\n");
}

/// A row for each run.
pub(super) fn runs(out: &mut String, report: &SimulationReport) {
    let all = || {
        report.policies.iter().flat_map(|policy| policy.runs.iter().map(move |run| (policy, run)))
    };
    let few = if all().count() <= 30 { " open" } else { "" };
    let _ = writeln!(
        out,
        "<section>\n<h2>Runs</h2>\n<details{few}><summary>All {}</summary>\n<div class=\"scroll\"><table>\n\
         <tr><th>Policy</th><th class=\"n\">Seed</th><th class=\"n\">Cost</th><th class=\"n\">Evictions</th><th class=\"n\">Again</th>\
         <th class=\"n\">Most of one pod</th><th class=\"n\">Chain</th><th class=\"n\">Moves</th><th class=\"n\">Taken back</th>\
         <th class=\"n\">Pods waited</th><th class=\"n\">Node-hours</th><th class=\"n\">Nodes at end</th><th class=\"n\">$/hour at end</th>\
         <th></th></tr>",
        counted(all().count(), "run")
    );
    let places = decimals(all().map(|(_, run)| run.totals.dollars).fold(0.0, f64::max));
    for (policy, run) in all() {
        one_run(out, policy, run, places);
    }
    out.push_str("</table></div>\n</details>\n</section>\n");
}

fn one_run(out: &mut String, policy: &PolicyRow, run: &RunRow, places: u32) {
    let own = &run.totals;
    let cells = [
        run.seed.to_string(),
        money::amount(own.dollars, places),
        grouped(own.evictions.into()),
        grouped(own.re_evictions.into()),
        grouped(own.max_evictions_per_pod.into()),
        grouped(own.generations.into()),
        grouped(own.moves.into()),
        grouped(own.rolled_back.into()),
        short(own.pending_pod_seconds),
        count(own.node_hours),
        grouped(own.nodes_at_end.into()),
        money::amount(own.price_per_hour_at_end, 3),
    ];
    let _ = write!(out, "<tr><td>{}</td>", escaped(&policy.name));
    for cell in cells {
        let _ = write!(out, "<td class=\"n\">{cell}</td>");
    }
    let note = if own.valid {
        String::new()
    } else {
        format!("invalid: {} left without a node", counted(own.pending_at_end as usize, "pod"))
    };
    let _ = writeln!(out, "<td>{note}</td></tr>");
}
