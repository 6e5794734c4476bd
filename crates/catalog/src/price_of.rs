//! What a node costs, and how sure that is.

use restow_model::Price;
use serde::Serialize;

use crate::adjust::Override;
use crate::builtin::or_nearest;
use crate::money::dollars;
use crate::zones::{Found, matching, median};
use crate::{CapacityType, InstanceType, Offering, PriceBook};

/// What is known of a node whose price is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeFacts<'a> {
    /// Its instance type.
    pub instance_type: Option<&'a str>,
    /// Its zone's name.
    pub zone: Option<&'a str>,
    /// Its zone's id.
    pub zone_id: Option<&'a str>,
    /// Its region.
    pub region: Option<&'a str>,
    /// Its terms.
    pub capacity_type: Option<CapacityType>,
    /// The price that is written on the node itself.
    pub price_label: Option<&'a str>,
    /// Its pool, which overlays may name.
    pub node_pool: Option<&'a str>,
}

/// A node's price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Quote {
    /// What is paid for the node, the fee included.
    #[serde(rename = "pricePerHour", serialize_with = "dollars")]
    pub price: Price,
    /// What the catalog lists.
    #[serde(rename = "listPricePerHour", serialize_with = "dollars")]
    pub list_price: Price,
    /// What it rests on.
    #[serde(flatten)]
    pub basis: Basis,
}

/// What a price rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase", tag = "basis")]
pub enum Basis {
    /// The offering of the node's own zone.
    Exact,
    /// An offering that holds in the whole region.
    RegionWide,
    /// The median over the region's zones: which of them is the node's cannot be told without its zone id.
    MedianOfZones {
        /// How many zones had a price; 0 when the catalog was placed in zones before.
        zones: u32,
    },
    /// The user's own price.
    Override,
    /// The price that is written on the node, because the catalog has none.
    NodeLabel,
}

impl Basis {
    /// Whether the price is a guess that a report should mark.
    pub const fn is_estimate(self) -> bool {
        matches!(self, Self::MedianOfZones { .. } | Self::NodeLabel)
    }
}

/// Why a node has no price.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", tag = "reason")]
pub enum Unpriced {
    /// The node does not say what it is.
    #[error("node has no instance type label")]
    NoInstanceType,
    /// The catalog does not have the type.
    #[error("instance type {instance_type} is not in the catalog{}", or_nearest(nearest))]
    UnknownType {
        /// The node's type.
        instance_type: String,
        /// Known types with names like it.
        nearest: Vec<String>,
    },
    /// The node does not say under which terms it was bought, and the type is sold under several.
    #[error("node has no capacity type label, and {instance_type} is sold under several")]
    NoCapacityType {
        /// The node's type.
        instance_type: String,
    },
    /// The catalog is about other regions.
    #[error("catalog has no prices for region {region}, only for {}", known.join(", "))]
    UnknownRegion {
        /// The node's region.
        region: String,
        /// The regions that the type has prices for.
        known: Vec<String>,
    },
    /// The node does not say in which region it is, and the catalog has prices for several.
    #[error("node has no region label, and the catalog has prices for {}", known.join(", "))]
    NoRegion {
        /// The regions that the type has prices for.
        known: Vec<String>,
    },
    /// The type has no price under these terms in this place.
    #[error("{instance_type} has no {capacity_type} price in {}", place(zone.as_deref()))]
    NotOffered {
        /// The node's type.
        instance_type: String,
        /// The node's zone.
        zone: Option<String>,
        /// The node's terms.
        capacity_type: CapacityType,
    },
    /// The type is sold in this place, but nobody knows for how much on spot.
    #[error("no spot price is known of {instance_type} in {}", place(zone.as_deref()))]
    NoSpotPrice {
        /// The node's type.
        instance_type: String,
        /// The node's zone.
        zone: Option<String>,
    },
}

fn place(zone: Option<&str>) -> String {
    zone.map_or_else(|| "the node's zone, which is not known".to_owned(), str::to_owned)
}

impl PriceBook {
    /// What a node costs. A price that is written on the node counts only when the catalog has none.
    pub fn price_of(&self, facts: &NodeFacts<'_>) -> Result<Quote, Unpriced> {
        self.quote(facts).or_else(|reason| {
            let written = facts.price_label.and_then(|text| text.parse::<Price>().ok());
            written
                .filter(|price| *price >= Price::ZERO)
                .map(|price| Quote {
                    price: price + self.adjustments.node_fee,
                    list_price: price,
                    basis: Basis::NodeLabel,
                })
                .ok_or(reason)
        })
    }

    fn quote(&self, facts: &NodeFacts<'_>) -> Result<Quote, Unpriced> {
        let name = facts.instance_type.ok_or(Unpriced::NoInstanceType)?;
        let listed = self.catalog_quote(name, facts);
        let overrides = &self.adjustments.overrides;
        match Override::best(overrides, name, facts.zone, facts.capacity_type) {
            Some(own) => Ok(Quote {
                price: own.price + self.adjustments.node_fee,
                list_price: listed.map_or(own.price, |quote| quote.list_price),
                basis: Basis::Override,
            }),
            None => listed,
        }
    }

    fn catalog_quote(&self, name: &str, facts: &NodeFacts<'_>) -> Result<Quote, Unpriced> {
        let Some(at) = self.list.position(name) else {
            let nearest = self.list.nearest(name, 3).into_iter().map(str::to_owned).collect();
            return Err(Unpriced::UnknownType { instance_type: name.to_owned(), nearest });
        };
        let listed = &self.list.types()[at];
        let paid = &self.paid(facts.node_pool).types()[at];
        check_region(listed, facts.region)?;
        let terms = terms(listed, facts.capacity_type)?;
        // Both catalogs have the listed offerings at the same places.
        let paid_for = |offering: &Offering| {
            let at = listed.offerings.iter().position(|own| std::ptr::eq(own, offering));
            at.and_then(|at| paid.offerings.get(at)).map_or(offering.price, |own| own.price)
        };
        let best = |offerings: &[&Offering], basis: Basis| {
            offerings.iter().max_by_key(|offering| offering.source).map(|offering| Quote {
                price: paid_for(offering),
                list_price: offering.price,
                basis: if offering.estimated { Basis::MedianOfZones { zones: 0 } } else { basis },
            })
        };
        let found = match matching(listed, terms, facts.region, facts.zone, facts.zone_id) {
            Found::Exact(offerings) => best(&offerings, Basis::Exact),
            Found::RegionWide(offerings) => best(&offerings, Basis::RegionWide),
            Found::OtherZones(offerings) => {
                let list_price = median(offerings.iter().map(|offering| offering.price));
                let price = median(offerings.iter().map(|offering| paid_for(offering)));
                let equal = offerings.iter().all(|other| Some(other.price) == list_price);
                let zones = offerings.len() as u32;
                let basis = if equal { Basis::RegionWide } else { Basis::MedianOfZones { zones } };
                price.zip(list_price).map(|(price, list_price)| Quote { price, list_price, basis })
            }
            Found::Nothing => None,
        };
        found.ok_or_else(|| missing(listed, terms, facts))
    }
}

/// Why the type has no price under these terms in the node's place.
fn missing(listed: &InstanceType, terms: CapacityType, facts: &NodeFacts<'_>) -> Unpriced {
    let instance_type = listed.name.to_string();
    let zone = facts.zone.or(facts.zone_id).map(str::to_owned);
    let sold_there = listed.offerings.iter().any(|offering| {
        offering.in_region(facts.region)
            && (offering.is_region_wide()
                || offering.in_zone(facts.zone, facts.zone_id)
                || (offering.zone.is_none() && facts.zone_id.is_none()))
    });
    if terms == CapacityType::Spot && sold_there {
        return Unpriced::NoSpotPrice { instance_type, zone };
    }
    Unpriced::NotOffered { instance_type, zone, capacity_type: terms }
}

fn check_region(listed: &InstanceType, region: Option<&str>) -> Result<(), Unpriced> {
    let offerings = &listed.offerings;
    let mut known: Vec<&str> = offerings.iter().filter_map(|own| own.region.as_deref()).collect();
    known.sort_unstable();
    known.dedup();
    let names = || known.iter().map(|name| (*name).to_owned()).collect();
    match region {
        None if known.len() > 1 => Err(Unpriced::NoRegion { known: names() }),
        Some(region)
            if !offerings.is_empty()
                && !offerings.iter().any(|own| own.in_region(Some(region))) =>
        {
            Err(Unpriced::UnknownRegion { region: region.to_owned(), known: names() })
        }
        _ => Ok(()),
    }
}

/// The node's terms, or the only ones under which its type is sold.
fn terms(
    listed: &InstanceType,
    capacity_type: Option<CapacityType>,
) -> Result<CapacityType, Unpriced> {
    if let Some(terms) = capacity_type {
        return Ok(terms);
    }
    let mut all = listed.offerings.iter().map(|offering| offering.capacity_type);
    let first = all.next();
    first
        .filter(|first| all.all(|other| other == *first))
        .ok_or_else(|| Unpriced::NoCapacityType { instance_type: listed.name.to_string() })
}
