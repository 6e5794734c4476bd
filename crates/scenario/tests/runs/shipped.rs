//! Everything that shipped scenarios expect of their runs.

use restow_simulator::Options;

use crate::{policies, shipped, try_all};

/// `week` takes an hour.
const LONG: &str = "week";

#[test]
fn every_expectation_of_every_shipped_scenario_holds() {
    let mut failed = Vec::new();
    for (name, _) in restow_scenario::shipped().iter().filter(|own| own.0 != LONG) {
        let own = shipped(name);
        let seeds: Vec<u64> = (1..=own.seeds.min(2)).collect();
        let (tried, _) = try_all(&own, &policies(&own), &seeds, Options::default());
        for expectation in &own.expectations {
            let checked = expectation.check(&tried);
            let wrong = checked.into_iter().filter(|own| !own.passed);
            failed.extend(wrong.map(|own| format!("{name}: {own:?}")));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
