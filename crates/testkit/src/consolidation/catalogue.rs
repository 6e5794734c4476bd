//! What can be bought: thirty types in three zones, at prices that the seed decides.

use serde_json::{Value, json};

use super::Ingredient::{Reserved, Spot, Unavailable};
use super::Recipe;
use crate::Rng;

/// The zones of every cluster.
pub(super) const ZONES: &[&str] = &["zone-a", "zone-b", "zone-c"];

pub(super) const FAMILY: &str = "karpenter.k8s.aws/instance-family";
pub(super) const CPUS: &str = "karpenter.k8s.aws/instance-cpu";
pub(super) const RESERVATION: &str = "karpenter.k8s.aws/capacity-reservation-id";

pub(super) const ON_DEMAND: &str = "on-demand";
pub(super) const SPOT: &str = "spot";
pub(super) const RESERVED: &str = "reserved";

/// Name, architecture, gibibytes per cpu and the price of a cpu in micro-dollars an hour.
pub(super) const FAMILIES: &[(&str, &str, u32, u32)] = &[
    ("c1", "amd64", 2, 42_500),
    ("m1", "amd64", 4, 48_000),
    ("r1", "amd64", 8, 63_000),
    ("m0", "amd64", 4, 50_000),
    ("cg", "arm64", 2, 36_100),
    ("mg", "arm64", 4, 40_800),
];

const SIZES: &[u32] = &[2, 4, 8, 16, 32];

/// Instance types with their prices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalogue {
    pub(super) types: Vec<Type>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Type {
    pub(super) name: String,
    pub(super) family: &'static str,
    pub(super) arch: &'static str,
    pub(super) cpus: u32,
    pub(super) mebibytes: u32,
    pub(super) offerings: Vec<Offering>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Offering {
    pub(super) zone: &'static str,
    pub(super) terms: &'static str,
    /// Micro-dollars an hour.
    pub(super) price: u32,
    pub(super) available: bool,
    /// The reservation and how often it can be used.
    pub(super) reservation: Option<(String, u32)>,
}

impl Type {
    pub(super) fn pods(&self) -> u32 {
        match self.cpus {
            2 => 20,
            4 => 40,
            _ => 110,
        }
    }

    /// What pods get, in milli-cpus and mebibytes.
    pub(super) fn room(&self) -> (u32, u32) {
        (self.cpus * 1000 - 60 - 10 * self.cpus, self.mebibytes - 355 - 11 * self.pods())
    }

    pub(super) fn capacity(&self) -> Value {
        json!({
            "cpu": self.cpus.to_string(), "memory": format!("{}Mi", self.mebibytes),
            "pods": self.pods().to_string(), "ephemeral-storage": "20Gi",
        })
    }

    pub(super) fn allocatable(&self) -> Value {
        let (cpu, memory) = self.room();
        json!({
            "cpu": format!("{cpu}m"), "memory": format!("{memory}Mi"),
            "pods": self.pods().to_string(), "ephemeral-storage": "20Gi",
        })
    }
}

impl Catalogue {
    pub(super) fn draw(rng: &mut Rng, recipe: &Recipe) -> Self {
        let mut types = Vec::new();
        // Prices of zones, in thousandths.
        let zones: Vec<u32> = ZONES.iter().map(|_| *rng.pick(&[1000, 1000, 1015, 1060])).collect();
        for (family, arch, gibibytes, price) in FAMILIES {
            for cpus in SIZES {
                let mut own = Type {
                    name: format!("{family}.{cpus}"),
                    family,
                    arch,
                    cpus: *cpus,
                    mebibytes: cpus * gibibytes * 984,
                    offerings: Vec::new(),
                };
                for (zone, factor) in ZONES.iter().zip(&zones) {
                    if rng.permille(50) {
                        continue;
                    }
                    let price = cpus * price / 1000 * factor / 100 * 100;
                    let mut sell = |terms, price, rng: &mut Rng| {
                        let available = !rng.permille(recipe.share(Unavailable));
                        let reservation = None;
                        own.offerings.push(Offering { zone, terms, price, available, reservation });
                    };
                    sell(ON_DEMAND, price, rng);
                    if recipe.has(Spot) || rng.permille(700) {
                        let share = rng.between(25, 60);
                        sell(SPOT, price / 100 * share, rng);
                    }
                }
                types.push(own);
            }
        }
        if recipe.has(Reserved) {
            reserve(rng, &mut types);
        }
        Self { types }
    }

    pub(super) fn find(&self, name: &str) -> Option<&Type> {
        self.types.iter().find(|own| own.name == name)
    }

    /// As the program of `oracle/karpenter` takes it.
    pub fn to_oracle(&self) -> Value {
        let types = self.types.iter().map(|own| {
            let offerings: Vec<Value> = own.offerings.iter().map(Offering::to_json).collect();
            json!({
                "name": own.name, "architecture": own.arch, "operatingSystems": ["linux"],
                "capacity": own.capacity(), "allocatable": own.allocatable(),
                "labels": {FAMILY: own.family, CPUS: own.cpus.to_string()},
                "offerings": offerings,
            })
        });
        types.collect()
    }

    /// As the catalogue in JSON that restow reads.
    pub fn to_restow(&self) -> Value {
        let types = self.types.iter().map(|own| {
            let offerings: Vec<Value> = own.offerings.iter().map(Offering::to_json).collect();
            let (cpu, memory) = own.room();
            json!({
                "name": own.name, "family": own.family, "arch": own.arch, "os": ["linux"],
                "cpu": own.cpus.to_string(), "memory": format!("{}Mi", own.mebibytes),
                "pods": own.pods(), "ephemeralStorage": "20Gi",
                "allocatable": {"cpu": format!("{cpu}m"), "memory": format!("{memory}Mi")},
                "labels": {FAMILY: own.family, CPUS: own.cpus.to_string()},
                "offerings": offerings,
            })
        });
        json!({"types": types.collect::<Vec<_>>()})
    }
}

impl Offering {
    fn to_json(&self) -> Value {
        let mut offering = json!({
            "zone": self.zone, "capacityType": self.terms, "available": self.available,
            "price": f64::from(self.price) / 1e6,
        });
        if let Some((id, capacity)) = &self.reservation {
            offering["reservationId"] = json!(id);
            offering["reservationCapacity"] = json!(capacity);
        }
        offering
    }
}

/// A few types in one zone each, all but paid already.
fn reserve(rng: &mut Rng, types: &mut [Type]) {
    for number in 1..=rng.between(1, 4) {
        let at = rng.below(types.len() as u32) as usize;
        let zone = *rng.pick(ZONES);
        let own = &mut types[at];
        if own.offerings.iter().any(|offer| offer.zone == zone && offer.terms == RESERVED) {
            continue;
        }
        own.offerings.push(Offering {
            zone,
            terms: RESERVED,
            price: own.cpus,
            available: rng.permille(900),
            reservation: Some((format!("cr-{number}"), rng.between(1, 3))),
        });
    }
}
