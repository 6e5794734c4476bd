//! `restow explain`: why a node stays or goes, whether a pod keeps its node, how a pool stands.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Subcommand, ValueEnum};
use indicatif::ProgressBar;
use restow_catalog::nearest;
use restow_consolidation::{Board, Case, Explanation, Outcome, counterfactuals};
use restow_model::Snapshot;
use restow_report::{
    NodeExplanation, NodeQuestion, PodExplanation, PodFeasibility, PoolExplanation, ViewOptions,
    node_explanation_view, nodes_by_name, pod_explanation_view, pool_explanation_view,
};
use restow_scheduling::{Cluster, Offers, Settings};
use serde::Serialize;

use crate::args::InputArgs;
use crate::planning::{PlanningArgs, Prepared};
use crate::settings_args::read_structured;
use crate::terminal::ColorChoice;
use crate::{input, output, terminal};

/// Explain why a node stays or goes, whether a pod keeps its node, or how a pool stands.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  restow explain node ip-10-0-1-7      every gate, what is short, what would change it\n  \
                  restow explain pod web/api-7f9c      does it keep its node, and where could it go?\n  \
                  restow explain pool default          verdicts, budgets, settings\n\n\
                  Exit codes: 0 answered, 1 error."
)]
pub(crate) struct ExplainArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    Node(Box<NodeArgs>),
    Pod(Box<PodArgs>),
    Pool(Box<PoolArgs>),
}

/// Explain why a node stays or goes: every gate with its numbers, what its own move is short of, and what would have to be
/// otherwise for it to go.
///
/// What would have to be otherwise is found by planning again with it, a dozen times or so: each answer is true, and
/// `restow plan --what-if` shows it.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  restow explain node ip-10-0-1-7\n  \
                  restow explain node node-a -f dump.json --what-if savings-threshold-cents=0.5\n  \
                  restow explain node node-a -o json | jq -r '.gates[] | select(.passed == false) | .code'")]
struct NodeArgs {
    /// The node.
    name: String,

    /// Do not look for what would have to be otherwise, which takes the most time.
    #[arg(long)]
    no_counterfactuals: bool,

    #[command(flatten)]
    common: Common,
}

/// Explain whether a pod keeps its node and how, where it could go, and where the plan sends it.
#[derive(clap::Args, Debug)]
struct PodArgs {
    /// The pod: NAMESPACE/NAME, or its name if no other namespace has one of that name.
    #[arg(value_name = "NAMESPACE/NAME")]
    name: String,

    #[command(flatten)]
    common: Common,
}

/// Explain a pool: what becomes of its nodes and why, what its budgets allow now, which settings are not defaults.
#[derive(clap::Args, Debug)]
#[command(visible_alias = "nodepool")]
struct PoolArgs {
    /// The pool.
    name: String,

    #[command(flatten)]
    common: Common,
}

/// What all three take. An explanation is about the plan of the whole cluster, so that choosing pools is not shown.
#[derive(clap::Args, Debug)]
#[command(mut_arg("pool", |arg| arg.hide(true)))]
struct Common {
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
struct ShowArgs {
    /// The format.
    #[arg(short, long, value_enum, default_value_t = Format::Table)]
    output: Format,

    /// When to use colour.
    #[arg(long, value_enum, default_value_t)]
    color: ColorChoice,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// What fits the terminal.
    Table,
    Json,
    Yaml,
}

impl ShowArgs {
    fn print<T: Serialize>(
        &self,
        document: &T,
        view: impl FnOnce(&T, &ViewOptions) -> String,
    ) -> anyhow::Result<ExitCode> {
        let options = ViewOptions {
            width: Some(terminal::width()),
            color: self.color.on_stdout(),
            ..ViewOptions::default()
        };
        let text = match self.output {
            Format::Table => view(document, &options),
            Format::Json => output::json(document)?,
            Format::Yaml => output::yaml(document)?,
        };
        terminal::print(&text)?;
        Ok(ExitCode::SUCCESS)
    }
}

pub(crate) fn run(args: &ExplainArgs) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Node(args) => node(args),
        What::Pod(args) => pod(args),
        What::Pool(args) => pool(args),
    }
}

impl Common {
    /// The cluster as it is, or with what is assumed of it.
    fn prepare(&self) -> anyhow::Result<Prepared> {
        anyhow::ensure!(
            self.planning.pools.is_empty(),
            "--pool is for `restow plan`: an explanation is about the plan of the whole cluster"
        );
        let snapshot = input::read(&self.input)?;
        let args = &self.planning;
        let original = (!args.what_ifs.is_empty()).then(|| snapshot.clone());
        let mut prepared = Prepared::new(snapshot, args)?;
        if let Some(original) = original {
            prepared = prepared.with(original, args, &args.what_ifs)?;
        }
        prepared.configured.say_what_is_wrong();
        prepared.configured.say_what_has_no_effect(args);
        Ok(prepared)
    }

    /// The question that the plan answers, to be asked otherwise.
    fn case<'a>(&self, prepared: &'a Prepared) -> anyhow::Result<Case<'a>> {
        let mut entries = Vec::new();
        for own in &self.planning.settings.given {
            entries.push(own.entry()?);
        }
        for own in &self.planning.what_ifs {
            entries.extend(own.entry(&read_structured));
        }
        Ok(Case {
            snapshot: prepared.configured.snapshot.clone(),
            book: &prepared.book,
            offers: Arc::clone(&prepared.offers),
            entries,
            read: &read_structured,
            groups: prepared.configured.groups.clone(),
            price_age: prepared.price_age,
        })
    }
}

fn node(args: &NodeArgs) -> anyhow::Result<ExitCode> {
    let prepared = args.common.prepare()?;
    let fleet = prepared.fleet(&[]);
    let at = fleet.node(&args.name).ok_or_else(|| {
        let names = fleet.nodes.iter().map(|node| fleet.snapshot.text(node.name));
        unknown("node", &args.name, names)
    })?;
    let (plan, _) = prepared.plan(&fleet);
    let explained = Explanation::new(&mut Board::new(&fleet, &prepared.offers), &plan, at);
    let wanted = !args.no_counterfactuals && explained.verdict.outcome != Outcome::Consolidate;
    let found = if wanted {
        let case = args.common.case(&prepared)?;
        let bar = if terminal::shows_progress() {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        bar.enable_steady_tick(Duration::from_millis(120));
        bar.set_message("planning with what could be otherwise");
        let found = counterfactuals(&case, &plan, at);
        bar.finish_and_clear();
        found
    } else {
        Vec::new()
    };
    let assumed: Vec<String> =
        args.common.planning.what_ifs.iter().map(ToString::to_string).collect();
    let question = NodeQuestion {
        explained: &explained,
        counterfactuals: (!args.no_counterfactuals).then_some(found.as_slice()),
        what_if: &assumed,
    };
    let document = NodeExplanation::new(&fleet, &plan, &question)
        .ok_or_else(|| anyhow::anyhow!("node {} is not in the plan", args.name))?;
    args.common.show.print(&document, node_explanation_view)
}

fn pod(args: &PodArgs) -> anyhow::Result<ExitCode> {
    let prepared = args.common.prepare()?;
    let fleet = prepared.fleet(&[]);
    let snapshot = &prepared.configured.snapshot;
    let pod = find_pod(snapshot, &args.name)?;
    let (plan, _) = prepared.plan(&fleet);
    let mut cluster = Cluster::new(snapshot, Arc::new(Offers::none()), Settings::SCHEDULER);
    // Where it is now is no answer to where it could go.
    let own = snapshot.pods[pod].node;
    let mut order = nodes_by_name(snapshot);
    order.retain(|at| snapshot.nodes[*at].meta.name != own);
    let answers = cluster.feasibility(snapshot, pod);
    let feasibility = PodFeasibility::new(snapshot, &order, pod, answers);
    let document = PodExplanation::new(&fleet, &plan, pod, feasibility);
    args.common.show.print(&document, |own, options| pod_explanation_view(own, options))
}

fn pool(args: &PoolArgs) -> anyhow::Result<ExitCode> {
    let prepared = args.common.prepare()?;
    let fleet = prepared.fleet(&[]);
    let name = |at: usize| fleet.snapshot.text(fleet.pools[at].name);
    let all = 0..fleet.pools.len();
    let at = all
        .clone()
        .find(|at| name(*at) == args.name)
        .ok_or_else(|| unknown("pool", &args.name, all.map(name)))?;
    let (plan, _) = prepared.plan(&fleet);
    let document = PoolExplanation::new(&fleet, &plan, at);
    args.common.show.print(&document, pool_explanation_view)
}

/// The place of a pod in the snapshot.
fn find_pod(snapshot: &Snapshot, wanted: &str) -> anyhow::Result<usize> {
    let full = |at: usize| {
        let pod = &snapshot.pods[at];
        format!("{}/{}", snapshot.text(pod.namespace), snapshot.text(pod.name))
    };
    let is_meant = |at: &usize| match wanted.split_once('/') {
        Some(_) => full(*at) == wanted,
        None => snapshot.text(snapshot.pods[*at].name) == wanted,
    };
    let found: Vec<usize> = (0..snapshot.pods.len()).filter(is_meant).collect();
    match found.as_slice() {
        [only] => Ok(*only),
        [] => {
            let names: Vec<String> = (0..snapshot.pods.len()).map(full).collect();
            Err(unknown("pod", wanted, names.iter().map(String::as_str)))
        }
        several => {
            let names: Vec<String> = several.iter().take(3).map(|at| full(*at)).collect();
            anyhow::bail!("several pods are called {wanted:?}: {}", names.join(", "))
        }
    }
}

/// Says that something is not there, with names that are like it.
fn unknown<'a>(
    kind: &str,
    wanted: &str,
    names: impl Iterator<Item = &'a str> + Clone,
) -> anyhow::Error {
    let mut near = nearest(wanted, names.clone(), 3);
    if near.is_empty() {
        // People leave out the end of long names, or the namespace.
        near = names.clone().filter(|name| name.contains(wanted)).take(3).collect();
    }
    if near.is_empty() {
        return match names.take(3).collect::<Vec<_>>().as_slice() {
            [] => anyhow::anyhow!("no {kind} is called {wanted:?}; the cluster has none"),
            some => anyhow::anyhow!("no {kind} is called {wanted:?}; there is {}", some.join(", ")),
        };
    }
    anyhow::anyhow!("no {kind} is called {wanted:?}; did you mean {}?", near.join(", "))
}
