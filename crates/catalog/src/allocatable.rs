//! What is left of a machine for pods, by each provider's published rules, in whole numbers.
//!
//! A node that exists reports its own figures; these are for nodes that do not exist yet. Where a rule leaves a choice
//! the smaller result is taken: a pod that turns out to fit is better than one that turns out not to.
//!
//! | | memory that the guest sees | CPU reserved | memory reserved | pods |
//! |---|---|---|---|---|
//! | EKS | advertised − 7.5 % (arm64: − 64 MiB first) | 6 %, 1 %, 0.5 % ×2, 0.25 % of each further core | 255 MiB + 11 MiB per pod, 100 MiB eviction | by network interfaces |
//! | GKE | advertised − 7 % | as EKS; 1060m on shared-core E2 | 25 % of 4 GiB, 20 % of 4, 10 % of 8, 6 % of 112, 2 % of the rest (255 MiB below 1 GiB), 100 MiB eviction | 110 |
//! | AKS ≥ 1.29 | advertised − 7.5 % | 60m, 40m, 20m ×2, 10m per further core | the smaller of 20 MiB per pod + 50 MiB and a quarter, 100 MiB eviction | 250 (overlay network) |
//! | KWOK | all | 100m | 10 MiB | as given |
//!
//! The 7.5 % and 7 % are the defaults of Karpenter's providers for what hypervisor and kernel take.

use crate::Resources;

const MIB: i64 = 1 << 20;
const GIB: i64 = 1 << 30;

/// Pods per node that GKE allows by default.
pub const GKE_MAX_PODS: i64 = 110;

/// Pods per node on AKS with the overlay network, which is what Karpenter on AKS uses.
pub const AKS_MAX_PODS: i64 = 250;

/// Root volume of an EKS node without block device mappings.
const EKS_DISK: i64 = 20 * GIB;
/// Boot disk of a GKE node by default.
const GKE_DISK: i64 = 100 * GIB;
/// OS disk of an AKS node by default, in decimal gigabytes.
const AKS_DISK: i64 = 128_000_000_000;

/// What the rules start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Virtual CPUs.
    pub vcpu: i64,
    /// Advertised memory.
    pub memory_mib: i64,
    /// Pods per node.
    pub max_pods: i64,
    /// Whether the processor is an Arm.
    pub arm64: bool,
    /// Whether the cores are shared with other machines (GKE: E2 micro, small, medium).
    pub shared_core: bool,
}

impl Shape {
    /// Memory that the guest sees when that many thousandths are lost, in MiB.
    fn visible_mib(self, lost: i64) -> i64 {
        self.memory_mib - ceil_div(self.memory_mib * lost, 1000)
    }
}

/// Capacity and allocatable of an EKS node on Amazon Linux 2023.
pub fn eks_allocatable(shape: Shape) -> (Resources, Resources) {
    // The firmware of Graviton machines keeps 64 MiB to itself.
    let advertised = shape.memory_mib - if shape.arm64 { 64 } else { 0 };
    let memory = Shape { memory_mib: advertised, ..shape }.visible_mib(75);
    let capacity = resources(shape, memory * MIB, EKS_DISK);
    let mut allocatable = capacity.clone();
    allocatable.cpu_milli -= tapering_cpu(shape.vcpu);
    allocatable.memory_bytes = (memory - (11 * shape.max_pods + 255) - 100).max(0) * MIB;
    allocatable.ephemeral_bytes -= GIB + EKS_DISK / 10;
    (capacity, allocatable)
}

/// Capacity and allocatable of a GKE Standard node.
pub fn gke_allocatable(shape: Shape) -> (Resources, Resources) {
    let capacity = resources(shape, shape.visible_mib(70) * MIB, GKE_DISK);
    let mut allocatable = capacity.clone();
    let reserved_cpu = if shape.shared_core { 1060 } else { tapering_cpu(shape.vcpu) };
    allocatable.cpu_milli = (allocatable.cpu_milli - reserved_cpu).max(0);
    let reserved_memory =
        if shape.memory_mib < 1024 { 255 * MIB } else { tapering_memory(shape.memory_mib * MIB) };
    allocatable.memory_bytes = (allocatable.memory_bytes - reserved_memory - 100 * MIB).max(0);
    let system = (GKE_DISK / 2).min(6 * GIB + GKE_DISK * 35 / 100).min(100 * GIB);
    allocatable.ephemeral_bytes -= GKE_DISK / 10 + system;
    (capacity, allocatable)
}

/// Capacity and allocatable of an AKS node of version 1.29 or later.
pub fn aks_allocatable(shape: Shape) -> (Resources, Resources) {
    let capacity = resources(shape, shape.visible_mib(75) * MIB, AKS_DISK);
    let mut allocatable = capacity.clone();
    allocatable.cpu_milli = (allocatable.cpu_milli - aks_cpu(shape.vcpu)).max(0);
    let reserved = (20 * shape.max_pods + 50).min(shape.memory_mib / 4) * MIB;
    allocatable.memory_bytes = (allocatable.memory_bytes - reserved - 100 * MIB).max(0);
    allocatable.ephemeral_bytes -= AKS_DISK / 10;
    (capacity, allocatable)
}

/// Bytes of memory that AKS before 1.29 reserved, eviction threshold included.
pub fn aks_reserved_before_1_29(memory_mib: i64) -> i64 {
    tapering_memory(memory_mib * MIB) + 750 * MIB
}

/// What Karpenter's KWOK provider leaves of a capacity.
pub fn kwok_allocatable(capacity: &Resources) -> Resources {
    Resources {
        cpu_milli: (capacity.cpu_milli - 100).max(0),
        memory_bytes: (capacity.memory_bytes - 10 * MIB).max(0),
        ..capacity.clone()
    }
}

fn resources(shape: Shape, memory_bytes: i64, ephemeral_bytes: i64) -> Resources {
    Resources {
        cpu_milli: shape.vcpu * 1000,
        memory_bytes,
        ephemeral_bytes,
        pods: shape.max_pods,
        extended: Vec::new(),
    }
}

/// 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of the rest, in thousandths.
fn tapering_cpu(cores: i64) -> i64 {
    let within = |from: i64, to: i64| (cores.min(to) - from).max(0);
    within(0, 1) * 60 + within(1, 2) * 10 + within(2, 4) * 5 + within(4, i64::MAX) * 25 / 10
}

/// 60m, 40m, 20m for the third and fourth core, 10m for each further one.
fn aks_cpu(cores: i64) -> i64 {
    let within = |from: i64, to: i64| (cores.min(to) - from).max(0);
    within(0, 1) * 60 + within(1, 2) * 40 + within(2, 4) * 20 + within(4, i64::MAX) * 10
}

/// 25 % of the first 4 GiB, 20 % of the next 4, 10 % of the next 8, 6 % of the next 112, 2 % of the rest.
fn tapering_memory(bytes: i64) -> i64 {
    let within = |from: i64, to: i64| (bytes.min(to) - from).max(0);
    let percents = within(0, 4 * GIB) * 25
        + within(4 * GIB, 8 * GIB) * 20
        + within(8 * GIB, 16 * GIB) * 10
        + within(16 * GIB, 128 * GIB) * 6
        + within(128 * GIB, i64::MAX) * 2;
    ceil_div(percents, 100)
}

fn ceil_div(amount: i64, by: i64) -> i64 {
    amount.div_euclid(by) + i64::from(amount.rem_euclid(by) != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shape(vcpu: i64, gib: i64, max_pods: i64) -> Shape {
        Shape { vcpu, memory_mib: gib * 1024, max_pods, arm64: false, shared_core: false }
    }

    #[test]
    fn eks_reserves_what_karpenters_reference_page_says() {
        // Name, shape, arm64, allocatable millicores, allocatable MiB: rows of the page.
        for (name, vcpu, memory_mib, max_pods, arm64, cpu, memory) in [
            ("a1.2xlarge", 8, 16384, 58, true, 7910, 14103),
            ("a1.4xlarge", 16, 32768, 234, true, 15890, 27322),
            ("m5.large", 2, 8192, 29, false, 1930, 6903),
            ("c5.xlarge", 4, 8192, 58, false, 3920, 6584),
            ("t3.nano", 2, 512, 4, false, 1930, 74),
            ("u-6tb1.112xlarge", 448, 6_291_456, 737, false, 446_810, 5_811_134),
        ] {
            let shape = Shape { vcpu, memory_mib, max_pods, arm64, shared_core: false };
            let (_, allocatable) = eks_allocatable(shape);
            assert_eq!(allocatable.cpu_milli, cpu, "{name}");
            assert_eq!(allocatable.memory_bytes, memory * MIB, "{name}");
            assert_eq!(allocatable.ephemeral_bytes, 17 * GIB, "{name}");
        }
    }

    #[test]
    fn gke_and_aks_reserve_what_their_tables_say() {
        assert_eq!(tapering_memory(4 * GIB), GIB);
        assert_eq!(tapering_memory(16 * GIB), 1024 * MIB + 4 * GIB / 5 + 8 * GIB / 10 + 1);
        let cores = [1, 2, 4, 8, 16, 32, 64];
        assert_eq!(cores.map(aks_cpu), [60, 100, 140, 180, 260, 420, 740]);
        let (capacity, allocatable) = aks_allocatable(shape(2, 8, 30));
        assert_eq!(capacity.memory_bytes - allocatable.memory_bytes, (650 + 100) * MIB);
        let (capacity, allocatable) = aks_allocatable(shape(2, 4, 70));
        assert_eq!(capacity.memory_bytes - allocatable.memory_bytes, (1024 + 100) * MIB);
        let (_, micro) = gke_allocatable(Shape { shared_core: true, ..shape(2, 1, 110) });
        assert_eq!(micro.cpu_milli, 940);
    }

    proptest! {
        #[test]
        fn allocatable_is_between_nothing_and_capacity_and_grows_with_the_machine(
            vcpu in 1_i64..900, mib in 512_i64..30_000_000, pods in 1_i64..1000, arm64 in any::<bool>(),
        ) {
            let small = Shape { vcpu, memory_mib: mib, max_pods: pods, arm64, shared_core: false };
            let large = Shape { vcpu: vcpu + 1, memory_mib: mib + 1024, ..small };
            for rule in [eks_allocatable, gke_allocatable, aks_allocatable] {
                let ((capacity, allocatable), (_, more)) = (rule(small), rule(large));
                prop_assert!(allocatable.cpu_milli > 0 && allocatable.cpu_milli < capacity.cpu_milli);
                prop_assert!(allocatable.memory_bytes >= 0 && allocatable.memory_bytes < capacity.memory_bytes);
                prop_assert!(more.cpu_milli > allocatable.cpu_milli && more.memory_bytes >= allocatable.memory_bytes);
            }
        }
    }
}
