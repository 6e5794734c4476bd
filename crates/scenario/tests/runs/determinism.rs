//! Equal input and seed give equal bytes.

use restow_simulator::{Options, Tried, run};

use crate::{policies, random, scenario, shipped, trials};

fn bytes(tried: &[Tried]) -> Vec<(String, String)> {
    let text = |own: &Tried| serde_json::to_string(&own.runs).expect("numbers and texts");
    tried.iter().map(|own| (own.policy.clone(), text(own))).collect()
}

#[test]
fn a_seed_gives_the_same_bytes_on_any_number_of_threads() {
    for name in ["grace-cycle", "s24-startup-taint-race"] {
        let own = shipped(name);
        let policies = policies(&own);
        let of =
            |threads| bytes(&trials(&own, &policies, &[1, 2, 3], Options::default(), threads).0);
        let one = of(1);
        assert!(one == of(2) && one == of(3) && one == of(1), "{name}");
    }
}

#[test]
fn other_seeds_are_other_runs() {
    let own = shipped("s1-off-peak-cascade");
    for policy in policies(&own).iter().filter(|own| own.name != "none") {
        let of = |seed| run(&own.setup, policy, seed, &mut |_| {});
        let (mut one, two) = (of(1), of(2));
        one.seed = two.seed;
        assert_ne!(one, two, "{}", policy.name);
    }
}

#[test]
fn the_order_of_policies_does_not_matter() {
    let own = shipped("grace-cycle");
    let mut policies = policies(&own);
    let mut forth = bytes(&trials(&own, &policies, &[1, 2], Options::default(), 2).0);
    policies.reverse();
    let back = bytes(&trials(&own, &policies, &[1, 2], Options::default(), 2).0);
    forth.reverse();
    assert!(forth == back);
}

/// Looking everything over changes nothing, and neither does reading the scenario again.
#[test]
fn random_scenarios_run_the_same_again_and_looked_over() {
    for seed in 0..4 {
        let text = random::lively(seed);
        let (first, second) = (scenario("first", &text), scenario("second", &text));
        let checked = Options { checks: true, ..Options::default() };
        let one = trials(&first, &policies(&first), &[seed], Options::default(), 1).0;
        let two = trials(&second, &policies(&second), &[seed], checked, 2).0;
        assert!(bytes(&one) == bytes(&two), "{seed}");
    }
}
