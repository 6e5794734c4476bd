//! `restow demo`: an example cluster, for a first look without a cluster of one's own.

use std::process::ExitCode;

use anyhow::Context;
use restow_kubernetes::file;
use restow_report::{Fleet, FleetOptions, ViewOptions, lint_view, plan_view};

use super::{lint, plan};
use crate::planning::PlanningArgs;
use crate::prices;
use crate::terminal::{self, ColorChoice};

/// The example: `cargo xtask demo` writes it.
static CLUSTER: &[u8] = include_bytes!("../../demo/cluster.restow");

/// Look at an example cluster; no cluster or cloud account needed.
///
/// The fleet, what could be saved, and what stands in the way: as `restow nodes`, `restow plan` and `restow lint` show it.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  restow demo\n  restow demo --save example.restow")]
pub(crate) struct DemoArgs {
    /// Also write the example to a file, to try other commands on it.
    #[arg(long, value_name = "FILE")]
    save: Option<std::path::PathBuf>,

    /// When to use colour.
    #[arg(long, value_enum, default_value_t)]
    color: ColorChoice,
}

pub(crate) fn run(args: &DemoArgs) -> anyhow::Result<ExitCode> {
    let snapshot = file::decode(CLUSTER).context("the embedded example")?;
    let view = ViewOptions {
        width: Some(terminal::width()),
        color: args.color.on_stdout(),
        ..ViewOptions::default()
    };
    let planning = PlanningArgs::default();
    let book = prices::book(&planning.prices, &snapshot)?;
    let fleet = Fleet::new(&snapshot, &book, &FleetOptions::default());
    let nodes = restow_report::nodes_view(&fleet, &view);
    let plan = plan_view(&plan::plan(snapshot.clone(), &planning, true)?, &view);
    let findings = lint_view(&lint::report(snapshot, &planning)?, &view);
    terminal::print(&format!(
        "An example cluster. Its fleet (`restow nodes`):\n\n{nodes}\n\
         What could be saved (`restow plan`):\n\n{plan}\n\
         What stands in the way (`restow lint`):\n\n{findings}"
    ))?;
    if let Some(path) = &args.save {
        std::fs::write(path, CLUSTER)
            .with_context(|| format!("{}: cannot write", path.display()))?;
        terminal::note(&format!("try: restow explain node ip-10-0-2-67 -f {}", path.display()));
    } else {
        terminal::note(
            "now yours: `restow plan` on your cluster (read-only), or `restow plan -f dump.json`",
        );
    }
    Ok(ExitCode::SUCCESS)
}
