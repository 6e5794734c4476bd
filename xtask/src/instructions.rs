//! The gate on speed: how many instructions the binary executes on small inputs.
//!
//! Time depends on the machine and on who else uses it; instructions hardly do. A command that
//! needs more of them than recorded fails, one that needs fewer asks to be recorded, so that the
//! gain is kept.

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::args::Args;
use crate::cases::{Case, Input, Programs, Ready};
use crate::setup;
use crate::shell::{self, find_program};

pub(crate) const HELP: &str = "
Runs each case in xtask/src/instructions.rs under valgrind's callgrind and compares the number of
instructions with bench/instructions.toml. --record writes the file; commit it with the change
that explains it. Counts are comparable only between equal compilers, so another rustc than the
recorded one fails too: record again, and look at the difference.
";

const FILE: &str = "bench/instructions.toml";

const TOLERANCE_PERCENT: f64 = 5.0;

/// Cases that differ more between builds than their sources do: reading YAML went up and down by a tenth from session to session
/// without a change that explains it. Presumably what the compiler inlines there depends on names that hold the checkout's path.
const LOOSE: &[(&str, f64)] = &[("snapshot-yaml", 15.0)];

const SMALL_JSON: Input = Input { nodes: 20, pods: 200, format: "json-list" };
const SMALL_YAML: Input = Input { nodes: 20, pods: 200, format: "yaml" };

/// One line each; a name is a key in the file.
const CASES: &[Case] = &[
    Case {
        name: "snapshot-json",
        input: SMALL_JSON,
        before: "",
        measured: "snapshot -f {input} --force --to {dir}/out.restow",
    },
    Case {
        name: "snapshot-yaml",
        input: SMALL_YAML,
        before: "",
        measured: "snapshot -f {input} --force --to {dir}/out.restow",
    },
    Case {
        name: "nodes-restow",
        input: SMALL_JSON,
        before: "snapshot -f {input} --force --to {dir}/in.restow",
        measured: "nodes -f {dir}/in.restow -o json",
    },
];

/// Cases of the engine itself, on clusters that its benchmark makes in memory.
const ENGINE: &[(&str, &str)] = &[
    ("engine-probe-plain", "--passes 300 93 0 0 6"),
    ("engine-probe-constrained", "--passes 300 93 25 35 6"),
    ("engine-mix", "--mix 1000"),
];

/// `bench/instructions.toml`.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Recorded {
    rustc: String,
    tolerance_percent: f64,
    instructions: BTreeMap<String, u64>,
}

pub(crate) fn run(args: &mut Args) -> Result<()> {
    let record = args.flag("--record");
    args.finish()?;
    setup::programs(&["valgrind"])?;
    let rustc = shell::rustc("release")?;
    // Before anything is built: this needs no count.
    let recorded = if record { None } else { Some(read()?) };
    if let Some(recorded) = &recorded {
        check_compiler(recorded, &rustc)?;
    }

    let programs = Programs::build()?;
    let mut counted = BTreeMap::new();
    for case in CASES {
        let count = count(&programs.prepare(case)?).with_context(|| case.name.to_owned())?;
        counted.insert(case.name.to_owned(), count);
    }
    for (name, words) in ENGINE {
        let case = programs.engine(name, words)?;
        counted.insert((*name).to_owned(), count(&case).with_context(|| (*name).to_owned())?);
    }
    if let Some(recorded) = recorded {
        return compare(&recorded, &counted);
    }
    let recorded = Recorded { rustc, tolerance_percent: TOLERANCE_PERCENT, instructions: counted };
    let text = format!(
        "# Written by `cargo xtask instructions --record`; the cases are in \
         xtask/src/instructions.rs.\n\n{}",
        toml::to_string(&recorded)?
    );
    fs::create_dir_all("bench")?;
    fs::write(FILE, text).with_context(|| format!("cannot write {FILE}"))?;
    for (name, count) in &recorded.instructions {
        println!("{name:20} {count:>14}");
    }
    println!("wrote {FILE}");
    Ok(())
}

fn read() -> Result<Recorded> {
    let text = fs::read_to_string(FILE).with_context(|| {
        format!("cannot read {FILE}; `cargo xtask instructions --record` makes it")
    })?;
    toml::from_str(&text).with_context(|| format!("{FILE} is not understood"))
}

fn check_compiler(recorded: &Recorded, rustc: &str) -> Result<()> {
    if recorded.rustc != rustc {
        bail!(
            "{FILE} was recorded with rustc {}, this is {rustc}: record again with \
             `cargo xtask instructions --record`",
            recorded.rustc
        );
    }
    Ok(())
}

/// Runs a case under callgrind.
fn count(case: &Ready) -> Result<u64> {
    let out = case.dir.join("callgrind.out");
    let valgrind = find_program("valgrind", &[]).context("valgrind is not installed")?;
    let mut command = std::process::Command::new(valgrind);
    command
        .args(["--quiet", "--tool=callgrind"])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(&case.program)
        .args(&case.words)
        // Settings of the caller must not change what is counted.
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .current_dir(&case.dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let shown = format!("{} {}", case.program.display(), case.words.join(" "));
    let output = command.stderr(Stdio::piped()).output().context("cannot start valgrind")?;
    // 2 is how a command says that it proposes something.
    if !matches!(output.status.code(), Some(0 | 2)) {
        let errors = String::from_utf8_lossy(&output.stderr);
        bail!("{} under valgrind from\n    {shown}\n{errors}", output.status);
    }
    let text = fs::read_to_string(&out).with_context(|| format!("no {}", out.display()))?;
    total(&text).context("callgrind wrote no total")
}

/// The total in a file of callgrind's: `totals:` at the end, or `summary:` of its only part.
fn total(text: &str) -> Option<u64> {
    let find = |name: &str| {
        let line = text.lines().rev().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse().ok()
    };
    find("totals:").or_else(|| find("summary:"))
}

/// Prints the table and fails if anything is out of line.
fn compare(recorded: &Recorded, counted: &BTreeMap<String, u64>) -> Result<()> {
    println!("{:20} {:>14} {:>14} {:>8}", "case", "recorded", "now", "change");
    for (name, now) in counted {
        match recorded.instructions.get(name) {
            Some(before) => {
                let change = change_percent(*before, *now);
                println!("{name:20} {before:>14} {now:>14} {change:>+7.1}%");
            }
            None => println!("{name:20} {:>14} {now:>14}", "none"),
        }
    }
    let found = complaints(recorded, counted);
    if !found.is_empty() {
        bail!("{}", found.join("\n  "));
    }
    Ok(())
}

fn change_percent(before: u64, now: u64) -> f64 {
    (now as f64 - before as f64) / before.max(1) as f64 * 100.0
}

fn complaints(recorded: &Recorded, counted: &BTreeMap<String, u64>) -> Vec<String> {
    let again = "`cargo xtask instructions --record`";
    let mut found = Vec::new();
    for (name, now) in counted {
        let Some(before) = recorded.instructions.get(name) else {
            found.push(format!("{name} was never recorded: {again}"));
            continue;
        };
        let change = change_percent(*before, *now);
        let loose = LOOSE.iter().find(|(own, _)| own == name).map(|(_, percent)| *percent);
        let tolerance = loose.unwrap_or(recorded.tolerance_percent);
        if change > tolerance {
            found.push(format!(
                "{name} needs {change:.1} % more instructions, {tolerance} % are tolerated; \
                 make it cheaper, or say in the commit why it has to be and {again}"
            ));
        } else if change < -tolerance {
            found.push(format!(
                "{name} needs {:.1} % fewer instructions: keep the gain with {again}",
                -change
            ));
        }
    }
    for name in recorded.instructions.keys().filter(|name| !counted.contains_key(*name)) {
        found.push(format!("{name} is recorded but no longer a case: {again}"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(counts: &[(&str, u64)]) -> BTreeMap<String, u64> {
        counts.iter().map(|&(name, count)| (name.to_owned(), count)).collect()
    }

    fn recorded(instructions: &[(&str, u64)]) -> Recorded {
        Recorded {
            rustc: "1.95.0".into(),
            tolerance_percent: 5.0,
            instructions: counts(instructions),
        }
    }

    #[track_caller]
    fn complains(before: &[(&str, u64)], now: &[(&str, u64)], message: &str) {
        let found = complaints(&recorded(before), &counts(now));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains(message), "{found:?}");
    }

    #[test]
    fn a_change_within_the_tolerance_is_fine() {
        for now in [950_000, 1_000_000, 1_050_000] {
            let found = complaints(&recorded(&[("a", 1_000_000)]), &counts(&[("a", now)]));
            assert_eq!(found, Vec::<String>::new());
        }
    }

    #[test]
    fn more_fails_and_fewer_asks_to_record() {
        complains(&[("a", 1_000_000)], &[("a", 1_060_000)], "a needs 6.0 % more instructions");
        complains(&[("a", 1_000_000)], &[("a", 900_000)], "a needs 10.0 % fewer instructions");
    }

    #[test]
    fn a_loose_case_is_a_case_and_may_change_more() {
        assert!(LOOSE.iter().all(|(name, _)| CASES.iter().any(|own| own.name == *name)));
        let before = recorded(&[("snapshot-yaml", 1_000_000)]);
        assert_eq!(
            complaints(&before, &counts(&[("snapshot-yaml", 1_100_000)])),
            Vec::<String>::new()
        );
        complains(&[("snapshot-yaml", 1_000_000)], &[("snapshot-yaml", 1_160_000)], "16.0 % more");
    }

    #[test]
    fn the_file_and_the_cases_must_name_the_same() {
        complains(&[], &[("a", 1)], "a was never recorded");
        complains(&[("a", 1)], &[], "a is recorded but no longer a case");
    }

    #[test]
    fn another_compiler_asks_to_record_again() {
        check_compiler(&recorded(&[]), "1.95.0").unwrap();
        let error = check_compiler(&recorded(&[]), "1.96.0").unwrap_err().to_string();
        assert!(error.contains("record again"), "{error}");
    }

    #[test]
    fn the_total_is_read_from_either_line() {
        assert_eq!(total("events: Ir\nsummary: 12\nfn=(1)\ntotals: 345\n"), Some(345));
        assert_eq!(total("events: Ir\nsummary: 12\nfn=(1)\n"), Some(12));
        assert_eq!(total("events: Ir\n"), None);
    }

    #[test]
    fn the_file_reads_back_as_written() {
        let written = recorded(&[("snapshot-json", 123)]);
        let text = toml::to_string(&written).unwrap();
        assert_eq!(toml::from_str::<Recorded>(&text).unwrap(), written);
    }
}
