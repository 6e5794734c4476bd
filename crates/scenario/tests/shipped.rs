//! The scenarios that come with the program.

use std::collections::BTreeSet;

use restow_kubernetes::Document;
use restow_scenario::{Scenario, json_schema, read, shipped};
use restow_simulator::Consolidator;
use serde_json::Value;

fn none(_: &str) -> std::io::Result<Vec<u8>> {
    Err(std::io::ErrorKind::NotFound.into())
}

fn scenario(name: &str) -> Scenario {
    let (_, text) = shipped().iter().find(|own| own.0 == name).expect("it is shipped");
    read(&format!("{name}.yaml"), text.as_bytes(), &none).unwrap_or_else(|error| panic!("{error}"))
}

/// As an editor sees it.
fn json(text: &str) -> Value {
    let document = Document::read("x", text.as_bytes()).expect("YAML");
    serde_json::from_str(document.json()).expect("JSON")
}

fn dollars(scenario: &Scenario) -> f64 {
    let setup = &scenario.setup;
    let price = |node| {
        let facts = restow_catalog::node_facts(node, &setup.snapshot.strings);
        setup.book.price_of(&facts).expect("a price").price.dollars()
    };
    setup.snapshot.nodes.iter().map(price).sum()
}

#[test]
fn every_one_can_be_read_and_names_its_profiles() {
    for (name, _) in shipped() {
        let scenario = scenario(name);
        assert_eq!(scenario.name, *name);
        assert!(!scenario.title.is_empty() && scenario.title != scenario.name, "{name}");
        for draft in &scenario.policies {
            let policy = scenario.policy(draft).unwrap();
            let named = draft.settings.iter().any(|own| own.name.text() == "profile");
            assert!(named || policy.consolidator == Consolidator::None, "{name}: {}", draft.name);
        }
        let snapshot = &scenario.setup.snapshot;
        assert_eq!(snapshot.nodes.len(), snapshot.node_claims.len(), "{name}");
        assert!(snapshot.pods.iter().all(|pod| pod.is_bound() && pod.owner.0 > 0), "{name}");
    }
}

#[test]
fn every_file_is_shipped() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter_map(|file| file.strip_suffix(".yaml").map(str::to_owned))
        .collect();
    let names: BTreeSet<String> = shipped().iter().map(|own| own.0.to_owned()).collect();
    assert_eq!(files, names);
}

#[test]
fn the_json_schema_takes_them() {
    let schema: Value = serde_json::from_str(&json_schema()).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let everything = ("everything", include_str!("everything.yaml"));
    for (name, text) in shipped().iter().chain([&everything]) {
        let problems: Vec<String> = validator
            .iter_errors(&json(text))
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert_eq!(problems, Vec::<String>::new(), "{name}");
    }
    for (old, new) in [
        ("duration: 2h", "duraton: 2h"),
        ("duration: 2h", "duration: 2 hours"),
        ("duration: 2h", "duration: 5"),
        ("spread: zone", "spread: zones"),
        ("seeds: 3", "seeds: 0"),
        ("atMost: 100", "atMost: 100, atLeast: 5"),
        ("type: m6a.large,", ""),
        ("price: 0.086 ", "price: -1 "),
    ] {
        let (_, text) = shipped().iter().find(|own| own.1.contains(old)).expect(old);
        assert!(!validator.is_valid(&json(&text.replacen(old, new, 1))), "{new}");
    }
}

/// What the report of S1 says.
#[test]
fn the_cascade_starts_as_it_was_reported() {
    let own = scenario("s1-off-peak-cascade");
    let snapshot = &own.setup.snapshot;
    assert_eq!((snapshot.nodes.len(), snapshot.pods.len()), (14, 135));
    let start = 7.0 * 0.086 + 4.0 * 0.16 + 3.0 * 0.32;
    assert!((dollars(&own) - start).abs() < 1e-9, "{}", dollars(&own));
}

#[test]
fn a_fee_flips_what_costs_less() {
    assert!((dollars(&scenario("s9-without-a-fee")) - 0.64).abs() < 1e-9);
    assert!((dollars(&scenario("s9-with-a-fee")) - 1.12).abs() < 1e-9);
}

#[test]
fn the_week_is_a_large_one() {
    let own = scenario("week");
    let agents = 500;
    assert_eq!(own.setup.snapshot.nodes.len(), 500);
    assert_eq!(own.setup.snapshot.pods.len(), 10_000 + agents);
    assert_eq!(own.setup.script.duration.seconds(), 7 * 86_400);
}

#[test]
fn the_examples_of_the_documentation_can_be_read() {
    let text = include_str!("../../../docs/scenarios.md");
    let examples: Vec<&str> = text
        .split("```yaml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .filter(|own| own.starts_with("apiVersion"))
        .collect();
    assert_eq!(examples.len(), 2);
    let cluster = r#"{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "api", "namespace": "shop"}}"#;
    let files = |_: &str| -> std::io::Result<Vec<u8>> { Ok(cluster.into()) };
    for own in examples {
        read("scenarios.md", own.as_bytes(), &files).unwrap_or_else(|error| panic!("{error}"));
    }
}
