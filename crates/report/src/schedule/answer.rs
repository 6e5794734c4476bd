//! The engine's answer with names instead of numbers.

use std::cmp::Reverse;
use std::fmt;

use restow_catalog::SourceInfo;
use restow_model::{Price, Snapshot, Str, Time};
use restow_scheduling::{Destination, Miss, NodeMiss, PoolReason, Reason, Schedule};

use super::message::{Explained, Speaker};
use super::nodes::{DrainedNode, LaunchedNode, Spot, drained, new_name, spots};
use super::values::Values;

/// A pod by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PodName {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl PodName {
    /// The name of the pod at this place of a snapshot.
    pub fn new(snapshot: &Snapshot, pod: usize) -> Self {
        let pod = &snapshot.pods[pod];
        let text = |name| snapshot.text(name).to_owned();
        Self { namespace: text(pod.namespace), name: text(pod.name) }
    }
}

impl fmt::Display for PodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

/// A pod that found a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedPod {
    /// The pod.
    pub pod: PodName,
    /// The node that it leaves, if it runs.
    pub from: Option<String>,
    /// A node, a claim whose node is still to come, or `new/0`.
    pub to: String,
}

/// Who refuses a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Where {
    /// The pod itself is the reason, wherever it would go.
    Everywhere {
        /// How many nodes there are.
        nodes: usize,
    },
    /// Nodes.
    Nodes {
        /// How many.
        count: usize,
        /// The closest.
        nearest: String,
    },
    /// A pool, which launches no node for it.
    Pool(String),
    /// There are no pools.
    NoPools,
}

/// What keeps a pod from some nodes or from a pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// Who refuses it.
    pub at: Where,
    /// Why, with the numbers of the closest.
    pub why: Explained,
}

impl Obstacle {
    /// The pool if it launches nothing for any pod.
    pub(super) fn closed_pool(&self) -> Option<&str> {
        const CLOSED: [&str; 4] = ["StaticPool", "PoolDeleting", "PoolNotReady", "NoInstanceTypes"];
        match &self.at {
            Where::Pool(name) if CLOSED.contains(&self.why.code) => Some(name),
            _ => None,
        }
    }
}

/// Pods that fit nowhere, all for the same reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The pods by namespace and name.
    pub pods: Vec<PodName>,
    /// Nodes first, the closest of them first, then pools.
    pub obstacles: Vec<Obstacle>,
}

impl Misfit {
    /// Whether the pods are held back on purpose.
    pub fn is_gated(&self) -> bool {
        self.obstacles.first().is_some_and(|obstacle| obstacle.why.code == "Gated")
    }
}

/// Where pods go, what is launched for them, and why the others fit nowhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleReport {
    /// The time of the snapshot, if it has one.
    pub time: Option<Time>,
    /// In the order in which they were placed: each fits where those before it left room.
    pub placements: Vec<PlacedPod>,
    /// Where the pods go, nodes that exist by name, then new ones.
    pub spots: Vec<Spot>,
    /// What would be launched.
    pub new_nodes: Vec<LaunchedNode>,
    /// Pods that fit nowhere.
    pub misfits: Vec<Misfit>,
    /// Nodes that are drained.
    pub drained: Vec<DrainedNode>,
    /// Where the prices come from.
    pub sources: Vec<SourceInfo>,
    /// Whether there is any pool.
    pub pools: bool,
    /// What to say if there is nothing to place.
    pub nothing: String,
}

impl ScheduleReport {
    /// The answer to a question that drained these nodes.
    pub fn new(snapshot: &Snapshot, schedule: &Schedule, drain: &[Str]) -> Self {
        let strings = &snapshot.strings;
        let new_nodes: Vec<LaunchedNode> = schedule
            .new_nodes
            .iter()
            .enumerate()
            .map(|(at, node)| LaunchedNode::new(at, node, strings))
            .collect();
        let placements = schedule.placements.iter().map(|placement| {
            let from = snapshot.pods[placement.pod].node;
            PlacedPod {
                pod: PodName::new(snapshot, placement.pod),
                from: (!from.is_empty()).then(|| strings.text(from).to_owned()),
                to: match placement.to {
                    Destination::Node(name) => strings.text(name).to_owned(),
                    Destination::New(at) => new_name(at),
                },
            }
        });
        Self {
            time: (snapshot.time != Time::default()).then_some(snapshot.time),
            placements: placements.collect(),
            spots: spots(snapshot, schedule, &new_nodes),
            misfits: misfits(snapshot, schedule),
            drained: drained(snapshot, drain),
            pools: !snapshot.node_pools.is_empty(),
            new_nodes,
            ..Self::default()
        }
    }

    /// How many pods found no place.
    pub fn left_out(&self) -> usize {
        self.misfits.iter().map(|misfit| misfit.pods.len()).sum()
    }

    /// What the new nodes cost.
    pub fn price(&self) -> Price {
        self.new_nodes.iter().map(|node| node.price).sum()
    }
}

/// Pods without a place, those with equal reasons together, the most first.
fn misfits(snapshot: &Snapshot, schedule: &Schedule) -> Vec<Misfit> {
    let mut found: Vec<Misfit> = Vec::new();
    for unplaced in &schedule.unplaced {
        let obstacles = obstacles(snapshot, &unplaced.pods, &unplaced.miss);
        let pods = unplaced.pods.iter().map(|pod| PodName::new(snapshot, *pod));
        match found.iter_mut().find(|misfit| misfit.obstacles == obstacles) {
            Some(misfit) => misfit.pods.extend(pods),
            None => found.push(Misfit { pods: pods.collect(), obstacles }),
        }
    }
    for misfit in &mut found {
        misfit.pods.sort();
    }
    found.sort_by(|a, b| (Reverse(a.pods.len()), &a.pods).cmp(&(Reverse(b.pods.len()), &b.pods)));
    found
}

/// What keeps pods that are alike from every node and pool.
pub(crate) fn obstacles(snapshot: &Snapshot, pods: &[usize], miss: &Miss) -> Vec<Obstacle> {
    let shape = pods.first().map(|pod| &snapshot.shapes[snapshot.pods[*pod].shape]);
    let speaker = Speaker::new(&snapshot.strings, shape);
    // Where there is neither node nor pool, nobody but the pod itself says that it waits.
    let gated = || Some(Reason::Gated { gate: *shape?.gates.first()? });
    if let Some(reason) = own_reason(miss).cloned().or_else(gated) {
        let nodes = miss.nodes.iter().map(|own| own.nodes.len()).sum();
        return vec![Obstacle { at: Where::Everywhere { nodes }, why: speaker.reason(&reason) }];
    }
    let mut found: Vec<Obstacle> = by_reason(snapshot, &miss.nodes)
        .into_iter()
        .map(|own| Obstacle {
            at: Where::Nodes {
                count: own.nodes.len(),
                nearest: own
                    .nodes
                    .first()
                    .map(|name| snapshot.text(*name))
                    .unwrap_or_default()
                    .to_owned(),
            },
            why: speaker.reason(&own.reason),
        })
        .collect();
    found.extend(miss.pools.iter().map(|own| Obstacle {
        at: Where::Pool(snapshot.text(own.pool).to_owned()),
        why: speaker.pool(&own.reason),
    }));
    if snapshot.node_pools.is_empty() {
        let why = Explained {
            code: "NoPools",
            message: "the cluster has no NodePools, so no node can be launched".to_owned(),
            values: Values::None {},
        };
        found.push(Obstacle { at: Where::NoPools, why });
    }
    found
}

/// What is wrong with the pod itself: then every node and pool says the same.
fn own_reason(miss: &Miss) -> Option<&Reason> {
    let of_pod = |reason: &&Reason| {
        matches!(
            reason,
            Reason::Gated { .. }
                | Reason::DynamicResources
                | Reason::ClaimMissing { .. }
                | Reason::ClaimUnbound { .. }
        )
    };
    let of_nodes = miss.nodes.iter().map(|own| Some(&own.reason));
    let of_pools = miss.pools.iter().map(|own| match &own.reason {
        PoolReason::Rule(reason) => Some(reason),
        // Closed pools say so first.
        _ => None,
    });
    let first = of_nodes.clone().chain(of_pools).flatten().next().filter(of_pod)?;
    of_nodes.flatten().all(|reason| reason == first).then_some(first)
}

/// Every node is a domain of its own name: those that are too full of a pod's siblings are one group for a reader.
fn by_reason(snapshot: &Snapshot, misses: &[NodeMiss]) -> Vec<NodeMiss> {
    let hostname = snapshot.strings.get("kubernetes.io/hostname");
    let by_host = |reason: &Reason| matches!(reason, Reason::SpreadSkew { key, .. } if Some(*key) == hostname);
    let mut found: Vec<NodeMiss> = Vec::new();
    for miss in misses {
        let same = found.iter_mut().find(|own| by_host(&own.reason) && by_host(&miss.reason));
        match same {
            Some(own) => own.nodes.extend(&miss.nodes),
            None => found.push(miss.clone()),
        }
    }
    found
}
