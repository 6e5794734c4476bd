//! The fleet as comma-separated values.

use restow_model::Price;

use crate::fleet::{Amounts, Fleet, FleetGroup, FleetNode, Groups, Resource, Totals};
use crate::output::{Number, basis, number, rounded};

/// One record for each node, or for each group, quoted as in RFC 4180 and ended by a line feed.
///
/// The columns are always the same and in the same order; those of extended resources and of labels that were asked for
/// come last. Money is in dollars, cpu in cores, memory and storage in bytes; what is not known is empty.
pub fn csv(fleet: &Fleet, headers: bool) -> String {
    let mut out = String::new();
    match &fleet.groups {
        Some(groups) => write_groups(&mut out, fleet, groups, headers),
        None => write_nodes(&mut out, fleet, headers),
    }
    out
}

const NODE: [&str; 20] = [
    "name",
    "nodePool",
    "poolKind",
    "instanceType",
    "arch",
    "zone",
    "region",
    "capacityType",
    "pricePerHour",
    "pricePerMonth",
    "priceBasis",
    "unpriced",
    "state",
    "states",
    "doNotDisrupt",
    "createdAt",
    "ageSeconds",
    "kubelet",
    "daemonPods",
    "utilization",
];

const GROUP: [&str; 8] = [
    "value",
    "kind",
    "nodes",
    "unpricedNodes",
    "estimatedNodes",
    "pricePerHour",
    "pricePerMonth",
    "utilization",
];

fn write_nodes(out: &mut String, fleet: &Fleet, headers: bool) {
    if headers {
        let labels = fleet.labels.iter().cloned();
        let names = NODE.map(str::to_owned).into_iter();
        csv_record(out, names.chain(amount_headers(fleet)).chain(labels));
    }
    for node in &fleet.nodes {
        let labels = node.labels.iter().map(|value| value.clone().unwrap_or_default());
        let fields = node_fields(node).into_iter();
        csv_record(out, fields.chain(amount_fields(fleet, &node.amounts)).chain(labels));
    }
}

fn node_fields(node: &FleetNode) -> [String; NODE.len()] {
    let text = |value: Option<&str>| value.unwrap_or_default().to_owned();
    let quote = node.price.as_ref().ok();
    let price = quote.map(|quote| quote.price);
    let states: Vec<&str> = node.states.iter().map(|state| state.name()).collect();
    [
        node.name.clone(),
        text(node.pool.as_ref().map(|pool| &*pool.name)),
        text(node.pool.as_ref().map(|pool| pool.kind.name())),
        text(node.instance_type.as_deref()),
        text(node.arch.as_deref()),
        text(node.zone.as_deref()),
        text(node.region.as_deref()),
        text(node.capacity_type.map(restow_catalog::CapacityType::name)),
        per_hour(price),
        per_month(price),
        text(quote.map(|quote| basis(quote.basis))),
        node.price.as_ref().err().map(ToString::to_string).unwrap_or_default(),
        node.state().to_string(),
        states.join(";"),
        node.do_not_disrupt.to_string(),
        node.created.map(|time| time.to_string()).unwrap_or_default(),
        node.age.map(|age| age.seconds().to_string()).unwrap_or_default(),
        text(node.kubelet.as_deref()),
        node.daemon_pods().to_string(),
        share(node.amounts.average()),
    ]
}

fn write_groups(out: &mut String, fleet: &Fleet, groups: &Groups, headers: bool) {
    if headers {
        csv_record(out, GROUP.map(str::to_owned).into_iter().chain(amount_headers(fleet)));
    }
    for FleetGroup { value, kind, totals } in &groups.rows {
        let Totals { nodes, amounts, unpriced, estimated, .. } = totals;
        let price = (totals.priced() > 0).then_some(totals.price);
        let fields: [String; GROUP.len()] = [
            value.clone().unwrap_or_default(),
            kind.map(|kind| kind.name().to_owned()).unwrap_or_default(),
            nodes.to_string(),
            unpriced.to_string(),
            estimated.to_string(),
            per_hour(price),
            per_month(price),
            share(amounts.average()),
        ];
        csv_record(out, fields.into_iter().chain(amount_fields(fleet, amounts)));
    }
}

/// `cpuAllocatable`, `cpuRequested`, `cpuDaemons`, `cpuUtilization`.
fn amount_headers(fleet: &Fleet) -> impl Iterator<Item = String> {
    fleet.resources.iter().flat_map(|Resource { name, .. }| {
        let name = if name == "ephemeral-storage" { "ephemeralStorage" } else { name };
        ["Allocatable", "Requested", "Daemons", "Utilization"].map(|what| format!("{name}{what}"))
    })
}

fn amount_fields(fleet: &Fleet, amounts: &Amounts) -> impl Iterator<Item = String> {
    fleet.resources.iter().zip(amounts.iter()).flat_map(|(resource, amount)| {
        let figure = |amount| match number(resource, amount) {
            Number::Cores(cores) => cores.to_string(),
            Number::Whole(whole) => whole.to_string(),
        };
        [
            figure(amount.allocatable),
            figure(amount.requested),
            figure(amount.daemons),
            share(amount.utilization()),
        ]
    })
}

fn per_hour(price: Option<Price>) -> String {
    price.map(|price| price.to_string()).unwrap_or_default()
}

fn per_month(price: Option<Price>) -> String {
    price.map(|price| crate::money::dollars_per_month(price).to_string()).unwrap_or_default()
}

fn share(share: Option<f64>) -> String {
    share.map(|share| rounded(share).to_string()).unwrap_or_default()
}

/// Writes one record as RFC 4180 has it, but with a plain line end.
pub fn csv_record(out: &mut String, fields: impl Iterator<Item = impl AsRef<str>>) {
    for (at, field) in fields.enumerate() {
        let field = field.as_ref();
        if at > 0 {
            out.push(',');
        }
        if field.contains(['"', ',', '\n', '\r']) {
            out.push('"');
            out.push_str(&field.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(field);
        }
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_commas_quotes_or_line_breaks_are_quoted() {
        let mut out = String::new();
        let fields = ["a", "b,c", "d\"e", "f\ng", ""].map(str::to_owned);
        csv_record(&mut out, fields.into_iter());
        assert_eq!(out, "a,\"b,c\",\"d\"\"e\",\"f\ng\",\n");
    }
}
