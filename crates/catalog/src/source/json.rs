//! A catalog as our own JSON.
//!
//! ```json
//! {"date": "2026-07-20", "types": [
//!   {"name": "m5.large", "provider": "aws", "family": "m5", "arch": "amd64", "os": ["linux"],
//!    "cpu": "2", "memory": "8Gi", "pods": 29, "ephemeralStorage": "20Gi",
//!    "allocatable": {"cpu": "1930m", "memory": "6903Mi"},
//!    "resources": {"nvidia.com/gpu": 1}, "labels": {"team": "web"},
//!    "offerings": [{"capacityType": "on-demand", "region": "us-east-1", "zone": "us-east-1a",
//!                   "zoneId": "use1-az1", "price": 0.096, "available": true,
//!                   "reservationId": "cr-1", "reservationCapacity": 3}]}]}
//! ```
//!
//! Only `types`, a type's `name` and an offering's `price` are required; the rest means what it means in
//! [CSV](super::csv). An unknown field is an error.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::{self, Deserializer};

use super::ReadError;
use super::draft::{self, Draft};
use crate::adjust::Decimal;
use crate::{CapacityType, Catalog, Offering, Reservation, SourceInfo};

/// Reads JSON text.
pub fn read(name: &str, text: &str) -> Result<Catalog, ReadError> {
    let file: File = serde_json::from_str(text).map_err(|error| ReadError::json(&error))?;
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, own) in file.types.iter().enumerate() {
        if let Some(first) = seen.insert(&own.name, at) {
            let problem = format!("{} is already types[{first}]", own.name);
            return Err(ReadError::new(format!("types[{at}].name"), problem));
        }
    }
    let types = file
        .types
        .into_iter()
        .enumerate()
        .map(|(at, own)| {
            own.draft(at)?
                .finish()
                .map_err(|problem| ReadError::new(format!("types[{at}]"), problem))
        })
        .collect::<Result<_, _>>()?;
    let source = SourceInfo { name: name.to_owned(), date: file.date, spot_date: file.spot_date };
    Ok(Catalog::new(source, types))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct File {
    #[serde(default)]
    date: Option<String>,
    #[serde(default)]
    spot_date: Option<String>,
    types: Vec<Type>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Type {
    name: String,
    #[serde(default)]
    provider: Option<String>,
    #[serde(default)]
    family: Option<String>,
    #[serde(default)]
    arch: Option<String>,
    #[serde(default)]
    os: Option<Vec<String>>,
    #[serde(default)]
    cpu: Option<Quantity>,
    #[serde(default)]
    memory: Option<Quantity>,
    #[serde(default)]
    pods: Option<u32>,
    #[serde(default)]
    ephemeral_storage: Option<Quantity>,
    #[serde(default)]
    allocatable: Allocatable,
    #[serde(default)]
    resources: BTreeMap<String, Quantity>,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    #[serde(default)]
    offerings: Vec<Sold>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Allocatable {
    #[serde(default)]
    cpu: Option<Quantity>,
    #[serde(default)]
    memory: Option<Quantity>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Sold {
    price: Quantity,
    #[serde(default)]
    capacity_type: Option<CapacityType>,
    #[serde(default)]
    region: Option<String>,
    #[serde(default)]
    zone: Option<String>,
    #[serde(default)]
    zone_id: Option<String>,
    #[serde(default)]
    available: Option<bool>,
    #[serde(default)]
    reservation_id: Option<String>,
    #[serde(default)]
    reservation_capacity: Option<u32>,
}

/// A number, or a text that holds one.
pub(super) struct Quantity(pub(super) String);

impl<'de> Deserialize<'de> for Quantity {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = deserializer.deserialize_any(Decimal)?;
        if text.is_empty() {
            return Err(de::Error::custom("expected a number, got an empty text"));
        }
        Ok(Self(text))
    }
}

impl Type {
    fn draft(self, at: usize) -> Result<Draft, ReadError> {
        let field = |name: &str| format!("types[{at}].{name}");
        let parse =
            |name: &str, value: Option<Quantity>, parse: fn(&str) -> Result<i64, String>| {
                value
                    .map(|value| {
                        parse(&value.0).map_err(|problem| ReadError::new(field(name), problem))
                    })
                    .transpose()
            };
        if self.name.is_empty() {
            return Err(ReadError::new(field("name"), "expected a name, found nothing"));
        }
        let mut extended = BTreeMap::new();
        for (name, amount) in self.resources {
            let amount = draft::count(&amount.0)
                .map_err(|problem| ReadError::new(field(&format!("resources.{name}")), problem))?;
            extended.insert(name, amount);
        }
        let mut offerings: Vec<Offering> = Vec::with_capacity(self.offerings.len());
        for (sold_at, sold) in self.offerings.into_iter().enumerate() {
            let place = field(&format!("offerings[{sold_at}]"));
            let offering = sold
                .offering()
                .map_err(|problem| ReadError::new(format!("{place}.price"), problem))?;
            if offerings.iter().any(|own| own.key() == offering.key()) {
                let problem = "two prices for the same terms and place";
                return Err(ReadError::new(place, problem));
            }
            offerings.push(offering);
        }
        let provider = self
            .provider
            .map(|text| draft::provider(&text))
            .transpose()
            .map_err(|problem| ReadError::new(field("provider"), problem))?;
        Ok(Draft {
            name: self.name,
            provider,
            family: self.family,
            arch: self.arch,
            os: self.os,
            cpu_milli: parse("cpu", self.cpu, draft::cpu)?,
            memory_bytes: parse("memory", self.memory, draft::bytes)?,
            pods: self.pods.map(i64::from),
            ephemeral_bytes: parse("ephemeralStorage", self.ephemeral_storage, draft::bytes)?,
            allocatable_cpu_milli: parse("allocatable.cpu", self.allocatable.cpu, draft::cpu)?,
            allocatable_memory_bytes: parse(
                "allocatable.memory",
                self.allocatable.memory,
                draft::bytes,
            )?,
            extended,
            labels: self.labels,
            offerings,
        })
    }
}

impl Sold {
    fn offering(self) -> Result<Offering, String> {
        let terms = self.capacity_type.unwrap_or(CapacityType::OnDemand);
        let mut offering = Offering::new(terms, draft::price(&self.price.0)?);
        offering.region = self.region.map(Arc::from);
        offering.zone = self.zone.map(Arc::from);
        offering.zone_id = self.zone_id.map(Arc::from);
        offering.available = self.available.unwrap_or(true);
        if self.reservation_id.is_some() || self.reservation_capacity.is_some() {
            offering.reservation = Some(Reservation {
                id: self.reservation_id.map(Into::into),
                capacity: self.reservation_capacity,
            });
        }
        Ok(offering)
    }
}
