//! Keeps what is known of a cluster true: applies changes as the server tells them.
//!
//! One loop owns the reader, and whoever wants to know something asks it ([`Job`]). Each kind has one thing under way at a time:
//! opening its watch, waiting for the watch's next line, or reading it anew after its version became too old. So nothing is
//! shared or locked, and a kind in trouble does not hold up the others.

mod position;
mod watcher;

use std::ops::ControlFlow;
use std::time::Duration;

use restow_kubernetes::{Counted, Kind, Reader};
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::client::Connection;
use crate::error::LiveError;
use crate::list::{ListOptions, LiveRead};
use position::Position;
use watcher::Watcher;

/// The kinds that change often enough to be watched by somebody who looks at nodes.
pub const WATCHED: [Kind; 4] = [Kind::Node, Kind::Pod, Kind::NodePool, Kind::NodeClaim];

/// How to watch.
#[derive(Clone, Debug)]
pub struct WatchOptions {
    /// Changes are told at most once in this time.
    pub interval: Duration,
    /// The server ends a watch after this time, and a new one goes on where it ended.
    pub lifetime: Duration,
    /// How to list anew what became too old, and when to try again. The number of tries does not count: a watch
    /// goes on until it is stopped.
    pub list: ListOptions,
}

impl Default for WatchOptions {
    fn default() -> Self {
        Self {
            interval: Duration::from_secs(1),
            lifetime: Duration::from_secs(290),
            list: ListOptions::default(),
        }
    }
}

/// What happened while watching.
pub enum WatchNews<'a> {
    /// Objects changed since the last time.
    Changed {
        /// What is known now.
        reader: &'a Reader,
        /// How many changes were applied.
        changes: u64,
    },
    /// A kind's watch broke and is opened again.
    Reconnecting {
        /// Which.
        kind: Kind,
        /// After which time.
        pause: Duration,
        /// Why.
        reason: String,
    },
    /// A kind is read anew, because its version became too old.
    Relisting {
        /// Which.
        kind: Kind,
    },
    /// A kind is not watched, or no longer: the server does not have it, or the user may not watch it.
    Lost {
        /// Which.
        kind: Kind,
        /// Why.
        reason: String,
    },
}

/// How true the reader is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watching {
    /// Whether every kind has been read to its end: while one is read anew, only a part of it is known.
    pub whole: bool,
    /// How many changes were applied so far.
    pub changes: u64,
    /// How many of them matter, if the reader was told what does.
    pub counted: Counted,
}

/// Something that is done with the reader between two changes.
pub type Job = Box<dyn FnOnce(&mut Reader, Watching) + Send>;

/// Told what happens; stops the watch by breaking.
type Tell<'a> = &'a mut (dyn FnMut(WatchNews<'_>) -> ControlFlow<()> + Send);

/// Watches the kinds of [`WATCHED`] that `live` has read, from where it ended, until `tell` breaks.
///
/// Returns an error only where going on makes no sense; lost connections are opened again.
pub async fn watch_cluster(
    connection: &Connection,
    reader: &mut Reader,
    live: &LiveRead,
    options: &WatchOptions,
    tell: &mut (dyn FnMut(WatchNews<'_>) -> ControlFlow<()> + Send),
) -> Result<(), LiveError> {
    let mut watcher = Watcher::new(connection, reader, options);
    for kind in WATCHED {
        if let Some(listed) = live.lists.get(&kind) {
            watcher.start(kind, Position::after(listed, kind));
        }
    }
    let mut next_telling = Instant::now();
    loop {
        let due = watcher.is_due().then_some(next_telling);
        let told = tokio::select! {
            biased;
            () = reached(due) => {
                next_telling = Instant::now() + options.interval;
                let changes = watcher.take_changes();
                tell(WatchNews::Changed { reader: watcher.reader, changes })
            }
            step = watcher.next() => match step {
                Some(step) => watcher.take(step, tell)?,
                None => return Ok(()),
            },
        };
        if told.is_break() {
            return Ok(());
        }
    }
}

/// Reads every kind and keeps it true, until nobody can send jobs any longer or `tell` breaks. What there is comes on the same
/// stream as what changes afterwards; servers that cannot do that are listed first. A kind that the server does not have is
/// looked for again and again: somebody may install it.
pub async fn follow_cluster(
    connection: &Connection,
    reader: &mut Reader,
    options: &WatchOptions,
    jobs: &mut mpsc::Receiver<Job>,
    tell: &mut (dyn FnMut(WatchNews<'_>) -> ControlFlow<()> + Send),
) -> Result<(), LiveError> {
    let mut watcher = Watcher::new(connection, reader, options);
    for kind in Kind::ALL {
        watcher.start(*kind, Position::from_nothing(*kind));
    }
    loop {
        let told = tokio::select! {
            job = jobs.recv() => match job {
                Some(job) => {
                    let state = watcher.state();
                    job(watcher.reader, state);
                    ControlFlow::Continue(())
                }
                None => return Ok(()),
            },
            step = watcher.next() => match step {
                Some(step) => watcher.take(step, tell)?,
                None => return Ok(()),
            },
        };
        if told.is_break() {
            return Ok(());
        }
    }
}

/// Waits until the time, or for ever without one.
async fn reached(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time).await,
        None => futures::future::pending().await,
    }
}
