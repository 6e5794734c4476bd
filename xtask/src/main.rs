//! Every task of the repository: `cargo xtask` lists them, `cargo xtask help TASK` explains one.
//!
//! Nothing but a Rust toolchain has to be installed to start; what a task needs beyond that it
//! installs where it may, or names. Options are read by hand because this crate is built before
//! every task on every machine.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "tasks talk to a terminal")]

mod args;
mod arrows;
mod bans;
mod bench;
mod cases;
#[cfg(feature = "catalog")]
mod catalog;
mod crds;
mod demo;
mod deploy;
mod differential;
mod e2e;
mod faults;
mod fuzz;
mod graph;
mod instructions;
mod licences;
mod lints;
mod oracle;
mod setup;
mod shell;
mod test;

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::args::Args;

/// One task: what `cargo xtask` says of it, and what runs.
struct Task {
    name: &'static str,
    options: &'static str,
    /// One line for the list.
    line: &'static str,
    /// More for `cargo xtask help TASK`.
    more: &'static str,
    run: fn(&mut Args) -> Result<()>,
}

const TASKS: &[Task] = &[
    Task {
        name: "test",
        options: "[--quick] [--only STEP] [--from STEP] [--list]",
        line: "everything that CI runs, in order, stopping at the first failure",
        more: test::HELP,
        run: test::run,
    },
    Task {
        name: "arrows",
        options: "[--write]",
        line: "which crate may use which, what pure crates may reach, and their clippy.toml",
        more: arrows::HELP,
        run: arrows::run,
    },
    Task {
        name: "licences",
        options: "",
        line: "licence and source of every dependency",
        more: licences::HELP,
        run: licences::run,
    },
    Task {
        name: "lints",
        options: "",
        line: "break every lint and ban on purpose and see clippy catch it",
        more: lints::HELP,
        run: lints::run,
    },
    Task {
        name: "oracle",
        options: "[--write]",
        line: "compare the committed fixtures with what the real Go code says",
        more: oracle::HELP,
        run: oracle::run,
    },
    Task {
        name: "crds",
        options: "[--check]",
        line: "write deploy/crds again from the schemas",
        more: crds::HELP,
        run: crds::run,
    },
    Task {
        name: "deploy",
        options: "[--check]",
        line: "write deploy/manifests again from the chart, with the real Helm",
        more: deploy::HELP,
        run: deploy::run,
    },
    Task {
        name: "differential",
        options: "[--pairs N | --karpenter [--clusters N] | --admission [--pools N]] [--seed S] [--recipe NAME]",
        line: "compare where pods can run with the real scheduler, on random clusters",
        more: differential::HELP,
        run: differential::run,
    },
    Task {
        name: "e2e",
        options: "[--filter NAME] [--keep]",
        line: "restow on a real API server, scheduler and Karpenter",
        more: e2e::HELP,
        run: e2e::run,
    },
    Task {
        name: "catalog",
        options: "[DIRECTORY]",
        line: "condense public price lists into the tables that come with the program",
        more: CATALOG_HELP,
        run: catalog,
    },
    Task {
        name: "demo",
        options: "",
        line: "make the example cluster of `restow demo` again",
        more: demo::HELP,
        run: demo::run,
    },
    Task {
        name: "faults",
        options: "[--seeds N]",
        line: "whatever goes wrong in virtual time, nothing happens that must not",
        more: faults::HELP,
        run: faults::run,
    },
    Task {
        name: "fuzz",
        options: "[TARGET] [--runs N | --seconds S] [--list]",
        line: "feed readers with mutated input, on stable Rust",
        more: fuzz::HELP,
        run: fuzz::run,
    },
    Task {
        name: "instructions",
        options: "[--record]",
        line: "instructions that the binary executes, against bench/instructions.toml",
        more: instructions::HELP,
        run: instructions::run,
    },
    Task {
        name: "bench",
        options: "[CASE | engine [--quick] | data [--folder DIR]]",
        line: "time, CPU and memory of the commands on large inputs, as a table",
        more: bench::HELP,
        run: bench::run,
    },
];

const CATALOG_HELP: &str = "
Reads the price lists in DIRECTORY and writes the tables in crates/catalog/data; git shows what
changed. The lists are not part of the repository.
";

/// Uses our own crates, so it is behind a feature: a crate that does not build must not take the
/// other tasks with it.
fn catalog(args: &mut Args) -> Result<()> {
    let directory = args.positional();
    args.finish()?;
    #[cfg(feature = "catalog")]
    return catalog::run(directory.map(Into::into));
    #[cfg(not(feature = "catalog"))]
    shell::Cmd::cargo("run --quiet --package xtask --features catalog -- catalog")
        .words(&directory.unwrap_or_default())
        .run()
}

fn main() -> ExitCode {
    match start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\nerror: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn start() -> Result<()> {
    shell::enter_root()?;
    let mut words = std::env::args().skip(1);
    let Some(name) = words.next() else {
        list();
        return Ok(());
    };
    let mut rest = Args::new(words.collect());
    if matches!(name.as_str(), "help" | "--help" | "-h") {
        match rest.positional() {
            Some(task) => help(find(&task)?),
            None => list(),
        }
        return rest.finish();
    }
    let task = find(&name)?;
    if rest.flag("--help") || rest.flag("-h") {
        help(task);
        return Ok(());
    }
    (task.run)(&mut rest)
}

fn find(name: &str) -> Result<&'static Task> {
    match TASKS.iter().find(|task| task.name == name) {
        Some(task) => Ok(task),
        None => bail!("there is no task `{name}`; `cargo xtask` lists them"),
    }
}

fn list() {
    println!("Usage: cargo xtask TASK [OPTION…]\n\nTasks:");
    let width = TASKS.iter().map(|task| task.name.len()).max().unwrap_or(0);
    for task in TASKS {
        println!("  {:width$}  {}", task.name, task.line);
    }
    println!("\n`cargo xtask help TASK` says more.");
}

fn help(task: &Task) {
    println!("Usage: cargo xtask {} {}\n\n{}.", task.name, task.options, task.line);
    if !task.more.is_empty() {
        println!("\n{}", task.more.trim());
    }
}
