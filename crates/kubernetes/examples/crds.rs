//! Prints a file of `deploy/crds`, or the names of all: what `cargo xtask crds` writes.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for a terminal")]

use std::process::ExitCode;

use restow_kubernetes::schema::CRDS;

fn main() -> ExitCode {
    let Some(name) = std::env::args().nth(1) else {
        for crd in CRDS {
            println!("{}", crd.file);
        }
        return ExitCode::SUCCESS;
    };
    let Some(crd) = CRDS.iter().find(|crd| crd.file == name) else {
        eprintln!("there is no CRD {name}");
        return ExitCode::FAILURE;
    };
    print!("{}", (crd.text)());
    ExitCode::SUCCESS
}
