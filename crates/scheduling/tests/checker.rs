//! What must hold of the checker's answers in any cluster, whatever the rules are.

use proptest::prelude::*;
use restow_model::{
    HostPort, Labels, Match, Meta, Node, NodePolicy, Phase, Pod, PodShape, PodTerm, Protocol,
    Resources, Selector, SelectorTerm, Shared, Snapshot, Spread, Str, Time, Uid,
};
use restow_scheduling::checker::{Checker, Violation};

/// A pod in few numbers.
#[derive(Clone, Copy, Debug)]
struct Sketch {
    app: u8,
    node: Option<usize>,
    cpu: i64,
    port: bool,
    /// 0 to 3: nothing, affinity, anti-affinity or spread, towards `other`.
    rule: u8,
    other: u8,
    by_zone: bool,
    leaving: bool,
}

fn sketch() -> impl Strategy<Value = Sketch> {
    let flags = (any::<bool>(), any::<bool>(), prop::bool::weighted(0.2));
    let numbers = (0..3_u8, prop::option::of(0..5_usize), 0..3_i64, 0..4_u8, 0..3_u8);
    (numbers, flags).prop_map(|((app, node, cpu, rule, other), (port, by_zone, leaving))| Sketch {
        app,
        node,
        cpu,
        port,
        rule,
        other,
        by_zone,
        leaving,
    })
}

/// Zones of up to five nodes, 0 for none, and pods on some of them.
fn cluster() -> impl Strategy<Value = Snapshot> {
    let nodes = prop::collection::vec(0..4_u8, 1..6);
    (nodes, prop::collection::vec(sketch(), 1..10)).prop_map(|(zones, pods)| {
        let mut snapshot = Snapshot::default();
        for (at, zone) in zones.iter().enumerate() {
            let node = node(&mut snapshot, at, *zone);
            snapshot.nodes.push(node);
        }
        for sketch in pods {
            let pod = pod(&mut snapshot, sketch);
            snapshot.pods.push(pod);
        }
        snapshot
    })
}

fn node(snapshot: &mut Snapshot, at: usize, zone: u8) -> Node {
    let mut s = |text: &str| snapshot.strings.intern(text);
    let name = s(&format!("node-{at}"));
    let mut labels = vec![(s("host"), name)];
    if zone > 0 {
        labels.push((s("zone"), s(&zone.to_string())));
    }
    let meta = Meta { name, labels: Labels::new(labels), ..Meta::default() };
    let allocatable = Resources { cpu: 3, pods: 4, ..Resources::default() };
    Node { meta, allocatable, ..Node::default() }
}

fn pod(snapshot: &mut Snapshot, sketch: Sketch) -> Pod {
    let mut s = |text: &str| snapshot.strings.intern(text);
    let app = s("app");
    let [own, other] = [sketch.app, sketch.other].map(|app| s(&app.to_string()));
    let topology_key = s(if sketch.by_zone { "zone" } else { "host" });
    let term = SelectorTerm { key: app, operator: Match::In, values: vec![other] };
    let selector = Some(Selector(vec![term]));
    let near = PodTerm {
        topology_key,
        selector: selector.clone(),
        namespaces: Vec::new(),
        namespace_selector: None,
        match_label_keys: Vec::new(),
        mismatch_label_keys: Vec::new(),
    };
    let spread = Spread {
        topology_key,
        max_skew: 1,
        required: true,
        selector,
        min_domains: None,
        affinity_policy: NodePolicy::Honor,
        taints_policy: NodePolicy::Ignore,
        match_label_keys: Vec::new(),
    };
    let port = HostPort { port: 80, protocol: Protocol::Tcp, ip: Str::EMPTY };
    let shape = PodShape {
        requests: Resources { cpu: sketch.cpu, pods: 1, ..Resources::default() },
        host_ports: if sketch.port { vec![port] } else { Vec::new() },
        affinity: if sketch.rule == 1 { vec![near.clone()] } else { Vec::new() },
        anti_affinity: if sketch.rule == 2 { vec![near] } else { Vec::new() },
        spread: if sketch.rule == 3 { vec![spread] } else { Vec::new() },
        ..PodShape::default()
    };
    let at = sketch.node.and_then(|at| snapshot.nodes.get(at));
    Pod {
        namespace: snapshot.strings.intern("ns"),
        name: snapshot.strings.intern(&format!("pod-{}", snapshot.pods.len())),
        uid: Uid(snapshot.pods.len() as u128),
        labels: snapshot.labels.share(Labels::new(vec![(app, own)])),
        annotations: Shared(0),
        owner: Shared(0),
        shape: snapshot.shapes.share(shape),
        volumes: Shared(0),
        node: at.map_or(Str::EMPTY, |node| node.meta.name),
        nominated_node: Str::EMPTY,
        phase: Phase::Running,
        ready: true,
        unschedulable: false,
        created: Time::default(),
        deleted: sketch.leaving.then(Time::default),
        scheduled: None,
        started: None,
        ready_changed: None,
        finished: None,
        held: None,
    }
}

fn answers(checker: &Checker) -> Vec<Vec<Option<&'static str>>> {
    (0..checker.cluster().pods.len()).map(|pod| codes(checker, pod)).collect()
}

fn codes(checker: &Checker, pod: usize) -> Vec<Option<&'static str>> {
    let violations = checker.feasibility(pod);
    violations.iter().map(|violation| violation.as_ref().map(Violation::code)).collect()
}

proptest! {
    #[test]
    fn a_bound_pod_is_answered_for_as_if_it_were_evicted(snapshot in cluster()) {
        let checker = Checker::new(&snapshot);
        for pod in 0..snapshot.pods.len() {
            let mut evicted = checker.clone();
            evicted.evict(pod);
            prop_assert_eq!(evicted.node_of(pod), None);
            prop_assert_eq!(evicted.feasibility(pod), checker.feasibility(pod));
        }
    }

    #[test]
    fn a_removed_node_might_never_have_been(snapshot in cluster(), at: prop::sample::Index) {
        let node = at.index(snapshot.nodes.len());
        let mut checker = Checker::new(&snapshot);
        checker.remove_node(node);
        let mut without = snapshot.clone();
        without.nodes.remove(node);
        let mut given = answers(&checker);
        for answer in &mut given {
            prop_assert_eq!(answer.remove(node), Some("NodeGone"));
        }
        prop_assert_eq!(given, answers(&Checker::new(&without)));
    }

    #[test]
    fn what_is_added_later_counts_as_if_it_had_been_there(
        snapshot in cluster(),
        at: prop::sample::Index,
    ) {
        let mut before = snapshot.clone();
        let later = before.pods.split_off(at.index(snapshot.pods.len()));
        let node = before.nodes.remove(before.nodes.len() - 1);
        before.pods.retain(|pod| pod.node != node.meta.name);
        let kept: Vec<Pod> = before.pods.iter().chain(&later).cloned().collect();
        let mut checker = Checker::new(&before);
        checker.add_node(node);
        for pod in later {
            checker.add_pod(pod);
        }
        prop_assert_eq!(answers(&checker), answers(&Checker::new(&Snapshot { pods: kept, ..snapshot })));
    }

    #[test]
    fn a_placed_pod_counts_as_if_it_had_been_there(snapshot in cluster()) {
        for pod in 0..snapshot.pods.len() {
            for node in 0..snapshot.nodes.len() {
                let mut checker = Checker::new(&snapshot);
                let allowed = checker.allows(pod, node);
                prop_assert_eq!(&checker.place(pod, node), &allowed);
                if allowed.is_ok() {
                    let mut moved = snapshot.clone();
                    moved.pods[pod].node = moved.nodes[node].meta.name;
                    moved.pods[pod].deleted = None;
                    prop_assert_eq!(checker.node_of(pod), Some(node));
                    prop_assert_eq!(answers(&checker), answers(&Checker::new(&moved)));
                }
            }
        }
    }

    #[test]
    fn fewer_pods_never_close_a_node_but_for_affinity_and_spread(
        snapshot in cluster(),
        gone: prop::sample::Index,
    ) {
        let gone = gone.index(snapshot.pods.len());
        let checker = Checker::new(&snapshot);
        let mut emptier = checker.clone();
        emptier.evict(gone);
        for pod in (0..snapshot.pods.len()).filter(|pod| *pod != gone) {
            for (before, after) in codes(&checker, pod).iter().zip(codes(&emptier, pod)) {
                let relative = matches!(after, None | Some("AffinityUnmet" | "SpreadSkew"));
                prop_assert!(before.is_some() || relative, "{:?}", after);
            }
        }
    }
}
