//! What changed from one catalog to another, for `restow catalog diff`.

use std::collections::BTreeMap;

use restow_model::Price;
use serde::Serialize;

use crate::money::dollars_or_null;
use crate::{CapacityType, Catalog, InstanceType};

/// The differences between two catalogs, by type name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CatalogDiff {
    /// Types with an offering in the new one only.
    pub added: Vec<String>,
    /// Types with an offering in the old one only.
    pub removed: Vec<String>,
    /// Offerings that cost something else, or came or went in a type that both have.
    pub changed: Vec<PriceChange>,
}

impl CatalogDiff {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }
}

/// An offering with two prices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PriceChange {
    /// The type.
    pub instance_type: String,
    /// The terms.
    pub capacity_type: CapacityType,
    /// The region.
    pub region: Option<String>,
    /// The zone's name, or else its id.
    pub zone: Option<String>,
    /// The old price; `None` when there was no such offering.
    #[serde(rename = "pricePerHourBefore", serialize_with = "dollars_or_null")]
    pub before: Option<Price>,
    /// The new price; `None` when there no longer is such an offering.
    #[serde(rename = "pricePerHourAfter", serialize_with = "dollars_or_null")]
    pub after: Option<Price>,
}

impl PriceChange {
    /// How much dearer it became, in percent; negative when cheaper, `None` when one price is missing or zero.
    pub fn percent(&self) -> Option<f64> {
        let (before, after) = self.before.zip(self.after)?;
        (before != Price::ZERO).then(|| (after - before).dollars() / before.dollars() * 100.0)
    }
}

/// What changed from `before` to `after`, in a fixed order.
pub fn diff(before: &Catalog, after: &Catalog) -> CatalogDiff {
    let mut result = CatalogDiff::default();
    let sold = |own: &&InstanceType| !own.offerings.is_empty();
    let old: BTreeMap<&str, &InstanceType> =
        before.types().iter().filter(sold).map(|own| (own.name.as_ref(), own)).collect();
    let new: BTreeMap<&str, &InstanceType> =
        after.types().iter().filter(sold).map(|own| (own.name.as_ref(), own)).collect();
    let only = |these: &BTreeMap<&str, &InstanceType>, those: &BTreeMap<&str, &InstanceType>| {
        these
            .keys()
            .filter(|name| !those.contains_key(*name))
            .map(|name| (*name).to_owned())
            .collect()
    };
    result.added = only(&new, &old);
    result.removed = only(&old, &new);
    for (name, old) in &old {
        let Some(new) = new.get(name) else { continue };
        let (was, is) = (prices(old), prices(new));
        let mut keys: Vec<_> = was.keys().chain(is.keys()).collect();
        keys.sort_unstable();
        keys.dedup();
        result.changed.extend(keys.into_iter().filter(|key| was.get(*key) != is.get(*key)).map(
            |key| PriceChange {
                instance_type: (*name).to_owned(),
                capacity_type: key.0,
                region: key.1.map(str::to_owned),
                zone: key.2.map(str::to_owned),
                before: was.get(key).copied(),
                after: is.get(key).copied(),
            },
        ));
    }
    result
}

type Key<'a> = (CapacityType, Option<&'a str>, Option<&'a str>);

fn prices(instance_type: &InstanceType) -> BTreeMap<Key<'_>, Price> {
    instance_type
        .offerings
        .iter()
        .map(|own| {
            let zone = own.zone.as_deref().or(own.zone_id.as_deref());
            ((own.capacity_type, own.region.as_deref(), zone), own.price)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Offering, SourceInfo};

    fn catalog(types: &[(&str, i64)]) -> Catalog {
        let types = types.iter().map(|(name, nanos)| InstanceType {
            offerings: vec![Offering::new(CapacityType::OnDemand, Price::from_nanos(*nanos))],
            ..InstanceType::price_only(name)
        });
        Catalog::new(SourceInfo::named("test"), types.collect())
    }

    #[test]
    fn added_removed_and_changed_types_are_told_apart() {
        let found = diff(
            &catalog(&[("a", 100), ("b", 100), ("c", 7)]),
            &catalog(&[("b", 80), ("c", 7), ("d", 1)]),
        );
        assert_eq!(found.added, ["d"]);
        assert_eq!(found.removed, ["a"]);
        assert_eq!(found.changed.len(), 1);
        assert_eq!(found.changed[0].percent(), Some(-20.0));
    }

    #[test]
    fn a_catalog_does_not_differ_from_itself() {
        let catalog = catalog(&[("a", 1), ("b", 2)]);
        assert!(diff(&catalog, &catalog).is_empty());
    }
}
