//! The command line, with help that shows an example of everything.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};

use crate::commands::{
    apply, budget, catalog, completions, config, crds, demo, diff, explain, history, lint,
    manifests, nodes, pause, plan, record, run, schedule, simulate, snapshot, tune,
};

/// The version, with the date of the built-in prices.
fn version() -> &'static str {
    static VERSION: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    VERSION.get_or_init(|| {
        let date = restow_catalog::builtin_sources().iter().filter_map(|source| source.date).max();
        format!(
            "{} (built-in prices up to {})",
            env!("CARGO_PKG_VERSION"),
            date.unwrap_or("unknown")
        )
    })
}

/// Node consolidation that is worth its disruption.
///
/// Shows what a Kubernetes fleet is, what it costs and how full it is, which nodes could go and why the others stay, where pods
/// would go, and what a policy would do over days, on any cluster, with nothing installed in it and without writing to it.
#[derive(Parser, Debug)]
#[command(
    name = "restow",
    version = version(),
    propagate_version = false,
    arg_required_else_help = true,
    after_help = "Examples:\n  restow demo                         a real case, told in a minute, no cluster needed\n  \
                  restow nodes                        the fleet of the current kubeconfig context\n  \
                  restow nodes -f cluster.json        the same from `kubectl get -A -o json` output\n  \
                  restow plan                         which nodes to delete or replace, and why not the others\n  \
                  restow plan --what-if budgets=50%   the same if a setting were otherwise\n  \
                  restow explain node node-a          why it stays, gate by gate, and what would change that\n  \
                  restow lint                         what locks savings in, with fixes to paste\n  \
                  restow schedule                     where pending pods would go, and what they need\n  \
                  restow schedule --drain node-a      where the pods of a node would go\n  \
                  restow compare s1-off-peak-cascade  policies side by side, in virtual time\n  \
                  restow tune -f my.restow            which settings are worth choosing, found by trying\n  \
                  restow snapshot --to my.restow      keep a cluster in a small file\n\n\
                  Exit codes: 0 done, 1 error, 2 something is proposed or incomplete, 3 a check failed."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Nodes(nodes::NodesArgs),
    Plan(Box<plan::PlanArgs>),
    Explain(explain::ExplainArgs),
    Lint(Box<lint::LintArgs>),
    Config(Box<config::ConfigArgs>),
    Budget(Box<budget::BudgetArgs>),
    Diff(Box<diff::DiffArgs>),
    Schedule(schedule::ScheduleArgs),
    Snapshot(snapshot::SnapshotArgs),
    Catalog(catalog::CatalogArgs),
    Simulate(Box<simulate::SimulateArgs>),
    Compare(Box<simulate::CompareArgs>),
    Tune(Box<tune::TuneArgs>),
    Record(record::RecordArgs),
    Demo(demo::DemoArgs),
    Run(Box<run::RunArgs>),
    Apply(Box<apply::ApplyArgs>),
    History(history::HistoryArgs),
    Pause(pause::PauseArgs),
    Resume(pause::ResumeArgs),
    Crds(crds::CrdsArgs),
    Manifests(manifests::ManifestsArgs),
    Completions(completions::CompletionsArgs),
}

/// Help and usage say `kubectl restow` when the program was called as kubectl's plugin.
pub(crate) fn named_after(command: clap::Command, called: Option<&OsString>) -> clap::Command {
    let name = called.map(Path::new).and_then(Path::file_stem).map(|name| name.to_string_lossy());
    match name.as_deref() {
        Some("kubectl-restow" | "kubectl_restow") => {
            command.bin_name("kubectl restow").display_name("kubectl restow")
        }
        _ => command.bin_name("restow"),
    }
}

/// Where a cluster comes from.
#[derive(clap::Args, Debug, Default)]
#[command(next_help_heading = "Cluster")]
pub(crate) struct InputArgs {
    /// Read objects from a file, a folder or `-` (standard input) instead of a live cluster; repeatable.
    ///
    /// JSON or YAML as kubectl prints it, single objects, lists, many documents, gzip, or a snapshot file. Unknown kinds
    /// are ignored and counted.
    #[arg(short = 'f', long = "filename", value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Leave out objects that cannot be read, count them and go on.
    #[arg(long)]
    pub(crate) skip_invalid: bool,

    /// The time to assume, such as 2026-11-15T12:00:00Z.
    ///
    /// Without it: for files the newest creation or status time in them, for a live cluster the clock.
    #[arg(long, value_name = "TIME")]
    pub(crate) now: Option<restow_model::Time>,

    /// How the cluster's scheduler is configured: its `defaultConstraints` spread pods that do not say how they spread.
    ///
    /// A KubeSchedulerConfiguration, or the file of Karpenter's `--scheduler-config`.
    #[arg(long, value_name = "FILE")]
    pub(crate) scheduler_config: Option<PathBuf>,

    /// The kubeconfig context to read.
    #[arg(long, value_name = "NAME", conflicts_with = "files")]
    pub(crate) context: Option<String>,

    /// The kubeconfig file to use.
    #[arg(long, value_name = "FILE", conflicts_with = "files")]
    pub(crate) kubeconfig: Option<PathBuf>,
}

/// A live cluster.
#[derive(clap::Args, Debug, Default)]
#[command(next_help_heading = "Cluster")]
pub(crate) struct ServerArgs {
    /// The kubeconfig context; inside of a cluster none is needed.
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,

    /// The kubeconfig file to use.
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,
}

/// Where prices come from.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Prices")]
pub(crate) struct PriceArgs {
    /// Where instance types and prices come from; repeatable, later ones win.
    ///
    /// aws:REGION, azure:REGION, gcp:REGION or kwok (built in), a CSV or JSON file, the KWOK provider's instance types, or
    /// Karpenter's metrics as a file or an address such as http://localhost:8080/metrics. Without it: what fits the nodes.
    #[arg(long = "catalog", value_name = "SOURCE", env = "RESTOW_CATALOG", value_delimiter = ',')]
    pub(crate) catalogs: Vec<String>,

    /// What every node costs besides its machine, in dollars per hour.
    #[arg(long, value_name = "DOLLARS", env = "RESTOW_NODE_FEE")]
    pub(crate) node_fee: Option<restow_model::Price>,

    /// Discount rules: YAML such as '[{family: m5, percent: 30}]', or @FILE.
    ///
    /// A rule may name provider, region, family, instanceType and capacityType; all rules that match apply.
    #[arg(long, value_name = "YAML", env = "RESTOW_DISCOUNTS")]
    pub(crate) discounts: Option<String>,

    /// What a type really costs: TYPE[/ZONE[/CAPACITY-TYPE]]=DOLLARS; repeatable.
    #[arg(long = "price", value_name = "TYPE=DOLLARS")]
    pub(crate) overrides: Vec<restow_catalog::Override>,
}
