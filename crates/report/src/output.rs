//! The fleet for programs: one document that serializes, and JSON of it.
//!
//! Fields may be added, never renamed. Money is in dollars, cpu in cores, memory and storage in bytes; what is not known
//! is null.

use restow_catalog::{Basis, CapacityType, PoolKind, SourceInfo, Unpriced};
use restow_model::Price;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use crate::fleet::{Amounts, Fleet, FleetGroup, FleetNode, Resource, Totals, Unit};
use crate::load::PodCounts;
use crate::money;
use crate::state::NodeState;

/// The fleet as JSON, indented, with a line break at its end.
pub fn json(fleet: &Fleet) -> String {
    let mut text = serde_json::to_string_pretty(&document(fleet))
        .expect("a document has text for keys and no failing parts");
    text.push('\n');
    text
}

/// The fleet as a value that any format can write.
pub fn document(fleet: &Fleet) -> FleetDocument<'_> {
    FleetDocument {
        api_version: "restow.dev/v1alpha1",
        kind: "Fleet",
        now: fleet.time.map(|time| time.to_string()),
        catalog: Prices {
            source: fleet.sources.iter().map(|own| &*own.name).collect::<Vec<_>>().join(", "),
            date: fleet.sources.iter().rev().find_map(|own| own.date.as_deref()),
            sources: &fleet.sources,
        },
        totals: sums(fleet, &fleet.totals),
        pods: Pods::new(&fleet.pods),
        hidden_nodes: fleet.hidden,
        claims_without_node: fleet.claims_without_node,
        unpriced: fleet
            .unpriced
            .iter()
            .map(|own| UnpricedRow {
                reason: reason(&own.reason),
                message: own.reason.to_string(),
                nodes: &own.nodes,
            })
            .collect(),
        group_by: fleet.groups.as_ref().map(|groups| groups.by.to_string()),
        groups: fleet
            .groups
            .as_ref()
            .map(|groups| groups.rows.iter().map(|group| group_row(fleet, group)).collect()),
        nodes: fleet.nodes.iter().map(|node| node_row(fleet, node)).collect(),
    }
}

/// `kind: Fleet`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FleetDocument<'a> {
    api_version: &'static str,
    kind: &'static str,
    now: Option<String>,
    catalog: Prices<'a>,
    totals: Sums<'a>,
    pods: Pods,
    hidden_nodes: usize,
    claims_without_node: usize,
    unpriced: Vec<UnpricedRow<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    group_by: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<GroupRow<'a>>>,
    nodes: Vec<NodeRow<'a>>,
}

#[derive(Serialize)]
struct Prices<'a> {
    source: String,
    date: Option<&'a str>,
    sources: &'a [SourceInfo],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Sums<'a> {
    nodes: usize,
    unpriced_nodes: usize,
    estimated_nodes: usize,
    price_per_hour: Option<f64>,
    price_per_month: Option<f64>,
    utilization: Utilization<'a>,
    resources: Resources<'a>,
}

#[derive(Serialize)]
struct Pods {
    bound: usize,
    running: usize,
    terminating: usize,
    finished: usize,
    pending: usize,
    unschedulable: usize,
    elsewhere: usize,
}

#[derive(Serialize)]
struct UnpricedRow<'a> {
    reason: &'static str,
    message: String,
    nodes: &'a [String],
}

#[derive(Serialize)]
struct GroupRow<'a> {
    value: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<PoolKind>,
    #[serde(flatten)]
    sums: Sums<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NodeRow<'a> {
    name: &'a str,
    node_pool: Option<&'a str>,
    pool_kind: Option<PoolKind>,
    instance_type: Option<&'a str>,
    arch: Option<&'a str>,
    zone: Option<&'a str>,
    region: Option<&'a str>,
    capacity_type: Option<CapacityType>,
    price_per_hour: Option<f64>,
    price_per_month: Option<f64>,
    list_price_per_hour: Option<f64>,
    price_basis: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unpriced: Option<String>,
    state: NodeState,
    states: &'a [NodeState],
    #[serde(skip_serializing_if = "Option::is_none")]
    not_ready_since: Option<String>,
    do_not_disrupt: bool,
    created_at: Option<String>,
    age_seconds: Option<i64>,
    kubelet: Option<&'a str>,
    pods: i64,
    daemon_pods: i64,
    utilization: Utilization<'a>,
    resources: Resources<'a>,
    #[serde(skip_serializing_if = "Pairs::is_empty")]
    labels: Pairs<'a>,
}

fn node_row<'a>(fleet: &'a Fleet, node: &'a FleetNode) -> NodeRow<'a> {
    let quote = node.price.as_ref().ok();
    NodeRow {
        name: &node.name,
        node_pool: node.pool.as_ref().map(|pool| &*pool.name),
        pool_kind: node.pool.as_ref().map(|pool| pool.kind),
        instance_type: node.instance_type.as_deref(),
        arch: node.arch.as_deref(),
        zone: node.zone.as_deref(),
        region: node.region.as_deref(),
        capacity_type: node.capacity_type,
        price_per_hour: quote.map(|quote| quote.price.dollars()),
        price_per_month: quote.map(|quote| money::dollars_per_month(quote.price)),
        list_price_per_hour: quote.map(|quote| quote.list_price.dollars()),
        price_basis: quote.map(|quote| basis(quote.basis)),
        unpriced: node.price.as_ref().err().map(ToString::to_string),
        state: node.state(),
        states: &node.states,
        not_ready_since: node.not_ready_since.map(|time| time.to_string()),
        do_not_disrupt: node.do_not_disrupt,
        created_at: node.created.map(|time| time.to_string()),
        age_seconds: node.age.map(restow_model::GoDuration::seconds),
        kubelet: node.kubelet.as_deref(),
        pods: node.pods(),
        daemon_pods: node.daemon_pods(),
        utilization: Utilization { fleet, amounts: &node.amounts },
        resources: Resources { fleet, amounts: &node.amounts },
        labels: Pairs(&fleet.labels, &node.labels),
    }
}

/// What a price rests on, in one word.
pub(crate) const fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Exact => "exact",
        Basis::RegionWide => "regionWide",
        Basis::MedianOfZones { .. } => "medianOfZones",
        Basis::Override => "override",
        Basis::NodeLabel => "nodeLabel",
    }
}

/// Why there is no price, in one word.
const fn reason(reason: &Unpriced) -> &'static str {
    match reason {
        Unpriced::NoInstanceType => "noInstanceType",
        Unpriced::UnknownType { .. } => "unknownType",
        Unpriced::NoCapacityType { .. } => "noCapacityType",
        Unpriced::UnknownRegion { .. } => "unknownRegion",
        Unpriced::NoRegion { .. } => "noRegion",
        Unpriced::NotOffered { .. } => "notOffered",
        Unpriced::NoSpotPrice { .. } => "noSpotPrice",
    }
}

fn sums<'a>(fleet: &'a Fleet, totals: &'a Totals) -> Sums<'a> {
    let price: Option<Price> = (totals.priced() > 0 || totals.nodes == 0).then_some(totals.price);
    Sums {
        nodes: totals.nodes,
        unpriced_nodes: totals.unpriced,
        estimated_nodes: totals.estimated,
        price_per_hour: price.map(Price::dollars),
        price_per_month: price.map(money::dollars_per_month),
        utilization: Utilization { fleet, amounts: &totals.amounts },
        resources: Resources { fleet, amounts: &totals.amounts },
    }
}

fn group_row<'a>(fleet: &'a Fleet, group: &'a FleetGroup) -> GroupRow<'a> {
    GroupRow { value: group.value.as_deref(), kind: group.kind, sums: sums(fleet, &group.totals) }
}

impl Pods {
    fn new(counts: &PodCounts) -> Self {
        let PodCounts { bound, running, terminating, finished, pending, unschedulable, elsewhere } =
            *counts;
        Self { bound, running, terminating, finished, pending, unschedulable, elsewhere }
    }
}

/// Shares by resource, and their average.
struct Utilization<'a> {
    fleet: &'a Fleet,
    amounts: &'a Amounts,
}

impl Serialize for Utilization<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (resource, amount) in self.fleet.resources.iter().zip(self.amounts.iter()) {
            if let Some(share) = amount.utilization() {
                map.serialize_entry(&resource.name, &rounded(share))?;
            }
        }
        map.serialize_entry("average", &self.amounts.average().map(rounded))?;
        map.end()
    }
}

/// A share to four decimals: more is noise.
pub(crate) fn rounded(share: f64) -> f64 {
    (share * 1e4).round() / 1e4
}

/// Amounts by resource.
struct Resources<'a> {
    fleet: &'a Fleet,
    amounts: &'a Amounts,
}

impl Serialize for Resources<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (resource, amount) in self.fleet.resources.iter().zip(self.amounts.iter()) {
            if *amount != crate::Amount::default() {
                let number = |amount| number(resource, amount);
                let row = AmountRow {
                    capacity: number(amount.capacity),
                    allocatable: number(amount.allocatable),
                    requested: number(amount.requested),
                    daemons: number(amount.daemons),
                };
                map.serialize_entry(&resource.name, &row)?;
            }
        }
        map.end()
    }
}

#[derive(Serialize)]
struct AmountRow {
    capacity: Number,
    allocatable: Number,
    requested: Number,
    daemons: Number,
}

/// A number in the unit that people calculate with.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Number {
    Cores(f64),
    Whole(i64),
}

pub(crate) fn number(resource: &Resource, amount: i64) -> Number {
    match resource.unit {
        Unit::MilliCores => Number::Cores(amount as f64 / 1000.0),
        Unit::Bytes | Unit::Count => Number::Whole(amount),
    }
}

/// Labels that were asked for, with their values.
struct Pairs<'a>(&'a [String], &'a [Option<String>]);

impl Pairs<'_> {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().zip(self.1))
    }
}

#[cfg(test)]
mod tests;
