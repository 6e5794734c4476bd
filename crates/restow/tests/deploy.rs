//! What is installed in a cluster: that `restow crds` and `restow manifests` print it, and that it says what the code does.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use restow_consolidation::settings::Name;
use restow_kubernetes::Kind;
use serde_json::Value;

fn run(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_restow"))
        .args(arguments)
        .env_clear()
        .env("COLUMNS", "100")
        .output()
        .expect("the binary runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let code = output.status.code().map_or("killed".to_owned(), |code| code.to_string());
    format!("exit {code}\n--- stdout\n{}--- stderr\n{}", text(&output.stdout), text(&output.stderr))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn file(path: &str) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn objects(text: &str) -> Vec<Value> {
    let one = |text| serde_saphyr::from_str::<Value>(text).expect("YAML");
    // What stands before the first mark is a comment.
    text.split("---\n").map(one).filter(|own| !own.is_null()).collect()
}

fn printed(arguments: &[&str]) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_restow")).args(arguments).output().expect("runs");
    assert!(output.status.success());
    objects(&String::from_utf8_lossy(&output.stdout))
}

fn names(objects: &[Value]) -> Vec<String> {
    let name = |own: &Value| {
        let [kind, name] = [&own["kind"], &own["metadata"]["name"]].map(|own| own.as_str());
        format!("{} {}", kind.unwrap_or_default(), name.unwrap_or_default())
    };
    objects.iter().map(name).collect()
}

macro_rules! screens {
    ($($name:ident: $arguments:expr;)*) => { $(
        #[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), run(&$arguments));
        }
    )* };
}

screens! {
    help_crds: ["crds", "--help"];
    help_manifests: ["manifests", "--help"];
    error_crds_only: ["crds", "--only", "Pod"];
    error_manifests_namespace: ["manifests", "--namespace", "Tools"];
    error_manifests_image: ["manifests", "--image", "a b"];
}

#[test]
fn crds_are_printed_as_one_stream_or_some_of_them() {
    let all = names(&printed(&["crds"]));
    let crd = |name: &str| format!("CustomResourceDefinition {name}");
    let [pools, moves, reports] =
        ["nodepools.karpenter.sh", "moves.restow.dev", "consolidationreports.restow.dev"].map(crd);
    assert_eq!(all, [pools, moves.clone(), reports.clone()]);
    assert_eq!(names(&printed(&["crds", "--only", "consolidationreport,Move"])), [moves, reports]);
}

#[test]
fn whoever_observes_gets_no_right_to_change_nodes() {
    let [observe, act] =
        ["observe", "act"].map(|mode| names(&printed(&["manifests", "--mode", mode])));
    let more: Vec<&String> = act.iter().filter(|own| !observe.contains(own)).collect();
    assert_eq!(more, ["ClusterRole restow-act", "ClusterRoleBinding restow-act"]);
    assert!(observe.iter().all(|own| act.contains(own)));
}

/// Group and resource of everything that a role allows, with its verbs.
type Rights = BTreeMap<(String, String), BTreeSet<String>>;

fn rights(objects: &[Value], kind: &str, name: &str) -> Rights {
    let role = objects.iter().find(|own| own["kind"] == kind && own["metadata"]["name"] == name);
    let texts = |own: &Value| -> Vec<String> {
        let all = own.as_array().map_or(&[][..], Vec::as_slice);
        all.iter().map(|own| own.as_str().expect("text").to_owned()).collect()
    };
    let mut found = Rights::new();
    for rule in role.expect("the role is there")["rules"].as_array().expect("a list") {
        for group in texts(&rule["apiGroups"]) {
            for resource in texts(&rule["resources"]) {
                let own = found.entry((group.clone(), resource)).or_default();
                own.extend(texts(&rule["verbs"]));
            }
        }
    }
    found
}

fn right(group: &str, resource: &str, verbs: &[&str]) -> ((String, String), BTreeSet<String>) {
    let verbs = verbs.iter().map(|verb| (*verb).to_owned()).collect();
    ((group.to_owned(), resource.to_owned()), verbs)
}

#[test]
fn roles_allow_what_the_code_does_and_no_more() {
    let objects = printed(&["manifests", "--mode", "act"]);
    let mut expected: Rights = Kind::ALL
        .iter()
        .map(|kind| {
            let path: Vec<&str> = kind.api_paths()[0].trim_start_matches('/').split('/').collect();
            let group = if path[0] == "apis" { path[1] } else { "" };
            right(group, kind.plural(), &["list", "watch"])
        })
        .collect();
    expected.extend([
        right("apiextensions.k8s.io", "customresourcedefinitions", &["get"]),
        right("", "events", &["create"]),
        right("restow.dev", "consolidationreports", &["list", "create", "patch", "delete"]),
        right("restow.dev", "moves", &["list"]),
    ]);
    assert_eq!(rights(&objects, "ClusterRole", "restow"), expected);
    let acting: Rights = [
        right("", "nodes", &["get", "patch"]),
        right("karpenter.sh", "nodeclaims", &["get", "create", "patch", "delete"]),
        right("karpenter.sh", "nodepools", &["get"]),
        right("restow.dev", "moves", &["create", "update", "delete"]),
    ]
    .into();
    assert_eq!(rights(&objects, "ClusterRole", "restow-act"), acting);
    let own: Rights = [
        right("coordination.k8s.io", "leases", &["create", "get", "update"]),
        right("", "configmaps", &["get"]),
    ]
    .into();
    assert_eq!(rights(&objects, "Role", "restow"), own);
}

#[test]
fn single_objects_are_those_that_the_code_asks_for() {
    let objects = printed(&["manifests"]);
    let find = |kind: &str| objects.iter().find(|own| own["kind"] == kind).expect("it is there");
    let definition = find("ClusterRole")["rules"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|own| own["resources"] == serde_json::json!(["customresourcedefinitions"]));
    let name = &definition.expect("a rule")["resourceNames"];
    assert_eq!(*name, serde_json::json!(["nodepools.karpenter.sh"]));
    let rules = &find("Role")["rules"];
    assert_eq!(rules[1]["resourceNames"], serde_json::json!(["restow"]));
    assert_eq!(rules[2]["resourceNames"], serde_json::json!([restow_controller::CONFIG_MAP]));
    let container = &find("Deployment")["spec"]["template"]["spec"]["containers"][0];
    assert_eq!(container["args"], serde_json::json!(["run", "--lease=restow"]));
}

#[test]
fn the_chart_knows_every_setting() {
    let schema: Value =
        serde_json::from_str(&file("deploy/chart/values.schema.json")).expect("JSON");
    let given = schema["properties"]["settings"]["properties"].as_object().expect("settings");
    let given: BTreeMap<&str, &str> = given
        .iter()
        .map(|(name, own)| (name.as_str(), own["description"].as_str().unwrap_or_default()))
        .collect();
    // The mode has a value of its own, since rights depend on it.
    let ours: BTreeMap<&str, &str> = Name::ALL
        .iter()
        .filter(|name| **name != Name::Mode)
        .map(|name| (name.text(), name.help()))
        .collect();
    assert_eq!(given, ours);
}

#[test]
fn the_chart_has_the_version_of_the_program() {
    let chart: Value = serde_saphyr::from_str(&file("deploy/chart/Chart.yaml")).expect("YAML");
    assert_eq!(chart["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(chart["appVersion"], env!("CARGO_PKG_VERSION"));
}

/// No container engine builds it in tests; at least what it names is there, and the context holds what the program is made of.
#[test]
fn the_image_is_built_of_files_that_are_there() {
    let ignored = file(".dockerignore");
    let ignored: Vec<&str> =
        ignored.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    for needed in ["Cargo.toml", "Cargo.lock", "crates", "xtask", "deploy", "scenarios", "LICENSE"]
    {
        assert!(root().join(needed).exists(), "{needed}");
        assert!(!ignored.contains(&needed), "{needed}");
    }
    let text = file("Dockerfile");
    assert!(text.contains("USER 65532:65532"));
    assert!(text.contains("cargo build --locked --profile dist --package restow"));
    let cargo = file("Cargo.toml");
    assert!(cargo.contains("[profile.dist]"));
    let version = cargo.lines().find_map(|line| line.strip_prefix("rust-version = ")).expect("one");
    let from = format!("FROM rust:{}-", version.trim_matches('"'));
    assert!(text.contains(&from), "{from}");
}
