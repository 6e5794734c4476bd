//! What must hold of scores on every cluster, tried on random ones, besides that they are those of the real scheduler.

use std::sync::Arc;

use restow_kubernetes::{ReadOptions, Reader};
use restow_model::Snapshot;
use restow_scheduling::{Cluster, NodeScore, Offers, Picking, Profile, Settings};
use restow_testkit::random::{RECIPES, cluster};
use serde_json::json;

/// Clusters per recipe.
const CLUSTERS: u64 = 5;

const SCORED: Settings = Settings { scores: true, ..Settings::SCHEDULER };

/// Every recipe with some clusters of it, with their names for messages.
fn snapshots() -> impl Iterator<Item = (String, Snapshot)> {
    let named = RECIPES.iter().flat_map(|recipe| (0..CLUSTERS).map(move |seed| (recipe, seed)));
    named.map(|(recipe, seed)| {
        let objects = cluster(seed * 7919 + 13, recipe);
        let list = json!({"apiVersion": "v1", "kind": "List", "items": objects}).to_string();
        let mut reader = Reader::new(ReadOptions::default());
        reader.read("random cluster", list.as_bytes()).expect("random clusters are valid");
        let (snapshot, _) = reader.finish(None).expect("random clusters are valid");
        (format!("{} {seed}", recipe.name), snapshot)
    })
}

fn open(snapshot: &Snapshot, settings: Settings) -> Cluster {
    Cluster::new(snapshot, Arc::new(Offers::none()), settings)
}

/// The scores of every pod, with the names of the nodes: numbers may change when nodes come and go.
fn all(cluster: &mut Cluster, snapshot: &Snapshot) -> Vec<Vec<(String, NodeScore)>> {
    let mut of_pod = |pod| {
        let scores = cluster.scores(snapshot, pod, Profile::LeastAllocated);
        let named = scores.into_iter().map(|score| {
            let name = snapshot.text(cluster.name(score.node)).to_owned();
            (name, NodeScore { node: restow_scheduling::NodeId(0), ..score })
        });
        let mut named: Vec<_> = named.collect();
        named.sort_by(|a, b| a.0.cmp(&b.0));
        named
    };
    (0..snapshot.pods.len()).map(&mut of_pod).collect()
}

#[test]
fn the_setting_changes_no_other_answer() {
    for (name, snapshot) in snapshots() {
        let mut plain = open(&snapshot, Settings::SCHEDULER);
        let mut scored = open(&snapshot, SCORED);
        for pod in 0..snapshot.pods.len() {
            let answers = plain.feasibility(&snapshot, pod);
            assert_eq!(answers, scored.feasibility(&snapshot, pod), "{name}: pod {pod}");
            let possible = answers.iter().filter(|reason| reason.is_none()).count();
            let scores = scored.scores(&snapshot, pod, Profile::MostAllocated);
            assert_eq!(scores.len(), possible, "{name}: pod {pod}");
        }
    }
}

#[test]
fn points_are_between_0_and_100_and_add_up_to_the_total() {
    for (name, snapshot) in snapshots() {
        let mut cluster = open(&snapshot, SCORED);
        for pod in 0..snapshot.pods.len() {
            let scores = cluster.scores(&snapshot, pod, Profile::LeastAllocated);
            for score in &scores {
                let parts = score.parts.by_plugin();
                let total: i64 = parts.iter().map(|(_, points, weight)| points * weight).sum();
                assert_eq!(score.total, total, "{name}: pod {pod}");
                let within = |points: i64| (0..=100).contains(&points);
                assert!(parts.iter().all(|(_, points, _)| within(*points)), "{name}: {score:?}");
            }
        }
    }
}

#[test]
fn pods_and_nodes_that_go_and_come_back_leave_scores_as_they_were() {
    for (name, snapshot) in snapshots() {
        let mut cluster = open(&snapshot, SCORED);
        let before = all(&mut cluster, &snapshot);
        for pod in (0..snapshot.pods.len()).step_by(3) {
            cluster.remove_pod(pod);
            cluster.add_pod(&snapshot, pod);
        }
        assert!(all(&mut cluster, &snapshot) == before, "{name}: pods");
        for node in (0..snapshot.nodes.len()).step_by(4) {
            cluster.remove_node(snapshot.nodes[node].meta.name);
            cluster.add_node(&snapshot, node);
        }
        assert!(all(&mut cluster, &snapshot) == before, "{name}: nodes");
    }
}

#[test]
fn the_pick_is_one_of_the_best_and_chance_takes_each_of_them() {
    let mut ties = 0;
    for (name, snapshot) in snapshots() {
        let mut cluster = open(&snapshot, SCORED);
        let mut space = Picking::default();
        for (pod, value) in snapshot.pods.iter().enumerate() {
            // Nominated pods hold room that the pick does not see: nobody preempts in a simulation.
            let nominated = snapshot.pods.iter().any(|own| !own.nominated_node.is_empty());
            if value.is_bound() || value.is_finished() || nominated {
                continue;
            }
            let scores = cluster.scores(&snapshot, pod, Profile::LeastAllocated);
            let most = scores.iter().map(|own| own.total).max();
            let best: Vec<_> = scores.iter().filter(|own| Some(own.total) == most).collect();
            for at in 0..best.len().max(1) {
                let mut chance = |count: usize| {
                    assert_eq!(count, best.len(), "{name}: pod {pod}");
                    at
                };
                let pick = cluster.pick(pod, Profile::LeastAllocated, &mut space, &mut chance);
                assert_eq!(pick, best.get(at).map(|own| own.node), "{name}: pod {pod}");
            }
            ties += usize::from(best.len() > 1);
        }
    }
    assert!(ties > 10, "only {ties} ties");
}
