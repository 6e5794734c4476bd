//! Settings that nobody reads: the API server drops fields that it does not know, and says nothing.
//!
//! Under `spec.disruption` a misspelled name switches protection off, so there it is an error that names what was meant.

use restow_model::spelling::distance;
use serde_json::Value;

use super::NODE_POOL;
use super::form::{Form, Schema};
use crate::convert::{FieldPath, Step};

/// A field that no schema knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// Where it stands.
    pub field: FieldPath,
    /// The field that was probably meant.
    pub meant: Option<&'static str>,
    /// What to say of it.
    pub problem: String,
}

/// The fields under `spec.disruption` of a NodePool that no schema knows.
pub fn unknown_settings(object: &Value) -> Vec<Unknown> {
    let mut found = Vec::new();
    let schema = NODE_POOL.get("spec").and_then(|spec| spec.get("disruption"));
    let settings = object.get("spec").and_then(|spec| spec.get("disruption"));
    if let (Some(schema), Some(settings)) = (schema, settings) {
        let steps = ["spec", "disruption"].map(|key| Step::Key(key.to_owned()));
        walk(schema, settings, &mut steps.to_vec(), &mut found);
    }
    found
}

fn walk(schema: &Schema, value: &Value, steps: &mut Vec<Step>, found: &mut Vec<Unknown>) {
    match (&schema.form, value) {
        (Form::Object(fields), Value::Object(members)) => {
            for (key, value) in members {
                steps.push(Step::Key(key.clone()));
                if let Some(schema) = schema.get(key) {
                    walk(schema, value, steps, found);
                } else {
                    let names: Vec<&'static str> = fields.iter().map(|field| field.name).collect();
                    found.push(unknown(key, &names, steps));
                }
                steps.pop();
            }
        }
        (Form::List { items, .. }, Value::Array(elements)) => {
            for (at, element) in elements.iter().enumerate() {
                steps.push(Step::Index(at));
                walk(items, element, steps, found);
                steps.pop();
            }
        }
        _ => {}
    }
}

fn unknown(key: &str, names: &[&'static str], steps: &[Step]) -> Unknown {
    // Names here share long beginnings: what differs in more letters is another name.
    let limit = 2.max(key.len() / 8);
    let meant = names
        .iter()
        // Nobody mistypes a name by that much.
        .filter(|name| key.len() <= 2 * name.len())
        .map(|name| (distance(key, name), *name))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, name)| name);
    let problem = match meant {
        Some(name) => format!("there is no such setting; did you mean {name}?"),
        None => format!("there is no such setting, only {}", names.join(", ")),
    };
    Unknown { field: FieldPath(steps.to_vec()), meant, problem }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_misspelled_setting_names_what_was_meant() {
        let pool = json!({"spec": {
            "colour": 1,
            "disruption": {
                "consolidateAfter": "0s",
                "consolidationSavingsTresholdCents": "1",
                "consolidation": {"multinode": {}, "emptiness": {"colour": 1}},
                "budgets": [{"nodes": "1"}, {"node": "1"}],
            },
        }});
        let mut shown: Vec<String> = unknown_settings(&pool)
            .iter()
            .map(|unknown| format!("{}: {}", unknown.field, unknown.problem))
            .collect();
        shown.sort();
        assert_eq!(
            shown,
            [
                "spec.disruption.budgets[1].node: there is no such setting; did you mean nodes?",
                "spec.disruption.consolidation.emptiness.colour: there is no such setting, only enabled, emptyThreshold",
                "spec.disruption.consolidation.multinode: there is no such setting; did you mean multiNode?",
                "spec.disruption.consolidationSavingsTresholdCents: there is no such setting; did you mean consolidationSavingsThresholdCents?",
            ]
        );
    }
}
