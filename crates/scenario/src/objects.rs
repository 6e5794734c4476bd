//! Objects on their way to the reader of Kubernetes objects, and what it says about them on its way back.

use restow_kubernetes::{FieldPath, Kind, ReadError, ReadOptions, Reader, Step};
use restow_model::{Snapshot, Time};
use serde_json::{Map, Value, json};

use crate::cursor::{At, Source};

/// An object that was written out, and which field of the document each part of it comes from.
pub(crate) struct Made {
    pub(crate) json: Value,
    /// The field that it was made of.
    pub(crate) at: FieldPath,
    /// Parts of it with the fields that they were made of.
    pub(crate) parts: Vec<(Vec<Step>, FieldPath)>,
}

/// The steps of `spec.template`, for keys only.
pub(crate) fn steps(path: &str) -> Vec<Step> {
    path.split('.').filter(|key| !key.is_empty()).map(|key| Step::Key(key.to_owned())).collect()
}

impl Made {
    /// An object of an entry, to which nothing but its name is known.
    pub(crate) fn new(json: Value, at: &At<'_>) -> Self {
        Self { json, at: at.path.clone(), parts: Vec::new() }
    }

    /// Says that a part of it was made of a field of the entry.
    pub(crate) fn part(&mut self, object: &str, at: &At<'_>) {
        self.parts.push((steps(object), at.path.clone()));
    }

    /// The field of the document that a field of the object comes from, if it is known.
    fn origin(&self, field: &FieldPath) -> Option<FieldPath> {
        let fits = self.parts.iter().filter(|(part, _)| field.0.starts_with(part));
        let (part, from) = fits.max_by_key(|(part, _)| part.len())?;
        let mut path = from.clone();
        path.0.extend_from_slice(&field.0[part.len()..]);
        Some(path)
    }
}

/// Texts with objects: files that the document names.
pub(crate) struct Dump {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) at: FieldPath,
}

/// Reads objects into a snapshot; what is wrong with them is noted.
pub(crate) fn snapshot(
    source: &Source,
    dumps: &[Dump],
    made: &[&[Made]],
    now: Option<Time>,
) -> Option<Snapshot> {
    let mut reader = Reader::new(ReadOptions::default());
    for dump in dumps {
        if let Err(error) = reader.read(&dump.name, dump.bytes.as_slice()) {
            source.fail_at(dump.at.clone(), &error.to_string(), false);
        }
    }
    for own in made.iter().flat_map(|some| some.iter()) {
        let text = own.json.to_string();
        if let Err(error) = reader.read(&source.name, text.as_bytes()) {
            refuse(source, own, &error);
        }
    }
    match reader.finish(now) {
        Ok((snapshot, _)) => Some(snapshot),
        Err(error) => {
            source.fail_at(FieldPath(steps("spec.files")), &error.problem, false);
            None
        }
    }
}

fn refuse(source: &Source, made: &Made, error: &ReadError) {
    let field = error.field.clone().unwrap_or_default();
    if let Some(origin) = made.origin(&field) {
        return source.fail_at(origin, &error.problem, false);
    }
    let mut problem = String::new();
    if let Some(object) = &error.object {
        problem = format!("{object}: ");
    }
    if !field.0.is_empty() {
        problem = format!("{problem}{field}: ");
    }
    source.fail_at(made.at.clone(), &format!("{problem}{}", error.problem), false);
}

/// The objects that the document holds as they are.
pub(crate) fn inline(spec: &At<'_>) -> Vec<Made> {
    let mut all = Vec::new();
    for at in spec.all("objects") {
        let text = |key: &str| at.value.get(key).and_then(Value::as_str).unwrap_or_default();
        let (version, name) = (text("apiVersion"), text("kind"));
        let mut made = Made::new(at.value.clone(), &at);
        if !name.ends_with("List") {
            made.part("", &at);
            match Kind::find(version, name) {
                Some(kind) if !kind.is_cluster_scoped() => put_in_namespace(&mut made.json),
                Some(_) => {}
                None if version.is_empty() || name.is_empty() => {
                    at.fail("expected apiVersion and kind");
                    continue;
                }
                None => {
                    at.fail(format!("objects of kind {name} ({version}) are not read"));
                    continue;
                }
            }
        }
        all.push(made);
    }
    all
}

/// As kubectl does where nobody says which.
fn put_in_namespace(object: &mut Value) {
    let meta = object.get_mut("metadata").and_then(Value::as_object_mut);
    if let Some(meta) = meta {
        meta.entry("namespace").or_insert_with(|| json!("default"));
    }
}

/// The NodePools that the document holds in short.
pub(crate) fn pools(spec: &At<'_>) -> Vec<Made> {
    let sells_spot = spec.get("catalog").is_some()
        || spec.all("instanceTypes").iter().any(|own| own.get("spot").is_some());
    spec.all("pools").iter().map(|at| pool(at, sells_spot)).collect()
}

fn pool(at: &At<'_>, sells_spot: bool) -> Made {
    let mut made = Made::new(Value::Null, at);
    let mut pool = json!({
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": at.text_of("name")},
        "spec": at.get("spec").map_or_else(|| json!({}), |own| own.value.clone()),
    });
    for (field, place) in [("name", "metadata.name"), ("spec", "spec")] {
        if let Some(own) = at.get(field) {
            made.part(place, &own);
        }
    }
    for (field, place) in [
        ("annotations", "metadata.annotations"),
        ("labels", "spec.template.metadata.labels"),
        ("taints", "spec.template.spec.taints"),
        ("startupTaints", "spec.template.spec.startupTaints"),
        ("weight", "spec.weight"),
        ("limits", "spec.limits"),
        ("disruption", "spec.disruption"),
    ] {
        if let Some(own) = at.get(field) {
            put(&mut pool, place, own.value.clone());
            made.part(place, &own);
        }
    }
    for (field, key) in [
        ("instanceTypes", "node.kubernetes.io/instance-type"),
        ("capacityTypes", "karpenter.sh/capacity-type"),
        ("zones", "topology.kubernetes.io/zone"),
    ] {
        if let Some(own) = at.get(field) {
            let requirement = json!({"key": key, "operator": "In", "values": own.value});
            let template = member(&mut pool, "spec.template.spec");
            match template.entry("requirements").or_insert_with(|| json!([])) {
                Value::Array(list) => list.push(requirement),
                // Whatever it is, the reader says what is wrong with it.
                _ => break,
            }
        }
    }
    // The schema wants a template, even one that says nothing.
    let template = member(&mut pool, "spec.template.spec");
    // Where nobody sells spot, a pool that says nothing does not ask for it: Karpenter would take it for free.
    let list = template.entry("requirements").or_insert_with(|| json!([]));
    let terms = |own: &Value| own["key"] == "karpenter.sh/capacity-type";
    if let Value::Array(list) = list
        && !sells_spot
        && !list.iter().any(terms)
    {
        list.push(json!({
            "key": "karpenter.sh/capacity-type", "operator": "In", "values": ["on-demand"],
        }));
    }
    made.json = pool;
    made
}

/// The object at a path of keys, made if it is not there. What is there and is no object gives way: it is refused elsewhere.
fn member<'v>(value: &'v mut Value, path: &str) -> &'v mut Map<String, Value> {
    let mut at = value;
    for key in path.split('.') {
        at = as_object(at).entry(key).or_insert_with(|| json!({}));
    }
    as_object(at)
}

fn as_object(value: &mut Value) -> &mut Map<String, Value> {
    if !value.is_object() {
        *value = json!({});
    }
    match value {
        Value::Object(members) => members,
        _ => unreachable!("it was made an object above"),
    }
}

/// Sets the value at a path of keys.
pub(crate) fn put(object: &mut Value, path: &str, value: Value) {
    let (parent, key) = path.rsplit_once('.').unwrap_or(("", path));
    let parent = if parent.is_empty() { as_object(object) } else { member(object, parent) };
    parent.insert(key.to_owned(), value);
}

/// Sets the value at a path of keys, unless something is there.
pub(crate) fn put_default(object: &mut Value, path: &str, value: Value) {
    let (parent, key) = path.rsplit_once('.').unwrap_or(("", path));
    let parent = if parent.is_empty() { as_object(object) } else { member(object, parent) };
    parent.entry(key).or_insert(value);
}

/// Reads the files that the document names.
pub(crate) fn dumps(spec: &At<'_>, file: &crate::ReadFile<'_>) -> Vec<Dump> {
    let mut dumps = Vec::new();
    for at in spec.all("files") {
        match file(at.text()) {
            Ok(bytes) => {
                dumps.push(Dump { name: at.text().to_owned(), bytes, at: at.path.clone() });
            }
            Err(error) => at.fail(format!("cannot read {}: {error}", at.text())),
        }
    }
    dumps
}
