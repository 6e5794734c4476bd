//! `restow plan`, `config`, `budget` and `diff` as a person meets them: every screen, every format, every error, byte for
//! byte.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/plan")
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

fn shown(output: &Output) -> String {
    let code = output.status.code().map_or("killed".to_owned(), |code| code.to_string());
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.lines().fold(String::new(), |all, line| all + &timeless(line) + "\n")
    };
    format!("exit {code}\n--- stdout\n{}--- stderr\n{}", text(&output.stdout), text(&output.stderr))
}

/// The time that planning took is the only thing that differs between equal runs.
fn timeless(line: &str) -> String {
    match line.split_once("elapsedMs") {
        Some((before, after)) => {
            let end = if after.ends_with(',') { "," } else { "" };
            format!("{before}elapsedMs …{end}")
        }
        None => line.to_owned(),
    }
}

/// A command about a cluster of the fixtures, at its own prices and at its own time.
fn ask(command_name: &str, cluster: &str, arguments: &[&str]) -> Command {
    let mut all = vec![command_name, "-f", cluster, "--now", "2026-11-15T12:00:00Z"];
    if command_name == "plan" {
        all.extend(["--catalog", "prices.csv"]);
    }
    all.extend(arguments);
    command(&all)
}

/// A name for the snapshot file, the command, the cluster, then the arguments.
macro_rules! screens {
    ($($name:ident: $command:literal $cluster:literal $arguments:expr;)*) => { $(
        #[test]
        fn $name() {
            let output = ask($command, $cluster, &$arguments).output().expect("the binary runs");
            insta::assert_snapshot!(stringify!($name), shown(&output));
        }
    )* };
}

screens! {
    plan: "plan" "cluster.yaml" [""; 0];
    plan_wide: "plan" "cluster.yaml" ["-o", "wide"];
    plan_json: "plan" "cluster.yaml" ["-o", "json"];
    plan_yaml: "plan" "cluster.yaml" ["-o", "yaml"];
    plan_html: "plan" "cluster.yaml" ["-o", "html"];
    plan_color: "plan" "cluster.yaml" ["--color", "always", "--no-headers"];
    plan_of_one_pool: "plan" "cluster.yaml" ["--pool", "b*"];
    plan_by_the_seed: "plan" "cluster.yaml" ["--search", "seed"];
    plan_careful: "plan" "cluster.yaml" ["--profile", "careful"];
    plan_without_budget: "plan" "cluster.yaml" ["--budgets", "0"];
    plan_outside_windows: "plan" "cluster.yaml" ["--windows", "[{schedule: '0 2 * * *', duration: 4h}]"];
    plan_nothing: "plan" "empty.yaml" [""; 0];
    plan_node_groups: "plan" "groups.yaml" [""; 0];
    plan_without_node_groups: "plan" "groups.yaml" ["--node-groups", "off"];
    plan_replaces: "plan" "issue-7146.yaml" ["--savings-threshold-cents", "5", "--what-if", "savings-threshold-cents=0"];
    plan_replaces_json: "plan" "issue-7146.yaml" ["--what-if", "default/savings-threshold-cents=0.05", "-o", "json"];
    plan_with_a_fee: "plan" "issue-7146.yaml" ["--what-if", "node-fee=0.01"];
    plan_issue_7146: "plan" "issue-7146.yaml" [""; 0];
    plan_issue_7146_json: "plan" "issue-7146.yaml" ["-o", "json"];
    plan_spot: "plan" "spot.yaml" [""; 0];
    plan_spot_to_spot: "plan" "spot.yaml" ["--what-if", "spot-to-spot=true", "--what-if", "spot-flexibility=1"];
    plan_balanced: "plan" "cluster.yaml" ["--consolidation-policy", "Balanced", "-o", "wide"];
    plan_pods_in_the_way: "plan" "pods.yaml" [""; 0];
    plan_pods_out_of_the_way: "plan" "pods.yaml" ["--what-if", "pod/web/lonely=evictable", "--what-if", "pod/web/marked=evictable"];
    plan_if_budgets_allowed: "plan" "cluster.yaml" ["--what-if", "pdb/web/ingress=1", "--what-if", "node/marked=disruptable", "--what-if", "batch/budgets=100%"];
    plan_if_html: "plan" "pods.yaml" ["--what-if", "pod/web/lonely=evictable", "-o", "html"];
    plan_if_nothing_changed: "plan" "cluster.yaml" ["--what-if", "max-parallel=100"];
    plan_wrong_settings: "plan" "settings.yaml" ["--consolidate-after", "1m"];
    plan_with_old_prices: "plan" "cluster.yaml" ["--catalog", "dated.json", "--price-max-age", "30d"];
    plan_wishes: "plan" "wishes.yaml" [""; 0];
    plan_wishes_json: "plan" "wishes.yaml" ["-o", "json", "--what-if", "search=global"];
    plan_wishes_html: "plan" "wishes.yaml" ["-o", "html"];
    plan_without_wishes: "plan" "wishes.yaml" ["--preferences", "ignore"];
    plan_buffers: "plan" "buffers.yaml" [""; 0];
    config: "config" "settings.yaml" [""; 0];
    config_json: "config" "settings.yaml" ["-o", "json"];
    config_yaml: "config" "settings.yaml" ["-o", "yaml", "--pool", "plain"];
    config_all: "config" "settings.yaml" ["--all", "--pool", "plain"];
    config_wide: "config" "settings.yaml" ["-o", "wide", "--pool", "default"];
    config_layers: "config" "settings.yaml" ["--pool", "plain", "--profile", "careful", "--daemon-cost", "flat", "--catalog", "kwok", "--what-if", "plain/spot-flexibility=5", "--search", "seed"];
    config_no_effect: "config" "settings.yaml" ["--consolidate-after", "1m", "--pool", "plain"];
    config_without_pools: "config" "empty.yaml" [""; 0];
    budget: "budget" "schedules.yaml" ["--for", "2d"];
    budget_of_one_pool: "budget" "schedules.yaml" ["--at", "2026-12-24T00:00:00Z", "--for", "1d", "--pool", "batch", "-o", "wide"];
    budget_in_berlin: "budget" "schedules.yaml" ["--for", "1d", "--pool", "default", "--time-zone", "CET-1CEST,M3.5.0,M10.5.0/3"];
    budget_json: "budget" "schedules.yaml" ["--for", "1d", "-o", "json"];
    budget_if: "budget" "schedules.yaml" ["--for", "1d", "--pool", "default", "--what-if", "budgets=[{nodes: 2}, {nodes: 0, reasons: [Empty]}]"];
    budget_without_pools: "budget" "empty.yaml" [""; 0];
    help_plan: "plan" "cluster.yaml" ["--help"];
    help_plan_short: "plan" "cluster.yaml" ["-h"];
    help_config: "config" "cluster.yaml" ["-h"];
    help_budget: "budget" "cluster.yaml" ["-h"];
    error_what_if_unknown_setting: "plan" "cluster.yaml" ["--what-if", "bugets=1"];
    error_what_if_syntax: "plan" "cluster.yaml" ["--what-if", "budgets"];
    error_what_if_value: "plan" "cluster.yaml" ["--what-if", "default/spot-flexibility=many"];
    error_what_if_pool: "plan" "cluster.yaml" ["--what-if", "defalt/budgets=1"];
    error_what_if_cluster_wide: "plan" "cluster.yaml" ["--what-if", "default/search=seed"];
    error_what_if_pdb: "plan" "cluster.yaml" ["--what-if", "pdb/web/ingres=1"];
    error_what_if_pod: "plan" "cluster.yaml" ["--what-if", "pod/web/nobody=evictable"];
    error_what_if_node: "plan" "cluster.yaml" ["--what-if", "node/marks=disruptable"];
    error_what_if_object_syntax: "plan" "cluster.yaml" ["--what-if", "pdb/web/ingress=few"];
    error_flag_value: "plan" "cluster.yaml" ["--savings-threshold-cents", "-1"];
    error_flag_yaml: "plan" "cluster.yaml" ["--budgets", "[{nods: 1}]"];
    error_flag_window: "plan" "cluster.yaml" ["--windows", "[{schedule: '0 0 31 2 *', duration: 1h}]"];
    error_pool: "plan" "cluster.yaml" ["--pool", "defalt"];
    error_pool_like_none: "plan" "cluster.yaml" ["--pool", "elsewhere"];
    error_out: "plan" "cluster.yaml" ["--out", "absent/plan.json"];
    error_budget_span: "budget" "schedules.yaml" ["--for", "10y"];
    error_budget_zone: "budget" "schedules.yaml" ["--time-zone", "Middle/Earth"];
}

/// A variable is named where a flag would be.
#[test]
fn environment() {
    let variables = [
        ("RESTOW_SEARCH", "best", "plan"),
        ("SCALE_DOWN_UTILIZATION_THRESHOLD", "75%", "plan"),
        ("SCALE_DOWN_UTILIZATION_THRESHOLD", "0.5", "config"),
        ("RESTOW_BUDGETS", "[{nodes: 20%}]", "config"),
        ("RESTOW_BUGETS", "0", "config"),
    ];
    let all = variables.map(|(name, value, command)| {
        let output = ask(command, "issue-7146.yaml", &[]).env(name, value).output().expect("runs");
        format!("{name}={value} restow {command}\n{}", shown(&output))
    });
    insta::assert_snapshot!("environment", all.join("\n"));
}

/// The plan of the cluster as a file.
fn saved(folder: &Path, name: &str, arguments: &[&str]) -> String {
    let path = folder.join(name);
    let path = path.to_str().expect("text").to_owned();
    let mut all = vec!["--out", &path];
    all.extend(arguments);
    let output = ask("plan", "cluster.yaml", &all).output().expect("runs");
    assert_eq!(output.status.code(), Some(2), "{}", shown(&output));
    path
}

#[test]
fn plans_are_compared_in_any_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let json = saved(folder.path(), "a.json", &["-o", "json"]);
    let yaml = saved(folder.path(), "a.yaml", &["-o", "yaml"]);
    let other = saved(
        folder.path(),
        "b.json",
        &["-o", "json", "--pool", "default", "--scaledown-utilization-threshold", "1"],
    );
    let same = command(&["diff", &json, &yaml]).output().expect("runs");
    insta::assert_snapshot!("diff_none", shown(&same));
    for (name, format) in [("diff", "table"), ("diff_wide", "wide"), ("diff_json", "json")] {
        let output = command(&["diff", &json, &other, "-o", format]).output().expect("runs");
        insta::assert_snapshot!(name, shown(&output));
    }
    let settings = ["--now", "2026-11-15T12:00:00Z", "--catalog", "prices.csv"];
    let mut mixed = vec!["diff", &json, "cluster.yaml"];
    mixed.extend(settings);
    let mixed = command(&mixed).output().expect("runs");
    assert_eq!(mixed.status.code(), Some(0), "a cluster has the plan it had: {}", shown(&mixed));
    let mut clusters = vec!["diff", "cluster.yaml", "issue-7146.yaml"];
    clusters.extend(settings);
    insta::assert_snapshot!("diff_clusters", shown(&command(&clusters).output().expect("runs")));
}

#[test]
fn what_is_no_plan_is_answered() {
    let folder = tempfile::tempdir().expect("a folder");
    let broken = "{\"apiVersion\": \"restow.dev/v1alpha1\", \"kind\": \"Plan\", \"now\": 5}";
    std::fs::write(folder.path().join("broken.json"), broken).expect("writes");
    let output = command(&["diff", "broken.json", "absent.json"])
        .current_dir(folder.path())
        .output()
        .expect("runs");
    insta::assert_snapshot!("error_diff_broken", shown(&output));
    let output = command(&["diff", "absent.json", "cluster.yaml"]).output().expect("runs");
    insta::assert_snapshot!("error_diff_absent", shown(&output));
    let output =
        command(&["diff", "-", "cluster.yaml"]).stdin(std::process::Stdio::null()).output();
    insta::assert_snapshot!("error_diff_stdin", shown(&output.expect("runs")));
}

#[test]
fn no_line_is_wider_than_the_screen() {
    for width in ["60", "80", "120"] {
        for cluster in ["cluster.yaml", "pods.yaml", "issue-7146.yaml"] {
            for command in ["plan", "config", "budget"] {
                let what_if = ["--what-if", "savings-threshold-cents=0.1"];
                let output = ask(command, cluster, &what_if).env("COLUMNS", width).output();
                let text = String::from_utf8_lossy(&output.expect("runs").stdout).into_owned();
                let limit: usize = width.parse().expect("a number");
                let wide = text.lines().find(|line| line.chars().count() > limit);
                assert_eq!(wide, None, "{command} {cluster} at {width}");
            }
        }
    }
}

/// The fields that others rely on, in their order; more may be added, none renamed.
#[test]
fn the_contract_of_json() {
    let arguments = ["--what-if", "savings-threshold-cents=0", "-o", "json"];
    let output = ask("plan", "issue-7146.yaml", &arguments).output().expect("runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let in_order = |fields: &[&str], from: &str| {
        let mut rest = &text[text.find(from).expect(from)..];
        for field in fields {
            let key = format!("\"{field}\":");
            let at = rest.find(&key).unwrap_or_else(|| panic!("{field} after {from}"));
            rest = &rest[at + key.len()..];
        }
    };
    in_order(
        &[
            "apiVersion",
            "kind",
            "now",
            "search",
            "profile",
            "catalog",
            "before",
            "after",
            "moves",
            "nodes",
            "blockedSavingsPerHour",
            "stats",
        ],
        "{",
    );
    in_order(
        &[
            "id",
            "wave",
            "method",
            "decision",
            "nodes",
            "replacements",
            "nodePool",
            "instanceTypes",
            "zones",
            "capacityTypes",
            "pricePerHour",
            "pods",
            "namespace",
            "name",
            "from",
            "to",
            "pricePerHourBefore",
            "pricePerHourAfter",
            "savingsPerHour",
            "disruptionCost",
            "requiredSavingsPerHour",
            "risks",
        ],
        "\"moves\"",
    );
    in_order(
        &[
            "name",
            "nodePool",
            "instanceType",
            "zone",
            "capacityType",
            "pricePerHour",
            "utilization",
            "cpu",
            "memory",
            "average",
            "disruptionCost",
            "lifetimeRemaining",
            "verdict",
            "move",
            "reasons",
        ],
        "\"name\": \"node-a\"",
    );
    in_order(&["candidates", "probes", "effort", "elapsedMs", "deadlineHit"], "\"stats\"");
}

/// Equal input gives equal bytes, whatever the formats and however often.
#[test]
fn a_second_run_prints_the_same() {
    let run = || shown(&ask("plan", "cluster.yaml", &["-o", "json"]).output().expect("runs"));
    assert_eq!(run(), run());
}
