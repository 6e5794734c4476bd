//! `restow config`: the settings of each pool, and where each came from.

use std::process::ExitCode;

use restow_report::{SettingsDocument, settings_view};

use crate::args::InputArgs;
use crate::input;
use crate::planning::{Configured, PlanningArgs};
use crate::show::ShowArgs;

/// Show the settings of each pool, and where each came from.
///
/// Weakest first: default, profile, environment, flag, the NodePool's spec, its annotations, --what-if. Without --all only
/// what somebody set. What is wrong is listed with its annotation or field; such a pool is not consolidated.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  restow config\n  restow config --all -o wide          with what each setting does\n  \
                  restow config --profile careful      what a profile would change\n\n\
                  Exit codes: 0 all is well, 2 something is to be corrected, 1 error."
)]
pub(crate) struct ConfigArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Also settings that nobody set.
    #[arg(long, help_heading = "Output")]
    all: bool,
    #[command(flatten)]
    show: ShowArgs,
    #[command(flatten)]
    planning: PlanningArgs,
}

pub(crate) fn run(args: &ConfigArgs) -> anyhow::Result<ExitCode> {
    let snapshot = input::read(&args.input)?;
    let configured = Configured::new(snapshot, &args.planning, &args.planning.what_ifs)?;
    configured.say_what_has_no_effect(&args.planning);
    let asked = configured.asked_pools(&args.planning.pools)?;
    let pools = configured
        .snapshot
        .node_pools
        .iter()
        .zip(&configured.pools)
        .filter(|(pool, _)| asked.is_empty() || asked.contains(&pool.meta.name))
        .map(|(pool, resolved)| (configured.snapshot.text(pool.meta.name), resolved));
    let document = SettingsDocument::new(&configured.cluster, pools, args.all);
    args.show.print(&document, settings_view)?;
    Ok(if document.faults() == 0 { ExitCode::SUCCESS } else { ExitCode::from(2) })
}
