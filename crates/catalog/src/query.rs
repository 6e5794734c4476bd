//! Finding types in a catalog, for `restow catalog list` and `show`.

use std::cmp::Ordering;
use std::str::FromStr;

use restow_model::Price;

use crate::text::{glob, nearest};
use crate::{CapacityType, Catalog, InstanceType, Offering};

/// Which types and offerings are wanted; absent parts take everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The type's name, which may hold `*` and `?`.
    pub name: Option<String>,
    /// The family's name, which may hold `*` and `?`.
    pub family: Option<String>,
    /// `amd64` or `arm64`.
    pub arch: Option<String>,
    /// At least that many thousandths of a CPU.
    pub min_cpu_milli: Option<i64>,
    /// At most that many thousandths of a CPU.
    pub max_cpu_milli: Option<i64>,
    /// At least that many bytes of advertised memory.
    pub min_memory_bytes: Option<i64>,
    /// At most that many bytes of advertised memory.
    pub max_memory_bytes: Option<i64>,
    /// With accelerators (`true`) or without (`false`).
    pub gpu: Option<bool>,
    /// Only offerings on these terms.
    pub capacity_type: Option<CapacityType>,
    /// Only offerings of this zone, by name or id; those of the whole region are in every zone.
    pub zone: Option<String>,
}

/// What a list is sorted by; ties go by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortKey {
    /// By name.
    #[default]
    Name,
    /// By the lowest price of a matching offering.
    Price,
    /// By CPUs.
    Cpu,
    /// By advertised memory.
    Memory,
    /// By the lowest price for a CPU.
    PricePerCpu,
}

impl SortKey {
    /// Every key with the name that the command line knows it by.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("name", Self::Name),
        ("price", Self::Price),
        ("cpu", Self::Cpu),
        ("memory", Self::Memory),
        ("price-per-cpu", Self::PricePerCpu),
    ];
}

/// Text that is not a sort key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected name, price, cpu, memory or price-per-cpu, got {0:?}")]
pub struct ParseSortKeyError(pub String);

impl FromStr for SortKey {
    type Err = ParseSortKeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = Self::NAMES.into_iter().find(|(name, _)| *name == text);
        found.map(|(_, key)| key).ok_or_else(|| {
            let near = nearest(text, Self::NAMES.map(|(name, _)| name), 1);
            ParseSortKeyError(
                near.first().map_or_else(
                    || text.to_owned(),
                    |near| format!("{text} (did you mean {near}?)"),
                ),
            )
        })
    }
}

/// A type that was found, with those of its offerings that were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed<'a> {
    /// The type.
    pub instance_type: &'a InstanceType,
    /// Its matching offerings.
    pub offerings: Vec<&'a Offering>,
}

impl Listed<'_> {
    /// The lowest price of the terms, or of any.
    pub fn cheapest(&self, capacity_type: Option<CapacityType>) -> Option<Price> {
        let wanted =
            |own: &&&Offering| capacity_type.is_none_or(|terms| terms == own.capacity_type);
        self.offerings.iter().filter(wanted).map(|own| own.price).min()
    }

    /// The lowest price for one CPU of the terms, or of any.
    pub fn cheapest_per_cpu(&self, capacity_type: Option<CapacityType>) -> Option<Price> {
        let cpu_milli = self.instance_type.capacity.cpu_milli;
        let price = self.cheapest(capacity_type)?;
        let nanos = i128::from(price.nanos()) * 1000 / i128::from(cpu_milli.max(1));
        (cpu_milli > 0).then(|| Price::from_nanos(i64::try_from(nanos).unwrap_or(i64::MAX)))
    }
}

/// The types that match and have an offering that matches, in order. Types without a price come last by price.
pub fn select<'a>(catalog: &'a Catalog, filter: &Filter, key: SortKey) -> Vec<Listed<'a>> {
    let mut found: Vec<Listed<'a>> = catalog
        .types()
        .iter()
        .filter(|instance_type| filter.wants(instance_type))
        .map(|instance_type| Listed {
            instance_type,
            offerings: instance_type
                .offerings
                .iter()
                .filter(|offering| filter.wants_offering(offering))
                .collect(),
        })
        .filter(|listed| !listed.offerings.is_empty())
        .collect();
    let unpriced_last = |a: Option<Price>, b: Option<Price>| match (a, b) {
        (Some(a), Some(b)) => a.cmp(&b),
        (a, b) => b.is_some().cmp(&a.is_some()),
    };
    // The types come by name and the sort is stable.
    found.sort_by(|a, b| match key {
        SortKey::Name => Ordering::Equal,
        SortKey::Price => unpriced_last(a.cheapest(None), b.cheapest(None)),
        SortKey::Cpu => {
            let cpu = |listed: &Listed<'_>| listed.instance_type.capacity.cpu_milli;
            cpu(a).cmp(&cpu(b))
        }
        SortKey::Memory => a.instance_type.memory_bytes.cmp(&b.instance_type.memory_bytes),
        SortKey::PricePerCpu => unpriced_last(a.cheapest_per_cpu(None), b.cheapest_per_cpu(None)),
    });
    found
}

impl Filter {
    fn wants(&self, instance_type: &InstanceType) -> bool {
        let like = |pattern: &Option<String>, name: &str| {
            pattern.as_deref().is_none_or(|pattern| glob(pattern, name))
        };
        let within = |low: Option<i64>, high: Option<i64>, amount: i64| {
            low.is_none_or(|low| amount >= low) && high.is_none_or(|high| amount <= high)
        };
        let accelerated = instance_type.accelerators().next().is_some();
        like(&self.name, &instance_type.name)
            && like(&self.family, &instance_type.family)
            && self.arch.as_deref().is_none_or(|arch| instance_type.arch == arch)
            && within(self.min_cpu_milli, self.max_cpu_milli, instance_type.capacity.cpu_milli)
            && within(self.min_memory_bytes, self.max_memory_bytes, instance_type.memory_bytes)
            && self.gpu.is_none_or(|wanted| wanted == accelerated)
    }

    fn wants_offering(&self, offering: &Offering) -> bool {
        let zone = self.zone.as_deref();
        self.capacity_type.is_none_or(|terms| terms == offering.capacity_type)
            && (zone.is_none() || offering.is_region_wide() || offering.in_zone(zone, zone))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Provider, builtin::builtin};

    fn names(filter: &Filter, key: SortKey) -> Vec<String> {
        let catalog = builtin(Provider::Aws, Some("us-east-1")).expect("built in");
        select(&catalog, filter, key)
            .iter()
            .map(|listed| listed.instance_type.name.to_string())
            .collect()
    }

    #[test]
    fn a_family_sorts_by_size_and_by_price_alike() {
        let filter =
            Filter { family: Some("m5".into()), max_cpu_milli: Some(8000), ..Filter::default() };
        let expected = ["m5.large", "m5.xlarge", "m5.2xlarge"];
        assert_eq!(names(&filter, SortKey::Cpu), expected);
        assert_eq!(names(&filter, SortKey::Memory), expected);
        let on_demand = Filter { capacity_type: Some(CapacityType::OnDemand), ..filter };
        assert_eq!(names(&on_demand, SortKey::Price), expected);
        assert_eq!(names(&on_demand, SortKey::Name), ["m5.2xlarge", "m5.large", "m5.xlarge"]);
    }

    #[test]
    fn filters_narrow_types_and_offerings() {
        let filter = Filter {
            name: Some("g4dn.*".into()),
            gpu: Some(true),
            zone: Some("use1-az1".into()),
            capacity_type: Some(CapacityType::Spot),
            ..Filter::default()
        };
        let catalog = builtin(Provider::Aws, Some("us-east-1")).expect("built in");
        let found = select(&catalog, &filter, SortKey::PricePerCpu);
        assert!(!found.is_empty());
        assert!(found.iter().all(|listed| listed.offerings.len() == 1));
        assert!(names(&Filter { gpu: Some(false), ..filter }, SortKey::Name).is_empty());
    }
}
