//! `restow record`: what happens to a live cluster, in a file that simulations replay.

mod recording;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context;
use indicatif::ProgressBar;
use restow_controller::{Live, News, Tell, WatchOptions};
use restow_kubernetes::{Kind, Reader};
use restow_model::{GoDuration, Snapshot};
use restow_report::units;

use crate::args::ServerArgs;
use crate::{input, terminal};
use recording::Recording;

/// Record what happens to the cluster, for `restow simulate` and `restow compare` to replay under other settings.
///
/// Only reads (get, list, watch). The file holds the cluster at the start and then what no consolidator causes: workloads that
/// come, go, scale and roll out, jobs and how long they work, disruption budgets, how long pods take to start, spot nodes that are
/// taken back, and the nodes that there were, for what it really cost. It grows with what changes, not with time. Ctrl-C ends it;
/// whatever interrupts it costs the last seconds at most.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  \
                  restow record --out monday.history --for 24h\n  \
                  restow record --out monday.history --append       go on where it ended\n  \
                  restow simulate monday.history                    the same day under restow\n  \
                  restow compare monday.history --policy seeds --policy karpenter-1.14 --policy none")]
pub(crate) struct RecordArgs {
    /// The file to write.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// How long to record; until Ctrl-C unless this says otherwise.
    #[arg(long = "for", value_name = "DURATION", value_parser = crate::scenario::duration)]
    lasts: Option<GoDuration>,

    /// How often to look for what changed.
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = crate::scenario::duration)]
    every: GoDuration,

    /// Go on with a file that exists; what happened meanwhile counts as of now.
    #[arg(long)]
    append: bool,

    #[command(flatten)]
    server: ServerArgs,
}

pub(crate) fn run(args: RecordArgs) -> anyhow::Result<ExitCode> {
    let out = args.out.display().to_string();
    // Before minutes are spent on reading a cluster.
    let there = args.out.exists();
    anyhow::ensure!(args.append || !there, "{out}: the file exists; use --append to go on with it");
    let known = if there { Some(recording::read(&args.out)?) } else { None };
    input::runtime()?.block_on(record(args, known))
}

async fn record(
    args: RecordArgs,
    known: Option<restow_kubernetes::history::History>,
) -> anyhow::Result<ExitCode> {
    let server = args.server;
    let connection = restow_controller::connect(server.kubeconfig, server.context).await?;
    let bar =
        if terminal::shows_progress() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    bar.enable_steady_tick(Duration::from_millis(200));
    bar.set_message("reading the cluster");
    let lost = Arc::new(Lost::default());
    let tell: Arc<dyn Tell> = Arc::<Lost>::clone(&lost);
    let mut live = Live::start(connection, WatchOptions::default(), tell);
    let end = super::run::stopped();
    tokio::pin!(end);
    let first = tokio::select! {
        first = whole(&mut live) => first?,
        () = &mut end => return Ok(ExitCode::SUCCESS),
    };
    for (kind, reason) in lost.take() {
        terminal::warn(&format!("{} are not recorded: {reason}", kind.plural()));
    }
    let mut recording = match known {
        None => Recording::begin(&args.out, first),
        Some(history) => Recording::resume(&args.out, &history, first),
    }
    .with_context(|| cannot_write(&args.out))?;
    let begun = tokio::time::Instant::now();
    let until = args.lasts.map(|lasts| begun + to_std(lasts));
    let mut ended = false;
    while !ended {
        bar.set_message(format!("recording {}", recording.summary()));
        let next = tokio::time::Instant::now() + to_std(args.every);
        let next = until.map_or(next, |until| until.min(next));
        tokio::select! {
            () = tokio::time::sleep_until(next) => ended = until.is_some_and(|until| next >= until),
            () = &mut end => ended = true,
        }
        let look = look(&mut live).await?;
        let gone = lost.take();
        if let Some((kind, reason)) = gone.first() {
            anyhow::bail!("{} can no longer be watched: {reason}", kind.plural());
        }
        let written = match look {
            look if ended => recording.finish(look),
            Some(look) => recording.add(look),
            None => Ok(()),
        };
        written.with_context(|| cannot_write(&args.out))?;
    }
    bar.finish_and_clear();
    terminal::note(&format!("{}: {}", args.out.display(), recording.summary()));
    Ok(ExitCode::SUCCESS)
}

fn cannot_write(path: &Path) -> String {
    format!("{}: cannot write", path.display())
}

fn to_std(time: GoDuration) -> Duration {
    Duration::from_nanos(u64::try_from(time.nanos()).unwrap_or_default())
}

/// The cluster as soon as all of it is known.
async fn whole(live: &mut Live) -> anyhow::Result<Snapshot> {
    loop {
        if let Some(found) = look(live).await? {
            return Ok(found);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The cluster as it is; `None` while a part of it is read anew.
async fn look(live: &mut Live) -> anyhow::Result<Option<Snapshot>> {
    let look = |reader: &mut Reader, watching: restow_controller::Watching| {
        if !watching.whole {
            return None;
        }
        let view = reader.view(input::clock());
        // Names of what is gone add up; most names are of pods and what they are.
        if reader.names() > STALE_NAMES + 4 * view.pods.len() {
            reader.compact();
        }
        Some(view)
    };
    Ok(live.ask(look).await?)
}

/// How many names of what is gone are kept before they are dropped.
const STALE_NAMES: usize = 100_000;

/// Kinds that a recording tells of and that cannot be watched.
#[derive(Default)]
struct Lost(Mutex<Vec<(Kind, String)>>);

impl Lost {
    fn take(&self) -> Vec<(Kind, String)> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Tell for Lost {
    fn tell(&self, news: &News) {
        let News::Lost { kind, reason } = news else { return };
        let told = matches!(
            kind,
            Kind::Deployment
                | Kind::ReplicaSet
                | Kind::StatefulSet
                | Kind::Job
                | Kind::CronJob
                | Kind::PodDisruptionBudget
        );
        if told {
            let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            all.push((*kind, reason.clone()));
        }
    }
}

/// So many bytes, as people say it.
fn size(bytes: u64) -> String {
    units::bytes(i64::try_from(bytes).unwrap_or(i64::MAX))
}
