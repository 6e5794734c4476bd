//! What evictions buy: cost and evictions of plans under several thresholds, against the peer's search and its own way to
//! balance both; and how far plans for fleets of several sizes are from the bound.

use restow_consolidation::settings::Name;

use crate::fleet::Fleet;
use crate::plan::{Outcome, World, measure, snapshot};

/// Cents per hour that a unit of disruption must save.
const THRESHOLDS: [&str; 8] = ["0", "0.05", "0.1", "0.2", "0.4", "0.8", "1.6", "3.2"];

fn fleet(nodes: usize, plain: bool) -> Fleet {
    Fleet {
        nodes,
        pods: nodes * 30,
        utilization: 60,
        anti_affinity: 0,
        spread: 0,
        plain,
        grown: true,
        seed: 7,
    }
}

fn kind(plain: bool) -> &'static str {
    if plain { "plain" } else { "mixed" }
}

/// How many new nodes a move may have: as many as by default, and so many that they hardly matter.
const CAPS: [&str; 2] = ["8", "24"];

/// Prints all tables.
pub(crate) fn tables(quick: bool) {
    speed(if quick { &[1000] } else { &[1000, 5000, 10_000] });
    let sizes: &[usize] = if quick { &[100, 300] } else { &[100, 300, 1000] };
    println!(
        "\n{:12} {:>6} {:>4} {:>9} {:>9} {:>9} {:>7} {:>7} {:>7} {:>10} {:>8}",
        "fleet",
        "nodes",
        "cap",
        "before",
        "after",
        "bound",
        "gap %",
        "moves",
        "new",
        "evictions",
        "seconds"
    );
    for plain in [true, false] {
        for grown in [false, true] {
            for (nodes, cap) in sizes.iter().flat_map(|nodes| CAPS.map(|cap| (*nodes, cap))) {
                let world = snapshot(&Fleet { grown, ..fleet(nodes, plain) });
                let found = measure(&world, &[(Name::MaxReplacements, cap)]);
                println!(
                    "{:12} {:>6} {cap:>4} {:>9.2} {:>9.2} {:>9.2} {:>7.2} {:>7} {:>7} {:>10.3} {:>8.3}",
                    format!("{}{}", kind(plain), if grown { ", grown" } else { "" }),
                    found.plan.before.nodes,
                    found.plan.before.price.dollars(),
                    found.price(),
                    found.bound,
                    found.gap(),
                    found.plan.moves.len(),
                    found.launched(),
                    found.evictions,
                    found.seconds,
                );
            }
        }
    }
    for plain in [true, false] {
        for nodes in sizes.iter().take(2) {
            curve(*nodes, plain);
        }
    }
}

/// How long verdicts and first plans take.
fn speed(sizes: &[usize]) {
    println!(
        "{:14} {:>8} {:>8} {:>8} {:>8} {:>9} {:>11} {:>8} {:>7}",
        "a first plan",
        "fleet ms",
        "engine",
        "verdicts",
        "us/node",
        "bound ms",
        "first plan",
        "in all",
        "gap %"
    );
    for plain in [true, false] {
        for nodes in sizes {
            let world = snapshot(&Fleet { grown: false, ..fleet(*nodes, plain) });
            let first = measure(&world, &[]).plan.stats.first.to_string();
            let found = measure(&world, &[(Name::Effort, &first)]);
            let [fleet, engine, verdicts, bound] = found.before.map(|own| own.as_secs_f64() * 1e3);
            println!(
                "{:14} {fleet:>8.1} {engine:>8.1} {verdicts:>8.2} {:>8.2} {bound:>9.1} {:>11.1} {:>8.1} {:>7.2}",
                format!("{} {nodes}", kind(plain)),
                1e3 * verdicts / *nodes as f64,
                1e3 * found.seconds - engine,
                1e3 * found.seconds + fleet,
                found.gap(),
            );
        }
    }
}

/// Cost and evictions of one fleet under several settings.
fn curve(nodes: usize, plain: bool) {
    let world = snapshot(&fleet(nodes, plain));
    println!(
        "\n{:30} {:>9} {:>7} {:>10} {:>8}",
        format!("{} {nodes}", kind(plain)),
        "$/h",
        "gap %",
        "evictions",
        "seconds"
    );
    let line = |name: String, found: &Outcome| {
        println!(
            "{name:30} {:>9.2} {:>7.2} {:>10.3} {:>8.3}",
            found.price(),
            found.gap(),
            found.evictions,
            found.seconds
        );
    };
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut bound = 0.0;
    for threshold in THRESHOLDS {
        let found = measure(&world, &[(Name::SavingsThresholdCents, threshold)]);
        line(format!("global, {threshold} cents"), &found);
        points.push((found.price(), found.evictions));
        bound = found.bound;
    }
    let peers = [
        ("karpenter", &[(Name::Search, "karpenter")][..]),
        (
            "karpenter, Balanced",
            &[(Name::Search, "karpenter"), (Name::ConsolidationPolicy, "Balanced")][..],
        ),
    ];
    for (name, settings) in peers {
        let (price, evictions, passes) = to_the_end(&world, settings);
        let gap = 100.0 * (price / bound - 1.0);
        println!("{name:30} {price:>9.2} {gap:>7.2} {evictions:>10.3}   after {passes} plans");
        if let Some(own) = at_price(&points, price) {
            println!(
                "    global at this price: {own:.3} evictions, x{:.2}",
                own / evictions.max(1e-9)
            );
        }
    }
}

/// More plans than this in a row are not made.
const PLANS: usize = 40;

/// Plans and carries out again and again until nothing is left to do: what the fleet costs then, evictions for each pod in
/// all, and how many plans it took.
fn to_the_end(world: &World, settings: &[(Name, &str)]) -> (f64, f64, usize) {
    let mut found = measure(world, settings);
    let (mut price, mut evictions, mut plans) = (found.price(), found.evictions, 1);
    let mut next = found.next(world);
    while !found.plan.moves.is_empty() && plans < PLANS {
        found = measure(&next, settings);
        price = found.price();
        evictions += found.evictions;
        plans += 1;
        next = found.next(&next);
    }
    (price, evictions, plans)
}

/// The evictions at a price, between the points on either side of it.
fn at_price(points: &[(f64, f64)], price: f64) -> Option<f64> {
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let above = sorted.iter().position(|(own, _)| *own >= price)?;
    let (dear, few) = sorted[above];
    let Some((cheap, many)) = above.checked_sub(1).map(|at| sorted[at]) else { return Some(few) };
    if dear <= cheap {
        return Some(few);
    }
    Some(many + (few - many) * (price - cheap) / (dear - cheap))
}
