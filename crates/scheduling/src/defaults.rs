//! The spread constraints that a scheduler is configured with (`defaultConstraints`): pods without any of their own get these, among
//! the pods of the same services and the same controller.
//!
//! They are written into the pods, as if whoever made the pods had asked for them. So everything that reads pods knows them.

use restow_model::{PodShape, Shared, Snapshot, Spread, Str};
use rustc_hash::FxHashMap;

use crate::score::DefaultSpread;

/// What decides the selector of a pod: its shape, namespace, labels and controller.
type Kind = (Shared, Str, Shared, Shared);

/// Gives every pod without constraints of its own these, whose selectors do not count; returns how many pods got them. A pod of
/// which neither services nor a controller say which others are like it gets none.
pub fn spread_by_default(snapshot: &mut Snapshot, constraints: &[Spread]) -> usize {
    if constraints.is_empty() {
        return 0;
    }
    let mut kinds: FxHashMap<Kind, Option<PodShape>> = FxHashMap::default();
    let deduced = DefaultSpread::new(snapshot);
    for pod in &snapshot.pods {
        let kind = (pod.shape, pod.namespace, pod.labels, pod.owner);
        kinds.entry(kind).or_insert_with(|| {
            let shape = &snapshot.shapes[pod.shape];
            let labels = &snapshot.labels[pod.labels];
            let selector = deduced.selector(pod.namespace, labels, pod.owner);
            (shape.spread.is_empty() && !selector.is_empty()).then(|| {
                let own = |spread: &Spread| Spread {
                    selector: Some(selector.clone()),
                    match_label_keys: Vec::new(),
                    ..spread.clone()
                };
                PodShape { spread: constraints.iter().map(own).collect(), ..shape.clone() }
            })
        });
    }
    let mut shared: FxHashMap<Kind, Shared> = FxHashMap::default();
    let mut count = 0;
    // In the order of the pods, so that equal clusters get equal numbers.
    for at in 0..snapshot.pods.len() {
        let pod = &snapshot.pods[at];
        let kind = (pod.shape, pod.namespace, pod.labels, pod.owner);
        if let Some(shape) = kinds.get_mut(&kind).and_then(Option::take) {
            shared.insert(kind, snapshot.shapes.share(shape));
        }
        if let Some(shape) = shared.get(&kind) {
            snapshot.pods[at].shape = *shape;
            count += 1;
        }
    }
    count
}
