//! Plans that are carried out: every pod has a place, the bill falls, and there is an end.

use restow_consolidation::settings::Name;
use restow_consolidation::{Fleet, Plan, Target, after};
use restow_model::{Labels, Node, Str};
use restow_scheduling::checker::Checker;

use super::world::{OPEN, book, case, clusters, planned, read};

/// Carries out all moves of a plan in the checker, which knows nothing of how they came to be. Pods move one by one, in any
/// order in which each is allowed when its turn comes; those that are not allowed while the old nodes are still there, when
/// these are gone.
fn carry_out(fleet: &Fleet<'_>, plan: &Plan, name: &str) -> usize {
    let snapshot = fleet.snapshot;
    let mut checker = Checker::new(snapshot);
    let mut waiting: Vec<(usize, usize)> = Vec::new();
    let mut new_nodes: Vec<(usize, usize)> = Vec::new();
    for (number, planned) in plan.moves.iter().enumerate() {
        let own = &planned.own;
        let first = new_nodes.len();
        for (at, new) in own.replacements.iter().enumerate() {
            let host = checker.intern(&format!("new-{number}-{at}"));
            let hostname = checker.intern("kubernetes.io/hostname");
            let mut labels: Vec<(Str, Str)> =
                new.node.labels.iter().filter(|(key, _)| *key != hostname).collect();
            labels.push((hostname, host));
            let mut allocatable = new.node.allocatable.clone();
            allocatable.subtract(&new.node.overhead);
            let mut node = Node { taints: new.node.taints.clone(), allocatable, ..Node::default() };
            node.meta.name = host;
            node.meta.labels = Labels::new(labels);
            new_nodes.push((number, checker.add_node(node)));
        }
        for moved in &own.pods {
            let node = match moved.to {
                Target::Node(to) => snapshot
                    .nodes
                    .iter()
                    .position(|own| own.meta.name == to)
                    .unwrap_or_else(|| panic!("{name}: no node {}", snapshot.text(to))),
                Target::Replacement(at) => new_nodes[first + at].1,
            };
            waiting.push((moved.pod, node));
        }
    }
    let all = waiting.len();
    let mut drained = false;
    while !waiting.is_empty() || !drained {
        let before = waiting.len();
        waiting.retain(|(pod, node)| checker.place(*pod, *node).is_err());
        if waiting.len() < before {
            continue;
        }
        if drained {
            let (pod, node) = waiting[0];
            let violation = checker.allows(pod, node);
            let pod = &snapshot.pods[pod];
            panic!("{name}: {} cannot go: {violation:?}", snapshot.text(pod.name));
        }
        drained = true;
        for source in plan.moves.iter().flat_map(|own| &own.own.sources) {
            checker.remove_node(*source);
        }
    }
    all
}

#[test]
fn every_move_passes_the_checker_and_no_pod_moves_twice() {
    let mut moved = [0; 3];
    for (name, cluster) in clusters() {
        let book = book(&cluster);
        for (at, search) in ["global", "seed", "karpenter"].into_iter().enumerate() {
            let mut settings = OPEN.to_vec();
            settings.push((Name::Search, search));
            let case = case(read(&cluster, false), &book, &settings);
            moved[at] += planned(&case, |fleet, plan| {
                let mut pods: Vec<usize> = plan
                    .moves
                    .iter()
                    .flat_map(|own| own.own.pods.iter().map(|moved| moved.pod))
                    .collect();
                let all = pods.len();
                pods.sort_unstable();
                pods.dedup();
                assert_eq!(all, pods.len(), "{name}: a pod moves twice");
                carry_out(fleet, plan, &format!("{name} {search}"))
            });
        }
    }
    assert!(moved.iter().all(|pods| *pods > 300), "{moved:?} pods moved");
}

#[test]
fn planning_again_converges_and_the_bill_never_rises() {
    let mut rounds_in_all = 0;
    for (name, cluster) in clusters() {
        let book = book(&cluster);
        let mut snapshot = read(&cluster, false);
        let nodes = snapshot.nodes.len();
        let mut moves = 0;
        let mut last = None;
        for round in 0.. {
            let case = case(snapshot.clone(), &book, &OPEN);
            let next = planned(&case, |fleet, plan| {
                assert!(plan.after.price <= plan.before.price, "{name}: the bill rises");
                if let Some(last) = last {
                    assert!(plan.before.price <= last, "{name}: dearer than promised");
                }
                last = Some(plan.after.price);
                let now: Vec<_> = plan
                    .moves
                    .iter()
                    .filter(|own| own.turn.wave.is_some())
                    .map(|own| &own.own)
                    .collect();
                moves += now.len();
                (!now.is_empty()).then(|| after(fleet, now.into_iter()))
            });
            let Some(next) = next else { break };
            rounds_in_all += 1;
            assert!(round <= nodes, "{name}: no end after {round} rounds");
            snapshot = next;
        }
        assert!(moves <= 2 * nodes, "{name}: {moves} moves of {nodes} nodes");
    }
    assert!(rounds_in_all > 50, "{rounds_in_all} plans carried out");
}

#[test]
fn global_ends_no_dearer_than_the_first_moves_of_the_others() {
    for (name, cluster) in clusters() {
        let book = book(&cluster);
        let plan = |search: &'static str| {
            let mut settings = OPEN.to_vec();
            settings.push((Name::Search, search));
            let case = case(read(&cluster, false), &book, &settings);
            planned(&case, |_, plan| {
                // What is saved at the price that may have to be paid at worst.
                let worst = |own: &restow_consolidation::Move| {
                    own.before - own.replacements.iter().map(|new| new.price).sum()
                };
                let savings: Vec<_> = plan.moves.iter().map(|own| worst(&own.own)).collect();
                (savings.iter().copied().sum::<restow_model::Price>(), savings.first().copied())
            })
        };
        let (global, _) = plan("global");
        for search in ["seed", "karpenter"] {
            let (_, first) = plan(search);
            assert!(
                first.is_none_or(|first| first <= global),
                "{name}: {search} saves {first:?} at once, global {global}"
            );
        }
    }
}
