//! Everything that can go wrong between restow and its cluster, over many seeds.

use anyhow::Result;

use crate::args::Args;
use crate::shell::Cmd;

pub(crate) const HELP: &str = "
Runs the fault tests of crates/scenario in release: small clusters in virtual time in which what is
seen is old, what is asked for is lost, done twice or done late, and the process ends at any point.
Every step is held against the invariants. N is 10,000 unless given; `cargo test` tries 200. A seed
that fails prints the line that runs it alone.
";

pub(crate) fn run(args: &mut Args) -> Result<()> {
    let seeds: u64 = args.value("--seeds")?.unwrap_or(10_000);
    args.finish()?;
    Cmd::cargo("test --release --package restow-scenario --test runs faults")
        .variable("RESTOW_FAULT_SEEDS", seeds.to_string())
        .run()
}
