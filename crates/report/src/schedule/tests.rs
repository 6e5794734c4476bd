use restow_model::{Labels, NodePool, PodShape, Resources, Shared, Str};
use restow_scheduling::{
    Destination, Miss, NewNode, NodeMiss, Placement, PoolMiss, PoolReason, Reason, Resource,
    Schedule, Shortage, Unplaced,
};

use super::*;
use crate::nodes_view::ViewOptions;
use crate::testing::{Cluster, GI, cluster};

const HOST: &str = "kubernetes.io/hostname";

/// Two nodes with a pool, and three pods that wait.
fn waiting() -> Cluster {
    let mut all = cluster().node("a", &[(HOST, "a")]).node("b", &[(HOST, "b")]);
    for _ in 0..3 {
        all = all.pod("", 1000, GI);
    }
    let name = all.str("default");
    let mut pool = NodePool::default();
    pool.meta.name = name;
    all.0.node_pools.push(pool);
    all
}

fn full(node: Str, missing: i64) -> NodeMiss {
    let short = Shortage { resource: Resource::Cpu, requested: 1000, free: 1000 - missing };
    let reason = Reason::InsufficientResources { shortages: [short].into_iter().collect() };
    NodeMiss { reason, nodes: vec![node] }
}

#[test]
fn pods_of_different_classes_with_equal_reasons_are_one_group() {
    let mut all = waiting();
    let [a, pool] = ["a", "default"].map(|name| all.str(name));
    let miss = |missing| Miss {
        nodes: vec![full(a, missing)],
        pools: vec![PoolMiss { pool, reason: PoolReason::LimitReached }],
    };
    let unplaced = [(0, 10), (2, 10), (1, 20)]
        .map(|(pod, missing)| Unplaced { pods: vec![pod], miss: miss(missing) });
    let schedule = Schedule { unplaced: unplaced.to_vec(), ..Schedule::default() };
    let report = ScheduleReport::new(&all.0, &schedule, &[]);
    let names: Vec<Vec<String>> = report
        .misfits
        .iter()
        .map(|misfit| misfit.pods.iter().map(ToString::to_string).collect())
        .collect();
    assert_eq!(names, [vec!["default/pod-0", "default/pod-2"], vec!["default/pod-1"]]);
    assert_eq!(report.left_out(), 3);
}

#[test]
fn nodes_that_are_domains_of_their_own_are_one_group() {
    let mut all = waiting();
    let [key, a, b] = [HOST, "a", "b"].map(|name| all.str(name));
    let skewed = |domain| NodeMiss {
        reason: Reason::SpreadSkew { key, domain, skew: 2, max_skew: 1 },
        nodes: vec![domain],
    };
    let miss = Miss { nodes: vec![skewed(a), skewed(b)], pools: Vec::new() };
    let unplaced = vec![Unplaced { pods: vec![0], miss }];
    let report = ScheduleReport::new(&all.0, &Schedule { unplaced, ..Schedule::default() }, &[]);
    let [misfit] = report.misfits.as_slice() else { panic!("{report:?}") };
    let [obstacle] = misfit.obstacles.as_slice() else { panic!("{misfit:?}") };
    assert_eq!(obstacle.at, Where::Nodes { count: 2, nearest: "a".to_owned() });
}

#[test]
fn what_is_wrong_with_the_pod_itself_is_said_once() {
    let mut all = waiting();
    let [gate, a, b, pool] = ["hold", "a", "b", "default"].map(|name| all.str(name));
    let reason = Reason::Gated { gate };
    let miss = Miss {
        nodes: vec![NodeMiss { reason: reason.clone(), nodes: vec![a, b] }],
        pools: vec![PoolMiss { pool, reason: PoolReason::Rule(reason) }],
    };
    let unplaced = vec![Unplaced { pods: vec![0], miss }];
    let report = ScheduleReport::new(&all.0, &Schedule { unplaced, ..Schedule::default() }, &[]);
    let [misfit] = report.misfits.as_slice() else { panic!("{report:?}") };
    assert!(misfit.is_gated());
    assert_eq!(misfit.obstacles.len(), 1);
    assert_eq!(misfit.obstacles[0].at, Where::Everywhere { nodes: 2 });
}

#[test]
fn a_gated_pod_is_gated_where_there_is_nothing_to_refuse_it() {
    let mut all = cluster().pod("", 1000, GI);
    let gate = all.str("hold");
    let shape = all.0.shapes.share(PodShape { gates: vec![gate], ..PodShape::default() });
    let mut all = all.with_pod(|pod| pod.shape = shape);
    let unplaced = vec![Unplaced { pods: vec![0], miss: Miss::default() }];
    let schedule = Schedule { unplaced, ..Schedule::default() };
    let report = ScheduleReport::new(&all.0, &schedule, &[]);
    assert!(report.misfits[0].is_gated());
    // Any other pod is told that there are no pools.
    all = all.with_pod(|pod| pod.shape = Shared(0));
    let report = ScheduleReport::new(&all.0, &schedule, &[]);
    assert_eq!(report.misfits[0].obstacles[0].why.code, "NoPools");
}

#[test]
fn nodes_that_exist_come_before_new_ones() {
    let mut all = waiting();
    let [b, pool, kind, spot] = ["b", "default", "m5.large", "spot"].map(|name| all.str(name));
    let new = |price: &str| NewNode {
        pool,
        instance_type: kind,
        instance_types: vec![kind],
        zone: None,
        capacity_type: spot,
        price: price.parse().unwrap(),
        labels: Labels::default(),
        taints: Vec::new(),
        allocatable: Resources::default(),
        overhead: Resources::default(),
    };
    let to = [Destination::New(1), Destination::Node(b), Destination::New(0)];
    let schedule = Schedule {
        placements: to.into_iter().enumerate().map(|(pod, to)| Placement { pod, to }).collect(),
        new_nodes: vec![new("0.1"), new("0.0864")],
        unplaced: Vec::new(),
    };
    let report = ScheduleReport::new(&all.0, &schedule, &[]);
    let names: Vec<&str> = report.spots.iter().map(|spot| &*spot.name).collect();
    assert_eq!(names, ["b", "new/0", "new/1"]);
    let screen = schedule_view(&report, &ViewOptions::default());
    let headline = screen.lines().next().unwrap();
    assert_eq!(
        headline,
        "3 pods: 1 fits on an existing node, 2 need 2 new nodes ($0.1864/h, $136.07/month)."
    );
}

#[test]
fn a_drain_counts_what_moves_and_what_ends() {
    let mut all = cluster()
        .node("a", &[])
        .pods(2, "a", 100, GI)
        .pod_of("DaemonSet", "a", 100, GI)
        .pod_of("Node", "a", 100, GI)
        .pod("a", 100, GI)
        .with_pod(|pod| pod.deleted = Some(crate::testing::NOW))
        .pod("a", 100, GI)
        .with_pod(|pod| pod.owner = Shared(0));
    let a = all.str("a");
    let report = ScheduleReport::new(&all.0, &Schedule::default(), &[a]);
    let node = &report.drained[0];
    let counts = [node.pods, node.orphans, node.daemons, node.mirrors, node.terminating];
    assert_eq!(counts, [3, 1, 1, 1, 1]);
    let screen = schedule_view(&report, &ViewOptions::default());
    assert!(screen.starts_with(
        "a is drained: 3 pods move, 1 daemon pod, 1 static pod and 1 terminating pod end with it; \
         1 pod has no controller to make it anew.\n"
    ));
}
