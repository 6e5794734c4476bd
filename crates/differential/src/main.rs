//! Our answers against those of the real code of others, on random clusters.
//!
//! `scheduler` asks kube-scheduler's own plugins (the program of `oracle/scheduler`) and each implementation of ours on which
//! nodes every pod of a random cluster can run, and what it thinks of them, and makes the first cluster on which they differ
//! as small as it gets.
//!
//! `karpenter` asks Karpenter's own packages (the program of `oracle/karpenter`) what they would do with random clusters.
//!
//! `admission` asks the API server's own code which NodePools it takes, under our CRD and under Karpenter's.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

mod admission;
mod compare;
mod karpenter;
mod options;
mod oracle;
mod ours;
mod run;
mod scores;
mod shrink;
mod table;

use std::process::ExitCode;

use options::{Command, USAGE};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let first = words.first().map(String::as_str);
    let agreed = if first == Some("karpenter") {
        karpenter::survey(&words[1..])
    } else if first == Some("admission") {
        admission::admission(&words[1..])
    } else {
        match Command::parse(words) {
            Ok(Command::Scheduler(options)) => run::scheduler(&options),
            Ok(Command::Cluster { recipe, seed }) => {
                println!("{}", run::list(&restow_testkit::random::cluster(seed, recipe)));
                Ok(true)
            }
            Err(problem) => {
                let others = [karpenter::USAGE, admission::USAGE].concat();
                eprintln!("error: {problem}\n\n{USAGE}\n{others}");
                return ExitCode::FAILURE;
            }
        }
    };
    match agreed {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}
