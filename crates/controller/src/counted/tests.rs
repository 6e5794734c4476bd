use restow_execution::Changes;
use restow_kubernetes::{Counted, Kind, Reader};
use serde_json::{Value, json};

use super::*;

/// A reader that counts, as a running controller has it.
struct Followed(Reader);

impl Followed {
    fn new() -> Self {
        let mut reader = Reader::default();
        reader.count_by(matters);
        Self(reader)
    }

    /// How much the count rises by a line of a watch: of pods, of others.
    fn rises(&mut self, kind: Kind, event: &str, object: &Value) -> (u64, u64) {
        let before = changes(self.0.counted(), 0);
        let line = json!({ "type": event, "object": object }).to_string();
        self.0.watch_event(kind, "test", line.as_bytes()).expect("it reads");
        let Changes { pods, others } = changes(self.0.counted(), 0);
        (pods - before.pods, others - before.others)
    }
}

fn pod(change: impl FnOnce(&mut Value)) -> Value {
    let mut own = json!({
        "metadata": { "namespace": "web", "name": "a", "uid": "u1" },
        "spec": { "nodeName": "n1", "containers": [{ "resources": { "requests": { "cpu": "1" } } }] },
        "status": { "phase": "Running", "conditions": [{ "type": "Ready", "status": "True", "lastTransitionTime": "2026-11-16T12:00:00Z" }] },
    });
    change(&mut own);
    own
}

fn node(change: impl FnOnce(&mut Value)) -> Value {
    let mut own = json!({
        "metadata": { "name": "n1", "uid": "n1" },
        "spec": {},
        "status": {
            "allocatable": { "cpu": "4", "memory": "8Gi", "pods": "110" },
            "conditions": [{ "type": "Ready", "status": "True", "lastHeartbeatTime": "2026-11-16T12:00:00Z", "lastTransitionTime": "2026-11-16T11:00:00Z" }],
        },
    });
    change(&mut own);
    own
}

#[test]
fn a_pod_counts_when_it_is_bound_turns_ready_is_asked_to_go_and_is_gone() {
    let mut own = Followed::new();
    let waiting = pod(|own| {
        own["spec"]["nodeName"] = json!(null);
        own["status"] = json!({ "phase": "Pending" });
    });
    assert_eq!(own.rises(Kind::Pod, "ADDED", &waiting), (0, 0), "one that waits opens nothing");
    let bound = pod(|own| own["status"] = json!({ "phase": "Pending" }));
    assert_eq!(own.rises(Kind::Pod, "MODIFIED", &bound), (1, 0));
    assert_eq!(own.rises(Kind::Pod, "MODIFIED", &pod(|_| {})), (1, 0), "it is ready");
    assert_eq!(own.rises(Kind::Pod, "MODIFIED", &pod(|_| {})), (0, 0), "nothing is new");
    let going = pod(|own| own["metadata"]["deletionTimestamp"] = json!("2026-11-16T12:01:00Z"));
    assert_eq!(own.rises(Kind::Pod, "MODIFIED", &going), (1, 0));
    assert_eq!(own.rises(Kind::Pod, "DELETED", &going), (1, 0));
    assert_eq!(own.rises(Kind::Pod, "DELETED", &going), (0, 0), "it was gone");
}

#[test]
fn a_pod_counts_when_it_may_no_longer_be_disrupted_or_was_resized() {
    let mut own = Followed::new();
    own.rises(Kind::Pod, "ADDED", &pod(|_| {}));
    let annotations = json!({ "karpenter.sh/do-not-disrupt": "true" });
    let marked = pod(|own| own["metadata"]["annotations"] = annotations);
    assert_eq!(own.rises(Kind::Pod, "MODIFIED", &marked), (1, 0));
    let larger = pod(|own| {
        own["spec"]["containers"][0]["resources"]["requests"]["cpu"] = json!("2");
    });
    assert_eq!(own.rises(Kind::Pod, "MODIFIED", &larger), (1, 0));
}

#[test]
fn a_node_that_only_says_that_it_lives_does_not_count() {
    let mut own = Followed::new();
    assert_eq!(own.rises(Kind::Node, "ADDED", &node(|_| {})), (0, 1));
    let lives = node(|own| {
        own["metadata"]["resourceVersion"] = json!("17");
        own["status"]["conditions"][0]["lastHeartbeatTime"] = json!("2026-11-16T12:05:00Z");
    });
    assert_eq!(own.rises(Kind::Node, "MODIFIED", &lives), (0, 0));
    let unready = node(|own| own["status"]["conditions"][0]["status"] = json!("False"));
    assert_eq!(own.rises(Kind::Node, "MODIFIED", &unready), (0, 1));
}

#[test]
fn what_we_write_ourselves_does_not_count() {
    let mut own = Followed::new();
    own.rises(Kind::Node, "ADDED", &node(|_| {}));
    let steered = node(|own| {
        own["metadata"]["annotations"] =
            json!({ "restow.dev/going-until": "2026-11-16T13:00:00Z" });
        own["spec"]["taints"] =
            json!([{ "key": "restow.dev/going", "effect": "PreferNoSchedule" }]);
    });
    assert_eq!(own.rises(Kind::Node, "MODIFIED", &steered), (0, 0));
    let cordoned = node(|own| own["spec"]["unschedulable"] = json!(true));
    assert_eq!(own.rises(Kind::Node, "MODIFIED", &cordoned), (0, 1));
}

#[test]
fn what_follows_from_how_pods_are_counts_with_them() {
    let mut own = Followed::new();
    let budget = |allowed: u32, generation: u32| {
        json!({
            "metadata": { "namespace": "web", "name": "a", "generation": generation },
            "spec": { "selector": {} },
            "status": { "disruptionsAllowed": allowed },
        })
    };
    own.rises(Kind::PodDisruptionBudget, "ADDED", &budget(1, 1));
    assert_eq!(own.rises(Kind::PodDisruptionBudget, "MODIFIED", &budget(0, 1)), (1, 0));
    assert_eq!(own.rises(Kind::PodDisruptionBudget, "MODIFIED", &budget(0, 2)), (0, 1));
    let set = |wanted: u32, there: u32| {
        json!({
            "metadata": { "namespace": "web", "name": "a" },
            "spec": { "replicas": wanted, "template": { "spec": { "containers": [] } } },
            "status": { "replicas": there, "readyReplicas": there },
        })
    };
    own.rises(Kind::ReplicaSet, "ADDED", &set(2, 2));
    assert_eq!(own.rises(Kind::ReplicaSet, "MODIFIED", &set(2, 1)), (1, 0));
    assert_eq!(own.rises(Kind::ReplicaSet, "MODIFIED", &set(1, 1)), (1, 1));
}

#[test]
fn other_prices_count_as_a_change_of_the_cluster() {
    let before = changes(Counted { pods: 3, others: 7 }, 1);
    assert_eq!(
        changes(Counted { pods: 3, others: 7 }, 2),
        Changes { others: before.others + 1, ..before }
    );
}
