//! The CustomResourceDefinition, as the API server takes it.

use serde_json::{Map, Value, json};

use super::form::{Form, List, Rule, Schema, Text};
use super::{NODE_POOL, pattern, yaml};

/// A file of `deploy/crds`.
#[derive(Clone, Copy, Debug)]
pub struct Crd {
    /// Its name there.
    pub file: &'static str,
    /// What it must hold.
    pub text: fn() -> String,
}

/// All that are generated.
pub const CRDS: &[Crd] = &[Crd { file: "karpenter.sh_nodepools.yaml", text: node_pool_crd }];

const HEADER: &str = "\
# NodePools: the schema of Karpenter 1.14.1, and under spec.disruption the fields of restow.
# Generated from crates/kubernetes/src/schema by `cargo xtask crds`: change it there. See docs/nodepool.md.
";

/// The CustomResourceDefinition of NodePools, as YAML.
pub fn node_pool_crd() -> String {
    let column =
        |name: &str, path: &str, kind: &str| json!({"name": name, "jsonPath": path, "type": kind});
    let wide = |name: &str, path: &str, kind: &str| json!({"name": name, "jsonPath": path, "type": kind, "priority": 1});
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "nodepools.karpenter.sh"},
        "spec": {
            "group": "karpenter.sh",
            "names": {
                "categories": ["karpenter"],
                "kind": "NodePool",
                "listKind": "NodePoolList",
                "plural": "nodepools",
                "singular": "nodepool",
            },
            "scope": "Cluster",
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "additionalPrinterColumns": [
                    column("NodeClass", ".spec.template.spec.nodeClassRef.name", "string"),
                    column("Nodes", ".status.nodes", "string"),
                    column("Ready", r#".status.conditions[?(@.type=="Ready")].status"#, "string"),
                    column("Age", ".metadata.creationTimestamp", "date"),
                    wide("Weight", ".spec.weight", "integer"),
                    wide("CPU", ".status.resources.cpu", "string"),
                    wide("Memory", ".status.resources.memory", "string"),
                ],
                "schema": {"openAPIV3Schema": open_api(&NODE_POOL)},
                "subresources": {
                    "scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.nodes"},
                    "status": {},
                },
            }],
        },
    });
    let mut text = HEADER.to_owned();
    yaml::write(&definition, 0, &mut text);
    text
}

/// A schema as OpenAPI has it.
fn open_api(schema: &Schema) -> Value {
    let mut out = Map::new();
    // What a schema does not say is `null`, and left out.
    let mut put = |key: &str, value: Value| {
        if !value.is_null() {
            out.insert(key.to_owned(), value);
        }
    };
    if !schema.description.is_empty() {
        put("description", json!(schema.description));
    }
    match &schema.form {
        Form::Object(fields) => {
            put("type", json!("object"));
            let properties: Map<String, Value> = fields
                .iter()
                .map(|field| (field.name.to_owned(), open_api(&field.schema)))
                .collect();
            put("properties", Value::Object(properties));
            let required: Vec<&str> =
                fields.iter().filter(|field| field.required).map(|field| field.name).collect();
            if !required.is_empty() {
                put("required", json!(required));
            }
        }
        Form::Map { values, most, shared } => {
            put("type", json!("object"));
            put("additionalProperties", open_api(values));
            put("maxProperties", json!(most));
            put("x-kubernetes-map-type", json!(shared));
        }
        Form::List { items, most, shared } => {
            put("type", json!("array"));
            put("items", open_api(items));
            put("maxItems", json!(most));
            let (kind, keys) = match shared {
                List::Atomic => ("atomic", Value::Null),
                List::Set => ("set", Value::Null),
                List::Map(key) => ("map", json!([key])),
            };
            put("x-kubernetes-list-type", json!(kind));
            put("x-kubernetes-list-map-keys", keys);
        }
        Form::Text(text) => text_form(text, &mut put),
        Form::Integer { format, least, most } => {
            put("type", json!("integer"));
            put("format", json!(format));
            put("minimum", json!(least));
            put("maximum", json!(most));
        }
        Form::Quantity => {
            put("pattern", json!(pattern::QUANTITY.regex));
            put("x-kubernetes-int-or-string", json!(true));
        }
        Form::Boolean => put("type", json!("boolean")),
        Form::Metadata => put("type", json!("object")),
    }
    put("default", json!(schema.default));
    if !schema.rules.is_empty() {
        let rules: Vec<Value> = schema.rules.iter().map(|rule| validation(rule)).collect();
        put("x-kubernetes-validations", Value::Array(rules));
    }
    Value::Object(out)
}

fn text_form(text: &Text, put: &mut impl FnMut(&str, Value)) {
    put("type", json!("string"));
    if !text.words.is_empty() {
        put("enum", json!(text.words));
    }
    if text.is_time {
        put("format", json!("date-time"));
    }
    put("pattern", json!(text.pattern.map(|pattern| pattern.regex)));
    put("minLength", json!(text.shortest));
    put("maxLength", json!(text.longest));
}

fn validation(rule: &Rule) -> Value {
    let mut out = json!({"rule": rule.cel, "message": rule.message});
    if let Some(field) = rule.field {
        out["fieldPath"] = json!(format!(".{field}"));
    }
    out
}
