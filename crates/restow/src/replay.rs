//! Histories from the command line as scenarios.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use restow_kubernetes::history::{self, History};
use restow_model::GoDuration;
use restow_report::units::counted;
use restow_scenario::{AsItWas, PolicyDraft, Replay, Scenario};
use restow_simulator::Setup;

use crate::args::PriceArgs;
use crate::planning::{PlanningArgs, Prepared};
use crate::terminal;

/// Who consolidates a history if nobody says: the cluster's own settings, the peer, nobody.
const USUAL: [&str; 3] = ["seeds", "karpenter-1.14", "none"];

/// The history of that name as a scenario; `None` if it is none.
pub(crate) fn read(name: &str, prices: &PriceArgs) -> anyhow::Result<Option<Scenario>> {
    let path = Path::new(name);
    if !is_history(path) {
        return Ok(None);
    }
    let bytes = std::fs::read(path).with_context(|| format!("{name}: cannot read"))?;
    let history = history::decode(&bytes).with_context(|| name.to_owned())?;
    warn_of_loss(path, &history);
    let replay = restow_scenario::replay(&history);
    anyhow::ensure!(
        replay.script.duration > GoDuration::ZERO,
        "{name}: nothing was recorded after the start; record for longer"
    );
    say_what_is_not_replayed(name, &replay);
    let Replay { snapshot, script, stays, .. } = replay;
    let planning = PlanningArgs { prices: prices.clone(), ..PlanningArgs::default() };
    let prepared = Prepared::new(snapshot, &planning)?;
    let (snapshot, book) = (prepared.configured.snapshot, prepared.book);
    say_how_it_was(&AsItWas::of(&stays, &snapshot.strings, &book), script.duration);
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    Ok(Some(Scenario {
        name: stem.unwrap_or_else(|| name.to_owned()),
        title: format!("recorded from {} to {}", history.start.time, history.end()),
        description: String::new(),
        source: String::new(),
        seeds: 1,
        setup: Setup { snapshot, book, script },
        policies: USUAL.into_iter().filter_map(PolicyDraft::named).collect(),
        expectations: Vec::new(),
    }))
}

/// Whether a file is there that starts as a history does.
pub(crate) fn is_history(path: &Path) -> bool {
    let mut start = Vec::new();
    let read = File::open(path)
        .and_then(|file| file.take(history::MAGIC.len() as u64).read_to_end(&mut start));
    read.is_ok() && history::is_history(&start)
}

/// Says that the end of a file could not be read.
pub(crate) fn warn_of_loss(path: &Path, history: &History) {
    if history.lost > 0 {
        terminal::warn(&format!(
            "{}: the last {} are not whole and are left out; it ends at {}",
            path.display(),
            counted(history.lost, "byte"),
            history.end()
        ));
    }
}

fn say_what_is_not_replayed(name: &str, replay: &Replay) {
    if replay.unseen > GoDuration::ZERO {
        terminal::note(&format!(
            "{name}: nobody looked for {}; what happened then counts as of its end",
            replay.unseen.human()
        ));
    }
    if let [first, others @ ..] = replay.left_out.as_slice() {
        let more = match others.len() {
            0 => String::new(),
            count => format!(", and {count} more"),
        };
        terminal::note(&format!("{name}: not replayed: {first}{more}"));
    }
}

/// What the cluster cost under whoever consolidated it then, to hold the replays against.
fn say_how_it_was(was: &AsItWas, duration: GoDuration) {
    let nodes = if was.least == was.most {
        counted(was.most, "node")
    } else {
        format!("{} to {}", was.least, counted(was.most, "node"))
    };
    let unpriced = match was.unpriced {
        0 => String::new(),
        count => format!("; no price is known of {}", counted(count, "node")),
    };
    terminal::note(&format!(
        "as it was: ${:.4} in {}, {nodes}, {:.1} node-hours{unpriced}",
        was.dollars,
        duration.human(),
        was.node_hours
    ));
}
