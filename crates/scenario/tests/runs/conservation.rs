//! Nothing is lost, nothing is there twice, no pod runs where it cannot, no budget is broken.

use restow_simulator::{Options, Run};

use crate::{policies, random, scenario, shipped, told, try_all};

const CHECKED: Options = Options { faults: None, checks: true };

/// Numbers that cannot be.
fn nonsense(name: &str, own: &Run, hours: f64) -> Option<String> {
    let totals = &own.totals;
    let most_pods = own.series.iter().map(|own| own.pods + own.pending).max().unwrap_or_default();
    // Samples miss short peaks.
    let waits = totals.pending_pod_seconds / 3600.0 <= hours * (f64::from(most_pods) * 4.0 + 100.0);
    let nodes = |own: u64| u32::try_from(own).map(f64::from).unwrap_or_default();
    let ran = totals.node_hours <= hours * nodes(totals.most_nodes) + 1e-6;
    let ended = usize::try_from(totals.nodes_at_end) == Ok(own.after.len())
        || totals.nodes_at_end >= own.after.len() as u64;
    let (now, then) = (totals.price_per_hour_at_end, own.after.iter().map(|own| own.price));
    let priced = now + 1e-6 >= then.sum::<f64>();
    let again = totals.re_evictions <= totals.evictions;
    let right = waits && ran && ended && priced && again;
    (!right).then(|| format!("{name}, seed {}: {totals:?}", own.seed))
}

#[test]
fn nothing_is_lost_in_shipped_scenarios() {
    let mut failed = Vec::new();
    for (name, _) in restow_scenario::shipped() {
        // Checks of every binding take long where there are thousands.
        if ["week", "s17-peak-scale-in"].contains(name) {
            continue;
        }
        let own = shipped(name);
        let hours = f64::from(i32::try_from(own.setup.script.duration.seconds()).unwrap()) / 3600.0;
        let (tried, broken) = try_all(&own, &policies(&own), &[1], CHECKED);
        failed.extend(told(name, &broken));
        failed.extend(
            tried.iter().flat_map(|own| &own.runs).filter_map(|own| nonsense(name, own, hours)),
        );
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn nothing_is_lost_in_random_scenarios() {
    let mut failed = Vec::new();
    for seed in 0..30 {
        let name = format!("random {seed}");
        let own = scenario(&name, &random::lively(seed));
        let hours = f64::from(i32::try_from(own.setup.script.duration.seconds()).unwrap()) / 3600.0;
        let (tried, broken) = try_all(&own, &policies(&own), &[seed], CHECKED);
        failed.extend(told(&name, &broken));
        failed.extend(
            tried.iter().flat_map(|own| &own.runs).filter_map(|own| nonsense(&name, own, hours)),
        );
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
