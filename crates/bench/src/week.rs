//! How fast time passes: a week of a cluster whose pods come and go.

use std::collections::BTreeSet;

use restow_consolidation::settings::{Name, resolve};
use restow_model::{GoDuration, Labels, WorkloadKind};
use restow_simulator::script::{Behaviour, Spread, WorkloadName};
use restow_simulator::{Consolidator, Policy, Script, Setup, run};

use crate::clock::CpuTime;
use crate::fleet::Fleet;
use crate::plan::{entries, snapshot};

/// What is simulated.
#[derive(Clone, Debug)]
pub(crate) struct Week {
    pub(crate) nodes: usize,
    pub(crate) pods: usize,
    pub(crate) hours: i64,
    /// Share of pods that are deleted and made anew in an hour.
    pub(crate) churn: f64,
}

impl Week {
    /// The cluster at the start, and what happens to it.
    pub(crate) fn setup(&self) -> Setup {
        let fleet = Fleet {
            nodes: self.nodes,
            pods: self.pods,
            utilization: 60,
            anti_affinity: 5,
            spread: 20,
            plain: false,
            grown: false,
            seed: 7,
        };
        let (mut snapshot, book, _) = snapshot(&fleet);
        let [initialized, yes] =
            ["karpenter.sh/initialized", "true"].map(|text| snapshot.strings.intern(text));
        for node in &mut snapshot.nodes {
            let labels = node.meta.labels.iter().chain([(initialized, yes)]);
            node.meta.labels = Labels::new(labels.collect());
        }
        let mut names: BTreeSet<(String, String)> = BTreeSet::new();
        for pod in &snapshot.pods {
            if let Some(owner) = snapshot.owner(pod) {
                let text = |name| snapshot.text(name).to_owned();
                names.insert((text(pod.namespace), text(owner.name)));
            }
        }
        let behaviours = names.into_iter().map(|(namespace, name)| Behaviour {
            start: Spread { median: GoDuration::from_seconds(15), sigma: 0.5 },
            churn: self.churn,
            ..Behaviour::of(WorkloadName { kind: WorkloadKind::ReplicaSet, namespace, name })
        });
        let script = Script {
            duration: GoDuration::from_seconds(self.hours * 3600),
            behaviours: behaviours.collect(),
            ..Script::default()
        };
        Setup { snapshot, book, script }
    }

    /// A policy by flags.
    pub(crate) fn policy(
        setup: &Setup,
        consolidator: Consolidator,
        settings: &[(Name, &str)],
    ) -> Policy {
        let none = |_: Name, _: &str| Err("no YAML here".to_owned());
        let snapshot = &setup.snapshot;
        let (cluster, pools) =
            resolve(&snapshot.node_pools, &snapshot.strings, &entries(settings), &none);
        let name = consolidator.name().to_owned();
        Policy { name, consolidator, cluster, pools, adaptive: false }
    }
}

/// `--week NODES HOURS [restow|karpenter-1.14|none] [NAME=VALUE...]`.
pub(crate) fn command(words: &[String]) {
    let number = |at: usize, other: i64| -> i64 {
        words.get(at).and_then(|word| word.parse().ok()).unwrap_or(other)
    };
    let nodes = number(0, 500) as usize;
    let week = Week { nodes, pods: nodes * 20, hours: number(1, 168), churn: 0.02 };
    let settings: Vec<(Name, &str)> = words
        .iter()
        .filter_map(|word| {
            let (name, text) = word.split_once('=')?;
            Some((name.parse().ok()?, text))
        })
        .collect();
    let setup = week.setup();
    let named = |own: &Consolidator| words.iter().any(|word| word == own.name());
    let asked: Vec<Consolidator> = Consolidator::ALL.into_iter().filter(named).collect();
    let all = if asked.is_empty() { Consolidator::ALL.to_vec() } else { asked };
    for consolidator in all {
        let mut own = settings.clone();
        if consolidator == Consolidator::Karpenter {
            own.extend([(Name::Profile, "karpenter"), (Name::Search, "karpenter")]);
        }
        let policy = Week::policy(&setup, consolidator, &own);
        let clock = CpuTime::now();
        let mut events = 0;
        let result = run(&setup, &policy, 1, &mut |progress| events = progress.events);
        let took = clock.elapsed().as_secs_f64();
        let totals = &result.totals;
        println!(
            "{:15} {nodes} nodes {} h: {took:.2} s cpu, {events} events, {:.0}/s, {} searches; ${:.2}, {} evictions, {} again, \
             {} moves, {} taken back, {:.0} pending s, nodes {} -> {}, $/h {:.2} -> {:.2}, hits {:?}",
            policy.name,
            week.hours,
            events as f64 / took,
            totals.searches,
            totals.dollars,
            totals.evictions,
            totals.re_evictions,
            totals.moves,
            totals.rolled_back,
            totals.pending_pod_seconds,
            totals.nodes_at_start,
            totals.nodes_at_end,
            totals.price_per_hour_at_start,
            totals.price_per_hour_at_end,
            totals.placement_hits,
        );
    }
}
