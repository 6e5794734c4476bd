//! Benchmarks of the engine. Times are of this machine and this moment; ratios within one run are what counts.

#![expect(clippy::print_stdout, reason = "a program that prints a table")]

mod fleet;

use std::sync::Arc;
use std::time::Instant;

use fleet::Fleet;
use restow_model::Price;
use restow_scheduling::{Cluster, Limits, NodeId, Offers, Settings, Verdict};

/// Seconds that this thread has been running, whatever others do on the machine.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|ns| ns.parse::<f64>().ok()).unwrap_or_default() / 1e9
}

/// Seconds of one run, as the least mean of some batches: the clock of a thread ticks coarsely.
fn best_cpu<T>(times: usize, mut run: impl FnMut() -> T) -> (f64, T) {
    let mut result = run();
    let mut least = f64::INFINITY;
    for _ in 0..4 {
        let start = cpu_seconds();
        for _ in 0..times {
            result = run();
        }
        least = least.min((cpu_seconds() - start) / times as f64);
    }
    (least, result)
}

fn best<T>(times: usize, mut run: impl FnMut() -> T) -> (f64, T) {
    let mut result = None;
    let mut least = f64::INFINITY;
    for _ in 0..times {
        let start = Instant::now();
        let value = run();
        least = least.min(start.elapsed().as_secs_f64());
        result = Some(value);
    }
    (least, result.expect("it runs at least once"))
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    if let Some(at) = words.iter().position(|word| word == "--passes") {
        return passes(&words[at + 1..]);
    }
    let quick = words.iter().any(|arg| arg == "--quick");
    let sizes: &[usize] = if quick { &[1000] } else { &[1000, 5000, 10_000] };
    println!("{:<28} {:>8} {:>9} {:>9} {:>9} {:>9} {:>8} {:>8}", "probe of every node", "classes", "build ms", "pass ms", "us/node", "2 thr ms", "fits", "replaced");
    for (name, anti, spread, utilization) in [("plain, loose", 0, 0, 65), ("plain, tight", 0, 0, 93), ("constrained, loose", 25, 35, 65), ("constrained, tight", 25, 35, 93)] {
        for nodes in sizes {
            let fleet = Fleet { nodes: *nodes, pods: nodes * 30, utilization, anti_affinity: anti, spread, seed: 1 };
            probe(&format!("{name} {nodes}"), &fleet);
        }
    }
}

fn pass(cluster: &Cluster, state: &mut restow_scheduling::State, prices: &[Price], nodes: std::ops::Range<usize>) -> (u32, u32) {
    let mut counts = (0, 0);
    for at in nodes {
        let limits = Limits { new_nodes: 1, below: Some(prices[at]) };
        match cluster.probe(state, NodeId(at as u32), limits) {
            Verdict::Fits => counts.0 += 1,
            Verdict::Replaced { .. } => counts.1 += 1,
            Verdict::Misfit { .. } => {}
        }
    }
    counts
}

/// Passes over one fleet and nothing else, to be counted from outside: nodes, utilization, anti-affinity, spread, passes.
fn passes(words: &[String]) {
    let numbers: Vec<u32> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let [nodes, utilization, anti_affinity, spread, times] = numbers[..] else { return };
    let nodes = nodes as usize;
    let fleet = Fleet { nodes, pods: nodes * 30, utilization, anti_affinity, spread, seed: 1 };
    let mut snapshot = fleet.snapshot();
    let book = fleet::book();
    let offers = Arc::new(Offers::new(&mut snapshot, &book));
    let prices = prices(&snapshot, &book);
    let cluster = Cluster::new(&snapshot, offers, Settings::default());
    let mut state = cluster.state().clone();
    for _ in 0..times {
        std::hint::black_box(pass(&cluster, &mut state, &prices, 0..nodes));
    }
}

fn prices(snapshot: &restow_model::Snapshot, book: &restow_catalog::PriceBook) -> Vec<Price> {
    let price = |node| {
        let facts = restow_catalog::marks::node_facts(node, &snapshot.strings);
        book.price_of(&facts).map(|quote| quote.price).unwrap_or_default()
    };
    snapshot.nodes.iter().map(price).collect()
}

fn probe(name: &str, fleet: &Fleet) {
    let mut snapshot = fleet.snapshot();
    let book = fleet::book();
    let offers = Arc::new(Offers::new(&mut snapshot, &book));
    let prices = prices(&snapshot, &book);
    let (build, cluster) = best_cpu(3, || Cluster::new(&snapshot, Arc::clone(&offers), Settings::default()));
    let count = cluster.node_count();
    let mut state = cluster.state().clone();
    let (serial, counts) = best_cpu(40_000 / count, || pass(&cluster, &mut state, &prices, 0..count));
    let mut states = [cluster.state().clone(), cluster.state().clone()];
    let (parallel, both) = best(7, || {
        let [a, b] = &mut states;
        std::thread::scope(|scope| {
            let other = scope.spawn(|| pass(&cluster, b, &prices, count / 2..count));
            let own = pass(&cluster, a, &prices, 0..count / 2);
            let other = other.join().expect("the pass does not panic");
            (own.0 + other.0, own.1 + other.1)
        })
    });
    assert_eq!(counts, both);
    println!(
        "{name:<28} {:>8} {:>9.1} {:>9.2} {:>9.2} {:>9.2} {:>8} {:>8}  {:.1} MB",
        cluster.class_count(), build * 1e3, serial * 1e3, serial * 1e6 / count as f64, parallel * 1e3, counts.0, counts.1,
        cluster.hot_bytes() as f64 / 1e6
    );
}
