//! Moves as values for programs: what was made, and chains of nodes that were replaced again and again.

use std::collections::BTreeMap;

use restow_execution::{Phase, Record};
use restow_model::GoDuration;
use serde::Serialize;

/// The history of a cluster.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct History {
    pub(super) api_version: &'static str,
    pub(super) kind: &'static str,
    pub(super) moves: Vec<MoveLine>,
    pub(super) chains: Vec<Chain>,
    pub(super) totals: Totals,
}

/// A move.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MoveLine {
    pub(super) name: String,
    pub(super) proposed_at: String,
    pub(super) phase: Phase,
    pub(super) pools: Vec<String>,
    pub(super) nodes: Vec<String>,
    pub(super) replacements: Vec<String>,
    pub(super) pods: usize,
    pub(super) promised_per_hour: f64,
    pub(super) realised_per_hour: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) parents: Vec<String>,
}

/// Nodes of which each took the place of the one before, with how long each stayed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Chain {
    /// The first is the node that was there before; the others are claims that moves launched.
    pub(super) nodes: Vec<String>,
    /// How long each but the first and the last stayed, in seconds.
    pub(super) dwell_seconds: Vec<i64>,
}

/// What came of all.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Totals {
    pub(super) done: usize,
    pub(super) under_way: usize,
    pub(super) taken_back: BTreeMap<String, usize>,
    pub(super) promised_per_hour: f64,
    pub(super) realised_per_hour: f64,
    pub(super) evictions: usize,
}

impl History {
    pub(super) fn new(records: &[Record]) -> Self {
        let mut totals = Totals::default();
        for own in records {
            let outcome = own.outcome.as_ref();
            match own.phase {
                Phase::Done => {
                    totals.done += 1;
                    totals.promised_per_hour += own.promised.dollars();
                    totals.realised_per_hour += outcome.map_or(0.0, |own| own.realised.dollars());
                    let gone = own.sources.iter().filter(|own| own.went.is_some());
                    totals.evictions += gone.map(|own| own.evictions).sum::<usize>();
                }
                Phase::RolledBack => {
                    let code =
                        outcome.and_then(|own| own.failure.as_ref()).map_or("", |own| own.code());
                    *totals.taken_back.entry(code.to_owned()).or_default() += 1;
                }
                _ => totals.under_way += 1,
            }
        }
        Self {
            api_version: "restow.dev/v1alpha1",
            kind: "History",
            moves: records.iter().map(line).collect(),
            chains: chains(records),
            totals,
        }
    }
}

fn line(own: &Record) -> MoveLine {
    MoveLine {
        name: own.id.clone(),
        proposed_at: own.proposed.to_string(),
        phase: own.phase,
        pools: own.pools().map(str::to_owned).collect(),
        nodes: own.sources.iter().map(|own| own.node.clone()).collect(),
        replacements: own
            .launches
            .iter()
            .map(|own| own.instance_types.first().cloned().unwrap_or_default())
            .collect(),
        pods: own.pods.len(),
        promised_per_hour: own.promised.dollars(),
        realised_per_hour: own.outcome.as_ref().map(|own| own.realised.dollars()),
        failure: own
            .outcome
            .as_ref()
            .and_then(|own| own.failure.as_ref())
            .map(|own| own.code().to_owned()),
        parents: own.parents.clone(),
    }
}

/// Chains of at least two replacements in a row, the longest first.
fn chains(records: &[Record]) -> Vec<Chain> {
    let done: Vec<&Record> = records.iter().filter(|own| own.phase == Phase::Done).collect();
    let let_go = |claim: &str| {
        done.iter().find_map(|own| {
            let source = own.sources.iter().find(|source| source.claim == claim)?;
            Some((*own, source.went?))
        })
    };
    let launched = |claim: &str| {
        done.iter().any(|own| own.launches.iter().any(|launch| launch.claim == claim))
    };
    let mut found = Vec::new();
    for own in &done {
        for source in own.sources.iter().filter(|source| !launched(&source.claim)) {
            let (mut nodes, mut dwell_seconds) = (vec![source.node.clone()], Vec::new());
            let mut at: &Record = own;
            while let Some(launch) = at.launches.first() {
                nodes.push(launch.claim.clone());
                let Some((next, went)) = let_go(&launch.claim) else { break };
                let stayed: GoDuration = went.since(at.since);
                dwell_seconds.push(stayed.seconds());
                at = next;
            }
            if nodes.len() > 2 {
                found.push(Chain { nodes, dwell_seconds });
            }
        }
    }
    found.sort_by_key(|own| std::cmp::Reverse(own.nodes.len()));
    found
}
