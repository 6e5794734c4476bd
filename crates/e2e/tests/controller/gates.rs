//! What keeps nodes from being touched, on live objects.

use std::thread::sleep;
use std::time::Duration;

use restow_e2e::{LIMIT, objects, paths};
use serde_json::json;

use crate::stage::Stage;

/// Nothing is done for as long as it would have taken.
fn assert_still(stage: &Stage) {
    sleep(Duration::from_secs(5));
    assert!(stage.moves().is_empty(), "{:#?}", stage.moves());
    assert_eq!(stage.servers.count(paths::NODES), 2);
}

#[test]
fn gates_hold_on_live_objects_and_open_again() {
    let stage = Stage::half_empty();
    let log = |process: &restow_e2e::Process| process.log();
    let pool = format!("{}/default", paths::NODE_POOLS);
    let patch = |fields| stage.servers.admin().patch(&pool, &fields).expect("the pool is there");

    // A savings threshold that nothing clears: the line and the code of seed 001.
    patch(json!({"spec": {"disruption": {"consolidationSavingsThresholdCents": "100"}}}));
    let controller = stage.run("gates", &[]);
    stage.await_reason("SavingsBelowThreshold", 2);
    stage.servers.wait_until("the line of the seed is logged", LIMIT, || {
        let text = log(&controller);
        if text.contains("consolidation blocked: savings ") { Ok(()) } else { Err(text) }
    });
    assert_still(&stage);
    patch(json!({"spec": {"disruption": {"consolidationSavingsThresholdCents": null}}}));

    // Before the next search opens something, another gate closes: utilization.
    controller.kill();
    stage.annotate(&json!({"restow.dev/scaledown-utilization-threshold": "0.1"}));
    let controller = stage.run("utilization", &[]);
    stage.await_reason("UtilizationAboveThreshold", 2);
    assert_still(&stage);
    controller.kill();

    // A disruption budget of pods that allows nothing.
    stage.annotate(&json!({"restow.dev/scaledown-utilization-threshold": null}));
    stage.servers.apply(objects::disruption_budget("web", 0));
    sleep(Duration::from_secs(2));
    let controller = stage.run("budget", &[]);
    stage.await_reason("PdbBlocks", 2);
    assert_still(&stage);

    // It opens while the controller runs.
    stage.servers.apply(objects::disruption_budget("web", 3));
    stage.await_moves(1);
    stage.settle(1, 3);
    stage.assert_clean();
    drop(controller);
}

#[test]
fn a_node_that_was_evaluated_in_vain_is_left_alone_also_after_a_restart() {
    let stage = Stage::new();
    stage.node("start-0", "c-4x-amd64-linux");
    stage.settle(1, 0);
    // As cheap as it gets.
    stage.servers.apply(objects::deployment("web", 6, "600m", "256Mi"));
    stage.settle(1, 6);
    let pool = format!("{}/default", paths::NODE_POOLS);
    let grace = json!({"spec": {"disruption": {"consolidationGracePeriod": "1h"}}});
    stage.servers.admin().patch(&pool, &grace).expect("the pool is there");
    let controller = stage.run("first", &[]);
    let claim = format!("{}/start-0", paths::NODE_CLAIMS);
    let noted = || {
        let claim = stage.servers.admin().get(&claim).map_err(|error| error.to_string())?;
        let at = claim["metadata"]["annotations"]["restow.dev/evaluated-at"].as_str();
        at.map(str::to_owned).ok_or_else(|| claim["metadata"].to_string())
    };
    let at = stage.servers.wait_until("the evaluation is noted", LIMIT, noted);
    stage.await_reason("InGracePeriod", 1);
    controller.kill();
    let _controller = stage.run("second", &[]);
    stage.await_reason("InGracePeriod", 1);
    sleep(Duration::from_secs(3));
    assert_eq!(noted(), Ok(at), "a restart resets nothing");
}

#[test]
fn beside_a_karpenter_that_consolidates_nothing_is_done() {
    let stage = Stage::half_empty();
    let pool = format!("{}/default", paths::NODE_POOLS);
    // Karpenter would act too, only later.
    let on =
        json!({"spec": {"disruption": {"consolidateAfter": "1h", "budgets": [{"nodes": "100%"}]}}});
    stage.servers.admin().patch(&pool, &on).expect("the pool is there");
    stage.annotate(&json!({"restow.dev/consolidate-after": "0s"}));
    let controller = stage.run("restow", &[]);
    stage.servers.wait_until("it is said", LIMIT, || {
        let text = controller.log();
        if text.contains("PeerActive") { Ok(()) } else { Err(text) }
    });
    assert_still(&stage);
}
