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
        .word(format!("fuzz/seeds/{target}"))
        .variable("RUST_BACKTRACE", "0");
    // Every new path is a line on standard error: of interest only when something is found.
    let output = cmd.command().output().with_context(|| format!("cannot start `{cmd}`"))?;
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("{}", failure(target, &log));
    }
    let summary = log.lines().rev().find(|line| line.contains("DONE")).unwrap_or_default();
    println!("  {}", summary.trim());
    Ok(())
}

/// What libFuzzer's log says of a failure: the panic, and how to see it again.
fn failure(target: &str, log: &str) -> String {
    let written = log.lines().find_map(|line| line.split_once("Test unit written to "));
    let Some((_, input)) = written else {
        return format!("{target} did not get as far as fuzzing:\n{log}");
    };
    let found: Vec<&str> = log
        .lines()
        .skip_while(|line| !line.contains("panicked at") && !line.contains("ERROR: libFuzzer"))
        .take_while(|line| !line.starts_with("stack backtrace") && !line.starts_with("NOTE: lib"))
        .take(12)
        .collect();
    format!(
        "{target} fails:\n  {}\nsee it again with\n    cargo xtask fuzz {target} --input {input}",
        found.join("\n  ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_shows_the_panic_and_how_to_see_it_again() {
        let log = "#12 NEW cov: 3\nthread '<unnamed>' panicked at src/bin/time.rs:10:5:\nno time\n\
                   stack backtrace:\n   0: begin\n==1== ERROR: libFuzzer: deadly signal\n\
                   artifact_prefix='a/'; Test unit written to fuzz/artifacts/time/crash-1\n";
        let shown = failure("time", log);
        assert!(shown.contains("time.rs:10:5:\n  no time\nsee it again"), "{shown}");
        assert!(shown.ends_with("cargo xtask fuzz time --input fuzz/artifacts/time/crash-1"));
    }

    #[test]
    fn slow_and_greedy_inputs_are_failures_with_an_input_too() {
        let log = "==7== ERROR: libFuzzer: timeout after 10 seconds\n\
                   a; Test unit written to t/timeout-1\n";
        assert!(failure("x", log).contains("timeout after 10 seconds"));
        assert!(failure("x", "cannot open seeds").contains("cannot open seeds"));
    }
}
