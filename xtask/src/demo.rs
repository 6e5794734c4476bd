//! The example cluster that `restow demo` shows: written in the testkit, so that it can be made again when the format changes.

use std::fs;

use anyhow::{Context, Result};

use crate::args::Args;
use crate::shell::{self, Cmd};

pub(crate) const HELP: &str = "
Keeps the example cluster (crates/testkit/src/demo/story.rs) as crates/restow/demo/cluster.restow, which the binary embeds. Run it
after the story or the snapshot format changed, and look at `restow demo` afterwards.
";

pub(crate) fn run(args: &mut Args) -> Result<()> {
    args.finish()?;
    let cluster = Cmd::cargo("run --quiet --package restow-testkit --bin restow-generate --")
        .words("--demo")
        .read()?;
    let dump = shell::target_dir().join("demo.json");
    fs::write(&dump, cluster).with_context(|| format!("cannot write {}", dump.display()))?;
    Cmd::cargo("run --quiet --package restow -- snapshot --force --to crates/restow/demo/cluster.restow -f")
        .word(&dump)
        .run()
}
