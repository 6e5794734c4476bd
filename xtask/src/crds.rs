//! The CustomResourceDefinitions of `deploy/crds`, which are generated: the schemas in crates/kubernetes are the source.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::args::Args;
use crate::shell::Cmd;

pub(crate) const HELP: &str = "
Writes the files of deploy/crds from the schemas in crates/kubernetes/src/schema; git shows what changed. --check compares
instead, as a test of restow-kubernetes does, too.
";

const FOLDER: &str = "deploy/crds";
const PROGRAM: &str = "run --quiet --package restow-kubernetes --example crds --";

pub(crate) fn run(args: &mut Args) -> Result<()> {
    let check = args.flag("--check");
    args.finish()?;
    let names = Cmd::cargo(PROGRAM).read()?;
    for name in names.lines() {
        let path = Path::new(FOLDER).join(name);
        let text = Cmd::cargo(PROGRAM).word(name).read()?;
        if !check {
            fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        } else if fs::read_to_string(&path).unwrap_or_default() != text {
            bail!("{} differs from its schema: `cargo xtask crds` writes it again", path.display());
        }
    }
    Ok(())
}
