//! The second opinion: every placement of a schedule is carried out in the independent checker.

use restow_catalog::Catalog;
use restow_model::{Effect, Labels, Meta, Node, Resources, Snapshot, Str, Strings, Taint, Truth};
use restow_scheduling::checker::Checker;
use restow_scheduling::{Destination, NewNode, Schedule};

/// A new node once it is there: daemons have their share of it.
pub(crate) fn as_node(new: &NewNode, name: &str, catalog: &Catalog, strings: &mut Strings) -> Node {
    let of_type = catalog.get(strings.text(new.instance_type));
    let capacity = &of_type.expect("new nodes are of types that there are").capacity;
    let host = strings.intern("kubernetes.io/hostname");
    let name = strings.intern(name);
    let labels = new.labels.iter().chain([(host, name)]);
    let mut allocatable = new.allocatable.clone();
    allocatable.subtract(&new.overhead);
    Node {
        meta: Meta { name, labels: Labels::new(labels.collect()), ..Meta::default() },
        taints: new.taints.clone(),
        capacity: Resources {
            cpu: capacity.cpu_milli,
            memory: capacity.memory_bytes,
            ephemeral: capacity.ephemeral_bytes,
            pods: capacity.pods,
            others: new.allocatable.others.clone(),
        },
        allocatable,
        ..Node::default()
    }
}

/// Every pod that was asked for is placed once or refused once.
pub(crate) fn check_complete(snapshot: &Snapshot, pods: &[usize], schedule: &Schedule) {
    let placed = schedule.placements.iter().map(|placement| placement.pod);
    let unplaced = schedule.unplaced.iter().flat_map(|group| group.pods.iter().copied());
    let mut answered: Vec<usize> = placed.chain(unplaced).collect();
    answered.sort_unstable();
    assert!(answered.windows(2).all(|pair| pair[0] != pair[1]), "a pod is answered for twice");
    let asked = pods.iter().filter(|pod| {
        let pod = &snapshot.pods[**pod];
        !pod.is_finished() && !pod.is_bound()
    });
    for pod in asked {
        assert!(
            answered.contains(pod),
            "nothing is said of {}",
            snapshot.text(snapshot.pods[*pod].name)
        );
    }
}

/// Carries a schedule out, and fails where the checker forbids a step.
pub(crate) fn check_placements(
    snapshot: &mut Snapshot,
    schedule: &Schedule,
    new: &[Node],
    drained: &[&str],
) -> Checker {
    let view = promised(snapshot);
    let mut checker = Checker::new(&view);
    for name in drained {
        let at = view.nodes.iter().position(|node| view.text(node.meta.name) == *name);
        let at = at.expect("drained nodes exist");
        for pod in
            (0..view.pods.len()).filter(|pod| checker.node_of(*pod) == Some(at)).collect::<Vec<_>>()
        {
            checker.evict(pod);
        }
        checker.remove_node(at);
    }
    let added: Vec<usize> = new.iter().map(|node| checker.add_node(node.clone())).collect();
    for placement in &schedule.placements {
        let node = match placement.to {
            Destination::New(at) => added[at],
            Destination::Node(name) => {
                let found = view.nodes.iter().position(|node| node.meta.name == name);
                found.expect("pods go to nodes that exist")
            }
        };
        if let Err(violation) = checker.place(placement.pod, node) {
            let name = checker.cluster().nodes[node].meta.name;
            panic!(
                "the checker forbids {} on {}: {violation:?}",
                view.text(view.pods[placement.pod].name),
                view.text(name),
            );
        }
    }
    checker
}

/// Taints that a node has only until it is ready.
const PASSING: [&str; 3] = [
    "node.kubernetes.io/not-ready",
    "node.kubernetes.io/unreachable",
    "node.cloudprovider.kubernetes.io/uninitialized",
];

/// The cluster once everything that was promised has come.
fn promised(snapshot: &mut Snapshot) -> Snapshot {
    let host = snapshot.strings.intern("kubernetes.io/hostname");
    let mut view = snapshot.clone();
    let kind = view.strings.get("Initialized");
    for claim in &snapshot.node_claims {
        let done =
            |own: &restow_model::Condition| Some(own.kind) == kind && own.truth == Truth::True;
        if claim.conditions.iter().any(done) {
            continue;
        }
        let passes = |taint: &Taint| {
            taint.effect != Effect::PreferNoSchedule
                && (claim.startup_taints.contains(taint)
                    || PASSING.contains(&snapshot.text(taint.key)))
        };
        if let Some(node) = view.nodes.iter_mut().find(|node| node.meta.name == claim.node) {
            node.taints.retain(|taint| !passes(taint));
            node.allocatable.raise_to(&claim.allocatable);
        } else {
            let mut labels: Vec<(Str, Str)> = claim.meta.labels.iter().collect();
            labels.push((host, claim.meta.name));
            view.nodes.push(Node {
                meta: Meta { labels: Labels::new(labels), ..claim.meta.clone() },
                taints: claim.taints.clone(),
                capacity: claim.capacity.clone(),
                allocatable: claim.allocatable.clone(),
                ..Node::default()
            });
        }
    }
    view
}

/// A new node is what its pool says its nodes are, and of a type that is listed.
pub(crate) fn check_launched(snapshot: &Snapshot, new: &NewNode) {
    let pool = snapshot.node_pools.iter().find(|pool| pool.meta.name == new.pool);
    let template = &pool.expect("new nodes are of pools").template;
    for (key, value) in template.labels.iter() {
        assert_eq!(new.labels.get(key), Some(value), "{}", snapshot.text(key));
    }
    for wanted in &template.requirements {
        let key = snapshot.text(wanted.key());
        assert!(wanted.matches(&new.labels, &snapshot.strings), "a new node breaks {key}");
    }
    assert_eq!(new.taints, template.taints);
    assert_eq!(new.instance_types.first(), Some(&new.instance_type));
}
