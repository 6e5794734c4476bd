//! What stops churn: the grace period, a threshold that finds itself, steering.

use restow_scenario::Scenario;
use restow_simulator::{Options, Totals};

use crate::{policies, scenario, try_all};

/// The sums of each policy of a scenario over seeds.
fn sums(own: &Scenario, seeds: &[u64]) -> Vec<(String, Vec<Totals>)> {
    let (tried, _) = try_all(own, &policies(own), seeds, Options::default());
    let totals = |own: restow_simulator::Tried| {
        (own.policy, own.runs.into_iter().map(|run| run.totals).collect())
    };
    tried.into_iter().map(totals).collect()
}

fn evictions(all: &[(String, Vec<Totals>)], policy: &str) -> u64 {
    let found = all.iter().find(|own| own.0 == policy).expect("the policy");
    found.1.iter().map(|own| own.evictions).sum()
}

#[test]
fn a_grace_period_breaks_the_cycle() {
    let text = include_str!("../../../../scenarios/grace-cycle.yaml")
        .replace("duration: 50m", "duration: 3h");
    let own = scenario("grace-cycle", &text);
    let all = sums(&own, &[1, 2, 3]);
    let (without, with) = (&all[0].1, &all[1].1);
    // Measured: 66 evictions in 13 moves without it, 6 in 2 moves with it.
    let cycles = |own: &Totals| own.moves >= 8 && own.max_evictions_per_pod >= 3;
    assert!(without.iter().all(cycles), "{without:?}");
    let rests = |own: &Totals| own.re_evictions == 0 && own.max_evictions_per_pod <= 1;
    assert!(with.iter().all(rests), "{with:?}");
    assert!(evictions(&all, "grace") * 4 < evictions(&all, "without"));
}

const ADAPTIVE: &str = r"
apiVersion: restow.dev/v1alpha1
kind: Scenario
metadata: { name: adaptive }
spec:
  duration: 6h
  policies:
    - { name: fixed, profile: seeds }
    - { name: adaptive, profile: seeds, adaptive: true }
  zones: [a]
  instanceTypes:
    - { name: m.large, cpu: 2, memory: 8Gi, pods: 29, allocatable: { cpu: 1930m, memory: 6903Mi }, price: 0.0864 }
    - { name: m.xlarge, cpu: 4, memory: 16Gi, pods: 58, allocatable: { cpu: 3920m, memory: 14162Mi }, price: 0.1728 }
  pools:
    - { name: workload, disruption: { consolidateAfter: 0s, budgets: [{ nodes: 50% }] } }
  workloads:
    - { name: stable, requests: { cpu: 400m, memory: 700Mi }, start: 20s }
    - { name: elastic, requests: { cpu: 600m, memory: 700Mi }, start: 20s }
  nodes:
    - { pool: workload, type: m.large, count: 4, age: 1d, pods: { stable: 3 } }
    - { pool: workload, type: m.xlarge, count: 2, age: 1d, pods: { elastic: 6 } }
  events:
    - { at: 2m, every: 30m, scale: { workload: elastic, replicas: 4 } }
    - { at: 17m, every: 30m, scale: { workload: elastic, replicas: 12 } }
";

#[test]
fn a_threshold_that_finds_itself_evicts_less_where_the_load_goes_up_and_down() {
    let own = scenario("adaptive", ADAPTIVE);
    let all = sums(&own, &[1, 2, 3]);
    // Measured: 77 evictions without, 67 with it.
    assert!(evictions(&all, "adaptive") < evictions(&all, "fixed"));
}

const SCALE_IN: &str = r"
apiVersion: restow.dev/v1alpha1
kind: Scenario
metadata: { name: scale-in }
spec:
  duration: 2h
  policies:
    - { name: none, profile: seeds, settings: { steering: none } }
    - { name: steered, profile: seeds, settings: { steering: soft-taints } }
  zones: [a, b, c]
  instanceTypes:
    - { name: m6a.4xlarge, cpu: 16, memory: 64Gi, pods: 234, allocatable: { cpu: 15890m, memory: 57691Mi }, price: 0.6912 }
  pools:
    - name: batch
      disruption: { consolidateAfter: 30s, budgets: [{ nodes: 10% }] }
  workloads:
    - name: service
      count: 4
      requests: { cpu: 1, memory: 2Gi }
      start: { median: 20s, sigma: 0.3 }
      stop: 60s
      grace: 90s
      replicasAt: { 2m: 120, 4m: 100, 6m: 80, 8m: 60, 10m: 42 }
  nodes:
    - { pool: batch, type: m6a.4xlarge, count: 40, age: 4h, pods: { service: 14 } }
";

/// Measured over four seeds: 1256 evictions without and 1247 with soft taints, 8 and 10 % of pods where they were meant to be.
/// That is no effect; why was not looked into.
#[test]
fn steering_does_no_harm_in_a_scale_in() {
    let own = scenario("scale-in", SCALE_IN);
    let all = sums(&own, &[1, 2, 3, 4]);
    assert!(evictions(&all, "steered") * 10 < evictions(&all, "none") * 11);
    let ends = |policy: usize| all[policy].1.iter().map(|own| own.nodes_at_end).max();
    assert_eq!((ends(0), ends(1)), (Some(12), Some(12)));
}
