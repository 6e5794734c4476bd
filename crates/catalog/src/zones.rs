//! A catalog as one cluster sees it: prices for the zones that the cluster uses.

use std::sync::Arc;

use restow_model::Price;

use crate::{CapacityType, Catalog, InstanceType, Offering, Provider};

/// A zone of the cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Zone {
    /// Its name, the value of `topology.kubernetes.io/zone`.
    pub name: Arc<str>,
    /// Its id, where a node's labels tell.
    pub id: Option<Arc<str>>,
    /// Its region, where known.
    pub region: Option<Arc<str>>,
}

impl Catalog {
    /// The same catalog with one offering for each zone, so that whoever places pods need not know how prices are
    /// published: region-wide offerings are spread over the zones, zone ids become names, and spot in a zone of
    /// unknown id gets the region's median, marked as estimated.
    #[must_use]
    pub fn in_zones(&self, zones: &[Zone]) -> Self {
        self.map_types(|instance_type| {
            instance_type.offerings = zones
                .iter()
                .flat_map(|zone| CapacityType::ALL.map(|capacity_type| (zone, capacity_type)))
                .flat_map(|(zone, capacity_type)| in_zone(instance_type, zone, capacity_type))
                .collect();
            instance_type.sort_offerings();
        })
    }
}

/// What the type is sold for in the zone under these terms: one offering, or one for each reservation.
fn in_zone(
    instance_type: &InstanceType,
    zone: &Zone,
    capacity_type: CapacityType,
) -> Vec<Offering> {
    let place = |offering: &Offering| Offering {
        zone: Some(zone.name.clone()),
        zone_id: zone.id.clone().or_else(|| offering.zone_id.clone()),
        region: zone.region.clone().or_else(|| offering.region.clone()),
        ..offering.clone()
    };
    let found = matching(
        instance_type,
        capacity_type,
        zone.region.as_deref(),
        Some(&zone.name),
        zone.id.as_deref(),
    );
    match found {
        Found::Exact(offerings) | Found::RegionWide(offerings) => {
            let newest = offerings.iter().map(|offering| offering.source).max();
            let mut placed: Vec<Offering> = offerings
                .into_iter()
                .filter(|offering| Some(offering.source) == newest)
                .map(place)
                .collect();
            if capacity_type != CapacityType::Reserved {
                placed.truncate(1);
            }
            placed
        }
        Found::OtherZones(offerings) => {
            let Some(price) = median(offerings.iter().map(|offering| offering.price)) else {
                return Vec::new();
            };
            let equal = offerings.iter().all(|offering| offering.price == price);
            let mut estimate = place(offerings[0]);
            estimate.price = price;
            estimate.estimated = !equal;
            estimate.available = offerings.iter().any(|offering| offering.available);
            estimate.zone_id = None;
            vec![estimate]
        }
        Found::Nothing => Vec::new(),
    }
}

/// The offerings of a type that may be a zone's, best kind first.
pub(crate) enum Found<'a> {
    /// For this very zone.
    Exact(Vec<&'a Offering>),
    /// For every zone of the region.
    RegionWide(Vec<&'a Offering>),
    /// For zone ids of the region, of which nobody can say which one is this zone.
    OtherZones(Vec<&'a Offering>),
    /// None.
    Nothing,
}

pub(crate) fn matching<'a>(
    instance_type: &'a InstanceType,
    capacity_type: CapacityType,
    region: Option<&str>,
    zone: Option<&str>,
    zone_id: Option<&str>,
) -> Found<'a> {
    let candidates: Vec<&Offering> = instance_type
        .offerings
        .iter()
        .filter(|offering| offering.capacity_type == capacity_type && offering.in_region(region))
        .collect();
    let exact: Vec<&Offering> =
        candidates.iter().copied().filter(|offering| offering.in_zone(zone, zone_id)).collect();
    let wide: Vec<&Offering> =
        candidates.iter().copied().filter(|offering| offering.is_region_wide()).collect();
    let newest = |offerings: &[&Offering]| offerings.iter().map(|offering| offering.source).max();
    // A later source wins, and of one source the offering for the very zone.
    if newest(&exact) >= newest(&wide) && !exact.is_empty() {
        return Found::Exact(exact);
    }
    if !wide.is_empty() {
        return Found::RegionWide(wide);
    }
    // A Local Zone has prices of its own, whatever its parent region charges.
    let regional = |id: &str| !is_local_zone(id);
    let by_id: Vec<&Offering> = candidates
        .into_iter()
        .filter(|own| own.zone.is_none() && own.zone_id.as_deref().is_some_and(regional))
        .collect();
    let local_zone = instance_type.provider == Provider::Aws
        && region.zip(zone).is_some_and(|(region, zone)| zone.len() > region.len() + 1);
    if zone_id.is_some() || by_id.is_empty() || local_zone {
        return Found::Nothing;
    }
    Found::OtherZones(by_id)
}

/// `use1-atl2-az1` is the id of a Local Zone; `use1-az1` is not.
pub(crate) fn is_local_zone(zone_id: &str) -> bool {
    zone_id.split('-').count() > 2
}

/// The middle price; of an even number the higher of the two in the middle, so that savings are not overstated by
/// a replacement that looks cheaper than it is.
pub(crate) fn median(prices: impl Iterator<Item = Price>) -> Option<Price> {
    let mut prices: Vec<Price> = prices.collect();
    prices.sort_unstable();
    prices.get(prices.len() / 2).copied()
}
