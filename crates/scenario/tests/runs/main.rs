//! The simulator, run: what shipped scenarios expect, equal seeds, nothing lost, faults, rest, grace.

mod conservation;
mod converges;
mod determinism;
mod faults;
mod grace;
mod random;
mod shipped;

use restow_scenario::{Scenario, read};
use restow_simulator::{Failed, Options, Policy, Trials, Tried};

fn none(_: &str) -> std::io::Result<Vec<u8>> {
    Err(std::io::ErrorKind::NotFound.into())
}

/// A scenario that can be read.
fn scenario(name: &str, text: &str) -> Scenario {
    read(name, text.as_bytes(), &none).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A scenario that comes with the program.
fn shipped(name: &str) -> Scenario {
    let found = restow_scenario::shipped().iter().find(|own| own.0 == name);
    scenario(name, found.expect("it is shipped").1)
}

/// Its policies.
fn policies(own: &Scenario) -> Vec<Policy> {
    own.policies.iter().map(|draft| own.policy(draft).expect("read before")).collect()
}

/// Runs policies with seeds from 1 on, on as many threads as the machine has.
fn try_all(
    own: &Scenario,
    policies: &[Policy],
    seeds: &[u64],
    options: Options,
) -> (Vec<Tried>, Vec<Failed>) {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    trials(own, policies, seeds, options, threads)
}

fn trials(
    own: &Scenario,
    policies: &[Policy],
    seeds: &[u64],
    options: Options,
    threads: usize,
) -> (Vec<Tried>, Vec<Failed>) {
    let setup = &own.setup;
    Trials { setup, seeds, options, threads, watch: &|_, _| {} }.run(policies)
}

/// What was found in runs, the first few of each.
fn told(name: &str, failed: &[Failed]) -> Vec<String> {
    let one = |own: &Failed| {
        let (count, first) = (own.broken.len(), &own.broken[..own.broken.len().min(4)]);
        format!("{name}, policy {}, seed {}: {count} broken: {first:?}", own.policy, own.seed)
    };
    failed.iter().map(one).collect()
}
