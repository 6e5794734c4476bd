//! Which nodes evicted pods are kept off, so that they come to be where they are meant to (design 3.10).
//!
//! The scheduler scatters pods over the emptiest nodes, and small ones take room that only large ones needed. A soft taint outweighs its
//! other scores: if every node with room is marked but those that pods are meant for, these fill up, and what does not fit
//! there still finds the others. Nodes that were launched for the pods are marked too: they are the emptiest of all.

use std::borrow::Cow;

use restow_model::{Effect, Resources, Snapshot, Str, Taint};
use rustc_hash::FxHashMap;

/// Our soft taint.
pub const GOING: &str = "restow.dev/going";

/// How many nodes are marked at most: each is a request, and another one to lift it. The roomiest ones attract most pods.
const MOST: usize = 200;

/// The nodes, by their places in the snapshot and in that order, that could take one of these pods and that none of them is meant
/// for.
pub fn avoided(
    snapshot: &Snapshot,
    pods: impl Iterator<Item = usize>,
    is_meant: &dyn Fn(Str) -> bool,
) -> Vec<usize> {
    let asked = |pod: usize| &snapshot.shapes[snapshot.pods[pod].shape].requests;
    let smallest = pods.map(asked).fold(None, |least: Option<(i64, i64)>, own| {
        let (cpu, memory) = least.unwrap_or((own.cpu, own.memory));
        Some((cpu.min(own.cpu), memory.min(own.memory)))
    });
    let Some((cpu, memory)) = smallest else { return Vec::new() };
    let others = |own: &restow_model::Node| {
        own.meta.deleted.is_none() && !own.unschedulable && !is_meant(own.meta.name)
    };
    let nodes = snapshot.nodes.iter().enumerate().filter(|(_, own)| others(own));
    let mut free: FxHashMap<Str, (usize, Resources)> =
        nodes.map(|(at, own)| (own.meta.name, (at, own.allocatable.clone()))).collect();
    for pod in snapshot.pods.iter().filter(|own| own.is_bound() && !own.is_finished()) {
        if let Some((_, free)) = free.get_mut(&pod.node) {
            free.subtract(&snapshot.shapes[pod.shape].requests);
        }
    }
    let roomy = |own: &Resources| own.cpu >= cpu && own.memory >= memory;
    let mut found: Vec<(usize, i64)> = free
        .into_values()
        .filter(|(_, free)| roomy(free))
        .map(|(at, free)| (at, free.cpu))
        .collect();
    found.sort_unstable_by_key(|(at, cpu)| (std::cmp::Reverse(*cpu), *at));
    found.truncate(MOST);
    let mut found: Vec<usize> = found.into_iter().map(|(at, _)| at).collect();
    found.sort_unstable();
    found
}

/// Marks these nodes, and no others.
pub(crate) fn mark(snapshot: &mut Snapshot, nodes: &[usize]) {
    let key = snapshot.strings.intern(GOING);
    let taint = Taint { key, value: Str::EMPTY, effect: Effect::PreferNoSchedule };
    for node in &mut snapshot.nodes {
        node.taints.retain(|own| own.key != key);
    }
    for at in nodes {
        snapshot.nodes[*at].taints.push(taint);
    }
}

/// The snapshot without marks: they say nothing of the next plan.
pub(crate) fn without_marks(snapshot: &Snapshot) -> Cow<'_, Snapshot> {
    let key = snapshot.strings.get(GOING);
    let marked = |own: &restow_model::Node| own.taints.iter().any(|own| Some(own.key) == key);
    if key.is_none() || !snapshot.nodes.iter().any(marked) {
        return Cow::Borrowed(snapshot);
    }
    let mut other = snapshot.clone();
    mark(&mut other, &[]);
    Cow::Owned(other)
}

#[cfg(test)]
mod tests {
    use restow_model::{Meta, Node, Pod, PodShape};

    use super::*;

    /// Nodes with so many free thousandths of a core of 4,000, and a pod of 1,000 that waits.
    fn cluster(free: &[i64]) -> Snapshot {
        let mut own = Snapshot::default();
        let room = |cpu| Resources { cpu, memory: 1 << 40, pods: 110, ..Resources::default() };
        let pod = |own: &mut Snapshot, cpu, node| {
            let requests = Resources { cpu, pods: 1, ..Resources::default() };
            let shape = own.shapes.share(PodShape { requests, ..PodShape::default() });
            own.pods.push(Pod { shape, node, ..Pod::default() });
        };
        pod(&mut own, 1_000, Str::EMPTY);
        for (at, free) in free.iter().enumerate() {
            let name = own.strings.intern(&format!("n{at}"));
            let meta = Meta { name, ..Meta::default() };
            own.nodes.push(Node { meta, allocatable: room(4_000), ..Node::default() });
            pod(&mut own, 4_000 - free, name);
        }
        own
    }

    #[test]
    fn only_what_could_take_a_pod_and_is_not_meant_to_is_avoided() {
        let own = cluster(&[0, 999, 1_000, 2_000, 4_000]);
        let meant = own.nodes[3].meta.name;
        assert_eq!(avoided(&own, [0].into_iter(), &|node| node == meant), [2, 4]);
        assert_eq!(avoided(&own, std::iter::empty(), &|_| false), [0; 0], "nobody has to go");
    }

    #[test]
    fn of_very_many_the_roomiest_are_avoided() {
        let free: Vec<i64> = (0..MOST as i64 + 10).map(|at| 1_000 + at).collect();
        let found = avoided(&cluster(&free), [0].into_iter(), &|_| false);
        assert_eq!(found, (10..MOST + 10).collect::<Vec<_>>());
    }

    #[test]
    fn marks_come_and_go_without_a_trace() {
        let mut own = cluster(&[1_000, 2_000]);
        mark(&mut own, &[]);
        let bare = own.clone();
        assert!(matches!(without_marks(&own), Cow::Borrowed(_)));
        mark(&mut own, &[1]);
        assert_eq!(own.nodes[1].taints.len(), 1);
        assert!(own.nodes[0].taints.is_empty());
        assert!(*without_marks(&own) == bare);
    }
}
