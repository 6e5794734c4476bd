//! The instance types of Karpenter's KWOK provider, as `--instance-types-file-path` takes them.
//!
//! An array of `name`, `architecture`, `operatingSystems`, `resources` and `offerings`, each with `Price` and
//! `Requirements`. As in the provider every offering counts as available, 110 pods fit unless the resources say
//! otherwise, and 100m CPU and 10Mi memory are taken off for the node itself. Fields that the provider would ignore
//! are ignored.

use std::collections::BTreeMap;
use std::sync::Arc;

use restow_model::Quantity as Amount;
use restow_model::quantity::Format;
use serde::Deserialize;

use super::ReadError;
use super::draft::{self, DEFAULT_PODS, Draft};
use super::json::Quantity;
use crate::instance_type::label;
use crate::{
    CapacityType, Catalog, InstanceType, Offering, Provider, Reservation, SourceInfo,
    kwok_allocatable,
};

/// Offerings that one entry may spread to; real ones have one zone and one capacity type.
const MAX_SPREAD: usize = 64;

/// Reads the provider's JSON.
pub fn read(name: &str, text: &str) -> Result<Catalog, ReadError> {
    let file: Vec<Type> = serde_json::from_str(text).map_err(|error| ReadError::json(&error))?;
    let types = file
        .into_iter()
        .enumerate()
        .map(|(at, own)| own.read(at))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Catalog::new(SourceInfo::named(name), types))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Type {
    name: String,
    architecture: String,
    operating_systems: Vec<String>,
    resources: BTreeMap<String, Quantity>,
    offerings: Vec<Sold>,
}

#[derive(Deserialize)]
struct Sold {
    #[serde(rename = "Price", alias = "price")]
    price: Quantity,
    #[serde(rename = "Requirements", alias = "requirements")]
    requirements: Vec<Requirement>,
    #[serde(rename = "ReservationCapacity", alias = "reservationCapacity", default)]
    reservation_capacity: Option<u32>,
}

#[derive(Deserialize)]
struct Requirement {
    key: String,
    operator: String,
    #[serde(default)]
    values: Vec<String>,
}

impl Type {
    fn read(self, at: usize) -> Result<InstanceType, ReadError> {
        let field = |name: &str| format!("[{at}].{name}");
        let fail = |name: &str, problem: String| ReadError::new(field(name), problem);
        let mut draft = Draft {
            name: self.name,
            provider: Some(Provider::Kwok),
            arch: Some(self.architecture),
            os: Some(self.operating_systems),
            ..Draft::default()
        };
        for (resource, amount) in self.resources {
            let place = format!("resources.{resource}");
            let parsed = |parse: fn(&str) -> Result<i64, String>| {
                parse(&amount.0).map_err(|problem| fail(&place, problem))
            };
            match resource.as_str() {
                "cpu" => draft.cpu_milli = Some(parsed(draft::cpu)?),
                "memory" => draft.memory_bytes = Some(parsed(draft::bytes)?),
                "ephemeral-storage" => draft.ephemeral_bytes = Some(parsed(draft::bytes)?),
                "pods" => draft.pods = Some(parsed(draft::count)?),
                _ => {
                    let amount = parsed(draft::count)?;
                    draft.extended.insert(resource, amount);
                }
            }
        }
        draft.pods.get_or_insert(DEFAULT_PODS);
        let (Some(cpu_milli), Some(memory_bytes)) = (draft.cpu_milli, draft.memory_bytes) else {
            return Err(fail("resources", "expected cpu and memory".to_owned()));
        };
        let cpu = Amount::from_milli(cpu_milli).to_string();
        let memory = Amount::from_value(memory_bytes).with_format(Format::Binary).to_string();
        let family = family(&draft.name);
        draft.labels = [
            ("karpenter.kwok.sh/instance-size", size(&draft.name).unwrap_or(&cpu).to_owned()),
            ("karpenter.kwok.sh/instance-family", family.to_owned()),
            ("karpenter.kwok.sh/instance-cpu", cpu.clone()),
            ("karpenter.kwok.sh/instance-memory", memory),
        ]
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value))
        .collect();
        draft.family = Some(family.to_owned());
        for (sold_at, sold) in self.offerings.into_iter().enumerate() {
            let place = format!("offerings[{sold_at}]");
            draft.offerings.extend(sold.offerings().map_err(|problem| fail(&place, problem))?);
        }
        let mut result =
            draft.finish().map_err(|problem| ReadError::new(field("resources"), problem))?;
        result.allocatable = kwok_allocatable(&result.capacity);
        Ok(result)
    }
}

impl Sold {
    fn offerings(self) -> Result<Vec<Offering>, String> {
        let price = draft::price(&self.price.0)?;
        let mut terms = Vec::new();
        let mut zones = vec![None];
        let mut reservation = self
            .reservation_capacity
            .map(|capacity| Reservation { id: None, capacity: Some(capacity) });
        for requirement in self.requirements {
            if requirement.operator != "In" || requirement.values.is_empty() {
                // Nothing else says where and how something is sold.
                if [label::ZONE, label::CAPACITY_TYPE].contains(&requirement.key.as_str()) {
                    return Err(format!("expected {} In with a value", requirement.key));
                }
                continue;
            }
            match requirement.key.as_str() {
                label::CAPACITY_TYPE => {
                    terms = requirement
                        .values
                        .iter()
                        .map(|text| text.parse::<CapacityType>().map_err(|error| error.to_string()))
                        .collect::<Result<_, _>>()?;
                }
                label::ZONE => {
                    zones = requirement
                        .values
                        .iter()
                        .map(|zone| Some(Arc::<str>::from(zone.as_str())))
                        .collect();
                }
                key if key.ends_with("reservation-id") => {
                    let id = requirement.values.into_iter().next().map(Into::into);
                    let capacity = reservation.and_then(|own| own.capacity);
                    reservation = Some(Reservation { id, capacity });
                }
                _ => {}
            }
        }
        if terms.is_empty() {
            return Err(format!("expected a requirement on {}", label::CAPACITY_TYPE));
        }
        if terms.len().saturating_mul(zones.len()) > MAX_SPREAD {
            return Err(format!("expected at most {MAX_SPREAD} pairs of zone and capacity type"));
        }
        let mut offerings = Vec::with_capacity(terms.len() * zones.len());
        for zone in &zones {
            for capacity_type in &terms {
                offerings.push(Offering {
                    zone: zone.clone(),
                    reservation: reservation.clone(),
                    ..Offering::new(*capacity_type, price)
                });
            }
        }
        Ok(offerings)
    }
}

/// The size in an AWS name, `large` of `m5.large`; other names have none.
fn size(name: &str) -> Option<&str> {
    let (_, size) = name.split_once('.')?;
    let known = ["nano", "micro", "small", "medium", "large", "metal"].contains(&size)
        || size.strip_suffix("xlarge").is_some_and(|n| n.bytes().all(|c| c.is_ascii_digit()));
    known.then_some(size)
}

/// The part before the first point or dash, else the first character.
fn family(name: &str) -> &str {
    match name.split_once(['.', '-']) {
        Some((family, _)) => family,
        None => name.char_indices().nth(1).map_or(name, |(end, _)| &name[..end]),
    }
}
