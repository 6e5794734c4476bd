use restow_catalog::PriceBook;
use restow_kubernetes::history::between;
use restow_kubernetes::{ReadOptions, Reader};
use restow_simulator::script::Behaviour;
use serde_json::{Value, json};

use super::*;

const NOON: i64 = 1_794_744_000;

/// A cluster of these objects, so many seconds after noon.
fn cluster(objects: &[Value], seconds: i64) -> Snapshot {
    let mut reader = Reader::new(ReadOptions::default());
    for object in objects {
        reader.read("object", object.to_string().as_bytes()).expect("a valid object");
    }
    reader.finish(Some(Time::from_seconds(NOON + seconds))).expect("objects that differ").0
}

/// What is recorded of looks at a cluster, ten seconds apart.
fn recorded(looks: &[&[Value]]) -> History {
    let looks: Vec<Snapshot> =
        looks.iter().enumerate().map(|(at, own)| cluster(own, 10 * at as i64)).collect();
    History {
        frames: looks.windows(2).map(|pair| between(&pair[0], &pair[1])).collect(),
        start: looks[0].clone(),
        ..History::default()
    }
}

fn template(cpu: &str) -> Value {
    let resources = json!({ "requests": { "cpu": cpu } });
    json!({
        "metadata": { "labels": { "app": "api" } },
        "spec": { "containers": [{ "name": "app", "resources": resources }] }
    })
}

fn workload(kind: &str, name: &str, spec: Value) -> Value {
    let group = if kind.ends_with("Job") { "batch/v1" } else { "apps/v1" };
    let mut spec = spec;
    spec["selector"] = json!({ "matchLabels": { "app": "api" } });
    json!({
        "apiVersion": group, "kind": kind,
        "metadata": { "name": name, "namespace": "web", "uid": name }, "spec": spec
    })
}

fn api(replicas: i64, cpu: &str) -> Value {
    workload("Deployment", "api", json!({ "replicas": replicas, "template": template(cpu) }))
}

fn job(name: &str) -> Value {
    workload("Job", name, json!({ "parallelism": 2, "completions": 4, "template": template("1") }))
}

/// A pod of a job that was bound some seconds after noon and ended some seconds after that.
fn worker(name: &str, job: &str, bound: i64, ended: Option<i64>) -> Value {
    let time = |seconds: i64| Time::from_seconds(NOON + seconds).to_string();
    let owner = json!({ "apiVersion": "batch/v1", "kind": "Job", "name": job, "uid": "x", "controller": true });
    let mut own = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": name, "namespace": "web", "uid": name, "creationTimestamp": time(bound), "ownerReferences": [owner] },
        "spec": { "nodeName": "n", "containers": [{ "name": "app" }] },
        "status": {
            "phase": "Running",
            "conditions": [{ "type": "PodScheduled", "status": "True", "lastTransitionTime": time(bound) }]
        }
    });
    if let Some(ended) = ended {
        own["status"]["phase"] = json!("Succeeded");
        let state = json!({ "terminated": { "exitCode": 0, "finishedAt": time(bound + ended) } });
        own["status"]["containerStatuses"] = json!([{ "name": "app", "state": state }]);
    }
    own
}

fn behaviour<'a>(replay: &'a Replay, name: &str) -> &'a Behaviour {
    let found = replay.script.behaviours.iter().find(|own| own.workload.name == name);
    found.expect("every workload has one")
}

fn seconds(seconds: i64) -> GoDuration {
    GoDuration::from_seconds(seconds)
}

#[test]
fn replicas_follow_what_was_wanted_and_when() {
    let history = recorded(&[&[api(3, "1")], &[api(5, "1")], &[api(5, "1")], &[api(2, "1")]]);
    let replay = replay(&history);
    assert_eq!(behaviour(&replay, "api").replicas, [(seconds(10), 5), (seconds(30), 2)]);
    assert_eq!(replay.snapshot.workloads[0].desired, 3);
    assert_eq!(replay.script.duration, seconds(30));
}

#[test]
fn a_workload_that_appears_is_there_from_the_start_and_wants_nothing() {
    let replay = replay(&recorded(&[&[], &[api(4, "1")], &[]]));
    assert_eq!(replay.snapshot.workloads.len(), 1);
    assert_eq!(replay.snapshot.workloads[0].desired, 0);
    assert_eq!(behaviour(&replay, "api").replicas, [(seconds(10), 4)]);
    let workload = behaviour(&replay, "api").workload.clone();
    assert_eq!(replay.script.happenings, [(seconds(20), Happening::Delete { workload })]);
}

#[test]
fn a_roll_out_brings_its_template() {
    let replay = replay(&recorded(&[&[api(4, "1")], &[api(4, "2")]]));
    let [(at, Happening::Rollout { template: Some(template), .. })] =
        replay.script.happenings.as_slice()
    else {
        panic!("{:?}", replay.script.happenings);
    };
    assert_eq!((*at, replay.snapshot.shapes[template.shape].requests.cpu), (seconds(10), 2000));
}

#[test]
fn a_job_that_appears_starts_then_and_works_as_long_as_it_did() {
    let before: &[Value] = &[];
    let working = [job("j"), worker("p", "j", 10, None)];
    let done = [job("j"), worker("p", "j", 10, Some(10))];
    let replay = replay(&recorded(&[before, &working, &done]));
    let own = behaviour(&replay, "j");
    let workload = own.workload.clone();
    let start = Happening::Start { workload, pods: 4, parallel: 2 };
    assert_eq!(replay.script.happenings, [(seconds(10), start)]);
    // With the ten seconds that it takes to start.
    assert_eq!((own.start.median, own.work.median), (seconds(10), seconds(0)));
    assert_eq!(replay.snapshot.workloads[0].job.expect("a job").completions, Some(0));
}

#[test]
fn a_job_that_works_at_the_start_has_less_left_and_one_without_an_end_goes_on() {
    let at_first = [job("j"), worker("p", "j", -100, None), job("k"), worker("q", "k", 0, None)];
    let later = [job("j"), worker("p", "j", -100, Some(120)), job("k"), worker("q", "k", 0, None)];
    let replay = replay(&recorded(&[&at_first, &at_first, &later]));
    assert_eq!(behaviour(&replay, "j").work.median, seconds(10), "20 seconds, 10 of them to start");
    assert!(behaviour(&replay, "k").work.median > replay.script.duration);
}

#[test]
fn cron_jobs_start_when_they_did_and_not_by_their_schedule() {
    let spec = json!({ "schedule": "* * * * *", "jobTemplate": { "spec": { "template": template("1") } } });
    let mut cron = workload("CronJob", "tick", spec);
    cron["spec"].as_object_mut().expect("a map").remove("selector");
    let mut own = job("tick-1");
    own["metadata"]["ownerReferences"] = json!([{ "apiVersion": "batch/v1", "kind": "CronJob", "name": "tick", "uid": "x", "controller": true }]);
    let replay = replay(&recorded(&[std::slice::from_ref(&cron), &[cron.clone(), own]]));
    assert!(replay.snapshot.workloads[0].suspended);
    let workload = behaviour(&replay, "tick").workload.clone();
    let start = Happening::Start { workload, pods: 4, parallel: 2 };
    assert_eq!(replay.script.happenings, [(seconds(10), start)]);
}

#[test]
fn budgets_change_and_go() {
    let budget = |least: i64| {
        json!({
            "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
            "metadata": { "name": "api", "namespace": "web" },
            "spec": { "minAvailable": least, "selector": { "matchLabels": { "app": "api" } } }
        })
    };
    let replay = replay(&recorded(&[&[budget(1)], &[budget(2)], &[]]));
    let [(_, Happening::Budget(changed)), (_, Happening::Budget(gone))] =
        replay.script.happenings.as_slice()
    else {
        panic!("{:?}", replay.script.happenings);
    };
    assert_eq!(changed.min_available, Some(restow_model::CountOrPercent::Count(2)));
    assert!(changed.selector.is_some() && gone.selector.is_none());
    let key = |own: &PodDisruptionBudget| (own.meta.namespace, own.meta.name);
    assert_eq!(key(changed), key(gone));
    assert_eq!(key(changed), key(&replay.snapshot.pod_disruption_budgets[0]));
}

#[test]
fn daemon_sets_that_come_are_left_out_and_said() {
    let daemons = workload("DaemonSet", "agent", json!({ "template": template("1") }));
    let replay = replay(&recorded(&[&[], &[daemons]]));
    assert_eq!(replay.left_out, ["DaemonSet web/agent appeared"]);
    assert!(replay.snapshot.workloads.is_empty());
}

#[test]
fn what_it_cost_is_the_sum_over_the_nodes_that_there_were() {
    let node = |name: &str| {
        json!({ "apiVersion": "v1", "kind": "Node", "metadata": {
        "name": name, "labels": { "node.kubernetes.io/instance-type": "m" }
    } })
    };
    let replay = replay(&recorded(&[&[node("a")], &[node("a"), node("b")], &[node("b")]]));
    let adjustments = restow_catalog::Adjustments {
        overrides: vec!["m=3.6".parse().expect("a price")],
        ..restow_catalog::Adjustments::default()
    };
    let book = PriceBook::new(restow_catalog::Catalog::default(), adjustments);
    let was = AsItWas::of(&replay.stays, &replay.snapshot.strings, &book);
    assert!((was.dollars - 0.03).abs() < 1e-9, "20 and 10 seconds at a tenth of a cent: {was:?}");
    assert_eq!((was.least, was.most, was.unpriced), (1, 2, 0));
}
