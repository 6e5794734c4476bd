//! Prices that come with the program: dated tables for AWS, Azure and GCP, and the KWOK provider's types.
//!
//! `cargo xtask catalog` writes the tables; `NOTICE` says where the figures are from. Only the region that is asked
//! for is decoded.

mod aws;
mod azure;
mod gcp;
mod kwok;

use std::borrow::Cow;
use std::sync::Arc;

use restow_model::Price;
use serde::Serialize;

use crate::instance_type::label;
use crate::pack::{PackError, Packed, RegionPrices, SpotCell, Types};
use crate::text::nearest;
use crate::zones::is_local_zone;
use crate::{CapacityType, Catalog, InstanceType, Offering, Provider, SourceInfo, Text};

pub use aws::name_parts as aws_name_parts;
pub use azure::{gpu_vendor as azure_gpu_vendor, series as azure_series};
pub use kwok::catalog as kwok_catalog;

static AWS: &[u8] = include_bytes!("../data/aws.bin");
static AZURE: &[u8] = include_bytes!("../data/azure.bin");
static GCP: &[u8] = include_bytes!("../data/gcp.bin");

/// A region that comes with the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BuiltinSource {
    /// The provider.
    pub provider: Provider,
    /// The region; `None` for KWOK, which has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'static str>,
    /// The day that its on-demand prices are of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<&'static str>,
    /// The day that its spot prices are of; `None` when it has no spot prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spot_date: Option<&'static str>,
}

/// Why there is no built-in catalog.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuiltinError {
    /// The region is not in the table.
    #[error("no built-in prices for {}:{region}{}", provider.name(), or_nearest(nearest))]
    UnknownRegion {
        /// The provider that was asked.
        provider: Provider,
        /// The region that it lacks.
        region: String,
        /// Regions with names like it.
        nearest: Vec<String>,
    },
    /// The provider has no table.
    #[error("no built-in prices for provider {}", .0.name())]
    NoTable(Provider),
    /// The table cannot be read.
    #[error("built-in prices")]
    Damaged(#[from] PackError),
}

pub(crate) fn or_nearest(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    format!(", did you mean {}?", names.join(", "))
}

/// Every region that comes with the program, by provider and name.
pub fn builtin_sources() -> Vec<BuiltinSource> {
    let mut sources = Vec::new();
    for provider in [Provider::Aws, Provider::Azure, Provider::Gcp] {
        let Ok(packed) = table(provider).and_then(|file| Ok(Packed::open(file)?)) else {
            continue;
        };
        sources.extend(packed.regions.iter().map(|region| BuiltinSource {
            provider,
            region: Some(region.name),
            date: Some(region.date),
            spot_date: Some(region.spot_date).filter(|date| !date.is_empty()),
        }));
    }
    sources.push(BuiltinSource {
        provider: Provider::Kwok,
        region: None,
        date: None,
        spot_date: None,
    });
    sources
}

/// The built-in catalog of a provider's region. Without a region it has the shapes of all types and no prices, for
/// regions that are not built in and whose prices come from another source.
pub fn builtin(provider: Provider, region: Option<&str>) -> Result<Catalog, BuiltinError> {
    if provider == Provider::Kwok {
        return Ok(kwok::catalog());
    }
    from_table(provider, table(provider)?, region)
}

/// The same from a table's bytes, which is how `cargo xtask catalog` checks what it wrote.
pub fn from_table(
    provider: Provider,
    file: &[u8],
    region: Option<&str>,
) -> Result<Catalog, BuiltinError> {
    let packed = Packed::open(file)?;
    let rows = packed.types()?;
    let prices = match region {
        None => None,
        Some(region) => Some(packed.prices(region, &rows)?.ok_or_else(|| {
            BuiltinError::UnknownRegion {
                provider,
                region: region.to_owned(),
                nearest: nearest(region, packed.regions.iter().map(|entry| entry.name), 3)
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
            }
        })?),
    };
    let mut types = match provider {
        Provider::Aws => aws::types(&rows)?,
        Provider::Azure => azure::types(&rows)?,
        Provider::Gcp => gcp::types(&rows)?,
        Provider::Kwok | Provider::Other => return Err(BuiltinError::NoTable(provider)),
    };
    let mut source = SourceInfo::named(provider.name());
    if let Some(prices) = prices {
        source.name = format!("{}:{}", provider.name(), prices.name);
        source.date = Some(prices.date.clone());
        source.spot_date = Some(prices.spot_date.clone()).filter(|date| !date.is_empty());
        offer(&mut types, &prices);
    }
    Ok(Catalog::new(source, types))
}

fn table(provider: Provider) -> Result<&'static [u8], BuiltinError> {
    match provider {
        Provider::Aws => Ok(AWS),
        Provider::Azure => Ok(AZURE),
        Provider::Gcp => Ok(GCP),
        Provider::Kwok | Provider::Other => Err(BuiltinError::NoTable(provider)),
    }
}

/// Adds a region's prices to the types of its table, which are in the same order.
fn offer(types: &mut [InstanceType], prices: &RegionPrices) {
    let region: Arc<str> = prices.name.as_str().into();
    let zone_ids: Vec<Option<Arc<str>>> = prices
        .spot
        .iter()
        .map(|column| Some(column.zone_id.as_str()).filter(|id| !id.is_empty()).map(Arc::from))
        .collect();
    for (row, instance_type) in types.iter_mut().enumerate() {
        let new = |capacity_type, price: Price, zone_id: Option<Arc<str>>| Offering {
            region: Some(region.clone()),
            zone_id,
            ..Offering::new(capacity_type, price)
        };
        let cells = || {
            prices.spot.iter().zip(&zone_ids).map(|(column, id)| {
                (column.cells.get(row).copied().unwrap_or_default(), id.as_ref())
            })
        };
        for (cell, id) in cells() {
            if let SpotCell::Price(price) = cell {
                instance_type.offerings.push(new(CapacityType::Spot, price, id.cloned()));
            }
        }
        // On demand costs the same in the whole region, but not every zone sells every type. What a Local Zone
        // charges on demand the table does not have.
        let zones: Vec<&Arc<str>> = cells()
            .filter(|(cell, _)| *cell != SpotCell::Absent)
            .filter_map(|(_, id)| id)
            .filter(|id| !is_local_zone(id))
            .collect();
        if let Some(price) = prices.on_demand.get(row).copied().flatten() {
            if zones.is_empty() {
                instance_type.offerings.push(new(CapacityType::OnDemand, price, None));
            }
            for id in zones {
                let offering = new(CapacityType::OnDemand, price, Some(id.clone()));
                instance_type.offerings.push(offering);
            }
        }
    }
}

/// The labels that every provider sets.
fn common_labels(name: &str, arch: &Text, os: &'static str) -> Vec<(Text, Text)> {
    let mut labels = vec![
        (Cow::Borrowed(label::INSTANCE_TYPE), Cow::Owned(name.to_owned())),
        (Cow::Borrowed(label::OS), Cow::Borrowed(os)),
    ];
    if !arch.is_empty() {
        labels.push((Cow::Borrowed(label::ARCH), arch.clone()));
    }
    labels
}

/// Values that many types have, without an allocation.
fn known(text: &str) -> Text {
    const COMMON: [&str; 14] = [
        "", "amd64", "arm64", "intel", "amd", "aws", "nitro", "xen", "nvidia", "large", "xlarge",
        "c", "m", "r",
    ];
    match COMMON.iter().find(|common| **common == text) {
        Some(common) => Cow::Borrowed(common),
        None => Cow::Owned(text.to_owned()),
    }
}

/// A number column as signed numbers, absent as zero.
fn signed(types: &Types, column: &'static str) -> Result<Vec<i64>, PackError> {
    let number = |value: &Option<u64>| value.and_then(|value| i64::try_from(value).ok());
    Ok(types.numbers(column)?.iter().map(|value| number(value).unwrap_or(0)).collect())
}

#[cfg(test)]
mod tests;
