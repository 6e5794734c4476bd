//! Alert rules, the dashboard and the documentation name metrics that exist, and the documentation names all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use restow_controller::{Blocked, Metrics, News, Survey, Tell};
use restow_execution::Happened;
use restow_kubernetes::Kind;
use restow_model::Price;
use serde_json::Value;

/// Words of PromQL that stand between metrics.
const OPERATORS: [&str; 5] = ["and", "or", "unless", "bool", "offset"];

/// Words of PromQL that labels follow in brackets.
const LABELS: [&str; 6] = ["by", "without", "on", "ignoring", "group_left", "group_right"];

fn file(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All news that a metric with labels is made of: without a value it is not even named.
fn news() -> Vec<News> {
    let pool = || "main".to_owned();
    let survey = Survey {
        pool: pool(),
        verdicts: [("Kept", 1)].into(),
        locked: [("PdbBlocks", Blocked::default())].into(),
        ..Survey::default()
    };
    vec![
        News::Happened(Happened::Blocked {
            pool: pool(),
            node: String::new(),
            savings: Price::ZERO,
            required: Price::ZERO,
            cost: 1.0,
            threshold: Price::ZERO,
        }),
        News::Happened(Happened::Proposed { id: String::new(), promised: Price::ZERO }),
        News::Happened(Happened::Released { pool: None }),
        News::Placed { id: String::new(), hits: 1, misses: 1 },
        News::Surveyed { surveys: vec![survey] },
        News::Resumed { pool: None },
        News::PeerActive { pool: pool(), active: true },
        News::SettingsLost { pool: pool(), fields: Vec::new() },
        News::Reconnecting { kind: Kind::Pod, reason: String::new() },
    ]
}

/// Each metric, with its type.
fn registered() -> BTreeMap<String, String> {
    let metrics = Metrics::default();
    for own in news() {
        metrics.tell(&own);
    }
    let text = metrics.text();
    let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let types = types.map(|own| own.split_once(' ').expect("a name and a type"));
    types.map(|(name, own)| (name.to_owned(), own.to_owned())).collect()
}

/// As they are documented: what a counter is called when it is read.
fn documented(name: &str, kind: &str) -> String {
    if kind == "counter" { format!("{name}_total") } else { name.to_owned() }
}

/// What can be asked for.
fn series() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (name, kind) in registered() {
        match kind.as_str() {
            "histogram" => {
                found.extend(["bucket", "sum", "count"].map(|end| format!("{name}_{end}")));
            }
            kind => {
                found.insert(documented(&name, kind));
            }
        }
    }
    found
}

/// The metrics that a query asks for.
fn asked(query: &str) -> Vec<String> {
    let mut found = Vec::new();
    // Without what stands in quotes.
    let query: String = query.split('"').step_by(2).collect();
    let mut rest = query.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let past = |text: &'_ str, close: char| text.find(close).map_or(text.len(), |at| at + 1);
        rest = match first {
            '{' => &rest[past(rest, '}')..],
            '[' => &rest[past(rest, ']')..],
            _ if word.is_empty() => &rest[first.len_utf8()..],
            _ if LABELS.contains(&word) => {
                let next = after.trim_start();
                if next.starts_with('(') { &next[past(next, ')')..] } else { after }
            }
            _ => {
                let called = after.trim_start().starts_with('(');
                // `sum by (x) (…)`: a function, too.
                let grouped = after.split_whitespace().next().is_some_and(|own| {
                    let own = own.split('(').next().unwrap_or_default();
                    matches!(own, "by" | "without")
                });
                let number = first.is_ascii_digit();
                if !called && !grouped && !number && !OPERATORS.contains(&word) {
                    found.push(word.to_owned());
                }
                after
            }
        }
        .trim_start();
    }
    found
}

/// All texts of a document that stand under a name.
fn under(document: &Value, name: &str, found: &mut Vec<String>) {
    match document {
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if key == name => found.push(text.clone()),
                    value => under(value, name, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|own| under(own, name, found)),
        _ => {}
    }
}

/// The queries of alert rules: on the line of `expr`, or indented under it.
fn of_rules(text: &str) -> Vec<String> {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(own) = line.trim_start().strip_prefix("expr:") else { continue };
        found.push(match own.trim() {
            "|" => {
                let under = lines[at + 1..].iter().take_while(|own| depth(own) > depth(line));
                under.copied().collect::<Vec<_>>().join(" ")
            }
            query => query.to_owned(),
        });
    }
    found
}

fn assert_known(queries: &[String]) {
    let series = series();
    for query in queries {
        let asked = asked(query);
        assert!(!asked.is_empty(), "asks for nothing: {query}");
        for name in asked {
            assert!(series.contains(&name), "there is no {name}: {query}");
        }
    }
}

#[test]
fn metrics_of_queries_are_found() {
    let query = r#"sum by (nodepool) (rate(a_total{b="c{d}"}[5m])) / on (x) group_left (y) e > 0.5 * f_count
        and on(z) g unless h == 1 or vector(0)"#;
    assert_eq!(asked(query), ["a_total", "e", "f_count", "g", "h"]);
    assert_eq!(asked("histogram_quantile(0.9, sum by(le) (rate(a[$__rate_interval])))"), ["a"]);
}

#[test]
fn every_metric_has_a_value_here() {
    let source = include_str!("../src/metrics.rs");
    assert_eq!(registered().len(), source.matches(".register(").count() - 1, "see news()");
}

#[test]
fn alerts_name_metrics_that_exist() {
    let text = file("deploy/prometheus/rules.yaml");
    let queries = of_rules(&text);
    assert_eq!(queries.len(), text.matches("- alert: ").count());
    assert!(queries.len() > 10);
    assert_known(&queries);
}

#[test]
fn the_dashboard_names_metrics_that_exist() {
    let document: Value = serde_json::from_str(&file("deploy/grafana/restow.json")).expect("JSON");
    let mut queries = Vec::new();
    under(&document, "expr", &mut queries);
    assert!(queries.len() > 30);
    assert_known(&queries);
    // Those of variables: `label_values(METRIC, LABEL)`.
    let mut variables = Vec::new();
    under(&document, "definition", &mut variables);
    for own in variables {
        let name = own.trim_start_matches("label_values(").split(',').next().unwrap_or_default();
        assert!(series().contains(name), "there is no {name}: {own}");
    }
}

#[test]
fn every_metric_is_on_the_dashboard() {
    let text = file("deploy/grafana/restow.json");
    for (name, kind) in registered() {
        assert!(text.contains(&documented(&name, &kind)), "{name}");
    }
}

#[test]
fn every_metric_is_documented_and_no_other() {
    let text = file("docs/metrics.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`'));
    let rows =
        rows.filter(|(name, _)| name.starts_with("restow_") || name.starts_with("karpenter_"));
    let written: BTreeMap<String, String> = rows
        .map(|(name, rest)| {
            let kind = rest.split('|').nth(1).unwrap_or_default().trim().to_owned();
            (name.to_owned(), kind)
        })
        .collect();
    let ours: BTreeMap<String, String> =
        registered().into_iter().map(|(name, kind)| (documented(&name, &kind), kind)).collect();
    assert_eq!(written, ours);
}
