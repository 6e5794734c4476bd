//! Stand-alone: no Karpenter, restow makes KWOK nodes of claims itself.

use restow_e2e::{NodePools, Options, objects};
use serde_json::json;

use crate::stage::Stage;

#[test]
fn without_karpenter_restow_makes_the_nodes() {
    let options = Options { node_pools: NodePools::Superset, ..Options::default() };
    let stage = Stage::with(options);
    for number in 0..3 {
        stage.node(&format!("start-{number}"), "c-8x-amd64-linux");
    }
    // Nodes are made, and nothing is consolidated before all pods run.
    stage.annotate(&json!({"restow.dev/mode": "observe"}));
    let controller = stage.run("restow", &["--provider", "kwok", "--catalog", "kwok"]);
    stage.servers.apply(objects::deployment("web", 9, "500m", "256Mi"));
    stage.settle(3, 9);
    stage.annotate(&json!({"restow.dev/mode": "act"}));
    stage.await_moves(1);
    // 9 x 500m: one node of 4 cores and one of 2, or what is as cheap.
    stage.servers.wait_until("it is as small as it gets", restow_e2e::LIMIT, || {
        let cores: u64 = stage
            .servers
            .list(restow_e2e::paths::NODES)
            .iter()
            .filter_map(|node| {
                node["metadata"]["labels"]["karpenter.kwok.sh/instance-cpu"].as_str()
            })
            .filter_map(|cores| cores.parse::<u64>().ok())
            .sum();
        if cores == 6 { Ok(()) } else { Err(format!("{cores} cores\n{}", controller.log())) }
    });
    stage.servers.wait_until("all pods run", restow_e2e::LIMIT, || stage.servers.running_pods(9));
    stage.assert_clean();
}
