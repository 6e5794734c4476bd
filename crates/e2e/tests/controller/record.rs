//! `restow record`: what happens to a real cluster, by somebody who may only look, and replayed.

use std::fs;

use restow_e2e::{LIMIT, objects};
use serde_json::{Value, json};

use crate::stage::Stage;

#[test]
fn what_happens_is_recorded_by_whoever_may_look_and_can_be_replayed() {
    let stage = Stage::half_empty();
    let servers = &stage.servers;
    let rules =
        json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}]);
    let looker = servers.account("restow", "looker", &rules).kubeconfig;
    let file = servers.dir().join("cluster.history");
    let size = || fs::metadata(&file).map(|own| own.len()).unwrap_or_default();
    let path = file.to_str().expect("it is text");
    let words = ["record", "--out", path, "--every", "1s"];
    let recorder = servers.start_restow("record", &looker, &words);
    let start = servers.wait_until("the cluster is in the file", LIMIT, || match size() {
        0 => Err(recorder.log()),
        bytes => Ok(bytes),
    });
    servers.apply(objects::deployment("web", 4, "1100m", "256Mi"));
    stage.settle(2, 4);
    servers.wait_until("what happened is in the file", LIMIT, || {
        if size() > start { Ok(()) } else { Err(recorder.log()) }
    });
    // A crash costs what was not written yet; whoever goes on finds it out.
    recorder.kill();
    let more = [&words, ["--append", "--for", "2s"].as_slice()].concat();
    let more = servers.restow(&looker, &more);
    assert_eq!(more.code, Some(0), "{more}");
    assert!(
        more.stderr.contains("2 nodes, 4 pods") && !more.stderr.contains(" 0 changes"),
        "{more}"
    );

    let words = ["simulate", path, "--catalog", "kwok", "--policy", "none", "-o", "json"];
    let replayed = servers.restow(&looker, &words);
    assert_eq!(replayed.code, Some(0), "{replayed}");
    assert!(replayed.stderr.contains("as it was: $"), "{replayed}");
    let report: Value = serde_json::from_str(&replayed.stdout).expect("it is JSON");
    let run = &report["policies"][0]["runs"][0];
    assert_eq!((&run["nodesAtEnd"], &run["evictions"]), (&json!(2), &json!(0)), "{report:#}");
    assert!(run["dollars"].as_f64() > Some(0.0), "{report:#}");
}
