//! Clusters for tests, built by hand.

use restow_catalog::{
    Adjustments, CapacityType, Catalog, InstanceType, Offering, PriceBook, SourceInfo,
};
use restow_model::{
    Condition, Effect, Labels, Node, NodeClaim, Owner, Phase, Pod, PodShape, Resources, Shared,
    Snapshot, Str, Taint, Time, Truth, Uid,
};

use crate::fleet::Fleet;
use crate::options::FleetOptions;

pub(crate) const GI: i64 = 1 << 30;

/// 2026-11-15T12:00:00Z.
pub(crate) const NOW: Time = Time::from_seconds(1_794_744_000);

/// A snapshot in the making.
pub(crate) struct Cluster(pub(crate) Snapshot);

pub(crate) fn cluster() -> Cluster {
    Cluster(Snapshot { time: NOW, ..Snapshot::default() })
}

impl Cluster {
    pub(crate) fn str(&mut self, text: &str) -> Str {
        self.0.strings.intern(text)
    }

    fn pairs(&mut self, pairs: &[(&str, &str)]) -> Labels {
        Labels::new(pairs.iter().map(|(key, value)| (self.str(key), self.str(value))).collect())
    }

    /// A ready node of 4 cores, 16 Gi and 58 pods, five days old.
    pub(crate) fn node(mut self, name: &str, labels: &[(&str, &str)]) -> Self {
        let size =
            Resources { cpu: 4000, memory: 16 * GI, pods: 58, ephemeral: 0, others: Vec::new() };
        let mut node = Node { capacity: size.clone(), allocatable: size, ..Node::default() };
        node.meta.name = self.str(name);
        node.meta.labels = self.pairs(labels);
        node.meta.created = Time::from_seconds(NOW.seconds() - 5 * 86_400);
        node.kubelet = self.str("v1.33.1");
        self.0.nodes.push(node);
        self.ready(Truth::True)
    }

    /// An EKS node of a Karpenter pool.
    pub(crate) fn karpenter(
        self,
        name: &str,
        pool: &str,
        kind: &str,
        zone: &str,
        terms: &str,
    ) -> Self {
        self.node(
            name,
            &[
                ("karpenter.sh/nodepool", pool),
                ("karpenter.sh/initialized", "true"),
                ("karpenter.sh/capacity-type", terms),
                ("node.kubernetes.io/instance-type", kind),
                ("topology.kubernetes.io/zone", zone),
                ("topology.kubernetes.io/region", "us-east-1"),
                ("kubernetes.io/arch", "amd64"),
            ],
        )
    }

    /// Changes the last node.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Node)) -> Self {
        change(self.0.nodes.last_mut().unwrap());
        self
    }

    pub(crate) fn ready(mut self, truth: Truth) -> Self {
        let kind = self.str("Ready");
        let changed = Some(Time::from_seconds(NOW.seconds() - 300));
        self.with(|node| {
            node.conditions = vec![Condition { kind, truth, reason: Str::EMPTY, changed }];
        })
    }

    pub(crate) fn taint(mut self, key: &str) -> Self {
        let key = self.str(key);
        self.with(|node| {
            node.taints.push(Taint { key, value: Str::EMPTY, effect: Effect::NoSchedule });
        })
    }

    pub(crate) fn annotate(mut self, key: &str, value: &str) -> Self {
        let annotations = self.pairs(&[(key, value)]);
        self.with(|node| node.meta.annotations = annotations)
    }

    pub(crate) fn devices(mut self, name: &str, count: i64) -> Self {
        let name = self.str(name);
        self.with(|node| {
            node.capacity.others.push((name, count));
            node.allocatable.others.push((name, count));
        })
    }

    /// A claim with these conditions for a node, or for none.
    pub(crate) fn claim(mut self, node: &str, conditions: &[&str]) -> Self {
        let mut claim = NodeClaim { node: self.str(node), ..NodeClaim::default() };
        claim.conditions = conditions
            .iter()
            .map(|kind| {
                let kind = self.str(kind);
                Condition { kind, truth: Truth::True, reason: Str::EMPTY, changed: None }
            })
            .collect();
        self.0.node_claims.push(claim);
        self
    }

    /// A running pod of a replica set; an empty node is none.
    pub(crate) fn pod(self, node: &str, milli: i64, memory: i64) -> Self {
        self.pod_of("ReplicaSet", node, milli, memory)
    }

    pub(crate) fn pods(mut self, count: usize, node: &str, milli: i64, memory: i64) -> Self {
        for _ in 0..count {
            self = self.pod(node, milli, memory);
        }
        self
    }

    /// A pod whose controller is of this kind.
    pub(crate) fn pod_of(mut self, kind: &str, node: &str, milli: i64, memory: i64) -> Self {
        let requests = Resources { cpu: milli, memory, pods: 1, ..Resources::default() };
        let shape = self.0.shapes.share(PodShape { requests, ..PodShape::default() });
        let (kind, node) = (self.str(kind), self.str(node));
        let owner = Some(Owner { group: Str::EMPTY, kind, name: kind, uid: Uid::default() });
        let name = format!("pod-{}", self.0.pods.len());
        let pod = Pod {
            namespace: self.str("default"),
            name: self.str(&name),
            uid: Uid::default(),
            labels: Shared(0),
            annotations: Shared(0),
            owner: self.0.owners.share(owner),
            shape,
            volumes: Shared(0),
            node,
            nominated_node: Str::EMPTY,
            phase: if node.is_empty() { Phase::Pending } else { Phase::Running },
            ready: true,
            unschedulable: false,
            created: NOW,
            deleted: None,
            scheduled: None,
            started: None,
            ready_changed: None,
            finished: None,
            held: None,
        };
        self.0.pods.push(pod);
        self
    }

    /// Changes the last pod.
    pub(crate) fn with_pod(mut self, change: impl FnOnce(&mut Pod)) -> Self {
        change(self.0.pods.last_mut().unwrap());
        self
    }

    pub(crate) fn fleet(&self, options: &FleetOptions) -> Fleet {
        Fleet::new(&self.0, &book(), options)
    }
}

/// Three types in us-east-1: on demand for the whole region, spot for zone ids that no node has.
pub(crate) fn book() -> PriceBook {
    let offering = |terms, price: &str, zone_id: Option<&str>| Offering {
        region: Some("us-east-1".into()),
        zone_id: zone_id.map(Into::into),
        ..Offering::new(terms, price.parse().unwrap())
    };
    let kind = |name: &str, price: &str, spot: [&str; 2]| {
        let mut kind = InstanceType::price_only(name);
        kind.offerings = vec![
            offering(CapacityType::OnDemand, price, None),
            offering(CapacityType::Spot, spot[0], Some("use1-az1")),
            offering(CapacityType::Spot, spot[1], Some("use1-az2")),
        ];
        kind
    };
    let source = SourceInfo {
        name: "aws:us-east-1".into(),
        date: Some("2026-07-20".into()),
        spot_date: Some("2026-07-21".into()),
    };
    let types = vec![
        kind("m6i.xlarge", "0.192", ["0.0711", "0.0702"]),
        kind("m6i.2xlarge", "0.384", ["0.15", "0.14"]),
        kind("g5.xlarge", "1.006", ["0.4", "0.41"]),
    ];
    PriceBook::new(Catalog::new(source, types), Adjustments::default())
}

/// Three pools, all kinds of trouble, and a GPU.
pub(crate) fn sample() -> Cluster {
    let (general, batch) = ("general", "batch");
    let mut cluster = cluster()
        .karpenter("ip-10-40-0-1.ec2.internal", general, "m6i.xlarge", "us-east-1a", "on-demand")
        .karpenter("ip-10-40-0-2.ec2.internal", general, "m6i.xlarge", "us-east-1b", "on-demand")
        .annotate("karpenter.sh/do-not-disrupt", "true")
        .karpenter("ip-10-40-12-101.ec2.internal", batch, "m6i.xlarge", "us-east-1b", "spot")
        .taint("karpenter.sh/disrupted")
        .karpenter("ip-10-40-12-7.ec2.internal", batch, "x9.metal", "us-east-1c", "spot")
        .ready(Truth::Unknown)
        .karpenter("ip-10-40-9-9.ec2.internal", "gpu", "g5.xlarge", "us-east-1a", "on-demand")
        .devices("nvidia.com/gpu", 4)
        .devices("vpc.amazonaws.com/pod-eni", 18)
        .with(|node| node.unschedulable = true);
    for (node, pods) in [("0-1", 9), ("0-2", 5), ("12-101", 6), ("12-7", 0), ("9-9", 2)] {
        let name = format!("ip-10-40-{node}.ec2.internal");
        cluster = cluster.pods(pods, &name, 400, GI).pod_of("DaemonSet", &name, 350, GI);
    }
    cluster = cluster.pod("", 100, GI).with_pod(|pod| pod.unschedulable = true);
    cluster.pod("ip-10-40-0-1.ec2.internal", 1000, GI).with_pod(|pod| pod.phase = Phase::Succeeded)
}
