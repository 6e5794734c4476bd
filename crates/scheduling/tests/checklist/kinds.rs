//! Instance types like those of the peer's fake provider, and builders for others.

use restow_catalog::{CapacityType, InstanceType, Offering, Reservation, Resources};
use restow_model::Price;

use super::text;

/// The zones that the fake provider has on-demand capacity in; spot is in the first two.
pub(crate) const ZONES: [&str; 3] = ["test-zone-1", "test-zone-2", "test-zone-3"];

/// An instance type of 4 cpu, 4 GiB and 5 pods, amd64, of which daemons of the system take 100m and 10 MiB.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    name: String,
    amounts: String,
    arch: &'static str,
    os: Vec<&'static str>,
    labels: String,
    price: Option<Price>,
    offers: Vec<Offering>,
}

/// A type of that name.
pub(crate) fn kind(name: &str) -> Kind {
    Kind {
        name: name.to_owned(),
        amounts: String::new(),
        arch: "amd64",
        os: vec!["linux", "windows", "darwin"],
        labels: String::new(),
        price: None,
        offers: Vec::new(),
    }
}

impl Kind {
    /// What it has, where that is not the usual.
    pub(crate) fn has(mut self, amounts: &str) -> Self {
        amounts.clone_into(&mut self.amounts);
        self
    }

    /// Its architecture.
    pub(crate) fn arch(mut self, arch: &'static str) -> Self {
        self.arch = arch;
        self
    }

    /// Its operating systems.
    pub(crate) fn os(mut self, systems: &[&'static str]) -> Self {
        self.os = systems.to_vec();
        self
    }

    /// Labels of the provider.
    pub(crate) fn labels(mut self, labels: &str) -> Self {
        labels.clone_into(&mut self.labels);
        self
    }

    /// The same price everywhere, instead of ten cents per cpu and per GB.
    pub(crate) fn price(mut self, dollars: &str) -> Self {
        self.price = Some(dollars.parse().expect("a price in dollars"));
        self
    }

    /// One way to buy it; without any it is sold as the fake provider does.
    pub(crate) fn sold(mut self, capacity: CapacityType, zone: &str, dollars: &str) -> Self {
        let price = dollars.parse().expect("a price in dollars");
        let offering = Offering { zone: Some(zone.into()), ..Offering::new(capacity, price) };
        self.offers.push(offering);
        self
    }

    /// A way to buy it that is sold out.
    pub(crate) fn sold_out(mut self, capacity: CapacityType, zone: &str, dollars: &str) -> Self {
        self = self.sold(capacity, zone, dollars);
        self.offers.last_mut().expect("just added").available = false;
        self
    }

    /// Some of it reserved and nearly free.
    pub(crate) fn reserved(mut self, id: &str, left: u32) -> Self {
        self = self.sold(CapacityType::Reserved, ZONES[0], "0.000001");
        self.offers.last_mut().expect("just added").reservation =
            Some(Reservation { id: Some(id.into()), capacity: Some(left) });
        self
    }

    /// Sold as usual besides what was said.
    pub(crate) fn sold_as_usual(mut self) -> Self {
        let price = self.price.unwrap_or_else(|| price_of(&self.capacity()));
        self.offers.extend(usual_offers(price));
        self
    }

    fn capacity(&self) -> Resources {
        let mut found = Resources {
            cpu_milli: 4000,
            memory_bytes: 4 << 30,
            ephemeral_bytes: 20 << 30,
            pods: 5,
            extended: Vec::new(),
        };
        for (name, amount) in text::amounts(&self.amounts) {
            match name {
                "cpu" => found.cpu_milli = amount.milli_down(),
                "memory" => found.memory_bytes = amount.value_down(),
                "ephemeral-storage" => found.ephemeral_bytes = amount.value_down(),
                "pods" => found.pods = amount.value_down(),
                other => found.set_extended(other.to_owned().into(), amount.value_down()),
            }
        }
        found
    }

    /// The type.
    pub(crate) fn build(&self) -> InstanceType {
        let capacity = self.capacity();
        let mut allocatable = capacity.clone();
        allocatable.cpu_milli -= 100;
        allocatable.memory_bytes -= 10 << 20;
        let price = self.price.unwrap_or_else(|| price_of(&capacity));
        let mut own = InstanceType::price_only(&self.name);
        own.arch = self.arch.into();
        own.os = self.os.iter().map(|system| (*system).into()).collect();
        own.memory_bytes = capacity.memory_bytes;
        for (key, value) in text::pairs(&self.labels) {
            own.labels.set(key.to_owned(), value.to_owned());
        }
        own.offerings =
            if self.offers.is_empty() { usual_offers(price) } else { self.offers.clone() };
        InstanceType { capacity, allocatable, ..own }
    }
}

fn usual_offers(price: Price) -> Vec<Offering> {
    let offer = |capacity: CapacityType, zone: &&str| Offering {
        zone: Some((*zone).into()),
        ..Offering::new(capacity, price)
    };
    let spot = ZONES[..2].iter().map(|zone| offer(CapacityType::Spot, zone));
    spot.chain(ZONES.iter().map(|zone| offer(CapacityType::OnDemand, zone))).collect()
}

/// Ten cents per cpu and per GB, a dollar per device.
fn price_of(capacity: &Resources) -> Price {
    let devices: i64 = capacity.extended.iter().map(|(_, count)| *count).sum();
    let nanos = capacity.cpu_milli * 100_000 + capacity.memory_bytes / 10 + devices * 1_000_000_000;
    Price::from_nanos(nanos)
}

/// The types of the peer's fake provider.
pub(crate) fn fake() -> Vec<Kind> {
    vec![
        kind("default").labels("integer=4 size=small"),
        kind("small").has("cpu=2 memory=2Gi").labels("integer=2 size=small"),
        kind("gpu-a").has("fake.com/vendor-a=2").labels("integer=4 size=small"),
        kind("gpu-b").has("fake.com/vendor-b=2").labels("integer=4 size=small"),
        kind("arm")
            .has("cpu=16 memory=128Gi")
            .arch("arm64")
            .labels("integer=16 size=large special=optional"),
        kind("single-pod").has("pods=1").labels("integer=4 size=small"),
    ]
}

/// Types of 1 to `count` cpu with 2 GiB and 10 pods for each.
pub(crate) fn ladder(count: usize) -> Vec<Kind> {
    (1..=count)
        .map(|cpu| {
            let amounts = format!("cpu={cpu} memory={}Gi pods={}", 2 * cpu, 10 * cpu);
            let labels = format!("integer={cpu} size={}", if cpu > 4 { "large" } else { "small" });
            kind(&format!("type-{cpu}")).has(&amounts).labels(&labels)
        })
        .collect()
}

/// Every architecture, system, zone and way to buy of four sizes, each at its own price.
pub(crate) fn assorted() -> Vec<Kind> {
    let mut found = Vec::new();
    for cpu in [1, 2, 4, 8] {
        for arch in ["amd64", "arm64"] {
            for os in ["linux", "windows"] {
                for (at, zone) in ZONES.iter().enumerate() {
                    for capacity in [CapacityType::Spot, CapacityType::OnDemand] {
                        let name = format!("{cpu}-{arch}-{os}-{zone}-{capacity}");
                        // Some order that follows from nothing else.
                        let cents = cpu * 100 + (name.len() * 7 + at * 5) % 23;
                        let amounts = format!("cpu={cpu} memory={}Gi pods=110", 2 * cpu);
                        let dollars = format!("{}.{:02}", cents / 100, cents % 100);
                        let own = kind(&name).has(&amounts).arch(arch).os(&[os]);
                        found.push(own.sold(capacity, zone, &dollars));
                    }
                }
            }
        }
    }
    found
}
