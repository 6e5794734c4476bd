//! Reading a cluster from the stream of its changes, and keeping it true.

mod common;

use std::ops::ControlFlow;
use std::time::Duration;

use common::{NODE_POOLS, NODES, PODS, node, node_names, options, small, start};
use restow_controller::{Job, WatchNews, WatchOptions, Watching, follow_cluster};
use restow_kubernetes::{Kind, ReadOptions, Reader};
use restow_model::Time;
use restow_testkit::server::{
    ApiServer, Reply, Script, Step, end_of_initial_events, expired_event, watch_event,
};
use tokio::sync::{mpsc, oneshot};

/// What somebody who follows sees.
struct Follower {
    server: ApiServer,
    jobs: mpsc::Sender<Job>,
    task: tokio::task::JoinHandle<Vec<String>>,
}

impl Follower {
    async fn start(script: Script) -> Self {
        let (server, connection) = start(script).await;
        let (jobs, mut asked) = mpsc::channel::<Job>(8);
        let task = tokio::spawn(async move {
            let (list, _) = options();
            let options = WatchOptions { list, ..WatchOptions::default() };
            let mut reader = Reader::new(ReadOptions { skip_invalid: true });
            let mut lost = Vec::new();
            let mut tell = |news: WatchNews<'_>| {
                if let WatchNews::Lost { kind, .. } = news {
                    lost.push(kind.name().to_owned());
                }
                ControlFlow::Continue(())
            };
            let followed =
                follow_cluster(&connection, &mut reader, &options, &mut asked, &mut tell).await;
            followed.expect("nothing is wrong with the server");
            lost
        });
        Self { server, jobs, task }
    }

    /// The nodes that are known, and how true that is.
    async fn look(&self) -> (Vec<String>, Watching) {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |reader, watching| {
            let names = node_names(&reader.snapshot(Time::from_seconds(0)));
            let _ = answer.send((names, watching));
        });
        self.jobs.send(job).await.map_err(|_| "it ended").expect("it follows");
        answered.await.expect("it follows")
    }

    /// Waits until all is known and these nodes are there.
    async fn await_nodes(&self, wanted: &[&str]) {
        loop {
            let (names, watching) = self.look().await;
            if watching.whole && names == wanted {
                return;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

#[tokio::test]
async fn what_there_is_comes_on_the_stream_of_what_changes() {
    let follower = Follower::start(small(&["a", "b"], &["p"])).await;
    follower.await_nodes(&["a", "b"]).await;
    let requests = follower.server.requests();
    let of_nodes: Vec<_> = requests.iter().filter(|own| own.path == NODES).collect();
    assert_eq!(of_nodes.len(), 1, "nothing is listed besides");
    assert_eq!(of_nodes[0].parameter("sendInitialEvents"), Some("true"));
    assert_eq!(of_nodes[0].parameter("resourceVersionMatch"), Some("NotOlderThan"));
    assert_eq!(of_nodes[0].parameter("resourceVersion"), None, "no older than now");
}

#[tokio::test]
async fn a_server_that_cannot_stream_is_listed() {
    let follower = Follower::start(small(&["a", "b"], &["p"]).without_streams()).await;
    follower.await_nodes(&["a", "b"]).await;
    let requests = follower.server.requests_of(NODES);
    assert!(requests.iter().any(|own| own.parameter("limit").is_some()));
}

#[tokio::test]
async fn what_went_while_nobody_looked_is_gone_after_a_stream_from_the_start() {
    let changes = vec![
        Step::Line(watch_event("ADDED", &node("a", 10))),
        Step::Line(watch_event("ADDED", &node("b", 11))),
        Step::Line(end_of_initial_events(12)),
        Step::Line(expired_event()),
    ];
    // After that the server has a only.
    let script = small(&["a"], &[]).watch(NODES, [Reply::Stream(changes)]);
    let follower = Follower::start(script).await;
    follower.await_nodes(&["a"]).await;
    assert!(follower.server.requests_of(NODES).len() >= 2);
}

#[tokio::test]
async fn a_stream_that_breaks_before_its_end_starts_anew() {
    let half = vec![Step::Line(watch_event("ADDED", &node("old", 10))), Step::Cut];
    let script = small(&["a"], &[]).watch(NODES, [Reply::Stream(half)]);
    let follower = Follower::start(script).await;
    follower.await_nodes(&["a"]).await;
    let requests = follower.server.requests_of(NODES);
    assert!(requests.iter().all(|own| own.parameter("sendInitialEvents") == Some("true")));
}

#[tokio::test]
async fn kinds_that_the_server_does_not_have_are_done_without() {
    let follower = Follower::start(small(&["a"], &["p"])).await;
    follower.await_nodes(&["a"]).await;
    assert!(!follower.server.requests_of(NODE_POOLS).is_empty());
    assert!(!follower.server.requests_of(PODS).is_empty());
    let Follower { jobs, task, server } = follower;
    drop(jobs);
    let lost = task.await.expect("it ends when nobody asks any longer");
    assert!(lost.contains(&Kind::NodePool.name().to_owned()), "{lost:?}");
    drop(server);
}
