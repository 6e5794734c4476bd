//! Our answers against those of the real scheduler, the real Karpenter and the real API server, on random clusters and pools.

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

With --karpenter it builds oracle/karpenter instead and compares what Karpenter would consolidate with
what restow decides under `--profile karpenter --search karpenter`, on N clusters of every recipe
(--clusters, 20 unless given). Every night:

    cargo xtask differential --karpenter --clusters 500 --seed $(date +%s)

With --admission it builds the same and compares which NodePools the API server's own code takes under
deploy/crds with which ones restow takes from files, and our CRD with Karpenter's (--pools, 2,000 unless
given, besides those that are wrong in one place).
";

/// What a person waits for.
const PAIRS: u64 = 20_000;
const CLUSTERS: u64 = 20;
const POOLS: u64 = 2_000;

/// How often Karpenter is asked the same: where spread picks among zones, its answers depend on chance.
const REPEAT: u32 = 4;

pub(crate) fn run(args: &mut Args) -> Result<()> {
    let pairs = args.value("--pairs")?.unwrap_or(PAIRS);
    let seed: u64 = args.value("--seed")?.unwrap_or(1);
    let recipe: Option<String> = args.value("--recipe")?;
    let karpenter = args.flag("--karpenter");
    let admission = args.flag("--admission");
    let pools = args.value("--pools")?.unwrap_or(POOLS);
    let clusters = args.value("--clusters")?.unwrap_or(CLUSTERS);
    args.finish()?;
    if karpenter {
        return decisions(&oracle::build_karpenter()?, clusters, seed, recipe.as_deref());
    }
    if admission {
        return self::admission(&oracle::build_karpenter()?, pools, seed);
    }
    compare(&oracle::build_scheduler()?, pairs, seed, recipe.as_deref())
}

/// The step of `cargo xtask test`: always the same clusters.
pub(crate) fn step(pairs: u64) -> Result<()> {
    compare(&oracle::build_scheduler()?, pairs, 1, None)
}

/// The step of `cargo xtask test` about Karpenter: always the same objects and clusters.
pub(crate) fn karpenter_step(clusters: u64) -> Result<()> {
    let oracle = oracle::build_karpenter()?;
    admission(&oracle, POOLS, 1)?;
    decisions(&oracle, clusters, 1, None)
}

fn admission(oracle: &Path, pools: u64, seed: u64) -> Result<()> {
    Cmd::cargo("run --quiet --package restow-differential -- admission --crd")
        .word("deploy/crds/karpenter.sh_nodepools.yaml")
        .word("--oracle")
        .word(oracle)
        .word("--pools")
        .word(pools.to_string())
        .word("--seed")
        .word(seed.to_string())
        .run()
}

fn decisions(oracle: &Path, clusters: u64, seed: u64, recipe: Option<&str>) -> Result<()> {
    let words = "run --quiet --package restow-differential -- karpenter --compare yes --oracle";
    let mut command = Cmd::cargo(words)
        .word(oracle)
        .word("--clusters")
        .word(clusters.to_string())
        .word("--seed")
        .word(seed.to_string())
        .word("--repeat")
        .word(REPEAT.to_string());
    if let Some(recipe) = recipe {
        command = command.word("--recipe").word(recipe);
    }
    command.run()
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
