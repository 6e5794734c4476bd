//! The price book: a catalog's prices after everything that changes them.

use std::collections::BTreeMap;

use restow_model::Price;

use crate::adjust::Override;
use crate::instance_type::label;
use crate::overlay::{self, Effect};
use crate::{Adjustments, Catalog, InstanceType, Offering, Overlay, OverlayFinding, Text};

/// A pool as overlays see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverlayPool {
    /// Its name.
    pub name: String,
    /// The labels that its template puts on nodes.
    pub labels: Vec<(String, String)>,
}

/// A catalog and what is really paid.
///
/// The price of an offering is its override, if there is one; else what an overlay makes of it; else the list price
/// less the discounts. The node fee comes on top. So a discount never applies to a price that was already set by hand.
///
/// Zones matter to overrides and overlays that name one: build the book from a catalog that is already
/// [in the cluster's zones](Catalog::in_zones).
#[derive(Clone, Debug, Default)]
pub struct PriceBook {
    pub(crate) list: Catalog,
    pub(crate) adjustments: Adjustments,
    /// As `list`, with prices that are paid; offerings that overrides add come after those of the list.
    paid: Catalog,
    /// The same for pools to which overlays apply in a way of their own.
    paid_by_pool: BTreeMap<String, Catalog>,
    findings: Vec<OverlayFinding>,
}

impl PriceBook {
    /// A book without overlays.
    pub fn new(list: Catalog, adjustments: Adjustments) -> Self {
        Self::with_overlays(list, adjustments, &[], &[])
    }

    /// A book with overlays, which may be about some pools only.
    pub fn with_overlays(
        list: Catalog,
        adjustments: Adjustments,
        overlays: &[Overlay],
        pools: &[OverlayPool],
    ) -> Self {
        let names_pools = overlays.iter().flat_map(|overlay| &overlay.requirements).any(|own| {
            own.key == label::NODE_POOL
                || pools.iter().any(|pool| pool.labels.iter().any(|(key, _)| *key == own.key))
        });
        let mut views: Vec<Option<&OverlayPool>> = vec![None];
        if names_pools {
            views.extend(pools.iter().map(Some));
        }
        let (effects, findings) = if overlays.is_empty() {
            (vec![Effect::default()], Vec::new())
        } else {
            overlay::evaluate(&list, overlays, &views)
        };
        let mut paid = Catalog::default();
        let mut paid_by_pool = BTreeMap::new();
        for (view, effect) in views.iter().zip(&effects) {
            let prices = pay(&list, &adjustments, effect);
            match view {
                Some(pool) => {
                    paid_by_pool.insert(pool.name.clone(), prices);
                }
                None => paid = prices,
            }
        }
        Self { list, adjustments, paid, paid_by_pool, findings }
    }

    /// The same book with other prices, where `change` names one: of the list and of what is paid.
    #[must_use]
    pub fn repriced(&self, change: &dyn Fn(&InstanceType, &Offering) -> Option<Price>) -> Self {
        let reprice = |catalog: &Catalog| {
            catalog.map_types(|own| {
                let mut offerings = std::mem::take(&mut own.offerings);
                for offering in &mut offerings {
                    if let Some(price) = change(own, offering) {
                        offering.price = price;
                    }
                }
                own.offerings = offerings;
            })
        };
        let by_pool = self.paid_by_pool.iter();
        Self {
            list: reprice(&self.list),
            paid: reprice(&self.paid),
            paid_by_pool: by_pool.map(|(name, own)| (name.clone(), reprice(own))).collect(),
            ..self.clone()
        }
    }

    /// The catalog with list prices.
    pub fn list(&self) -> &Catalog {
        &self.list
    }

    /// The catalog with the prices and devices that count for nodes of a pool, the node fee included.
    pub fn paid(&self, pool: Option<&str>) -> &Catalog {
        pool.and_then(|pool| self.paid_by_pool.get(pool)).unwrap_or(&self.paid)
    }

    /// Overlays that were not applied.
    pub fn findings(&self) -> &[OverlayFinding] {
        &self.findings
    }

    /// Overrides of types that the catalog does not have: they price nodes, but nothing can be bought by them.
    pub fn overrides_of_unknown_types(&self) -> impl Iterator<Item = &Override> {
        self.adjustments.overrides.iter().filter(|own| self.list.get(&own.instance_type).is_none())
    }
}

fn pay(list: &Catalog, adjustments: &Adjustments, effect: &Effect) -> Catalog {
    let mut at = 0;
    list.map_types(|instance_type| {
        let prices = effect.prices.get(at).map_or(&[][..], Vec::as_slice);
        for (name, amount, _) in effect.capacity.get(at).into_iter().flatten() {
            let name = || Text::Owned(name.clone());
            instance_type.capacity.set_extended(name(), *amount);
            instance_type.allocatable.set_extended(name(), *amount);
        }
        let mut offerings = std::mem::take(&mut instance_type.offerings);
        let listed = offerings.clone();
        for (position, offering) in offerings.iter_mut().enumerate() {
            let overlaid = prices.get(position).copied().flatten().map(|(price, _)| price);
            offering.price = paid(instance_type, offering, overlaid, adjustments);
        }
        offerings.extend(overridden_zones(instance_type, &listed, adjustments));
        instance_type.offerings = offerings;
        at += 1;
    })
}

fn paid(
    instance_type: &InstanceType,
    offering: &Offering,
    overlaid: Option<Price>,
    adjustments: &Adjustments,
) -> Price {
    let terms = Some(offering.capacity_type);
    let own = Override::best(
        &adjustments.overrides,
        &instance_type.name,
        offering.zone.as_deref(),
        terms,
    );
    let price = own.map(|own| own.price).or(overlaid).unwrap_or_else(|| {
        adjustments
            .discounts
            .iter()
            .filter(|rule| rule.matches(instance_type, offering))
            .fold(offering.price, |price, rule| rule.percent.off(price))
    });
    price.at_least_zero() + adjustments.node_fee
}

/// Offerings for the zones that overrides name and the list has no offering of their own for.
fn overridden_zones(
    instance_type: &InstanceType,
    listed: &[Offering],
    adjustments: &Adjustments,
) -> Vec<Offering> {
    let mut added: Vec<Offering> = Vec::new();
    for own in &adjustments.overrides {
        let Some(zone) = own.zone.as_deref().filter(|_| own.instance_type == *instance_type.name)
        else {
            continue;
        };
        for offering in listed.iter().filter(|offering| offering.is_region_wide()) {
            let terms = offering.capacity_type;
            let known = |other: &Offering| {
                other.capacity_type == terms && other.zone.as_deref() == Some(zone)
            };
            if own.capacity_type.is_some_and(|named| named != terms)
                || listed.iter().chain(&added).any(known)
            {
                continue;
            }
            let mut placed = Offering { zone: Some(zone.into()), ..offering.clone() };
            placed.price = paid(instance_type, &placed, None, adjustments);
            added.push(placed);
        }
    }
    added
}

#[cfg(test)]
mod tests;
