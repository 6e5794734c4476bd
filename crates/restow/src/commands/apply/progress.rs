//! What is going on while a plan is carried out, for whoever sits in front of it.

use restow_controller::{News, Tell};
use restow_execution::{Happened, Record};
use restow_report::units::counted;

use crate::terminal;

/// Says what happens to moves, by the names that the plan gave their nodes.
pub(super) struct Progress {
    moves: Vec<(String, String)>,
}

impl Progress {
    pub(super) fn new(records: &[Record]) -> Self {
        let nodes = |own: &Record| {
            let names: Vec<&str> = own.sources.iter().map(|own| own.node.as_str()).collect();
            names.join(", ")
        };
        Self { moves: records.iter().map(|own| (own.id.clone(), nodes(own))).collect() }
    }

    fn nodes<'a>(&'a self, id: &'a str) -> &'a str {
        self.moves.iter().find(|own| own.0 == id).map_or(id, |own| own.1.as_str())
    }
}

impl Tell for Progress {
    fn tell(&self, news: &News) {
        let text = match news {
            News::Happened(Happened::Launched { id }) => {
                format!("{}: the new nodes are launched", self.nodes(id))
            }
            News::Happened(Happened::Drained { node, evictions, .. }) => {
                format!("{node}: let go, {} to move", counted(*evictions, "pod"))
            }
            News::Happened(Happened::Refused { id, code }) => {
                format!("{}: refused ({code})", self.nodes(id))
            }
            News::Happened(Happened::Done { id, realised, failure, .. }) => match failure {
                None => {
                    format!("{}: gone, saves ${:.4} per hour", self.nodes(id), realised.dollars())
                }
                Some(failure) => format!("{}: not all gone ({})", self.nodes(id), failure.code()),
            },
            News::Happened(Happened::RolledBack { id, failure }) => format!(
                "{}: taken back ({})",
                self.nodes(id),
                failure.as_ref().map_or("", restow_execution::Failure::code)
            ),
            News::Happened(Happened::Waiting { id }) => {
                format!("{}: pods wait for a node", self.nodes(id))
            }
            News::Missed { action, reason } => format!("could not {action} yet: {reason}"),
            News::Trouble { what, reason } => format!("{what}: {reason}; trying again"),
            News::Reconnecting { kind, reason } => format!("{kind}: {reason}; connecting again"),
            _ => return,
        };
        terminal::note(&text);
    }
}
