//! Fixtures that come from the real code of others: made again by Go, compared byte for byte.
//!
//! Without this a fixture that someone edits by hand keeps its authority. A missing Go is a
//! failure: a comparison that silently does not happen is worse than none.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::args::Args;
use crate::shell::{Cmd, find_program};

pub(crate) const HELP: &str = "
Runs each Go program under oracle/, which makes its fixtures again and compares them with the
committed ones. --write replaces them instead; `git diff` then shows what changed.
";

/// Each program with the directory of the fixtures that it makes.
const ORACLES: &[(&str, &str)] = &[("oracle/values", "crates/model/tests/fixtures")];

pub(crate) fn run(args: &mut Args) -> Result<()> {
    let flag = if args.flag("--write") { "-out" } else { "-check" };
    args.finish()?;
    for module in modules()? {
        if !ORACLES.iter().any(|(dir, _)| Path::new(dir) == module) {
            bail!("{} is not in the list in xtask/src/oracle.rs", module.display());
        }
    }
    // Where Go's own installer puts it, which is not on everyone's search path.
    let Some(go) = find_program("go", &["/usr/local/go/bin"]) else {
        bail!("Go is missing, and it checks the fixtures: see https://go.dev/doc/install");
    };
    for (dir, fixtures) in ORACLES {
        let fixtures = Path::new("../..").join(fixtures);
        Cmd::new(&go).words("run .").word(flag).word(fixtures).dir(*dir).run()?;
    }
    Ok(())
}

fn modules() -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir("oracle").context("cannot list oracle/")? {
        let dir = entry?.path();
        if dir.join("go.mod").is_file() {
            found.push(dir);
        }
    }
    Ok(found)
}
