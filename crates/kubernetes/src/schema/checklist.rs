//! What a schema can find fault with, so that tests can ask for an example of each.

use super::NODE_POOL;
use super::check::Check;
use super::form::{Form, Holds, List, Schema};

/// Everything that [`check_node_pool`](super::check_node_pool) can find: the place in the schema, and what a value there can
/// fail at.
pub fn node_pool_checks() -> Vec<(String, Check)> {
    let mut checks = vec![("spec".to_owned(), Check::Required)];
    if let Some(spec) = NODE_POOL.get("spec") {
        checks_of(spec, "spec", &mut checks);
    }
    checks
}

/// The messages of rules that compare an object with what it was before, which a file cannot.
pub fn node_pool_update_rules() -> Vec<&'static str> {
    let mut found = Vec::new();
    let mut waiting: Vec<&Schema> = vec![&NODE_POOL];
    while let Some(schema) = waiting.pop() {
        let rules = schema.rules.iter().filter(|rule| matches!(rule.holds, Holds::OnUpdate));
        found.extend(rules.map(|rule| rule.message));
        match &schema.form {
            Form::Object(fields) => waiting.extend(fields.iter().map(|field| &field.schema)),
            Form::Map { values: below, .. } | Form::List { items: below, .. } => {
                waiting.push(below);
            }
            _ => {}
        }
    }
    found
}

fn checks_of(schema: &Schema, place: &str, out: &mut Vec<(String, Check)>) {
    let rules = schema.rules.iter().filter(|rule| matches!(rule.holds, Holds::Now(_)));
    let rules: Vec<(bool, Check)> = rules.map(|rule| (true, Check::Rule(rule.message))).collect();
    let of_form = match &schema.form {
        Form::Map { most, .. } | Form::List { most, .. } => vec![(most.is_some(), Check::Entries)],
        Form::Text(text) => vec![
            (!text.words.is_empty(), Check::Word),
            (text.pattern.is_some(), Check::Pattern),
            (text.is_time, Check::Time),
            (text.shortest.is_some(), Check::Shortest),
            (text.longest.is_some(), Check::Longest),
        ],
        Form::Integer { least, most, .. } => {
            vec![(least.is_some(), Check::Least), (most.is_some(), Check::Most)]
        }
        Form::Quantity => vec![(true, Check::Pattern)],
        Form::Object(_) | Form::Boolean | Form::Metadata => Vec::new(),
    };
    let all = [(true, Check::Type)].into_iter().chain(rules).chain(of_form);
    out.extend(all.filter(|(has, _)| *has).map(|(_, check)| (place.to_owned(), check)));
    match &schema.form {
        Form::Object(fields) => {
            for field in fields {
                let place = format!("{place}.{}", field.name);
                // What has a default is never missing.
                if field.required && field.schema.default.is_none() {
                    out.push((place.clone(), Check::Required));
                }
                checks_of(&field.schema, &place, out);
            }
        }
        Form::Map { values, .. } => checks_of(values, &format!("{place}.*"), out),
        Form::List { items, shared, .. } => {
            let place = format!("{place}[]");
            if *shared == List::Set {
                out.push((place.clone(), Check::Repeated));
            }
            checks_of(items, &place, out);
        }
        _ => {}
    }
}
