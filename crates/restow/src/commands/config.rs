//! `restow config`: the settings of each pool, and where each came from.

use std::process::ExitCode;

use clap::ValueEnum;
use restow_report::{SettingsDocument, ViewOptions, settings_view};

use crate::args::InputArgs;
use crate::planning::{Configured, PlanningArgs};
use crate::terminal::ColorChoice;
use crate::{input, output, terminal};

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
    #[command(flatten)]
    show: ShowArgs,
    #[command(flatten)]
    planning: PlanningArgs,
}

/// How to print.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct ShowArgs {
    /// The format.
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    output: Format,

    /// Also settings that nobody set.
    #[arg(long)]
    all: bool,

    /// Leave out header lines.
    #[arg(long)]
    no_headers: bool,

    /// When to use colour.
    #[arg(long, value_enum, default_value_t)]
    color: ColorChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// What fits the terminal.
    Table,
    /// With what each setting does.
    Wide,
    Json,
    Yaml,
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
    let document = SettingsDocument::new(&configured.cluster, pools, args.show.all);
    let text = match args.show.output {
        Format::Table | Format::Wide => settings_view(&document, &args.show.view()),
        Format::Json => output::json(&document)?,
        Format::Yaml => output::yaml(&document)?,
    };
    terminal::print(&text)?;
    Ok(if document.faults() == 0 { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

impl ShowArgs {
    fn view(&self) -> ViewOptions {
        let wide = self.output == Format::Wide;
        ViewOptions {
            width: (!wide).then(terminal::width),
            wide,
            color: self.color.on_stdout(),
            headers: !self.no_headers,
            ..ViewOptions::default()
        }
    }
}
