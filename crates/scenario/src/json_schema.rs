//! The tree of fields as a JSON schema, for editors and for whoever writes scenarios by program.

use serde_json::{Map, Value, json};

use crate::fields::SCENARIO;
use crate::form::{Form, Fragment, Scalar, Schema};

/// The JSON schema (draft 2020-12) of scenario files, as it is kept in `deploy/scenario.schema.json`.
pub fn json_schema() -> String {
    let mut root = schema(&SCENARIO);
    root["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    root["$id"] = "https://restow.dev/schemas/scenario.json".into();
    root["title"] = "Scenario".into();
    // Printing a value that was just made cannot fail.
    serde_json::to_string_pretty(&root).unwrap_or_default() + "\n"
}

fn schema(own: &Schema) -> Value {
    let mut result = form(&own.form);
    let mut description = own.description.to_owned();
    if let Some(default) = own.default {
        description = format!("{description} Default: {default}.");
    }
    if !description.is_empty() {
        result["description"] = description.into();
    }
    result
}

fn form(form: &Form) -> Value {
    match form {
        Form::Object { fields, one_of } => {
            let mut properties = Map::new();
            for field in fields {
                let mut own = schema(&field.schema);
                if !field.required {
                    or_nothing(&mut own);
                }
                properties.insert(field.name.to_owned(), own);
            }
            let required: Vec<&str> =
                fields.iter().filter(|own| own.required).map(|own| own.name).collect();
            let mut result = json!({
                "type": "object", "properties": properties, "additionalProperties": false,
            });
            if !required.is_empty() {
                result["required"] = required.into();
            }
            if !one_of.is_empty() {
                let each: Vec<Value> =
                    one_of.iter().map(|name| json!({"required": [name]})).collect();
                result["oneOf"] = each.into();
            }
            result
        }
        Form::Map { keys, values } => {
            let mut result = json!({"type": "object", "additionalProperties": schema(values)});
            if let Some(pattern) = keys.pattern() {
                result["propertyNames"] = json!({"pattern": pattern});
            }
            result
        }
        Form::List(items) => json!({"type": "array", "items": schema(items)}),
        Form::Scalar(own) => scalar(*own),
        Form::Either(ways) => json!({"anyOf": ways.iter().map(schema).collect::<Vec<_>>()}),
        Form::Setting => {
            json!({"type": ["string", "number", "boolean", "array", "object"]})
        }
        Form::Kubernetes(Fragment::Object) => json!({"type": "object"}),
        Form::Kubernetes(Fragment::List) => json!({"type": "array", "items": {"type": "object"}}),
    }
}

/// A key with nothing behind it says nothing, as everywhere in Kubernetes.
fn or_nothing(own: &mut Value) {
    match own.get_mut("type") {
        Some(Value::String(one)) => own["type"] = json!([one, "null"]),
        Some(Value::Array(some)) => some.push("null".into()),
        _ => match own.get_mut("anyOf") {
            Some(Value::Array(ways)) => ways.push(json!({"type": "null"})),
            _ => {
                // A list of words.
                if let Some(Value::Array(words)) = own.get_mut("enum") {
                    words.push(Value::Null);
                }
            }
        },
    }
}

fn scalar(own: Scalar) -> Value {
    let mut result = match own {
        Scalar::Words(all) => return json!({"enum": all}),
        Scalar::Text | Scalar::Name | Scalar::Cron | Scalar::Time => json!({"type": "string"}),
        Scalar::Duration => json!({"type": ["string", "integer"], "maximum": 0, "minimum": 0}),
        Scalar::Quantity | Scalar::Price => json!({"type": ["string", "number"], "minimum": 0}),
        Scalar::Share => json!({"type": ["string", "number"], "minimum": 0, "maximum": 1}),
        Scalar::CountOrPercent => json!({"type": ["string", "integer"], "minimum": 0}),
        Scalar::Integer { least, most } => {
            json!({"type": "integer", "minimum": least, "maximum": most})
        }
        Scalar::Number { least } if least > f64::MIN => json!({"type": "number", "minimum": least}),
        Scalar::Number { .. } => json!({"type": "number"}),
        Scalar::Boolean => json!({"type": "boolean"}),
        Scalar::True => return json!({"enum": [true]}),
    };
    if let Some(pattern) = own.pattern() {
        result["pattern"] = pattern.into();
    }
    result
}

impl Scalar {
    /// What text looks like; numbers are not asked. What looks right may still be refused when it is read.
    fn pattern(self) -> Option<&'static str> {
        Some(match self {
            Self::Name => "^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$",
            Self::Duration => r"^([0-9]+d)?([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$|^[0-9]+d$|^0$",
            Self::Time => {
                r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$"
            }
            Self::Quantity => r"^[0-9.]+([eE][0-9]+|[numkMGTPE]|[KMGTPE]i)?$",
            Self::Share => r"^[0-9]+(\.[0-9]+)?%$",
            Self::Price => r"^[0-9]*\.?[0-9]+$",
            Self::CountOrPercent => "^[0-9]+%$",
            _ => return None,
        })
    }
}
