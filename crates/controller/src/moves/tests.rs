//! What is written of a move is what is read of it, and what its definition names.

use super::*;

fn sample() -> Record {
    let time = |text: &str| text.parse::<Time>().expect("a time");
    Record {
        id: "restow-1".to_owned(),
        phase: Phase::Draining,
        since: time("2026-11-16T10:00:01.5Z"),
        proposed: time("2026-11-16T10:00:00Z"),
        sources: vec![Source {
            node: "a".to_owned(),
            uid: Uid::new("8c7cf1fa-0000-4000-8000-0123456789ab"),
            claim: "claim-a".to_owned(),
            pool: "main".to_owned(),
            price: Price::from_nanos(172_800_001),
            threshold: Price::from_nanos(10_000_000),
            evictions: 3,
            went: Some(time("2026-11-16T10:00:05Z")),
        }],
        launches: vec![Launch {
            claim: "restow-1-0".to_owned(),
            pool: "main".to_owned(),
            instance_types: vec!["m.large".to_owned()],
            zones: vec!["z".to_owned()],
            capacity_types: vec!["spot".to_owned()],
            price: Price::from_nanos(86_400_000),
            seen: true,
        }],
        pods: vec![Moving {
            pod: ("web".to_owned(), "api-1".to_owned()),
            owner: Some(("ReplicaSet".to_owned(), "api".to_owned())),
            moved: Some(time("2026-11-16T09:00:00Z")),
            from: "a".to_owned(),
            to: "restow-1-0".to_owned(),
        }],
        promised: Price::from_nanos(86_400_001),
        required: Price::from_nanos(6),
        bill: Price::from_nanos(1_000_000_000_007),
        parents: vec!["restow-0".to_owned()],
        trouble: Some(time("2026-11-16T10:00:09Z")),
        outcome: Some(Outcome {
            failure: Some(Failure::NotDrained { node: "a".to_owned() }),
            realised: Price::from_nanos(-5),
        }),
    }
}

#[test]
fn a_move_that_was_written_is_read_as_it_was() {
    let own = sample();
    assert_eq!(record(&object(&own, "me", Some("7"))), Ok(own));
    let mut fresh = sample();
    (fresh.outcome, fresh.trouble, fresh.phase) = (None, None, Phase::Validating);
    fresh.sources[0].went = None;
    assert_eq!(record(&object(&fresh, "me", None)), Ok(fresh));
}

/// What the definition does not name the server drops without a word.
#[test]
fn the_definition_names_every_field() {
    let text = include_str!("../../../../deploy/crds/restow.dev_moves.yaml");
    let definition: Value = serde_saphyr::from_str(text).expect("it is YAML");
    let schema = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    let object = object(&sample(), "me", Some("7"));
    let mut missing = Vec::new();
    unknown(&object["spec"], &schema["properties"]["spec"], "spec", &mut missing);
    unknown(&object["status"], &schema["properties"]["status"], "status", &mut missing);
    assert_eq!(missing, Vec::<String>::new());
}

fn unknown(value: &Value, schema: &Value, path: &str, missing: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = format!("{path}.{name}");
                match schema["properties"].get(name) {
                    Some(own) => unknown(value, own, &path, missing),
                    None => missing.push(path),
                }
            }
        }
        Value::Array(items) => {
            for own in items {
                unknown(own, &schema["items"], path, missing);
            }
        }
        _ => {}
    }
}

#[test]
fn a_move_that_makes_no_sense_is_named() {
    let mut own = object(&sample(), "me", None);
    own["status"]["since"] = json!("yesterday");
    let error = record(&own).expect_err("that is no time");
    assert_eq!(error.to_string(), "Move restow-1: \"yesterday\" is no time");
}
