//! What must make no difference: the order of the input, the names, and pods that wait for something else.

use restow_consolidation::settings::Name;
use restow_consolidation::{Fleet, Plan, Target};
use restow_model::Snapshot;

use super::world::{OPEN, book, case, clusters, planned, read};

/// A plan in words, with nodes and pods by their names.
fn words(fleet: &Fleet<'_>, plan: &Plan) -> Vec<String> {
    let text = |name| fleet.snapshot.text(name);
    let mut lines: Vec<String> = plan
        .moves
        .iter()
        .map(|planned| {
            let own = &planned.own;
            let nodes: Vec<&str> =
                own.sources.iter().map(|at| text(fleet.nodes[*at].name)).collect();
            let pods: Vec<String> = own
                .pods
                .iter()
                .map(|moved| {
                    let to = match moved.to {
                        Target::Node(name) => text(name).to_owned(),
                        Target::Replacement(at) => format!("replacement/{at}"),
                    };
                    format!("{}->{to}", text(fleet.pod(moved.pod).name))
                })
                .collect();
            format!("{:?} {nodes:?} {} {} {pods:?}", planned.turn.wave, own.before, own.after)
        })
        .collect();
    for (node, verdict) in fleet.nodes.iter().zip(&plan.verdicts) {
        let codes: Vec<&str> =
            verdict.reasons.iter().map(restow_consolidation::Reason::code).collect();
        lines.push(format!("{} {:?} {codes:?}", text(node.name), verdict.outcome));
    }
    lines
}

fn lines(snapshot: Snapshot, cluster: &restow_testkit::consolidation::Cluster) -> Vec<String> {
    let book = book(cluster);
    planned(&case(snapshot, &book, &OPEN), words)
}

#[test]
fn the_order_of_the_input_does_not_matter() {
    for (name, cluster) in clusters() {
        let (one, other) = (read(&cluster, false), read(&cluster, true));
        assert_eq!(lines(one, &cluster), lines(other, &cluster), "{name}");
    }
}

#[test]
fn the_same_input_gives_the_same_plan() {
    for (name, cluster) in clusters() {
        let snapshot = read(&cluster, false);
        assert_eq!(lines(snapshot.clone(), &cluster), lines(snapshot, &cluster), "{name}");
    }
}

/// Without the names: what is moved, for how much, and why the others stay.
fn numbers(fleet: &Fleet<'_>, plan: &Plan) -> Vec<String> {
    let mut lines: Vec<String> = plan
        .moves
        .iter()
        .map(|planned| {
            let own = &planned.own;
            format!("{:?} {} {} {}", planned.turn.wave, own.before, own.after, own.pods.len())
        })
        .collect();
    lines.extend(fleet.nodes.iter().zip(&plan.verdicts).map(|(node, verdict)| {
        let codes: Vec<&str> =
            verdict.reasons.iter().map(restow_consolidation::Reason::code).collect();
        format!("{} {:?} {codes:?}", node.price(), verdict.outcome)
    }));
    lines
}

#[test]
fn without_names_the_plan_is_the_same() {
    for (name, cluster) in clusters() {
        let snapshot = read(&cluster, false);
        let mut anonymous = snapshot.clone();
        restow_kubernetes::anonymize(&mut anonymous);
        let book = book(&cluster);
        let ask = |snapshot: Snapshot| planned(&case(snapshot, &book, &OPEN), numbers);
        assert_eq!(ask(snapshot), ask(anonymous), "{name}");
    }
}

/// A pod that waits for ever for a label that no node has changes nothing.
#[test]
fn a_pod_that_waits_for_ever_changes_no_plan() {
    for (name, cluster) in clusters() {
        let mut other = cluster.clone();
        other.objects.push(serde_json::json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"name": "zzz-waits-for-ever", "namespace": "zzz", "uid": "waits",
                "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": {"nodeSelector": {"nobody": "has-this"}, "containers": [
                {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]},
            "status": {"phase": "Pending", "conditions": [
                {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]},
        }));
        let (one, two) = (read(&cluster, false), read(&other, false));
        assert_eq!(lines(one, &cluster), lines(two, &cluster), "{name}");
    }
}

/// Whenever a search is stopped, what it has is a plan.
#[test]
fn a_search_that_is_stopped_has_a_plan() {
    for (name, cluster) in clusters() {
        let book = book(&cluster);
        for effort in ["0", "50", "500", "5000"] {
            let mut settings = OPEN.to_vec();
            settings.push((Name::Effort, effort));
            planned(&case(read(&cluster, false), &book, &settings), |_, plan| {
                assert!(plan.after.price <= plan.before.price, "{name} {effort}");
            });
        }
    }
}
