//! Tiny clusters whose scores can be worked out by hand.

use std::sync::Arc;

use restow_model::{
    Effect, Labels, Match, Meta, Node, NodePolicy, NodeTerm, Operator, Owner, Phase, Pod, PodShape,
    PodTerm, Requirement, Resources, Selector, SelectorTerm, Service, Shared, Snapshot, Spread,
    Str, Taint, Time, Tolerates, Toleration, Uid, Workload, WorkloadKind,
};

use super::{Parts, Profile};
use crate::{Cluster, Offers, Settings};

const ZONE: &str = "topology.kubernetes.io/zone";
const HOST: &str = "kubernetes.io/hostname";

/// A snapshot under construction. Labels are written as `key=value` words.
#[derive(Default)]
struct World(Snapshot);

impl World {
    fn s(&mut self, text: &str) -> Str {
        self.0.strings.intern(text)
    }

    fn labels(&mut self, text: &str) -> Labels {
        let pairs = text.split_whitespace().map(|word| word.split_once('=').unwrap());
        let pairs = pairs.map(|(key, value)| (self.s(key), self.s(value))).collect();
        Labels::new(pairs)
    }

    fn selector(&mut self, text: &str) -> Selector {
        let term = |(key, value)| SelectorTerm { key, operator: Match::In, values: vec![value] };
        Selector(self.labels(text).iter().map(term).collect())
    }

    /// A node with one core, a thousand bytes of memory, and these labels.
    fn node(&mut self, name: &str, labels: &str) {
        let meta = Meta { name: self.s(name), labels: self.labels(labels), ..Meta::default() };
        let allocatable =
            Resources { cpu: 1000, memory: 1 << 40, pods: 10, ..Resources::default() };
        self.0.nodes.push(Node { meta, allocatable, ..Node::default() });
    }

    /// A pod, on a node or on none.
    fn pod(&mut self, labels: &str, node: &str, shape: PodShape) -> usize {
        let labels = self.labels(labels);
        let pod = Pod {
            namespace: self.s("ns"),
            name: self.s(&format!("pod-{}", self.0.pods.len())),
            uid: Uid(self.0.pods.len() as u128),
            labels: self.0.labels.share(labels),
            annotations: Shared(0),
            owner: Shared(0),
            shape: self.0.shapes.share(shape),
            volumes: Shared(0),
            node: self.s(node),
            nominated_node: Str::EMPTY,
            phase: Phase::Running,
            ready: true,
            unschedulable: false,
            created: Time::default(),
            deleted: None,
            scheduled: None,
            started: None,
            ready_changed: None,
            finished: None,
            held: None,
        };
        self.0.pods.push(pod);
        self.0.pods.len() - 1
    }

    fn term(&mut self, selector: &str, key: &str) -> PodTerm {
        PodTerm {
            topology_key: self.s(key),
            selector: Some(self.selector(selector)),
            namespaces: Vec::new(),
            namespace_selector: None,
            match_label_keys: Vec::new(),
            mismatch_label_keys: Vec::new(),
        }
    }

    fn spread(&mut self, selector: &str, key: &str, max_skew: i32) -> Spread {
        Spread {
            topology_key: self.s(key),
            max_skew,
            required: false,
            selector: Some(self.selector(selector)),
            min_domains: None,
            affinity_policy: NodePolicy::Honor,
            taints_policy: NodePolicy::Ignore,
            match_label_keys: Vec::new(),
        }
    }

    fn service(&mut self, selector: &str) {
        let meta = Meta { namespace: self.s("ns"), name: self.s("service"), ..Meta::default() };
        let selector = self.labels(selector);
        self.0.services.push(Service { meta, selector });
    }

    /// Makes a pod that of a new controller.
    fn own(&mut self, pod: usize, kind: WorkloadKind, selector: &str) {
        let (group, text) = match kind {
            WorkloadKind::ReplicaSet => ("apps", "ReplicaSet"),
            _ => ("", "ReplicationController"),
        };
        let name = self.s("controller");
        let owner = Owner { group: self.s(group), kind: self.s(text), name, uid: Uid(1) };
        self.0.pods[pod].owner = self.0.owners.share(Some(owner));
        let meta = Meta { namespace: self.s("ns"), name, ..Meta::default() };
        let selector = Some(self.selector(selector));
        self.0.workloads.push(Workload {
            kind,
            meta,
            selector,
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
    }

    fn cluster(&self) -> Cluster {
        let settings = Settings { scores: true, ..Settings::SCHEDULER };
        Cluster::new(&self.0, Arc::new(Offers::none()), settings)
    }

    /// One part of the scores, node by node.
    fn parts(&self, pod: usize, part: fn(&Parts) -> i64) -> Vec<i64> {
        let scores = self.cluster().scores(&self.0, pod, Profile::LeastAllocated);
        scores.iter().map(|score| part(&score.parts)).collect()
    }
}

fn shape(cpu: i64) -> PodShape {
    let requests = Resources { cpu, memory: cpu, pods: 1, ..Resources::default() };
    PodShape { requests, ..PodShape::default() }
}

#[test]
fn nodes_with_taints_that_ask_to_stay_away_get_less_unless_they_are_tolerated() {
    let mut world = World::default();
    for (name, taints) in [("a", 0), ("b", 1), ("c", 2)] {
        world.node(name, "");
        for taint in 0..taints {
            let (key, value) = (world.s(&format!("taint-{taint}")), Str::EMPTY);
            let taint = Taint { key, value, effect: Effect::PreferNoSchedule };
            world.0.nodes.last_mut().unwrap().taints.push(taint);
        }
    }
    let pod = world.pod("", "", shape(1));
    let toleration = Toleration {
        key: world.s("taint-1"),
        operator: Tolerates::Exists,
        value: Str::EMPTY,
        effect: Some(Effect::PreferNoSchedule),
        seconds: None,
    };
    let for_another_effect = Toleration { effect: Some(Effect::NoSchedule), ..toleration };
    let bearing = |toleration| PodShape { tolerations: vec![toleration], ..shape(1) };
    let tolerant = world.pod("", "", bearing(toleration));
    let intolerant = world.pod("", "", bearing(for_another_effect));
    assert_eq!(world.parts(pod, |parts| parts.taints), [100, 50, 0]);
    assert_eq!(world.parts(tolerant, |parts| parts.taints), [100, 0, 0]);
    assert_eq!(world.parts(intolerant, |parts| parts.taints), [100, 50, 0]);
}

#[test]
fn preferred_nodes_get_the_weight_of_every_term_that_holds() {
    let mut world = World::default();
    world.node("a", "disk=ssd arch=arm");
    world.node("b", "disk=ssd");
    world.node("c", "");
    let mut term = |key: &str, value: &str| {
        let values = vec![world.s(value)];
        let wanted = Requirement::compile(world.s(key), Operator::In, values, None, None);
        NodeTerm { labels: vec![wanted], names: Vec::new() }
    };
    let preferred_nodes =
        vec![(30, term("disk", "ssd")), (10, term("arch", "arm")), (90, NodeTerm::default())];
    let pod = world.pod("", "", PodShape { preferred_nodes, ..shape(1) });
    let indifferent = world.pod("", "", shape(1));
    assert_eq!(world.parts(pod, |parts| parts.node_affinity), [100, 75, 0]);
    assert_eq!(world.parts(indifferent, |parts| parts.node_affinity), [0, 0, 0]);
}

#[test]
fn the_zone_with_fewer_pods_of_its_kind_gets_more_and_nodes_without_a_zone_nothing() {
    let mut world = World::default();
    for (name, zone) in [("a", "z=1"), ("b", "z=1"), ("c", "z=2"), ("d", "")] {
        world.node(name, zone);
    }
    // Two in zone 1; being deleted or of another kind does not count, nor where there is no zone.
    for (labels, node) in [("app=web", "a"), ("app=web", "b"), ("app=api", "c"), ("app=web", "d")] {
        world.pod(labels, node, shape(1));
    }
    let leaving = world.pod("app=web", "c", shape(1));
    world.0.pods[leaving].deleted = Some(Time::default());
    let spread = vec![world.spread("app=web", "z", 1)];
    let pod = world.pod("app=web", "", PodShape { spread, ..shape(1) });
    // 2 x ln(2 + 2) = 2.77 is 3, against 0.
    assert_eq!(world.parts(pod, |parts| parts.spread), [0, 0, 100, 0]);
}

#[test]
fn hosts_are_counted_node_by_node_and_skew_that_is_allowed_softens_the_difference() {
    let mut world = World::default();
    world.node("a", &format!("{HOST}=same"));
    world.node("b", &format!("{HOST}=same"));
    world.pod("app=web", "a", shape(1));
    let spread = vec![world.spread("app=web", HOST, 4)];
    let pod = world.pod("app=web", "", PodShape { spread, ..shape(1) });
    // 1 x ln(2 + 2) + 3 = 4.39 is 4, against 3: 100 x (4 + 3 - 4) / 4 and 100 x (4 + 3 - 3) / 4.
    assert_eq!(world.parts(pod, |parts| parts.spread), [75, 100]);
}

#[test]
fn pods_of_a_service_are_spread_over_hosts_and_zones_by_default() {
    let mut world = World::default();
    world.node("a", &format!("{HOST}=a {ZONE}=1"));
    world.node("b", &format!("{HOST}=b {ZONE}=1"));
    world.node("c", &format!("{HOST}=c"));
    world.pod("app=web", "a", shape(1));
    world.service("app=web");
    let pod = world.pod("app=web", "", shape(1));
    let stranger = world.pod("app=api", "", shape(1));
    let spread = vec![Spread { required: true, ..world.spread("app=web", ZONE, 9) }];
    let strict = world.pod("app=web", "", PodShape { spread, ..shape(1) });
    // Hosts weigh ln(3 + 2) = 1.61, zones ln(2 + 2) = 1.39: no zone is one, too.
    // a: 1.61 + 2 + 1.39 + 4 = 9; b: 2 + 1.39 + 4 = 7.39 is 7; c: 2.
    assert_eq!(world.parts(pod, |parts| parts.spread), [100 * 2 / 9, 100 * 4 / 9, 100]);
    assert_eq!(world.parts(stranger, |parts| parts.spread), [0, 0, 0]);
    assert_eq!(world.parts(strict, |parts| parts.spread), [0, 0]);
}

#[test]
fn a_controller_narrows_what_its_pods_are_spread_among() {
    let mut world = World::default();
    world.node("a", &format!("{HOST}=a"));
    world.node("b", &format!("{HOST}=b"));
    world.pod("app=web version=1", "a", shape(1));
    world.pod("app=web version=2", "b", shape(1));
    world.service("app=web");
    let pod = world.pod("app=web version=2", "", shape(1));
    assert_eq!(world.parts(pod, |parts| parts.spread), [100, 100]);
    world.own(pod, WorkloadKind::ReplicaSet, "version=2");
    // 2, against 1 x ln(2 + 2) + 2 = 3.39 is 3.
    assert_eq!(world.parts(pod, |parts| parts.spread), [100, 66]);
}

#[test]
fn the_labels_of_a_replication_controller_replace_those_of_services() {
    let mut world = World::default();
    world.node("a", &format!("{HOST}=a"));
    world.node("b", &format!("{HOST}=b"));
    world.pod("app=api", "b", shape(1));
    world.service("app=web");
    let pod = world.pod("app=web", "", shape(1));
    world.own(pod, WorkloadKind::ReplicationController, "app=api");
    assert_eq!(world.parts(pod, |parts| parts.spread), [100, 66]);
}

#[test]
fn what_the_pod_prefers_counts_for_every_pod_in_the_domain() {
    let mut world = World::default();
    for (name, zone) in [("a", "z=1"), ("b", "z=2"), ("c", "z=3"), ("d", "")] {
        world.node(name, zone);
    }
    for (labels, node) in [("app=db", "a"), ("app=db", "a"), ("app=db", "b"), ("app=web", "b")] {
        world.pod(labels, node, shape(1));
    }
    let pod = {
        let near = world.term("app=db", "z");
        let far = world.term("app=web", "z");
        let shape = PodShape {
            preferred_affinity: vec![(20, near.clone()), (5, near)],
            preferred_anti_affinity: vec![(50, far)],
            ..shape(1)
        };
        world.pod("", "", shape)
    };
    // 50, 25 - 50, 0 and 0 become 100, 0, 33 and 33.
    assert_eq!(world.parts(pod, |parts| parts.pod_affinity), [100, 0, 33, 33]);
}

#[test]
fn what_pods_that_are_there_prefer_or_require_counts_as_well() {
    let mut world = World::default();
    for (name, zone) in [("a", "z=1"), ("b", "z=2"), ("c", "z=3")] {
        world.node(name, zone);
    }
    let term = world.term("app=web", "z");
    let liking = PodShape { preferred_affinity: vec![(3, term.clone())], ..shape(1) };
    let needing = PodShape { affinity: vec![term.clone()], ..liking.clone() };
    let shunning = PodShape { preferred_anti_affinity: vec![(4, term)], ..shape(1) };
    world.pod("", "a", needing);
    world.pod("", "b", liking);
    world.pod("", "c", shunning);
    let wanted = world.pod("app=web", "", shape(1));
    let other = world.pod("app=api", "", shape(1));
    // 3 + 1, 3 and -4 become 100, 87 and 0.
    assert_eq!(world.parts(wanted, |parts| parts.pod_affinity), [100, 87, 0]);
    assert_eq!(world.parts(other, |parts| parts.pod_affinity), [0, 0, 0]);
}

#[test]
fn pods_that_ask_for_nothing_are_taken_for_small_ones() {
    let mut world = World::default();
    world.node("a", "");
    world.node("b", "");
    world.pod("", "a", shape(0));
    let resized = world.pod("", "a", shape(300));
    world.0.pods[resized].held =
        Some(Box::new(Resources { memory: 1, pods: 1, ..Resources::default() }));
    let pod = world.pod("", "", shape(0));
    // cpu: 70 and 90 of 100 free; memory: next to nothing is used, but not nothing, which leaves 99.
    assert_eq!(world.parts(pod, |parts| parts.fit), [84, 94]);
    assert_eq!(world.parts(pod, |parts| parts.balance), [0, 0]);
}

#[test]
fn parts_add_up_by_their_weights_and_the_profiles_differ_in_fit() {
    let mut world = World::default();
    world.node("a", "");
    world.node("b", "");
    world.pod("", "a", shape(400));
    let pod = world.pod("", "", shape(100));
    let mut cluster = world.cluster();
    let mut totals = |profile| -> Vec<(i64, i64)> {
        let scores = cluster.scores(&world.0, pod, profile);
        scores.iter().map(|score| (score.parts.fit, score.total)).collect()
    };
    // Taints give 300. a: cpu 50, memory 99; b: cpu 90, memory 99. The pod adds a tenth of cpu: 95 from 100, or 75 from 80.
    assert_eq!(totals(Profile::LeastAllocated), [(74, 300 + 74 + 72), (94, 300 + 94 + 72)]);
    assert_eq!(totals(Profile::MostAllocated), [(25, 300 + 25 + 72), (5, 300 + 5 + 72)]);
}

#[test]
fn a_bound_pod_is_scored_as_if_it_were_not_there_and_stays_where_it_is() {
    let mut world = World::default();
    world.node("a", &format!("{HOST}=a"));
    world.node("b", &format!("{HOST}=b"));
    world.service("app=web");
    let pod = world.pod("app=web", "a", shape(0));
    let mut cluster = world.cluster();
    let before = cluster.state().clone();
    let scores = cluster.scores(&world.0, pod, Profile::LeastAllocated);
    assert_eq!(scores.len(), 2);
    assert_eq!(scores[0].parts, scores[1].parts);
    assert!(before == *cluster.state());
}

#[test]
fn without_the_setting_there_are_no_scores() {
    let mut world = World::default();
    world.node("a", "");
    let pod = world.pod("", "", shape(1));
    let mut cluster = Cluster::new(&world.0, Arc::new(Offers::none()), Settings::SCHEDULER);
    assert!(cluster.scores(&world.0, pod, Profile::LeastAllocated).is_empty());
}
