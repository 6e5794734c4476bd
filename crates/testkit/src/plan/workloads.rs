//! The workloads of a cluster: what owns its pods, and what those pods ask for.

use super::nodes::{NodePlan, Room};
use super::{Cluster, names};
use crate::flavor::{Flavor, Pool};
use crate::rng::Rng;

/// What owns a pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    DaemonSet,
    Deployment,
    StatefulSet,
    Job,
    /// Nothing: somebody ran `kubectl run`.
    Nobody,
    /// The node itself: a static pod's mirror.
    Node,
}

impl Owner {
    pub(crate) const COUNT: usize = 6;
}

/// Pods that are alike.
#[derive(Clone, Debug)]
pub(crate) struct Workload {
    pub(crate) owner: Owner,
    /// Index into the cluster's namespaces.
    pub(crate) namespace: usize,
    pub(crate) name: String,
    pub(crate) replicas: u32,
    pub(crate) first_pod: u32,
    pub(crate) request: Room,
    /// Pools that its pods select; empty for any without a taint.
    pub(crate) pool: Option<usize>,
    /// At most one pod per node.
    pub(crate) apart: bool,
    /// At most one pod more in one zone than in another.
    pub(crate) spread: bool,
    /// A zone spread that the scheduler may give up.
    pub(crate) soft_spread: bool,
    pub(crate) priority: Priority,
}

/// The priority classes of the cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Priority {
    None,
    Low,
    High,
    ClusterCritical,
    NodeCritical,
}

impl Priority {
    pub(crate) const NAMED: [Self; 4] =
        [Self::Low, Self::High, Self::ClusterCritical, Self::NodeCritical];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Low => "batch-low",
            Self::High => "business-critical",
            Self::ClusterCritical => "system-cluster-critical",
            Self::NodeCritical => "system-node-critical",
        }
    }

    pub(crate) fn value(self) -> i32 {
        match self {
            Self::None => 0,
            Self::Low => -1000,
            Self::High => 1_000_000,
            Self::ClusterCritical => 2_000_000_000,
            Self::NodeCritical => 2_000_001_000,
        }
    }
}

const KUBE_SYSTEM: usize = 1;
const MONITORING: usize = 2;

/// Daemons of each flavor: name, namespace, milli-cpus, mebibytes.
fn daemon_table(flavor: Flavor) -> &'static [(&'static str, usize, u32, u32)] {
    match flavor {
        Flavor::Karpenter | Flavor::Eks => &[
            ("aws-node", KUBE_SYSTEM, 50, 0),
            ("kube-proxy", KUBE_SYSTEM, 100, 0),
            ("ebs-csi-node", KUBE_SYSTEM, 30, 120),
            ("node-exporter", MONITORING, 50, 64),
        ],
        Flavor::Gke => &[
            ("fluentbit-gke", KUBE_SYSTEM, 100, 200),
            ("gke-metrics-agent", KUBE_SYSTEM, 3, 50),
            ("pdcsi-node", KUBE_SYSTEM, 10, 20),
        ],
        Flavor::Aks => &[
            ("azure-ip-masq-agent", KUBE_SYSTEM, 100, 50),
            ("csi-azuredisk-node", KUBE_SYSTEM, 30, 60),
            ("kube-proxy", KUBE_SYSTEM, 100, 0),
        ],
        Flavor::Plain => {
            &[("calico-node", KUBE_SYSTEM, 250, 0), ("node-exporter", MONITORING, 50, 64)]
        }
    }
}

/// The daemons, and the static pods of GKE, as far as `pods` allows.
pub(crate) fn daemons(
    flavor: Flavor,
    pools: &[Pool],
    nodes: &[NodePlan],
    pods: u32,
) -> Vec<Workload> {
    let mut first_pod = 0;
    let mut all = Vec::new();
    let mut add =
        |owner, (name, namespace, cpu, memory): (&str, usize, u32, u32), pool: Option<usize>| {
            let on = |node: &&NodePlan| pool.is_none_or(|pool| node.pool == pool);
            let replicas = nodes.iter().filter(on).count() as u32;
            if replicas == 0 || first_pod + replicas > pods {
                return;
            }
            let priority =
                if namespace == KUBE_SYSTEM { Priority::NodeCritical } else { Priority::None };
            all.push(Workload {
                owner,
                namespace,
                name: name.to_owned(),
                replicas,
                first_pod,
                request: Room { cpu, memory, ..Room::default() },
                pool,
                apart: false,
                spread: false,
                soft_spread: false,
                priority,
            });
            first_pod += replicas;
        };
    for row in daemon_table(flavor) {
        add(Owner::DaemonSet, *row, None);
    }
    if flavor == Flavor::Gke {
        add(Owner::Node, ("kube-proxy", KUBE_SYSTEM, 100, 0), None);
    }
    if let Some(gpu) = pools.iter().position(|pool| pool.gpu) {
        add(Owner::DaemonSet, ("nvidia-device-plugin", KUBE_SYSTEM, 50, 64), Some(gpu));
    }
    all
}

/// Draws workloads until `pods` pods have an owner. What they ask for is scaled so that they fill the nodes as
/// far as the nodes are meant to be filled.
pub(crate) fn draw(cluster: &mut Cluster, pods: u32, rng: &mut Rng) {
    let scale = Scale::new(cluster, pods);
    let mut first_pod = cluster.workloads.iter().map(|workload| workload.replicas).sum();
    let mean = (pods / 3000).clamp(4, 40);
    let mut used_names = vec![[0_usize; 2]; cluster.namespaces.len()];
    let mut gpus_left = cluster.nodes.iter().map(|node| node.machine.gpus).sum();
    let mut left = pods;
    while left > 0 {
        let owner = [Owner::Deployment, Owner::StatefulSet, Owner::Job, Owner::Nobody]
            [rng.weighted(&[88, 6, 5, 1])];
        // Many small workloads and a few large ones.
        let replicas = match (owner, rng.below(10)) {
            (Owner::Nobody, _) => 1,
            (Owner::StatefulSet, _) => rng.between(1, 5),
            (_, 0..4) => rng.between(1, mean.div_ceil(4) + 1),
            (_, 4..9) => rng.between(2, mean * 2),
            _ => rng.between(mean, mean * 5),
        }
        .min(left);
        let namespace = 3 + rng.below((cluster.namespaces.len() - 3) as u32) as usize;
        let store = owner == Owner::StatefulSet;
        let number = &mut used_names[namespace][usize::from(store)];
        let mut name = names::workload(*number, store);
        *number += 1;
        if owner == Owner::Job {
            name = format!("{name}-{}", 29_912_000 + rng.below(400));
        }
        let pool = choose_pool(cluster, gpus_left, rng);
        let gpu = pool.is_some_and(|pool| cluster.pools[pool].gpu);
        let replicas = if gpu { replicas.min(2).min(gpus_left) } else { replicas };
        if gpu {
            gpus_left -= replicas;
        }
        let long = matches!(owner, Owner::Deployment | Owner::StatefulSet);
        let few = replicas * 4 < cluster.nodes.len() as u32;
        let spread = long && !cluster.flavor.zones().1.is_empty() && rng.permille(250);
        let priority = match (owner, rng.below(100)) {
            (Owner::Job, 0..50) => Priority::Low,
            (_, 0..8) => Priority::High,
            _ => Priority::None,
        };
        cluster.workloads.push(Workload {
            owner,
            namespace,
            name,
            replicas,
            first_pod,
            request: Room { gpus: u32::from(gpu), ..scale.draw(rng) },
            pool,
            apart: long && few && rng.permille(120),
            spread,
            soft_spread: long && !spread && rng.permille(500),
            priority,
        });
        first_pod += replicas;
        left -= replicas;
    }
}

/// The pool that a workload selects, as often as the pool has room; `None` for the pools that are open to all.
fn choose_pool(cluster: &Cluster, gpus_left: u32, rng: &mut Rng) -> Option<usize> {
    let index = rng.weighted(&cluster.pool_room);
    let pool = &cluster.pools[index];
    let possible = cluster.pool_room[index] > 0 && !(pool.gpu && gpus_left == 0);
    (is_chosen(pool) && possible).then_some(index)
}

/// Whether pods have to ask for this pool to get there.
pub(crate) fn is_chosen(pool: &Pool) -> bool {
    pool.taint.is_some() || pool.arch != "amd64"
}

/// What the second container of every pod asks for.
pub(crate) const PROXY: Room = Room { cpu: 10, memory: 32, pods: 0, gpus: 0 };

/// What a pod asks for, so that all of them together fill the nodes as planned.
struct Scale {
    percent: u64,
}

/// Requests of common sizes: milli-cpus, mebibytes.
const SIZES: [(u32, u32); 10] = [
    (50, 96),
    (100, 128),
    (100, 256),
    (200, 256),
    (250, 512),
    (250, 1024),
    (500, 1024),
    (500, 768),
    (1000, 2048),
    (2000, 6144),
];
const WEIGHTS: [u32; 10] = [8, 14, 14, 12, 16, 8, 12, 8, 6, 2];

impl Scale {
    fn new(cluster: &Cluster, pods: u32) -> Self {
        let room = |of: fn(Room) -> u32| -> u64 {
            cluster
                .nodes
                .iter()
                .map(|node| u64::from(of(node.allocatable())) * u64::from(node.fill) / 100)
                .sum()
        };
        let weighted = |of: fn(&(u32, u32)) -> u32| -> u64 {
            SIZES
                .iter()
                .zip(WEIGHTS)
                .map(|(size, weight)| u64::from(of(size) * weight))
                .sum::<u64>()
        };
        let total_weight: u64 = WEIGHTS.iter().map(|weight| u64::from(*weight)).sum();
        let percent = |room: u64, weighted: u64| {
            // Pods that select a small pool need slack in the others.
            room * 78 * total_weight / (weighted * u64::from(pods.max(1))).max(1)
        };
        let cpu = percent(room(|r| r.cpu), weighted(|size| size.0));
        let memory = percent(room(|r| r.memory), weighted(|size| size.1));
        Self { percent: cpu.min(memory).clamp(8, 300) }
    }

    fn draw(&self, rng: &mut Rng) -> Room {
        let (cpu, memory) = SIZES[rng.weighted(&WEIGHTS)];
        let scaled = |amount: u32| (u64::from(amount) * self.percent / 100) as u32;
        Room {
            cpu: round(scaled(cpu), 10) + PROXY.cpu,
            memory: round(scaled(memory), 16) + PROXY.memory,
            ..Room::default()
        }
    }
}

/// Down to a number that somebody would write: a multiple of `unit` that grows with the number.
fn round(amount: u32, unit: u32) -> u32 {
    let step = match amount / unit {
        0..10 => unit,
        10..50 => unit * 5,
        _ => unit * 25,
    };
    (amount / step * step).max(unit)
}
