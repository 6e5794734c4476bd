//! Which pods are asked about, and what is not.

use std::collections::BTreeSet;

use restow_model::{Snapshot, Str};
use restow_report::units::counted;

use super::AskArgs;
use super::scale;
use super::workloads::or_nearest;
use crate::terminal;

/// Pods that need a place.
pub(super) struct Question {
    /// Pods without a node, by their places in the snapshot.
    pub(super) pods: Vec<usize>,
    /// Nodes whose pods need another.
    pub(super) drain: Vec<Str>,
    /// Whether it is about what is pending, because nothing else was named.
    pending: bool,
}

impl Question {
    /// The question of the arguments; `added` are the pods of `--pods`. Pods that do not exist yet are added to the snapshot.
    pub(super) fn new(
        snapshot: &mut Snapshot,
        args: &AskArgs,
        added: Vec<usize>,
    ) -> anyhow::Result<Self> {
        let drain = drained(snapshot, &args.drain)?;
        let pending = args.pods.is_empty() && args.scale.is_empty() && drain.is_empty();
        let mut pods = added;
        for wanted in &args.scale {
            pods.extend(scale::pods(snapshot, wanted, args.namespace.as_deref())?);
        }
        if pending {
            pods = waiting(snapshot).filter(|at| !is_daemon(snapshot, *at)).collect();
        }
        pods.sort_unstable();
        pods.dedup();
        Ok(Self { pods, drain, pending })
    }

    /// What the answer is when there is nothing to place.
    pub(super) fn nothing(&self) -> &'static str {
        if self.pending { "Nothing is pending." } else { "Nothing to place." }
    }

    /// Says on standard error what one could think is part of the question and is not.
    pub(super) fn say_what_is_left_out(&self, snapshot: &Snapshot) {
        let others: Vec<usize> =
            waiting(snapshot).filter(|at| self.pods.binary_search(at).is_err()).collect();
        let daemons = others.iter().filter(|at| is_daemon(snapshot, **at)).count();
        if daemons > 0 && self.pending {
            terminal::note(&format!(
                "left out: {} of daemon sets, which belong to their nodes",
                counted(daemons, "pending pod")
            ));
        }
        if others.len() > daemons {
            terminal::note(&format!(
                "not asked about: {}",
                counted(others.len() - daemons, "other pending pod")
            ));
        }
        let leaving = leaving(snapshot, &self.drain);
        if !leaving.is_empty() {
            let more = if leaving.len() > 3 { ", …" } else { "" };
            terminal::note(&format!(
                "being deleted: {} ({}{more}); their pods are asked about with --drain only",
                counted(leaving.len(), "node"),
                leaving[..leaving.len().min(3)].join(", ")
            ));
        }
        let schedulers: BTreeSet<&str> = self
            .pods
            .iter()
            .map(|at| snapshot.text(snapshot.shapes[snapshot.pods[*at].shape].scheduler))
            .filter(|name| *name != "default-scheduler")
            .collect();
        if !schedulers.is_empty() {
            let names: Vec<&str> = schedulers.into_iter().collect();
            terminal::note(&format!(
                "some pods name another scheduler ({}); the answer is that of default-scheduler",
                names.join(", ")
            ));
        }
    }
}

/// Pods that wait for a node.
fn waiting(snapshot: &Snapshot) -> impl Iterator<Item = usize> {
    let pods = snapshot.pods.iter().enumerate();
    pods.filter(|(_, pod)| !pod.is_bound() && !pod.is_finished() && !pod.is_terminating())
        .map(|(at, _)| at)
}

fn is_daemon(snapshot: &Snapshot, pod: usize) -> bool {
    snapshot.is_daemon(&snapshot.pods[pod])
}

fn drained(snapshot: &Snapshot, names: &[String]) -> anyhow::Result<Vec<Str>> {
    let mut found: Vec<Str> = Vec::new();
    for name in names {
        let node = snapshot.nodes.iter().find(|node| snapshot.text(node.meta.name) == name);
        let Some(node) = node else {
            let all = snapshot.nodes.iter().map(|node| snapshot.text(node.meta.name));
            anyhow::bail!("no node {name}{}", or_nearest(name, all));
        };
        if !found.contains(&node.meta.name) {
            found.push(node.meta.name);
        }
    }
    Ok(found)
}

/// Nodes that are being deleted, themselves or through their claims.
fn leaving<'a>(snapshot: &'a Snapshot, drain: &[Str]) -> Vec<&'a str> {
    let claimed = snapshot.node_claims.iter().filter(|claim| claim.meta.deleted.is_some());
    let claimed: BTreeSet<Str> = claimed.map(|claim| claim.node).collect();
    snapshot
        .nodes
        .iter()
        .filter(|node| node.meta.deleted.is_some() || claimed.contains(&node.meta.name))
        .filter(|node| !drain.contains(&node.meta.name))
        .map(|node| snapshot.text(node.meta.name))
        .collect()
}
