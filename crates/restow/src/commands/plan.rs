//! `restow plan`: which nodes to delete or replace, what that saves, and why the others stay.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use restow_model::Snapshot;
use restow_report::{
    PlanDiff, PlanDocument, PlanFacts, PreferencesRow, ViewOptions, plan_html, plan_view,
};

use crate::args::InputArgs;
use crate::planning::{PlanningArgs, Prepared};
use crate::terminal::ColorChoice;
use crate::{input, output, terminal};

/// Show which nodes to delete or replace, what that saves, and why the others stay.
///
/// Nothing is changed in the cluster. The plan is complete: moves are in waves, the first may run now, later ones once those
/// before are done, as budgets, rates and PodDisruptionBudgets allow. Every other node has the reason why it stays, with
/// its numbers.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  restow plan                                       the current cluster\n  \
                  restow plan -f dump.json --catalog aws:us-east-1  a file\n  \
                  restow plan --pool batch --savings-threshold-cents 1\n  \
                  restow plan --what-if pdb/web/api=1               what if it allowed one?\n  \
                  restow plan -o html --out plan.html               a page to pass on\n  \
                  restow plan -o json | jq '.moves[].nodes'\n\n\
                  Settings: `restow plan --help` lists them, `restow config` shows those of each pool.\n\n\
                  Exit codes: 0 nothing to move, 2 there are moves, 1 error."
)]
pub(crate) struct PlanArgs {
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

    /// Write to a file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

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
    /// Every pod and every node.
    Wide,
    Json,
    Yaml,
    /// One page that needs nothing else.
    Html,
}

pub(crate) fn run(args: &PlanArgs) -> anyhow::Result<ExitCode> {
    let snapshot = input::read(&args.input)?;
    let document = plan(snapshot, &args.planning, true)?;
    let text = match args.show.output {
        Format::Table | Format::Wide => plan_view(&document, &args.show.view()),
        Format::Json => output::json(&document)?,
        Format::Yaml => output::yaml(&document)?,
        Format::Html => plan_html(&document),
    };
    output::deliver(&text, args.show.out.as_deref())?;
    Ok(if document.moves.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

/// The plan of a cluster; with assumptions, also what they change; with `costs`, also what pods' preferences cost, which takes
/// one more plan.
pub(super) fn plan(
    snapshot: Snapshot,
    args: &PlanningArgs,
    costs: bool,
) -> anyhow::Result<PlanDocument> {
    let original = (!args.what_ifs.is_empty()).then(|| snapshot.clone());
    let prepared = Prepared::new(snapshot, args)?;
    prepared.configured.say_what_is_wrong();
    prepared.configured.say_what_has_no_effect(args);
    let Some(original) = original else { return document(&prepared, args, costs) };
    let without = document(&prepared, args, false)?;
    let mut with = document(&prepared.with(original, args, &args.what_ifs)?, args, costs)?;
    with.what_if = args.what_ifs.iter().map(ToString::to_string).collect();
    with.difference = Some(Box::new(PlanDiff::new(&without, &with)));
    Ok(with)
}

fn document(prepared: &Prepared, args: &PlanningArgs, costs: bool) -> anyhow::Result<PlanDocument> {
    let pools = prepared.configured.asked_pools(&args.pools)?;
    let fleet = prepared.fleet(&pools);
    let (mut elapsed_ms, mut converged) = (0.0, None);
    let mut first = || {
        let (plan, elapsed) = prepared.plan(&fleet);
        elapsed_ms = elapsed;
        converged = prepared.converges(&fleet, &plan, &pools);
        plan
    };
    let (plan, cost) = if costs { prepared.plan_with_cost(&fleet, first) } else { (first(), None) };
    let facts = PlanFacts { sources: prepared.book.list().sources(), elapsed_ms, pools: &pools };
    let mut document = PlanDocument::new(&fleet, &plan, &facts);
    document.converged = converged;
    document.preferences = cost.map(|cost| PreferencesRow::new(&fleet, &cost));
    Ok(document)
}

impl ShowArgs {
    fn view(&self) -> ViewOptions {
        let wide = self.output == Format::Wide;
        ViewOptions {
            width: (!wide).then(terminal::width),
            wide,
            color: self.out.is_none() && self.color.on_stdout(),
            headers: !self.no_headers,
            ..ViewOptions::default()
        }
    }
}
