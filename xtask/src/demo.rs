//! The example cluster that `restow demo` shows: generated, so that it can be made again when the format changes.

use std::fs;

use anyhow::{Context, Result};

use crate::args::Args;
use crate::shell::{self, Cmd};

pub(crate) const HELP: &str = "
Generates a small cluster and keeps it as crates/restow/demo/cluster.restow, which the binary embeds. Run it after the snapshot
format got a new version, and look at `restow demo` afterwards.
";

pub(crate) fn run(args: &mut Args) -> Result<()> {
    args.finish()?;
    let cluster = Cmd::cargo("run --quiet --package restow-testkit --bin restow-generate --")
        .words("--nodes 14 --pods 170 --seed 4 --format json-list")
        .read()?;
    let dump = shell::target_dir().join("demo.json");
    fs::write(&dump, cluster).with_context(|| format!("cannot write {}", dump.display()))?;
    Cmd::cargo("run --quiet --package restow -- snapshot --force --to crates/restow/demo/cluster.restow -f")
        .word(&dump)
        .run()
}
