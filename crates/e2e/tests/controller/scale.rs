//! A cluster that has become too large for its pods, brought down until nothing is left to do.

use std::env;
use std::fmt::Write;
use std::thread::sleep;
use std::time::{Duration, Instant};

use restow_e2e::{LIMIT, NodePools, Options, Servers, objects, paths};
use serde_json::{Value, json};

use crate::stage::{Stage, is_over};

/// How many workloads share the pods.
const WORKLOADS: usize = 10;

/// Nodes and pods: few in every run, and what `RESTOW_E2E_SCALE=500x10000` says.
fn size() -> (usize, usize) {
    let text = env::var("RESTOW_E2E_SCALE").unwrap_or_else(|_| "40x800".to_owned());
    let (nodes, pods) = text.split_once('x').expect("RESTOW_E2E_SCALE is NODESxPODS");
    let number = |text: &str| text.parse().expect("RESTOW_E2E_SCALE is NODESxPODS");
    (number(nodes), number(pods))
}

fn workloads(servers: &Servers, pods: usize) {
    for number in 0..WORKLOADS {
        let name = format!("web-{number}");
        let replicas = u32::try_from(pods / WORKLOADS).expect("it is not that many");
        let cpu = format!("{}m", 200 + 20 * number);
        servers.apply(objects::deployment(&name, replicas, &cpu, "128Mi"));
    }
}

#[test]
fn a_cluster_that_is_too_large_comes_to_rest_with_every_pod_running() {
    let (nodes, pods) = size();
    let long = LIMIT * if nodes > 100 { 6 } else { 1 };
    let stage = Stage::with(Options { node_pools: NodePools::Superset, ..Options::default() });
    let servers = &stage.servers;
    stage.annotate(&json!({"restow.dev/mode": "observe"}));
    let mut claims = String::new();
    for number in 0..nodes {
        let _ = writeln!(
            claims,
            "---\n{}",
            stage.claim(&format!("start-{number}"), "c-8x-amd64-linux")
        );
    }
    servers.apply(claims);
    let controller = stage.run("restow", &["--provider", "kwok", "--catalog", "kwok"]);
    servers.wait_until("all nodes are there", long, || servers.ready_nodes(nodes));
    workloads(servers, pods);
    servers.wait_until("all pods run", long, || servers.running_pods(pods));
    let left = pods / 2 / WORKLOADS * WORKLOADS;
    workloads(servers, left);
    servers.wait_until("half of the pods run", long, || servers.running_pods(left));
    let begun = Instant::now();
    stage.annotate(&json!({"restow.dev/mode": "act"}));
    stage.await_moves_within(1, long);
    // At rest: nothing under way, nothing new for a while, and a plan finds nothing.
    servers.wait_until("it comes to rest", long, || {
        let before = phases(&stage);
        sleep(Duration::from_secs(20));
        let after = phases(&stage);
        let still = before == after && after.iter().all(|own| is_over(own));
        if still { Ok(()) } else { Err(format!("{} moves", after.len())) }
    });
    let took = begun.elapsed();
    servers.wait_until("all pods run", long, || servers.running_pods(left));
    stage.assert_clean();
    let placed = controller.placements();
    let moves = stage.moves();
    let sum = |what: &dyn Fn(&Value) -> f64| moves.iter().map(what).sum::<f64>();
    let promised = sum(&|own| own["spec"]["savingsPerHour"].as_f64().unwrap_or_default());
    let realised = sum(&|own| own["status"]["realisedSavingsPerHour"].as_f64().unwrap_or_default());
    eprintln!(
        "{nodes} nodes and {left} pods came to {} nodes by {} moves in {took:?}; promised ${promised:.3}, realised ${realised:.3}; \
         {} of {} evicted pods are where the plan put them",
        servers.count(paths::NODES),
        moves.len(),
        placed.0,
        placed.0 + placed.1
    );
    assert!(servers.count(paths::NODES) < nodes * 7 / 10);
    let plan = servers.restow(servers.kubeconfig(), &["plan", "--catalog", "kwok", "-o", "json"]);
    let plan: Value = serde_json::from_str(&plan.stdout).expect("it is a plan");
    let more = plan["before"]["pricePerHour"].as_f64().unwrap_or_default()
        - plan["after"]["pricePerHour"].as_f64().unwrap_or_default();
    let price = plan["before"]["pricePerHour"].as_f64().unwrap_or_default();
    // What only pays if the scheduler packs perfectly is not begun.
    assert!(more < price / 10.0, "a plan would still save {more} of {price}");
}

fn phases(stage: &Stage) -> Vec<String> {
    let moves = stage.moves();
    moves.iter().map(|own| own["status"]["phase"].as_str().unwrap_or_default().to_owned()).collect()
}
