//! One line for each thing that a controller tells: JSON, or words on a terminal.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write as _};

use restow_controller::{News, Tell};
use restow_execution::Happened;
use restow_model::Price;
use serde_json::{Map, Value, json};

use crate::input;

/// Writes lines to standard error.
pub(super) struct Log {
    json: bool,
}

/// What a line says.
struct Line {
    level: &'static str,
    message: String,
    fields: Vec<(&'static str, Value)>,
}

impl Log {
    pub(super) fn new() -> Self {
        Self { json: !io::stderr().is_terminal() }
    }
}

impl Tell for Log {
    fn tell(&self, news: &News) {
        let Some(line) = line(news) else { return };
        let time = input::clock().to_string();
        let text = if self.json {
            let mut object = Map::new();
            object.insert("time".to_owned(), json!(time));
            object.insert("level".to_owned(), json!(line.level));
            object.insert("message".to_owned(), json!(line.message));
            for (key, value) in line.fields {
                object.insert(key.to_owned(), value);
            }
            Value::Object(object).to_string()
        } else {
            let mut text = format!("{time} {:<5} {}", line.level, line.message);
            for (key, value) in line.fields {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                let _ = write!(text, " {key}={value}");
            }
            text
        };
        // A log that cannot be written is no reason to stop.
        let _ = writeln!(io::stderr().lock(), "{text}");
    }
}

fn info(message: &str, fields: Vec<(&'static str, Value)>) -> Line {
    Line { level: "info", message: message.to_owned(), fields }
}

fn warn(message: &str, fields: Vec<(&'static str, Value)>) -> Line {
    Line { level: "warn", message: message.to_owned(), fields }
}

fn line(news: &News) -> Option<Line> {
    Some(match news {
        News::Read { nodes, pods, took } => info(
            "the cluster is read",
            vec![
                ("nodes", json!(nodes)),
                ("pods", json!(pods)),
                ("seconds", json!(took.as_secs_f64())),
            ],
        ),
        News::Leads { open } => info("leading", vec![("movesUnderWay", json!(open))]),
        News::Follows { leader } => info("another replica leads", vec![("leader", json!(leader))]),
        News::Happened(happened) => return happening(happened),
        News::Missed { action, reason } => {
            info("not done", vec![("action", json!(action)), ("reason", json!(reason))])
        }
        News::Deposed { reason } => {
            warn("stopped acting until everything is read anew", vec![("reason", json!(reason))])
        }
        News::PeerActive { pool, active: false } => {
            info("Karpenter's own consolidation is off", vec![("nodepool", json!(pool))])
        }
        News::PeerActive { pool, active: true } => warn(
            "only observed: Karpenter's own consolidation is on; switch it off with a budget {nodes: \"0\", reasons: [Underutilized, Empty]}",
            vec![("nodepool", json!(pool)), ("code", json!("PeerActive"))],
        ),
        News::SettingsLost { pool, fields } if fields.is_empty() => {
            info("the settings of the pool are back", vec![("nodepool", json!(pool))])
        }
        News::SettingsLost { pool, fields } => warn(
            "only observed: fields of the pool vanished with the definition of NodePools; apply `restow crds` and the pool again, \
             or delete its ConsolidationReport if that was meant",
            vec![
                ("nodepool", json!(pool)),
                ("fields", json!(fields)),
                ("code", json!("SettingsLost")),
            ],
        ),
        News::Paused { pool, reason, until } => info(
            "paused",
            vec![("nodepool", json!(pool)), ("reason", json!(reason)), ("until", json!(until))],
        ),
        News::Resumed { pool } => info("no longer paused", vec![("nodepool", json!(pool))]),
        News::Stranded { open } => warn(
            "moves are under way, but this process only observes: run with --mode act to finish them or take them back",
            vec![("movesUnderWay", json!(open))],
        ),
        News::Reconnecting { kind, reason } => info(
            "the watch broke and is opened again",
            vec![("kind", json!(kind.name())), ("reason", json!(reason))],
        ),
        News::Lost { kind, reason } => {
            info("not watched", vec![("kind", json!(kind.name())), ("reason", json!(reason))])
        }
        News::Skipped { problem } => warn("left out", vec![("problem", json!(problem))]),
        News::Trouble { what, reason } => {
            warn("tried again", vec![("what", json!(what)), ("reason", json!(reason))])
        }
        News::Placed { id, hits, misses } => info(
            "the pods of a move are placed",
            vec![("move", json!(id)), ("asPlanned", json!(hits)), ("elsewhere", json!(misses))],
        ),
        News::Again { id, parents } => info(
            "nodes go that moves had launched",
            vec![("move", json!(id)), ("parents", json!(parents))],
        ),
        News::Looked { .. } | News::Surveyed { .. } => return None,
    })
}

fn happening(own: &Happened) -> Option<Line> {
    let dollars = |price: &Price| json!(price.dollars());
    Some(match own {
        Happened::Searched { candidates, moves, begun, postponed, effort, savings } => {
            if *moves == 0 && *begun == 0 && *postponed == 0 {
                return None;
            }
            info(
                "searched",
                vec![
                    ("candidates", json!(candidates)),
                    ("moves", json!(moves)),
                    ("begun", json!(begun)),
                    ("waitForNodesThatMayGoSoon", json!(postponed)),
                    ("savingsPerHour", dollars(savings)),
                    ("effort", json!(effort)),
                ],
            )
        }
        Happened::Proposed { id, promised } => {
            info("move proposed", vec![("move", json!(id)), ("savingsPerHour", dollars(promised))])
        }
        Happened::Refused { id, code } => info(
            "move not made: things have changed",
            vec![("move", json!(id)), ("code", json!(code))],
        ),
        Happened::Launched { id } => {
            info("all replacements have their machines", vec![("move", json!(id))])
        }
        Happened::Drained { id, node, evictions } => info(
            "node is let go",
            vec![("move", json!(id)), ("node", json!(node)), ("evictions", json!(evictions))],
        ),
        Happened::Done { id, promised, realised, failure } => info(
            "move done",
            vec![
                ("move", json!(id)),
                ("promisedPerHour", dollars(promised)),
                ("realisedPerHour", dollars(realised)),
                ("failure", json!(failure.as_ref().map(restow_execution::Failure::code))),
            ],
        ),
        Happened::RolledBack { id, failure } => info(
            "move taken back",
            vec![
                ("move", json!(id)),
                ("failure", json!(failure.as_ref().map(restow_execution::Failure::code))),
            ],
        ),
        Happened::Waiting { id } => {
            warn("pods that a move evicted wait for a node", vec![("move", json!(id))])
        }
        Happened::Braked { pool, brake } => warn(
            "no move is begun for a while",
            vec![
                ("nodepool", json!(pool)),
                ("brake", json!(brake.name())),
                ("until", json!(brake.until().to_string())),
            ],
        ),
        Happened::Released { pool } => {
            info("moves may begin again", vec![("nodepool", json!(pool))])
        }
        Happened::Blocked { pool, node, savings, required, cost, threshold } => Line {
            level: "info",
            message: blocked(*savings, *required, *cost, *threshold),
            fields: vec![("nodepool", json!(pool)), ("node", json!(node))],
        },
        Happened::Adapted { pool, threshold, .. } => info(
            "savings threshold adapted",
            vec![("nodepool", json!(pool)), ("centsPerHour", json!(threshold.dollars() * 100.0))],
        ),
    })
}

/// The line of seed 001, in its words.
fn blocked(savings: Price, required: Price, cost: f64, threshold: Price) -> String {
    let cents = |price: Price| decimals(price.dollars() * 100.0, 1);
    format!(
        "consolidation blocked: savings {} cents/hr below required {} cents/hr (disruption_cost={}, threshold={})",
        cents(savings),
        cents(required),
        decimals(cost, 1),
        decimals(threshold.dollars() * 100.0, 0),
    )
}

/// A number with at least so many decimals, and at most four.
fn decimals(number: f64, least: usize) -> String {
    let mut text = format!("{number:.4}");
    let point = text.find('.').unwrap_or(text.len());
    while text.ends_with('0') && text.len() > point + 1 + least {
        text.pop();
    }
    text.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_the_seed() {
        let cents = |cents: f64| Price::from_dollars(cents / 100.0).expect("a price");
        assert_eq!(
            blocked(cents(0.6), cents(6.0), 6.0, cents(1.0)),
            "consolidation blocked: savings 0.6 cents/hr below required 6.0 cents/hr (disruption_cost=6.0, threshold=1)"
        );
        assert_eq!(decimals(0.04, 1), "0.04");
        assert_eq!(decimals(0.5, 0), "0.5");
    }
}
