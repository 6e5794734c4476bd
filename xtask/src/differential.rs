//! Our answers against those of the real scheduler, on random clusters.

use std::path::Path;

use anyhow::Result;

use crate::args::Args;
use crate::oracle;
use crate::shell::Cmd;

pub(crate) const HELP: &str = "
Builds oracle/scheduler and restow-differential, makes random clusters and asks both on which nodes
each pod can run, and how they score those nodes (by LeastAllocated and MostAllocated in turns). The
first difference is made as small as it gets and printed, and the task fails.
N counts pods, 20,000 unless given; equal seeds give equal clusters. --recipe takes one kind of
cluster instead of all. Every night:

    cargo xtask differential --pairs 100000 --seed $(date +%s)
";

/// What a person waits for.
const PAIRS: u64 = 20_000;

pub(crate) fn run(args: &mut Args) -> Result<()> {
    let pairs = args.value("--pairs")?.unwrap_or(PAIRS);
    let seed: u64 = args.value("--seed")?.unwrap_or(1);
    let recipe: Option<String> = args.value("--recipe")?;
    args.finish()?;
    compare(&oracle::build_scheduler()?, pairs, seed, recipe.as_deref())
}

/// The step of `cargo xtask test`: always the same clusters.
pub(crate) fn step(pairs: u64) -> Result<()> {
    compare(&oracle::build_scheduler()?, pairs, 1, None)
}

fn compare(oracle: &Path, pairs: u64, seed: u64, recipe: Option<&str>) -> Result<()> {
    let mut command = Cmd::cargo("run --quiet --package restow-differential -- scheduler --oracle")
        .word(oracle)
        .word("--pairs")
        .word(pairs.to_string())
        .word("--seed")
        .word(seed.to_string());
    if let Some(recipe) = recipe {
        command = command.word("--recipe").word(recipe);
    }
    command.run()
}
