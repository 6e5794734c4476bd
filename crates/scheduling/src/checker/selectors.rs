//! Label selectors with the keys that copy the owning pod's own values into them.

use restow_model::{Labels, Match, Selector, SelectorTerm, Str};

/// The selector as the API server completes it for a pod with these labels: it must have the pod's values of `matching` and
/// must not have those of `mismatching`. Keys that the pod lacks add nothing, and no selector stays none.
pub(super) fn completed(
    selector: Option<&Selector>,
    matching: &[Str],
    mismatching: &[Str],
    labels: &Labels,
) -> Option<Selector> {
    let mut selector = selector?.clone();
    for (keys, operator) in [(matching, Match::In), (mismatching, Match::NotIn)] {
        for key in keys {
            if let Some(value) = labels.get(*key) {
                selector.0.push(SelectorTerm { key: *key, operator, values: vec![value] });
            }
        }
    }
    Some(selector)
}

/// Whether the selector selects the labels; none selects nothing.
pub(super) fn selects(selector: Option<&Selector>, labels: &Labels) -> bool {
    selector.is_some_and(|selector| {
        selector.0.iter().all(|term| {
            let value = labels.get(term.key);
            let listed = value.is_some_and(|value| term.values.contains(&value));
            match term.operator {
                Match::In => listed,
                Match::NotIn => !listed,
                Match::Exists => value.is_some(),
                Match::DoesNotExist => value.is_none(),
            }
        })
    })
}
