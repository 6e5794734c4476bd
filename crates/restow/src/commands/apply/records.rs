//! From the moves of a plan to what is kept of them, held against the cluster as it is now.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context;
use restow_consolidation::settings::{Entry, resolve};
use restow_execution::{Launch, Moving, Phase, Record, Source};
use restow_model::{Price, Snapshot, Str, Time};
use restow_report::{MoveRow, PlanDocument};

use crate::settings_args::read_structured;

/// Reads a plan as `restow plan` prints it.
pub(super) fn read_plan(path: &Path) -> anyhow::Result<PlanDocument> {
    let place = || format!("{}: cannot read", path.display());
    let text = if path.as_os_str() == "-" {
        std::io::read_to_string(std::io::stdin()).context("standard input: cannot read")?
    } else {
        std::fs::read_to_string(path).with_context(place)?
    };
    let document: PlanDocument = if text.trim_start().starts_with('{') {
        serde_json::from_str(&text).with_context(|| format!("{}: not a plan", path.display()))?
    } else {
        serde_saphyr::from_str(&text)
            .map_err(|error| anyhow::anyhow!("{}: not a plan: {error}", path.display()))?
    };
    if document.kind != "Plan" {
        anyhow::bail!("{}: not a plan but a {}", path.display(), document.kind);
    }
    Ok(document)
}

/// The moves that were asked for, or all that may run; those of the first wave first.
pub(super) fn choose<'d>(
    document: &'d PlanDocument,
    asked: &[String],
) -> anyhow::Result<Vec<&'d MoveRow>> {
    for id in asked {
        if document.moves.iter().all(|own| own.id != *id) {
            let all: Vec<&str> = document.moves.iter().map(|own| own.id.as_str()).collect();
            anyhow::bail!("--move {id}: the plan has no such move; it has {}", all.join(", "));
        }
    }
    let wanted = |own: &&MoveRow| {
        if asked.is_empty() { own.wave.is_some() } else { asked.contains(&own.id) }
    };
    let mut chosen: Vec<&MoveRow> = document.moves.iter().filter(wanted).collect();
    chosen.sort_by_key(|own| own.wave.unwrap_or(u32::MAX));
    Ok(chosen)
}

/// Karpenter would undo what is done in a pool that it consolidates itself.
pub(super) fn refuse_beside_karpenter(
    moves: &[&MoveRow],
    snapshot: &Snapshot,
    entries: &[Entry],
) -> anyhow::Result<()> {
    let (_, resolved) = resolve(&snapshot.node_pools, &snapshot.strings, entries, &read_structured);
    for (pool, resolved) in snapshot.node_pools.iter().zip(&resolved) {
        let name = snapshot.text(pool.meta.name);
        let sources = moves.iter().flat_map(|own| &own.nodes);
        let touched = sources.filter_map(|node| pool_of(node, snapshot)).any(|own| own == name);
        if touched && restow_controller::peer_is_active(pool, resolved) {
            anyhow::bail!(
                "NodePool {name}: Karpenter's own consolidation is on and would undo this (PeerActive); switch it off with \
                 a budget {{nodes: \"0\", reasons: [Underutilized, Empty]}} or consolidateAfter: Never"
            );
        }
    }
    Ok(())
}

fn pool_of<'s>(node: &str, snapshot: &'s Snapshot) -> Option<&'s str> {
    let node = snapshot.strings.get(node)?;
    let claim = snapshot.node_claims.iter().find(|own| own.node == node)?;
    claim.meta.labels.text("karpenter.sh/nodepool", &snapshot.strings)
}

/// What is kept of a move; or what has changed since the plan was made.
pub(super) fn record(
    document: &PlanDocument,
    own: &MoveRow,
    number: usize,
    snapshot: &Snapshot,
    now: Time,
) -> Result<Record, String> {
    let id = format!("restow-{:x}-apply-{}", now.millis(), number + 1);
    let claim = |at: usize| format!("{id}-{at}");
    let mut sources = Vec::new();
    for name in &own.nodes {
        sources.push(source(document, own, name, snapshot)?);
    }
    let mut pods = Vec::new();
    for pod in &own.pods {
        let find = |text: &str| snapshot.strings.get(text);
        let key = find(&pod.namespace).zip(find(&pod.name));
        let found = snapshot.pods.iter().find(|own| Some((own.namespace, own.name)) == key);
        let (Some(found), Some(from)) = (found, find(&pod.from)) else {
            return Err(format!("pod {}/{} is gone", pod.namespace, pod.name));
        };
        if found.node != from {
            return Err(format!("pod {}/{} is elsewhere", pod.namespace, pod.name));
        }
        let text = |name: Str| snapshot.text(name).to_owned();
        let replacement = pod.to.strip_prefix("replacement/").map(str::parse::<usize>);
        pods.push(Moving {
            pod: (pod.namespace.clone(), pod.name.clone()),
            owner: snapshot.owner(found).map(|own| (text(own.kind), text(own.name))),
            moved: None,
            from: pod.from.clone(),
            to: match replacement {
                Some(at) => claim(at.map_err(|_| format!("{:?} is no replacement", pod.to))?),
                None => pod.to.clone(),
            },
        });
    }
    let launches = own.replacements.iter().enumerate().map(|(at, new)| {
        Ok(Launch {
            claim: claim(at),
            pool: new.node_pool.clone(),
            instance_types: new.instance_types.clone(),
            zones: new.zones.clone(),
            capacity_types: new.capacity_types.clone(),
            price: price(new.price_per_hour)?,
            seen: false,
        })
    });
    Ok(Record {
        launches: launches.collect::<Result<_, String>>()?,
        id: id.clone(),
        phase: Phase::Validating,
        since: now,
        proposed: now,
        sources,
        pods,
        promised: price(own.savings_per_hour)?,
        required: price(own.required_savings_per_hour)?,
        bill: price(document.before.price_per_hour)?,
        parents: Vec::new(),
        trouble: None,
        outcome: None,
    })
}

fn source(
    document: &PlanDocument,
    own: &MoveRow,
    name: &str,
    snapshot: &Snapshot,
) -> Result<Source, String> {
    let known = snapshot.strings.get(name);
    let node = snapshot.nodes.iter().find(|node| Some(node.meta.name) == known);
    let claim = snapshot.node_claims.iter().find(|claim| Some(claim.node) == known);
    let (Some(node), Some(claim)) = (node, claim) else {
        return Err(format!("node {name} is gone, or has no NodeClaim"));
    };
    let expected: BTreeSet<(&str, &str)> = own
        .pods
        .iter()
        .filter(|pod| pod.from == name)
        .map(|pod| (pod.namespace.as_str(), pod.name.as_str()))
        .collect();
    for pod in snapshot.pods.iter().filter(|pod| pod.node == node.meta.name && !pod.is_finished()) {
        let of_daemon = snapshot
            .owner(pod)
            .is_some_and(|own| matches!(snapshot.text(own.kind), "DaemonSet" | "Node"));
        let key = (snapshot.text(pod.namespace), snapshot.text(pod.name));
        if !of_daemon && !expected.contains(&key) {
            return Err(format!("pod {}/{} has come to node {name}", key.0, key.1));
        }
    }
    let row = document.node(name);
    Ok(Source {
        node: name.to_owned(),
        uid: node.meta.uid,
        claim: snapshot.text(claim.meta.name).to_owned(),
        pool: pool_of(name, snapshot).unwrap_or_default().to_owned(),
        price: price(row.and_then(|own| own.price_per_hour).unwrap_or_default())?,
        threshold: Price::ZERO,
        evictions: expected.len(),
        went: None,
    })
}

fn price(dollars: f64) -> Result<Price, String> {
    Price::from_dollars(dollars).ok_or_else(|| format!("{dollars} is no price"))
}
