//! `restow record` against a scripted server, and what becomes of its files.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

use restow_kubernetes::history::{self, Change, History, Maker, Writer, between};
use restow_kubernetes::{ReadOptions, Reader};
use restow_model::{GoDuration, Snapshot, WorkloadKind};
use restow_testkit::server::{
    ApiServer, Gate, Reply, Script, Step, end_of_initial_events, watch_event,
};
use restow_testkit::{Cluster, Flavor, Options, Size, generate_bytes};
use serde_json::json;

const DEPLOYMENTS: &str = "/apis/apps/v1/deployments";

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_restow"));
    command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("COLUMNS", "100")
        .env("HOME", "/nonexistent")
        .env("TZ", "UTC");
    command
}

fn shown(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().map_or("killed".to_owned(), |code| code.to_string());
    format!("exit {code}\n--- stdout\n{}--- stderr\n{}", text(&output.stdout), text(&output.stderr))
}

fn run(folder: &Path, arguments: &[&str]) -> String {
    shown(&command(folder, arguments).output().expect("the binary runs"))
}

fn deployment(name: &str, version: u64, replicas: i64) -> String {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": { "name": name, "namespace": "web", "uid": name, "resourceVersion": version.to_string() },
        "spec": {
            "replicas": replicas, "selector": { "matchLabels": { "app": name } },
            "template": {
                "metadata": { "labels": { "app": name } },
                "spec": { "containers": [{ "name": "a", "resources": { "requests": { "cpu": "100m" } } }] }
            }
        }
    })
    .to_string()
}

fn api(name: &str) -> Maker {
    let (namespace, name) = ("web".to_owned(), name.to_owned());
    Maker { kind: WorkloadKind::Deployment, namespace, name }
}

/// A recording under way.
struct Recorder {
    child: Child,
    file: PathBuf,
}

impl Recorder {
    fn start(folder: &Path, server: &ApiServer, more: &[&str]) -> Self {
        server.write_kubeconfig(&folder.join("config")).expect("writable");
        let arguments =
            ["record", "--kubeconfig", "config", "--out", "a.history", "--every", "20ms"];
        let mut command = command(folder, &[&arguments[..], more].concat());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        Self { child: child.expect("the binary runs"), file: folder.join("a.history") }
    }

    /// What is in the file once it holds what is wanted.
    fn wait(&mut self, wanted: impl Fn(&History) -> bool) -> History {
        loop {
            let bytes = std::fs::read(&self.file).unwrap_or_default();
            if let Ok(history) = history::decode(&bytes)
                && wanted(&history)
            {
                return history;
            }
            let ended = self.child.try_wait().expect("it is ours");
            assert!(ended.is_none(), "it ended before that: {ended:?}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends it as Ctrl-C does.
    fn interrupt(self) -> Output {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &id]).status().expect("every Unix has it");
        assert!(sent.success());
        self.child.wait_with_output().expect("it ends")
    }
}

fn tells(history: &History, change: &Change) -> bool {
    history.frames.iter().any(|frame| frame.changes.contains(change))
}

#[test]
fn what_changes_is_recorded_gone_on_with_and_replayed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (first, second) = (Gate::new(), Gate::new());
    let steps = vec![
        Step::Line(watch_event("ADDED", &deployment("api", 10, 3))),
        Step::Line(end_of_initial_events(20)),
        Step::Wait(first.clone()),
        Step::Line(watch_event("MODIFIED", &deployment("api", 30, 5))),
        Step::Line(watch_event("ADDED", &deployment("new", 31, 2))),
        Step::Wait(second.clone()),
        Step::Line(watch_event("DELETED", &deployment("new", 40, 2))),
        Step::Hang,
    ];
    let cluster = Arc::new(Cluster::new(Flavor::Karpenter, Size { nodes: 8, pods: 90, seed: 3 }));
    let script = Script::cluster(&cluster).watch(DEPLOYMENTS, [Reply::Stream(steps)]);
    let server = ApiServer::start(script).expect("a free port");
    let mut recorder = Recorder::start(folder.path(), &server, &[]);
    let begun = recorder.wait(|_| true);
    assert_eq!((begun.start.nodes.len(), begun.start.pods.len()), (8, 90));
    first.open();
    let scaled = Change::Scaled { of: api("api"), replicas: 5 };
    let appeared = Change::Appeared(api("new"));
    recorder.wait(|own| tells(own, &scaled) && tells(own, &appeared));
    second.open();
    let vanished = Change::Vanished(api("new"));
    recorder.wait(|own| tells(own, &vanished));
    let output = recorder.interrupt();
    let text = shown(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(
        text.contains("note: a.history: ") && text.contains(": 8 nodes, 90 pods, 3 changes, "),
        "{text}"
    );
    assert!(server.requests().iter().all(|request| request.method == "GET"));

    // The server has other Deployments now: the generated ones, and api is gone.
    let text = run(folder.path(), &["record", "--kubeconfig", "config", "--out", "a.history"]);
    assert!(text.contains("exit 1") && text.contains("the file exists; use --append"), "{text}");
    let mut recorder = Recorder::start(folder.path(), &server, &["--append"]);
    let gap = |own: &History| {
        let all = own.frames.iter().flat_map(|frame| &frame.changes);
        all.filter(|own| matches!(own, Change::Gap { .. })).count() == 1
    };
    recorder.wait(gap);
    let output = recorder.interrupt();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));

    let text = run(folder.path(), &["simulate", "a.history", "-o", "json"]);
    assert!(text.contains("exit 0") && text.contains("\"scenario\": \"a\""), "{text}");
    assert!(text.contains("note: as it was: $") && text.contains("nobody looked for"), "{text}");
}

#[test]
fn it_ends_by_itself_when_the_time_is_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let cluster = Arc::new(Cluster::new(Flavor::Karpenter, Size { nodes: 2, pods: 9, seed: 1 }));
    let server = ApiServer::start(Script::cluster(&cluster)).expect("a free port");
    let recorder = Recorder::start(folder.path(), &server, &["--for", "100ms"]);
    let output = recorder.child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    let bytes = std::fs::read(folder.path().join("a.history")).expect("written");
    let history = history::decode(&bytes).expect("whole");
    assert_eq!((history.changes(), history.lost), (0, 0));
    assert!(history.end() > history.start.time, "how long it was watched is in it");
}

/// A cluster as files have it, and the same an hour later with twice the replicas of one Deployment.
fn written(folder: &Path) -> Vec<u8> {
    let mut reader = Reader::new(ReadOptions::default());
    let bytes = generate_bytes(&Options::new(6, 60, 5));
    reader.read("cluster", &*bytes).expect("the generator writes valid objects");
    let start = reader.finish(None).expect("one input").0;
    let mut later =
        Snapshot { time: start.time.plus(GoDuration::from_seconds(3600)), ..start.clone() };
    let mut all = later.workloads.iter_mut();
    let own = all.find(|own| own.kind == WorkloadKind::Deployment).expect("it has some");
    own.desired *= 2;
    let (mut writer, mut bytes) = Writer::begin(&start);
    bytes.extend(writer.add(&between(&start, &later)));
    let end = start.time.plus(GoDuration::from_seconds(7200));
    bytes.extend(writer.add(&between(&later, &Snapshot { time: end, ..later.clone() })));
    std::fs::write(folder.join("a.history"), &bytes).expect("writable");
    bytes
}

#[test]
fn a_history_is_compared_under_policies() {
    let folder = tempfile::tempdir().expect("a folder");
    written(folder.path());
    insta::assert_snapshot!("simulated", run(folder.path(), &["simulate", "a.history"]));
    insta::assert_snapshot!("compared", run(folder.path(), &["compare", "a.history"]));
    let tuned = run(folder.path(), &["tune", "a.history", "--tries", "2", "--seeds", "1"]);
    assert!(tuned.contains("exit 0") && tuned.contains("a: 2 settings tried"), "{tuned}");
}

#[test]
fn what_is_wrong_with_a_history_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = written(folder.path());
    let mut screens = String::new();
    let mut show = |title: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join("a.history"), bytes).expect("writable");
        let text = run(folder.path(), &["simulate", "a.history", "--policy", "none", "-o", "json"]);
        let stderr = text.split("--- stderr\n").nth(1).unwrap_or_default();
        let first = text.lines().next().unwrap_or_default();
        screens += &["# ", title, "\n", first, "\n", stderr].concat();
    };
    show("cut off in its last frame", &bytes[..bytes.len() - 3]);
    show("cut off at the start", &bytes[..100]);
    let mut newer = bytes.clone();
    newer[history::MAGIC.len()] = 9;
    show("of a newer version", &newer);
    let mut damaged = bytes.clone();
    damaged[200] ^= 1;
    show("damaged", &damaged);
    let start = history::decode(&bytes).expect("whole").start;
    show("without any time", &Writer::begin(&start).1);
    insta::assert_snapshot!("wrong", screens);
}

#[test]
fn help_and_errors() {
    let folder = tempfile::tempdir().expect("a folder");
    insta::assert_snapshot!("help", run(folder.path(), &["record", "--help"]));
    insta::assert_snapshot!("error_no_out", run(folder.path(), &["record"]));
    std::fs::write(folder.path().join("there"), "something else").expect("writable");
    insta::assert_snapshot!("error_exists", run(folder.path(), &["record", "--out", "there"]));
    let append = ["record", "--out", "there", "--append"];
    insta::assert_snapshot!("error_not_a_history", run(folder.path(), &append));
    let every = ["record", "--out", "new", "--every", "0s"];
    insta::assert_snapshot!("error_every", run(folder.path(), &every));
}
