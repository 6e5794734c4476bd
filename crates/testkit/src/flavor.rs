//! What differs between the providers: machines, zones, pools.

use crate::rng::Rng;

/// Whose cluster it looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavor {
    /// EKS with Karpenter: NodePools and NodeClaims, many instance types.
    Karpenter,
    /// EKS with managed node groups.
    Eks,
    /// GKE with node pools.
    Gke,
    /// AKS with agent pools.
    Aks,
    /// No provider: no zones, no instance types.
    Plain,
}

impl Flavor {
    /// Every flavor with its name on the command line.
    pub const ALL: [(&'static str, Self); 5] = [
        ("karpenter", Self::Karpenter),
        ("eks", Self::Eks),
        ("gke", Self::Gke),
        ("aks", Self::Aks),
        ("plain", Self::Plain),
    ];

    /// The region and its zones, with the provider's own ids of them; no zones without a provider.
    pub(crate) fn zones(self) -> (&'static str, &'static [(&'static str, &'static str)]) {
        match self {
            Self::Karpenter | Self::Eks => (
                "us-east-1",
                &[
                    ("us-east-1a", "use1-az4"),
                    ("us-east-1b", "use1-az6"),
                    ("us-east-1c", "use1-az1"),
                ],
            ),
            Self::Gke => (
                "us-central1",
                &[("us-central1-a", ""), ("us-central1-b", ""), ("us-central1-c", "")],
            ),
            Self::Aks => ("eastus", &[("eastus-1", ""), ("eastus-2", ""), ("eastus-3", "")]),
            Self::Plain => ("", &[]),
        }
    }

    /// The pools that nodes come from.
    pub(crate) fn pools(self) -> Vec<Pool> {
        use Capacity::{Mixed, OnDemand, Spot};
        let pool = |name, families, capacity, share| Pool {
            name,
            families,
            capacity,
            share,
            arch: "amd64",
            taint: None,
            gpu: false,
        };
        let batch = Some(("dedicated", "batch"));
        let gpu = Some(("nvidia.com/gpu", "true"));
        match self {
            Self::Karpenter => vec![
                pool("general", &["m6i", "m6a", "c6i", "c6a", "r6i", "m5"], Mixed, 64),
                Pool { taint: batch, ..pool("batch", &["c6i", "c6a", "m6a", "c5"], Spot, 18) },
                Pool {
                    arch: "arm64",
                    ..pool("graviton", &["m7g", "c7g", "r7g", "m6g"], Mixed, 16)
                },
                Pool { gpu: true, taint: gpu, ..pool("gpu", &["g5"], OnDemand, 2) },
            ],
            Self::Eks => vec![
                pool("general-m6i", &["m6i"], OnDemand, 45),
                pool("memory-r6i", &["r6i"], OnDemand, 20),
                Pool { taint: batch, ..pool("batch-spot", &["c6a"], Spot, 20) },
                Pool { arch: "arm64", ..pool("graviton", &["m7g"], OnDemand, 15) },
            ],
            Self::Gke => vec![
                pool("default-pool", &["e2-standard"], OnDemand, 45),
                pool("high-memory", &["n2-highmem"], OnDemand, 20),
                Pool { taint: batch, ..pool("batch-spot", &["n2d-standard"], Spot, 20) },
                Pool { arch: "arm64", ..pool("arm", &["t2a-standard"], OnDemand, 15) },
            ],
            Self::Aks => vec![
                pool("system", &["D?s_v5"], OnDemand, 45),
                pool("memory", &["E?s_v5"], OnDemand, 20),
                Pool { taint: batch, ..pool("spot", &["D?as_v5"], Spot, 20) },
                Pool { arch: "arm64", ..pool("arm", &["D?ps_v5"], OnDemand, 15) },
            ],
            Self::Plain => vec![pool("worker", &["m"], OnDemand, 100)],
        }
    }
}

/// How machines of a pool are bought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capacity {
    OnDemand,
    Spot,
    Mixed,
}

/// A set of nodes that are made alike.
#[derive(Clone, Debug)]
pub(crate) struct Pool {
    pub(crate) name: &'static str,
    pub(crate) families: &'static [&'static str],
    pub(crate) capacity: Capacity,
    /// Percent of the nodes.
    pub(crate) share: u32,
    pub(crate) arch: &'static str,
    /// Key and value of a `NoSchedule` taint.
    pub(crate) taint: Option<(&'static str, &'static str)>,
    pub(crate) gpu: bool,
}

/// An instance type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    pub(crate) name: String,
    pub(crate) family: &'static str,
    pub(crate) size: String,
    pub(crate) cpus: u32,
    pub(crate) gibibytes: u32,
    pub(crate) max_pods: u32,
    pub(crate) gpus: u32,
}

impl Machine {
    /// A machine for a pool, large enough on average for `pods_per_node`.
    pub(crate) fn draw(flavor: Flavor, pool: &Pool, pods_per_node: u32, rng: &mut Rng) -> Self {
        let weights: [u32; 7] = match pods_per_node {
            0..=20 => [15, 30, 30, 20, 5, 0, 0],
            21..=50 => [0, 10, 30, 40, 15, 5, 0],
            51..=120 => [0, 0, 0, 50, 30, 15, 5],
            _ => [0, 0, 0, 0, 0, 0, 1],
        };
        let size = if pool.gpu { 1 + rng.below(2) as usize } else { rng.weighted(&weights) };
        Self::new(flavor, rng.pick::<&'static str>(pool.families), size, pool.gpu, pods_per_node)
    }

    fn new(
        flavor: Flavor,
        family: &'static str,
        size: usize,
        gpu: bool,
        pods_per_node: u32,
    ) -> Self {
        let cpus = [2, 4, 8, 16, 32, 48, 64][size];
        let per_cpu = match family.as_bytes()[0] {
            b'c' => 2,
            b'r' | b'E' => 8,
            _ if family.ends_with("highmem") => 8,
            _ => 4,
        };
        let everywhere = if pods_per_node > 80 { 250 } else { 110 };
        let (name, size, max_pods) = match flavor {
            Flavor::Karpenter | Flavor::Eks => {
                let size_name =
                    ["large", "xlarge", "2xlarge", "4xlarge", "8xlarge", "12xlarge", "16xlarge"]
                        [size];
                // What the network interfaces of that size carry.
                let pods = [29, 58, 58, 234, 234, 234, 737][size];
                (format!("{family}.{size_name}"), size_name.to_owned(), pods)
            }
            Flavor::Gke => (format!("{family}-{cpus}"), cpus.to_string(), everywhere),
            Flavor::Aks => (
                format!("Standard_{}", family.replace('?', &cpus.to_string())),
                cpus.to_string(),
                everywhere,
            ),
            Flavor::Plain => (String::new(), String::new(), everywhere),
        };
        let gpus = u32::from(gpu);
        Self { name, family, size, cpus, gibibytes: cpus * per_cpu, max_pods, gpus }
    }

    /// Milli-cpus that pods may ask for.
    pub(crate) fn allocatable_cpu(&self) -> u32 {
        // The kubelet's reserve: 6 % of the first cpu, 1 % of the second, 0.5 % of two more, 0.25 % of the rest.
        let rest = self.cpus.saturating_sub(4) * 5 / 2;
        self.cpus * 1000 - 70 - 10 * u32::from(self.cpus >= 4) - rest
    }

    /// Memory of the machine in kibibytes, less what firmware and kernel take.
    pub(crate) fn capacity_kibibytes(&self) -> u64 {
        let all = u64::from(self.gibibytes) << 20;
        all - all / 22
    }

    /// Memory that pods may ask for, in kibibytes.
    pub(crate) fn allocatable_kibibytes(&self) -> u64 {
        let reserved = u64::from(255 + 11 * self.max_pods + 100) << 10;
        self.capacity_kibibytes().saturating_sub(reserved.min(self.capacity_kibibytes() / 4))
    }
}
