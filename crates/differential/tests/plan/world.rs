//! Random clusters with pools, claims, budgets and prices.

use std::sync::Arc;

use restow_catalog::{Adjustments, PriceBook};
use restow_consolidation::settings::{Entry, Name, Origin, Value};
use restow_consolidation::{Case, Fleet, Plan};
use restow_kubernetes::{ReadOptions, Reader};
use restow_model::Snapshot;
use restow_scheduling::Offers;
use restow_testkit::consolidation::{Cluster, RECIPES, cluster};
use serde_json::json;

/// Clusters per recipe.
const CLUSTERS: u64 = 4;

/// Reads objects as a cluster.
pub(crate) fn read(cluster: &Cluster, reversed: bool) -> Snapshot {
    let mut objects = cluster.objects.clone();
    if reversed {
        objects.reverse();
    }
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    let mut reader = Reader::new(ReadOptions::default());
    reader.read("random cluster", list.to_string().as_bytes()).expect("random clusters are valid");
    let now = cluster.now.parse().expect("a time");
    reader.finish(Some(now)).expect("random clusters are valid").0
}

/// What the cluster's catalogue sells.
pub(crate) fn book(cluster: &Cluster) -> PriceBook {
    let text = cluster.catalogue.to_restow().to_string();
    let catalog =
        restow_catalog::source::read("random.json", text.as_bytes()).expect("a valid catalogue");
    PriceBook::new(catalog, Adjustments::default())
}

/// Every recipe with some clusters of it, with their names for messages.
pub(crate) fn clusters() -> impl Iterator<Item = (String, Cluster)> {
    RECIPES.iter().flat_map(|recipe| {
        (0..CLUSTERS)
            .map(|seed| (format!("{} {seed}", recipe.name), cluster(seed * 7919 + 17, recipe)))
    })
}

fn none(_: Name, _: &str) -> Result<Value, String> {
    Err("no YAML in these tests".to_owned())
}

/// A setting, as a flag.
pub(crate) fn set(name: Name, text: &str) -> Entry {
    let value = Value::Text(text.to_owned());
    Entry { pool: None, name, value, origin: Origin::WhatIf }
}

/// The question of a cluster under some settings.
pub(crate) fn case<'a>(
    mut snapshot: Snapshot,
    book: &'a PriceBook,
    settings: &[(Name, &str)],
) -> Case<'a> {
    let offers = Arc::new(Offers::new(&mut snapshot, book));
    let entries = settings.iter().map(|(name, text)| set(*name, text)).collect();
    Case { snapshot, book, offers, entries, read: &none, groups: Vec::new(), price_age: None }
}

/// Settings under which much is moved.
pub(crate) const OPEN: [(Name, &str); 6] = [
    (Name::ScaledownUtilizationThreshold, "1"),
    (Name::MinimumNodeLifetime, "0s"),
    (Name::ConsolidateAfter, "0s"),
    (Name::ConsolidationPolicy, "WhenUnderutilizedOrCheaper"),
    (Name::WorkloadFloor, "off"),
    (Name::Effort, "20000"),
];

/// A plan with the fleet that it is for.
pub(crate) fn planned<T>(case: &Case<'_>, ask: impl FnOnce(&Fleet<'_>, &Plan) -> T) -> T {
    case.ask(|fleet, offers| {
        let plan = Plan::new(fleet, offers, &mut || false);
        ask(fleet, &plan)
    })
}
