//! Benchmarks of the engine. Times are of this machine and this moment; ratios within one run are what counts.

#![expect(clippy::print_stdout, reason = "a program that prints a table")]

mod fleet;

use std::sync::Arc;
use std::time::Instant;

use fleet::Fleet;
use restow_model::Price;
use restow_scheduling::{Cluster, Limits, NodeId, Offers, Settings, Verdict};

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
    let quick = std::env::args().any(|arg| arg == "--quick");
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

fn probe(name: &str, fleet: &Fleet) {
    let mut snapshot = fleet.snapshot();
    let book = fleet::book();
    let offers = Arc::new(Offers::new(&mut snapshot, &book));
    let prices: Vec<Price> = snapshot
        .nodes
        .iter()
        .map(|node| {
            let facts = restow_catalog::marks::node_facts(node, &snapshot.strings);
            book.price_of(&facts).map(|quote| quote.price).unwrap_or_default()
        })
        .collect();
    let (build, cluster) = best(3, || Cluster::new(&snapshot, Arc::clone(&offers), Settings::default()));
    let count = cluster.node_count();
    let mut state = cluster.state().clone();
    let (serial, counts) = best(7, || pass(&cluster, &mut state, &prices, 0..count));
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
