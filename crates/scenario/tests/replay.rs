//! What was recorded happens again: from looks at a cluster over a file to a simulation.

use restow_kubernetes::history::{Writer, between, decode};
use restow_model::{
    CountOrPercent, GoDuration, Job, Meta, PodDisruptionBudget, Snapshot, Uid, Workload,
    WorkloadKind,
};
use restow_scenario::{Scenario, read, replay};
use restow_simulator::outcome::Sample;
use restow_simulator::{Options, Run, run_checked};

const CLUSTER: &str = "
apiVersion: restow.dev/v1alpha1
kind: Scenario
metadata: { name: small }
spec:
  start: 2026-11-15T12:00:00Z
  policies: [{ name: seeds, profile: seeds }, { name: none, consolidator: none }]
  instanceTypes: [{ name: large, cpu: 2, memory: 8Gi, price: 0.10 }]
  pools: [{ name: default, disruption: { consolidateAfter: 30s, budgets: [{ nodes: 50% }] } }]
  workloads: [{ name: web, requests: { cpu: 400m, memory: 512Mi } }]
  nodes: [{ pool: default, type: large, count: 4, age: 5h, pods: { web: 2 } }]
";

/// The cluster so many minutes after the start, as somebody changed it.
fn look(start: &Snapshot, minutes: i64) -> Snapshot {
    let mut now = start.clone();
    now.time = start.time.plus(GoDuration::from_seconds(60 * minutes));
    let web = now.workloads.iter().position(|own| own.kind == WorkloadKind::Deployment);
    let web = web.expect("the scenario has one");
    now.workloads[web].desired = match minutes {
        0..10 => 8,
        10..40 => 12,
        _ => 4,
    };
    if minutes >= 20 {
        let mut meta = named(&mut now, "budget");
        meta.namespace = now.workloads[web].meta.namespace;
        let selector = now.workloads[web].selector.clone();
        let max_unavailable = Some(CountOrPercent::Percent(25));
        now.pod_disruption_budgets.push(PodDisruptionBudget {
            meta,
            selector,
            max_unavailable,
            ..PodDisruptionBudget::default()
        });
    }
    if minutes >= 30 {
        let mut meta = named(&mut now, "batch");
        meta.namespace = now.workloads[web].meta.namespace;
        let mut job = Workload::new(WorkloadKind::Job, meta);
        job.template = now.workloads[web].template;
        job.job = Some(Job { completions: Some(3), ..Job::default() });
        job.desired = 3;
        now.workloads.push(job);
    }
    now.canonicalize();
    now
}

fn named(snapshot: &mut Snapshot, name: &str) -> Meta {
    Meta { name: snapshot.strings.intern(name), uid: Uid::new(name), ..Meta::default() }
}

/// What comes of replaying what was seen every ten minutes for an hour.
fn replayed(policy: &str) -> Run {
    let none = |_: &str| Err(std::io::ErrorKind::NotFound.into());
    let scenario = read("small", CLUSTER.as_bytes(), &none).expect("a good scenario");
    let start = scenario.setup.snapshot.clone();
    let looks: Vec<Snapshot> = (0..=6).map(|at| look(&start, 10 * at)).collect();
    let (mut writer, mut bytes) = Writer::begin(&looks[0]);
    for pair in looks.windows(2) {
        bytes.extend(writer.add(&between(&pair[0], &pair[1])));
    }
    let replay = replay(&decode(&bytes).expect("just written"));
    assert_eq!(replay.script.duration, GoDuration::from_seconds(3600));
    let mut own = Scenario { ..scenario };
    own.setup.snapshot = replay.snapshot;
    own.setup.script = replay.script;
    let draft = own.policies.iter().find(|own| own.name == policy).expect("it has that");
    let policy = own.policy(draft).expect("it fits");
    let options = Options { checks: true, ..Options::default() };
    let (run, broken) = run_checked(&own.setup, &policy, 1, options, &mut |_| {});
    assert_eq!(broken, []);
    run
}

/// How many pods are wanted so many minutes after the start.
fn pods(run: &Run, minutes: i64) -> u32 {
    let at = |own: &&Sample| own.at >= 60 * minutes;
    let sample = run.series.iter().find(at).expect("it runs for an hour");
    sample.pods + sample.pending
}

#[test]
fn workloads_do_again_what_they_did_whoever_consolidates() {
    for policy in ["none", "seeds"] {
        let run = replayed(policy);
        let seen: Vec<u32> = [5, 15, 35, 55].map(|minutes| pods(&run, minutes)).to_vec();
        assert_eq!(seen, [8, 12, 15, 7], "{policy}");
        assert!(run.totals.valid, "{policy}");
    }
}

#[test]
fn a_replay_is_the_same_every_time() {
    assert_eq!(replayed("seeds"), replayed("seeds"));
}
