//! `restow lint` as a person meets it: every screen, every format, byte for byte.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/plan")
}

/// A command about a cluster of the fixtures, at its own prices and at its own time.
fn ask(cluster: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_restow"));
    command
        .args(["lint", "-f", cluster, "--now", "2026-11-15T12:00:00Z", "--catalog", "prices.csv"])
        .args(arguments)
        .current_dir(fixtures())
        .env_clear()
        .env("COLUMNS", "100")
        .env("HOME", "/nonexistent")
        .env("TZ", "UTC");
    command
}

fn shown(output: &Output) -> String {
    let code = output.status.code().map_or("killed".to_owned(), |code| code.to_string());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    format!("exit {code}\n--- stdout\n{}--- stderr\n{}", text(&output.stdout), text(&output.stderr))
}

/// A name for the snapshot file, the cluster, then the arguments.
macro_rules! screens {
    ($($name:ident: $cluster:literal $arguments:expr;)*) => { $(
        #[test]
        fn $name() {
            let output = ask($cluster, &$arguments).output().expect("the binary runs");
            insta::assert_snapshot!(stringify!($name), shown(&output));
        }
    )* };
}

screens! {
    lint: "traps.yaml" [""; 0];
    lint_wide: "traps.yaml" ["-o", "wide"];
    lint_json: "traps.yaml" ["-o", "json"];
    lint_yaml: "cluster.yaml" ["-o", "yaml"];
    lint_color: "cluster.yaml" ["--color", "always", "--no-headers"];
    lint_errors: "traps.yaml" ["--severity", "error"];
    lint_of_one_pool: "traps.yaml" ["--pool", "legacy"];
    lint_pods: "pods.yaml" [""; 0];
    lint_settings: "settings.yaml" [""; 0];
    lint_groups: "groups.yaml" [""; 0];
    lint_schedules: "schedules.yaml" [""; 0];
    lint_nothing: "issue-7146.yaml" ["--savings-threshold-cents", "0"];
    lint_unlimited: "issue-7146.yaml" ["--what-if", "budgets=[]"];
    lint_without_prices: "issue-7146.yaml" ["--what-if", "catalog=kwok"];
    lint_fixed: "cluster.yaml" ["--what-if", "pdb/web/ingress=1", "--what-if", "node/marked=disruptable", "--what-if", "batch/budgets=10%"];
    lint_help: "traps.yaml" ["-h"];
    lint_error_severity: "traps.yaml" ["--severity", "bad"];
}

/// Every finding has a fix to paste, and what they lock in adds up.
#[test]
fn every_finding_has_a_fix() {
    for cluster in ["traps.yaml", "cluster.yaml", "pods.yaml", "settings.yaml", "schedules.yaml"] {
        let output = ask(cluster, &["-o", "json"]).output().expect("runs");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(report["kind"], "LintReport");
        let mut locked = 0.0;
        for finding in report["findings"].as_array().expect("a list") {
            for field in
                ["severity", "code", "object", "owner", "nodes", "savingsPerHour", "message", "fix"]
            {
                assert!(finding.get(field).is_some(), "{field} of {finding}");
            }
            assert!(!finding["fix"].as_str().expect("text").is_empty(), "{cluster}: {finding}");
            locked += finding["savingsPerHour"].as_f64().expect("a number");
        }
        let all = report["savingsPerHour"].as_f64().expect("a number");
        assert!((all - locked).abs() < 1e-9, "{cluster}: {all} {locked}");
    }
}
