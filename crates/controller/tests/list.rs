//! Listing a cluster, with and without trouble.

mod common;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use common::{BUDGETS, NODE_POOLS, NODES, PODS, node, options, pod, read, read_with, small, start};
use restow_controller::{LiveError, Note, Progress, read_cluster};
use restow_kubernetes::{Kind, ReadOptions, Reader};
use restow_testkit::server::{Gate, LIST_VERSION, Reply, Script};
use restow_testkit::{Cluster, Flavor, ObjectKind, Size};

fn cluster(flavor: Flavor) -> Arc<Cluster> {
    Arc::new(Cluster::new(flavor, Size { nodes: 30, pods: 60, seed: 1 }))
}

#[tokio::test]
async fn every_kind_is_read_page_by_page() {
    let cluster = cluster(Flavor::Karpenter);
    let (server, connection) = start(Script::cluster(&cluster)).await;
    let outcome = read(&connection).await;
    let live = outcome.live();
    assert_eq!(outcome.snapshot.pods.len(), 60);
    assert_eq!(outcome.snapshot.nodes.len(), 30);
    assert_eq!(outcome.snapshot.node_claims.len(), 30);
    let count = |kind: ObjectKind| cluster.count(kind) as usize;
    assert_eq!(live.lists[&Kind::Pod].items, 60);
    assert_eq!(live.lists[&Kind::ReplicaSet].items, count(ObjectKind::ReplicaSet));
    assert_eq!(live.lists[&Kind::Pod].resource_version, Some(LIST_VERSION.to_string()));
    let pages = server.requests_of(PODS);
    let tokens: Vec<_> = pages.iter().map(|page| page.parameter("continue")).collect();
    assert_eq!(tokens, [None, Some("page-from-25"), Some("page-from-50")]);
    let page = |items, remaining| Progress::Page { kind: Kind::Pod, items, remaining };
    assert!(outcome.progress.contains(&page(25, Some(35))));
    assert!(outcome.progress.contains(&page(50, Some(10))));
    assert!(outcome.progress.contains(&Progress::Finished { kind: Kind::Pod, items: 60 }));
}

#[tokio::test]
async fn nothing_but_get_and_list_is_asked() {
    let (server, connection) = start(Script::cluster(&cluster(Flavor::Karpenter))).await;
    read(&connection).await.live();
    let requests = server.requests();
    assert!(requests.iter().all(|request| request.method == "GET"));
    assert!(requests.iter().all(|request| !request.is_watch()));
    let paths: BTreeSet<&str> = requests.iter().map(|request| request.path.as_str()).collect();
    let known: BTreeSet<&str> =
        Kind::ALL.iter().flat_map(|kind| kind.api_paths()).copied().chain(["/version"]).collect();
    assert!(paths.is_subset(&known), "{paths:?}");
    let lists = requests.iter().filter(|request| request.path != "/version");
    assert!(lists.clone().all(|request| request.parameter("limit") == Some("25")));
    assert!(lists.clone().all(|request| request.header("authorization") == Some("Bearer secret")));
}

#[tokio::test]
async fn packed_answers_are_unpacked() {
    let (server, connection) = start(Script::cluster(&cluster(Flavor::Eks)).gzip()).await;
    let outcome = read(&connection).await;
    assert_eq!(outcome.snapshot.pods.len(), 60);
    let accepted = server.requests_of(PODS)[0].header("accept-encoding").map(str::to_owned);
    assert!(accepted.is_some_and(|accepted| accepted.contains("gzip")));
}

#[tokio::test]
async fn a_list_that_became_too_old_starts_anew() {
    let script = Script::cluster(&cluster(Flavor::Eks)).list(PODS, [Reply::Content, Reply::gone()]);
    let (server, connection) = start(script).await;
    let outcome = read(&connection).await;
    assert_eq!(outcome.live().lists[&Kind::Pod].items, 60);
    assert_eq!(outcome.snapshot.pods.len(), 60);
    assert!(outcome.progress.contains(&Progress::Restarted { kind: Kind::Pod }));
    let pages = server.requests_of(PODS);
    let tokens: Vec<_> = pages.iter().map(|page| page.parameter("continue")).collect();
    let (second, third) = (Some("page-from-25"), Some("page-from-50"));
    assert_eq!(tokens, [None, second, None, second, third]);
}

#[tokio::test]
async fn what_a_list_said_before_it_became_too_old_is_forgotten() {
    let first = format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"1","continue":"x"}},"items":[{}]}}"#,
        pod("gone", 1)
    );
    let script = small(&["a"], &["p", "q"]).list(PODS, [Reply::json(first), Reply::gone()]);
    let (_server, connection) = start(script).await;
    let outcome = read(&connection).await;
    let snapshot = &outcome.snapshot;
    let names: Vec<&str> = snapshot.pods.iter().map(|pod| &snapshot.strings[pod.name]).collect();
    assert_eq!(names, ["p", "q"]);
    assert_eq!(outcome.live().lists[&Kind::Pod].items, 2);
}

#[tokio::test]
async fn a_list_that_always_becomes_too_old_is_given_up() {
    let script = Script::cluster(&cluster(Flavor::Eks))
        .list(PODS, (0..20).flat_map(|_| [Reply::Content, Reply::gone()]));
    let (_server, connection) = start(script).await;
    let error = read(&connection).await.error();
    assert!(error.starts_with("the list of pods expired on the server 4 times"), "{error}");
}

#[tokio::test]
async fn a_forbidden_kind_is_noted_with_its_consequence() {
    let script = Script::cluster(&cluster(Flavor::Karpenter))
        .list(BUDGETS, [Reply::forbidden("poddisruptionbudgets", "policy")]);
    let (_server, connection) = start(script).await;
    let outcome = read(&connection).await;
    let note = outcome.live().notes.iter().find(|note| note.kind() == Kind::PodDisruptionBudget);
    let Some(Note::Forbidden { message, .. }) = note else { panic!("{note:?}") };
    assert!(message.contains("cannot list resource"), "{message}");
    assert!(outcome.snapshot.pod_disruption_budgets.is_empty());
    assert_eq!(outcome.snapshot.pods.len(), 60);
}

#[tokio::test]
async fn without_the_right_to_list_pods_the_right_is_named() {
    let script = Script::cluster(&cluster(Flavor::Eks)).list(PODS, [Reply::forbidden("pods", "")]);
    let (_server, connection) = start(script).await;
    let error = read(&connection).await.error();
    assert_eq!(
        error,
        "no right to list pods: pods is forbidden: User \"jane@example.com\" cannot list resource \"pods\" in API group \"\" at the cluster scope; check with `kubectl auth can-i list pods -A`"
    );
}

#[tokio::test]
async fn kinds_that_the_server_does_not_have_are_noted() {
    let (_server, connection) = start(Script::cluster(&cluster(Flavor::Eks))).await;
    let outcome = read(&connection).await;
    let missing = |kind| outcome.live().notes.contains(&Note::Missing { kind });
    assert!(missing(Kind::NodePool) && missing(Kind::NodeClaim) && missing(Kind::CapacityBuffer));
    assert!(!missing(Kind::Node) && !missing(Kind::CronJob));
}

#[tokio::test]
async fn a_server_without_nodes_is_no_kubernetes() {
    let (server, connection) = start(Script::new()).await;
    let error = read(&connection).await.error();
    assert!(error.contains(&server.url()) && error.contains("Kubernetes API server"), "{error}");
}

#[tokio::test]
async fn older_versions_of_an_api_are_tried() {
    let old = Kind::ResourceClaim.api_paths().last().expect("a path");
    let script = small(&["a"], &[]).objects(
        old,
        "resource.k8s.io/v1beta1",
        "ResourceClaimList",
        Vec::<String>::new(),
    );
    let (_server, connection) = start(script).await;
    let outcome = read(&connection).await;
    assert_eq!(outcome.live().lists[&Kind::ResourceClaim].path, *old);
    assert!(!outcome.live().notes.contains(&Note::Missing { kind: Kind::ResourceClaim }));
}

#[tokio::test]
async fn an_overloaded_server_is_given_the_time_it_asks_for() {
    let script = small(&["a"], &["p"]).list(PODS, [Reply::too_many_requests(7)]);
    let (_server, connection) = start(script).await;
    let outcome = read(&connection).await;
    assert_eq!(outcome.snapshot.pods.len(), 1);
    assert_eq!(outcome.pauses, [Duration::from_secs(7)]);
    assert!(outcome.progress.contains(&Progress::Retrying {
        kind: Kind::Pod,
        pause: Duration::from_secs(7),
        reason: "Too many requests, please try again later.".to_owned(),
    }));
}

#[tokio::test]
async fn what_breaks_on_the_way_is_asked_again() {
    let trouble = [Reply::internal_error(), Reply::HangUp, Reply::Truncated(60)];
    let (server, connection) = start(small(&["a"], &["p", "q"]).list(PODS, trouble)).await;
    let outcome = read(&connection).await;
    assert_eq!(outcome.live().lists[&Kind::Pod].items, 2);
    // A client may ask once more by itself when a connection that it kept is closed.
    assert!(server.requests_of(PODS).len() >= 4);
    assert!(!outcome.pauses.is_empty());
}

#[tokio::test]
async fn a_page_in_the_middle_is_asked_again_without_losing_the_rest() {
    let script = Script::cluster(&cluster(Flavor::Eks))
        .list(PODS, [Reply::Content, Reply::status(503, "ServiceUnavailable", "try later")]);
    let (_server, connection) = start(script).await;
    let outcome = read(&connection).await;
    assert_eq!(outcome.live().lists[&Kind::Pod].items, 60);
    assert_eq!(outcome.snapshot.pods.len(), 60);
}

#[tokio::test]
async fn a_server_that_stays_in_trouble_is_given_up_in_its_own_words() {
    let script = small(&["a"], &[]).list(PODS, (0..9).map(|_| Reply::internal_error()));
    let (server, connection) = start(script).await;
    let outcome = read(&connection).await;
    assert_eq!(
        outcome.error(),
        "the server does not list pods (HTTP 500): Internal error occurred: etcdserver: request timed out"
    );
    assert_eq!(server.requests_of(PODS).len(), 4);
    let millis: Vec<u128> = outcome.pauses.iter().map(Duration::as_millis).collect();
    assert_eq!(millis, [250, 500, 1000]);
}

#[tokio::test]
async fn a_server_that_goes_away_is_named() {
    let script = small(&["a"], &[]).list(PODS, (0..50).map(|_| Reply::HangUp));
    let (server, connection) = start(script).await;
    let error = read(&connection).await.error();
    assert!(error.starts_with(&format!("no answer from {}: ", server.url())), "{error}");
}

#[tokio::test]
async fn credentials_that_expire_meanwhile_are_told() {
    let script = small(&["a"], &[]).list(PODS, [Reply::unauthorized()]);
    let (_server, connection) = start(script).await;
    let error = read(&connection).await.error();
    assert!(error.contains("expired") && error.contains("log in again"), "{error}");
}

#[tokio::test]
async fn a_slow_page_does_not_hold_up_the_others() {
    let gate = Gate::new();
    let script = Script::cluster(&cluster(Flavor::Karpenter))
        .list(PODS, [Reply::Content, Reply::Content.behind(&gate)]);
    let (_server, connection) = start(script).await;
    let (options, _) = options();
    let mut reader = Reader::new(ReadOptions::default());
    let mut finished = Vec::new();
    let result = read_cluster(&connection, &mut reader, &options, &mut |step| {
        if let Progress::Finished { kind, .. } = step {
            finished.push(kind);
        }
        // The page comes only when everything else is there.
        if finished.len() == Kind::ALL.len() - 1 {
            gate.open();
        }
    })
    .await;
    result.expect("the cluster is read");
    assert_eq!(finished.last(), Some(&Kind::Pod));
}

#[tokio::test]
async fn broken_json_in_the_middle_is_told_with_its_place() {
    let list = |items: &str| {
        format!(
            r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"9"}},"items":[{items}]}}"#
        )
    };
    let broken = list(&format!("{},{{\"metadata\":{{\"name\":]}},{}", pod("p", 1), pod("q", 2)));
    let (_server, connection) = start(small(&["a"], &[]).list(PODS, [Reply::json(broken)])).await;
    let outcome = read(&connection).await;
    assert!(matches!(outcome.result, Err(LiveError::Unreadable { kind: Kind::Pod, .. })));
    let error = outcome.error();
    assert!(error.starts_with("cannot read the server's pods: /api/v1/pods"), "{error}");
}

#[tokio::test]
async fn an_object_that_makes_no_sense_may_be_left_out() {
    let bad = pod("bad", 2).replace(r#""spec":{"#, r#""spec":{"priority":"high","#);
    let script = small(&["a"], &[]).objects(PODS, "v1", "PodList", [pod("p", 1), bad, pod("q", 3)]);
    let (_server, connection) = start(script).await;
    assert!(matches!(read(&connection).await.result, Err(LiveError::Unreadable { .. })));
    let lenient = read_with(&connection, ReadOptions { skip_invalid: true }).await;
    lenient.live();
    assert_eq!(lenient.snapshot.pods.len(), 2);
}

#[tokio::test]
async fn ten_thousand_nodes_are_no_trouble() {
    let nodes = (0..10_000).map(|index| node(&format!("node-{index:05}"), index));
    let script = small(&[], &[]).objects(NODES, "v1", "NodeList", nodes);
    let (server, connection) = start(script).await;
    let (options, _) = options();
    let options = restow_controller::ListOptions { page_size: 500, ..options };
    let mut reader = Reader::new(ReadOptions::default());
    let live = read_cluster(&connection, &mut reader, &options, &mut |_| {}).await;
    assert_eq!(live.expect("the cluster is read").lists[&Kind::Node].items, 10_000);
    assert_eq!(reader.count(Kind::Node), 10_000);
    assert_eq!(server.requests_of(NODES).len(), 20);
    assert_eq!(server.requests_of(NODE_POOLS).len(), 1);
}
