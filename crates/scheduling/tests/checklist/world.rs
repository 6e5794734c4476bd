//! A small cluster in which pods are scheduled batch by batch, every placement checked by the independent checker.

use std::collections::BTreeMap;
use std::sync::Arc;

use restow_catalog::{Adjustments, Catalog, PriceBook, SourceInfo};
use restow_model::{
    Labels, Meta, Node, NodeClaim, Owner, Phase, Pod, PodTemplate, Resources, Service, Shared,
    Snapshot, Str, Time, Uid, Volumes, Workload, WorkloadKind,
};
use restow_scheduling::{Cluster, Destination, Limits, NodeId, Offers, Schedule, Settings};

use super::batch::{Batch, Launched};
use super::kinds::{Kind, fake};
use super::pods::PodSpec;
use super::pools::{ClaimSpec, NodeSpec, PoolSpec, pool};
use super::terms::SpreadSpec;
use super::text;
use super::verify;

/// A cluster under construction, and what its pools may launch.
pub(crate) struct World {
    pub(crate) snapshot: Snapshot,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) settings: Settings,
    /// What the scheduler spreads pods by that do not say so themselves.
    pub(crate) defaults: Vec<SpreadSpec>,
    /// How many nodes were launched so far.
    launched: usize,
}

/// The API group of a controller.
fn group_of(kind: &str) -> &'static str {
    match kind {
        "ReplicationController" => "",
        "Job" => "batch",
        _ => "apps",
    }
}

/// What becomes of pods and new nodes after a batch.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    /// Pods are bound, and new nodes are there and ready.
    Bind,
    /// Pods are bound, and new nodes are there but not ready yet.
    Start,
    /// Pods are pending, and new nodes are claims that promise to come.
    Promise,
}

impl World {
    /// The peer's fake types and one pool that may launch any of them.
    pub(crate) fn new() -> Self {
        Self::of(fake())
    }

    /// One pool that may launch any of these types.
    pub(crate) fn of(kinds: Vec<Kind>) -> Self {
        let mut world = Self {
            snapshot: Snapshot::default(),
            kinds,
            settings: Settings::PLANNER,
            defaults: Vec::new(),
            launched: 0,
        };
        world.pool(pool("default"));
        world
    }

    /// Adds a pool, or replaces the one of its name.
    pub(crate) fn pool(&mut self, spec: PoolSpec) {
        let pool = spec.build(&mut self.snapshot.strings);
        let pools = &mut self.snapshot.node_pools;
        pools.retain(|own| own.meta.name != pool.meta.name);
        pools.push(pool);
    }

    /// Removes all pools.
    pub(crate) fn no_pools(&mut self) {
        self.snapshot.node_pools.clear();
    }

    /// Adds a node that is there.
    pub(crate) fn node(&mut self, spec: NodeSpec) {
        let node = spec.build(&mut self.snapshot.strings);
        self.snapshot.nodes.push(node);
    }

    /// Adds a claim.
    pub(crate) fn claim(&mut self, spec: ClaimSpec) {
        let claim = spec.build(&mut self.snapshot.strings);
        self.snapshot.node_claims.push(claim);
    }

    /// Adds a pod, and returns its place.
    pub(crate) fn pod(&mut self, spec: PodSpec) -> usize {
        let at = self.snapshot.pods.len();
        let snapshot = &mut self.snapshot;
        let strings = &mut snapshot.strings;
        let owner = spec.owner.as_ref().map(|(kind, name)| Owner {
            group: strings.intern(group_of(kind)),
            kind: strings.intern(kind),
            name: strings.intern(name),
            uid: Uid::new(name),
        });
        let claims = spec.claims.iter().map(|claim| strings.intern(claim)).collect();
        let labels = text::labels(&spec.labels, strings);
        let (phase, terminating) = (spec.phase, spec.terminating);
        let node = strings.intern(&spec.node);
        let pod = Pod {
            namespace: strings.intern(&spec.namespace),
            name: strings.intern(&format!("pod-{at}")),
            uid: Uid(at as u128),
            node,
            nominated_node: Str::EMPTY,
            shape: snapshot.shapes.share(spec.shape(strings)),
            labels: snapshot.labels.share(labels),
            annotations: Shared(0),
            owner: snapshot.owners.share(owner),
            volumes: snapshot.volumes.share(Volumes { claims, ..Volumes::default() }),
            phase,
            ready: true,
            unschedulable: node.is_empty(),
            created: Time::from_seconds(at as i64),
            deleted: terminating.then(Time::default),
            scheduled: None,
            started: None,
            ready_changed: None,
            finished: None,
            held: None,
        };
        self.snapshot.pods.push(pod);
        at
    }

    /// Adds a service of a namespace.
    pub(crate) fn service(&mut self, namespace: &str, name: &str, selector: &str) {
        let strings = &mut self.snapshot.strings;
        let (namespace, name) = (strings.intern(namespace), strings.intern(name));
        let meta = Meta { namespace, name, ..Meta::default() };
        let selector = text::labels(selector, strings);
        self.snapshot.services.push(Service { meta, selector });
    }

    /// Adds a controller, and what it selects.
    pub(crate) fn controller(&mut self, kind: WorkloadKind, name: &str, selector: &str) {
        let strings = &mut self.snapshot.strings;
        let (namespace, name) = (strings.intern("default"), strings.intern(name));
        let selector = Some(text::selector(selector, strings));
        let meta = Meta { namespace, name, ..Meta::default() };
        self.snapshot.workloads.push(Workload { selector, ..Workload::new(kind, meta) });
    }

    /// Spreads pods by the defaults; returns how many of them.
    pub(crate) fn spread_by_default(&mut self) -> usize {
        let strings = &mut self.snapshot.strings;
        let constraints: Vec<_> = self.defaults.iter().map(|own| own.build(strings)).collect();
        restow_scheduling::spread_by_default(&mut self.snapshot, &constraints)
    }

    /// Adds a daemon whose pods are like this one.
    pub(crate) fn daemon(&mut self, name: &str, spec: PodSpec) {
        let snapshot = &mut self.snapshot;
        let strings = &mut snapshot.strings;
        let labels = text::labels(&spec.labels, strings);
        let namespace = strings.intern(&spec.namespace);
        let shape = spec.shape(strings);
        let name = strings.intern(name);
        let template = PodTemplate {
            labels: snapshot.labels.share(labels),
            annotations: Shared(0),
            shape: snapshot.shapes.share(shape),
        };
        self.snapshot.workloads.push(Workload {
            template: Some(template),
            ..Workload::new(WorkloadKind::DaemonSet, Meta { namespace, name, ..Meta::default() })
        });
    }

    /// Schedules pods and binds them; new nodes are there afterwards.
    pub(crate) fn batch(&mut self, pods: impl IntoIterator<Item = PodSpec>) -> Batch {
        let pods = self.pods(pods);
        self.run(&pods, &[], After::Bind)
    }

    /// Schedules one pod and binds it.
    pub(crate) fn one(&mut self, pod: PodSpec) -> Batch {
        self.batch([pod])
    }

    /// Schedules pods and binds them; new nodes are still starting afterwards.
    pub(crate) fn start(&mut self, pods: impl IntoIterator<Item = PodSpec>) -> Batch {
        let pods = self.pods(pods);
        self.run(&pods, &[], After::Start)
    }

    /// Schedules pods that stay pending; new nodes are promised afterwards.
    pub(crate) fn promise(&mut self, pods: impl IntoIterator<Item = PodSpec>) -> Batch {
        let pods = self.pods(pods);
        self.run(&pods, &[], After::Promise)
    }

    /// Schedules pods once more that were left or only promised a place.
    pub(crate) fn again(&mut self, earlier: &Batch) -> Batch {
        self.run(&earlier.pods, &[], After::Bind)
    }

    /// Drains nodes and schedules their pods and others.
    pub(crate) fn drain(
        &mut self,
        nodes: &[&str],
        pods: impl IntoIterator<Item = PodSpec>,
    ) -> Batch {
        let pods = self.pods(pods);
        self.run(&pods, nodes, After::Bind)
    }

    fn pods(&mut self, pods: impl IntoIterator<Item = PodSpec>) -> Vec<usize> {
        pods.into_iter().map(|pod| self.pod(pod)).collect()
    }

    fn run(&mut self, pods: &[usize], drained: &[&str], after: After) -> Batch {
        self.spread_by_default();
        let source = SourceInfo::named("test");
        let catalog = Catalog::new(source, self.kinds.iter().map(Kind::build).collect());
        let book = PriceBook::new(catalog, Adjustments::default());
        let offers = Arc::new(Offers::new(&mut self.snapshot, &book));
        let ask = |snapshot: &Snapshot| -> Schedule {
            let mut cluster = Cluster::new(snapshot, Arc::clone(&offers), self.settings);
            let id = |name: &&str| cluster.node(snapshot.strings.get(name)?);
            let drained: Vec<NodeId> = drained.iter().filter_map(id).collect();
            cluster.schedule(snapshot, pods, &drained, Limits::ANY)
        };
        let schedule = ask(&self.snapshot);
        assert_eq!(schedule, ask(&self.snapshot), "equal questions have equal answers");
        let nodes: Vec<Node> = (self.launched + 1..)
            .zip(&schedule.new_nodes)
            .map(|(number, new)| {
                let name = format!("new-{number}");
                verify::as_node(new, &name, book.list(), &mut self.snapshot.strings)
            })
            .collect();
        self.launched += nodes.len();
        for new in &schedule.new_nodes {
            verify::check_launched(&self.snapshot, new);
        }
        verify::check_complete(&self.snapshot, pods, &schedule);
        let checker = verify::check_placements(&mut self.snapshot, &schedule, &nodes, drained);
        let batch = self.describe(pods, &schedule, &nodes);
        match after {
            After::Bind => self.bind(&batch, nodes, drained, checker.cluster()),
            After::Start => {
                let starting = self.starting(nodes);
                self.bind(&batch, starting, drained, checker.cluster());
            }
            After::Promise => self.expect(nodes),
        }
        batch
    }

    fn describe(&self, pods: &[usize], schedule: &Schedule, nodes: &[Node]) -> Batch {
        let text = |name: Str| self.snapshot.text(name).to_owned();
        let mut homes: BTreeMap<usize, String> = BTreeMap::new();
        for placement in &schedule.placements {
            let home = match placement.to {
                Destination::Node(name) => text(name),
                Destination::New(at) => text(nodes[at].meta.name),
            };
            homes.insert(placement.pod, home);
        }
        let launched = schedule.new_nodes.iter().zip(nodes).map(|(new, node)| Launched {
            name: text(node.meta.name),
            pool: text(new.pool),
            kind: text(new.instance_type),
            kinds: new.instance_types.iter().map(|name| text(*name)).collect(),
            zone: new.zone.map(text),
            capacity_type: text(new.capacity_type),
            price: new.price,
            labels: new.labels.iter().map(|(key, value)| (text(key), text(value))).collect(),
            taints: new.taints.clone(),
            allocatable: new.allocatable.clone(),
            overhead: new.overhead.clone(),
        });
        Batch {
            pods: pods.to_vec(),
            homes,
            new_nodes: launched.collect(),
            unplaced: schedule.unplaced.clone(),
        }
    }

    /// Pods run where they were placed, and new nodes are ready.
    fn bind(&mut self, batch: &Batch, nodes: Vec<Node>, drained: &[&str], after: &Snapshot) {
        self.snapshot.nodes.extend(nodes);
        for (pod, home) in &batch.homes {
            let home = self.snapshot.strings.intern(home);
            let pod = &mut self.snapshot.pods[*pod];
            (pod.node, pod.phase, pod.unschedulable) = (home, Phase::Running, false);
        }
        let gone: Vec<Str> =
            drained.iter().filter_map(|name| self.snapshot.strings.get(name)).collect();
        self.snapshot.nodes.retain(|node| !gone.contains(&node.meta.name));
        for pod in &mut self.snapshot.pods {
            if gone.contains(&pod.node) {
                pod.phase = Phase::Failed;
            }
        }
        self.snapshot.persistent_volumes.clone_from(&after.persistent_volumes);
        self.snapshot.persistent_volume_claims.clone_from(&after.persistent_volume_claims);
    }

    /// New nodes that have not reported what they have; their claims say so.
    fn starting(&mut self, nodes: Vec<Node>) -> Vec<Node> {
        let not_ready =
            text::taint("node.kubernetes.io/not-ready:NoSchedule", &mut self.snapshot.strings);
        let first = self.snapshot.node_claims.len();
        self.expect(nodes.clone());
        for (claim, node) in self.snapshot.node_claims[first..].iter_mut().zip(&nodes) {
            claim.node = node.meta.name;
        }
        let starting = nodes.into_iter().map(|node| Node {
            taints: node.taints.iter().copied().chain([not_ready]).collect(),
            allocatable: Resources::default(),
            capacity: Resources::default(),
            ..node
        });
        starting.collect()
    }

    /// New nodes are on their way.
    fn expect(&mut self, nodes: Vec<Node>) {
        let host = self.snapshot.strings.intern("kubernetes.io/hostname");
        for node in nodes {
            let labels = node.meta.labels.iter().filter(|(key, _)| *key != host).collect();
            self.snapshot.node_claims.push(NodeClaim {
                meta: Meta { labels: Labels::new(labels), ..node.meta },
                taints: node.taints,
                capacity: node.capacity,
                allocatable: node.allocatable,
                ..NodeClaim::default()
            });
        }
    }

    /// Pods with `app=web` in each domain that holds any, the emptiest first.
    pub(crate) fn counts(&self, key: &str) -> Vec<usize> {
        self.counts_of(key, "app=web")
    }

    /// Pods that a selector selects in each domain that holds any, the emptiest first.
    pub(crate) fn counts_of(&self, key: &str, selector: &str) -> Vec<usize> {
        let mut counts: Vec<usize> = self.domains(key, selector).into_values().collect();
        counts.sort_unstable();
        counts
    }

    /// Pods that a selector selects, by domain.
    pub(crate) fn domains(&self, key: &str, selector: &str) -> BTreeMap<String, usize> {
        let snapshot = &self.snapshot;
        let selector = text::selector(selector, &mut snapshot.strings.clone());
        let mut found = BTreeMap::new();
        for pod in &snapshot.pods {
            let node = snapshot.nodes.iter().find(|node| node.meta.name == pod.node);
            if let Some(node) = node
                && !pod.is_finished()
                && !pod.is_terminating()
                && snapshot.text(pod.namespace) == "default"
                && selector.selects(&snapshot.labels[pod.labels])
                && let Some(domain) = node.meta.labels.text(text::key(key), &snapshot.strings)
            {
                *found.entry(domain.to_owned()).or_default() += 1;
            }
        }
        found
    }

    /// A label of a node.
    pub(crate) fn label_of(&self, node: &str, key: &str) -> Option<&str> {
        let strings = &self.snapshot.strings;
        let node = self.snapshot.nodes.iter().find(|own| strings.text(own.meta.name) == node)?;
        node.meta.labels.text(text::key(key), strings)
    }

    /// Removes the pods that run in a domain.
    pub(crate) fn remove_pods(&mut self, key: &str, domain: &str) {
        let snapshot = &mut self.snapshot;
        let key = snapshot.strings.intern(text::key(key));
        let domain = snapshot.strings.intern(domain);
        let within: Vec<Str> = snapshot
            .nodes
            .iter()
            .filter(|node| node.meta.labels.get(key) == Some(domain))
            .map(|node| node.meta.name)
            .collect();
        snapshot.pods.retain(|pod| !within.contains(&pod.node));
    }
}
