//! The price book of the arguments: catalogs, discounts, fees, overrides and the cluster's own overlays.

use std::time::Duration;

use anyhow::Context;
use restow_catalog::{
    Adjustments, Catalog, Discount, Overlay, OverlayPool, PriceBook, Source, suggested_sources,
};
use restow_model::Snapshot;

use crate::args::PriceArgs;
use crate::terminal;

/// The prices that count for a cluster.
pub(crate) fn book(args: &PriceArgs, snapshot: &Snapshot) -> anyhow::Result<PriceBook> {
    let catalog = match args.catalogs.as_slice() {
        [] => suggested(&suggested_sources(snapshot)),
        names => asked(names)?,
    };
    let book = book_of(catalog, adjustments(args)?, snapshot);
    for finding in book.findings() {
        terminal::warn(&finding.to_string());
    }
    Ok(book)
}

/// Catalogs that somebody asked for: all of them, or an error.
pub(crate) fn asked(names: &[String]) -> anyhow::Result<Catalog> {
    let mut catalog = Catalog::default();
    for name in names {
        catalog = catalog.merge(load(name)?);
    }
    Ok(catalog)
}

/// Catalogs that nobody asked for: without one of them some nodes have no price, which the report says.
pub(crate) fn suggested(names: &[String]) -> Catalog {
    let mut catalog = Catalog::default();
    for name in names {
        match load(name) {
            Ok(loaded) => catalog = catalog.merge(loaded),
            Err(error) => terminal::warn(&format!("{error:#}")),
        }
    }
    catalog
}

/// The prices of a catalog as they count for a cluster.
pub(crate) fn book_of(
    catalog: Catalog,
    adjustments: Adjustments,
    snapshot: &Snapshot,
) -> PriceBook {
    // A cluster of which no zone is known takes what is sold as it is listed.
    let zones = restow_catalog::zones_of(snapshot);
    PriceBook::with_overlays(
        if zones.is_empty() { catalog } else { catalog.in_zones(&zones) },
        adjustments,
        &overlays(snapshot),
        &overlay_pools(snapshot),
    )
}

/// The catalog of one source.
pub(crate) fn load(name: &str) -> anyhow::Result<Catalog> {
    let source = Source::parse(name)?;
    let bytes = match &source {
        Source::Builtin { .. } => Vec::new(),
        Source::File(path) => {
            std::fs::read(path).with_context(|| format!("{path}: cannot read"))?
        }
        Source::Url(address) => fetch(address)?,
    };
    Ok(source.load(&bytes)?)
}

fn fetch(address: &str) -> anyhow::Result<Vec<u8>> {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(30))).build().into();
    let mut answer =
        agent.get(address).call().with_context(|| format!("{address}: cannot fetch"))?;
    answer
        .body_mut()
        .with_config()
        .limit(256 << 20)
        .read_to_vec()
        .with_context(|| format!("{address}: cannot fetch"))
}

pub(crate) fn adjustments(args: &PriceArgs) -> anyhow::Result<Adjustments> {
    let discounts = match args.discounts.as_deref() {
        None => Vec::new(),
        Some(text) => {
            let (name, yaml) = match text.strip_prefix('@') {
                Some(path) => (
                    path,
                    std::fs::read_to_string(path)
                        .with_context(|| format!("{path}: cannot read"))?,
                ),
                None => ("--discounts", text.to_owned()),
            };
            serde_saphyr::from_str::<Vec<Discount>>(&yaml)
                .map_err(|error| anyhow::anyhow!("{name}: {error}"))?
        }
    };
    Ok(Adjustments {
        discounts,
        node_fee: args.node_fee.unwrap_or_default(),
        overrides: args.overrides.clone(),
    })
}

/// The cluster's NodeOverlays as the price book takes them. One that cannot be read is said and left out, as the peer does.
fn overlays(snapshot: &Snapshot) -> Vec<Overlay> {
    let strings = &snapshot.strings;
    let mut overlays = Vec::new();
    for overlay in &snapshot.node_overlays {
        let name = strings.text(overlay.meta.name);
        let (price, adjustment) =
            (strings.text(overlay.price), strings.text(overlay.price_adjustment));
        let read = || -> anyhow::Result<Overlay> {
            Ok(Overlay {
                name: name.to_owned(),
                weight: u32::try_from(overlay.weight)?,
                requirements: overlay
                    .requirements
                    .iter()
                    .flat_map(|requirement| requirement.specs(strings))
                    .collect(),
                price: Some(price).filter(|text| !text.is_empty()).map(str::parse).transpose()?,
                price_adjustment: Some(adjustment)
                    .filter(|text| !text.is_empty())
                    .map(str::parse)
                    .transpose()?,
                capacity: overlay
                    .capacity
                    .others
                    .iter()
                    .map(|(name, amount)| (strings.text(*name).to_owned(), *amount))
                    .collect(),
            })
        };
        match read() {
            Ok(overlay) => overlays.push(overlay),
            Err(error) => terminal::warn(&format!("NodeOverlay {name} is not applied: {error}")),
        }
    }
    overlays
}

fn overlay_pools(snapshot: &Snapshot) -> Vec<OverlayPool> {
    let text = |name| snapshot.strings.text(name).to_owned();
    let pools = snapshot.node_pools.iter().map(|pool| OverlayPool {
        name: text(pool.meta.name),
        labels: pool.template.labels.iter().map(|(key, value)| (text(key), text(value))).collect(),
    });
    pools.collect()
}
