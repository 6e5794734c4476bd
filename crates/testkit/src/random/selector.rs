//! Label selectors of every form.

use serde_json::{Value, json};

use super::words::{NAMESPACE_LABELS, NAMESPACES, POD_LABELS};
use super::world::{push, some_of};
use crate::Rng;

type Vocabulary<'a> = &'a [(&'a str, &'a [&'a str])];

/// A selector of pods: absent (which selects nothing), empty (which selects everything) or with a few terms.
pub(super) fn of_pods(rng: &mut Rng) -> Option<Value> {
    match rng.weighted(&[4, 6, 90]) {
        0 => None,
        1 => Some(json!({})),
        _ => Some(terms(rng, POD_LABELS)),
    }
}

/// A selector of namespaces, some of which select none.
pub(super) fn of_namespaces(rng: &mut Rng) -> Value {
    match rng.weighted(&[25, 15, 60]) {
        0 => json!({}),
        // Of a namespace without an object we still know this label; the real scheduler, which has them all, does not.
        1 => {
            let name = rng.pick(&NAMESPACES[..NAMESPACES.len() - 1]);
            json!({"matchLabels": {"kubernetes.io/metadata.name": name}})
        }
        _ => terms(rng, NAMESPACE_LABELS),
    }
}

fn terms(rng: &mut Rng, labels: Vocabulary<'_>) -> Value {
    let mut selector = json!({});
    for (key, values) in some_of(rng, labels, 2) {
        if rng.permille(500) {
            selector["matchLabels"][*key] = json!(rng.pick(values));
            continue;
        }
        let expression = match rng.weighted(&[4, 3, 2, 2]) {
            0 => json!({"key": key, "operator": "In", "values": some_of(rng, values, 3)}),
            1 => json!({"key": key, "operator": "NotIn", "values": some_of(rng, values, 2)}),
            2 => json!({"key": key, "operator": "Exists"}),
            _ => json!({"key": key, "operator": "DoesNotExist"}),
        };
        push(&mut selector["matchExpressions"], expression);
    }
    selector
}
