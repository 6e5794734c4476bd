//! Everything that CI runs, in one place and one order: cheap and telling first.
//!
//! All steps share cargo's target directory, profile and flags, so that nothing is built twice:
//! warnings are denied by an argument to clippy, never by RUSTFLAGS.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::args::Args;
use crate::graph::Graph;
use crate::shell::Cmd;
use crate::{
    arrows, deploy, differential, e2e, fuzz, instructions, licences, lints, oracle, setup,
};

pub(crate) const HELP: &str = "
Installs what is missing (rustfmt and clippy by rustup, g++ and valgrind by apt-get when root),
then runs every step in order and stops at the first that fails. --quick leaves out the slow ones,
--only runs one, --from starts at one, --list names them.
";

/// Input runs per fuzz target: by count, so that a slow machine tests as much as a fast one.
const FUZZ_RUNS: u64 = 20_000;

/// Pods whose nodes and scores are compared with the real scheduler's: a minute.
const PAIRS: u64 = 30_000;

/// Clusters of each recipe on which decisions are compared with the real Karpenter's: a minute.
const CLUSTERS: u64 = 20;

struct Step {
    name: &'static str,
    line: &'static str,
    /// Part of `--quick`.
    quick: bool,
    run: fn() -> Result<()>,
}

const STEPS: &[Step] = &[
    Step { name: "format", line: "the code is formatted", quick: true, run: format },
    Step { name: "clippy", line: "no warnings, in any target", quick: true, run: clippy },
    Step {
        name: "alone",
        line: "each crate builds without the features that others turn on",
        quick: false,
        run: alone,
    },
    Step {
        name: "arrows",
        line: "the layers hold",
        quick: true,
        run: || arrows::run(&mut Args::new(Vec::new())),
    },
    Step {
        name: "licences",
        line: "we may use what we use",
        quick: true,
        run: || licences::run(&mut Args::new(Vec::new())),
    },
    Step {
        name: "lints",
        line: "the lints catch what they are there for",
        quick: false,
        run: || lints::run(&mut Args::new(Vec::new())),
    },
    Step { name: "tests", line: "unit and integration tests", quick: true, run: tests },
    Step { name: "doctests", line: "examples in the documentation", quick: false, run: doctests },
    Step {
        name: "oracle",
        line: "fixtures are what the real code says",
        quick: false,
        run: || oracle::run(&mut Args::new(Vec::new())),
    },
    Step {
        name: "differential",
        line: "pods can run where the real scheduler says, and scores are its own",
        quick: false,
        run: || differential::step(PAIRS),
    },
    Step {
        name: "karpenter",
        line: "NodePools are taken as by the API server, decisions as Karpenter makes them are its own",
        quick: false,
        run: || differential::karpenter_step(CLUSTERS),
    },
    Step {
        name: "deploy",
        line: "chart, manifests and their copies agree, by the real Helm",
        quick: false,
        run: || deploy::run(&mut Args::new(vec!["--check".to_owned()])),
    },
    Step {
        name: "e2e",
        line: "restow works on a real API server, scheduler and Karpenter",
        quick: false,
        run: || e2e::run(&mut Args::new(Vec::new())),
    },
    Step {
        name: "fuzz",
        line: "readers survive mutated input",
        quick: false,
        run: || fuzz::all(FUZZ_RUNS),
    },
    Step {
        name: "instructions",
        line: "no command got slower",
        quick: false,
        run: || instructions::run(&mut Args::new(Vec::new())),
    },
];

pub(crate) fn run(args: &mut Args) -> Result<()> {
    let quick = args.flag("--quick");
    let list = args.flag("--list");
    let only: Option<String> = args.value("--only")?;
    let from: Option<String> = args.value("--from")?;
    args.finish()?;
    if list {
        for step in STEPS {
            println!("{:12}  {}", step.name, step.line);
        }
        return Ok(());
    }
    let steps = choose(quick, only.as_deref(), from.as_deref())?;

    let start = Instant::now();
    let mut times: Vec<(&str, Duration)> = Vec::new();
    let mut failure = prepare(&steps).err().map(|error| error.context("setting up failed"));
    for (number, step) in steps.iter().enumerate() {
        if failure.is_some() {
            break;
        }
        println!("\n=== {}/{} {}: {}", number + 1, steps.len(), step.name, step.line);
        let before = Instant::now();
        failure = (step.run)().err().map(|error| {
            error.context(format!(
                "step `{0}` failed; see it again with `cargo xtask test --only {0}`",
                step.name
            ))
        });
        times.push((step.name, before.elapsed()));
    }

    println!("\n=== times");
    for (name, time) in &times {
        println!("{name:12}  {}", shown(*time));
    }
    println!("{:12}  {}", "total", shown(start.elapsed()));
    if let Some(error) = failure {
        return Err(error);
    }
    println!("\nAll {} steps passed.", times.len());
    Ok(())
}

fn choose(quick: bool, only: Option<&str>, from: Option<&str>) -> Result<Vec<&'static Step>> {
    let position = |name: &str| {
        STEPS
            .iter()
            .position(|step| step.name == name)
            .with_context(|| format!("there is no step `{name}`; `cargo xtask test --list`"))
    };
    if let Some(name) = only {
        if quick || from.is_some() {
            bail!("--only stands alone");
        }
        return Ok(vec![&STEPS[position(name)?]]);
    }
    let first = from.map(position).transpose()?.unwrap_or(0);
    Ok(STEPS[first..].iter().filter(|step| step.quick || !quick).collect())
}

/// Installs what the chosen steps need before the first one starts: better to fail at once.
fn prepare(steps: &[&Step]) -> Result<()> {
    let any = |names: &[&str]| steps.iter().any(|step| names.contains(&step.name));
    if any(&["format", "clippy", "alone", "lints"]) {
        setup::rust_components()?;
    }
    let mut programs = Vec::new();
    if any(&["fuzz"]) {
        programs.push("g++");
    }
    if any(&["instructions"]) {
        programs.push("valgrind");
    }
    setup::programs(&programs)
}

fn format() -> Result<()> {
    for words in ["fmt --all", "fmt --manifest-path fuzz/Cargo.toml"] {
        let fix = Cmd::cargo(words);
        let check = Cmd::cargo(words).word("--check");
        check.run().with_context(|| format!("`{fix}` puts it right"))?;
    }
    Ok(())
}

fn clippy() -> Result<()> {
    Cmd::cargo("clippy --workspace --all-targets --all-features -- -D warnings").run()
}

/// By clippy rather than check: what the step before it built is used again.
fn alone() -> Result<()> {
    for (_, package) in Graph::load("Cargo.toml")?.ours() {
        Cmd::cargo("clippy --quiet --package").word(&package.name).words("-- -D warnings").run()?;
    }
    Ok(())
}

fn tests() -> Result<()> {
    // The step `e2e` builds what those need.
    Cmd::cargo(
        "test --workspace --exclude restow-e2e --all-features --lib --bins --tests --examples",
    )
    .run()
}

fn doctests() -> Result<()> {
    Cmd::cargo("test --workspace --all-features --doc").run()
}

fn shown(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{:3}m {:02}.{}s", seconds / 60, seconds % 60, time.subsec_millis() / 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(steps: &[&Step]) -> Vec<&'static str> {
        steps.iter().map(|step| step.name).collect()
    }

    #[test]
    fn without_options_every_step_runs() {
        assert_eq!(choose(false, None, None).unwrap().len(), STEPS.len());
    }

    #[test]
    fn quick_leaves_out_the_slow_steps() {
        let steps = choose(true, None, None).unwrap();
        assert_eq!(names(&steps), ["format", "clippy", "arrows", "licences", "tests"]);
    }

    #[test]
    fn one_step_or_the_rest_can_be_chosen() {
        assert_eq!(names(&choose(false, Some("fuzz"), None).unwrap()), ["fuzz"]);
        assert_eq!(names(&choose(false, None, Some("fuzz")).unwrap()), ["fuzz", "instructions"]);
        assert!(choose(false, Some("fuz"), None).is_err());
        assert!(choose(true, Some("fuzz"), None).is_err());
    }

    #[test]
    fn times_are_shown_in_minutes_and_seconds() {
        assert_eq!(shown(Duration::from_millis(125_740)), "  2m 05.7s");
    }
}
