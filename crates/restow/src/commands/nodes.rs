//! `restow nodes`: the fleet.
use std::process::ExitCode;
/// Show the fleet.
#[derive(clap::Args, Debug)]
pub(crate) struct NodesArgs {}
pub(crate) fn run(_: &NodesArgs) -> anyhow::Result<ExitCode> { Ok(ExitCode::SUCCESS) }
