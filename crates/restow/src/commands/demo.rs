//! `restow demo`.
use std::process::ExitCode;
/// Demo.
#[derive(clap::Args, Debug)]
pub(crate) struct DemoArgs {}
pub(crate) fn run(_: &DemoArgs) -> anyhow::Result<ExitCode> { Ok(ExitCode::SUCCESS) }
