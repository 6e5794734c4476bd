//! The real code of others, in Go: fixtures are made again and compared byte for byte, and the
//! scheduler and Karpenter are built for comparisons while they run.
//!
//! Without this a fixture that someone edits by hand keeps its authority. A missing Go is a
//! failure: a comparison that silently does not happen is worse than none.

use std::fs;
use std::path::{self, Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::args::Args;
use crate::shell::{Cmd, find_program, target_dir};

pub(crate) const HELP: &str = "
Runs each Go program under oracle/, which makes its fixtures again and compares them with the
committed ones. --write replaces them instead; `git diff` then shows what changed. Then builds
oracle/scheduler, which `cargo xtask differential` asks, and tests and builds oracle/karpenter, which
`restow-differential karpenter` asks; the first build compiles Kubernetes and takes minutes.
";

/// Each program with the directory of the fixtures that it makes.
const ORACLES: &[(&str, &str)] = &[("oracle/values", "crates/model/tests/fixtures")];

/// These answer questions instead of making fixtures.
const SCHEDULER: &str = "oracle/scheduler";
const KARPENTER: &str = "oracle/karpenter";

pub(crate) fn run(args: &mut Args) -> Result<()> {
    let flag = if args.flag("--write") { "-out" } else { "-check" };
    args.finish()?;
    for module in modules()? {
        let known = ORACLES.iter().map(|(dir, _)| *dir).chain([SCHEDULER, KARPENTER]);
        if !known.into_iter().any(|dir| Path::new(dir) == module) {
            bail!("{} is not in the list in xtask/src/oracle.rs", module.display());
        }
    }
    let go = go()?;
    for (dir, fixtures) in ORACLES {
        let fixtures = Path::new("../..").join(fixtures);
        Cmd::new(&go).words("run .").word(flag).word(fixtures).dir(*dir).run()?;
    }
    build_scheduler()?;
    Cmd::new(&go).words("test .").dir(KARPENTER).variable("CGO_ENABLED", "0").run()?;
    build_karpenter().map(drop)
}

/// Builds the program that answers as kube-scheduler does, and says where it is.
pub(crate) fn build_scheduler() -> Result<PathBuf> {
    build(SCHEDULER)
}

/// Builds the program that answers as Karpenter does, and says where it is.
pub(crate) fn build_karpenter() -> Result<PathBuf> {
    build(KARPENTER)
}

fn build(dir: &str) -> Result<PathBuf> {
    let program = path::absolute(target_dir().join(dir))
        .context("the target directory has no absolute path")?;
    let build = Cmd::new(go()?).words("build -o").word(&program).word(".").dir(dir);
    // Without C the program and its build cache are the same wherever a compiler is installed.
    build.variable("CGO_ENABLED", "0").run()?;
    Ok(program)
}

/// Go, which its own installer puts where not everyone's search path leads.
pub(crate) fn go() -> Result<PathBuf> {
    match find_program("go", &["/usr/local/go/bin"]) {
        Some(go) => Ok(go),
        None => bail!("Go is missing, and it runs the oracles: see https://go.dev/doc/install"),
    }
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
