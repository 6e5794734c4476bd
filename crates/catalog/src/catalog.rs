//! Instance types from one or more sources.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::text::nearest;
use crate::{InstanceType, Labels, Offering, Text};

/// Where a catalog's figures came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceInfo {
    /// The source as it was asked for: `aws:us-east-1`, a path, an address.
    pub name: String,
    /// The day its prices are of, `2026-07-20`, where it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The day its spot prices are of, where that is another day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spot_date: Option<String>,
}

impl SourceInfo {
    /// A source without a date.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), date: None, spot_date: None }
    }
}

/// Instance types in the order of their names, with the sources they came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Catalog {
    sources: Vec<SourceInfo>,
    types: Vec<InstanceType>,
}

impl Catalog {
    /// A catalog of one source. Types of the same name become one, as if read one after the other.
    pub fn new(source: SourceInfo, types: Vec<InstanceType>) -> Self {
        let mut catalog = Self { sources: vec![source], types };
        catalog.types.sort_by(|a, b| a.name.cmp(&b.name));
        if catalog.types.windows(2).any(|pair| pair[0].name == pair[1].name) {
            let mut merged: BTreeMap<Box<str>, InstanceType> = BTreeMap::new();
            for instance_type in std::mem::take(&mut catalog.types) {
                absorb(&mut merged, instance_type);
            }
            catalog.types = merged.into_values().collect();
        }
        for instance_type in &mut catalog.types {
            instance_type.sort_offerings();
        }
        catalog
    }

    /// All types, by name.
    pub fn types(&self) -> &[InstanceType] {
        &self.types
    }

    /// The type of that name.
    pub fn get(&self, name: &str) -> Option<&InstanceType> {
        self.position(name).map(|at| &self.types[at])
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.types.binary_search_by(|own| own.name.as_ref().cmp(name)).ok()
    }

    /// Where the figures came from, in order of precedence, the last wins.
    pub fn sources(&self) -> &[SourceInfo] {
        &self.sources
    }

    /// The source of an offering.
    pub fn source_of(&self, offering: &Offering) -> Option<&SourceInfo> {
        self.sources.get(usize::from(offering.source))
    }

    /// The regions that some offering names.
    pub fn regions(&self) -> Vec<&str> {
        let mut regions: Vec<&str> = Vec::new();
        for instance_type in &self.types {
            for offering in &instance_type.offerings {
                if let Some(region) = offering.region.as_deref()
                    && !regions.contains(&region)
                {
                    regions.push(region);
                }
            }
        }
        regions.sort_unstable();
        regions
    }

    /// Known names that are near to `name`.
    pub fn nearest(&self, name: &str, count: usize) -> Vec<&str> {
        nearest(name, self.types.iter().map(|own| own.name.as_ref()), count)
    }

    /// This catalog and a later one: where both say something, the later one counts.
    ///
    /// Offerings are compared by capacity type, region and zone; one without a zone replaces those of all zones. A
    /// later type that knows only prices keeps the earlier one's shape; labels of both are kept.
    #[must_use]
    pub fn merge(self, later: Self) -> Self {
        let mut sources: Vec<SourceInfo> = Vec::new();
        let mut place = |info: &SourceInfo| {
            let at = sources.iter().position(|own| own == info).unwrap_or_else(|| {
                sources.push(info.clone());
                sources.len() - 1
            });
            at as u16
        };
        // A source that comes again counts where it comes last.
        let repeated = |info: &SourceInfo| later.sources.contains(info);
        let mut early: Vec<u16> = vec![0; self.sources.len()];
        for (at, info) in self.sources.iter().enumerate().filter(|(_, info)| !repeated(info)) {
            early[at] = place(info);
        }
        let late: Vec<u16> = later.sources.iter().map(&mut place).collect();
        for (at, info) in self.sources.iter().enumerate().filter(|(_, info)| repeated(info)) {
            early[at] = place(info);
        }
        let renumber = |mut instance_type: InstanceType, numbers: &[u16]| {
            for offering in &mut instance_type.offerings {
                offering.source =
                    numbers.get(usize::from(offering.source)).copied().unwrap_or_default();
            }
            instance_type
        };
        let mut types: BTreeMap<Box<str>, InstanceType> =
            self.types.into_iter().map(|own| (own.name.clone(), renumber(own, &early))).collect();
        for instance_type in later.types {
            absorb(&mut types, renumber(instance_type, &late));
        }
        Self { sources, types: types.into_values().collect() }
    }

    /// A copy with every type changed.
    pub(crate) fn map_types(&self, mut change: impl FnMut(&mut InstanceType)) -> Self {
        let mut copy = self.clone();
        copy.types.iter_mut().for_each(&mut change);
        copy
    }
}

fn absorb(types: &mut BTreeMap<Box<str>, InstanceType>, mut later: InstanceType) {
    let Some(earlier) = types.remove(&later.name) else {
        later.sort_offerings();
        types.insert(later.name.clone(), later);
        return;
    };
    let kept: Vec<Offering> = earlier
        .offerings
        .iter()
        .filter(|old| !later.offerings.iter().any(|new| new.covers(old)))
        .cloned()
        .collect();
    later.offerings.extend(kept);
    let shape = if later.is_price_only() { &earlier } else { &later };
    let mut merged = InstanceType { offerings: Vec::new(), ..shape.clone() };
    if !later.is_price_only() {
        merged.labels = labels(&earlier).chain(labels(&later)).collect::<Labels>();
    }
    merged.offerings = later.offerings;
    merged.sort_offerings();
    types.insert(merged.name.clone(), merged);
}

fn labels(of: &InstanceType) -> impl Iterator<Item = (Text, Text)> {
    of.labels
        .iter()
        .map(|(key, value)| (Text::Owned(key.to_owned()), Text::Owned(value.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CapacityType;
    use proptest::prelude::*;
    use restow_model::Price;

    fn offerings() -> impl Strategy<Value = Vec<Offering>> {
        let offering = (0..3_usize, 0..3_usize, 0..3_usize, 1_i64..100).prop_map(
            |(terms, region, zone, price)| {
                let mut offering =
                    Offering::new(CapacityType::ALL[terms], Price::from_nanos(price));
                offering.region = [None, Some("r1".into()), Some("r2".into())][region].clone();
                offering.zone = [None, Some("z1".into()), Some("z2".into())][zone].clone();
                offering
            },
        );
        proptest::collection::vec(offering, 0..6).prop_map(|mut all| {
            all.sort_by(|a, b| a.key().cmp(&b.key()));
            all.dedup_by(|a, b| a.key() == b.key());
            all
        })
    }

    fn catalogs(source: &'static str) -> impl Strategy<Value = Catalog> {
        proptest::collection::btree_map("[ab]", offerings(), 0..3).prop_map(move |types| {
            let types = types.into_iter().map(|(name, offerings)| InstanceType {
                offerings,
                ..InstanceType::price_only(&name)
            });
            Catalog::new(SourceInfo::named(source), types.collect())
        })
    }

    proptest! {
        #[test]
        fn merging_a_catalog_with_itself_changes_nothing(catalog in catalogs("a")) {
            prop_assert_eq!(catalog.clone().merge(catalog.clone()), catalog);
        }

        #[test]
        fn every_later_offering_survives_a_merge_and_no_earlier_one_that_it_covers(
            earlier in catalogs("a"), later in catalogs("b"),
        ) {
            let merged = earlier.clone().merge(later.clone());
            for own in later.types() {
                let found = merged.get(&own.name).expect("no type is lost");
                for offering in &own.offerings {
                    prop_assert!(found.offerings.iter().any(|o| o.key() == offering.key() && o.price == offering.price && o.source == 1));
                    prop_assert!(!found.offerings.iter().any(|o| o.source == 0 && offering.covers(o)));
                }
            }
            prop_assert!(earlier.types().iter().all(|own| merged.get(&own.name).is_some()));
        }

        #[test]
        fn merging_is_associative_in_what_it_offers(a in catalogs("a"), b in catalogs("b"), c in catalogs("c")) {
            prop_assert_eq!(a.clone().merge(b.clone()).merge(c.clone()), a.merge(b.merge(c)));
        }
    }
}
