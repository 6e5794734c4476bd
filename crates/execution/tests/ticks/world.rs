//! Small clusters, written down in a few lines, and the loop that looks at them.

use std::collections::BTreeMap;
use std::sync::Arc;

use restow_catalog::{Adjustments, PriceBook};
use restow_consolidation::Inputs;
use restow_consolidation::settings::{Entry, Name, Origin, Resolved, Value, resolve};
use restow_execution::invariants::Step;
use restow_execution::{
    Action, Changes, Execution, Happened, Invariants, Observed, Policy, Record, Violation,
};
use restow_model::{
    Condition, DurationOrNever, GoDuration, Labels, Meta, Node, NodeClaim, NodePool, Owner, Phase,
    Pod, PodDisruptionBudget, PodShape, Resources, Selector, Snapshot, Str, Taint, Time, Truth,
    Uid,
};
use restow_scheduling::Offers;

pub(super) const START: Time = Time::from_seconds(1_800_000_000);

/// What is sold: type, cpu, GiB, dollars.
pub(super) const TYPES: [(&str, i64, i64, &str); 3] =
    [("small", 2, 8, "0.10"), ("medium", 4, 16, "0.20"), ("large", 8, 32, "0.40")];

/// A cluster with the loop that looks at it.
pub(super) struct World {
    pub(super) snapshot: Snapshot,
    pub(super) execution: Execution,
    pub(super) invariants: Invariants,
    pub(super) written: BTreeMap<String, Record>,
    pub(super) paused: bool,
    /// Who counts changes says so.
    pub(super) changed: Option<Changes>,
    pub(super) settings: Vec<Entry>,
    pub(super) book: PriceBook,
    pub(super) offers: Option<Arc<Offers>>,
    pub(super) uids: u128,
    /// When claims were asked for, and what as.
    pub(super) asked: BTreeMap<String, (Time, String)>,
    /// Types that cannot be had, and those whose nodes never get ready.
    pub(super) sold_out: Vec<String>,
}

pub(super) fn seconds(count: i64) -> GoDuration {
    GoDuration::from_seconds(count)
}

pub(super) fn gib(count: i64) -> i64 {
    count << 30
}

impl World {
    /// A cluster with the pool `default`, which is acted on, and nothing in it.
    pub(super) fn new() -> Self {
        let line = |(name, cpu, memory, price): (&str, i64, i64, &str)| {
            format!("{name},{price},on-demand,a,{cpu},{memory}Gi,110")
        };
        let mut lines = vec!["instance_type,price,capacity_type,zone,cpu,memory,pods".to_owned()];
        lines.extend(TYPES.map(line));
        let catalog = lines.join("\n");
        let catalog = restow_catalog::source::read("test.csv", catalog.as_bytes()).unwrap();
        let mut world = Self {
            snapshot: Snapshot { time: START, ..Snapshot::default() },
            execution: Execution::default(),
            invariants: Invariants::default(),
            written: BTreeMap::new(),
            paused: false,
            changed: None,
            settings: Vec::new(),
            book: PriceBook::new(catalog, Adjustments::default()),
            offers: None,
            uids: 0,
            asked: BTreeMap::new(),
            sold_out: Vec::new(),
        };
        for (name, text) in [
            (Name::Mode, "act"),
            (Name::MinimumNodeLifetime, "0s"),
            (Name::StabilizationWindow, "0s"),
            (Name::WorkloadFloor, "off"),
            (Name::Effort, "2000"),
        ] {
            world.set(name, text);
        }
        world.pool("default");
        world
    }

    pub(super) fn now(&self) -> Time {
        self.snapshot.time
    }

    pub(super) fn str(&mut self, text: &str) -> Str {
        self.snapshot.strings.intern(text)
    }

    pub(super) fn labels(&mut self, pairs: &[(&str, &str)]) -> Labels {
        let pairs = pairs.iter().map(|(key, value)| (self.str(key), self.str(value)));
        Labels::new(pairs.collect::<Vec<_>>())
    }

    pub(super) fn uid(&mut self) -> Uid {
        self.uids += 1;
        Uid(self.uids)
    }

    pub(super) fn set(&mut self, name: Name, text: &str) -> &mut Self {
        let value = Value::Text(text.to_owned());
        // A flag for it is said to the process only.
        let origin = if name == Name::Mode { Origin::WhatIf } else { Origin::Flag };
        self.settings.push(Entry { pool: None, name, value, origin });
        self
    }

    /// A setting that is more than text.
    pub(super) fn set_value(&mut self, name: Name, value: Value) {
        self.settings.push(Entry { pool: None, name, value, origin: Origin::Flag });
    }

    /// A pool that allows everything at once.
    pub(super) fn pool(&mut self, name: &str) -> &mut NodePool {
        let meta = Meta { name: self.str(name), ..Meta::default() };
        let mut pool = NodePool { meta, ..NodePool::default() };
        pool.disruption.budgets = Some(Vec::new());
        pool.disruption.consolidate_after = Some(DurationOrNever::After(GoDuration::ZERO));
        self.snapshot.node_pools.push(pool);
        self.snapshot.node_pools.last_mut().unwrap()
    }

    pub(super) fn condition(&mut self, kind: &str, changed: Time) -> Condition {
        let kind = self.str(kind);
        Condition { kind, truth: Truth::True, reason: Str::EMPTY, changed: Some(changed) }
    }

    /// A claim without a node.
    pub(super) fn add_claim(&mut self, name: &str, pool: &str, created: Time) -> usize {
        let labels = self.labels(&[("karpenter.sh/nodepool", pool)]);
        let meta =
            Meta { name: self.str(name), uid: self.uid(), created, labels, ..Meta::default() };
        self.snapshot.node_claims.push(NodeClaim { meta, ..NodeClaim::default() });
        self.snapshot.node_claims.len() - 1
    }

    /// The node of a claim, ready since then.
    pub(super) fn add_node(&mut self, claim: usize, name: &str, kind: &str, since: Time) {
        let (_, cpu, memory, _) = *TYPES.iter().find(|own| own.0 == kind).unwrap();
        let pool_key = self.str("karpenter.sh/nodepool");
        let pool = self.snapshot.node_claims[claim].meta.labels.get(pool_key).unwrap();
        let pool = self.snapshot.text(pool).to_owned();
        let labels = self.labels(&[
            ("karpenter.sh/nodepool", &pool),
            ("karpenter.sh/initialized", "true"),
            ("karpenter.sh/registered", "true"),
            ("karpenter.sh/capacity-type", "on-demand"),
            ("node.kubernetes.io/instance-type", kind),
            ("topology.kubernetes.io/zone", "a"),
            ("kubernetes.io/hostname", name),
            ("kubernetes.io/arch", "amd64"),
            ("kubernetes.io/os", "linux"),
        ]);
        let allocatable =
            Resources { cpu: cpu * 1000, memory: gib(memory), pods: 110, ..Resources::default() };
        let node = self.str(name);
        let provider_id = self.str(&format!("test://{name}"));
        let ready = self.condition("Ready", since);
        let conditions =
            vec![self.condition("Launched", since), self.condition("Initialized", since)];
        let uid = self.uid();
        let own = &mut self.snapshot.node_claims[claim];
        own.meta.labels = labels.clone();
        (own.node, own.provider_id) = (node, provider_id);
        (own.capacity, own.allocatable) = (allocatable.clone(), allocatable.clone());
        own.conditions = conditions;
        self.snapshot.nodes.push(Node {
            meta: Meta { name: node, created: since, labels, uid, ..Meta::default() },
            provider_id,
            capacity: allocatable.clone(),
            allocatable,
            conditions: vec![ready],
            ..Node::default()
        });
    }

    /// An old node of a pool, by its type.
    pub(super) fn node_in(&mut self, pool: &str, name: &str, kind: &str) {
        let since = START.minus(seconds(100_000));
        let claim = self.add_claim(&format!("claim-{name}"), pool, since);
        self.add_node(claim, name, kind, since);
    }

    pub(super) fn node(&mut self, name: &str, kind: &str) {
        self.node_in("default", name, kind);
    }

    /// Ready pods of an app on a node, or pods that wait if it has no name; each with this much cpu, in thousandths.
    pub(super) fn pods(&mut self, node: &str, app: &str, count: usize, cpu: i64) {
        let created = if node.is_empty() { self.now() } else { START.minus(seconds(90_000)) };
        for _ in 0..count {
            let shape = PodShape {
                requests: Resources { cpu, memory: gib(1), pods: 1, ..Resources::default() },
                ..PodShape::default()
            };
            let labels = self.labels(&[("app", app)]);
            let owner = Owner {
                group: self.str("apps"),
                kind: self.str("ReplicaSet"),
                name: self.str(app),
                uid: Uid::new(app),
            };
            let uid = self.uid();
            let pod = Pod {
                namespace: self.str("web"),
                name: self.str(&format!("{app}-{}", uid.0)),
                uid,
                labels: self.snapshot.labels.share(labels),
                owner: self.snapshot.owners.share(Some(owner)),
                shape: self.snapshot.shapes.share(shape),
                created,
                phase: Phase::Pending,
                ..Pod::default()
            };
            self.snapshot.pods.push(pod);
            if !node.is_empty() {
                self.bind(self.snapshot.pods.len() - 1, node, created);
            }
        }
    }

    pub(super) fn bind(&mut self, pod: usize, node: &str, at: Time) {
        let node = self.str(node);
        let own = &mut self.snapshot.pods[pod];
        (own.node, own.phase, own.ready, own.unschedulable) = (node, Phase::Running, true, false);
        (own.scheduled, own.started) = (Some(at), Some(at));
    }

    pub(super) fn pdb(&mut self, app: &str, allowed: i64) {
        let (key, value) = (self.str("app"), self.str(app));
        let operator = restow_model::Match::In;
        let term = restow_model::SelectorTerm { key, operator, values: vec![value] };
        let meta = Meta { namespace: self.str("web"), name: self.str(app), ..Meta::default() };
        self.snapshot.pod_disruption_budgets.push(PodDisruptionBudget {
            meta,
            selector: Some(Selector(vec![term])),
            disruptions_allowed: allowed,
            ..PodDisruptionBudget::default()
        });
    }

    fn resolved(&self) -> (Resolved, Vec<Resolved>) {
        let read = |_: Name, _: &str| Err("no YAML in these tests".to_owned());
        resolve(&self.snapshot.node_pools, &self.snapshot.strings, &self.settings, &read)
    }

    /// Looks at a cluster as somebody saw it, and holds the answer against what must hold.
    pub(super) fn look(&mut self, seen: &Snapshot) -> Vec<Action> {
        if self.offers.is_none() {
            self.offers = Some(Arc::new(Offers::new(&mut self.snapshot, &self.book)));
        }
        let offers = Arc::clone(self.offers.as_ref().unwrap());
        let (cluster, pools) = self.resolved();
        let faults: Vec<_> = pools.iter().flat_map(|own| &own.faults).collect();
        assert!(faults.is_empty(), "{faults:?}");
        let inputs = Inputs {
            book: &self.book,
            cluster: &cluster,
            pools: &pools,
            groups: &[],
            price_age: None,
        };
        let policy = Policy { inputs, offers: &offers };
        let now = self.snapshot.time;
        let observed = Observed { snapshot: seen, paused: self.paused, changed: self.changed };
        let actions = self.execution.tick(now, &observed, &policy);
        let records = self.execution.records();
        let step = Step { now, seen, actions: &actions, records, policy: &policy };
        let violations = self.invariants.check(&step);
        assert_eq!(violations, [], "{actions:?}");
        actions
    }

    /// What is wrong with an answer that nobody gave.
    pub(super) fn check(&mut self, actions: &[Action], records: &[Record]) -> Vec<Violation> {
        let offers = Arc::clone(self.offers.as_ref().unwrap());
        let (cluster, pools) = self.resolved();
        let (book, groups) = (&self.book, &[]);
        let inputs = Inputs { book, cluster: &cluster, pools: &pools, groups, price_age: None };
        let policy = Policy { inputs, offers: &offers };
        let (now, seen) = (self.snapshot.time, &self.snapshot);
        self.invariants.check(&Step { now, seen, actions, records, policy: &policy })
    }

    /// Looks at the cluster as it is, and does what is asked.
    pub(super) fn tick(&mut self) -> Vec<Action> {
        if self.offers.is_none() {
            self.offers = Some(Arc::new(Offers::new(&mut self.snapshot, &self.book)));
        }
        let seen = self.snapshot.clone();
        let actions = self.look(&seen);
        for action in &actions {
            self.act(action);
        }
        actions
    }

    /// Looks again and again; returns what happened.
    pub(super) fn run(&mut self, span: i64, every: i64) -> Vec<Happened> {
        let mut happened = Vec::new();
        for _ in 0..span / every {
            let notes = self.tick().into_iter().filter_map(|own| match own {
                Action::Note(own) => Some(own),
                _ => None,
            });
            happened.extend(notes);
            self.pass(every);
        }
        happened
    }

    pub(super) fn taints(&self, node: &Node) -> Vec<String> {
        node.taints.iter().map(|own: &Taint| self.snapshot.text(own.key).to_owned()).collect()
    }

    /// The names of the nodes, in order.
    pub(super) fn nodes(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.snapshot.nodes.iter().map(|own| self.snapshot.text(own.meta.name)).collect();
        names.sort_unstable();
        names
    }
}
