//! `restow apply`: carry out a plan that somebody has looked at.

mod ask;
mod progress;
mod records;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use restow_consolidation::settings::{Entry, Name, Origin, Value};
use restow_controller::{Connection, Provider, RunOptions, Tell, WatchOptions};
use restow_execution::{Limits, Phase, Record};
use restow_model::Snapshot;
use restow_report::PlanDocument;
use restow_report::units::counted;

use super::run::{Settled, default_holder, first_catalogs, stopped};
use crate::args::{InputArgs, ServerArgs};
use crate::planning::PlanningArgs;
use crate::{input, terminal};
use progress::Progress;

/// Carry out a plan that somebody has looked at, or one move of it.
///
/// Each move is held against the cluster as it is now, and is refused if something has changed since the plan was made. New nodes
/// are launched and ready before old ones go. What fails, or is interrupted with Ctrl-C, is taken back where that is possible. It
/// runs with your own rights, and with the code that `restow run` runs.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  restow plan -o json --out plan.json; restow apply plan.json\n  \
                  restow apply plan.json --move m1\n  \
                  restow apply plan.json --move m1 --yes\n  \
                  restow apply --recover                            finish or take back what was interrupted\n\n\
                  Exit codes: 0 all done, 2 some of it was refused or taken back, 1 error."
)]
pub(crate) struct ApplyArgs {
    /// The plan, as `restow plan -o json` or `-o yaml` prints it; `-` for standard input.
    #[arg(value_name = "PLAN", required_unless_present = "recover", conflicts_with = "recover")]
    plan: Option<PathBuf>,

    /// Only this move; repeatable.
    #[arg(long = "move", value_name = "ID", value_delimiter = ',')]
    moves: Vec<String>,

    /// Do not ask.
    #[arg(long, short)]
    yes: bool,

    /// Finish, or take back, moves that an interrupted `restow apply` left. A running controller does that by itself.
    #[arg(long)]
    recover: bool,

    #[command(flatten)]
    server: ServerArgs,
    #[command(flatten)]
    planning: PlanningArgs,
}

pub(crate) fn run(args: ApplyArgs) -> anyhow::Result<ExitCode> {
    let document = args.plan.as_ref().map(|path| records::read_plan(path)).transpose()?;
    let runtime = input::runtime()?;
    runtime.block_on(async move {
        match document {
            Some(document) => apply(args, &document).await,
            None => recover(args).await,
        }
    })
}

async fn apply(args: ApplyArgs, document: &PlanDocument) -> anyhow::Result<ExitCode> {
    let chosen = records::choose(document, &args.moves)?;
    if chosen.is_empty() {
        terminal::print("The plan has no moves.")?;
        return Ok(ExitCode::SUCCESS);
    }
    let (connection, snapshot) = read(&args.server).await?;
    let brain = brain(&connection, &args.planning).await?;
    records::refuse_beside_karpenter(&chosen, &snapshot, brain.entries())?;
    let mut waves: Vec<Vec<Record>> = Vec::new();
    let mut refused = Vec::new();
    let now = input::clock();
    for (number, own) in chosen.iter().enumerate() {
        match records::record(document, own, number, &snapshot, now) {
            Ok(record) => match waves.last_mut() {
                Some(last) if number > 0 && chosen[number - 1].wave == own.wave => {
                    last.push(record);
                }
                _ => waves.push(vec![record]),
            },
            Err(problem) => refused.push((own.id.clone(), problem)),
        }
    }
    ask::show(&chosen, &refused)?;
    if waves.is_empty() {
        return Ok(ExitCode::from(2));
    }
    if !args.yes && !ask::may_go_on()? {
        terminal::print("Nothing was done.")?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut done = Vec::new();
    for wave in waves {
        let over = carry_out(&connection, &args.planning, wave).await?;
        let stops = over.iter().any(|own| own.phase != Phase::Done);
        done.extend(over);
        // What comes later counts on what came before.
        if stops {
            break;
        }
    }
    finish(&done, chosen.len())
}

/// Goes on with what somebody left.
async fn recover(args: ApplyArgs) -> anyhow::Result<ExitCode> {
    let (connection, _) = read(&args.server).await?;
    let (records, unreadable) = connection.moves().await.context("cannot read the moves")?;
    for own in unreadable {
        terminal::warn(&own.to_string());
    }
    let open: Vec<Record> = records.into_iter().filter(|own| !own.phase.is_over()).collect();
    if open.is_empty() {
        terminal::print("No move is under way.")?;
        return Ok(ExitCode::SUCCESS);
    }
    terminal::note(&format!("{} under way", counted(open.len(), "move")));
    if !args.yes && !ask::may_go_on()? {
        terminal::print("Nothing was done.")?;
        return Ok(ExitCode::SUCCESS);
    }
    let options = options();
    let brain = Box::new(brain(&connection, &args.planning).await?);
    let tell: Arc<dyn Tell> = Arc::new(Progress::new(&open));
    let count = open.len();
    let over =
        restow_controller::recover(connection, &options, brain, tell, stop(), input::clock).await?;
    finish(&over, count)
}

async fn carry_out(
    connection: &Connection,
    planning: &PlanningArgs,
    records: Vec<Record>,
) -> anyhow::Result<Vec<Record>> {
    let options = options();
    let brain = Box::new(brain(connection, planning).await?);
    let tell: Arc<dyn Tell> = Arc::new(Progress::new(&records));
    let connection = connection.clone();
    Ok(restow_controller::carry_out(
        connection,
        &options,
        brain,
        tell,
        stop(),
        input::clock,
        records,
    )
    .await?)
}

/// Asked to stop by Ctrl-C.
fn stop() -> tokio::sync::watch::Receiver<bool> {
    let (asks, stop) = tokio::sync::watch::channel(false);
    tokio::spawn(async move {
        stopped().await;
        terminal::note("stopping: what can be taken back is");
        let _ = asks.send(true);
    });
    stop
}

fn options() -> RunOptions {
    RunOptions {
        namespace: "restow".to_owned(),
        lease: None,
        holder: format!("apply-{}", default_holder()),
        provider: Provider::Karpenter,
        limits: Limits::default(),
        watch: WatchOptions::default(),
    }
}

/// The settings of the cluster, in which somebody has just asked to act, at once.
async fn brain(connection: &Connection, planning: &PlanningArgs) -> anyhow::Result<Settled> {
    let asked = match planning.prices.catalogs.as_slice() {
        [] => None,
        names => Some(first_catalogs(connection, names).await?),
    };
    let mut brain = Settled::new(planning, asked)?;
    for (name, text) in [(Name::Mode, "act"), (Name::ValidationWait, "0s")] {
        let (pool, value, origin) = (None, Value::Text(text.to_owned()), Origin::WhatIf);
        brain.assume(Entry { pool, name, value, origin });
    }
    Ok(brain)
}

async fn read(server: &ServerArgs) -> anyhow::Result<(Connection, Snapshot)> {
    let args = InputArgs {
        context: server.context.clone(),
        kubeconfig: server.kubeconfig.clone(),
        skip_invalid: true,
        ..InputArgs::default()
    };
    let live = input::connect_and_list(&args).await?;
    let (snapshot, _) = live.reader.finish(Some(input::clock()))?;
    Ok((live.connection, snapshot))
}

/// Says what came of it.
fn finish(done: &[Record], asked: usize) -> anyhow::Result<ExitCode> {
    let made = done.iter().filter(|own| own.phase == Phase::Done).count();
    let promised: f64 =
        done.iter().filter(|own| own.phase == Phase::Done).map(|own| own.promised.dollars()).sum();
    let realised: f64 =
        done.iter().filter_map(|own| own.outcome.as_ref()).map(|own| own.realised.dollars()).sum();
    terminal::print(&format!(
        "{made} of {} done: saves ${realised:.4} per hour of ${promised:.4} promised.",
        counted(asked, "move")
    ))?;
    let failed =
        done.iter().any(|own| own.outcome.as_ref().is_some_and(|own| own.failure.is_some()));
    Ok(if made == asked && !failed { ExitCode::SUCCESS } else { ExitCode::from(2) })
}
