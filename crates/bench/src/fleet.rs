//! Clusters of any size, made in memory: deployments with log-normal requests and replicas on a mixed fleet.

use restow_catalog::{
    Adjustments, CapacityType, Catalog, InstanceType, Labels as TypeLabels, Offering, PriceBook,
    Provider, Resources as TypeResources, SourceInfo, label,
};
use restow_model::{
    Labels, Match, Meta, Node, NodePolicy, NodePool, Phase, Pod, PodShape, PodTerm, Price,
    Resources, Selector, SelectorTerm, Shared, Snapshot, Spread, Str, Time, Uid,
};
use restow_testkit::Rng;

use crate::history::{self, Wish};

/// What a fleet is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fleet {
    pub(crate) nodes: usize,
    pub(crate) pods: usize,
    /// Share of cpu and memory that pods ask for, in percent.
    pub(crate) utilization: u32,
    /// Percent of deployments that keep their pods on different hosts.
    pub(crate) anti_affinity: u32,
    /// Percent of deployments that spread over zones.
    pub(crate) spread: u32,
    /// One zone, on demand only.
    pub(crate) plain: bool,
    /// Whether the nodes came to be as in a real cluster; then there are about as many as wanted.
    pub(crate) grown: bool,
    pub(crate) seed: u64,
}

pub(crate) const ZONES: [&str; 3] = ["z-a", "z-b", "z-c"];
const TERMS: [CapacityType; 2] = [CapacityType::OnDemand, CapacityType::Spot];
pub(crate) const SIZES: [(&str, i64); 7] = [
    ("large", 2),
    ("xlarge", 4),
    ("2xlarge", 8),
    ("4xlarge", 16),
    ("8xlarge", 32),
    ("12xlarge", 48),
    ("16xlarge", 64),
];
/// Families with GiB per core and thousandths of a dollar per core and hour.
pub(crate) const FAMILIES: [(&str, i64, i64); 9] = [
    ("c6a", 2, 38),
    ("c6i", 2, 42),
    ("c7i", 2, 44),
    ("m6a", 4, 43),
    ("m6i", 4, 48),
    ("m7i", 4, 50),
    ("r6a", 8, 56),
    ("r6i", 8, 63),
    ("r7i", 8, 66),
];

/// What spot capacity costs, in millionths of the list price.
pub(crate) fn spot_share(family: usize, zone: usize, cores: i64) -> i64 {
    280_000 + ((family * 7 + zone * 5 + cores as usize) % 17) as i64 * 10_000
}

/// The catalog: 63 types in three zones, on demand and spot.
pub(crate) fn book() -> PriceBook {
    let mut types = Vec::new();
    for (at, (family, gib, milli)) in FAMILIES.iter().enumerate() {
        for (size, cores) in SIZES {
            let name = format!("{family}.{size}");
            let amount = TypeResources {
                cpu_milli: cores * 1000 - 100,
                memory_bytes: cores * gib * 950 * (1 << 20),
                ephemeral_bytes: 20 << 30,
                pods: (cores * 15).clamp(29, 234),
                extended: Vec::new(),
            };
            let mut own = InstanceType {
                provider: Provider::Other,
                memory_bytes: (cores * gib) << 30,
                arch: "amd64".into(),
                capacity: amount.clone(),
                allocatable: amount,
                labels: TypeLabels::default(),
                ..InstanceType::price_only(&name)
            };
            own.labels.set(label::INSTANCE_TYPE, name.clone());
            own.labels.set(label::ARCH, "amd64");
            for (zone_at, zone) in ZONES.iter().enumerate() {
                for terms in TERMS {
                    let list = Price::from_nanos(cores * milli * 1_000_000);
                    let share = spot_share(at, zone_at, cores);
                    let price = if terms == CapacityType::Spot {
                        list.times_millionths(share)
                    } else {
                        list
                    };
                    let mut offering = Offering::new(terms, price);
                    offering.zone = Some((*zone).into());
                    own.offerings.push(offering);
                }
            }
            types.push(own);
        }
    }
    PriceBook::new(Catalog::new(SourceInfo::named("bench"), types), Adjustments::default())
}

pub(crate) fn normal(rng: &mut Rng) -> f64 {
    // The sum of twelve uniform numbers is close enough.
    (0..12).map(|_| f64::from(rng.below(1_000_000)) / 1e6).sum::<f64>() - 6.0
}

struct Deployment {
    labels: Shared,
    shape: Shared,
    spread: bool,
    anti: bool,
    cpu: i64,
    memory: i64,
}

impl Fleet {
    /// Makes the cluster.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut rng = Rng::new(self.seed);
        let mut snapshot = Snapshot { time: Time::from_millis(0), ..Snapshot::default() };
        let strings = &mut snapshot.strings;
        let [zone_key, terms_key, host_key, app_key, pool_name, ns, running] = [
            label::ZONE,
            label::CAPACITY_TYPE,
            "kubernetes.io/hostname",
            "app",
            "default",
            "apps",
            "default-scheduler",
        ]
        .map(|text| strings.intern(text));
        let mut pool = NodePool::default();
        pool.meta.name = pool_name;
        snapshot.node_pools.push(pool);
        // Deployments, then pods in the order of their deployments.
        let mut pods: Vec<usize> = Vec::new();
        let mut deployments = Vec::new();
        while pods.len() < self.pods {
            let at = deployments.len();
            let replicas =
                ((8.0_f64.ln() + 0.9 * normal(&mut rng)).exp().round() as usize).clamp(1, 400);
            let base = normal(&mut rng);
            let other = 0.45 * base + 0.893 * normal(&mut rng);
            let cpu = round((250.0_f64.ln() + 0.95 * base).exp(), 10).clamp(10, 8000);
            let memory = round((768.0_f64.ln() + 1.05 * other).exp(), 16).clamp(16, 32768) << 20;
            let anti = rng.below(100) < self.anti_affinity;
            let spread = rng.below(100) < self.spread;
            let app = strings.intern(&format!("app-{at:05}"));
            let labels = snapshot.labels.share(Labels::new(vec![(app_key, app)]));
            let selector = Selector(vec![SelectorTerm {
                key: app_key,
                operator: Match::In,
                values: vec![app],
            }]);
            let mut shape = PodShape {
                requests: Resources { cpu, memory, pods: 1, ..Resources::default() },
                scheduler: running,
                ..PodShape::default()
            };
            if anti {
                shape.anti_affinity.push(PodTerm {
                    topology_key: host_key,
                    selector: Some(selector.clone()),
                    namespaces: Vec::new(),
                    namespace_selector: None,
                    match_label_keys: Vec::new(),
                    mismatch_label_keys: Vec::new(),
                });
            }
            if spread {
                shape.spread.push(Spread {
                    topology_key: zone_key,
                    max_skew: 1,
                    required: true,
                    selector: Some(selector),
                    min_domains: None,
                    affinity_policy: NodePolicy::Honor,
                    taints_policy: NodePolicy::Ignore,
                    match_label_keys: Vec::new(),
                });
            }
            // 15 % of deployments live in one zone on demand, 30 % on demand.
            match rng.below(100) {
                _ if self.plain => {
                    let (zone, terms) = (strings.intern(ZONES[0]), strings.intern("on-demand"));
                    shape.node_selector = Labels::new(vec![(zone_key, zone), (terms_key, terms)]);
                }
                0..15 if !spread => {
                    let zone = strings.intern(ZONES[rng.below(3) as usize]);
                    let terms = strings.intern("on-demand");
                    shape.node_selector = Labels::new(vec![(zone_key, zone), (terms_key, terms)]);
                }
                15..45 => {
                    shape.node_selector =
                        Labels::new(vec![(terms_key, strings.intern("on-demand"))]);
                }
                _ => {}
            }
            deployments.push(Deployment {
                labels,
                shape: snapshot.shapes.share(shape),
                spread,
                anti,
                cpu,
                memory,
            });
            pods.extend(std::iter::repeat_n(at, replicas));
        }
        pods.truncate(self.pods);
        if self.grown {
            self.grow(&mut snapshot, &deployments, &pods);
            return snapshot;
        }
        // Nodes: enough of them, of sizes that give the wanted utilization.
        let asked: i64 = pods.iter().map(|at| deployments[*at].cpu).sum();
        let per_node =
            (asked as f64 * 100.0 / f64::from(self.utilization) / self.nodes as f64 / 1000.0)
                .max(2.0);
        let mut free: Vec<(i64, i64, i64)> = Vec::new();
        let mut kinds: Vec<(usize, bool)> = Vec::new();
        for at in 0..self.nodes {
            let family = rng.below(9) as usize;
            let wanted = per_node * (0.6 + 0.8 * f64::from(rng.below(1000)) / 1000.0);
            let off = |size: &usize| ((SIZES[*size].1 as f64 - wanted).abs() * 1000.0) as i64;
            let size = (0..SIZES.len()).min_by_key(off).unwrap_or_default();
            let (mut zone, mut spot) = (rng.below(3) as usize, rng.below(100) < 40);
            if self.plain {
                (zone, spot) = (0, false);
            }
            let node = node(strings, at, (family, size, zone, spot));
            free.push((node.allocatable.cpu, node.allocatable.memory, node.allocatable.pods));
            kinds.push((zone, spot));
            snapshot.nodes.push(node);
        }
        let mut used: Vec<Vec<u32>> = vec![Vec::new(); self.nodes];
        let mut last = 0;
        let mut turn = vec![0_usize; deployments.len()];
        for (number, at) in pods.iter().enumerate() {
            let own = &deployments[*at];
            let selector = &snapshot.shapes[own.shape].node_selector;
            let wants = |key: Str| selector.get(key).map(|value| strings.text(value).to_owned());
            let (wants_zone, wants_terms) = (wants(zone_key), wants(terms_key));
            let zone = own.spread.then(|| turn[*at] % 3);
            // Replicas that came together often went to the same node: 1.7 pods of a kind per node, as measured.
            let near = number > 0
                && pods[number - 1] == *at
                && !own.anti
                && !own.spread
                && rng.below(100) < 55;
            let start = if near { last } else { rng.below(self.nodes as u32) as usize };
            let found = (0..self.nodes).map(|step| (start + step) % self.nodes).find(|node| {
                let (cpu, memory, count) = free[*node];
                let (own_zone, spot) = kinds[*node];
                cpu >= own.cpu
                    && memory >= own.memory
                    && count > 0
                    && zone.is_none_or(|zone| zone == own_zone)
                    && wants_zone.as_deref().is_none_or(|zone| zone == ZONES[own_zone])
                    && (wants_terms.is_none() || !spot)
                    && !(own.anti && used[*node].contains(&(*at as u32)))
            });
            let Some(node) = found else { continue };
            last = node;
            turn[*at] += 1;
            free[node].0 -= own.cpu;
            free[node].1 -= own.memory;
            free[node].2 -= 1;
            used[node].push(*at as u32);
            let name = strings.intern(&format!("pod-{number:06}"));
            snapshot.pods.push(pod(
                ns,
                name,
                number,
                own.labels,
                own.shape,
                snapshot.nodes[node].meta.name,
            ));
        }
        snapshot
    }
}

impl Fleet {
    /// Nodes and pods with a history.
    fn grow(&self, snapshot: &mut Snapshot, deployments: &[Deployment], pods: &[usize]) {
        let mut wishes: Vec<Wish> = Vec::with_capacity(deployments.len());
        let zones = ZONES.map(|zone| snapshot.strings.get(zone));
        let [zone_key, terms_key] =
            [label::ZONE, label::CAPACITY_TYPE].map(|key| snapshot.strings.intern(key));
        for own in deployments {
            let selector = &snapshot.shapes[own.shape].node_selector;
            let zone = selector.get(zone_key);
            wishes.push(Wish {
                cpu: own.cpu,
                memory: own.memory,
                replicas: 0,
                zone: zone.and_then(|zone| zones.iter().position(|own| *own == Some(zone))),
                on_demand: selector.get(terms_key).is_some(),
            });
        }
        for at in pods {
            wishes[*at].replicas += 1;
        }
        let mut number = 0;
        for (at, own) in history::grow(&wishes, self.plain, self.seed).iter().enumerate() {
            let kind = (own.family, own.size, own.zone, own.spot);
            let node = node(&mut snapshot.strings, at, kind);
            let name = node.meta.name;
            snapshot.nodes.push(node);
            for at in &own.pods {
                let own = &deployments[*at];
                let (ns, text) = ("apps", format!("pod-{number:06}"));
                let [ns, pod_name] = [ns, &text].map(|text| snapshot.strings.intern(text));
                snapshot.pods.push(pod(ns, pod_name, number, own.labels, own.shape, name));
                number += 1;
            }
        }
    }
}

/// A node of a family and size, in a zone.
fn node(
    strings: &mut restow_model::Strings,
    at: usize,
    (family, size, zone, spot): (usize, usize, usize, bool),
) -> Node {
    let name = strings.intern(&format!("node-{at:05}"));
    let [cpu, memory, pods] = history::amounts(family, size);
    let amount = Resources { cpu, memory, pods, ..Resources::default() };
    let of_type = format!("{}.{}", FAMILIES[family].0, SIZES[size].0);
    let terms = if spot { "spot" } else { "on-demand" };
    let labels = [
        (label::ZONE, ZONES[zone]),
        (label::CAPACITY_TYPE, terms),
        (label::INSTANCE_TYPE, &of_type),
        ("kubernetes.io/hostname", &format!("node-{at:05}")),
        (label::NODE_POOL, "default"),
    ];
    let labels = labels.map(|(key, value)| (strings.intern(key), strings.intern(value)));
    Node {
        meta: Meta {
            name,
            labels: Labels::new(labels.to_vec()),
            uid: Uid(at as u128 + 1),
            ..Meta::default()
        },
        capacity: amount.clone(),
        allocatable: amount,
        ..Node::default()
    }
}

fn round(value: f64, step: i64) -> i64 {
    (value / step as f64).round() as i64 * step
}

/// A running pod.
pub(crate) fn pod(
    namespace: Str,
    name: Str,
    number: usize,
    labels: Shared,
    shape: Shared,
    node: Str,
) -> Pod {
    Pod {
        namespace,
        name,
        uid: Uid(number as u128 + 1),
        labels,
        shape,
        node,
        phase: if node.is_empty() { Phase::Pending } else { Phase::Running },
        ready: true,
        unschedulable: node.is_empty(),
        ..Pod::default()
    }
}
