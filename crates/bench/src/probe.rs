//! What if this node vanished? Asked of every node, and how long a pod event takes to be taken in.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use restow_catalog::PriceBook;
use restow_model::{Price, Snapshot};
use restow_scheduling::{Cluster, Limits, NodeId, Offers, Settings, State, Verdict};

use crate::clock;
use crate::fleet::{self, Fleet};

/// A fleet with everything that a pass needs.
struct Ready {
    snapshot: Snapshot,
    offers: Arc<Offers>,
    prices: Vec<Price>,
}

impl Ready {
    fn new(fleet: &Fleet) -> Self {
        let mut snapshot = fleet.snapshot();
        let book = fleet::book();
        let offers = Arc::new(Offers::new(&mut snapshot, &book));
        let prices = prices(&snapshot, &book);
        Self { snapshot, offers, prices }
    }

    fn cluster(&self) -> Cluster {
        Cluster::new(&self.snapshot, Arc::clone(&self.offers), Settings::default())
    }
}

fn prices(snapshot: &Snapshot, book: &PriceBook) -> Vec<Price> {
    let price = |node| {
        let facts = restow_catalog::marks::node_facts(node, &snapshot.strings);
        book.price_of(&facts).map(|quote| quote.price).unwrap_or_default()
    };
    snapshot.nodes.iter().map(price).collect()
}

/// What a pass found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    /// Nodes whose pods fit on others.
    fits: u32,
    /// Nodes that a cheaper one could replace.
    replaced: u32,
    /// What those cheaper ones cost.
    price: Price,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.fits += other.fits;
        self.replaced += other.replaced;
        self.price += other.price;
    }
}

/// How many nodes could go, and how many could be replaced by a cheaper one.
fn pass(cluster: &Cluster, state: &mut State, prices: &[Price], nodes: Range<usize>) -> Counts {
    let mut counts = Counts::default();
    for at in nodes {
        let limits = Limits { new_nodes: 1, below: Some(prices[at]) };
        match cluster.probe(state, NodeId(at as u32), limits) {
            Verdict::Fits => counts.fits += 1,
            Verdict::Replaced { price, .. } => {
                counts.replaced += 1;
                counts.price += price;
            }
            Verdict::Misfit { .. } => {}
        }
    }
    counts
}

/// The nodes that a thread takes at a time: few enough that all end together.
const SHARE: usize = 50;

/// Some passes by some threads, which take the next nodes as they come free. What one pass found.
fn shared(cluster: &Cluster, prices: &[Price], passes: usize, threads: usize) -> Counts {
    let nodes = cluster.node_count();
    let shares = nodes.div_ceil(SHARE);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut state = cluster.state().clone();
        let mut counts = Counts::default();
        loop {
            let share = next.fetch_add(1, Ordering::Relaxed);
            if share >= shares * passes {
                return counts;
            }
            let from = share % shares * SHARE;
            counts += pass(cluster, &mut state, prices, from..(from + SHARE).min(nodes));
        }
    };
    let mut sum = Counts::default();
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        sum += work();
        for other in others {
            sum += other.join().expect("the pass does not panic");
        }
    });
    let passes = passes as u32;
    Counts {
        fits: sum.fits / passes,
        replaced: sum.replaced / passes,
        price: Price::from_nanos(sum.price.nanos() / i64::from(passes)),
    }
}

/// Passes over one fleet and nothing else, to be counted from outside: nodes, utilization, anti-affinity, spread, passes.
pub(crate) fn passes(words: &[String]) {
    let numbers: Vec<u32> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let [nodes, utilization, anti_affinity, spread, times] = numbers[..] else { return };
    let nodes = nodes as usize;
    let ready = Ready::new(&Fleet {
        nodes,
        pods: nodes * 30,
        utilization,
        anti_affinity,
        spread,
        plain: false,
        grown: false,
        seed: 1,
    });
    let cluster = ready.cluster();
    let mut state = cluster.state().clone();
    let mut counts = Counts::default();
    for _ in 0..times {
        counts = std::hint::black_box(pass(&cluster, &mut state, &ready.prices, 0..nodes));
    }
    println!("fits {}, replaced {} for {:?}", counts.fits, counts.replaced, counts.price);
}

/// Prints a table: four kinds of fleets in several sizes.
pub(crate) fn table(sizes: &[usize]) {
    println!(
        "\n{:26} {:>8} {:>8} {:>9} {:>8} {:>8} {:>7} {:>7} {:>8} {:>8} {:>7}",
        "a probe of every node",
        "classes",
        "build ms",
        "pass ms",
        "us/node",
        "2 thr ms",
        "x",
        "fits",
        "replaced",
        "us/event",
        "hot MB"
    );
    for (name, anti_affinity, spread, utilization) in [
        ("plain, loose", 0, 0, 65),
        ("plain, tight", 0, 0, 93),
        ("constrained, loose", 25, 35, 65),
        ("constrained, tight", 25, 35, 93),
    ] {
        let mut first = None;
        for nodes in sizes {
            let (nodes, seed) = (*nodes, 1);
            let fleet = Fleet {
                nodes,
                pods: nodes * 30,
                utilization,
                anti_affinity,
                spread,
                plain: false,
                grown: false,
                seed,
            };
            let seconds = line(&format!("{name} {nodes}"), &fleet);
            first.get_or_insert((nodes, seconds));
            if let Some((few, quick)) = first.filter(|(few, _)| *few < nodes) {
                let exponent = (seconds / quick).ln() / (nodes as f64 / few as f64).ln();
                println!("{:26} grows with exponent {exponent:.2} from {few} nodes", "");
            }
        }
    }
}

fn line(name: &str, fleet: &Fleet) -> f64 {
    let ready = Ready::new(fleet);
    let (build, cluster) = clock::cpu(3, || ready.cluster());
    let count = cluster.node_count();
    let mut state = cluster.state().clone();
    let times = (100_000 / count).max(1);
    let (serial, counts) =
        clock::cpu(times, || pass(&cluster, &mut state, &ready.prices, 0..count));
    let (mut parallel, mut both, mut ratios) = (f64::INFINITY, Counts::default(), Vec::new());
    // In turns, so that a moment in which the machine has less to give meets both; the middle one is said.
    for _ in 0..15 {
        let (alone, _) = clock::wall(1, || shared(&cluster, &ready.prices, times, 1));
        let (seconds, found) = clock::wall(1, || shared(&cluster, &ready.prices, times, 2));
        ratios.push(alone / seconds);
        (parallel, both) = (parallel.min(seconds / times as f64), found);
    }
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios[ratios.len() / 2];
    assert_eq!(counts, both, "threads find the same");
    println!(
        "{name:26} {:>8} {:>8.1} {:>9.2} {:>8.2} {:>8.2} {:>7.2} {:>7} {:>8} {:>8.2} {:>7.1}",
        cluster.class_count(),
        build * 1e3,
        serial * 1e3,
        serial * 1e6 / count as f64,
        parallel * 1e3,
        ratio,
        counts.fits,
        counts.replaced,
        event(&ready, cluster.clone()) * 1e6,
        cluster.hot_bytes() as f64 / 1e6,
    );
    serial
}

/// Seconds until a pod that went and came back is taken in, per event.
fn event(ready: &Ready, mut cluster: Cluster) -> f64 {
    let pods: Vec<usize> = (0..ready.snapshot.pods.len()).step_by(7).take(4000).collect();
    let (seconds, ()) = clock::cpu(5, || {
        for pod in &pods {
            cluster.remove_pod(*pod);
            cluster.add_pod(&ready.snapshot, *pod);
        }
    });
    seconds / (2 * pods.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A probe takes short cuts; the long way, a trial, must come to the same.
    #[test]
    fn a_probe_says_what_a_trial_does() {
        for (utilization, anti_affinity, spread) in [(65, 0, 0), (93, 25, 35), (80, 40, 60)] {
            let nodes = 60;
            let ready = Ready::new(&Fleet {
                nodes,
                pods: nodes * 30,
                utilization,
                anti_affinity,
                spread,
                plain: false,
                grown: false,
                seed: 3,
            });
            let cluster = ready.cluster();
            let mut state = cluster.state().clone();
            for at in 0..nodes {
                let node = NodeId(at as u32);
                for limits in [
                    Limits::EXISTING,
                    Limits { new_nodes: 1, below: Some(ready.prices[at]) },
                    Limits::ANY,
                ] {
                    let verdict = cluster.probe(&mut state, node, limits);
                    assert!(state == *cluster.state(), "node {at}: everything is taken back");
                    let trial = cluster.trial(&mut state, &[node], limits);
                    let complete = trial.is_complete();
                    match verdict {
                        Verdict::Fits => assert!(complete, "node {at}"),
                        Verdict::Replaced { nodes, price } => {
                            assert!(complete && nodes > 0, "node {at}");
                            assert_eq!(price, trial.price(), "node {at}: {limits:?}");
                            assert!(limits.below.is_none_or(|below| price < below), "node {at}");
                        }
                        Verdict::Misfit { .. } => assert!(!complete, "node {at}: {limits:?}"),
                    }
                }
            }
        }
    }
}
