//! What evictions buy: cost and evictions of plans under several thresholds, against the peer's search and its own way to
//! balance both; and how far plans for fleets of several sizes are from the bound.

use restow_consolidation::settings::Name;

use crate::fleet::Fleet;
use crate::plan::{Outcome, measure, snapshot};

/// Cents per hour that a unit of disruption must save.
const THRESHOLDS: [&str; 8] = ["0", "0.05", "0.1", "0.2", "0.4", "0.8", "1.6", "3.2"];

fn fleet(nodes: usize, plain: bool) -> Fleet {
    Fleet { nodes, pods: nodes * 30, utilization: 60, anti_affinity: 0, spread: 0, plain, seed: 7 }
}

fn kind(plain: bool) -> &'static str {
    if plain { "plain" } else { "mixed" }
}

/// Prints both tables.
pub(crate) fn tables(quick: bool) {
    let sizes: &[usize] = if quick { &[100, 300] } else { &[100, 300, 1000] };
    println!(
        "{:12} {:>9} {:>9} {:>9} {:>7} {:>7} {:>7} {:>10} {:>8}",
        "fleet", "before", "after", "bound", "gap %", "moves", "new", "evictions", "seconds"
    );
    for plain in [true, false] {
        for nodes in sizes {
            let world = snapshot(&fleet(*nodes, plain));
            let found = measure(&world, &[]);
            println!(
                "{:12} {:>9.2} {:>9.2} {:>9.2} {:>7.2} {:>7} {:>7} {:>10.3} {:>8.3}",
                format!("{} {nodes}", kind(plain)),
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
    for plain in [true, false] {
        for nodes in sizes.iter().take(2) {
            curve(*nodes, plain);
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
    for threshold in THRESHOLDS {
        let found = measure(&world, &[(Name::SavingsThresholdCents, threshold)]);
        line(format!("global, {threshold} cents"), &found);
        points.push((found.price(), found.evictions));
    }
    let peers = [
        ("karpenter", &[(Name::Search, "karpenter")][..]),
        (
            "karpenter, Balanced",
            &[(Name::Search, "karpenter"), (Name::ConsolidationPolicy, "Balanced")][..],
        ),
    ];
    for (name, settings) in peers {
        let found = measure(&world, settings);
        line(name.to_owned(), &found);
        if let Some(own) = at_price(&points, found.price()) {
            println!(
                "    global at this price: {own:.3} evictions, x{:.2}",
                own / found.evictions.max(1e-9)
            );
        }
    }
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
