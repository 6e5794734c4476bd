//! `restow demo`: an example cluster, for a first look without a cluster of one's own.

use std::process::ExitCode;

use anyhow::Context;
use restow_kubernetes::file;
use restow_report::{Fleet, FleetOptions, GroupBy, NodeKey, ViewOptions, money};

use crate::args::PriceArgs;
use crate::prices;
use crate::terminal::{self, ColorChoice};

/// The example: `cargo xtask demo` writes it.
static CLUSTER: &[u8] = include_bytes!("../../demo/cluster.restow");

/// Look at an example cluster; no cluster or cloud account needed.
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
    let book = prices::book(&PriceArgs::default(), &snapshot)?;
    let view = ViewOptions {
        width: Some(terminal::width()),
        color: args.color.on_stdout(),
        ..ViewOptions::default()
    };
    let fleet = Fleet::new(&snapshot, &book, &FleetOptions::default());
    let by_pool = FleetOptions { group_by: GroupBy::new(NodeKey::Pool), ..FleetOptions::default() };
    let pools = Fleet::new(&snapshot, &book, &by_pool);
    let text = [
        "An example cluster, as `restow nodes` shows it:\n".to_owned(),
        restow_report::nodes_view(&fleet, &view),
        "\nThe same by pool (`restow nodes --group-by pool`):\n".to_owned(),
        restow_report::nodes_view(&pools, &ViewOptions { summary: false, ..view }),
        format!("\n{}", findings(&fleet)),
    ];
    terminal::print(&text.join("\n"))?;
    if let Some(path) = &args.save {
        std::fs::write(path, CLUSTER)
            .with_context(|| format!("{}: cannot write", path.display()))?;
        terminal::note(&format!("try: restow nodes -f {} --sort -price", path.display()));
    } else {
        terminal::note(
            "now yours: `restow nodes` on your cluster (read-only), or `restow nodes -f dump.json`",
        );
    }
    Ok(ExitCode::SUCCESS)
}

/// What can be said without a plan: what is paid for and not asked for.
fn findings(fleet: &Fleet) -> String {
    let priced =
        || fleet.nodes.iter().filter_map(|node| Some((node, node.price.as_ref().ok()?.price)));
    let half_empty =
        |node: &restow_report::FleetNode| node.amounts.average().is_some_and(|share| share < 0.5);
    let total: restow_model::Price = priced().map(|(_, price)| price).sum();
    let idle: f64 = priced()
        .map(|(node, price)| {
            price.dollars() * (1.0 - node.amounts.average().unwrap_or_default()).max(0.0)
        })
        .sum();
    let half: Vec<restow_model::Price> =
        priced().filter(|(node, _)| half_empty(node)).map(|(_, price)| price).collect();
    let idle = restow_model::Price::from_dollars(idle).unwrap_or_default();
    format!(
        "What that says: {} of {} pays for room that no pod asks for; {} nodes for {} are less than half full.",
        money::per_hour(idle),
        money::per_hour(total),
        half.len(),
        money::per_hour(half.iter().copied().sum()),
    )
}
