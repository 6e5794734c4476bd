//! `restow nodes`: what a fleet is, what it costs and how full it is.

use std::io::{IsTerminal, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;

use clap::ValueEnum;
use restow_catalog::{CapacityType, NodeGroups};
use restow_controller::{WatchNews, WatchOptions};
use restow_model::Snapshot;
use restow_report::{
    Fleet, FleetOptions, GroupBy, LabelSelector, NodeFilter, NodeState, SortKey, ViewOptions,
};

use crate::args::{InputArgs, PriceArgs};
use crate::terminal::ColorChoice;
use crate::{input, output, prices, terminal};

/// Show the fleet: what it is, what it costs and how full it is.
///
/// By requests, not usage. Works on any cluster: nodes that no Karpenter NodePool made are shown by their node groups
/// (EKS, GKE, AKS, Cluster API, kOps) or by a label of your choice.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  restow nodes\n  restow nodes --sort -price --group-by pool\n  \
                  restow nodes -f cluster.json --pool 'batch*' -o wide\n  \
                  kubectl get nodes,pods -A -o json | restow nodes -f -\n  \
                  restow nodes --watch --selector team=search"
)]
pub(crate) struct NodesArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    prices: PriceArgs,
    #[command(flatten)]
    show: ShowArgs,
}

/// Which nodes, and how.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Nodes")]
pub(crate) struct ShowArgs {
    /// Only these pools; `*` and `?` stand for anything.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pool: Vec<String>,

    /// Only nodes with these labels, as for kubectl: a=b,c!=d,e in (x,y),!f.
    #[arg(
        short = 'l',
        long,
        value_name = "SELECTOR",
        default_value = "",
        hide_default_value = true
    )]
    selector: LabelSelector,

    /// Only these instance types; `*` and `?` stand for anything.
    #[arg(long = "type", value_name = "NAME", value_delimiter = ',')]
    types: Vec<String>,

    /// Only these zones.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    zone: Vec<String>,

    /// Only on-demand, spot or reserved nodes.
    #[arg(long, value_name = "TYPE", value_delimiter = ',')]
    capacity_type: Vec<CapacityType>,

    /// Only nodes in these states, such as Ready, NotReady, Cordoned or Deleting.
    #[arg(long, value_name = "STATE", value_delimiter = ',')]
    state: Vec<NodeState>,

    /// Sort by name, pool, type, zone, capacity-type, state, arch, price, age, cpu, memory, pods, utilization or a label; a
    /// leading `-` puts the largest first; repeatable.
    #[arg(long, value_name = "KEY", value_delimiter = ',', allow_hyphen_values = true)]
    sort: Vec<SortKey>,

    /// Show groups instead of nodes: by pool, type, zone, capacity-type, state, arch or a label.
    #[arg(long, value_name = "KEY")]
    group_by: Option<GroupBy>,

    /// Show these labels as columns.
    #[arg(short = 'L', long = "label-columns", value_name = "KEY", value_delimiter = ',')]
    labels: Vec<String>,

    /// Which node groups count as pools: auto, off or label=KEY.
    #[arg(long, value_name = "GROUPS", default_value = "auto", env = "RESTOW_NODE_GROUPS")]
    node_groups: NodeGroups,

    /// The format.
    #[arg(short, long, value_enum, default_value_t = Format::Table, help_heading = "Output")]
    output: Format,

    /// Leave out the header line.
    #[arg(long, help_heading = "Output")]
    no_headers: bool,

    /// Draw bars in ASCII.
    #[arg(long, help_heading = "Output")]
    ascii: bool,

    /// When to use colour.
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    color: ColorChoice,

    /// Keep watching the live cluster and show what changes; end with Ctrl-C.
    #[arg(short, long, conflicts_with = "files", help_heading = "Output")]
    watch: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// What fits the terminal.
    Table,
    /// All columns.
    Wide,
    Json,
    Yaml,
    Csv,
}

impl ShowArgs {
    pub(crate) fn options(&self) -> FleetOptions {
        FleetOptions {
            node_groups: self.node_groups.clone(),
            filter: NodeFilter {
                pools: self.pool.clone(),
                selector: self.selector.clone(),
                types: self.types.clone(),
                zones: self.zone.clone(),
                capacity_types: self.capacity_type.clone(),
                states: self.state.clone(),
            },
            sort: self.sort.clone(),
            group_by: self.group_by.clone(),
            labels: self.labels.clone(),
        }
    }

    fn view(&self) -> ViewOptions {
        let wide = self.output == Format::Wide;
        ViewOptions {
            width: (!wide).then(terminal::width),
            wide,
            color: self.color.on_stdout(),
            ascii: self.ascii,
            headers: !self.no_headers,
            ..ViewOptions::default()
        }
    }

    pub(crate) fn render(&self, fleet: &Fleet) -> anyhow::Result<String> {
        Ok(match self.output {
            Format::Table | Format::Wide => restow_report::nodes_view(fleet, &self.view()),
            Format::Json => restow_report::json(fleet),
            Format::Yaml => output::yaml(&restow_report::document(fleet))?,
            Format::Csv => restow_report::csv(fleet, !self.no_headers),
        })
    }
}

pub(crate) fn run(args: &NodesArgs) -> anyhow::Result<ExitCode> {
    if args.show.watch {
        return input::runtime()?.block_on(watch(args));
    }
    let snapshot = input::read(&args.input)?;
    terminal::print(&screen(args, &snapshot)?)?;
    Ok(ExitCode::SUCCESS)
}

fn screen(args: &NodesArgs, snapshot: &Snapshot) -> anyhow::Result<String> {
    let book = prices::book(&args.prices, snapshot)?;
    args.show.render(&Fleet::new(snapshot, &book, &args.show.options()))
}

/// Shows the fleet whenever something changed, at most once a second.
async fn watch(args: &NodesArgs) -> anyhow::Result<ExitCode> {
    let mut live = input::connect_and_list(&args.input).await?;
    let redraw = args.show.output == Format::Table && std::io::stdout().is_terminal();
    let show = |snapshot: &Snapshot| -> anyhow::Result<()> {
        let text = screen(args, snapshot)?;
        if redraw {
            // To the top left, and nothing of the old screen below.
            let mut out = std::io::stdout().lock();
            write!(out, "\x1b[H\x1b[2J")?;
        }
        terminal::print(&text)
    };
    show(&live.reader.snapshot(input::clock()))?;
    let mut failed = None;
    let mut tell = |news: WatchNews<'_>| match news {
        WatchNews::Changed { reader, .. } => match show(&reader.snapshot(input::clock())) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failed = Some(error);
                ControlFlow::Break(())
            }
        },
        WatchNews::Reconnecting { kind, reason, .. } => {
            terminal::note(&format!("{kind}: {reason}; connecting again"));
            ControlFlow::Continue(())
        }
        WatchNews::Relisting { .. } => ControlFlow::Continue(()),
        WatchNews::Lost { kind, reason } => {
            terminal::warn(&format!("{kind} is no longer watched: {reason}"));
            ControlFlow::Continue(())
        }
    };
    let options = WatchOptions::default();
    let watching = restow_controller::watch_cluster(
        &live.connection,
        &mut live.reader,
        &live.lists,
        &options,
        &mut tell,
    );
    tokio::select! {
        ended = watching => ended?,
        _ = tokio::signal::ctrl_c() => {}
    }
    failed.map_or(Ok(ExitCode::SUCCESS), Err)
}
