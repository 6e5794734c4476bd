//! Small clusters, written down in a few lines.

use std::sync::Arc;

use restow_catalog::{Adjustments, Catalog, PriceBook};
use restow_consolidation::settings::{Entry, Name, Origin, Resolved, Value, resolve};
use restow_consolidation::{Fleet, Inputs, Outcome, Plan, Verdict};
use restow_model::{
    Condition, DurationOrNever, GoDuration, Labels, Meta, Node, NodeClaim, NodePool, Owner, Phase,
    Pod, PodDisruptionBudget, PodShape, Price, Resources, Selector, Snapshot, Str, Time, Truth,
    Uid, Workload, WorkloadKind,
};
use restow_scheduling::Offers;

pub(crate) const NOW: Time = Time::from_seconds(1_800_000_000);

/// A cluster that is being written down.
pub(crate) struct World {
    pub(crate) snapshot: Snapshot,
    catalog: String,
    settings: Vec<Entry>,
    adjustments: Adjustments,
    uids: u128,
}

pub(crate) fn minutes(count: i64) -> GoDuration {
    GoDuration::from_seconds(60 * count)
}

impl World {
    pub(crate) fn new() -> Self {
        Self {
            snapshot: Snapshot { time: NOW, ..Snapshot::default() },
            catalog: "instance_type,price,capacity_type,zone,cpu,memory,pods\n".to_owned(),
            settings: Vec::new(),
            adjustments: Adjustments::default(),
            uids: 0,
        }
    }

    fn str(&mut self, text: &str) -> Str {
        self.snapshot.strings.intern(text)
    }

    fn labels(&mut self, pairs: &[(&str, &str)]) -> Labels {
        let pairs = pairs.iter().map(|(key, value)| (self.str(key), self.str(value)));
        Labels::new(pairs.collect::<Vec<_>>())
    }

    fn uid(&mut self) -> Uid {
        self.uids += 1;
        Uid(self.uids)
    }

    /// A type on demand, in zone a, with room for 110 pods.
    pub(crate) fn sells(&mut self, name: &str, cpu: &str, memory: &str, price: &str) -> &mut Self {
        self.sells_as(name, cpu, memory, price, "on-demand", "a")
    }

    pub(crate) fn sells_as(
        &mut self,
        name: &str,
        cpu: &str,
        memory: &str,
        price: &str,
        terms: &str,
        zone: &str,
    ) -> &mut Self {
        let line = format!("{name},{price},{terms},{zone},{cpu},{memory},110\n");
        self.catalog.push_str(&line);
        self
    }

    /// A setting, as a flag.
    pub(crate) fn set(&mut self, name: Name, text: &str) -> &mut Self {
        let value = Value::Text(text.to_owned());
        self.settings.push(Entry { pool: None, name, value, origin: Origin::Flag });
        self
    }

    /// A setting of one pool.
    pub(crate) fn set_in(&mut self, pool: &str, name: Name, text: &str) -> &mut Self {
        let value = Value::Text(text.to_owned());
        let pool = Some(pool.to_owned());
        self.settings.push(Entry { pool, name, value, origin: Origin::Flag });
        self
    }

    pub(crate) fn node_fee(&mut self, fee: &str) -> &mut Self {
        self.adjustments.node_fee = fee.parse().unwrap();
        self
    }

    /// A pool that allows everything at once.
    pub(crate) fn pool(&mut self, name: &str) -> &mut NodePool {
        let meta =
            Meta { name: self.str(name), created: NOW.minus(minutes(9999)), ..Meta::default() };
        let mut pool = NodePool { meta, ..NodePool::default() };
        pool.disruption.budgets = Some(Vec::new());
        pool.disruption.consolidate_after = Some(DurationOrNever::After(GoDuration::ZERO));
        self.snapshot.node_pools.push(pool);
        self.snapshot.node_pools.last_mut().unwrap()
    }

    /// A node of a pool, old and quiet.
    pub(crate) fn node(
        &mut self,
        name: &str,
        pool: &str,
        instance_type: &str,
        size: (i64, i64),
    ) -> usize {
        self.node_as(name, pool, instance_type, size, "on-demand", "a")
    }

    pub(crate) fn node_as(
        &mut self,
        name: &str,
        pool: &str,
        instance_type: &str,
        (cpu, gib): (i64, i64),
        terms: &str,
        zone: &str,
    ) -> usize {
        let created = NOW.minus(minutes(1000));
        let labels = self.labels(&[
            ("karpenter.sh/nodepool", pool),
            ("karpenter.sh/initialized", "true"),
            ("karpenter.sh/registered", "true"),
            ("karpenter.sh/capacity-type", terms),
            ("node.kubernetes.io/instance-type", instance_type),
            ("topology.kubernetes.io/zone", zone),
            ("kubernetes.io/hostname", name),
            ("kubernetes.io/arch", "amd64"),
            ("kubernetes.io/os", "linux"),
        ]);
        let allocatable =
            Resources { cpu: cpu * 1000, memory: gib << 30, pods: 110, ..Resources::default() };
        let ready = Condition {
            kind: self.str("Ready"),
            truth: Truth::True,
            reason: Str::EMPTY,
            changed: Some(created),
        };
        let initialized = Condition { kind: self.str("Initialized"), ..ready };
        let consolidatable = Condition { kind: self.str("Consolidatable"), ..ready };
        let provider_id = self.str(&format!("test://{name}"));
        let name_of = self.str(name);
        let uid = self.uid();
        let meta = Meta { name: name_of, created, labels, uid, ..Meta::default() };
        let claim = self.str(&format!("claim-{name}"));
        self.snapshot.node_claims.push(NodeClaim {
            meta: Meta { name: claim, ..meta.clone() },
            node: name_of,
            provider_id,
            capacity: allocatable.clone(),
            allocatable: allocatable.clone(),
            last_pod_event: Some(created),
            conditions: vec![initialized, consolidatable],
            ..NodeClaim::default()
        });
        self.snapshot.nodes.push(Node {
            meta,
            provider_id,
            capacity: allocatable.clone(),
            allocatable,
            conditions: vec![ready],
            ..Node::default()
        });
        self.snapshot.nodes.len() - 1
    }

    pub(crate) fn claim(&mut self, node: usize) -> &mut NodeClaim {
        let name = self.snapshot.nodes[node].meta.name;
        self.snapshot.node_claims.iter_mut().find(|claim| claim.node == name).unwrap()
    }

    /// Ready pods of a deployment on a node, each with this much cpu in thousandths and memory in MiB.
    pub(crate) fn pods(
        &mut self,
        node: usize,
        app: &str,
        count: usize,
        cpu: i64,
        mib: i64,
    ) -> Vec<usize> {
        let shape = PodShape {
            requests: Resources { cpu, memory: mib << 20, pods: 1, ..Resources::default() },
            ..PodShape::default()
        };
        self.pods_of(node, app, "ReplicaSet", count, shape)
    }

    pub(crate) fn pods_of(
        &mut self,
        node: usize,
        app: &str,
        kind: &str,
        count: usize,
        shape: PodShape,
    ) -> Vec<usize> {
        let shape = self.snapshot.shapes.share(shape);
        let labels = self.labels(&[("app", app)]);
        let labels = self.snapshot.labels.share(labels);
        let owner = Owner {
            group: self.str("apps"),
            kind: self.str(kind),
            name: self.str(app),
            uid: Uid(app.bytes().fold(7, |sum, byte| sum * 31 + u128::from(byte))),
        };
        let owner = self.snapshot.owners.share(Some(owner));
        let node = self.snapshot.nodes[node].meta.name;
        let namespace = self.str("web");
        (0..count)
            .map(|_| {
                let uid = self.uid();
                let name = self.str(&format!("{app}-{}", uid.0));
                self.snapshot.pods.push(Pod {
                    namespace,
                    name,
                    uid,
                    labels,
                    owner,
                    shape,
                    node,
                    phase: Phase::Running,
                    ready: true,
                    created: NOW.minus(minutes(900)),
                    scheduled: Some(NOW.minus(minutes(900))),
                    started: Some(NOW.minus(minutes(900))),
                    ..Pod::default()
                });
                self.snapshot.pods.len() - 1
            })
            .collect()
    }

    pub(crate) fn annotate(&mut self, pod: usize, key: &str, value: &str) {
        let labels = self.labels(&[(key, value)]);
        self.snapshot.pods[pod].annotations = self.snapshot.labels.share(labels);
    }

    /// A disruption budget for all pods of an app.
    pub(crate) fn pdb(&mut self, name: &str, app: &str, allowed: i64) -> &mut PodDisruptionBudget {
        let (key, value) = (self.str("app"), self.str(app));
        let selector = Selector(vec![restow_model::SelectorTerm {
            key,
            operator: restow_model::Match::In,
            values: vec![value],
        }]);
        let meta = Meta { namespace: self.str("web"), name: self.str(name), ..Meta::default() };
        self.snapshot.pod_disruption_budgets.push(PodDisruptionBudget {
            meta,
            selector: Some(selector),
            disruptions_allowed: allowed,
            ..PodDisruptionBudget::default()
        });
        self.snapshot.pod_disruption_budgets.last_mut().unwrap()
    }

    pub(crate) fn workload(&mut self, kind: WorkloadKind, name: &str) -> &mut Workload {
        let meta = Meta { namespace: self.str("web"), name: self.str(name), ..Meta::default() };
        self.snapshot.workloads.push(Workload {
            kind,
            meta,
            selector: None,
            template: None,
            desired: 1,
            current: 1,
            ready: 1,
            updated: 1,
            available: 1,
            observed_generation: 1,
            suspended: false,
            ordered: false,
            job: None,
            schedule: Str::EMPTY,
        });
        self.snapshot.workloads.last_mut().unwrap()
    }

    fn book(&self) -> PriceBook {
        let catalog: Catalog =
            restow_catalog::source::read("test.csv", self.catalog.as_bytes()).unwrap();
        PriceBook::new(catalog, self.adjustments.clone())
    }

    fn resolved(&self) -> (Resolved, Vec<Resolved>) {
        let none = |_: Name, _: &str| Err("no YAML in these tests".to_owned());
        resolve(&self.snapshot.node_pools, &self.snapshot.strings, &self.settings, &none)
    }

    /// Asks something of the fleet.
    pub(crate) fn fleet<T>(&mut self, ask: impl FnOnce(&Fleet<'_>, &Arc<Offers>) -> T) -> T {
        let book = self.book();
        let offers = Arc::new(Offers::new(&mut self.snapshot, &book));
        let (cluster, pools) = self.resolved();
        let inputs =
            Inputs { book: &book, cluster: &cluster, pools: &pools, groups: &[], price_age: None };
        ask(&Fleet::new(&self.snapshot, &inputs), &offers)
    }

    pub(crate) fn plan(&mut self) -> Plan {
        self.fleet(|fleet, offers| Plan::new(fleet, offers, &mut || false))
    }

    /// The verdict of a node.
    pub(crate) fn verdict(&mut self, node: usize) -> Verdict {
        self.plan().verdicts[node].clone()
    }

    /// What becomes of a node, and the code of its headline.
    pub(crate) fn outcome(&mut self, node: usize) -> (Outcome, &'static str) {
        let verdict = self.verdict(node);
        (verdict.outcome, verdict.reasons.first().map_or("", restow_consolidation::Reason::code))
    }
}

pub(crate) fn dollars(text: &str) -> Price {
    text.parse().unwrap()
}
