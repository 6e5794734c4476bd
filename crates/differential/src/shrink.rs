//! Makes a cluster smaller while something about it stays true.

use serde_json::Value;

/// The smallest cluster that dropping objects and then fields leads to.
pub(crate) fn shrink(objects: Vec<Value>, holds: &mut dyn FnMut(&[Value]) -> bool) -> Vec<Value> {
    shrink_fields_of(objects, &|_| true, holds)
}

/// The same, where only some objects lose fields.
pub(crate) fn shrink_fields_of(
    mut objects: Vec<Value>,
    loses: &dyn Fn(&Value) -> bool,
    holds: &mut dyn FnMut(&[Value]) -> bool,
) -> Vec<Value> {
    loop {
        let before = size(&objects);
        drop_objects(&mut objects, holds);
        for at in 0..objects.len() {
            if loses(&objects[at]) {
                drop_fields(&mut objects, at, &mut Vec::new(), holds);
            }
        }
        if size(&objects) == before {
            return objects;
        }
    }
}

fn size(objects: &[Value]) -> usize {
    objects.iter().map(|object| object.to_string().len()).sum()
}

/// Drops runs of objects, long ones first.
fn drop_objects(objects: &mut Vec<Value>, holds: &mut dyn FnMut(&[Value]) -> bool) {
    let mut length = objects.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < objects.len() {
            let end = (at + length).min(objects.len());
            let mut fewer = objects.clone();
            fewer.drain(at..end);
            if holds(&fewer) {
                *objects = fewer;
            } else {
                at += length;
            }
        }
        length /= 2;
    }
}

/// Fields without which the API server would not have taken the object: a cluster without them is not smaller but broken.
const NEEDED: &[&str] = &[
    "apiVersion",
    "claimName",
    "containerPort",
    "controller",
    "diskName",
    "diskURI",
    "driver",
    "key",
    "kind",
    "matchLabelExpressions",
    "maxSkew",
    "metadata",
    "name",
    "namespace",
    "nodeSelectorTerms",
    "operator",
    "ownerReferences",
    "pdName",
    "persistentVolumeName",
    "provisioner",
    "reason",
    "topologyKey",
    "type",
    "uid",
    "values",
    "volumeHandle",
    "volumeID",
    "whenUnsatisfiable",
];

/// One step into a value.
#[derive(Clone)]
enum Step {
    Key(String),
    Item(usize),
}

/// Drops fields and items of one object, from the outside in: what is gone has no inside.
fn drop_fields(
    objects: &mut Vec<Value>,
    at: usize,
    path: &mut Vec<Step>,
    holds: &mut dyn FnMut(&[Value]) -> bool,
) {
    let Some(value) = find(&mut objects[at], path) else { return };
    let steps: Vec<Step> = match value {
        Value::Object(fields) => fields.keys().cloned().map(Step::Key).collect(),
        // From the end, so that places stay what they are.
        Value::Array(items) => (0..items.len()).rev().map(Step::Item).collect(),
        _ => return,
    };
    for step in steps {
        let mut less = objects.clone();
        if !is_needed(path, &step) && remove(&mut less[at], path, &step) && holds(&less) {
            *objects = less;
            continue;
        }
        path.push(step);
        drop_fields(objects, at, path, holds);
        path.pop();
    }
}

/// Values may become fewer, but where they stand alone there has to be one.
fn is_needed(path: &[Step], step: &Step) -> bool {
    match (path.last(), step) {
        (_, Step::Key(key)) => NEEDED.contains(&key.as_str()),
        (Some(Step::Key(list)), Step::Item(item)) => {
            *item == 0 && matches!(list.as_str(), "values" | "nodeSelectorTerms")
        }
        _ => false,
    }
}

fn find<'a>(object: &'a mut Value, path: &[Step]) -> Option<&'a mut Value> {
    path.iter().try_fold(object, |value, step| match step {
        Step::Key(key) => value.get_mut(key),
        Step::Item(item) => value.get_mut(item),
    })
}

fn remove(object: &mut Value, path: &[Step], step: &Step) -> bool {
    match (find(object, path), step) {
        (Some(Value::Object(fields)), Step::Key(key)) => fields.remove(key).is_some(),
        (Some(Value::Array(items)), Step::Item(item)) if *item < items.len() => {
            items.remove(*item);
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let objects = vec![
            json!({"kind": "A", "spec": {"x": 1}}),
            json!({"kind": "B", "spec": {"list": [{"y": 1, "z": 2}, {"y": 3, "values": [4, 5]}], "other": {}}}),
            json!({"kind": "C"}),
        ];
        let mut holds = |objects: &[Value]| {
            objects.iter().any(|object| {
                let list = object["spec"]["list"].as_array();
                list.is_some_and(|list| list.iter().any(|item| item["y"] == 3))
            })
        };
        let small = shrink(objects, &mut holds);
        assert_eq!(small, [json!({"kind": "B", "spec": {"list": [{"y": 3, "values": [4]}]}})]);
    }
}
