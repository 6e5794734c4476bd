//! `kind: Schedule`, for programs. Fields may be added, never renamed.

use serde::Serialize;

use super::answer::{Misfit, Obstacle, PlacedPod, PodName, ScheduleReport, Where};
use super::nodes::{DrainedNode, LaunchedNode};
use super::values::Values;

/// The answer as a value that any format can write.
pub fn schedule_document(report: &ScheduleReport) -> ScheduleDocument<'_> {
    let mut unschedulable: Vec<Unschedulable<'_>> = Vec::new();
    for Misfit { pods, obstacles } in &report.misfits {
        unschedulable.extend(pods.iter().map(|PodName { namespace, name }| Unschedulable {
            namespace,
            name,
            reasons: obstacles.iter().map(reason).collect(),
        }));
    }
    unschedulable.sort_by_key(|pod| (pod.namespace, pod.name));
    ScheduleDocument {
        api_version: "restow.dev/v1alpha1",
        kind: "Schedule",
        now: report.time.map(|time| time.to_string()),
        placements: report.placements.iter().map(placement).collect(),
        new_nodes: report.new_nodes.iter().map(new_node).collect(),
        new_nodes_price_per_hour: report.price().dollars(),
        unschedulable,
        drained: report.drained.iter().map(drained).collect(),
    }
}

/// `kind: Schedule`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleDocument<'a> {
    api_version: &'static str,
    kind: &'static str,
    now: Option<String>,
    placements: Vec<Placement<'a>>,
    new_nodes: Vec<NewNode<'a>>,
    new_nodes_price_per_hour: f64,
    unschedulable: Vec<Unschedulable<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    drained: Vec<Drained<'a>>,
}

#[derive(Serialize)]
struct Placement<'a> {
    namespace: &'a str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
    to: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NewNode<'a> {
    name: &'a str,
    node_pool: &'a str,
    instance_type: &'a str,
    instance_types: &'a [String],
    zone: Option<&'a str>,
    capacity_type: &'a str,
    price_per_hour: f64,
}

#[derive(Serialize)]
struct Unschedulable<'a> {
    namespace: &'a str,
    name: &'a str,
    reasons: Vec<Reason<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reason<'a> {
    code: &'static str,
    message: &'a str,
    nodes: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    node_pool: Option<&'a str>,
    values: &'a Values,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Drained<'a> {
    node: &'a str,
    pods: usize,
    pods_without_owner: usize,
    daemon_pods: usize,
    mirror_pods: usize,
    terminating_pods: usize,
}

fn placement(placed: &PlacedPod) -> Placement<'_> {
    Placement {
        namespace: &placed.pod.namespace,
        name: &placed.pod.name,
        from: placed.from.as_deref(),
        to: &placed.to,
    }
}

fn new_node(node: &LaunchedNode) -> NewNode<'_> {
    NewNode {
        name: &node.name,
        node_pool: &node.pool,
        instance_type: &node.instance_type,
        instance_types: &node.instance_types,
        zone: node.zone.as_deref(),
        capacity_type: &node.capacity_type,
        price_per_hour: node.price.dollars(),
    }
}

fn reason(obstacle: &Obstacle) -> Reason<'_> {
    let (nodes, nearest, node_pool) = match &obstacle.at {
        Where::Everywhere { nodes } => (*nodes, None, None),
        Where::Nodes { count, nearest } => (*count, Some(nearest.as_str()), None),
        Where::Pool(name) => (0, None, Some(name.as_str())),
        Where::NoPools => (0, None, None),
    };
    let why = &obstacle.why;
    Reason { code: why.code, message: &why.message, nodes, nearest, node_pool, values: &why.values }
}

fn drained(node: &DrainedNode) -> Drained<'_> {
    Drained {
        node: &node.node,
        pods: node.pods,
        pods_without_owner: node.orphans,
        daemon_pods: node.daemons,
        mirror_pods: node.mirrors,
        terminating_pods: node.terminating,
    }
}
