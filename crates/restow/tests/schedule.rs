//! `restow schedule` as a person meets it: every question, every format, every error, byte for byte.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/schedule")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_restow"));
    command
        .arg("schedule")
        .args(arguments)
        .current_dir(fixtures())
        .env_clear()
        .env("COLUMNS", "80")
        .env("HOME", "/nonexistent");
    command
}

fn shown(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().map_or("killed".to_owned(), |code| code.to_string());
    format!("exit {code}\n--- stdout\n{}--- stderr\n{}", text(&output.stdout), text(&output.stderr))
}

/// The cluster of the fixtures at its own prices, and the arguments.
fn ask(arguments: &[&str]) -> Output {
    let mut all = vec!["-f", "cluster.yaml", "--catalog", "types.csv"];
    all.extend(arguments);
    command(&all).output().expect("the binary runs")
}

/// A name for the snapshot file, then the arguments.
macro_rules! screens {
    ($($name:ident: $arguments:expr;)*) => { $(
        #[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), shown(&ask(&$arguments)));
        }
    )* };
}

screens! {
    help: ["--help"];
    pending: ["-f", "pending.yaml"];
    pending_wide: ["-f", "pending.yaml", "-o", "wide"];
    pending_json: ["-f", "pending.yaml", "-o", "json"];
    pending_yaml: ["-f", "pending.yaml", "-o", "yaml"];
    pending_color: ["-f", "pending.yaml", "-f", "misfits.yaml", "--color", "always", "--no-headers"];
    pending_on_existing_nodes: ["-f", "pending.yaml", "--no-new-nodes"];
    misfits: ["-f", "misfits.yaml"];
    misfits_json: ["-f", "misfits.yaml", "-o", "json"];
    preferences: ["-f", "prefers.yaml"];
    preferences_ignored: ["-f", "prefers.yaml", "--preferences", "ignore"];
    nothing_pending: [""; 0];
    nothing_pending_json: ["-o", "json"];
    leaving: ["-f", "leaving.yaml"];
    drain: ["--drain", "node-b,node-c"];
    drain_wide: ["--drain", "node-b", "--drain", "node-a", "-o", "wide"];
    drain_json: ["--drain", "node-b", "--no-new-nodes", "-o", "json"];
    scale: ["--scale", "deployment/web=12"];
    scale_with_pending_pods: ["-f", "pending.yaml", "--scale", "deploy/web=6"];
    scale_without_new_nodes: ["--scale", "deploy/web=12", "--max-new-nodes", "0"];
    scale_json: ["--scale", "shop/deploy/web=5", "-o", "json"];
    scale_in_a_namespace: ["-f", "twins.yaml", "--scale", "deploy/api=2", "-n", "two"];
    scale_a_stateful_set: ["--scale", "sts/db=3"];
    scale_down: ["--scale", "deploy/web=1"];
    scale_spread_by_default: ["--scale", "sts/db=4", "--scheduler-config", "scheduler.yaml"];
    pods_of_a_file: ["--pods", "apps.yaml"];
    pods_of_a_file_within_a_limit: ["--pods", "apps.yaml", "--max-new-nodes", "1"];
    pods_of_a_file_json: ["--pods", "apps.yaml", "-o", "json"];
    feasible_pending: ["-f", "pending.yaml", "-f", "misfits.yaml", "--feasible", "pending"];
    feasible_all: ["--feasible", "all"];
    feasible_all_wide: ["--feasible", "all", "-o", "wide"];
    feasible_one: ["--feasible", "shop/db-0"];
    feasible_one_wide: ["--feasible", "shop/db-0", "-o", "wide"];
    feasible_one_json: ["--feasible", "shop/web-6f9-a1", "-o", "json"];
    feasible_one_yaml: ["--feasible", "shop/web-6f9-a1", "-o", "yaml"];
    feasible_pods_of_a_file: ["--pods", "apps.yaml", "--feasible", "shop/import"];
    feasible_nothing: ["--feasible", "pending"];
    error_unknown_node: ["--drain", "nod-a"];
    error_scheduler_config: ["--scheduler-config", "bad-scheduler.yaml"];
    error_no_scheduler_config: ["--scheduler-config", "none.yaml"];
    error_node_like_none: ["--drain", "gke-pool-1"];
    error_scale_syntax: ["--scale", "web=3"];
    error_scale_kind: ["--scale", "pod/web=3"];
    error_scale_number: ["--scale", "deploy/web=many"];
    error_unknown_workload: ["--scale", "deploy/weeb=3"];
    error_workload_like_none: ["--scale", "deploy/api=3"];
    error_no_workloads: ["--scale", "rc/web=3"];
    error_workload_elsewhere: ["--scale", "deploy/web=3", "-n", "default"];
    error_ambiguous_workload: ["-f", "twins.yaml", "--scale", "deploy/api=2"];
    error_bound_pod: ["--pods", "bound.yaml"];
    error_known_pod: ["--pods", "known.yaml"];
    error_no_pods: ["--pods", "nothing.yaml"];
    error_no_pods_file: ["--pods", "absent.yaml"];
    error_feasible_syntax: ["--feasible", "db-0"];
    error_unknown_pod: ["--feasible", "shop/db-1"];
    error_feasible_and_drain: ["--feasible", "all", "--drain", "node-a"];
    error_both_limits: ["--no-new-nodes", "--max-new-nodes", "3"];
}

#[test]
fn a_cluster_without_pools_says_so() {
    for (name, format) in [("no_pools", "table"), ("no_pools_json", "json")] {
        let output = command(&["-f", "no-pools.yaml", "-o", format]).output().expect("runs");
        insta::assert_snapshot!(name, shown(&output));
    }
}

#[test]
fn a_cluster_with_pools_and_no_catalog_says_how_to_name_one() {
    let output = command(&["-f", "cluster.yaml", "-f", "pending.yaml"]).output().expect("runs");
    insta::assert_snapshot!("no_catalog", shown(&output));
}

#[test]
fn no_line_is_wider_than_the_screen() {
    for width in ["60", "80", "120"] {
        for question in
            [&["-f", "misfits.yaml"][..], &["--feasible", "all"], &["--drain", "node-b"]]
        {
            let mut all = vec!["-f", "cluster.yaml", "--catalog", "types.csv"];
            all.extend(question);
            let output = command(&all).env("COLUMNS", width).output().expect("runs");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let limit: usize = width.parse().expect("a number");
            let wide = text.lines().find(|line| line.chars().count() > limit);
            assert_eq!(wide, None, "{question:?} at {width}");
        }
    }
}

#[test]
fn a_snapshot_file_takes_pods_of_other_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.restow");
    let path = file.to_str().expect("text");
    let saved = Command::new(env!("CARGO_BIN_EXE_restow"))
        .args(["snapshot", "-f", "cluster.yaml", "--to", path])
        .current_dir(fixtures())
        .output()
        .expect("runs");
    assert_eq!(saved.status.code(), Some(0), "{}", shown(&saved));
    for question in
        [&["--pods", "apps.yaml"][..], &["--scale", "deploy/web=9"], &["--feasible", "all"]]
    {
        let from = |input: &str| {
            let mut all = vec!["-f", input, "--catalog", "types.csv", "-o", "json"];
            all.extend(question);
            shown(&command(&all).output().expect("runs"))
        };
        assert_eq!(from(path), from("cluster.yaml"), "{question:?}");
    }
}
