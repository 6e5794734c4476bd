//! The tree of fields, the reader, the schema and the documentation say the same.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::Value;

use crate::cursor::Source;
use crate::fields::SCENARIO;
use crate::form::{Form, Schema};
use crate::read::read_source;

const EVERYTHING: &str = include_str!("../tests/everything.yaml");

/// The files that it names.
pub(crate) fn files(name: &str) -> std::io::Result<Vec<u8>> {
    match name {
        "prices.csv" => Ok(b"instance_type,price\nm.large,0.11\n".to_vec()),
        "more.json" => {
            Ok(br#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"front"}}"#.to_vec())
        }
        _ => Err(std::io::ErrorKind::NotFound.into()),
    }
}

/// Every field of a tree, with its way and its address.
fn all_fields(schema: &Schema, place: &str, each: &mut impl FnMut(String, &Schema)) {
    match &schema.form {
        Form::Object { fields, .. } => {
            for field in fields {
                let place = format!("{place}.{}", field.name);
                each(place.clone(), &field.schema);
                all_fields(&field.schema, &place, each);
            }
        }
        Form::Map { values, .. } => all_fields(values, &format!("{place}.*"), each),
        Form::List(items) => all_fields(items, &format!("{place}[]"), each),
        Form::Either(ways) => ways.iter().for_each(|way| all_fields(way, place, each)),
        Form::Scalar(_) | Form::Setting | Form::Kubernetes(_) => {}
    }
}

/// The addresses of the fields that a value has.
fn present(schema: &Schema, value: &Value, found: &mut BTreeSet<usize>) {
    let Some(schema) = schema.of(value) else { return };
    match (&schema.form, value) {
        (Form::Object { fields, .. }, Value::Object(members)) => {
            for field in fields {
                if let Some(value) = members.get(field.name) {
                    found.insert(std::ptr::from_ref(&field.schema).addr());
                    present(&field.schema, value, found);
                }
            }
        }
        (Form::Map { values, .. }, Value::Object(members)) => {
            for value in members.values() {
                present(values, value, found);
            }
        }
        (Form::List(items), Value::Array(elements)) => {
            for value in elements {
                present(items, value, found);
            }
        }
        _ => {}
    }
}

/// Settings of single pools have the same names as those of all.
fn is_of_pools(place: &str) -> bool {
    place.starts_with(".spec.policies[].pools.*.")
}

#[test]
fn every_field_is_in_the_example_and_is_read() {
    let source = Source::read("everything.yaml", EVERYTHING.as_bytes(), &SCENARIO).unwrap();
    read_source(&source, &files).unwrap_or_else(|error| panic!("{error}"));
    let mut there = BTreeSet::new();
    present(&SCENARIO, source.root(&SCENARIO).value, &mut there);
    let read = source.seen();
    let (mut missing, mut unread) = (Vec::new(), Vec::new());
    all_fields(&SCENARIO, "", &mut |place, schema| {
        let address = std::ptr::from_ref(schema).addr();
        if !there.contains(&address) && !is_of_pools(&place) {
            missing.push(place.clone());
        }
        if !read.contains(&address) && !is_of_pools(&place) {
            unread.push(place);
        }
    });
    assert_eq!(missing, Vec::<String>::new(), "tests/everything.yaml has not everything");
    assert_eq!(unread, Vec::<String>::new(), "the tree has fields that nobody reads");
}

/// `RESTOW_WRITE=1 cargo test -p restow-scenario` writes the part with the fields anew.
#[test]
fn the_documentation_names_every_field() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/scenarios.md");
    let mut text = std::fs::read_to_string(path).unwrap();
    let tables = tables();
    let (begin, end) =
        ("<!-- fields: made by a test of crates/scenario -->\n", "<!-- end of fields -->");
    if std::env::var_os("RESTOW_WRITE").is_some() {
        let (before, rest) = text.split_once(begin).unwrap();
        let (_, after) = rest.split_once(end).unwrap();
        text = format!("{before}{begin}{tables}{end}{after}");
        std::fs::write(path, &text).unwrap();
    }
    assert!(text.contains(&tables), "docs/scenarios.md is old: run with RESTOW_WRITE=1");
    for metric in crate::expectations::METRICS {
        assert!(
            text.contains(&format!("`{metric}`")),
            "docs/scenarios.md does not mention {metric}"
        );
    }
    for name in crate::PolicyDraft::NAMES {
        assert!(text.contains(&format!("`{name}`")), "docs/scenarios.md does not mention {name}");
    }
}

/// A table for each object of the tree.
fn tables() -> String {
    let mut text = String::new();
    table(&SCENARIO, "", &mut text);
    text
}

fn table(schema: &Schema, place: &str, text: &mut String) {
    match &schema.form {
        Form::Object { fields, one_of } => {
            let names: Vec<&str> = fields.iter().map(|own| own.name).collect();
            // Lengths of time and settings are explained once.
            if names == ["median", "sigma"] || names.contains(&"consolidate-after") {
                return;
            }
            let title = if place.is_empty() { "The file" } else { place };
            let _ = writeln!(text, "\n### {title}\n\n{}", schema.description);
            if !one_of.is_empty() {
                let _ = writeln!(text, "\nJust one of {}.", crate::scalar::or(one_of));
            }
            text.push_str("\n| field | what it is | meaning |\n|---|---|---|\n");
            for field in fields {
                let required = if field.required { ", required" } else { "" };
                let default = field.schema.default.map(|own| format!(" Default: {own}."));
                let _ = writeln!(
                    text,
                    "| `{}` | {}{required} | {}{} |",
                    field.name,
                    kind(&field.schema),
                    field.schema.description,
                    default.unwrap_or_default()
                );
            }
            for field in fields {
                let dot = if place.is_empty() { "" } else { "." };
                table(&field.schema, &format!("{place}{dot}{}", field.name), text);
            }
        }
        Form::Map { values, .. } => table(values, &format!("{place}.*"), text),
        Form::List(items) => table(items, &format!("{place}[]"), text),
        Form::Either(ways) => ways.iter().for_each(|way| table(way, place, text)),
        Form::Scalar(_) | Form::Setting | Form::Kubernetes(_) => {}
    }
}

fn kind(schema: &Schema) -> String {
    use crate::form::{Fragment, Scalar};
    match &schema.form {
        Form::Object { fields, .. } if fields.iter().any(|own| own.name == "median") => {
            "`median` and `sigma`".to_owned()
        }
        Form::Object { .. } => "object".to_owned(),
        Form::Map { keys: Scalar::Duration, values } => format!("{} by time", kind(values)),
        Form::Map { values, .. } => format!("{} by name", kind(values)),
        Form::List(items) => format!("list: {}", kind(items)),
        Form::Scalar(Scalar::Words(all)) => {
            let words: Vec<String> = all.iter().map(|own| format!("`{own}`")).collect();
            if all.len() > 8 { "a word (see below)".to_owned() } else { words.join(", ") }
        }
        Form::Scalar(Scalar::Integer { least, .. }) => format!("whole number from {least}"),
        Form::Scalar(Scalar::Number { .. }) => "number".to_owned(),
        Form::Scalar(own) => {
            let text = own.expected();
            text.trim_start_matches("a ").trim_start_matches("an ").to_owned()
        }
        Form::Either(ways) => ways.iter().map(kind).collect::<Vec<_>>().join(", or "),
        Form::Setting => "value".to_owned(),
        Form::Kubernetes(Fragment::Object) => "Kubernetes object".to_owned(),
        Form::Kubernetes(Fragment::List) => "list of Kubernetes objects".to_owned(),
    }
}

/// `RESTOW_WRITE=1 cargo test -p restow-scenario` writes the file anew.
#[test]
fn the_schema_file_is_what_the_tree_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/scenario.schema.json");
    let schema = crate::json_schema();
    if std::env::var_os("RESTOW_WRITE").is_some() {
        std::fs::write(path, &schema).unwrap();
    }
    let kept = std::fs::read_to_string(path).unwrap_or_default();
    assert!(kept == schema, "deploy/scenario.schema.json is old: run with RESTOW_WRITE=1");
}
