//! Several replicas: one acts, and another goes on where it stopped.

use restow_e2e::{LIMIT, objects};

use crate::stage::Stage;

#[test]
fn when_the_leader_hangs_another_goes_on_and_the_old_one_does_no_harm() {
    let stage = Stage::new();
    stage.node("start-0", "c-8x-amd64-linux");
    stage.settle(1, 0);
    stage.servers.apply(objects::deployment("web", 2, "500m", "256Mi"));
    stage.settle(1, 2);
    let first = stage.run_elected("first");
    stage.servers.wait_until("the first leads", LIMIT, || {
        let text = first.log();
        if text.contains("\"leading\"") { Ok(()) } else { Err(text) }
    });
    let second = stage.run_elected("second");
    let found = stage.await_phase("Validating");
    assert_eq!(found["metadata"]["annotations"]["restow.dev/leader"], "first");
    // It hangs with a move in its hands.
    first.pause();
    stage.servers.wait_until("the second leads", LIMIT, || {
        let text = second.log();
        if text.contains("\"leading\"") { Ok(()) } else { Err(text) }
    });
    let moves = stage.await_moves(1);
    first.resume();
    stage.settle(1, 2);
    stage.assert_clean();
    assert_eq!(moves.len(), stage.moves().len());
    // Nobody deleted a node twice, and the old one knows that it does not lead.
    stage.servers.wait_until("the first follows", LIMIT, || {
        let text = first.log();
        if text.contains("another replica leads") { Ok(()) } else { Err(text) }
    });
}
