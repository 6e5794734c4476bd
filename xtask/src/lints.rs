//! The lints, tried: a crate that breaks every one of them on purpose.
//!
//! A misspelt path in clippy.toml or a renamed lint is silent, and then the architecture is held
//! by habit again. So clippy runs on a throwaway crate with the workspace's own lint table and
//! the pure crates' clippy.toml: every line written to break a rule must be caught by that rule,
//! and a clean file must pass.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use cargo_metadata::Message;

use crate::args::Args;
use crate::bans;
use crate::shell::{self, Cmd};

pub(crate) const HELP: &str = "
Writes a crate under target/xtask/lints with the workspace's lint table and the clippy.toml of the
pure crates, one line per ban and lint that breaks it, and a clean file. Fails unless clippy
reports each line for the right reason and nothing in the clean file. A lint that is added to the
table in Cargo.toml needs a line in xtask/src/lints.rs.
";

/// A line that breaks one lint of the table in the root Cargo.toml.
struct Sample {
    /// The entry in the table.
    entry: &'static str,
    /// The lint that reports it, which differs from the entry for a group.
    lint: &'static str,
    line: &'static str,
}

const fn sample(entry: &'static str, lint: &'static str, line: &'static str) -> Sample {
    Sample { entry, lint, line }
}

const SAMPLES: &[Sample] = &[
    sample("missing_docs", "missing_docs", "pub fn undocumented() {}"),
    sample("unreachable_pub", "unreachable_pub", "mod inner { pub fn nobody_reaches_me() {} }"),
    sample(
        "unused_qualifications",
        "unused_qualifications",
        "mod qualified { use std::fmt; fn f(_: std::fmt::Error) -> fmt::Error { todo!() } }",
    ),
    sample(
        "pedantic",
        "clippy::needless_pass_by_value",
        "fn takes_more_than_it_needs(text: String) -> usize { text.len() }",
    ),
    sample("dbg_macro", "clippy::dbg_macro", "fn debugs() { dbg!(1); }"),
    sample("exit", "clippy::exit", "fn exits() { std::process::exit(1) }"),
    sample("print_stderr", "clippy::print_stderr", "fn complains() { eprintln!() }"),
    sample("print_stdout", "clippy::print_stdout", "fn prints() { println!() }"),
    sample("todo", "clippy::todo", "fn later() { todo!() }"),
    sample("unimplemented", "clippy::unimplemented", "fn never() { unimplemented!() }"),
    sample("unwrap_used", "clippy::unwrap_used", "fn hopes(x: Option<u8>) -> u8 { x.unwrap() }"),
    sample(
        "allow_attributes_without_reason",
        "clippy::allow_attributes_without_reason",
        "#[allow(dead_code)] fn silenced() {}",
    ),
];

/// Samples that end the compilation before other lints run; each is a target of its own.
const FATAL: &[Sample] =
    &[sample("unsafe_code", "unsafe_code", "fn careless(x: *const u8) -> u8 { unsafe { *x } }")];

const CLEAN: &str = "\
//! Keeps every rule.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

fn main() {
    let mut counts: FxHashMap<u32, u32> = FxHashMap::default();
    *counts.entry(1).or_default() += 1;
    let seen: FxHashSet<u32> = counts.keys().copied().collect();
    let table: hashbrown::HashTable<u32> = hashbrown::HashTable::new();
    let sorted: BTreeMap<u32, u32> = counts.into_iter().collect();
    let then = jiff::Timestamp::UNIX_EPOCH;
    std::thread::scope(|_| assert!(sorted.len() + table.len() == seen.len() && then.as_second() == 0));
}

#[cfg(test)]
mod tests {
    #[test]
    fn tests_may_unwrap_and_print() {
        println!(\"{}\", Some(1).unwrap());
    }
}
";

pub(crate) fn run(args: &mut Args) -> Result<()> {
    args.finish()?;
    let root = fs::read_to_string("Cargo.toml").context("cannot read Cargo.toml")?;
    let root: toml::Table = root.parse().context("Cargo.toml is not TOML")?;
    let workspace = root.get("workspace").context("Cargo.toml has no [workspace]")?;
    let table = workspace.get("lints").context("Cargo.toml has no [workspace.lints]")?;
    let missing = without_sample(table);
    if !missing.is_empty() {
        bail!("no line in xtask/src/lints.rs breaks: {}", missing.join(", "));
    }

    let dir = std::path::absolute(shell::target_dir().join("xtask/lints"))?;
    let (library, expected) = library();
    write_crate(&dir, workspace, &library)?;
    let found = clippy(&dir)?;
    let complaints = compare(&expected, &found);
    if !complaints.is_empty() {
        bail!(
            "clippy does not hold the rules (the crate is in {}):\n  {}",
            dir.display(),
            complaints.join("\n  ")
        );
    }
    println!("clippy catches all {} lines that break a rule.", expected.len() + FATAL.len());
    Ok(())
}

/// Entries of the lint table that nothing tries.
fn without_sample(table: &toml::Value) -> Vec<String> {
    let tried: BTreeSet<&str> = SAMPLES.iter().chain(FATAL).map(|sample| sample.entry).collect();
    let tools = table.as_table().into_iter().flatten();
    let mut missing = Vec::new();
    for (tool, lints) in tools {
        for (name, level) in lints.as_table().into_iter().flatten() {
            let level = level.as_str().or_else(|| level.get("level")?.as_str());
            if level != Some("allow") && !tried.contains(name.as_str()) {
                missing.push(format!("{tool}.{name}"));
            }
        }
    }
    missing
}

/// A line of the library that must be reported.
#[derive(Debug, PartialEq, Eq)]
struct Expected {
    line: usize,
    lint: &'static str,
    /// Part of the message, so that a line caught by the wrong ban is noticed.
    says: String,
}

/// The library that breaks every rule, one per line.
fn library() -> (String, Vec<Expected>) {
    let mut lines = vec!["//! Breaks every rule, one per line.".to_owned()];
    let mut expected = Vec::new();
    for (lint, ban) in bans::all() {
        lines.push(format!("fn ban_{}() {{ {} }}", lines.len(), ban.sample));
        expected.push(Expected { line: lines.len(), lint, says: format!("`{}`", ban.path) });
    }
    for sample in SAMPLES {
        lines.push(sample.line.to_owned());
        expected.push(Expected { line: lines.len(), lint: sample.lint, says: String::new() });
    }
    lines.push(String::new());
    (lines.join("\n"), expected)
}

fn write_crate(dir: &Path, workspace: &toml::Value, library: &str) -> Result<()> {
    let versions = workspace.get("dependencies").context("no [workspace.dependencies]")?;
    let mut dependencies = toml::Table::new();
    for name in ["hashbrown", "jiff", "rustc-hash"] {
        let version = versions.get(name).with_context(|| format!("no version of {name}"))?;
        dependencies.insert(name.into(), version.clone());
    }
    let lints = workspace.get("lints").context("Cargo.toml has no [workspace.lints]")?;
    let mut manifest = toml::Table::new();
    manifest.insert(
        "package".into(),
        toml::toml! {
            name = "breaks-every-rule"
            version = "0.0.0"
            edition = "2024"
            publish = false
        }
        .into(),
    );
    manifest.insert("dependencies".into(), dependencies.into());
    manifest.insert("lints".into(), lints.clone());
    manifest.insert("workspace".into(), toml::Table::new().into());

    let mut files = BTreeMap::from([
        ("Cargo.toml".to_owned(), toml::to_string(&manifest)?),
        ("clippy.toml".to_owned(), bans::file_text(true)),
        ("src/lib.rs".to_owned(), library.to_owned()),
        ("examples/clean.rs".to_owned(), CLEAN.to_owned()),
    ]);
    for sample in FATAL {
        let text = format!("//! Breaks one rule.\nfn main() {{}}\n{}\n", sample.line);
        files.insert(format!("examples/{}.rs", sample.entry), text);
    }
    // The same versions as the workspace, and nothing to ask the registry for.
    files.insert("Cargo.lock".into(), fs::read_to_string("Cargo.lock")?);
    for (name, text) in files {
        let file = dir.join(&name);
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
    }
    Ok(())
}

/// What clippy said of one place.
#[derive(Debug)]
struct Found {
    target: String,
    line: usize,
    lint: String,
    message: String,
}

fn clippy(dir: &Path) -> Result<Vec<Found>> {
    let cmd = Cmd::cargo("clippy --quiet --all-targets --keep-going --message-format=json")
        .word("--target-dir")
        .word(dir.join("target"))
        .dir(dir);
    let mut child = cmd
        .command()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cannot start cargo clippy")?;
    let output = child.stdout.take().context("clippy has no output")?;
    let mut found = Vec::new();
    let mut finished = false;
    for message in Message::parse_stream(std::io::BufReader::new(output)) {
        match message? {
            Message::CompilerMessage(message) => {
                let diagnostic = message.message;
                let spans = diagnostic.spans.iter().filter(|span| span.is_primary);
                let line = spans.map(|span| span.line_start).next().unwrap_or(0);
                found.push(Found {
                    target: message.target.name,
                    line,
                    lint: diagnostic.code.map(|code| code.code).unwrap_or_default(),
                    message: diagnostic.message,
                });
            }
            Message::BuildFinished(_) => finished = true,
            _ => {}
        }
    }
    let mut errors = String::new();
    if let Some(mut pipe) = child.stderr.take() {
        std::io::Read::read_to_string(&mut pipe, &mut errors)?;
    }
    // It fails in any case: the fatal samples see to that.
    child.wait()?;
    if !finished {
        bail!("clippy did not get as far as compiling:\n{errors}");
    }
    Ok(found)
}

/// What should have been said and was not, or the other way round.
fn compare(expected: &[Expected], found: &[Found]) -> Vec<String> {
    let mut complaints = Vec::new();
    let library: Vec<&Found> =
        found.iter().filter(|found| found.target == "breaks_every_rule").collect();
    for rule in expected {
        let caught = library.iter().any(|found| {
            found.line == rule.line && found.lint == rule.lint && found.message.contains(&rule.says)
        });
        if !caught {
            complaints.push(format!("src/lib.rs:{}: no {} {}", rule.line, rule.lint, rule.says));
        }
    }
    for sample in FATAL {
        if !found.iter().any(|found| found.target == sample.entry && found.lint == sample.lint) {
            complaints.push(format!("examples/{}.rs: no {}", sample.entry, sample.lint));
        }
    }
    for found in found.iter().filter(|found| found.target == "clean") {
        complaints.push(format!(
            "examples/clean.rs:{}: {} says: {}",
            found.line, found.lint, found.message
        ));
    }
    // Clippy warns of a path that leads nowhere, and the ban then bans nothing.
    for found in found.iter().filter(|found| found.message.contains("does not refer to")) {
        complaints.push(format!("clippy.toml:{}: {}", found.line, found.message));
    }
    complaints.dedup();
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expected() -> Vec<Expected> {
        vec![Expected { line: 2, lint: "clippy::exit", says: "exit".into() }]
    }

    fn found(target: &str, line: usize, lint: &str, message: &str) -> Found {
        Found { target: target.into(), line, lint: lint.into(), message: message.into() }
    }

    fn fatal() -> Found {
        found("unsafe_code", 3, "unsafe_code", "usage of an `unsafe` block")
    }

    #[test]
    fn a_rule_that_is_not_reported_is_noticed() {
        let missed = compare(&expected(), &[fatal()]);
        assert_eq!(missed, ["src/lib.rs:2: no clippy::exit exit"]);
        let wrong_line = found("breaks_every_rule", 3, "clippy::exit", "exit");
        assert_eq!(compare(&expected(), &[fatal(), wrong_line]).len(), 1);
        let caught = found("breaks_every_rule", 2, "clippy::exit", "usage of `exit`");
        assert_eq!(compare(&expected(), &[fatal(), caught]), Vec::<String>::new());
        assert_eq!(compare(&[], &[]), ["examples/unsafe_code.rs: no unsafe_code"]);
    }

    #[test]
    fn a_report_of_the_clean_file_is_noticed() {
        let noise = found("clean", 7, "clippy::disallowed_types", "use of `X`");
        let complaints = compare(&[], &[fatal(), noise]);
        assert_eq!(complaints, ["examples/clean.rs:7: clippy::disallowed_types says: use of `X`"]);
    }

    #[test]
    fn a_lint_without_a_sample_is_noticed() {
        let table = toml::toml! {
            [clippy]
            exit = "warn"
            new_one = "warn"
            grouped = { level = "deny", priority = -1 }
            off = "allow"
        };
        assert_eq!(without_sample(&table.into()), ["clippy.grouped", "clippy.new_one"]);
    }
}
