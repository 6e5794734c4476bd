//! An anonymous snapshot tells nothing about whose it is, and every relation that decides placements stays.

use restow_kubernetes::{ReadOptions, Reader, anonymize, file};
use restow_model::{Labels, Requirement, Snapshot};
use restow_testkit::{Options, generate_bytes};

fn cluster() -> Snapshot {
    let mut reader = Reader::new(ReadOptions::default());
    reader.read("cluster", &generate_bytes(&Options::new(30, 600, 21))[..]).expect("valid");
    reader.finish(None).expect("one input").0
}

fn anonymous(snapshot: &Snapshot) -> Snapshot {
    let mut anonymous = snapshot.clone();
    anonymize(&mut anonymous);
    anonymous
}

/// For every pod, by its place in the order of names: which nodes its selector and affinity allow.
fn allowed_nodes(snapshot: &Snapshot) -> Vec<Vec<usize>> {
    let strings = &snapshot.strings;
    let allows = |requirement: &Requirement, labels: &Labels| requirement.matches(labels, strings);
    let fits = |pod: &restow_model::Pod, node: &restow_model::Node| {
        let shape = &snapshot.shapes[pod.shape];
        let selected =
            shape.node_selector.iter().all(|(key, value)| node.meta.labels.get(key) == Some(value));
        let affine = shape.node_affinity.as_ref().is_none_or(|terms| {
            terms.iter().any(|term| term.labels.iter().all(|own| allows(own, &node.meta.labels)))
        });
        selected
            && affine
            && restow_model::taint::repelling(&node.taints, &shape.tolerations).is_none()
    };
    let nodes = || snapshot.nodes.iter().enumerate();
    snapshot
        .pods
        .iter()
        .map(|pod| nodes().filter(|(_, node)| fits(pod, node)).map(|(at, _)| at).collect())
        .collect()
}

/// Which pods each disruption budget and each spread constraint selects.
fn selections(snapshot: &Snapshot) -> Vec<Vec<usize>> {
    let select = |selector: &restow_model::Selector, namespace| {
        let selects = |pod: &restow_model::Pod| {
            pod.namespace == namespace && selector.selects(&snapshot.labels[pod.labels])
        };
        let all = snapshot.pods.iter().enumerate();
        all.filter(|(_, pod)| selects(pod)).map(|(at, _)| at).collect::<Vec<_>>()
    };
    let budgets = snapshot
        .pod_disruption_budgets
        .iter()
        .filter_map(|budget| Some(select(budget.selector.as_ref()?, budget.meta.namespace)));
    let spreads = snapshot.pods.iter().flat_map(|pod| {
        snapshot.shapes[pod.shape]
            .spread
            .iter()
            .filter_map(move |spread| Some((pod.namespace, spread.selector.as_ref()?)))
    });
    budgets.chain(spreads.map(|(namespace, selector)| select(selector, namespace))).collect()
}

#[test]
fn every_scheduling_relation_stays() {
    let before = cluster();
    let after = anonymous(&before);
    assert_eq!(before.pods.len(), after.pods.len());
    assert_eq!(allowed_nodes(&before), allowed_nodes(&after));
    assert_eq!(selections(&before), selections(&after));
    for (a, b) in before.nodes.iter().zip(&after.nodes) {
        assert_eq!(
            (a.allocatable.cpu, a.allocatable.memory, a.meta.created),
            (b.allocatable.cpu, b.allocatable.memory, b.meta.created)
        );
        for key in [
            "node.kubernetes.io/instance-type",
            "topology.kubernetes.io/zone",
            "karpenter.sh/capacity-type",
        ] {
            assert_eq!(
                a.meta.labels.text(key, &before.strings),
                b.meta.labels.text(key, &after.strings)
            );
        }
    }
    // Pods keep their place in the order of names, and their node its place.
    let node_place = |snapshot: &Snapshot, pod: &restow_model::Pod| {
        snapshot.nodes.binary_search_by_key(&pod.node, |node| node.meta.name).ok()
    };
    for (a, b) in before.pods.iter().zip(&after.pods) {
        assert_eq!(before.requests(a).cpu, after.requests(b).cpu);
        assert_eq!(node_place(&before, a), node_place(&after, b));
        assert_eq!((a.created, a.phase, a.ready), (b.created, b.phase, b.ready));
        assert_eq!(before.owner(a).is_some(), after.owner(b).is_some());
    }
    let owned = |snapshot: &Snapshot| -> Vec<bool> {
        let pools = |uid| snapshot.node_pools.iter().any(|pool| pool.meta.uid == uid);
        snapshot
            .node_claims
            .iter()
            .map(|claim| claim.meta.owner.is_some_and(|owner| pools(owner.uid)))
            .collect()
    };
    assert_eq!(owned(&before), owned(&after));
}

#[test]
fn no_name_is_left() {
    let before = cluster();
    let bytes = file::encode(&anonymous(&before));
    let after = file::decode(&bytes).expect("just written");
    let kept: Vec<&str> = after.strings.iter().collect();
    for pod in &before.pods {
        for name in [pod.name, pod.namespace, pod.node] {
            let text = before.text(name);
            assert!(text.is_empty() || !kept.contains(&text), "{text}");
        }
    }
    let own_labels = before
        .pods
        .iter()
        .flat_map(|pod| before.labels[pod.labels].iter())
        .filter(|(key, _)| !before.text(*key).contains('/'));
    for text in own_labels.map(|(_, value)| before.text(value)) {
        // A value may still stand where it is a fact about machines.
        let fact = before
            .nodes
            .iter()
            .any(|node| node.meta.labels.iter().any(|(_, value)| before.text(value) == text));
        assert!(text.is_empty() || fact || !kept.contains(&text), "{text}");
    }
    for pod in &before.pods {
        assert!(after.pods.iter().all(|other| other.uid != pod.uid));
    }
}

#[test]
fn the_same_cluster_gets_the_same_pseudonyms() {
    assert_eq!(file::encode(&anonymous(&cluster())), file::encode(&anonymous(&cluster())));
}

#[test]
fn a_pool_that_is_called_like_a_fact_is_renamed_and_the_fact_stays() {
    let text = r"
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: spot}
spec: {template: {spec: {requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [spot]}]}}}
---
apiVersion: v1
kind: Node
metadata: {name: a, labels: {karpenter.sh/nodepool: spot, karpenter.sh/capacity-type: spot}}
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: apps}
spec: {nodeSelector: {karpenter.sh/nodepool: spot}}
";
    let mut reader = Reader::new(ReadOptions::default());
    reader.read("cluster", text.as_bytes()).expect("valid");
    let after = anonymous(&reader.finish(None).expect("one input").0);
    let node = &after.nodes[0];
    let pool = after.text(after.node_pools[0].meta.name);
    assert_ne!(pool, "spot");
    assert_eq!(node.meta.labels.text("karpenter.sh/nodepool", &after.strings), Some(pool));
    assert_eq!(node.meta.labels.text("karpenter.sh/capacity-type", &after.strings), Some("spot"));
    assert_eq!(allowed_nodes(&after), [[0]]);
}
