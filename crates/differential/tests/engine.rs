//! What must hold of the engine on every cluster, tried on random ones: nothing here knows how it works.

use std::sync::Arc;

use restow_catalog::{
    Adjustments, CapacityType, Catalog, InstanceType, Offering, PriceBook, Resources, SourceInfo,
    label,
};
use restow_kubernetes::{ReadOptions, Reader};
use restow_model::{Labels, Node, Price, Requirement, Snapshot, Str};
use restow_scheduling::checker::Checker;
use restow_scheduling::{
    Aim, Bin, Cluster, Destination, Limits, NodeId, Offers, Placed, Preferences, Reason, Schedule,
    Settings, Share, Verdict,
};
use restow_testkit::Rng;
use restow_testkit::random::{RECIPES, cluster};
use serde_json::{Value, json};

/// Clusters per recipe.
const CLUSTERS: u64 = 10;

fn snapshot(objects: &[Value]) -> Snapshot {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    let mut reader = Reader::new(ReadOptions::default());
    reader.read("random cluster", list.to_string().as_bytes()).expect("random clusters are valid");
    reader.finish(None).expect("random clusters are valid").0
}

/// Every recipe with some clusters of it, with their names for messages.
fn clusters() -> impl Iterator<Item = (String, Vec<Value>)> {
    some_clusters(CLUSTERS)
}

fn some_clusters(count: u64) -> impl Iterator<Item = (String, Vec<Value>)> {
    RECIPES.iter().flat_map(move |recipe| {
        (0..count)
            .map(|seed| (format!("{} {seed}", recipe.name), cluster(seed * 7919 + 13, recipe)))
    })
}

/// A few types in the zones that random clusters have.
fn book() -> PriceBook {
    let mut types = Vec::new();
    for (cores, gib) in [(2, 4), (4, 8), (8, 64), (16, 32)] {
        let name = format!("t{cores}-{gib}");
        let amount = Resources {
            cpu_milli: cores * 1000,
            memory_bytes: gib << 30,
            ephemeral_bytes: 100 << 30,
            pods: 20,
            extended: vec![("example.com/fpga".into(), cores)],
        };
        let mut own = InstanceType {
            capacity: amount.clone(),
            allocatable: amount,
            ..InstanceType::price_only(&name)
        };
        own.labels.set(label::ARCH, if cores == 4 { "arm64" } else { "amd64" });
        own.labels.set("size", cores.to_string());
        for zone in ["zone-a", "zone-b", "zone-c"] {
            for terms in [CapacityType::OnDemand, CapacityType::Spot] {
                let factor = if terms == CapacityType::Spot { 4 } else { 10 };
                let mut offering =
                    Offering::new(terms, Price::from_nanos(cores * factor * 1_000_000));
                offering.zone = Some(zone.into());
                own.offerings.push(offering);
            }
        }
        types.push(own);
    }
    PriceBook::new(Catalog::new(SourceInfo::named("test"), types), Adjustments::default())
}

fn pools(rng: &mut Rng) -> Vec<Value> {
    let mut pools = vec![json!({
        "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "default"},
        "spec": {"template": {
            "metadata": {"labels": {"rack": "r1"}},
            "spec": {"requirements": [{"key": "team", "operator": "In", "values": ["a", "b"]}]},
        }},
    })];
    if rng.below(2) == 0 {
        pools.push(json!({
            "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "tainted"},
            "spec": {
                "weight": 10, "limits": {"cpu": "16"},
                "template": {"spec": {
                    "requirements": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["zone-b"]}],
                    "taints": [{"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}],
                }},
            },
        }));
    }
    pools
}

/// A cluster with pools, as whoever launches nodes sees it.
fn with_pools(mut objects: Vec<Value>) -> (Snapshot, Cluster) {
    objects.extend(pools(&mut Rng::new(1)));
    let mut snapshot = snapshot(&objects);
    let offers = Arc::new(Offers::new(&mut snapshot, &book()));
    let cluster = Cluster::new(&snapshot, offers, Settings::PLANNER);
    (snapshot, cluster)
}

fn pending(snapshot: &Snapshot) -> Vec<usize> {
    let waits = |at: &usize| {
        let pod = &snapshot.pods[*at];
        pod.node.is_empty() && !pod.is_finished()
    };
    (0..snapshot.pods.len()).filter(waits).collect()
}

/// Replays a schedule in the checker: every placement must be allowed when its turn comes.
fn replay(snapshot: &Snapshot, schedule: &Schedule, drained: &[usize], name: &str) -> Checker {
    let mut checker = Checker::new(snapshot);
    for node in drained {
        checker.remove_node(*node);
    }
    let new: Vec<usize> = schedule
        .new_nodes
        .iter()
        .enumerate()
        .map(|(at, node)| {
            let host = checker.intern(&format!("new-{at}"));
            let hostname = checker.intern("kubernetes.io/hostname");
            let mut labels: Vec<(Str, Str)> = node.labels.iter().collect();
            labels.push((hostname, host));
            let mut allocatable = node.allocatable.clone();
            allocatable.subtract(&node.overhead);
            let mut value = Node { taints: node.taints.clone(), allocatable, ..Node::default() };
            value.meta.name = host;
            value.meta.labels = Labels::new(labels);
            checker.add_node(value)
        })
        .collect();
    for placement in &schedule.placements {
        let node = match placement.to {
            Destination::Node(node) => snapshot
                .nodes
                .iter()
                .position(|own| own.meta.name == node)
                .unwrap_or_else(|| panic!("{name}: no node {}", snapshot.text(node))),
            Destination::New(at) => new[at],
        };
        checker.evict(placement.pod);
        if let Err(violation) = checker.place(placement.pod, node) {
            let pod = &snapshot.pods[placement.pod];
            panic!("{name}: {} to {:?}: {violation:?}", snapshot.text(pod.name), placement.to);
        }
    }
    checker
}

#[test]
fn every_placement_passes_the_checker_and_what_is_left_out_fits_nowhere() {
    let (mut placed, mut left) = (0, 0);
    for (name, objects) in clusters() {
        let snapshot = snapshot(&objects);
        let pods = pending(&snapshot);
        let settings = Settings::SCHEDULER;
        let mut cluster = Cluster::new(&snapshot, Arc::new(Offers::none()), settings);
        let schedule = cluster.schedule(&snapshot, &pods, &[], Limits::EXISTING);
        let checker = replay(&snapshot, &schedule, &[], &name);
        placed += schedule.placements.len();
        for pod in schedule.unplaced.iter().flat_map(|own| &own.pods) {
            left += 1;
            for node in 0..snapshot.nodes.len() {
                assert!(
                    checker.allows(*pod, node).is_err(),
                    "{name}: pod {pod} fits on node {node}"
                );
            }
        }
    }
    assert!(placed > 500 && left > 100, "{placed} placed, {left} left out");
}

#[test]
fn new_nodes_hold_their_pods() {
    let (mut on_new, mut settings_tried) = (0, 0);
    for (name, mut objects) in clusters() {
        let mut rng = Rng::new(objects.len() as u64);
        objects.extend(pools(&mut rng));
        let mut snapshot = snapshot(&objects);
        let offers = Arc::new(Offers::new(&mut snapshot, &book()));
        let preferences =
            if rng.below(2) == 0 { Preferences::Respect } else { Preferences::Ignore };
        settings_tried |= 1 << u32::from(preferences == Preferences::Ignore);
        let settings = Settings { preferences, ..Settings::PLANNER };
        let mut cluster = Cluster::new(&snapshot, offers, settings);
        let drained: Vec<usize> = (0..snapshot.nodes.len()).filter(|_| rng.below(3) != 0).collect();
        let nodes: Vec<NodeId> = drained.iter().map(|at| NodeId(*at as u32)).collect();
        let pods = pending(&snapshot);
        let schedule = cluster.schedule(&snapshot, &pods, &nodes, Limits::ANY);
        replay(&snapshot, &schedule, &drained, &name);
        on_new +=
            schedule.placements.iter().filter(|own| matches!(own.to, Destination::New(_))).count();
    }
    assert!(on_new > 300, "{on_new} pods on new nodes");
    assert_eq!(settings_tried, 3);
}

#[test]
fn a_trial_that_is_dropped_leaves_no_trace() {
    for (name, objects) in clusters() {
        let (_, cluster) = with_pools(objects);
        let mut state = cluster.state().clone();
        let mut rng = Rng::new(7);
        for at in 0..cluster.node_count() {
            cluster.probe(&mut state, NodeId(at as u32), Limits { new_nodes: 1, below: None });
            assert!(state == *cluster.state(), "{name}: probe of node {at}");
            let some: Vec<NodeId> = (0..cluster.node_count() as u32)
                .filter(|_| rng.below(3) == 0)
                .map(NodeId)
                .collect();
            let first =
                cluster.trial(&mut state, &some, Limits::ANY).placements().collect::<Vec<_>>();
            assert!(state == *cluster.state(), "{name}: trial of {some:?}");
            let again =
                cluster.trial(&mut state, &some, Limits::ANY).placements().collect::<Vec<_>>();
            assert_eq!(first, again, "{name}: the same question has the same answer");
        }
    }
}

/// Whether pods have places together on nodes that exist, by trying every way.
fn fit_somehow(checker: &mut Checker, pods: &[usize], nodes: usize) -> bool {
    // Any order: a pod may have to wait for another.
    if pods.is_empty() {
        return true;
    }
    for (at, pod) in pods.iter().enumerate() {
        let others: Vec<usize> = [&pods[..at], &pods[at + 1..]].concat();
        for node in 0..nodes {
            if checker.place(*pod, node).is_ok() {
                if fit_somehow(checker, &others, nodes) {
                    return true;
                }
                checker.evict(*pod);
            }
        }
    }
    false
}

#[test]
fn a_probe_finds_what_a_trial_finds_and_no_more_than_there_is() {
    let (mut fits, mut replaced, mut only_probe) = (0, 0, 0);
    for (name, objects) in some_clusters(40) {
        let (snapshot, cluster) = with_pools(objects);
        let mut state = cluster.state().clone();
        for node in (0..cluster.node_count() as u32).map(NodeId) {
            for new_nodes in [0, 1, 3] {
                let limits = Limits { new_nodes, below: None };
                let verdict = cluster.probe(&mut state, node, limits);
                let trial = cluster.trial(&mut state, &[node], limits);
                let complete = trial.is_complete();
                let what = format!("{name}: node {} with {new_nodes} new: {verdict:?}", node.0);
                match verdict {
                    Verdict::Fits if complete && trial.new_nodes().is_empty() => fits += 1,
                    Verdict::Fits => {
                        drop(trial);
                        only_probe += 1;
                        let mut checker = Checker::new(&snapshot);
                        let pods: Vec<usize> = cluster.movable(node).map(|(pod, _)| pod).collect();
                        for pod in &pods {
                            checker.evict(*pod);
                        }
                        checker.remove_node(node.index());
                        assert!(fit_somehow(&mut checker, &pods, snapshot.nodes.len()), "{what}");
                    }
                    Verdict::Replaced { price, nodes } => {
                        replaced += 1;
                        assert!(complete, "{what}: the trial misses {:?}", trial.missed());
                        let found = (trial.price(), trial.new_nodes().len());
                        assert_eq!((price, nodes as usize), found, "{what}");
                    }
                    Verdict::Misfit { .. } => assert!(!complete, "{what}: the trial finds places"),
                }
            }
        }
    }
    assert!(fits > 15_000 && replaced > 500, "{fits} fit, {replaced} replaced");
    // It looks for roomy nodes first, and then comes to an answer where the tightest do not.
    assert!((1..fits / 500).contains(&only_probe), "{only_probe} only by the probe");
}

#[test]
fn pods_that_leave_a_node_leave_no_trace_and_can_come_back() {
    let mut came_back = 0;
    for (name, objects) in clusters() {
        let (_, cluster) = with_pools(objects);
        let mut state = cluster.state().clone();
        for node in (0..cluster.node_count() as u32).map(NodeId) {
            let movable = cluster.movable(node).map(|(_, class)| class);
            let mut classes: Vec<_> = movable.filter(|own| cluster.can_leave(*own)).collect();
            classes.sort_unstable();
            let leaving: Vec<_> = classes.iter().map(|class| (node, *class)).collect();
            let same = classes.chunk_by(|a, b| a == b);
            let pods: Vec<_> = same.map(|own| (own[0], own.len() as u32)).collect();
            let back = Bin { aim: Aim::Node(node), pods: pods.clone() };
            for bins in [vec![], vec![back]] {
                let home = !bins.is_empty();
                let share = Share { pods: pods.clone(), bins };
                let ask = [share];
                let (trial, _) =
                    cluster.directed_trial(&mut state, &[], &leaving, &ask, Limits::ANY);
                // As it was: on the same node, with all its preferences.
                let moved = |own: Placed| own.node != node || own.placed_as != own.class;
                let moved = trial.placements().any(moved);
                if home && trial.is_complete() && !moved && !classes.is_empty() {
                    trial.keep_step();
                    came_back += 1;
                } else {
                    drop(trial);
                }
                assert!(state == *cluster.state(), "{name}: pods of node {}", node.0);
            }
        }
    }
    assert!(came_back > 500, "only {came_back} nodes got their pods back");
}

#[test]
fn updates_pod_by_pod_equal_a_rebuild() {
    for (name, objects) in clusters() {
        let snapshot = snapshot(&objects);
        let offers = Arc::new(Offers::none());
        let fresh = Cluster::new(&snapshot, Arc::clone(&offers), Settings::SCHEDULER);
        let mut cluster = fresh.clone();
        let mut rng = Rng::new(3);
        let some: Vec<usize> = (0..snapshot.pods.len()).filter(|_| rng.below(2) == 0).collect();
        for pod in &some {
            cluster.remove_pod(*pod);
        }
        for pod in some.iter().rev() {
            cluster.add_pod(&snapshot, *pod);
        }
        assert!(cluster.state() == fresh.state(), "{name}");
        // A pod that moves is gone from where it was.
        let mut moved = snapshot.clone();
        for pod in &some {
            let to = rng.below(moved.nodes.len() as u32) as usize;
            if !moved.pods[*pod].node.is_empty()
                && !moved.shapes[moved.pods[*pod].shape].is_pinned()
            {
                moved.pods[*pod].node = moved.nodes[to].meta.name;
                cluster.change_pod(&moved, *pod);
            }
        }
        let rebuilt = Cluster::new(&moved, offers, Settings::SCHEDULER);
        assert!(cluster.state() == rebuilt.state(), "{name}: after moves");
    }
}

#[test]
fn nodes_that_come_and_go_equal_a_rebuild() {
    for (name, objects) in clusters() {
        let mut snapshot = snapshot(&objects);
        let mut cluster = Cluster::new(&snapshot, Arc::new(Offers::none()), Settings::SCHEDULER);
        let mut rng = Rng::new(5);
        for round in 0..4 {
            let at = rng.below(snapshot.nodes.len() as u32) as usize;
            let twin = snapshot.nodes[rng.below(snapshot.nodes.len() as u32) as usize].clone();
            let node = match round {
                // Gone and back as it was.
                0 => {
                    cluster.remove_node(snapshot.nodes[at].meta.name);
                    cluster.add_node(&snapshot, at);
                    continue;
                }
                1 => {
                    snapshot.nodes[at].unschedulable ^= true;
                    at
                }
                2 => {
                    snapshot.nodes[at].allocatable.cpu += 500;
                    snapshot.nodes[at].allocatable.pods += 1;
                    at
                }
                _ => {
                    let (name, labels) = (node_name(&snapshot, at), twin.meta.labels.clone());
                    snapshot.nodes[at] = twin;
                    snapshot.nodes[at].meta.name = name;
                    snapshot.nodes[at].meta.labels = labels;
                    at
                }
            };
            cluster.change_node(&snapshot, node);
        }
        let mut fresh = Cluster::new(&snapshot, Arc::new(Offers::none()), Settings::SCHEDULER);
        for pod in 0..snapshot.pods.len() {
            let (kept, built) =
                (cluster.feasibility(&snapshot, pod), fresh.feasibility(&snapshot, pod));
            assert_eq!(kept, built, "{name}: pod {pod}");
        }
    }
}

fn node_name(snapshot: &Snapshot, at: usize) -> Str {
    snapshot.nodes[at].meta.name
}

#[test]
fn the_order_of_objects_does_not_matter() {
    for (name, mut objects) in clusters() {
        objects.extend(pools(&mut Rng::new(2)));
        let answer = |objects: &[Value]| {
            let mut snapshot = snapshot(objects);
            let offers = Arc::new(Offers::new(&mut snapshot, &book()));
            let mut cluster = Cluster::new(&snapshot, offers, Settings::PLANNER);
            cluster.schedule(&snapshot, &pending(&snapshot), &[], Limits::ANY)
        };
        let first = answer(&objects);
        let mut rng = Rng::new(11);
        for at in (1..objects.len()).rev() {
            objects.swap(at, rng.below(at as u32 + 1) as usize);
        }
        assert_eq!(answer(&objects), first, "{name}");
    }
}

#[test]
fn an_empty_node_takes_no_place_away_but_for_spreads() {
    for (name, objects) in clusters() {
        let before = snapshot(&objects);
        let mut more = objects.clone();
        more.push(json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": {"name": "zz-empty", "labels": {"kubernetes.io/hostname": "zz-empty", "topology.kubernetes.io/zone": "zone-a", "rack": "r9"}},
            "status": {"allocatable": {"cpu": "64", "memory": "256Gi", "pods": "110"}},
        }));
        let after = snapshot(&more);
        let mut old = Cluster::new(&before, Arc::new(Offers::none()), Settings::SCHEDULER);
        let mut new = Cluster::new(&after, Arc::new(Offers::none()), Settings::SCHEDULER);
        for pod in 0..before.pods.len() {
            let (was, is) = (old.feasibility(&before, pod), new.feasibility(&after, pod));
            for (node, (was, is)) in was.iter().zip(&is).enumerate() {
                let fair =
                    was.is_some() || is.is_none() || matches!(is, Some(Reason::SpreadSkew { .. }));
                assert!(fair, "{name}: pod {pod} on node {node}: {is:?}");
            }
        }
    }
}

#[test]
fn amounts_beyond_all_reason_do_not_add_up_to_room() {
    let pod = |name: &str, node: Value| {
        json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default", "uid": name},
            "spec": {"nodeName": node, "containers": [{"name": "c", "resources": {"requests": {"memory": "7Ei", "cpu": "9E"}}}]},
        })
    };
    let mut objects = vec![json!({
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}},
    })];
    objects.extend((0..4).map(|at| pod(&format!("bound-{at}"), json!("n"))));
    objects.extend((0..4).map(|at| pod(&format!("waiting-{at}"), Value::Null)));
    let snapshot = snapshot(&objects);
    let mut cluster = Cluster::new(&snapshot, Arc::new(Offers::none()), Settings::SCHEDULER);
    let schedule = cluster.schedule(&snapshot, &pending(&snapshot), &[], Limits::EXISTING);
    assert!(schedule.placements.is_empty());
}

#[test]
fn requirements_of_pools_are_those_of_their_nodes() {
    let mut objects = vec![json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "default", "uid": "p"},
        "spec": {"nodeSelector": {"team": "b"}, "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]},
    })];
    objects.extend(pools(&mut Rng::new(1)));
    let mut snapshot = snapshot(&objects);
    let offers = Arc::new(Offers::new(&mut snapshot, &book()));
    let mut cluster = Cluster::new(&snapshot, offers, Settings::PLANNER);
    let schedule = cluster.schedule(&snapshot, &[0], &[], Limits::ANY);
    let team = snapshot.strings.get("team").expect("the pod names it");
    let wanted = Requirement::exactly(team, snapshot.strings.get("b").expect("the pod names it"));
    assert!(wanted.matches(&schedule.new_nodes[0].labels, &snapshot.strings));
}
