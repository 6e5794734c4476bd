//! Every shape of move, carried out beside the real Karpenter.

use restow_e2e::objects;
use serde_json::Value;

use crate::stage::Stage;

/// Sources and replacements of moves, in order.
fn shapes(moves: &[Value]) -> Vec<(usize, usize)> {
    let count = |own: &Value, what: &str| own["spec"][what].as_array().map_or(0, Vec::len);
    moves.iter().map(|own| (count(own, "sources"), count(own, "replacements"))).collect()
}

/// Nodes of these types with pods of one size, on which one controller runs until nothing is left to do.
fn carried_out(types: &[&str], pods: u32, cpu: &str, nodes_after: usize) -> Vec<Value> {
    let stage = Stage::new();
    for (number, own) in types.iter().enumerate() {
        stage.node(&format!("start-{number}"), own);
    }
    stage.settle(types.len(), 0);
    if pods > 0 {
        stage.servers.apply(objects::deployment("web", pods, cpu, "256Mi"));
    }
    stage.settle(types.len(), pods as usize);
    let _controller = stage.run("restow", &[]);
    let moves = stage.await_moves(1);
    stage.settle(nodes_after, pods as usize);
    let moves = if moves.len() > 1 { stage.await_moves(moves.len()) } else { moves };
    stage.assert_clean();
    for own in &moves {
        assert_eq!(own["status"]["phase"], "Done", "{own:#}");
        let (promised, realised) =
            (&own["spec"]["savingsPerHour"], &own["status"]["realisedSavingsPerHour"]);
        assert_eq!(promised, realised, "{own:#}");
    }
    moves
}

#[test]
fn empty_nodes_go() {
    let moves = carried_out(&["c-4x-amd64-linux", "c-2x-amd64-linux"], 0, "1", 0);
    let gone: usize = shapes(&moves).iter().map(|own| own.0).sum();
    assert_eq!(gone, 2);
    assert!(shapes(&moves).iter().all(|own| own.1 == 0));
}

#[test]
fn a_node_goes_whose_pods_fit_elsewhere() {
    let types = ["c-4x-amd64-linux", "c-4x-amd64-linux"];
    assert_eq!(shapes(&carried_out(&types, 3, "1100m", 1)), [(1, 0)]);
}

#[test]
fn a_node_is_replaced_by_a_cheaper_one() {
    assert_eq!(shapes(&carried_out(&["c-8x-amd64-linux"], 2, "500m", 1)), [(1, 1)]);
}

#[test]
fn two_nodes_are_replaced_by_one() {
    let types = ["c-8x-amd64-linux", "c-8x-amd64-linux"];
    assert_eq!(shapes(&carried_out(&types, 4, "900m", 1)), [(2, 1)]);
}

#[test]
fn two_nodes_are_replaced_by_two() {
    let types = ["c-8x-amd64-linux", "c-8x-amd64-linux"];
    assert_eq!(shapes(&carried_out(&types, 10, "500m", 2)), [(2, 2)]);
}
