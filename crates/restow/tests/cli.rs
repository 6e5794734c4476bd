//! The program as a person meets it: every command, every error, byte for byte.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;

use restow_testkit::server::{ApiServer, Script};
use restow_testkit::{Cluster, Flavor, Size};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_restow"));
    command
        .args(arguments)
        .current_dir(fixtures())
        .env_clear()
        .env("COLUMNS", "100")
        .env("HOME", "/nonexistent");
    command
}

fn shown(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().map_or("killed".to_owned(), |code| code.to_string());
    format!("exit {code}\n--- stdout\n{}--- stderr\n{}", text(&output.stdout), text(&output.stderr))
}

fn run(arguments: &[&str]) -> String {
    shown(&command(arguments).output().expect("the binary runs"))
}

/// A name for the snapshot file, then the arguments.
macro_rules! screens {
    ($($name:ident: $arguments:expr;)*) => { $(
        #[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), run(&$arguments));
        }
    )* };
}

screens! {
    help: ["--help"];
    nothing_asked: [""; 0];
    help_nodes: ["nodes", "--help"];
    help_snapshot: ["snapshot", "--help"];
    help_catalog: ["catalog", "--help"];
    help_catalog_list: ["catalog", "list", "--help"];
    help_catalog_show: ["catalog", "show", "--help"];
    help_catalog_diff: ["catalog", "diff", "--help"];
    help_catalog_sources: ["catalog", "sources", "--help"];
    help_demo: ["demo", "--help"];
    help_completions: ["completions", "--help"];
    version: ["--version"];
    demo: ["demo", "--fleet"];
    nodes: ["nodes", "-f", "cluster.yaml"];
    nodes_wide: ["nodes", "-f", "cluster.yaml", "-o", "wide"];
    nodes_json: ["nodes", "-f", "cluster.yaml", "-o", "json"];
    nodes_yaml: ["nodes", "-f", "cluster.yaml", "-o", "yaml"];
    nodes_csv: ["nodes", "-f", "cluster.yaml", "-o", "csv"];
    nodes_by_pool: ["nodes", "-f", "cluster.yaml", "--group-by", "pool"];
    nodes_filtered: ["nodes", "-f", "cluster.yaml", "-l", "team=search", "--sort", "-price", "--no-headers"];
    nodes_priced_by_hand: ["nodes", "-f", "cluster.yaml", "--price", "z9.huge=1.5", "--node-fee", "0.01", "--discounts", "[{family: m6a, percent: 30}]"];
    nodes_priced_by_files: ["nodes", "-f", "cluster.yaml", "--catalog", "aws:us-east-1", "--catalog", "prices.csv"];
    nodes_priced_by_metrics: ["nodes", "-f", "cluster.yaml", "--catalog", "metrics.txt"];
    nodes_without_node_groups: ["nodes", "-f", "cluster.yaml", "--node-groups", "off"];
    nodes_at_another_time: ["nodes", "-f", "cluster.yaml", "--now", "2026-12-15T12:00:00Z"];
    nodes_color: ["nodes", "-f", "cluster.yaml", "--color", "always", "--ascii"];
    catalog_list: ["catalog", "list", "m6a.*large", "--catalog", "aws:us-east-1", "--max-cpu", "8", "--sort", "price"];
    catalog_list_csv: ["catalog", "list", "m6a.large", "--catalog", "aws:us-east-1", "-o", "csv"];
    catalog_list_nothing: ["catalog", "list", "nope", "--catalog", "kwok"];
    catalog_show: ["catalog", "show", "m6a.large", "--catalog", "aws:us-east-1"];
    catalog_show_json: ["catalog", "show", "c-1x-amd64-linux", "--catalog", "kwok", "-o", "json"];
    catalog_diff: ["catalog", "diff", "prices.csv", "metrics.txt"];
    catalog_diff_none: ["catalog", "diff", "prices.csv", "prices.csv"];
    catalog_sources: ["catalog", "sources"];
    error_unknown_command: ["plann"];
    error_unknown_flag: ["nodes", "--fast"];
    error_no_file: ["nodes", "-f", "absent.yaml"];
    error_bad_object: ["nodes", "-f", "bad-quantity.yaml"];
    error_skipped: ["nodes", "-f", "bad-quantity.yaml", "--skip-invalid"];
    error_bad_time: ["nodes", "-f", "cluster.yaml", "--now", "yesterday"];
    error_bad_sort: ["nodes", "-f", "cluster.yaml", "--sort", "prize"];
    error_bad_group: ["nodes", "-f", "cluster.yaml", "--group-by", "price"];
    error_bad_selector: ["nodes", "-f", "cluster.yaml", "-l", "a=b=c"];
    error_bad_price: ["nodes", "-f", "cluster.yaml", "--price", "m5.large"];
    error_bad_discounts: ["nodes", "-f", "cluster.yaml", "--discounts", "[{familly: m5, percent: 3}]"];
    error_bad_catalog_file: ["nodes", "-f", "cluster.yaml", "--catalog", "bad-prices.csv"];
    error_unknown_region: ["nodes", "-f", "cluster.yaml", "--catalog", "aws:us-eest-1"];
    error_unknown_provider: ["nodes", "-f", "cluster.yaml", "--catalog", "asw:us-east-1"];
    error_unknown_type: ["catalog", "show", "m6a.larg", "--catalog", "aws:us-east-1"];
    error_which_catalog: ["catalog", "list"];
    error_watching_a_file: ["nodes", "-f", "cluster.yaml", "--watch"];
    error_no_kubeconfig: ["nodes"];
    error_snapshot_without_target: ["snapshot", "-f", "cluster.yaml"];
    error_snapshot_exists: ["snapshot", "-f", "cluster.yaml", "--to", "cluster.yaml"];
    error_not_fetched: ["nodes", "-f", "cluster.yaml", "--catalog", "http://127.0.0.1:1/metrics"];
}

#[test]
fn as_a_plugin_of_kubectl_it_calls_itself_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let plugin = folder.path().join("kubectl-restow");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_restow"), &plugin).expect("a link");
    let output = Command::new(&plugin).arg("--help").env_clear().output().expect("runs");
    assert!(String::from_utf8_lossy(&output.stdout).contains("Usage: kubectl restow <COMMAND>"));
}

#[test]
fn completions_name_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = command(&["completions", shell]).output().expect("runs");
        let text = String::from_utf8_lossy(&output.stdout);
        for name in ["nodes", "snapshot", "catalog", "demo", "--group-by"] {
            assert!(text.contains(name.trim_start_matches('-')), "{shell} {name}");
        }
    }
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let mut child = command(&["catalog", "list", "--catalog", "aws:us-east-1"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("ends");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn a_snapshot_is_written_and_shows_the_same_fleet() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.restow");
    let path = file.to_str().expect("text");
    let written =
        command(&["snapshot", "-f", "cluster.yaml", "--to", path]).output().expect("runs");
    assert_eq!(written.status.code(), Some(0), "{}", shown(&written));
    let table =
        |input: &str| command(&["nodes", "-f", input, "-o", "csv"]).output().expect("runs").stdout;
    assert_eq!(table(path), table("cluster.yaml"));
    let anonymous = folder.path().join("b.restow");
    let hidden = anonymous.to_str().expect("text");
    let written =
        command(&["snapshot", "-f", path, "--to", hidden, "--anonymize"]).output().expect("runs");
    assert_eq!(written.status.code(), Some(0), "{}", shown(&written));
    let shown = run(&["nodes", "-f", hidden]);
    assert!(!shown.contains("ip-10-0") && shown.contains("m6a.xlarge"), "{shown}");
    let damaged = folder.path().join("c.restow");
    let mut bytes = std::fs::read(&file).expect("just written");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&damaged, &bytes).expect("writable");
    let output = command(&["nodes", "-f", damaged.to_str().expect("text")]).output().expect("runs");
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && message.contains("damaged in section"), "{message}");
}

#[test]
fn a_live_cluster_is_only_read_and_shows_what_its_dump_shows() {
    let folder = tempfile::tempdir().expect("a folder");
    let cluster = Arc::new(Cluster::new(Flavor::Karpenter, Size { nodes: 8, pods: 90, seed: 3 }));
    let server = ApiServer::start(Script::cluster(&cluster)).expect("a free port");
    let kubeconfig = folder.path().join("config");
    server.write_kubeconfig(&kubeconfig).expect("writable");
    let config = kubeconfig.to_str().expect("text");
    let now = "2026-11-15T12:00:00Z";
    let live = command(&["nodes", "--kubeconfig", config, "--now", now, "-o", "csv"])
        .output()
        .expect("runs");
    let dump = folder.path().join("dump.json");
    std::fs::write(&dump, restow_testkit::generate_bytes(&restow_testkit::Options::new(8, 90, 3)))
        .expect("writable");
    let dump = dump.to_str().expect("text");
    let from_file =
        command(&["nodes", "-f", dump, "--now", now, "-o", "csv"]).output().expect("runs");
    assert_eq!(live.status.code(), Some(0), "{}", shown(&live));
    assert_eq!(shown(&live), shown(&from_file));
    assert!(server.requests().iter().all(|request| request.method == "GET"));
    let absent =
        command(&["nodes", "--kubeconfig", config, "--context", "prod"]).output().expect("runs");
    let message = String::from_utf8_lossy(&absent.stderr).into_owned();
    assert!(absent.status.code() == Some(1) && message.contains("prod"), "{message}");
}

#[test]
fn standard_input_and_folders_are_read() {
    let text = std::fs::read(fixtures().join("cluster.yaml")).expect("a fixture");
    let mut child = command(&["nodes", "-f", "-", "-o", "csv"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("runs");
    std::io::Write::write_all(&mut child.stdin.take().expect("piped"), &text).expect("taken");
    let piped = child.wait_with_output().expect("ends").stdout;
    let file =
        command(&["nodes", "-f", "cluster.yaml", "-o", "csv"]).output().expect("runs").stdout;
    assert_eq!(piped, file);
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(folder.path().join("deep")).expect("a folder");
    std::fs::write(folder.path().join("deep/all.yml"), &text).expect("writable");
    std::fs::write(folder.path().join("notes.txt"), "not read").expect("writable");
    let path = folder.path().to_str().expect("text");
    assert_eq!(command(&["nodes", "-f", path, "-o", "csv"]).output().expect("runs").stdout, file);
    let empty = tempfile::tempdir().expect("a folder");
    let output =
        command(&["nodes", "-f", empty.path().to_str().expect("text")]).output().expect("runs");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("the folder holds no"),
        "{}",
        shown(&output)
    );
}

/// The example that the binary carries is the one that the testkit writes (`cargo xtask demo`).
#[test]
fn the_example_is_up_to_date() {
    let folder = tempfile::tempdir().expect("a folder");
    let (dump, file) = (folder.path().join("demo.json"), folder.path().join("demo.restow"));
    std::fs::write(&dump, restow_testkit::demo().to_string()).expect("a file");
    let output = command(&["snapshot", "--to"]).arg(&file).arg("-f").arg(&dump).output();
    assert!(output.expect("the binary runs").status.success());
    let carried = Path::new(env!("CARGO_MANIFEST_DIR")).join("demo/cluster.restow");
    let read = |path: &Path| std::fs::read(path).expect("a file");
    assert!(read(&file) == read(&carried), "run `cargo xtask demo`");
}
