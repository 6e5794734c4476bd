//! `restow snapshot`: a cluster in a small file.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use restow_kubernetes::{anonymize, file};

use crate::args::InputArgs;
use crate::{input, terminal};

/// Keep a cluster in a small file that every command reads.
///
/// A few dozen bytes for each pod. With --anonymize names, namespaces, values of labels and annotations become pseudonyms
/// while everything that decides placements and plans stays the same, so that the file can be attached to an issue.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  restow snapshot --to my.restow\n  \
                  restow snapshot -f dump/ --to my.restow --anonymize\n  restow nodes -f my.restow")]
pub(crate) struct SnapshotArgs {
    #[command(flatten)]
    input: InputArgs,

    /// The file to write.
    #[arg(long, value_name = "FILE")]
    to: PathBuf,

    /// Replace names by pseudonyms.
    #[arg(long)]
    anonymize: bool,

    /// Overwrite the file if it exists.
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &SnapshotArgs) -> anyhow::Result<ExitCode> {
    let target = args.to.display();
    // Before minutes are spent on reading a cluster.
    anyhow::ensure!(
        args.force || !args.to.exists(),
        "{target}: the file exists; use --force to overwrite it"
    );
    let mut snapshot = input::read(&args.input)?;
    if args.anonymize {
        anonymize(&mut snapshot);
    }
    let bytes = file::encode(&snapshot);
    write_whole(&args.to, &bytes).with_context(|| format!("{target}: cannot write"))?;
    let per_pod = bytes.len() as f64 / snapshot.pods.len().max(1) as f64;
    terminal::note(&format!(
        "{target}: {} nodes, {} pods at {} in {} bytes ({per_pod:.1} per pod)",
        snapshot.nodes.len(),
        snapshot.pods.len(),
        snapshot.time,
        bytes.len(),
    ));
    Ok(ExitCode::SUCCESS)
}

/// All of the file or none of it: a write that is interrupted leaves what was there.
fn write_whole(path: &std::path::Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let written = std::fs::write(&partial, bytes).and_then(|()| std::fs::rename(&partial, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&partial);
    }
    written
}
