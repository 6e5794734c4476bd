//! Keeps what was listed true: applies changes as the server tells them.
//!
//! One loop owns the reader. Each kind has one thing under way at a time: opening its watch, waiting for the
//! watch's next line, or listing it anew after its version became too old. So nothing is shared or locked, and
//! a kind in trouble does not hold up the others.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{AsyncBufReadExt, StreamExt};
use restow_kubernetes::{Kind, Reader, WatchEvent};
use tokio::time::Instant;

use crate::answer::{Answer, Failure, root_cause};
use crate::client::{Connection, Lines, OpenError, target};
use crate::error::LiveError;
use crate::list::{ListOptions, LiveRead};
use crate::pages::{Cursor, Next};

/// The kinds that change often enough to be watched.
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
    /// A kind is listed anew, because its version became too old.
    Relisting {
        /// Which.
        kind: Kind,
    },
    /// A kind is no longer watched: the server no longer has it, or the user may not watch it.
    Lost {
        /// Which.
        kind: Kind,
        /// Why.
        reason: String,
    },
}

/// What one kind was waiting for.
enum Step {
    Opened(Kind, Result<Lines, OpenError>),
    Line(Kind, Lines, std::io::Result<Vec<u8>>),
    Page(Cursor, Result<Answer, Failure>),
}

/// Where the watch of a kind stands.
struct Position {
    path: &'static str,
    version: String,
    /// Failures since the last line.
    failures: u32,
    relisting: bool,
}

struct Watcher<'a> {
    connection: &'a Connection,
    reader: &'a mut Reader,
    options: &'a WatchOptions,
    list: ListOptions,
    positions: BTreeMap<Kind, Position>,
    steps: FuturesUnordered<BoxFuture<'static, Step>>,
    changes: u64,
}

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
    let retry = options.list.retry.without_end();
    let list = ListOptions { retry, restarts: u32::MAX, ..options.list.clone() };
    let mut watcher = Watcher {
        connection,
        reader,
        options,
        list,
        positions: BTreeMap::new(),
        steps: FuturesUnordered::new(),
        changes: 0,
    };
    for kind in WATCHED {
        if let Some(listed) = live.lists.get(&kind) {
            let version = listed.resource_version.clone().unwrap_or_default();
            let position = Position { path: listed.path, version, failures: 0, relisting: false };
            watcher.positions.insert(kind, position);
            watcher.open(kind, None);
        }
    }
    let mut next_telling = Instant::now();
    loop {
        let due = watcher.is_due().then_some(next_telling);
        let step = tokio::select! {
            biased;
            () = reached(due) => None,
            step = watcher.steps.next() => match step {
                Some(step) => Some(step),
                None => return Ok(()),
            },
        };
        let told = if let Some(step) = step {
            watcher.take(step, tell)?
        } else {
            next_telling = Instant::now() + options.interval;
            let changes = std::mem::take(&mut watcher.changes);
            tell(WatchNews::Changed { reader: watcher.reader, changes })
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

type Tell<'a> = &'a mut (dyn FnMut(WatchNews<'_>) -> ControlFlow<()> + Send);

impl Watcher<'_> {
    /// Whether there is something to tell. While a kind is listed anew, only a part of it is known.
    fn is_due(&self) -> bool {
        self.changes > 0 && !self.positions.values().any(|position| position.relisting)
    }

    /// Opens the watch of a kind, after a pause.
    fn open(&mut self, kind: Kind, pause: Option<Duration>) {
        let Some(position) = self.positions.get(&kind) else { return };
        let lifetime = self.options.lifetime.as_secs().to_string();
        let query = [
            ("watch", "true"),
            ("allowWatchBookmarks", "true"),
            ("resourceVersion", position.version.as_str()),
            ("timeoutSeconds", lifetime.as_str()),
        ];
        let target = target(position.path, &query);
        let connection = self.connection.clone();
        let (sleep, patience) = (self.list.retry.sleep.clone(), self.list.patience);
        self.steps.push(Box::pin(async move {
            if let Some(pause) = pause {
                sleep(pause).await;
            }
            let late = |_| Err(OpenError::Failure(Failure::Transport("no answer".to_owned())));
            let opened = tokio::time::timeout(patience, connection.open(&target)).await;
            Step::Opened(kind, opened.unwrap_or_else(late))
        }));
    }

    /// Waits for the next line of a kind's watch.
    fn listen(&mut self, kind: Kind, mut lines: Lines) {
        // The server ends the watch in time; a connection that says nothing for longer is dead.
        let silence = self.options.lifetime + Duration::from_secs(30);
        self.steps.push(Box::pin(async move {
            let mut line = Vec::new();
            let read = tokio::time::timeout(silence, lines.read_until(b'\n', &mut line)).await;
            let result = match read {
                Ok(Ok(_)) => Ok(line),
                Ok(Err(error)) => Err(error),
                Err(_) => Err(std::io::ErrorKind::TimedOut.into()),
            };
            Step::Line(kind, lines, result)
        }));
    }

    fn take(&mut self, step: Step, tell: Tell<'_>) -> Result<ControlFlow<()>, LiveError> {
        match step {
            Step::Opened(kind, Ok(lines)) => {
                self.listen(kind, lines);
                Ok(ControlFlow::Continue(()))
            }
            Step::Opened(kind, Err(error)) => self.not_opened(kind, error, tell),
            // A line without its end was cut off, and comes again.
            Step::Line(kind, lines, Ok(line)) if line.ends_with(b"\n") => {
                Ok(self.line(kind, lines, &line, tell))
            }
            Step::Line(kind, _, Ok(_)) => Ok(self.reconnect(kind, None, tell)),
            Step::Line(kind, _, Err(error)) => {
                Ok(self.reconnect(kind, Some(root_cause(&error)), tell))
            }
            Step::Page(cursor, answer) => self.page(cursor, answer, tell),
        }
    }

    fn not_opened(
        &mut self,
        kind: Kind,
        error: OpenError,
        tell: Tell<'_>,
    ) -> Result<ControlFlow<()>, LiveError> {
        let server = self.connection.server.clone();
        match error {
            OpenError::Status { code: 401, message } => {
                Err(LiveError::Unauthorized { server, message })
            }
            OpenError::Status { code: 403, message } if kind.is_essential() => {
                Err(LiveError::Forbidden { verb: "watch", kind, message })
            }
            OpenError::Status { code: 403 | 404, message } => Ok(self.lose(kind, message, tell)),
            OpenError::Status { code: 410, .. } => Ok(self.relist(kind, tell)),
            OpenError::Status { message: reason, .. }
            | OpenError::Failure(Failure::Transport(reason)) => {
                Ok(self.reconnect(kind, Some(reason), tell))
            }
            OpenError::Failure(Failure::Credentials(reason)) => {
                Err(LiveError::Credentials { reason })
            }
        }
    }

    fn line(&mut self, kind: Kind, lines: Lines, line: &[u8], tell: Tell<'_>) -> ControlFlow<()> {
        let Some(position) = self.positions.get_mut(&kind) else {
            return ControlFlow::Continue(());
        };
        let (version, changes) = match self.reader.watch_event(kind, position.path, line) {
            Ok(
                WatchEvent::Applied { resource_version } | WatchEvent::Deleted { resource_version },
            ) => (resource_version, 1),
            Ok(WatchEvent::Bookmark { resource_version }) => (resource_version, 0),
            // A line that makes no sense may have been a change: the list tells, or says what is wrong.
            Ok(WatchEvent::Expired) | Err(_) => return self.relist(kind, tell),
            Ok(WatchEvent::Failed { code, message }) => {
                return self.reconnect(kind, Some(format!("{message} ({code})")), tell);
            }
        };
        if !version.is_empty() {
            position.version = version;
        }
        position.failures = 0;
        self.changes += changes;
        self.listen(kind, lines);
        ControlFlow::Continue(())
    }

    /// Opens the watch again where it ended. Servers end every watch after a while: that is no news.
    fn reconnect(
        &mut self,
        kind: Kind,
        trouble: Option<String>,
        tell: Tell<'_>,
    ) -> ControlFlow<()> {
        let Some(position) = self.positions.get_mut(&kind) else {
            return ControlFlow::Continue(());
        };
        position.failures += 1;
        let pause = self.list.retry.pause(position.failures, None).unwrap_or_default();
        self.open(kind, Some(pause));
        match trouble {
            Some(reason) => tell(WatchNews::Reconnecting { kind, pause, reason }),
            None => ControlFlow::Continue(()),
        }
    }

    /// Lists a kind anew, because the changes since its version are no longer known.
    fn relist(&mut self, kind: Kind, tell: Tell<'_>) -> ControlFlow<()> {
        if let Some(position) = self.positions.get_mut(&kind) {
            position.relisting = true;
            position.failures += 1;
            // Not at once when it happens again and again.
            let pause = (position.failures > 1)
                .then(|| self.list.retry.pause(position.failures, None))
                .flatten();
            self.reader.forget(kind);
            self.ask(Cursor::new(kind), pause);
        }
        tell(WatchNews::Relisting { kind })
    }

    fn ask(&mut self, cursor: Cursor, pause: Option<Duration>) {
        let asked = cursor.ask(self.connection, &self.list, pause);
        self.steps.push(Box::pin(async move {
            let (cursor, answer) = asked.await;
            Step::Page(cursor, answer)
        }));
    }

    fn page(
        &mut self,
        mut cursor: Cursor,
        answer: Result<Answer, Failure>,
        tell: Tell<'_>,
    ) -> Result<ControlFlow<()>, LiveError> {
        let kind = cursor.kind;
        match cursor.take(self.reader, self.connection, &self.list, answer)? {
            Next::Page { .. } | Next::OtherVersion | Next::Restart => self.ask(cursor, None),
            Next::Retry { pause, reason } => {
                self.ask(cursor, Some(pause));
                return Ok(tell(WatchNews::Reconnecting { kind, pause, reason }));
            }
            Next::Done { resource_version } => {
                if let Some(position) = self.positions.get_mut(&kind) {
                    position.path = cursor.path();
                    position.version = resource_version.unwrap_or_default();
                    position.relisting = false;
                }
                self.changes += 1;
                self.open(kind, None);
            }
            Next::Missing => {
                return Ok(self.lose(kind, "the server no longer has it".to_owned(), tell));
            }
            Next::Forbidden { message } => return Ok(self.lose(kind, message, tell)),
        }
        Ok(ControlFlow::Continue(()))
    }

    fn lose(&mut self, kind: Kind, reason: String, tell: Tell<'_>) -> ControlFlow<()> {
        self.positions.remove(&kind);
        tell(WatchNews::Lost { kind, reason })
    }
}
