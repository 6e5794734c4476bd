//! What restow decides under the profile `karpenter` is what Karpenter decides, on a few random clusters of every recipe.
//!
//! Needs the program of `oracle/karpenter`: `cargo xtask oracle` builds it, and without it there is nothing to compare with.
//! `cargo xtask test` always builds it and compares more.

use std::path::PathBuf;
use std::process::Command;

/// Where `cargo xtask oracle` puts it.
fn oracle() -> Option<PathBuf> {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_restow-differential"));
    let target = program.ancestors().nth(2)?;
    let found = target.join("oracle/karpenter");
    found.is_file().then_some(found)
}

#[test]
fn decisions_are_those_of_karpenter() {
    let Some(oracle) = oracle() else {
        println!("skipped: `cargo xtask oracle` builds what this compares with");
        return;
    };
    let output = Command::new(env!("CARGO_BIN_EXE_restow-differential"))
        .args(["karpenter", "--compare", "yes", "--clusters", "2", "--repeat", "3", "--oracle"])
        .arg(oracle)
        .output()
        .expect("the program starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}
