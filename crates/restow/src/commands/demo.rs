//! `restow demo`: the first thing that a newcomer runs. No cluster, no files, no arguments.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use restow_kubernetes::file;
use restow_report::{
    DemoStory, Fleet, FleetOptions, Simulated, ViewOptions, demo_view, lint_view, plan_view,
    simulation_document, simulation_html,
};
use restow_scenario::PolicyDraft;

use super::{lint, plan};
use crate::planning::PlanningArgs;
use crate::prices;
use crate::scenario::{check, read, try_all};
use crate::terminal::{self, ColorChoice};

/// The example: `cargo xtask demo` writes it.
static CLUSTER: &[u8] = include_bytes!("../../demo/cluster.restow");

/// The scenario that is told.
const STORY: &str = "s1-six-tenths-of-a-cent";

/// What the story is about. What the operator saw in the end is not said here: that depends on how full
/// the nodes were, which nobody reported.
const ABOUT: &str = "A quiet fleet, as in aws/karpenter-provider-aws#7146: nobody deploys anything, and the next node is always \
                     half a cent cheaper. The nodes are as reported; pods and prices are assumed.";

/// What consolidation does in a real case, with Karpenter and with restow; no cluster or cloud account needed.
///
/// Simulates an evening of a cluster as in aws/karpenter-provider-aws#7146 under Karpenter, under restow, and without either, and tells
/// what happened, what it cost and why. With --fleet it shows an example cluster as `restow nodes`, `restow plan` and
/// `restow lint` do.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  restow demo\n  restow demo --out story.html\n  restow demo --fleet\n  restow demo --save example.restow"
)]
pub(crate) struct DemoArgs {
    /// Where to write the page that shows all of it; a temporary file unless this says otherwise.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Show an example cluster instead: its fleet, its plan and what stands in the way.
    #[arg(long)]
    fleet: bool,

    /// Also write the example cluster to a file, to try other commands on it.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// When to use colour.
    #[arg(long, value_enum, default_value_t)]
    color: ColorChoice,
}

pub(crate) fn run(args: &DemoArgs) -> anyhow::Result<ExitCode> {
    let view = ViewOptions {
        width: Some(terminal::width()),
        color: args.color.on_stdout(),
        ..ViewOptions::default()
    };
    if args.fleet || args.save.is_some() {
        fleet(args, &view)?;
    } else {
        story(args, &view)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One evening, two who consolidate it, and nobody.
fn story(args: &DemoArgs, view: &ViewOptions) -> anyhow::Result<()> {
    let scenario = read(STORY)?;
    let mut policies = Vec::new();
    for name in ["karpenter-1.14", "careful", "none"] {
        let draft = PolicyDraft::named(name).with_context(|| format!("the policy {name}"))?;
        policies.push(scenario.policy(&draft)?);
    }
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let seeds: Vec<u64> = (1..=scenario.seeds).collect();
    let tried = try_all(&scenario.setup, &policies, &seeds, threads, "an evening of a cluster");
    let [peer, ours, nobody] = tried.as_slice() else { anyhow::bail!("the story has three sides") };
    let (start, duration) = (scenario.setup.snapshot.time, scenario.setup.script.duration);
    let document = simulation_document(&Simulated {
        scenario: &scenario.name,
        start,
        duration,
        tried: &tried,
        baseline: Some("none"),
        checked: &check(&scenario, &tried),
        command: &format!("restow simulate {STORY}"),
    });
    let page = args.out.clone().unwrap_or_else(|| std::env::temp_dir().join("restow-demo.html"));
    std::fs::write(&page, simulation_html(&document))
        .with_context(|| format!("{}: cannot write", page.display()))?;
    let shown = page.display().to_string();
    let settings = &policies[1].cluster.settings;
    terminal::print(&demo_view(
        &DemoStory {
            title: &scenario.title,
            about: ABOUT,
            start,
            duration,
            peer_name: "Karpenter 1.14",
            peer,
            our_name: "restow",
            ours,
            nobody,
            threshold_cents: settings.savings_threshold.dollars() * 100.0,
            page: Some(&shown),
        },
        view,
    ))
}

/// An example cluster as other commands show it.
fn fleet(args: &DemoArgs, view: &ViewOptions) -> anyhow::Result<()> {
    let snapshot = file::decode(CLUSTER).context("the embedded example")?;
    let planning = PlanningArgs::default();
    let book = prices::book(&planning.prices, &snapshot)?;
    let fleet = Fleet::new(&snapshot, &book, &FleetOptions::default());
    let nodes = restow_report::nodes_view(&fleet, view);
    let plan = plan_view(&plan::plan(snapshot.clone(), &planning, true)?, view);
    let findings = lint_view(&lint::report(snapshot, &planning)?, view);
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
    Ok(())
}
