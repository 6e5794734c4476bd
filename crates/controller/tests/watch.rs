//! Keeping up with a cluster after it was listed.

mod common;

use std::ops::ControlFlow;
use std::time::Duration;

use common::{NODE_POOLS, NODES, PODS, node, node_names, options, pod, small, start};
use restow_controller::{LiveError, WatchNews, WatchOptions, read_cluster, watch_cluster};
use restow_kubernetes::{Kind, ReadOptions, Reader};
use restow_model::Time;
use restow_testkit::server::{
    ApiServer, Gate, LIST_VERSION, Reply, Script, Step, bookmark, expired_event, watch_event,
};

/// What was told, in short.
#[derive(Debug, PartialEq, Eq)]
enum Told {
    Nodes(Vec<String>),
    Reconnecting(Kind),
    Relisting(Kind),
    Lost(Kind),
}

fn shorten(news: &WatchNews<'_>) -> Told {
    match news {
        WatchNews::Changed { reader, .. } => {
            Told::Nodes(node_names(&reader.snapshot(Time::from_seconds(0))))
        }
        WatchNews::Reconnecting { kind, .. } => Told::Reconnecting(*kind),
        WatchNews::Relisting { kind } => Told::Relisting(*kind),
        WatchNews::Lost { kind, .. } => Told::Lost(*kind),
    }
}

fn nodes(names: &[&str]) -> Told {
    Told::Nodes(names.iter().map(|name| (*name).to_owned()).collect())
}

/// Lists, changes the server, and watches until `done` is told.
async fn watch(
    script: Script,
    change: impl FnOnce(Script) -> Script,
    interval: Duration,
    mut done: impl FnMut(&Told) -> bool + Send,
) -> (ApiServer, Result<(), LiveError>, Vec<Told>) {
    let (server, connection) = start(script).await;
    let (list, _) = options();
    let mut reader = Reader::new(ReadOptions::default());
    let live = read_cluster(&connection, &mut reader, &list, &mut |_| {}).await;
    let live = live.expect("the cluster is read");
    server.rescript(change);
    let options = WatchOptions { interval, list, ..WatchOptions::default() };
    let mut told = Vec::new();
    let result = watch_cluster(&connection, &mut reader, &live, &options, &mut |news| {
        told.push(shorten(&news));
        let last = told.last().expect("it was just told");
        if done(last) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .await;
    (server, result, told)
}

fn added(name: &str, version: u64) -> String {
    watch_event("ADDED", &node(name, version))
}

fn versions(server: &ApiServer, path: &str) -> Vec<String> {
    let watches =
        server.requests_of(path).into_iter().filter(restow_testkit::server::Request::is_watch);
    watches.filter_map(|watch| watch.parameter("resourceVersion").map(str::to_owned)).collect()
}

#[tokio::test]
async fn what_comes_changes_and_goes_is_seen() {
    let lines = vec![
        Step::Line(added("c", 600)),
        Step::Line(watch_event("MODIFIED", &node("a", 601))),
        Step::Line(watch_event("DELETED", &node("b", 602))),
        Step::Hang,
    ];
    let script = small(&["a", "b"], &["p"]).watch(NODES, [Reply::Stream(lines)]);
    let wanted = nodes(&["a", "c"]);
    let (server, result, told) =
        watch(script, |script| script, Duration::ZERO, |told| *told == wanted).await;
    result.expect("it was told to stop");
    assert_eq!(told.last(), Some(&wanted));
    let requests = server.requests();
    assert!(requests.iter().all(|request| request.method == "GET"));
    let watches: Vec<_> = requests.iter().filter(|request| request.is_watch()).collect();
    assert!(watches.iter().any(|watch| watch.path == NODES));
    for watch in watches {
        assert_eq!(watch.parameter("resourceVersion"), Some(LIST_VERSION.to_string().as_str()));
        assert_eq!(watch.parameter("allowWatchBookmarks"), Some("true"));
        assert_eq!(watch.header("accept-encoding"), Some("identity"));
        // The server has no pools.
        assert!([NODES, PODS].contains(&watch.path.as_str()));
    }
}

#[tokio::test]
async fn a_watch_that_ended_goes_on_where_it_ended() {
    let script = small(&["a"], &[]).watch(
        NODES,
        [
            Reply::lines([added("b", 600), bookmark("v1", "Node", 777)]),
            Reply::Stream(vec![Step::Line(added("c", 800)), Step::Hang]),
        ],
    );
    let wanted = nodes(&["a", "b", "c"]);
    let (server, result, told) =
        watch(script, |script| script, Duration::ZERO, |told| *told == wanted).await;
    result.expect("it was told to stop");
    assert_eq!(versions(&server, NODES), [LIST_VERSION.to_string(), "777".to_owned()]);
    // Servers end watches all the time: no news.
    assert!(told.iter().all(|told| matches!(told, Told::Nodes(_))), "{told:?}");
}

/// The nodes of a server on which the known version has become too old.
fn later(script: Script) -> Script {
    script.objects(NODES, "v1", "NodeList", [node("x", 900), node("y", 901)])
}

#[tokio::test]
async fn a_version_that_became_too_old_is_listed_anew() {
    let gone = [Reply::lines([expired_event()]), Reply::gone()];
    for reply in gone {
        let script = small(&["a", "b"], &["p"]).watch(NODES, [reply]);
        let wanted = nodes(&["x", "y"]);
        let (server, result, told) =
            watch(script, later, Duration::ZERO, |told| *told == wanted).await;
        result.expect("it was told to stop");
        // Nobody sees a half of it.
        assert_eq!(told, [Told::Relisting(Kind::Node), wanted]);
        let lists =
            server.requests_of(NODES).into_iter().filter(|request| !request.is_watch()).count();
        assert_eq!(lists, 2);
    }
}

#[tokio::test]
async fn nobody_sees_a_list_that_is_half_read() {
    let (relisting, pod_gone) = (Gate::new(), Gate::new());
    let pods = vec![
        Step::Wait(relisting.clone()),
        Step::Line(watch_event("DELETED", &pod("p", 700))),
        Step::Open(pod_gone.clone()),
        Step::Hang,
    ];
    let script = small(&["a", "b"], &["p"])
        .watch(PODS, [Reply::Stream(pods)])
        .watch(NODES, [Reply::lines([expired_event()])]);
    // A pod goes while the nodes are listed.
    let change = |script| later(script).list(NODES, [Reply::Content.behind(&pod_gone)]);
    let wanted = nodes(&["x", "y"]);
    let (_server, result, told) = watch(script, change, Duration::ZERO, |told| {
        if *told == Told::Relisting(Kind::Node) {
            relisting.open();
        }
        *told == wanted
    })
    .await;
    result.expect("it was told to stop");
    assert_eq!(told, [Told::Relisting(Kind::Node), wanted]);
}

#[tokio::test]
async fn a_line_that_makes_no_sense_is_made_good_by_the_list() {
    let script = small(&["a"], &[]).watch(NODES, [Reply::lines(["{\"type\":\"ADDED\"", "{}"])]);
    let wanted = nodes(&["x", "y"]);
    let (_server, result, told) =
        watch(script, later, Duration::ZERO, |told| *told == wanted).await;
    result.expect("it was told to stop");
    assert_eq!(told, [Told::Relisting(Kind::Node), wanted]);
}

#[tokio::test]
async fn a_line_that_was_cut_off_comes_again() {
    let whole = added("b", 600);
    let half = whole.as_bytes()[..whole.len() / 2].to_vec();
    let script = small(&["a"], &[]).watch(
        NODES,
        [
            Reply::Stream(vec![Step::Bytes(half.clone()), Step::Cut]),
            Reply::Stream(vec![Step::Bytes(half)]),
            Reply::internal_error(),
            Reply::HangUp,
            Reply::Stream(vec![Step::Line(whole), Step::Hang]),
        ],
    );
    let wanted = nodes(&["a", "b"]);
    let (server, result, told) =
        watch(script, |script| script, Duration::ZERO, |told| *told == wanted).await;
    result.expect("it was told to stop");
    assert!(told.contains(&Told::Reconnecting(Kind::Node)), "{told:?}");
    assert!(!told.contains(&Told::Relisting(Kind::Node)), "{told:?}");
    let list = LIST_VERSION.to_string();
    assert!(versions(&server, NODES).iter().all(|version| *version == list));
}

#[tokio::test]
async fn an_error_that_is_not_of_age_opens_the_watch_again() {
    let error =
        r#"{"type":"ERROR","object":{"kind":"Status","code":500,"message":"etcd is away"}}"#;
    let script = small(&["a"], &[]).watch(
        NODES,
        [Reply::lines([error]), Reply::Stream(vec![Step::Line(added("b", 600)), Step::Hang])],
    );
    let wanted = nodes(&["a", "b"]);
    let (_server, result, told) =
        watch(script, |script| script, Duration::ZERO, |told| *told == wanted).await;
    result.expect("it was told to stop");
    assert_eq!(told, [Told::Reconnecting(Kind::Node), wanted]);
}

#[tokio::test]
async fn changes_are_told_once_per_interval() {
    let gate = Gate::new();
    let mut steps = vec![Step::Line(added("n0", 600)), Step::Wait(gate.clone())];
    steps.extend((1..50).map(|index| Step::Line(added(&format!("n{index}"), 600 + index))));
    steps.push(Step::Line(expired_event()));
    let script = small(&[], &[]).watch(NODES, [Reply::Stream(steps)]);
    let hour = Duration::from_hours(1);
    let (_server, result, told) = watch(
        script,
        |script| script,
        hour,
        |told| {
            gate.open();
            *told == Told::Relisting(Kind::Node)
        },
    )
    .await;
    result.expect("it was told to stop");
    assert_eq!(told, [nodes(&["n0"]), Told::Relisting(Kind::Node)]);
}

#[tokio::test]
async fn pods_and_nodes_are_watched_beside_each_other() {
    let gate = Gate::new();
    let pods = vec![
        Step::Wait(gate.clone()),
        Step::Line(watch_event("DELETED", &pod("p", 700))),
        Step::Hang,
    ];
    let nodes = vec![Step::Line(added("b", 600)), Step::Open(gate), Step::Hang];
    let script = small(&["a"], &["p", "q"])
        .watch(PODS, [Reply::Stream(pods)])
        .watch(NODES, [Reply::Stream(nodes)]);
    let (_server, connection) = start(script).await;
    let (list, _) = options();
    let mut reader = Reader::new(ReadOptions::default());
    let live = read_cluster(&connection, &mut reader, &list, &mut |_| {}).await;
    let live = live.expect("the cluster is read");
    let options = WatchOptions { interval: Duration::ZERO, list, ..WatchOptions::default() };
    let mut seen = (0, 0);
    watch_cluster(&connection, &mut reader, &live, &options, &mut |news| {
        if let WatchNews::Changed { reader, .. } = news {
            let snapshot = reader.snapshot(Time::from_seconds(0));
            seen = (snapshot.nodes.len(), snapshot.pods.len());
        }
        if seen == (2, 1) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .await
    .expect("it was told to stop");
    assert_eq!(seen, (2, 1));
}

#[tokio::test]
async fn without_the_right_to_watch_pods_the_right_is_named() {
    let script = small(&["a"], &["p"]).watch(PODS, [Reply::forbidden("pods", "")]);
    let (_server, result, _) = watch(script, |script| script, Duration::ZERO, |_| false).await;
    let error = result.expect_err("it cannot go on").to_string();
    assert!(error.starts_with("no right to watch pods: "), "{error}");
    assert!(error.ends_with("`kubectl auth can-i watch pods -A`"), "{error}");
}

#[tokio::test]
async fn a_lesser_kind_that_may_not_be_watched_is_let_go() {
    let pools: [&str; 0] = [];
    let script = small(&["a"], &[])
        .objects(NODE_POOLS, "karpenter.sh/v1", "NodePoolList", pools)
        .watch(NODE_POOLS, [Reply::forbidden("nodepools", "karpenter.sh")]);
    let lost = Told::Lost(Kind::NodePool);
    let (_server, result, told) =
        watch(script, |script| script, Duration::ZERO, |told| *told == lost).await;
    result.expect("it was told to stop");
    assert_eq!(told, [lost]);
}

#[tokio::test]
async fn credentials_that_expire_meanwhile_end_the_watch() {
    let script = small(&["a"], &[]).watch(NODES, [Reply::unauthorized()]);
    let (_server, result, _) = watch(script, |script| script, Duration::ZERO, |_| false).await;
    assert!(matches!(result, Err(LiveError::Unauthorized { .. })));
}
