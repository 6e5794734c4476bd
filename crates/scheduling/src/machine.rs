//! The machines that a pool could launch, one by one: for whoever plays the provider.

use restow_model::{Labels, Price, Resources, Str, Taint};

use crate::offers::{Offered, OfferedPool, OfferedType, Offers};

/// A machine that a pool could launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// Its type.
    pub instance_type: Str,
    /// Its zone.
    pub zone: Option<Str>,
    /// Its terms.
    pub capacity_type: Str,
    /// What it costs per hour.
    pub price: Price,
    /// The labels that its node will have, its host name aside.
    pub labels: Labels,
    /// Its taints, once it has started.
    pub taints: Vec<Taint>,
    /// What there is.
    pub capacity: Resources,
    /// What is left for pods.
    pub allocatable: Resources,
}

/// Which machines are asked for; an empty list is any.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// Types.
    pub instance_types: &'a [Str],
    /// Zones.
    pub zones: &'a [Str],
    /// Terms.
    pub capacity_types: &'a [Str],
    /// Labels that it must have.
    pub labels: &'a [(Str, Str)],
}

impl Wanted<'_> {
    fn allows(&self, own: &OfferedType, offered: &Offered) -> bool {
        let listed = |list: &[Str], value: Str| list.is_empty() || list.contains(&value);
        let labelled = |(key, value): &(Str, Str)| {
            let mut labels = own.labels.iter().chain(&offered.labels);
            labels.find(|(own, _)| own == key).is_none_or(|(_, own)| own == value)
        };
        listed(self.instance_types, own.name)
            && offered.zone.is_none_or(|zone| listed(self.zones, zone))
            && listed(self.capacity_types, offered.capacity_type)
            && self.labels.iter().all(labelled)
    }
}

impl Offers {
    /// The machines that a pool could launch now, the cheapest first.
    pub fn machines(&self, pool: Str, wanted: &Wanted<'_>) -> Vec<Machine> {
        let Some(pool) = self.pools.iter().find(|own| own.name == pool) else { return Vec::new() };
        let mut found: Vec<Machine> = pool
            .types
            .iter()
            .flat_map(|own| own.offerings.iter().map(move |offered| (own, offered)))
            .filter(|(own, offered)| offered.available && wanted.allows(own, offered))
            .map(|(own, offered)| self.machine(pool, own, offered, wanted))
            .collect();
        found.sort_by_key(|own| (own.price, own.instance_type, own.zone, own.capacity_type));
        found
    }

    fn machine(
        &self,
        pool: &OfferedPool,
        own: &OfferedType,
        offered: &Offered,
        wanted: &Wanted<'_>,
    ) -> Machine {
        let mut labels = pool.labels.clone();
        labels.extend(own.labels.iter().copied());
        labels.extend(offered.labels.iter().copied());
        labels.extend(own.systems.first().map(|system| (self.os, *system)));
        labels
            .extend(pool.choices.iter().filter_map(|(key, values)| Some((*key, *values.first()?))));
        let chosen = |(key, value): &&(Str, Str)| {
            pool.choices.iter().any(|(own, values)| own == key && values.contains(value))
        };
        labels.extend(wanted.labels.iter().filter(chosen).copied());
        Machine {
            instance_type: own.name,
            zone: offered.zone,
            capacity_type: offered.capacity_type,
            price: offered.price,
            labels: Labels::new(labels),
            taints: pool.taints.clone(),
            capacity: own.capacity.clone(),
            allocatable: own.allocatable.clone(),
        }
    }
}
