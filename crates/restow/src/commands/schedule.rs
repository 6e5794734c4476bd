//! `restow schedule`: where pods would go, what they would need, and why some fit nowhere.

mod feasible;
mod made;
mod merge;
mod pods_file;
mod question;
mod scale;
mod workloads;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::ValueEnum;
use restow_model::{Price, Snapshot};
use restow_report::ScheduleReport;
use restow_report::money::node_per_hour;
use restow_report::units::counted;
use restow_scheduling::{Cluster, Limits, Offers, Preferences, Schedule, Settings, might_preempt};

use crate::args::{InputArgs, PriceArgs};
use crate::show::ShowArgs;
use crate::{input, prices, terminal};

use feasible::Which;
use question::Question;
use scale::Scale;

/// Show where pods would go, which new nodes they need and why some fit nowhere.
///
/// For the pods that are pending now, or for pods of a file, of a workload with more replicas, or of nodes that are drained.
/// By the rules of the real scheduler, all at once: each pod takes the room that the ones before it left. Nothing is
/// changed in the cluster.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  restow schedule                               what is pending now\n  \
                  restow schedule --scale deployment/web=30     would 30 replicas fit?\n  \
                  restow schedule --pods app.yaml -o json       what would a new app need?\n  \
                  restow schedule --drain node-a,node-b         where would their pods go?\n  \
                  restow schedule -f dump.json --no-new-nodes   on the nodes that are there\n  \
                  restow schedule --feasible web/api-x2x4z      which nodes could run it?\n\n\
                  Exit codes: 0 every pod has a place, 2 some have none, 1 error."
)]
pub(crate) struct ScheduleArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    prices: PriceArgs,
    #[command(flatten)]
    ask: AskArgs,
    #[command(flatten)]
    show: ShowArgs,
}

/// What is asked.
#[derive(clap::Args, Debug)]
#[command(next_help_heading = "Question")]
pub(crate) struct AskArgs {
    /// Ask for the pods of a file, a folder or `-` instead of the pending ones; repeatable.
    ///
    /// Pods in the formats of --filename. Deployments, ReplicaSets, StatefulSets, ReplicationControllers and Jobs stand for
    /// all of their pods.
    #[arg(long, value_name = "FILE")]
    pods: Vec<PathBuf>,

    /// Ask for the pods that a workload of this size would still need: [NAMESPACE/]KIND/NAME=N; repeatable.
    ///
    /// Kinds: deployment, replicaset, statefulset, replicationcontroller, job, or deploy, rs, sts, rc. Pods of it that are
    /// pending count first, then new ones are made of its template.
    #[arg(long, value_name = "WORKLOAD=N")]
    scale: Vec<Scale>,

    /// The namespace of workloads that are named without one.
    ///
    /// Without it: the only namespace that has such a workload, or `default`.
    #[arg(short, long, value_name = "NAME", requires = "scale")]
    namespace: Option<String>,

    /// Ask for the pods of these nodes, as if the nodes were gone; repeatable.
    #[arg(long, value_name = "NODE", value_delimiter = ',')]
    drain: Vec<String>,

    /// Use nodes that exist only.
    #[arg(long, conflicts_with = "max_new_nodes")]
    no_new_nodes: bool,

    /// Launch that many new nodes at most.
    #[arg(long, value_name = "N")]
    max_new_nodes: Option<usize>,

    /// What pods would like but do not require.
    #[arg(long, value_enum, default_value_t, value_name = "HOW")]
    preferences: PreferenceArg,

    /// For each of these pods by itself: which nodes could run it, and why the others could not.
    ///
    /// `pending`, `all` or NAMESPACE/NAME. A pod that runs is asked about as if it alone were evicted. New nodes and
    /// preferences do not count.
    #[arg(
        long,
        value_name = "PODS",
        conflicts_with_all = ["scale", "drain", "no_new_nodes", "max_new_nodes", "preferences"]
    )]
    feasible: Option<Which>,
}

/// What is made of preferences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum PreferenceArg {
    /// They count as requirements until a pod would fit nowhere.
    #[default]
    Respect,
    /// Only requirements count.
    Ignore,
}

impl AskArgs {
    fn limits(&self) -> Limits {
        match self.max_new_nodes {
            _ if self.no_new_nodes => Limits::EXISTING,
            Some(new_nodes) => Limits { new_nodes, ..Limits::ANY },
            None => Limits::ANY,
        }
    }

    fn settings(&self) -> Settings {
        let preferences = match self.preferences {
            PreferenceArg::Respect => Preferences::Respect,
            PreferenceArg::Ignore => Preferences::Ignore,
        };
        // Where nothing is launched, only zones that have nodes are zones to spread over.
        let new_domains = self.limits().new_nodes > 0;
        Settings { preferences, new_domains, ..Settings::PLANNER }
    }
}

pub(crate) fn run(args: &ScheduleArgs) -> anyhow::Result<ExitCode> {
    let mut snapshot = input::read(&args.input)?;
    let added = pods_file::add(&mut snapshot, &args.ask.pods, &args.input)?;
    input::spread_added(&args.input, &mut snapshot)?;
    if let Some(which) = &args.ask.feasible {
        return feasible::run(&snapshot, which, &args.show);
    }
    let question = Question::new(&mut snapshot, &args.ask, added)?;
    input::spread_added(&args.input, &mut snapshot)?;
    question.say_what_is_left_out(&snapshot);
    let report = answer(&mut snapshot, args, &question)?;
    let view = |_: &_, options: &_| restow_report::schedule_view(&report, options);
    args.show.print(&restow_report::schedule_document(&report), view)?;
    Ok(if report.left_out() == 0 { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

fn answer(
    snapshot: &mut Snapshot,
    args: &ScheduleArgs,
    question: &Question,
) -> anyhow::Result<ScheduleReport> {
    let book = prices::book(&args.prices, snapshot)?;
    if book.list().types().is_empty() && !snapshot.node_pools.is_empty() {
        terminal::warn(
            "no catalog says what the pools could launch; name one, such as --catalog aws:us-east-1",
        );
    }
    let offers = Arc::new(Offers::new(snapshot, &book));
    let settings = args.ask.settings();
    let place = |settings: Settings| {
        let mut cluster = Cluster::new(snapshot, Arc::clone(&offers), settings);
        let drain: Vec<_> = question.drain.iter().filter_map(|name| cluster.node(*name)).collect();
        cluster.schedule(snapshot, &question.pods, &drain, args.ask.limits())
    };
    let schedule = place(settings);
    let left: Vec<usize> =
        schedule.unplaced.iter().flat_map(|own| own.pods.iter().copied()).collect();
    let preempting = might_preempt(snapshot, &left);
    if preempting > 0 {
        terminal::note(&format!(
            "{} without a place may preempt running pods of a lower priority, which is not modelled",
            counted(preempting, "pod")
        ));
    }
    if settings.preferences == Preferences::Respect && !schedule.new_nodes.is_empty() {
        say_what_preferences_cost(
            &schedule,
            &place(Settings { preferences: Preferences::Ignore, ..settings }),
        );
    }
    Ok(ScheduleReport {
        sources: book.list().sources().to_vec(),
        nothing: question.nothing().to_owned(),
        ..ScheduleReport::new(snapshot, &schedule, &question.drain)
    })
}

/// The scheduler gives up a preference before it leaves a pod pending: who counts new nodes should know how many are due to
/// preferences alone.
fn say_what_preferences_cost(with: &Schedule, without: &Schedule) {
    let price = |own: &Schedule| own.new_nodes.iter().map(|node| node.price).sum::<Price>();
    let saved = price(with) - price(without);
    if without.placements.len() >= with.placements.len() && saved > Price::default() {
        terminal::note(&format!(
            "with --preferences ignore: {}, {} less",
            counted(without.new_nodes.len(), "new node"),
            node_per_hour(saved)
        ));
    }
}
