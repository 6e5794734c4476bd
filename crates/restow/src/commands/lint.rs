//! `restow lint`: what keeps nodes or is not what its author meant, with what it locks in and how to change it.

use std::process::ExitCode;

use clap::ValueEnum;
use restow_consolidation::Fleet;
use restow_consolidation::lint::{Finding, Object, Severity, lint};
use restow_model::{Snapshot, Str};
use restow_report::{LintReport, lint_view};

use crate::args::InputArgs;
use crate::input;
use crate::planning::{PlanningArgs, Prepared};
use crate::show::ShowArgs;

/// Find what keeps nodes from being consolidated, what that costs, and what is not what its author meant.
///
/// PodDisruptionBudgets that never let a pod go, marks, pods without a controller, budgets with gaps, settings that
/// contradict each other. Each finding has an owner, the savings that it locks in, and a fix to paste; nothing is changed.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  restow lint                        the current cluster\n  \
                  restow lint --severity error       only what does not do what it says\n  \
                  restow lint -o json | jq -r '.findings[].fix'\n\n\
                  Exit codes: 0 nothing to do (notes do not count), 2 warnings or errors, 1 error of restow.")]
pub(crate) struct LintArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Leave out findings that are less severe.
    #[arg(long, value_enum, default_value_t = Least::Note, value_name = "LEAST", help_heading = "Output")]
    severity: Least,
    #[command(flatten)]
    show: ShowArgs,
    #[command(flatten)]
    planning: PlanningArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Least {
    /// It does not do what it says.
    Error,
    /// It costs money or surprises people.
    Warning,
    /// Good to know.
    Note,
}

impl Least {
    const fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warning => Severity::Warning,
            Self::Note => Severity::Note,
        }
    }
}

pub(crate) fn run(args: &LintArgs) -> anyhow::Result<ExitCode> {
    let report = report_of(input::read(&args.input)?, &args.planning, args.severity.severity())?;
    args.show.print(&report, lint_view)?;
    Ok(if report.asks_for_work() { ExitCode::from(2) } else { ExitCode::SUCCESS })
}

/// Everything that is found in a cluster.
pub(super) fn report(snapshot: Snapshot, planning: &PlanningArgs) -> anyhow::Result<LintReport> {
    report_of(snapshot, planning, Severity::Note)
}

fn report_of(
    snapshot: Snapshot,
    planning: &PlanningArgs,
    least: Severity,
) -> anyhow::Result<LintReport> {
    let original = (!planning.what_ifs.is_empty()).then(|| snapshot.clone());
    let mut prepared = Prepared::new(snapshot, planning)?;
    if let Some(original) = original {
        prepared = prepared.with(original, planning, &planning.what_ifs)?;
    }
    prepared.configured.say_what_has_no_effect(planning);
    let pools = prepared.configured.asked_pools(&planning.pools)?;
    let fleet = prepared.fleet(&pools);
    let (plan, _) = prepared.plan(&fleet);
    let mut findings = lint(&fleet, &prepared.offers, &plan);
    findings.retain(|own| concerns(&fleet, own, &pools));
    Ok(LintReport::new(&fleet, &findings, least))
}

/// Whether a finding is about one of these pools, or about one of their nodes; all are if none is named.
fn concerns(fleet: &Fleet<'_>, finding: &Finding, pools: &[Str]) -> bool {
    let asked = |pool: usize| pools.contains(&fleet.pools[pool].name);
    let node = |at: usize| fleet.nodes[at].pool.is_some_and(asked);
    pools.is_empty()
        || match finding.object {
            Object::Pool(at) => asked(at),
            Object::Node(at) => node(at),
            Object::Pod(_) | Object::Pdb(_) | Object::Workload(_) | Object::Cluster => {
                finding.nodes.iter().any(|at| node(*at))
            }
        }
}
