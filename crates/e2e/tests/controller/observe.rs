//! Who only observes writes nothing but events and reports, whatever it may do.

use restow_e2e::{LIMIT, objects, paths};
use serde_json::Value;

use crate::stage::{MOVES, Stage};

/// Names and versions of what must not change.
fn versions(stage: &Stage) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for path in [paths::NODE_CLAIMS, paths::NODE_POOLS] {
        for own in stage.servers.list(path) {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let meta = &own["metadata"];
            let spec = format!("{}{}", own["spec"], meta["annotations"]);
            found.push((text(&meta["name"]), text(&meta["uid"]), spec));
        }
    }
    for own in stage.servers.list(paths::NODES) {
        let name = own["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        found.push((name, String::new(), own["spec"].to_string()));
    }
    found.sort();
    found
}

#[test]
fn observing_changes_nothing() {
    let stage = Stage::new();
    for name in ["start-0", "start-1"] {
        stage.node(name, "c-8x-amd64-linux");
    }
    stage.settle(2, 0);
    stage.servers.apply(objects::deployment("web", 2, "500m", "256Mi"));
    stage.settle(2, 2);
    let before = versions(&stage);
    let words = ["--no-lease"];
    let _controller = stage.run_as("observer", &stage.servers.kubeconfig(), &words);
    stage.servers.wait_until("the report says what would be done", LIMIT, || {
        let path = format!("{}/default", crate::stage::REPORTS);
        let report = stage.servers.admin().get(&path).map_err(|error| error.to_string())?;
        let (mode, moves) = (&report["status"]["mode"], &report["status"]["plannedMoves"]);
        if mode == "Observe" && moves.as_u64() > Some(0) { Ok(()) } else { Err(report.to_string()) }
    });
    assert_eq!(versions(&stage), before);
    assert_eq!(stage.servers.count(MOVES), 0);
}
