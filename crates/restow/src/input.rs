//! A cluster, from files or live, as a snapshot.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use indicatif::{ProgressBar, ProgressStyle};
use restow_controller::{Connection, ListOptions, LiveRead, Progress};
use restow_kubernetes::{Kind, ReadOptions, ReadSummary, Reader, find_inputs};
use restow_model::{Snapshot, Time};
use restow_report::units::counted;

use crate::args::InputArgs;
use crate::{scheduler_config, terminal};

/// Reads the cluster that the arguments name, and says on standard error what was left out.
pub(crate) fn read(args: &InputArgs) -> anyhow::Result<Snapshot> {
    let mut snapshot = if args.files.is_empty() {
        runtime()?.block_on(read_live(args))?
    } else {
        read_all_files(args)?
    };
    if let Some(path) = &args.scheduler_config {
        scheduler_config::apply_and_tell(path, &mut snapshot)?;
    }
    Ok(snapshot)
}

/// Gives pods that were added to a cluster what its own pods got by the scheduler's configuration.
pub(crate) fn spread_added(args: &InputArgs, snapshot: &mut Snapshot) -> anyhow::Result<()> {
    if let Some(path) = &args.scheduler_config {
        scheduler_config::apply(path, snapshot)?;
    }
    Ok(())
}

fn read_all_files(args: &InputArgs) -> anyhow::Result<Snapshot> {
    let snapshot = read_files(args)?;
    let origin = match args.files.as_slice() {
        [path] if path.as_os_str() == "-" => "standard input".to_owned(),
        [path] => path.display().to_string(),
        paths => format!("{} inputs", paths.len()),
    };
    if snapshot.nodes.is_empty() && snapshot.pods.is_empty() {
        terminal::warn(&format!("{origin} holds no nodes and no pods"));
    }
    Ok(snapshot)
}

/// Reads the files of the arguments, whatever they hold, and says on standard error what was left out.
pub(crate) fn read_files(args: &InputArgs) -> anyhow::Result<Snapshot> {
    let mut reader = Reader::new(ReadOptions { skip_invalid: args.skip_invalid });
    for path in &args.files {
        read_path(&mut reader, path)?;
    }
    let (snapshot, summary) = reader.finish(args.now)?;
    report(&summary);
    Ok(snapshot)
}

fn read_path(reader: &mut Reader, path: &Path) -> anyhow::Result<()> {
    if path.as_os_str() == "-" {
        return Ok(reader.read("standard input", io::stdin().lock())?);
    }
    let cannot = || format!("{}: cannot read", path.display());
    let found = find_inputs(path).with_context(cannot)?;
    if found.files.is_empty() {
        anyhow::bail!(
            "{}: the folder holds no .json, .yaml, .ndjson or .restow file ({} others)",
            path.display(),
            found.passed_over
        );
    }
    for path in &found.files {
        let file = File::open(path).with_context(|| format!("{}: cannot read", path.display()))?;
        let length = file.metadata().map(|metadata| metadata.len()).unwrap_or_default();
        let bar = byte_bar(length, &path.display().to_string());
        let result = reader.read(&path.display().to_string(), bar.wrap_read(file));
        bar.finish_and_clear();
        result?;
    }
    Ok(())
}

fn byte_bar(length: u64, name: &str) -> ProgressBar {
    // Small files are read before a bar could be seen.
    if !terminal::shows_progress() || length < 64 << 20 {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {bytes}/{total_bytes} {eta}");
    ProgressBar::new(length)
        .with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "))
        .with_message(name.to_owned())
}

/// What was not read, and why.
fn report(summary: &ReadSummary) {
    for skipped in summary.skipped.iter().take(5) {
        terminal::warn(&format!("left out: {}", skipped.0));
    }
    match summary.skipped.len() {
        0 => {}
        count => terminal::warn(&format!("left out in all: {}", counted(count, "invalid object"))),
    }
    if !summary.ignored.is_empty() {
        let total: u64 = summary.ignored.values().sum();
        let mut kinds: Vec<(&String, &u64)> = summary.ignored.iter().collect();
        kinds.sort_by_key(|(kind, count)| (std::cmp::Reverse(**count), *kind));
        let named: Vec<&str> = kinds.iter().take(3).map(|(kind, _)| kind.as_str()).collect();
        let more = if kinds.len() > 3 { ", …" } else { "" };
        terminal::note(&format!(
            "ignored {} of kinds that restow does not read: {}{more}",
            counted(total as usize, "object"),
            named.join(", ")
        ));
    }
    if summary.repeated > 0 {
        terminal::note(&format!(
            "came more than once: {}; the newest version of each counts",
            counted(summary.repeated as usize, "object")
        ));
    }
}

/// An async runtime; only live clusters need one.
pub(crate) fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        // What a thread has freed is given back to the system when the thread ends: a plan takes much for a short time.
        .thread_keep_alive(Duration::from_secs(2))
        .enable_all()
        .build()
        .context("cannot start the async runtime")
}

/// A live cluster that is connected and read.
pub(crate) struct Live {
    pub(crate) connection: Connection,
    pub(crate) reader: Reader,
    pub(crate) lists: LiveRead,
}

async fn read_live(args: &InputArgs) -> anyhow::Result<Snapshot> {
    let live = connect_and_list(args).await?;
    let (snapshot, summary) = live.reader.finish(Some(args.now.unwrap_or_else(clock)))?;
    report(&summary);
    Ok(snapshot)
}

/// Connects to the cluster of the arguments and lists it, with progress.
pub(crate) async fn connect_and_list(args: &InputArgs) -> anyhow::Result<Live> {
    let bar =
        if terminal::shows_progress() { ProgressBar::new_spinner() } else { ProgressBar::hidden() };
    bar.enable_steady_tick(Duration::from_millis(120));
    bar.set_message("connecting");
    let connection =
        restow_controller::connect(args.kubeconfig.clone(), args.context.clone()).await?;
    let mut reader = Reader::new(ReadOptions { skip_invalid: args.skip_invalid });
    let mut counts = std::collections::BTreeMap::<Kind, usize>::new();
    let mut progress = |progress: Progress| match progress {
        Progress::Page { kind, items, .. } | Progress::Finished { kind, items } => {
            counts.insert(kind, items);
            let count = |kind| counts.get(&kind).copied().unwrap_or_default();
            let others: usize = counts
                .iter()
                .filter(|(kind, _)| !kind.is_essential())
                .map(|(_, items)| items)
                .sum();
            bar.set_message(format!(
                "reading {} nodes, {} pods, {others} other objects",
                count(Kind::Node),
                count(Kind::Pod)
            ));
        }
        Progress::Retrying { kind, pause, reason } => {
            bar.set_message(format!(
                "{kind}: {reason}; trying again in {} s",
                pause.as_secs().max(1)
            ));
        }
        Progress::Restarted { kind } => {
            bar.set_message(format!("{kind}: the list changed, reading it anew"));
        }
        Progress::Started { .. } => {}
    };
    let lists = restow_controller::read_cluster(
        &connection,
        &mut reader,
        &ListOptions::default(),
        &mut progress,
    )
    .await;
    bar.finish_and_clear();
    let lists = lists?;
    say_what_is_forbidden(&lists);
    let missing = |kind| {
        lists.notes.iter().any(|note| {
            matches!(note, restow_controller::Note::Missing { .. }) && note.kind() == kind
        })
    };
    if missing(Kind::NodePool) {
        terminal::note("the cluster has no Karpenter NodePools; node groups are shown as pools");
    }
    Ok(Live { connection, reader, lists })
}

/// Says what may not be listed: kinds from which the same follows in one line. A cluster that has no Karpenter is not worth a
/// word for each kind that is missing.
fn say_what_is_forbidden(lists: &LiveRead) {
    let buffers = lists.lists.get(&Kind::CapacityBuffer).map_or(0, |own| own.items);
    let mut told: Vec<(&str, Vec<&restow_controller::Note>)> = Vec::new();
    for note in &lists.notes {
        // Only buffers refer to templates.
        let matters = note.kind() != Kind::PodTemplate || buffers > 0;
        if !matters || !matches!(note, restow_controller::Note::Forbidden { .. }) {
            continue;
        }
        let consequence = note.consequence().unwrap_or_default();
        match told.iter_mut().find(|(known, _)| *known == consequence) {
            Some((_, notes)) => notes.push(note),
            None => told.push((consequence, vec![note])),
        }
    }
    for (consequence, notes) in told {
        match notes.as_slice() {
            [only] => terminal::warn(&only.to_string()),
            several => {
                let kinds: Vec<&str> = several.iter().map(|note| note.kind().plural()).collect();
                terminal::warn(&format!("no right to list {}: {consequence}", kinds.join(", ")));
            }
        }
    }
}

/// The time of the machine.
pub(crate) fn clock() -> Time {
    let since_epoch =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Time::from_millis(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
}
