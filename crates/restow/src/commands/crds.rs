//! `restow crds`: the kinds that a controller keeps its work in, and the NodePool with more fields.

use std::process::ExitCode;

use clap::ValueEnum;

use crate::terminal;

/// Print the CustomResourceDefinitions, to hand them to kubectl.
///
/// `restow run` needs Move and ConsolidationReport. NodePool is a superset of Karpenter's, with more fields under `spec.disruption`:
/// whatever Karpenter's takes, it takes. It goes in the place of Karpenter's and is optional: the same settings can be annotations.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  restow crds --only Move,ConsolidationReport | kubectl apply --server-side -f -\n  \
                  restow crds --only NodePool | kubectl apply --server-side --force-conflicts -f -\n  \
                  restow crds | kubectl diff --server-side -f -"
)]
pub(crate) struct CrdsArgs {
    /// Only these kinds; repeatable.
    #[arg(long, value_name = "KIND", value_enum, ignore_case = true, value_delimiter = ',')]
    only: Vec<Crd>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Crd {
    #[value(name = "NodePool")]
    NodePool,
    #[value(name = "Move")]
    Move,
    #[value(name = "ConsolidationReport")]
    ConsolidationReport,
}

impl Crd {
    fn text(self) -> &'static str {
        match self {
            Self::NodePool => {
                include_str!("../../../../deploy/crds/karpenter.sh_nodepools.yaml")
            }
            Self::Move => include_str!("../../../../deploy/crds/restow.dev_moves.yaml"),
            Self::ConsolidationReport => {
                include_str!("../../../../deploy/crds/restow.dev_consolidationreports.yaml")
            }
        }
    }
}

pub(crate) fn run(args: &CrdsArgs) -> anyhow::Result<ExitCode> {
    let chosen = Crd::value_variants().iter().copied();
    let chosen = chosen.filter(|own| args.only.is_empty() || args.only.contains(own));
    let mut text = String::new();
    for own in chosen {
        text += "---\n";
        text += own.text().trim_start_matches("---\n");
    }
    terminal::print(&text)?;
    Ok(ExitCode::SUCCESS)
}
