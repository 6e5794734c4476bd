//! What people are told when a scenario is wrong.

use std::fmt::Write as _;

use restow_scenario::{PolicyDraft, read, read_policy};

/// A scenario that is right; each case below breaks it in one way.
const RIGHT: &str = "\
apiVersion: restow.dev/v1alpha1
kind: Scenario
metadata: { name: right }
spec:
  duration: 2h
  policies:
    - { name: restow, settings: { consolidate-after: 30s } }
    - { name: none, consolidator: none }
  zones: [a, b]
  instanceTypes:
    - { name: m.large, cpu: 2, memory: 8Gi, price: 0.1, zones: [a] }
    - { name: m.xlarge, cpu: 4, memory: 16Gi, price: 0.2 }
  pools:
    - name: default
      disruption: { consolidateAfter: 0s }
  objects:
    - { apiVersion: v1, kind: Namespace, metadata: { name: web } }
  nodes:
    - { pool: default, type: m.large, count: 3, pods: { web: 2 } }
  workloads:
    - name: web
      requests: { cpu: 200m }
      start: 20s
    - { name: cron, kind: CronJob, schedule: '*/5 * * * *' }
  events:
    - { at: 30m, scale: { workload: web, replicas: 9 } }
  expectations:
    - { policy: restow, metric: evictions, atMost: 0 }
";

/// What is replaced by what, and why.
const CASES: &[(&str, &str, &str)] = &[
    ("an unknown field", "  duration: 2h", "  duraton: 2h"),
    ("an unknown field that is like no other", "      start: 20s", "      colour: blue"),
    ("a field twice", "  duration: 2h", "  duration: 2h\n  duration: 3h"),
    ("a missing field", "pool: default, type: m.large,", "pool: default,"),
    ("no spec", "spec:\n", "specs:\n"),
    ("another kind", "kind: Scenario", "kind: Scenari"),
    ("another version", "restow.dev/v1alpha1", "restow.dev/v1"),
    ("a bad duration", "duration: 2h", "duration: 2 hours"),
    ("a number where a duration is meant", "start: 20s", "start: 20"),
    ("a bad time", "  duration: 2h", "  start: tomorrow"),
    ("a bad amount", "{ cpu: 200m }", "{ cpu: 200x }"),
    ("a bad schedule", "'*/5 * * * *'", "'*/5 * * *'"),
    ("a bad share", "      start: 20s", "      churn: 200%"),
    ("a bad price", "price: 0.2", "price: -0.2"),
    ("a list where an object is meant", "      requests: { cpu: 200m }", "      requests: [cpu]"),
    ("text where text or an object is meant", "start: 20s", "start: [20s]"),
    ("a number where text is meant", "zones: [a, b]", "zones: [1, 2]"),
    ("a bad name", "- name: web", "- name: Web_1"),
    ("an unknown type", "type: m.large", "type: m.larg"),
    ("a type that is not sold there", "type: m.large,", "type: m.large, zone: b,"),
    ("terms that it is not sold under", "type: m.large,", "type: m.large, capacityType: spot,"),
    ("an unknown zone", "zones: [a] }", "zones: [c] }"),
    ("an unknown pool", "pool: default", "pool: defalt"),
    ("an unknown workload on a node", "pods: { web: 2 }", "pods: { wbe: 2 }"),
    ("pods that do not fit", "pods: { web: 2 }", "pods: { web: 20 }"),
    (
        "a pod that cannot be there",
        "      start: 20s",
        "      template: { spec: { nodeSelector: { disk: fast } } }",
    ),
    ("more pods than replicas", "      start: 20s", "      replicas: 5"),
    ("an unknown workload in an event", "workload: web,", "workload: api,"),
    ("two things in one event", "at: 30m,", "at: 30m, pause: true,"),
    ("nothing in an event", "scale: { workload: web, replicas: 9 }", "every: 5m"),
    ("an event after the end", "at: 30m", "at: 3h"),
    ("an unknown setting", "consolidate-after: 30s", "consolidate-afer: 30s"),
    ("a bad value of a setting", "consolidate-after: 30s", "consolidate-after: soon"),
    ("bad budgets", "consolidate-after: 30s", "budgets: [{ nods: 1 }]"),
    ("a setting about prices", "consolidate-after: 30s", "node-fee: 0.03"),
    (
        "settings of an unknown pool",
        "- { name: none,",
        "- { name: none, pools: { defaul: { mode: act } },",
    ),
    (
        "a cluster's setting of a pool",
        "- { name: none,",
        "- { name: none, pools: { default: { search: seed } },",
    ),
    ("a policy twice", "- { name: none,", "- { name: restow,"),
    ("an unknown consolidator", "consolidator: none", "consolidator: karpentr-1.14"),
    ("an unknown policy", "policy: restow,", "policy: restov,"),
    ("an unknown metric", "metric: evictions", "metric: evictons"),
    ("two limits", "atMost: 0", "atMost: 0, atLeast: 0"),
    ("a metric without its time", "metric: evictions", "metric: nodesAt"),
    ("an object of no known kind", "kind: Namespace", "kind: Namespac"),
    ("an object without a name", "metadata: { name: web } }", "metadata: {} }"),
    (
        "a bad field of an object",
        "- { apiVersion: v1, kind: Namespace, metadata: { name: web } }",
        "- { apiVersion: apps/v1, kind: Deployment, metadata: { name: x }, spec: { replicas: many } }",
    ),
    ("a bad pool", "consolidateAfter: 0s", "consolidateAfter: 0 s"),
    ("a misspelled setting of a pool", "consolidateAfter: 0s", "consolidateAftr: 0s"),
    (
        "a bad template",
        "      start: 20s",
        "      template: { spec: { tolerations: [{ operator: Exist }] } }",
    ),
    (
        "a bad annotation of a pool",
        "    - name: default",
        "    - name: default\n      annotations: { restow.dev/budget: 10% }",
    ),
    ("an object that is short, too", "      start: 20s", "    - name: web"),
    ("a field that its kind has not", "kind: CronJob,", "kind: CronJob, replicas: 2,"),
    ("a file that is not there", "  duration: 2h", "  files: [cluster.json]"),
    ("a catalog that is not there", "  duration: 2h", "  catalog: [aws:us-est-1]"),
    ("YAML that is none", "zones: [a, b]", "zones: [a, b"),
    ("several things at once", "pool: default, type: m.large", "pool: p, type: q, zone: r"),
];

fn none(_: &str) -> std::io::Result<Vec<u8>> {
    Err(std::io::Error::new(std::io::ErrorKind::NotFound, "no such file"))
}

#[test]
fn scenarios() {
    read("right.yaml", RIGHT.as_bytes(), &none).unwrap_or_else(|error| panic!("{error}"));
    let mut texts = String::new();
    for (what, old, new) in CASES {
        assert_eq!(RIGHT.matches(old).count(), 1, "{what}: {old}");
        let broken = RIGHT.replace(old, new);
        let told = match read("s.yaml", broken.as_bytes(), &none) {
            Ok(_) => panic!("{what} is taken"),
            Err(error) => error.to_string(),
        };
        let _ = writeln!(texts, "{what}\n    {}\n", told.replace('\n', "\n    "));
    }
    insta::assert_snapshot!(texts);
}

#[test]
fn texts_that_are_no_scenario() {
    let mut texts = String::new();
    for text in [
        "",
        "hello",
        "[1]",
        "{\"a\": 1",
        "{\"apiVersion\": \"restow.dev/v1alpha1\"}",
        "a: 1\n---\nb: 2\n",
        "\u{0}",
    ] {
        let told = read("s.yaml", text.as_bytes(), &none).err().unwrap().to_string();
        let _ = writeln!(texts, "{text:?}\n    {}\n", told.replace('\n', "\n    "));
    }
    insta::assert_snapshot!(texts);
}

#[test]
fn policies() {
    let right = "name: mine\nprofile: careful\nsettings:\n  budgets: 50%\n  workload-floor: off\n";
    let mine = read_policy("mine.yaml", right.as_bytes()).unwrap();
    assert_eq!((mine.name.as_str(), mine.settings.len()), ("mine", 3));
    assert!(PolicyDraft::NAMES.iter().all(|name| PolicyDraft::named(name).is_some()));
    assert!(PolicyDraft::named("carefull").is_none());
    let mut texts = String::new();
    for text in [
        "profile: careful",
        "name: x\nprofil: careful",
        "name: x\nsettings: { budgets: 110% }",
        "kind: Scenario\nname: x",
    ] {
        let told = read_policy("mine.yaml", text.as_bytes()).unwrap_err().to_string();
        let _ = writeln!(texts, "{told}");
    }
    insta::assert_snapshot!(texts);
}
