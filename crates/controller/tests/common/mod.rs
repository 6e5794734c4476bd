//! A scripted server, a connection to it, and waiting that takes no time.
#![allow(dead_code, reason = "each test file uses a part")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use restow_controller::{
    Connection, ListOptions, LiveError, LiveRead, Progress, RetryPolicy, connect, read_cluster,
};
use restow_kubernetes::{ReadOptions, Reader};
use restow_model::{Snapshot, Time};
use restow_testkit::server::{ApiServer, Script};
use serde_json::json;

pub(crate) const NODES: &str = "/api/v1/nodes";
pub(crate) const PODS: &str = "/api/v1/pods";
pub(crate) const NODE_POOLS: &str = "/apis/karpenter.sh/v1/nodepools";
pub(crate) const BUDGETS: &str = "/apis/policy/v1/poddisruptionbudgets";

/// How long was waited for what, without waiting.
pub(crate) type Pauses = Arc<Mutex<Vec<Duration>>>;

/// Options with small pages and pauses that are only written down.
pub(crate) fn options() -> (ListOptions, Pauses) {
    let pauses = Pauses::default();
    let written = Arc::clone(&pauses);
    let sleep = Arc::new(move |pause| {
        written.lock().expect("nobody panics here").push(pause);
        Box::pin(std::future::ready(())) as futures::future::BoxFuture<'static, ()>
    });
    let retry = RetryPolicy { attempts: 4, sleep, ..RetryPolicy::default() };
    (ListOptions { page_size: 25, retry, ..ListOptions::default() }, pauses)
}

/// A server and the connection to it that a kubeconfig describes.
pub(crate) async fn start(script: Script) -> (ApiServer, Connection) {
    let server = ApiServer::start(script).expect("a port");
    let folder = tempfile::tempdir().expect("a folder");
    let kubeconfig = folder.path().join("config");
    server.write_kubeconfig(&kubeconfig).expect("a file");
    let connection = connect(Some(kubeconfig), None).await.expect("it answers");
    (server, connection)
}

/// What came of reading a cluster.
pub(crate) struct Outcome {
    pub(crate) result: Result<LiveRead, LiveError>,
    pub(crate) snapshot: Snapshot,
    pub(crate) progress: Vec<Progress>,
    pub(crate) pauses: Vec<Duration>,
}

impl Outcome {
    pub(crate) fn live(&self) -> &LiveRead {
        self.result.as_ref().expect("the cluster is read")
    }

    /// The whole text of the error, as a person sees it.
    pub(crate) fn error(&self) -> String {
        self.result.as_ref().expect_err("the cluster is not read").to_string()
    }
}

/// Reads all that the server has.
pub(crate) async fn read(connection: &Connection) -> Outcome {
    read_with(connection, ReadOptions::default()).await
}

pub(crate) async fn read_with(connection: &Connection, read: ReadOptions) -> Outcome {
    let (options, pauses) = options();
    let mut reader = Reader::new(read);
    let mut progress = Vec::new();
    let result =
        read_cluster(connection, &mut reader, &options, &mut |step| progress.push(step)).await;
    let snapshot = reader.snapshot(Time::from_seconds(0));
    let pauses = pauses.lock().expect("nobody panics here").clone();
    Outcome { result, snapshot, progress, pauses }
}

/// A node as small as can be.
pub(crate) fn node(name: &str, version: u64) -> String {
    json!({
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "uid": format!("00000000-0000-4000-8000-{version:012}"),
            "resourceVersion": version.to_string(),
            "creationTimestamp": "2026-11-15T12:00:00Z",
        },
        "spec": {},
        "status": { "allocatable": { "cpu": "4", "memory": "8Gi", "pods": "110" } },
    })
    .to_string()
}

/// A pod as small as can be.
pub(crate) fn pod(name: &str, version: u64) -> String {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": format!("00000000-0000-4000-9000-{version:012}"),
            "resourceVersion": version.to_string(),
            "creationTimestamp": "2026-11-15T12:00:00Z",
        },
        "spec": { "containers": [{ "name": "app" }] },
        "status": { "phase": "Pending" },
    })
    .to_string()
}

/// A server with these nodes and pods, and nothing else.
pub(crate) fn small(nodes: &[&str], pods: &[&str]) -> Script {
    Script::new().objects(NODES, "v1", "NodeList", nodes.iter().map(|name| node(name, 1))).objects(
        PODS,
        "v1",
        "PodList",
        pods.iter().map(|name| pod(name, 1)),
    )
}

/// Names of nodes, sorted.
pub(crate) fn node_names(snapshot: &Snapshot) -> Vec<String> {
    let mut names: Vec<String> =
        snapshot.nodes.iter().map(|node| snapshot.strings[node.meta.name].to_owned()).collect();
    names.sort();
    names
}
