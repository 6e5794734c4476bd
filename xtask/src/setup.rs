//! What a task needs beyond a Rust toolchain: installed where we may, named where we may not.

use anyhow::{Context, Result, bail};

use crate::shell::{Cmd, find_program};

/// A program, the Debian packages that bring it, and who needs it.
struct Tool {
    program: &'static str,
    packages: &'static [&'static str],
    why: &'static str,
}

const TOOLS: &[Tool] = &[
    Tool { program: "g++", packages: &["g++"], why: "libFuzzer is C++" },
    Tool {
        program: "valgrind",
        // Valgrind reads the loader's symbols and refuses to start without them.
        packages: &["valgrind", "libc6-dbg"],
        why: "it counts instructions",
    },
];

/// Makes sure that `cargo fmt` and `cargo clippy` are there.
pub(crate) fn rust_components() -> Result<()> {
    for (command, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        let probe = Cmd::cargo(command).word("--version");
        if probe.command().output().is_ok_and(|output| output.status.success()) {
            continue;
        }
        if find_program("rustup", &[]).is_none() {
            bail!("`cargo {command}` is missing and there is no rustup to add `{component}`");
        }
        Cmd::new("rustup").words("component add").word(component).run()?;
    }
    Ok(())
}

/// Makes sure that the named programs are there.
pub(crate) fn programs(names: &[&str]) -> Result<()> {
    let missing: Vec<&Tool> = TOOLS
        .iter()
        .filter(|tool| names.contains(&tool.program) && find_program(tool.program, &[]).is_none())
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let packages: Vec<&str> = missing.iter().flat_map(|tool| tool.packages).copied().collect();
    let packages = packages.join(" ");
    let reasons: Vec<String> =
        missing.iter().map(|tool| format!("{} ({})", tool.program, tool.why)).collect();
    let reasons = reasons.join(", ");
    if find_program("apt-get", &[]).is_none() {
        bail!("missing: {reasons}; install what brings it on your system, then run again");
    }
    if Cmd::new("id").word("-u").read()?.trim() != "0" {
        bail!("missing: {reasons}; run `sudo apt-get install {packages}`, then run again");
    }
    println!("missing: {reasons}");
    let apt = || Cmd::new("apt-get").variable("DEBIAN_FRONTEND", "noninteractive");
    apt().words("update -qq").run().context("cannot refresh the list of packages")?;
    apt()
        .words("install -y -qq --no-install-recommends")
        .words(&packages)
        .run()
        .with_context(|| format!("cannot install {packages}"))
}
