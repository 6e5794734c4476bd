//! Fuzzing with libFuzzer on stable Rust.
//!
//! `cargo fuzz` asks for nightly because of the address sanitizer; with `unsafe` forbidden there
//! is little for it to find. Coverage needs only options that stable passes on to LLVM. The
//! targets are the files in `fuzz/src/bin`, each with a few committed inputs to start from in
//! `fuzz/seeds/TARGET`; adding one is adding the two.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::args::Args;
use crate::setup;
use crate::shell::{self, Cmd};

pub(crate) const HELP: &str = "
Builds the targets in fuzz/src/bin with coverage and runs them, all or one. --runs stops after a
number of inputs and starts from the committed seeds alone, so that it does the same every time;
this is what `test` does. --seconds goes on from what earlier runs kept in fuzz/corpus. The
default is --seconds 60. An input that crashes is kept in fuzz/artifacts; --input FILE runs it.
";

/// What the compiler needs to make libFuzzer see which way an input went.
const FLAGS: &[&str] = &[
    "--cfg=fuzzing",
    "-Dwarnings",
    "-Ccodegen-units=1",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    // Comparisons of strings stay calls, which libFuzzer watches to learn the words that matter.
    "-Cllvm-args=-max-loads-per-memcmp=0",
];

/// Limits of one input: readers must not blow up on small files.
const LIMITS: &str = "-rss_limit_mb=1024 -timeout=10 -max_len=65536 -print_final_stats=0";

/// How long to fuzz.
#[derive(Clone, Copy)]
enum Length {
    Runs(u64),
    Seconds(u64),
}

pub(crate) fn run(args: &mut Args) -> Result<()> {
    let runs = args.value("--runs")?;
    let seconds = args.value("--seconds")?;
    let input: Option<PathBuf> = args.value("--input")?;
    let list = args.flag("--list");
    let target = args.positional();
    args.finish()?;
    let known = targets()?;
    if list {
        for target in known {
            println!("{target}");
        }
        return Ok(());
    }
    let length = match (runs, seconds) {
        (Some(_), Some(_)) => bail!("--runs or --seconds, not both"),
        (Some(runs), None) => Length::Runs(runs),
        (None, seconds) => Length::Seconds(seconds.unwrap_or(60)),
    };
    let chosen = match target {
        Some(name) if known.contains(&name) => vec![name],
        Some(name) => bail!("there is no target `{name}`: {}", known.join(", ")),
        None => known,
    };
    setup::programs(&["g++"])?;
    let binaries = build()?;
    if let Some(input) = input {
        let [target] = chosen.as_slice() else { bail!("--input needs a target") };
        return Cmd::new(binaries.join(target)).word(input).run();
    }
    for target in &chosen {
        fuzz(&binaries, target, length)?;
    }
    Ok(())
}

/// Every target for a number of inputs.
pub(crate) fn all(runs: u64) -> Result<()> {
    run(&mut Args::new(vec!["--runs".into(), runs.to_string()]))
}

/// The names of the targets, sorted.
fn targets() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir("fuzz/src/bin").context("cannot list fuzz/src/bin")? {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "rs")
            && let Some(name) = file.file_stem().and_then(|name| name.to_str())
        {
            if !fs::exists(format!("fuzz/seeds/{name}"))? {
                bail!("the target `{name}` has no inputs to start from in fuzz/seeds/{name}");
            }
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Builds every target and says where they are.
///
/// The target is named even though it is the machine's own: build scripts and macros are then
/// built without the flags.
fn build() -> Result<PathBuf> {
    let host = shell::rustc("host")?;
    let dir = std::path::absolute(shell::target_dir().join("fuzz"))?;
    Cmd::cargo("build --release --bins --manifest-path fuzz/Cargo.toml --target")
        .word(&host)
        .word("--target-dir")
        .word(&dir)
        .variable("RUSTFLAGS", FLAGS.join(" "))
        .run()?;
    Ok(dir.join(host).join("release"))
}

fn fuzz(binaries: &std::path::Path, target: &str, length: Length) -> Result<()> {
    let artifacts = format!("fuzz/artifacts/{target}");
    fs::create_dir_all(&artifacts)?;
    // libFuzzer keeps what it finds in the first directory and only reads the second.
    let (kept, length) = match length {
        Length::Runs(runs) => {
            let kept = shell::target_dir().join("fuzz/kept").join(target);
            if kept.exists() {
                fs::remove_dir_all(&kept)?;
            }
            (kept, format!("-runs={runs} -seed=1"))
        }
        Length::Seconds(seconds) => {
            (PathBuf::from("fuzz/corpus").join(target), format!("-max_total_time={seconds}"))
        }
    };
    fs::create_dir_all(&kept)?;
    println!("fuzzing {target}");
    let cmd = Cmd::new(binaries.join(target))
        .words(&length)
        .words(LIMITS)
        .word(format!("-artifact_prefix={artifacts}/"))
        .word(kept)
        .word(format!("fuzz/seeds/{target}"));
    // Every new path is a line on standard error: of interest only when something is found.
    let output = cmd.command().output().with_context(|| format!("cannot start `{cmd}`"))?;
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        let lines: Vec<&str> = log.lines().collect();
        let last = lines[lines.len().saturating_sub(40)..].join("\n");
        bail!(
            "{target} fails on an input that is now in {artifacts}; run it alone with\n    \
             cargo xtask fuzz {target} --input {artifacts}/…\n{last}"
        );
    }
    let summary = log.lines().rev().find(|line| line.contains("DONE")).unwrap_or_default();
    println!("  {}", summary.trim());
    Ok(())
}
