//! The roles that are shipped: enough for what is done, and nothing else is tried.

use restow_e2e::{LIMIT, objects};

use crate::stage::{MOVES, Stage};

/// The roles of the shipped manifests, for the account that they bind: no pods, which nobody could run here.
fn roles(stage: &Stage, mode: &str) {
    let printed = stage.servers.restow(stage.servers.kubeconfig(), &["manifests", "--mode", mode]);
    assert_eq!(printed.code, Some(0), "{printed}");
    let wanted =
        ["Namespace", "ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"];
    let is_wanted = |document: &&str| {
        wanted.iter().any(|kind| document.lines().any(|line| line == format!("kind: {kind}")))
    };
    let documents: Vec<&str> = printed.stdout.split("\n---").filter(is_wanted).collect();
    assert!(documents.len() >= wanted.len(), "{}", printed.stdout);
    stage.servers.apply(documents.join("\n---"));
}

fn assert_no_right_was_missing(log: &str) {
    assert!(!log.contains("no right") && !log.contains("forbidden"), "{log}");
}

#[test]
fn the_role_for_observing_is_enough_to_observe_and_not_to_act() {
    let stage = Stage::half_empty();
    roles(&stage, "observe");
    let account = stage.servers.account_of("restow", "restow");
    let observer = stage.run_as("observer", &account.kubeconfig, &["--holder", "observer"]);
    stage.servers.wait_until("the report is written", LIMIT, || {
        let path = format!("{}/default", crate::stage::REPORTS);
        let report = stage.servers.admin().get(&path).map_err(|error| error.to_string())?;
        let moves = report["status"]["plannedMoves"].as_u64();
        if moves == Some(1) { Ok(()) } else { Err(format!("{report}\n{}", observer.log())) }
    });
    assert_no_right_was_missing(&observer.log());
    observer.kill();
    let actor = stage.run_as("actor", &account.kubeconfig, &["--no-lease", "--mode", "act"]);
    stage.servers.wait_until("it may not", LIMIT, || {
        let log = actor.log();
        if log.contains("no right") { Ok(()) } else { Err(log) }
    });
    assert_eq!(stage.servers.count(MOVES), 0);
    stage.settle(2, 3);
}

#[test]
fn the_role_for_acting_is_enough_to_act() {
    let stage = Stage::half_empty();
    roles(&stage, "act");
    let account = stage.servers.account_of("restow", "restow");
    let words = ["--holder", "actor", "--mode", "act"];
    let actor = stage.run_as("actor", &account.kubeconfig, &words);
    let moves = stage.await_moves(1);
    assert_eq!(moves[0]["status"]["phase"], "Done", "{}", actor.log());
    stage.settle(1, 3);
    stage.assert_clean();
    // And a replacement: two of the three pods go.
    stage.servers.apply(objects::deployment("web", 1, "1100m", "256Mi"));
    let moves = stage.await_moves(2);
    assert!(moves.iter().all(|own| own["status"]["phase"] == "Done"), "{}", actor.log());
    stage.settle(1, 1);
    stage.assert_clean();
    assert_no_right_was_missing(&actor.log());
}
