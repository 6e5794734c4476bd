//! Reads one kind's list page by page: what to ask next, given what came back.

use std::time::Duration;

use futures::future::BoxFuture;
use restow_kubernetes::{Kind, Reader};

use crate::answer::{Answer, Failure, Meaning};
use crate::client::{Connection, target};
use crate::error::LiveError;
use crate::list::ListOptions;

/// How far the list of a kind has been read.
#[derive(Clone, Debug)]
pub(crate) struct Cursor {
    pub(crate) kind: Kind,
    /// Which of the kind's API versions is asked.
    version: usize,
    token: Option<String>,
    page: u32,
    /// Objects read so far.
    pub(crate) items: usize,
    /// How often the list was started anew.
    restarts: u32,
    /// Failures in a row.
    pub(crate) failures: u32,
}

/// What to do after an answer.
pub(crate) enum Next {
    /// Ask for another page.
    Page { remaining: Option<u64> },
    /// The list is read; changes after it start from this version.
    Done { resource_version: Option<String> },
    /// Try the same again after the pause.
    Retry { pause: Duration, reason: String },
    /// The list became too old and starts anew.
    Restart,
    /// Ask another version of the API.
    OtherVersion,
    /// The server does not have the kind.
    Missing,
    /// The user may not list it.
    Forbidden { message: String },
}

/// A request under way.
pub(crate) type Asked = BoxFuture<'static, (Cursor, Result<Answer, Failure>)>;

impl Cursor {
    pub(crate) fn new(kind: Kind) -> Self {
        Self { kind, version: 0, token: None, page: 1, items: 0, restarts: 0, failures: 0 }
    }

    /// Where the kind is listed.
    pub(crate) fn path(&self) -> &'static str {
        self.kind.api_paths().get(self.version).copied().unwrap_or_default()
    }

    /// Asks for the page, after a pause.
    pub(crate) fn ask(
        self,
        connection: &Connection,
        options: &ListOptions,
        pause: Option<Duration>,
    ) -> Asked {
        let limit = options.page_size.to_string();
        let mut query = vec![("limit", limit.as_str())];
        if let Some(token) = &self.token {
            query.push(("continue", token));
        }
        let target = target(self.path(), &query);
        let connection = connection.clone();
        let (sleep, patience) = (options.retry.sleep.clone(), options.patience);
        Box::pin(async move {
            if let Some(pause) = pause {
                sleep(pause).await;
            }
            let answer = connection.get(&target, patience).await;
            (self, answer)
        })
    }

    /// Takes in what came back.
    pub(crate) fn take(
        &mut self,
        reader: &mut Reader,
        connection: &Connection,
        options: &ListOptions,
        answer: Result<Answer, Failure>,
    ) -> Result<Next, LiveError> {
        let server = || connection.server.clone();
        let kind = self.kind;
        let answer = match answer {
            Ok(answer) => answer,
            Err(Failure::Credentials(reason)) => return Err(LiveError::Credentials { reason }),
            Err(Failure::Transport(reason)) => {
                self.failures += 1;
                return match options.retry.pause(self.failures, None) {
                    Some(pause) => Ok(Next::Retry { pause, reason }),
                    None => Err(LiveError::Unreachable { server: server(), reason }),
                };
            }
        };
        match answer.meaning(self.token.is_some()) {
            Meaning::Page => self.read(reader, &answer),
            Meaning::Busy => {
                self.failures += 1;
                let (code, message) = (answer.code, answer.message());
                match options.retry.pause(self.failures, answer.retry_after) {
                    Some(pause) => Ok(Next::Retry { pause, reason: message }),
                    None => Err(LiveError::Refused { kind, code, message }),
                }
            }
            Meaning::Expired if self.restarts < options.restarts => {
                reader.forget(kind);
                let (version, restarts) = (self.version, self.restarts + 1);
                *self = Self { version, restarts, ..Self::new(kind) };
                Ok(Next::Restart)
            }
            Meaning::Expired => Err(LiveError::Expired { kind, times: self.restarts + 1 }),
            Meaning::Missing if self.version + 1 < kind.api_paths().len() => {
                self.version += 1;
                Ok(Next::OtherVersion)
            }
            Meaning::Missing if kind.is_essential() => {
                Err(LiveError::NotKubernetes { server: server(), kind })
            }
            Meaning::Missing => Ok(Next::Missing),
            Meaning::Forbidden if kind.is_essential() => {
                Err(LiveError::Forbidden { verb: "list", kind, message: answer.message() })
            }
            Meaning::Forbidden => Ok(Next::Forbidden { message: answer.message() }),
            Meaning::Unauthorized => {
                Err(LiveError::Unauthorized { server: server(), message: answer.message() })
            }
            Meaning::Refused => {
                Err(LiveError::Refused { kind, code: answer.code, message: answer.message() })
            }
        }
    }

    fn read(&mut self, reader: &mut Reader, answer: &Answer) -> Result<Next, LiveError> {
        let kind = self.kind;
        let origin = match self.page {
            1 => self.path().to_owned(),
            page => format!("{} (page {page})", self.path()),
        };
        let page = reader
            .list_page(kind, &origin, &answer.body)
            .map_err(|error| LiveError::Unreadable { kind, source: Box::new(error) })?;
        self.failures = 0;
        self.items += page.items;
        match page.continue_token.filter(|token| !token.is_empty()) {
            Some(token) => {
                self.token = Some(token);
                self.page += 1;
                Ok(Next::Page { remaining: page.remaining })
            }
            None => Ok(Next::Done { resource_version: page.resource_version }),
        }
    }
}
