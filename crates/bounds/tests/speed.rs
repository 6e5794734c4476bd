//! How long it takes, for people: `cargo test --release -p restow-bounds --test speed -- --ignored --nocapture`.

mod common;

use common::generated::fleet;
use restow_bounds::solve;

/// Time that this thread had a processor.
#[expect(clippy::disallowed_methods, reason = "a test that is run by hand may look at the clock")]
fn milliseconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|first| first.parse::<f64>().ok()).expect("Linux says") / 1e6
}

#[test]
#[ignore = "prints times; nothing is tested by time"]
fn how_long_it_takes() {
    for (groups, masks) in [(1, 1), (6, 5), (6, 10), (12, 14), (20, 40), (50, 100)] {
        for nodes in [100, 1000, 5000, 10_000] {
            let (problem, _) = fleet(nodes, groups, masks, 7);
            let bound = solve(&problem, 100_000);
            // The clock ticks every few milliseconds, so many runs are one measurement.
            let (start, mut runs) = (milliseconds(), 0.0);
            let mut spent = 0.0;
            while spent < 300.0 {
                std::hint::black_box(solve(&problem, 100_000));
                runs += 1.0;
                spent = milliseconds() - start;
            }
            let mean = spent / runs;
            println!(
                "{groups:3} groups {masks:3} masks {nodes:6} nodes: {mean:8.2} ms, {:5} steps, {}, {:.6} $/h",
                bound.iterations,
                if bound.optimal { "optimal" } else { "stopped" },
                bound.price.dollars(),
            );
        }
    }
}
