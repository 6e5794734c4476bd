//! `restow explain` as a person meets it: every screen, every format, every error, byte for byte; and that what it says
//! would help does help.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/plan")
}

/// A command about a cluster of the fixtures, at its own prices and at its own time.
fn ask(words: &[&str], cluster: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_restow"));
    command
        .args(words)
        .args(["-f", cluster, "--now", "2026-11-15T12:00:00Z", "--catalog", "prices.csv"])
        .args(arguments)
        .current_dir(fixtures())
        .env_clear()
        .env("COLUMNS", "80")
        .env("HOME", "/nonexistent")
        .env("TZ", "UTC");
    command
}

fn shown(output: &Output) -> String {
    let code = output.status.code().map_or("killed".to_owned(), |code| code.to_string());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("exit {code}\n--- stdout\n{}--- stderr\n{}", text(&output.stdout), text(&output.stderr))
}

/// A name for the snapshot file, what is asked, the cluster, then the arguments.
macro_rules! screens {
    ($($name:ident: $what:literal $object:literal $cluster:literal $arguments:expr;)*) => { $(
        #[test]
        fn $name() {
            let words = ["explain", $what, $object];
            let output = ask(&words, $cluster, &$arguments).output().expect("the binary runs");
            insta::assert_snapshot!(stringify!($name), shown(&output));
        }
    )* };
}

screens! {
    node_kept: "node" "node-a" "issue-7146.yaml" [""; 0];
    node_kept_json: "node" "node-a" "issue-7146.yaml" ["-o", "json"];
    node_kept_yaml: "node" "node-a" "issue-7146.yaml" ["-o", "yaml", "--no-counterfactuals"];
    node_blocked_by_pdb: "node" "guarded" "cluster.yaml" [""; 0];
    node_blocked_by_pdb_json: "node" "guarded" "cluster.yaml" ["-o", "json"];
    node_blocked_by_mark: "node" "marked" "cluster.yaml" [""; 0];
    node_too_full: "node" "full" "cluster.yaml" [""; 0];
    node_too_young: "node" "young" "cluster.yaml" [""; 0];
    node_deferred: "node" "spot-a" "cluster.yaml" [""; 0];
    node_empty: "node" "empty" "cluster.yaml" [""; 0];
    node_merged: "node" "merge-a" "cluster.yaml" [""; 0];
    node_with_several_obstacles: "node" "node-b" "pods.yaml" [""; 0];
    node_fits_nowhere: "node" "ssd-a" "misfit.yaml" [""; 0];
    node_fits_nowhere_json: "node" "ssd-a" "misfit.yaml" ["-o", "json"];
    node_nothing_may_be_launched: "node" "node-a" "issue-7146.yaml" ["--single-node", "off", "--savings-threshold-cents", "0"];
    node_of_nobody: "node" "group-a" "groups.yaml" ["--node-groups", "off"];
    node_of_a_group: "node" "group-a" "groups.yaml" [""; 0];
    node_of_a_wrong_pool: "node" "old" "traps.yaml" [""; 0];
    node_spot: "node" "spot-a" "spot.yaml" [""; 0];
    node_policy: "node" "node-a" "issue-7146.yaml" ["--consolidation-policy", "WhenUnderutilized"];
    node_what_if: "node" "guarded" "cluster.yaml" ["--what-if", "pdb/web/ingress=1", "--what-if", "default/scaledown-utilization-threshold=0.1"];
    node_color: "node" "guarded" "cluster.yaml" ["--color", "always", "--no-counterfactuals"];
    pod_blocks: "pod" "web/ingress-1" "cluster.yaml" [""; 0];
    pod_blocks_json: "pod" "web/ingress-1" "cluster.yaml" ["-o", "json"];
    pod_moves: "pod" "web/api-1" "cluster.yaml" [""; 0];
    pod_without_owner: "pod" "lonely" "pods.yaml" [""; 0];
    pod_twice: "pod" "web/twins-1" "traps.yaml" [""; 0];
    pool: "pool" "default" "cluster.yaml" [""; 0];
    pool_json: "pool" "batch" "cluster.yaml" ["-o", "json"];
    pool_wrong: "pool" "legacy" "traps.yaml" [""; 0];
    pool_settings: "pool" "default" "settings.yaml" [""; 0];
    help_node: "node" "a" "cluster.yaml" ["-h"];
    help_pod: "pod" "a" "cluster.yaml" ["-h"];
    help_pool: "pool" "a" "cluster.yaml" ["-h"];
    error_node: "node" "garded" "cluster.yaml" [""; 0];
    error_node_like_none: "node" "elsewhere" "cluster.yaml" [""; 0];
    error_node_in_an_empty_cluster: "node" "a" "empty.yaml" [""; 0];
    error_pod: "pod" "web/ingres-1" "cluster.yaml" [""; 0];
    error_pool: "pool" "defalt" "cluster.yaml" [""; 0];
    error_pool_flag: "node" "guarded" "cluster.yaml" ["--pool", "default"];
}

/// The contract: what is printed as a counterfactual is what `restow plan --what-if` takes, and it is true.
#[test]
fn what_would_help_does_help() {
    let mut tried = 0;
    for (cluster, nodes) in [
        (
            "cluster.yaml",
            &["full", "guarded", "marked", "young", "spot-a", "spot-b", "merge-b"][..],
        ),
        ("issue-7146.yaml", &["node-a"]),
        ("pods.yaml", &["node-a", "node-b", "node-c"]),
        ("spot.yaml", &["spot-a", "demand-a"]),
        ("groups.yaml", &["group-a", "group-b"]),
        ("traps.yaml", &["never", "crashing", "marked", "twice", "old"]),
    ] {
        for node in nodes {
            let words = ["explain", "node", node];
            let output = ask(&words, cluster, &["-o", "json"]).output().expect("runs");
            assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
            let explained: serde_json::Value =
                serde_json::from_slice(&output.stdout).expect("JSON");
            for own in explained["counterfactuals"].as_array().expect("a list") {
                let what_ifs: Vec<&str> = own["whatIf"]
                    .as_array()
                    .expect("a list")
                    .iter()
                    .flat_map(|own| ["--what-if", own.as_str().expect("text")])
                    .collect();
                let mut arguments = vec!["-o", "json"];
                arguments.extend(&what_ifs);
                let output = ask(&["plan"], cluster, &arguments).output().expect("runs");
                let plan: serde_json::Value = serde_json::from_slice(&output.stdout)
                    .unwrap_or_else(|_| panic!("{}", shown(&output)));
                let nodes = plan["nodes"].as_array().expect("a list");
                let found = nodes.iter().find(|own| own["name"] == **node).expect("the node");
                assert_eq!(found["verdict"], own["verdict"], "{cluster} {node} {what_ifs:?}");
                assert_eq!(found["verdict"], "Consolidate", "{cluster} {node} {what_ifs:?}");
                tried += 1;
            }
        }
    }
    assert!(tried >= 6, "only {tried} counterfactuals to try");
}

/// A budget that would help is the smallest that does, in the form that the pool uses.
#[test]
fn one_less_would_not_help() {
    for (node, enough, less) in [
        ("merge-a", "default/budgets=[{nodes: 15%}]", "default/budgets=[{nodes: 14%}]"),
        ("spot-a", "batch/budgets=[{nodes: 1}]", "batch/budgets=[{nodes: 0}]"),
    ] {
        let words = ["explain", "node", node];
        let output = ask(&words, "cluster.yaml", &["-o", "json"]).output().expect("runs");
        let explained: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(explained["counterfactuals"][0]["whatIf"], serde_json::json!([enough]));
        let arguments = ["-o", "json", "--what-if", less];
        let output = ask(&["plan"], "cluster.yaml", &arguments).output().expect("runs");
        let plan: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let nodes = plan["nodes"].as_array().expect("a list");
        let found = nodes.iter().find(|own| own["name"] == node).expect("the node");
        assert_eq!(found["verdict"], "Deferred", "{node} {less}");
    }
}

/// The fields that others rely on, in their order, and every gate in its own.
#[test]
fn the_contract_of_json() {
    let words = ["explain", "node", "guarded"];
    let output = ask(&words, "cluster.yaml", &["-o", "json"]).output().expect("runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut rest = text.as_str();
    for field in [
        "apiVersion",
        "kind",
        "node",
        "verdict",
        "gates",
        "nearestMiss",
        "counterfactuals",
        "whatIf",
    ] {
        let key = format!("\"{field}\":");
        let at = rest.find(&key).unwrap_or_else(|| panic!("{field}"));
        rest = &rest[at + key.len()..];
    }
    let explained: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let gates: Vec<&str> = explained["gates"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|gate| {
            for field in ["passed", "code", "message", "values"] {
                assert!(gate.get(field).is_some(), "{field} of {gate}");
            }
            gate["gate"].as_str().expect("text")
        })
        .collect();
    assert_eq!(
        gates,
        [
            "managed",
            "priced",
            "annotated",
            "pods",
            "policy",
            "age",
            "quiet",
            "grace",
            "utilization",
            "placement",
            "price",
            "savings",
            "score",
            "budget",
            "stable"
        ]
    );
}

/// Sentences fit; commands stay on one line, as they are pasted.
#[test]
fn no_line_is_wider_than_the_screen() {
    for width in ["60", "80", "120"] {
        for (what, object) in
            [("node", "full"), ("node", "guarded"), ("pod", "web/big-1"), ("pool", "default")]
        {
            let output =
                ask(&["explain", what, object], "cluster.yaml", &[]).env("COLUMNS", width).output();
            let text = String::from_utf8_lossy(&output.expect("runs").stdout).into_owned();
            let limit: usize = width.parse().expect("a number");
            let wide = text.lines().find(|line| {
                line.chars().count() > limit && !line.contains("restow plan --what-if")
            });
            assert_eq!(wide, None, "{what} {object} at {width}");
        }
    }
}
