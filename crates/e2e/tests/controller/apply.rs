//! `restow apply`: a reviewed plan, carried out by hand.

use serde_json::Value;

use crate::stage::Stage;

#[test]
fn a_reviewed_plan_is_carried_out_once() {
    let stage = Stage::half_empty();
    let kubeconfig = stage.servers.kubeconfig();
    let file = stage.servers.dir().join("plan.json");
    let file = file.to_str().expect("it is text");
    let planned = stage.servers.restow(&kubeconfig, &["plan", "-o", "json", "--out", file]);
    let text = std::fs::read_to_string(file).unwrap_or_default();
    assert_eq!(planned.code, Some(2), "{planned}\n{text}");
    let asked = stage.servers.restow(&kubeconfig, &["apply", file]);
    assert_eq!(asked.code, Some(1), "nobody is here to say yes: {asked}");
    assert!(stage.moves().is_empty());
    let applied = stage.servers.restow(&kubeconfig, &["apply", file, "--yes"]);
    assert_eq!(applied.code, Some(0), "{applied}");
    assert!(applied.stdout.contains("1 of 1 move done"), "{applied}");
    stage.settle(1, 3);
    stage.assert_clean();
    let again = stage.servers.restow(&kubeconfig, &["apply", file, "--yes"]);
    assert_eq!(again.code, Some(2), "{again}");
    assert!(again.stdout.contains("ChangedSincePlan"), "{again}");
    assert_eq!(stage.moves().len(), 1);
    let history = stage.servers.restow(&kubeconfig, &["history", "-o", "json"]);
    let history: Value = serde_json::from_str(&history.stdout).expect("it is JSON");
    assert_eq!(history["totals"]["done"], 1, "{history:#}");
}
