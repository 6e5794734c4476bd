//! What is under way for each kind, and what follows from each thing that comes back.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{AsyncBufReadExt, StreamExt};
use restow_kubernetes::{Kind, Reader, WatchEvent};

use super::position::{Position, Reading};
use super::{Tell, WatchNews, WatchOptions, Watching};
use crate::answer::{Answer, Failure, root_cause};
use crate::client::{Connection, Lines, OpenError};
use crate::error::LiveError;
use crate::list::ListOptions;
use crate::pages::{Cursor, Next};

/// After which time it is looked again for a kind that the server did not have, or that may not be read.
const AGAIN: Duration = Duration::from_mins(1);

/// What one kind was waiting for.
pub(super) enum Step {
    Opened(Kind, Result<Lines, OpenError>),
    Line(Kind, Lines, std::io::Result<Vec<u8>>),
    Page(Cursor, Result<Answer, Failure>),
}

pub(super) struct Watcher<'a> {
    connection: &'a Connection,
    pub(super) reader: &'a mut Reader,
    options: &'a WatchOptions,
    list: ListOptions,
    positions: BTreeMap<Kind, Position>,
    steps: FuturesUnordered<BoxFuture<'static, Step>>,
    /// Since the last time that they were told, and in all.
    fresh: u64,
    changes: u64,
    /// Whether the server sends what there is on the stream of what changes.
    streams: bool,
}

impl<'a> Watcher<'a> {
    pub(super) fn new(
        connection: &'a Connection,
        reader: &'a mut Reader,
        options: &'a WatchOptions,
    ) -> Self {
        let retry = options.list.retry.without_end();
        let list = ListOptions { retry, restarts: u32::MAX, ..options.list.clone() };
        let (positions, steps) = (BTreeMap::new(), FuturesUnordered::new());
        Self {
            connection,
            reader,
            options,
            list,
            positions,
            steps,
            fresh: 0,
            changes: 0,
            streams: true,
        }
    }

    pub(super) fn start(&mut self, kind: Kind, position: Position) {
        self.positions.insert(kind, position);
        self.open(kind, None);
    }

    /// Waits for what comes back next; `None` if nothing is under way.
    pub(super) async fn next(&mut self) -> Option<Step> {
        self.steps.next().await
    }

    pub(super) fn state(&self) -> Watching {
        let counted = self.reader.counted();
        Watching { whole: self.is_whole(), changes: self.changes, counted }
    }

    /// Whether there is something to tell. While a kind is read anew, only a part of it is known.
    pub(super) fn is_due(&self) -> bool {
        self.fresh > 0 && self.is_whole()
    }

    pub(super) fn take_changes(&mut self) -> u64 {
        std::mem::take(&mut self.fresh)
    }

    fn is_whole(&self) -> bool {
        let done = |own: &Position| matches!(own.reading, Reading::Whole | Reading::Lost);
        self.positions.values().all(done)
    }

    fn count(&mut self, changes: u64) {
        self.fresh += changes;
        self.changes += changes;
    }

    /// Opens the watch of a kind, after a pause.
    fn open(&mut self, kind: Kind, pause: Option<Duration>) {
        let Some(position) = self.positions.get(&kind) else { return };
        let target = position.target(self.options.lifetime.as_secs());
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

    pub(super) fn take(
        &mut self,
        step: Step,
        tell: Tell<'_>,
    ) -> Result<ControlFlow<()>, LiveError> {
        match step {
            Step::Opened(kind, Ok(lines)) => {
                self.opened(kind);
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

    /// What there is comes from the start: what was known of it may be gone.
    fn opened(&mut self, kind: Kind) {
        if let Some(own) = self.positions.get_mut(&kind).filter(|own| own.reading != Reading::Whole)
        {
            own.reading = Reading::Streaming;
            self.reader.forget(kind);
        }
    }

    fn not_opened(
        &mut self,
        kind: Kind,
        error: OpenError,
        tell: Tell<'_>,
    ) -> Result<ControlFlow<()>, LiveError> {
        let server = self.connection.server.clone();
        let Some(position) = self.positions.get_mut(&kind) else {
            return Ok(ControlFlow::Continue(()));
        };
        let streaming = matches!(position.reading, Reading::Streaming | Reading::Lost);
        match error {
            OpenError::Status { code: 401, message } => {
                Err(LiveError::Unauthorized { server, message })
            }
            OpenError::Status { code: 403, message } if kind.is_essential() => {
                Err(LiveError::Forbidden { verb: "watch", kind, message })
            }
            OpenError::Status { code: 404, .. } if streaming && position.other_version() => {
                self.open(kind, None);
                Ok(ControlFlow::Continue(()))
            }
            OpenError::Status { code: 404, .. } if streaming && kind.is_essential() => {
                Err(LiveError::NotKubernetes { server, kind })
            }
            OpenError::Status { code: 403 | 404, message } => Ok(self.lose(kind, message, tell)),
            // Servers before 1.34, and those whose store cannot tell how far it is.
            OpenError::Status { code: 400 | 422, .. } if streaming => {
                self.streams = false;
                Ok(self.relist(kind, tell))
            }
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
        let (version, mut changes) = match self.reader.watch_event(kind, position.path, line) {
            Ok(
                WatchEvent::Applied { resource_version } | WatchEvent::Deleted { resource_version },
            ) => (resource_version, 1),
            Ok(WatchEvent::Bookmark { resource_version, complete }) => {
                if complete && position.reading == Reading::Streaming {
                    position.reading = Reading::Whole;
                }
                (resource_version, u64::from(complete))
            }
            // A line that makes no sense may have been a change: the list tells, or says what is wrong.
            Ok(WatchEvent::Expired) | Err(_) => return self.relist(kind, tell),
            Ok(WatchEvent::Failed { code, message }) => {
                return self.reconnect(kind, Some(format!("{message} ({code})")), tell);
            }
        };
        if position.reading != Reading::Whole {
            // The one line that says that all is there counts for all.
            changes = 0;
        } else if !version.is_empty() {
            position.version = version;
        }
        position.failures = 0;
        self.count(changes);
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

    /// Reads a kind anew, because the changes since its version are no longer known.
    fn relist(&mut self, kind: Kind, tell: Tell<'_>) -> ControlFlow<()> {
        let streams = self.streams;
        if let Some(position) = self.positions.get_mut(&kind) {
            let streams = streams && position.keen;
            position.reading = if streams { Reading::Streaming } else { Reading::Listing };
            position.failures += 1;
            // Not at once when it happens again and again.
            let pause = (position.failures > 1)
                .then(|| self.list.retry.pause(position.failures, None))
                .flatten();
            self.reader.forget(kind);
            if streams {
                self.open(kind, pause);
            } else {
                self.ask(Cursor::new(kind), pause);
            }
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
                    position.reading = Reading::Whole;
                }
                self.count(1);
                self.open(kind, None);
            }
            Next::Missing => {
                return Ok(self.lose(kind, "the server does not have it".to_owned(), tell));
            }
            Next::Forbidden { message } => return Ok(self.lose(kind, message, tell)),
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Goes on without a kind; looks for it again after a while if it is wanted badly enough.
    fn lose(&mut self, kind: Kind, reason: String, tell: Tell<'_>) -> ControlFlow<()> {
        let Some(position) = self.positions.get_mut(&kind) else {
            return ControlFlow::Continue(());
        };
        let known = position.reading == Reading::Lost;
        if position.keen {
            // It counts as read, so that the others can be worked with meanwhile.
            position.reading = Reading::Lost;
            self.reader.forget(kind);
            if self.streams {
                self.open(kind, Some(AGAIN));
            } else {
                self.ask(Cursor::new(kind), Some(AGAIN));
            }
        } else {
            self.positions.remove(&kind);
        }
        if known { ControlFlow::Continue(()) } else { tell(WatchNews::Lost { kind, reason }) }
    }
}
