//! The peer's own scheduling benchmark: a fifth each of plain pods, zone spread, host spread, zone affinity to themselves and
//! host anti-affinity, on nothing, with 400 types to choose from.

use std::sync::Arc;

use restow_catalog::{
    Adjustments, CapacityType, Catalog, InstanceType, Offering, PriceBook, Resources as Amounts,
    SourceInfo, label,
};
use restow_model::{
    Labels, Match, NodePolicy, NodePool, PodShape, PodTerm, Price, Resources, Selector,
    SelectorTerm, Snapshot, Spread, Str,
};
use restow_scheduling::{Cluster, Limits, Offers, Settings};
use restow_testkit::Rng;

use crate::clock;
use crate::fleet::{ZONES, pod};

/// Pods per second of the peer on this class of machine by number of pods, as measured by running its own benchmark.
const PEER: [(usize, f64); 4] = [(1000, 367.0), (2000, 281.0), (5000, 252.0), (10_000, 249.5)];

/// Prints a table.
pub(crate) fn table(sizes: &[usize]) {
    println!(
        "{:26} {:>8} {:>8} {:>9} {:>8} {:>8} {:>7} {:>7}",
        "the peer's mix", "classes", "build ms", "ms", "pods/s", "x peer", "nodes", "left"
    );
    for pods in sizes {
        let mut snapshot = snapshot(*pods);
        let offers = Arc::new(Offers::new(&mut snapshot, &book()));
        let all: Vec<usize> = (0..*pods).collect();
        let (build, cluster) = clock::cpu(3, || cluster(&snapshot, &offers));
        let (copy, _) = clock::cpu(3, || cluster.clone());
        let (both, answer) =
            clock::cpu(3, || cluster.clone().schedule(&snapshot, &all, &[], Limits::ANY));
        let seconds = both - copy;
        let rate = *pods as f64 / seconds;
        let peer = PEER.iter().rev().find(|(size, _)| size <= pods).map_or(450.0, |(_, own)| *own);
        println!(
            "{pods:<26} {:>8} {:>8.1} {:>9.2} {rate:>8.0} {:>8.0} {:>7} {:>7}",
            cluster.class_count(),
            build * 1e3,
            seconds * 1e3,
            rate / peer,
            answer.new_nodes.len(),
            answer.unplaced.iter().map(|own| own.pods.len()).sum::<usize>(),
        );
    }
}

/// One schedule and nothing else, to be counted from outside.
pub(crate) fn once(pods: usize) {
    let mut snapshot = snapshot(pods);
    let offers = Arc::new(Offers::new(&mut snapshot, &book()));
    let all: Vec<usize> = (0..pods).collect();
    let mut cluster = cluster(&snapshot, &offers);
    std::hint::black_box(cluster.schedule(&snapshot, &all, &[], Limits::ANY));
}

fn cluster(snapshot: &Snapshot, offers: &Arc<Offers>) -> Cluster {
    Cluster::new(snapshot, Arc::clone(offers), Settings::default())
}

const MILLI_CPU: [i64; 5] = [100, 250, 500, 1000, 1500];
const MEBIBYTES: [i64; 6] = [100, 256, 512, 1024, 2048, 4096];
const VALUES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

/// 400 types: type i has i+1 cores, twice as many GiB and ten times as many pods.
fn book() -> PriceBook {
    let types = (0..400_i64).map(|at| {
        let size = at + 1;
        let amount = Amounts {
            cpu_milli: size * 1000,
            memory_bytes: size << 31,
            ephemeral_bytes: 20 << 30,
            pods: size * 10,
            extended: Vec::new(),
        };
        let name = format!("fake-it-{at}");
        let mut own = InstanceType {
            capacity: amount.clone(),
            allocatable: amount,
            ..InstanceType::price_only(&name)
        };
        own.labels.set(label::INSTANCE_TYPE, name);
        for zone in ZONES {
            for terms in [CapacityType::OnDemand, CapacityType::Spot] {
                let milli = if terms == CapacityType::Spot { 200 } else { 300 };
                let mut offering =
                    Offering::new(terms, Price::from_nanos(size * milli * 1_000_000));
                offering.zone = Some(zone.into());
                own.offerings.push(offering);
            }
        }
        own
    });
    PriceBook::new(Catalog::new(SourceInfo::named("fake"), types.collect()), Adjustments::default())
}

/// Pending pods and one pool.
fn snapshot(pods: usize) -> Snapshot {
    let mut rng = Rng::new(42);
    let mut snapshot = Snapshot::default();
    let strings = &mut snapshot.strings;
    let [zone, host, mine, near, app, nginx, ns, name] = [
        label::ZONE,
        "kubernetes.io/hostname",
        "my-label",
        "my-affinity",
        "app",
        "nginx",
        "default",
        "default",
    ]
    .map(|text| strings.intern(text));
    let values = VALUES.map(|text| strings.intern(text));
    let mut pool = NodePool::default();
    pool.meta.name = name;
    snapshot.node_pools.push(pool);
    let fifth = pods / 5;
    for number in 0..pods {
        let kind = number.checked_div(fifth).unwrap_or(0).min(5) % 5;
        let value = |rng: &mut Rng| values[rng.below(7) as usize];
        let requests = Resources {
            cpu: MILLI_CPU[rng.below(5) as usize],
            memory: MEBIBYTES[rng.below(6) as usize] << 20,
            pods: 1,
            ..Resources::default()
        };
        let mut shape = PodShape { requests, ..PodShape::default() };
        let mut labels = vec![(mine, value(&mut rng))];
        match kind {
            1 | 2 => shape.spread.push(spread(
                if kind == 1 { zone } else { host },
                mine,
                value(&mut rng),
            )),
            3 => {
                let own = value(&mut rng);
                labels = vec![(near, own)];
                shape.affinity.push(term(zone, near, own));
            }
            4 => {
                labels = vec![(app, nginx)];
                shape.anti_affinity.push(term(host, app, nginx));
            }
            _ => {}
        }
        let labels = snapshot.labels.share(Labels::new(labels));
        let shape = snapshot.shapes.share(shape);
        let name = snapshot.strings.intern(&format!("pod-{number:05}"));
        snapshot.pods.push(pod(ns, name, number, labels, shape, Str::EMPTY));
    }
    snapshot
}

fn selector(key: Str, value: Str) -> Selector {
    Selector(vec![SelectorTerm { key, operator: Match::In, values: vec![value] }])
}

fn spread(topology_key: Str, key: Str, value: Str) -> Spread {
    Spread {
        topology_key,
        max_skew: 1,
        required: true,
        selector: Some(selector(key, value)),
        min_domains: None,
        affinity_policy: NodePolicy::Honor,
        taints_policy: NodePolicy::Ignore,
        match_label_keys: Vec::new(),
    }
}

fn term(topology_key: Str, key: Str, value: Str) -> PodTerm {
    PodTerm {
        topology_key,
        selector: Some(selector(key, value)),
        namespaces: Vec::new(),
        namespace_selector: None,
        match_label_keys: Vec::new(),
        mismatch_label_keys: Vec::new(),
    }
}
