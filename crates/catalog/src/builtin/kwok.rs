//! The default types of Karpenter's KWOK provider, which follow a formula.

use std::borrow::Cow;

use restow_model::quantity::Format;
use restow_model::{Price, Quantity};

use super::common_labels;
use crate::{
    CapacityType, Catalog, InstanceType, Offering, Provider, Resources, SourceInfo, Text,
    kwok_allocatable,
};

const SIZES: [i64; 12] = [1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256];
const FAMILIES: [(&str, i64); 3] = [("c", 2), ("s", 4), ("m", 8)];
const ZONES: [&str; 4] = ["test-zone-a", "test-zone-b", "test-zone-c", "test-zone-d"];

/// 144 types: 12 sizes, three ratios of memory to CPU, two architectures, two operating systems, four zones.
pub fn catalog() -> Catalog {
    let mut types = Vec::with_capacity(144);
    for cpus in SIZES {
        for (family, gib_per_cpu) in FAMILIES {
            for arch in ["amd64", "arm64"] {
                for os in ["linux", "windows"] {
                    types.push(instance_type(family, cpus, cpus * gib_per_cpu, arch, os));
                }
            }
        }
    }
    Catalog::new(SourceInfo::named("kwok"), types)
}

fn instance_type(
    family: &'static str,
    cpus: i64,
    gib: i64,
    arch: &'static str,
    os: &'static str,
) -> InstanceType {
    let name = format!("{family}-{cpus}x-{arch}-{os}");
    let memory_bytes = gib << 30;
    let capacity = Resources {
        cpu_milli: cpus * 1000,
        memory_bytes,
        ephemeral_bytes: 20 << 30,
        pods: (cpus * 16).min(1024),
        extended: Vec::new(),
    };
    let arch = Cow::Borrowed(arch);
    let memory = Quantity::from_value(memory_bytes).with_format(Format::Binary);
    let mut labels = common_labels(&name, &arch, os);
    labels.extend([
        ("karpenter.kwok.sh/instance-size".into(), Text::Owned(cpus.to_string())),
        ("karpenter.kwok.sh/instance-family".into(), Cow::Borrowed(family)),
        ("karpenter.kwok.sh/instance-cpu".into(), Text::Owned(cpus.to_string())),
        ("karpenter.kwok.sh/instance-memory".into(), Text::Owned(memory.to_string())),
    ]);
    // 0.025 a CPU and 0.001 for 10^9 bytes, in thousandths of a nano-dollar; spot is 70 % of it.
    let exact = 25_000_000_000 * cpus + memory_bytes;
    let on_demand = Price::from_nanos((exact + 500) / 1000);
    let spot = Price::from_nanos((exact * 7 + 5000) / 10_000);
    let offerings = ZONES
        .iter()
        .flat_map(|zone| {
            [(CapacityType::OnDemand, on_demand), (CapacityType::Spot, spot)].map(
                |(capacity_type, price)| Offering {
                    zone: Some((*zone).into()),
                    ..Offering::new(capacity_type, price)
                },
            )
        })
        .collect();
    InstanceType {
        name: name.into(),
        provider: Provider::Kwok,
        family: Cow::Borrowed(family),
        arch,
        os: vec![Cow::Borrowed(os)],
        memory_bytes,
        allocatable: kwok_allocatable(&capacity),
        capacity,
        labels: labels.into_iter().collect(),
        offerings,
    }
}
