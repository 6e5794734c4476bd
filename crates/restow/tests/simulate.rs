//! `restow simulate`, `compare`, `tune` and `demo` as a person meets them: screens, formats, errors and exit codes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/simulate")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_restow"));
    command
        .args(arguments)
        .current_dir(fixtures())
        .env_clear()
        .env("COLUMNS", "80")
        .env("HOME", "/nonexistent")
        .env("TZ", "UTC");
    command
}

fn run(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the binary runs")
}

fn shown(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().map_or("killed".to_owned(), |code| code.to_string());
    format!("exit {code}\n--- stdout\n{}--- stderr\n{}", text(&output.stdout), text(&output.stderr))
}

/// What a command prints that does what it should.
fn printed(arguments: &[&str]) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}\n{}", shown(&output));
    String::from_utf8(output.stdout).expect("text")
}

fn widest(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or_default()
}

/// A name for the snapshot file, then the arguments.
macro_rules! screens {
    ($($name:ident: $arguments:expr;)*) => { $(
        #[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), shown(&run(&$arguments)));
        }
    )* };
}

screens! {
    list: ["simulate", "--list"];
    simulate: ["simulate", "small.yaml"];
    simulate_wide: ["simulate", "small.yaml", "-o", "wide"];
    simulate_nobody: ["simulate", "small.yaml", "--policy", "none"];
    simulate_what_if: ["simulate", "small.yaml", "--what-if", "default/consolidation-policy=WhenEmpty", "--seed", "7"];
    compare: ["compare", "small.yaml"];
    compare_wide: ["compare", "small.yaml", "-o", "wide"];
    compare_named: ["compare", "small.yaml", "--policy", "careful", "--policy", "karpenter-1.14", "--policy", "none"];
    compare_color: ["compare", "small.yaml", "--color", "always"];
    failing: ["simulate", "failing.yaml", "--policy", "restow"];
    failing_compared: ["compare", "failing.yaml"];
    tune: ["tune", "small.yaml", "--tries", "6"];
    tune_patch: ["tune", "small.yaml", "--tries", "6", "--eviction-cost", "1"];
    help_simulate: ["simulate", "--help"];
    help_compare: ["compare", "-h"];
    help_tune: ["tune", "-h"];
    error_no_file: ["simulate", "absent.yaml"];
    error_no_such_scenario: ["simulate", "s1-offpeak-cascade"];
    error_no_scenario: ["simulate"];
    error_policy: ["compare", "small.yaml", "--policy", "carefull"];
    error_policy_like_none: ["compare", "small.yaml", "--policy", "elsewhere.yaml"];
    error_policy_twice: ["compare", "small.yaml", "--policy", "none", "--policy", "none"];
    error_scenario: ["simulate", "wrong.yaml"];
    error_what_if_setting: ["simulate", "small.yaml", "--what-if", "bugets=1"];
    error_what_if_pool: ["simulate", "small.yaml", "--what-if", "defalt/budgets=1"];
    error_what_if_object: ["simulate", "small.yaml", "--what-if", "pdb/web/api=1"];
    error_seeds: ["simulate", "small.yaml", "--seeds", "0"];
    error_seed_and_seeds: ["simulate", "small.yaml", "--seeds", "2", "--seed", "1"];
    error_duration: ["simulate", "small.yaml", "--duration", "0s"];
    error_out: ["simulate", "small.yaml", "--out", "absent/report.json"];
    error_tune_pool: ["tune", "small.yaml", "--pool", "default"];
    error_tune_cost: ["tune", "small.yaml", "--eviction-cost", "-1"];
    error_tune_tries: ["tune", "small.yaml", "--tries", "0"];
    error_tune_object: ["tune", "small.yaml", "--what-if", "node/default-1=disruptable"];
}

#[test]
fn no_line_is_wider_than_the_screen() {
    for width in ["60", "80", "120"] {
        for name in ["simulate", "compare"] {
            let output = command(&[name, "small.yaml"]).env("COLUMNS", width).output();
            let text = String::from_utf8_lossy(&output.expect("runs").stdout).into_owned();
            assert!(
                widest(&text) <= width.parse().expect("a number"),
                "{name} at {width}:\n{text}"
            );
        }
    }
}

/// The fields that others rely on; more may be added, none renamed.
#[test]
fn the_contract_of_json() {
    let text = printed(&["compare", "small.yaml", "-o", "json"]);
    let report: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(report["apiVersion"], "restow.dev/v1alpha1");
    assert_eq!(report["kind"], "SimulationReport");
    assert_eq!(report["scenario"], "small");
    let policies = report["policies"].as_array().expect("a list");
    assert_eq!(policies.len(), 2);
    for policy in policies {
        assert!(policy["name"].is_string() && policy["pareto"].is_boolean(), "{policy}");
        let runs = policy["runs"].as_array().expect("a list");
        let seeds: Vec<u64> = runs.iter().filter_map(|run| run["seed"].as_u64()).collect();
        assert_eq!(seeds, [1, 2]);
        for run in runs {
            for field in [
                "dollars",
                "nodeHours",
                "evictions",
                "reEvictions",
                "maxEvictionsPerPod",
                "generations",
                "moves",
                "pendingPodSeconds",
                "nodesAtEnd",
                "pricePerHourAtEnd",
            ] {
                assert!(run[field].is_number(), "{field} of {run}");
            }
            assert_eq!(run["valid"], true);
        }
    }
    let expectations = report["expectations"].as_array().expect("a list");
    assert_eq!(expectations.len(), 2);
    for own in expectations {
        assert!(own["name"].is_string() && own["expected"].is_string(), "{own}");
        assert!(own["actual"].is_number() && own["passed"] == true, "{own}");
    }
}

#[test]
fn json_and_yaml_say_the_same() {
    let json = printed(&["simulate", "small.yaml", "-o", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    let yaml = printed(&["simulate", "small.yaml", "-o", "yaml"]);
    let yaml: Value = serde_saphyr::from_str(&yaml).expect("YAML");
    assert_eq!(json["expectations"], yaml["expectations"]);
    assert_eq!(
        json["policies"][0]["runs"][0]["evictions"],
        yaml["policies"][0]["runs"][0]["evictions"]
    );
}

#[test]
fn threads_change_nothing() {
    let with = |name: &str, threads: &str, more: &[&str]| {
        let mut arguments = vec![name, "small.yaml", "-o", "json", "--threads", threads];
        arguments.extend(more);
        printed(&arguments)
    };
    for name in ["simulate", "compare"] {
        assert_eq!(with(name, "1", &[]), with(name, "3", &[]), "{name}");
    }
    assert_eq!(with("tune", "1", &["--tries", "6"]), with("tune", "2", &["--tries", "6"]));
}

#[test]
fn html_is_one_page_that_needs_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("report.html");
    let path = file.to_str().expect("text");
    for name in ["simulate", "compare"] {
        let silent = printed(&[name, "small.yaml", "-o", "html", "--out", path]);
        assert_eq!(silent, "", "what goes to a file is not printed");
        let page = std::fs::read_to_string(&file).expect("the page");
        assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"));
        assert_eq!(page.matches("<html").count(), 1);
        let bare = page.replace("http://www.w3.org/2000/svg", "");
        for word in ["<script", "http://", "https://", "src=", "@import", "url("] {
            assert!(!bare.contains(word), "{word} in the page of {name}");
        }
        assert!(page.contains("<svg") && page.trim_end().ends_with("</html>"));
    }
}

#[test]
fn decisions_are_recorded_one_in_a_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("log.jsonl");
    printed(&["simulate", "small.yaml", "--record", file.to_str().expect("text")]);
    let text = std::fs::read_to_string(&file).expect("the log");
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(!lines.is_empty());
    for own in &lines {
        for field in ["id", "at", "method", "sources", "replacements", "pods", "policy", "seed"] {
            assert!(!own[field].is_null(), "{field} of {own}");
        }
        assert_eq!(own["policy"], "restow");
    }
}

#[test]
fn faults_break_nothing() {
    let arguments = ["simulate", "small.yaml", "--faults", "--seeds", "3", "--duration", "3h"];
    let output = run(&arguments);
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert!(notes.contains("6 runs with faults, 0 of them broke something"), "{notes}");
}

/// The last hour is quiet: in a scenario of one hour nothing goes wrong, which must not look like a proof.
#[test]
fn faults_need_more_than_an_hour() {
    let output = run(&["simulate", "small.yaml", "--faults", "--seed", "1"]);
    let notes = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", shown(&output));
    assert!(notes.starts_with("warning: the last hour is without faults"), "{notes}");
}

#[test]
fn a_policy_of_a_file_is_tried() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mine.yaml");
    std::fs::write(&file, "name: mine\nsettings: { consolidation-policy: WhenEmpty }\n")
        .expect("writable");
    let path = file.to_str().expect("text");
    let text = printed(&["compare", "small.yaml", "--policy", path, "--policy", "none"]);
    assert!(text.contains(" mine ") && text.contains(" none "), "{text}");
}

/// A frontier, what is recommended of it, and a patch that kubectl takes.
#[test]
fn tuning_says_what_to_change() {
    let text = printed(&["tune", "small.yaml", "--tries", "30", "--seeds", "1", "-o", "json"]);
    let tuning: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(tuning["kind"], "Tuning");
    assert_eq!(tuning["tried"], 30);
    let frontier = tuning["frontier"].as_array().expect("a list");
    assert!(!frontier.is_empty() && frontier.contains(&tuning["recommended"]), "{text}");
    let changed = !tuning["recommended"]["settings"].as_array().expect("a list").is_empty();
    assert_eq!(changed, tuning["patch"].is_object(), "{text}");
}

/// Nothing is tuned that the settings do not take: one that is wrong switches its pool off, and looks like the calmest of all.
#[test]
fn every_setting_that_is_tuned_consolidates() {
    let with = |setting: &str| {
        let text = printed(&["simulate", "small.yaml", "--what-if", setting, "-o", "json"]);
        let report: Value = serde_json::from_str(&text).expect("JSON");
        report["policies"][0]["runs"][0]["moves"].as_u64()
    };
    assert_ne!(with("budgets=30%"), Some(0));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("busy.yaml");
    let text = std::fs::read_to_string(fixtures().join("small.yaml")).expect("a fixture");
    std::fs::write(&file, text.replace("50%", "\"0\"")).expect("writable");
    // Only another budget lets anything happen here.
    let path = file.to_str().expect("text");
    let text = printed(&["tune", path, "--tries", "25", "--seeds", "1", "--eviction-cost", "0"]);
    assert!(text.contains("budgets=30%"), "{text}");
    assert!(text.contains(r#"{"spec":{"disruption":{"budgets":[{"nodes":"30%"}]}}}"#), "{text}");
}

/// A cluster of which one instant is known is tuned by a load that is made up.
#[test]
fn a_cluster_is_tuned() {
    let text = printed(&[
        "tune",
        "-f",
        "../plan/cluster.yaml",
        "--now",
        "2026-11-15T12:00:00Z",
        "--catalog",
        "../plan/prices.csv",
        "--duration",
        "2h",
        "--tries",
        "2",
        "--seeds",
        "1",
    ]);
    assert!(text.starts_with("the cluster: 2 settings tried"), "{text}");
}

#[test]
fn the_demo_fits_a_screen_and_writes_its_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("story.html");
    let path = file.to_str().expect("text");
    let text = printed(&["demo", "--out", path]);
    assert!(text.lines().count() <= 60, "{} lines\n{text}", text.lines().count());
    let named = format!("All of it, with figures: {path}\n");
    let rest = text.strip_suffix(&named).unwrap_or_else(|| panic!("{named}{text}"));
    assert!(widest(rest) <= 80, "{text}");
    assert!(rest.contains("KARPENTER 1.14") && rest.contains("RESTOW"), "{text}");
    assert!(rest.contains("restow costs"), "{text}");
    insta::assert_snapshot!("demo", rest);
    let page = std::fs::read_to_string(&file).expect("the page");
    assert!(page.trim_end().ends_with("</html>") && !page.contains("<script"));
}

#[test]
fn the_example_cluster_is_shown_and_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("example.restow");
    let path = file.to_str().expect("text");
    let text = printed(&["demo", "--fleet", "--save", path]);
    for part in ["`restow nodes`", "`restow plan`", "`restow lint`"] {
        assert!(text.contains(part), "{part}");
    }
    assert!(printed(&["nodes", "-f", path]).starts_with("16 nodes"));
}
