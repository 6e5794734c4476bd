use restow_model::{GoDuration, Time, WorkloadKind};
use serde_json::{Value, json};

use super::*;
use crate::history::Maker;
use crate::{ReadOptions, Reader};

/// A cluster of these objects, so many seconds after noon.
fn cluster(objects: &[Value], seconds: i64) -> Snapshot {
    let mut reader = Reader::new(ReadOptions::default());
    for object in objects {
        reader.read("object", object.to_string().as_bytes()).expect("a valid object");
    }
    reader.finish(Some(Time::from_seconds(NOON + seconds))).expect("objects that differ").0
}

const NOON: i64 = 1_794_744_000;

fn at(seconds: i64) -> String {
    Time::from_seconds(NOON + seconds).to_string()
}

fn meta(name: &str, owner: Option<(&str, &str)>) -> Value {
    let mut meta = json!({
        "name": name, "namespace": "web", "uid": format!("uid of {name}"), "creationTimestamp": at(-600)
    });
    if let Some((kind, name)) = owner {
        let own = json!({ "apiVersion": "apps/v1", "kind": kind, "name": name, "uid": "x", "controller": true });
        meta["ownerReferences"] = json!([own]);
    }
    meta
}

fn template(cpu: &str) -> Value {
    let resources = json!({ "requests": { "cpu": cpu } });
    json!({
        "metadata": { "labels": { "app": "api" } },
        "spec": { "containers": [{ "name": "app", "resources": resources }] }
    })
}

fn set(kind: &str, name: &str, replicas: i64, cpu: &str, owner: Option<(&str, &str)>) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": kind, "metadata": meta(name, owner),
        "spec": { "replicas": replicas, "selector": { "matchLabels": { "app": "api" } }, "template": template(cpu) },
        "status": { "replicas": replicas, "updatedReplicas": replicas }
    })
}

fn deployment(replicas: i64) -> Value {
    set("Deployment", "api", replicas, "1", None)
}

fn version(name: &str, replicas: i64) -> Value {
    set("ReplicaSet", name, replicas, "1", Some(("Deployment", "api")))
}

fn job(name: &str, owner: Option<(&str, &str)>, completed: bool) -> Value {
    let mut status = json!({ "startTime": at(0) });
    if completed {
        status = json!({ "startTime": at(0), "completionTime": at(40), "succeeded": 2 });
    }
    json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": meta(name, owner),
        "spec": { "parallelism": 1, "completions": 2, "template": template("1") }, "status": status
    })
}

fn pod(name: &str, owner: (&str, &str), status: &Value) -> Value {
    let mut own = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": meta(name, Some(owner)),
        "spec": { "nodeName": "n", "containers": [{ "name": "app" }] }, "status": status
    });
    own["metadata"]["creationTimestamp"] = json!(at(0));
    own
}

/// The status of a pod that was bound at noon and is ready since, or not.
fn bound(ready: Option<i64>) -> Value {
    let truth = if ready.is_some() { "True" } else { "False" };
    json!({ "phase": "Running", "conditions": [
        { "type": "PodScheduled", "status": "True", "lastTransitionTime": at(0) },
        { "type": "Ready", "status": truth, "lastTransitionTime": at(ready.unwrap_or_default()) }
    ] })
}

fn ended(seconds: i64) -> Value {
    let mut status = bound(None);
    status["phase"] = json!("Succeeded");
    let state = json!({ "terminated": { "exitCode": 0, "finishedAt": at(seconds) } });
    status["containerStatuses"] = json!([{ "name": "app", "state": state }]);
    status
}

fn budget(least: i64, healthy: i64) -> Value {
    json!({
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": meta("api", None),
        "spec": { "minAvailable": least, "selector": { "matchLabels": { "app": "api" } } },
        "status": { "currentHealthy": healthy, "disruptionsAllowed": 1 }
    })
}

fn node(name: &str, taint: Option<&str>) -> Value {
    let labels = json!({ "node.kubernetes.io/instance-type": "m6a.large", "topology.kubernetes.io/zone": "a" });
    let taints: Vec<Value> =
        taint.map(|key| json!({ "key": key, "effect": "NoSchedule" })).into_iter().collect();
    json!({
        "apiVersion": "v1", "kind": "Node", "metadata": { "name": name, "labels": labels },
        "spec": { "taints": taints }
    })
}

fn named(kind: WorkloadKind, name: &str) -> Maker {
    Maker { kind, namespace: "web".to_owned(), name: name.to_owned() }
}

fn api() -> Maker {
    named(WorkloadKind::Deployment, "api")
}

/// What happens from one list of objects to the other within ten seconds.
fn found(before: &[Value], after: &[Value]) -> Frame {
    between(&cluster(before, 0), &cluster(after, 10))
}

fn changes(before: &[Value], after: &[Value]) -> Vec<Change> {
    found(before, after).changes
}

#[test]
fn nothing_happens_where_nothing_changes() {
    let all =
        [deployment(3), version("api-1", 3), job("j", None, false), budget(1, 3), node("n", None)];
    let frame = found(&all, &all);
    assert_eq!(frame, Frame { time: Time::from_seconds(NOON + 10), ..Frame::default() });
}

#[test]
fn another_number_of_replicas_is_a_scaling() {
    let before = [deployment(3), version("api-1", 3)];
    let after = [deployment(5), version("api-1", 5)];
    assert_eq!(changes(&before, &after), [Change::Scaled { of: api(), replicas: 5 }]);
}

#[test]
fn a_replica_set_of_nobody_or_of_something_unknown_is_scaled_itself() {
    for owner in [None, Some(("Rollout", "api"))] {
        let own = |replicas| [set("ReplicaSet", "r", replicas, "1", owner)];
        let of = named(WorkloadKind::ReplicaSet, "r");
        assert_eq!(changes(&own(1), &own(0)), [Change::Scaled { of, replicas: 0 }]);
    }
}

#[test]
fn a_new_version_beside_the_old_one_is_a_roll_out_and_brings_its_template() {
    let before = [deployment(4), version("api-1", 4)];
    let mut new = deployment(4);
    new["spec"]["template"] = template("2");
    let after = [new, version("api-1", 3), version("api-2", 1)];
    let frame = found(&before, &after);
    assert_eq!(frame.changes, [Change::RolledOut(api())]);
    let shape = frame.objects.workloads[0].template.expect("it came with it").shape;
    assert_eq!(frame.objects.shapes[shape].requests.cpu, 2000);
    let last = [deployment(4), version("api-1", 0), version("api-2", 4)];
    assert_eq!(changes(&after, &last), [], "it is told once");
}

#[test]
fn going_back_to_an_old_version_is_a_roll_out() {
    let before = [deployment(4), version("api-1", 0), version("api-2", 4)];
    let after = [deployment(4), version("api-1", 1), version("api-2", 4)];
    assert_eq!(changes(&before, &after), [Change::RolledOut(api())]);
}

#[test]
fn to_scale_up_from_nothing_is_no_roll_out() {
    let before = [deployment(0), version("api-1", 0)];
    let after = [deployment(2), version("api-1", 2)];
    assert_eq!(changes(&before, &after), [Change::Scaled { of: api(), replicas: 2 }]);
}

#[test]
fn without_the_right_to_read_replica_sets_the_template_tells_of_a_roll_out() {
    let mut new = deployment(4);
    new["spec"]["template"] = template("2");
    assert_eq!(changes(&[deployment(4)], &[new]), [Change::RolledOut(api())]);
}

#[test]
fn a_stateful_set_is_rolled_out_when_some_of_its_pods_are_of_an_older_template() {
    let before = [set("StatefulSet", "db", 3, "1", None)];
    let mut new = set("StatefulSet", "db", 3, "1", None);
    new["status"]["updatedReplicas"] = json!(0);
    let of = named(WorkloadKind::StatefulSet, "db");
    assert_eq!(changes(&before, std::slice::from_ref(&new)), [Change::RolledOut(of)]);
    // One of its pods was evicted.
    let mut fewer = set("StatefulSet", "db", 3, "1", None);
    fewer["status"] = json!({ "replicas": 2, "updatedReplicas": 2 });
    assert_eq!(changes(&before, &[fewer]), []);
}

#[test]
fn a_workload_appears_with_its_template_and_vanishes() {
    let frame = found(&[], &[deployment(3), version("api-1", 3)]);
    assert_eq!(frame.changes, [Change::Appeared(api())]);
    assert_eq!(frame.objects.workloads.len(), 1, "not its version");
    assert_eq!(frame.objects.workloads[0].desired, 3);
    assert!(frame.objects.workloads[0].template.is_some());
    assert_eq!(changes(&[deployment(3)], &[]), [Change::Vanished(api())]);
}

#[test]
fn a_workload_that_was_made_anew_vanished_and_appeared() {
    let mut other = deployment(3);
    other["metadata"]["uid"] = json!("another");
    assert_eq!(
        changes(&[deployment(3)], &[other]),
        [Change::Vanished(api()), Change::Appeared(api())]
    );
}

#[test]
fn a_job_appears_works_and_may_go_when_it_is_complete() {
    let of = named(WorkloadKind::Job, "j");
    let running = [job("j", None, false), pod("p", ("Job", "j"), &bound(None))];
    assert_eq!(changes(&[], &running), [Change::Appeared(of.clone())]);
    let done = [job("j", None, true), pod("p", ("Job", "j"), &ended(40))];
    let took = GoDuration::from_seconds(40);
    assert_eq!(changes(&running, &done), [Change::Worked { of: of.clone(), took }]);
    assert_eq!(changes(&done, &[]), [], "nobody misses it");
    assert_eq!(changes(&running[..1], &[]), [Change::Vanished(of)]);
}

#[test]
fn a_pod_that_went_with_its_job_worked_until_now() {
    let of = named(WorkloadKind::Job, "j");
    let running = [job("j", None, false), pod("p", ("Job", "j"), &bound(None))];
    let took = GoDuration::from_seconds(10);
    assert_eq!(
        changes(&running, &[job("j", None, true)]),
        [Change::Worked { of, took }],
        "the look is ten seconds after it was bound"
    );
    let evicted = [job("j", None, false)];
    assert_eq!(changes(&running, &evicted), [], "the job goes on, so the pod was evicted");
}

#[test]
fn a_job_of_a_cron_job_is_a_start_of_that() {
    let cron = json!({
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": meta("nightly", None),
        "spec": { "schedule": "0 3 * * *", "jobTemplate": { "spec": { "template": template("1") } } }
    });
    let own = job("nightly-1", Some(("CronJob", "nightly")), false);
    let of = named(WorkloadKind::CronJob, "nightly");
    let before = [cron.clone()];
    let running = [cron.clone(), own, pod("p", ("Job", "nightly-1"), &bound(None))];
    let started = Change::Started { of: of.clone(), pods: 2, parallel: 1 };
    assert_eq!(changes(&before, &running), [started]);
    let done = job("nightly-1", Some(("CronJob", "nightly")), true);
    let after = [cron, done, pod("p", ("Job", "nightly-1"), &ended(9))];
    let took = GoDuration::from_seconds(9);
    assert_eq!(changes(&running, &after), [Change::Worked { of, took }]);
}

#[test]
fn how_long_a_pod_took_to_become_ready_is_told_once_of_its_workload() {
    let all = |status: &Value| {
        [deployment(1), version("api-1", 1), pod("p", ("ReplicaSet", "api-1"), status)]
    };
    let took = GoDuration::from_seconds(7);
    let ready = Change::Ready { of: api(), took };
    assert_eq!(changes(&all(&bound(None)), &all(&bound(Some(7)))), std::slice::from_ref(&ready));
    assert_eq!(changes(&all(&bound(None))[..2], &all(&bound(Some(7)))), [ready]);
    assert_eq!(changes(&all(&bound(Some(7))), &all(&bound(Some(7)))), []);
}

#[test]
fn a_budget_is_told_when_its_rule_changes_and_not_its_status() {
    let name = || ("web".to_owned(), "api".to_owned());
    let (namespace, name) = name();
    assert_eq!(changes(&[budget(1, 3)], &[budget(1, 2)]), []);
    let frame = found(&[budget(1, 3)], &[budget(2, 3)]);
    let told = Change::Budget { namespace: namespace.clone(), name: name.clone() };
    assert_eq!(frame.changes, std::slice::from_ref(&told));
    assert_eq!(frame.objects.pod_disruption_budgets[0].current_healthy, 0);
    assert_eq!(changes(&[], &[budget(1, 3)]), [told]);
    assert_eq!(changes(&[budget(1, 3)], &[]), [Change::NoBudget { namespace, name }]);
}

#[test]
fn nodes_come_go_and_are_told_that_they_will() {
    let frame = found(&[node("a", None)], &[node("b", None)]);
    let (came, went) = (Change::NodeCame("b".to_owned()), Change::NodeWent("a".to_owned()));
    assert_eq!(frame.changes, [came, went]);
    assert_eq!(frame.objects.nodes[0].meta.labels.len(), 2);
    let told = [node("a", Some("aws-node-termination-handler/spot-itn"))];
    let interrupted = Change::Interrupted {
        node: "a".to_owned(),
        instance_type: "m6a.large".to_owned(),
        zone: "a".to_owned(),
    };
    assert_eq!(changes(&[node("a", None)], &told), [interrupted]);
    assert_eq!(changes(&told, &told), []);
    assert_eq!(changes(&[node("a", None)], &[node("a", Some("karpenter.sh/disrupted"))]), []);
}

#[test]
fn equal_clusters_give_equal_frames_however_names_are_numbered() {
    let before = [deployment(3), budget(1, 3), node("a", None)];
    let after =
        [set("StatefulSet", "db", 2, "1", None), deployment(4), budget(2, 3), node("b", None)];
    let one = found(&before, &after);
    let view = |objects: &[Value], seconds: i64| {
        let mut reader = Reader::new(ReadOptions::default());
        for object in objects.iter().rev() {
            reader.read("object", object.to_string().as_bytes()).expect("a valid object");
        }
        reader.view(Time::from_seconds(NOON + seconds))
    };
    assert_eq!(between(&view(&before, 0), &view(&after, 10)), one);
}

#[test]
fn after_a_gap_only_what_is_sure_is_told() {
    let before = cluster(&[deployment(3), version("api-1", 3)], 0);
    let now = [
        deployment(5),
        version("api-2", 5),
        pod("p", ("ReplicaSet", "api-2"), &bound(Some(7))),
        job("old", Some(("CronJob", "nightly")), false),
    ];
    let history = crate::history::History { start: before.clone(), ..Default::default() };
    let frame = across(&history.at_end(), &cluster(&now, 3600));
    let scaled = Change::Scaled { of: api(), replicas: 5 };
    assert_eq!(frame.changes, [Change::Gap { since: before.time }, scaled]);
}
