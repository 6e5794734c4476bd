//! `restow simulate` and `restow compare`: what a policy does to a cluster, in virtual time.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::ValueEnum;
use restow_model::GoDuration;
use restow_report::{
    Simulated, SimulationReport, ViewOptions, comparison_view, simulation_document,
    simulation_html, simulation_view,
};
use restow_scenario::shipped;
use restow_simulator::{Consolidator, Faults, Options, Tried};

use crate::scenario::{ScenarioArgs, Trial, check, try_with};
use crate::terminal::ColorChoice;
use crate::{output, terminal};

/// Run a scenario: what a policy does to a cluster, over hours or weeks, in seconds.
///
/// A scenario is a cluster, what happens to it, and what is expected. The simulated cluster has a scheduler, controllers,
/// disruption budgets, an autoscaler and a provider that takes its time; decisions are made by the code that runs in
/// production. Equal input gives equal output, on any number of threads.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
                  restow simulate --list                  scenarios that come with restow\n  \
                  restow simulate s1-off-peak-cascade     one of them\n  \
                  restow simulate my.yaml --faults --duration 3h\n  \
                  restow simulate my.yaml --seeds 20 --record log.jsonl\n  \
                  restow simulate my.yaml -o html --out report.html\n  \
                  restow simulate monday.history          what `restow record` saw, under restow\n\n\
                  The format of scenarios: docs/scenarios.md. Prices are asked for by histories; a scenario has its own.\n\n\
                  Exit codes: 0 all expectations hold, 3 one does not, 1 error.")]
pub(crate) struct SimulateArgs {
    /// Let everything go wrong between restow and the cluster, and look every step over: old and lost observations, actions
    /// that are lost, done twice or late, crashes at any point. Exit code 3 and how to see it again if anything is found.
    #[arg(long)]
    faults: bool,

    #[command(flatten)]
    scenario: ScenarioArgs,

    #[command(flatten)]
    show: ShowArgs,
}

/// Compare policies on a scenario: cost, evictions, waiting pods, and which are worth choosing.
///
/// The policies are files, names, or those of the scenario. Each is tried with the same seeds: the same load, the same boot
/// times, the same interruptions. A policy is marked if no other is better in cost, evictions and waiting at once.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
                  restow compare s1-off-peak-cascade --policy careful --policy karpenter-1.14 --policy none\n  \
                  restow compare my.yaml --policy a.yaml --policy b.yaml --seeds 20 -o html --out report.html\n  \
                  restow compare monday.history --policy seeds --policy careful     what `restow record` saw\n\n\
                  Exit codes: 0 all expectations hold, 3 one does not, 1 error.")]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    scenario: ScenarioArgs,
    #[command(flatten)]
    show: ShowArgs,
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

    /// Also write every decision to a file, one JSON object in a line, with what it led to.
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,

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
    /// Everything.
    Wide,
    Json,
    Yaml,
    /// One page that needs nothing else.
    Html,
}

/// How long it is quiet at the end of a run with faults, so that everything can come to rest.
const QUIET: GoDuration = GoDuration::from_seconds(3600);

pub(crate) fn simulate(args: &SimulateArgs) -> anyhow::Result<ExitCode> {
    run(&args.scenario, &args.show, false, args.faults)
}

pub(crate) fn compare(args: &CompareArgs) -> anyhow::Result<ExitCode> {
    run(&args.scenario, &args.show, true, false)
}

fn run(
    args: &ScenarioArgs,
    show: &ShowArgs,
    compares: bool,
    faults: bool,
) -> anyhow::Result<ExitCode> {
    if args.list {
        terminal::print(&list()?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let trial = args.load(compares)?;
    let Trial { scenario, policies, seeds, threads } = &trial;
    if faults && scenario.setup.script.duration <= QUIET {
        terminal::warn("the last hour is without faults, and this is no longer: say --duration 3h");
    }
    let options = Options { faults: faults.then(Faults::default), checks: faults };
    let (tried, broken) =
        try_with(&scenario.setup, policies, seeds, *threads, &scenario.name, options);
    // Under faults only what must never be counts.
    let checked = if faults { Vec::new() } else { check(scenario, &tried) };
    let nobody = policies.iter().find(|own| own.consolidator == Consolidator::None);
    let command = if compares { "compare" } else { "simulate" };
    let document = simulation_document(&Simulated {
        scenario: &scenario.name,
        start: scenario.setup.snapshot.time,
        duration: scenario.setup.script.duration,
        tried: &tried,
        baseline: nobody.map(|own| own.name.as_str()),
        checked: &checked,
        command: &args.command(command),
    });
    if let Some(path) = &show.record {
        std::fs::write(path, decisions(&tried)?)
            .with_context(|| format!("{}: cannot write", path.display()))?;
    }
    let acting = policies.iter().filter(|own| own.consolidator != Consolidator::None).count();
    show.print(&document, compares || acting > 1)?;
    for own in broken.iter().take(10) {
        let again = format!("{} --faults --seed {}", args.command(command), own.seed);
        let first = own.broken.first().map(|own| format!("{}: {:?}", own.at, own.what));
        terminal::warn(&format!(
            "{}: {} ({} in all)\n  {again}",
            own.policy,
            first.unwrap_or_default(),
            own.broken.len()
        ));
    }
    if faults {
        let runs = policies.len() * seeds.len();
        terminal::note(&format!(
            "{runs} runs with faults, {} of them broke something",
            broken.len()
        ));
    }
    let failed = checked.iter().any(|own| !own.passed) || !broken.is_empty();
    Ok(if failed { ExitCode::from(3) } else { ExitCode::SUCCESS })
}

/// The scenarios that come with restow, with their titles.
fn list() -> anyhow::Result<String> {
    let mut text = String::new();
    let width = shipped().iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    for (name, _) in shipped() {
        let title = crate::scenario::read(name)?.title;
        writeln!(text, "{name:width$}  {title}")?;
    }
    Ok(text)
}

/// Every decision, one in a line.
fn decisions(tried: &[Tried]) -> anyhow::Result<String> {
    let mut text = String::new();
    for own in tried {
        for run in &own.runs {
            for decision in &run.decisions {
                let mut value = serde_json::to_value(decision)?;
                if let Some(fields) = value.as_object_mut() {
                    fields.insert("policy".to_owned(), own.policy.clone().into());
                    fields.insert("seed".to_owned(), run.seed.into());
                }
                writeln!(text, "{value}")?;
            }
        }
    }
    Ok(text)
}

impl ShowArgs {
    /// Prints a report, or writes it to a file.
    pub(crate) fn print(&self, document: &SimulationReport, compares: bool) -> anyhow::Result<()> {
        let text = match self.output {
            Format::Table | Format::Wide if compares => comparison_view(document, &self.view()),
            Format::Table | Format::Wide => simulation_view(document, &self.view()),
            Format::Json => output::json(document)?,
            Format::Yaml => output::yaml(document)?,
            Format::Html => simulation_html(document),
        };
        output::deliver(&text, self.out.as_deref())
    }

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
