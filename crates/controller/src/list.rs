//! Lists all that restow reads.

use std::collections::BTreeMap;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use restow_kubernetes::{Kind, Reader};

use crate::client::Connection;
use crate::error::LiveError;
use crate::note::Note;
use crate::pages::{Asked, Cursor, Next};
use crate::retry::RetryPolicy;

/// How to list.
#[derive(Clone, Debug)]
pub struct ListOptions {
    /// Objects per page: 500 is what `kubectl` asks for.
    pub page_size: u32,
    /// Kinds that are listed at the same time. Each holds one page in memory.
    pub at_once: usize,
    /// How long a page may take.
    pub patience: Duration,
    /// How often a list that became too old is started anew.
    pub restarts: u32,
    /// When to try again.
    pub retry: RetryPolicy,
}

impl Default for ListOptions {
    fn default() -> Self {
        Self {
            page_size: 500,
            at_once: 4,
            patience: Duration::from_secs(90),
            restarts: 3,
            retry: RetryPolicy::default(),
        }
    }
}

/// What is going on while a cluster is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A kind's list is asked for.
    Started {
        /// Which.
        kind: Kind,
    },
    /// A page was read.
    Page {
        /// Of which kind.
        kind: Kind,
        /// Objects of the kind so far.
        items: usize,
        /// Objects still to come, if the server says so.
        remaining: Option<u64>,
    },
    /// A kind's list is read, or is not there.
    Finished {
        /// Which.
        kind: Kind,
        /// Objects of the kind.
        items: usize,
    },
    /// A request failed and is tried again.
    Retrying {
        /// For which kind.
        kind: Kind,
        /// After which time.
        pause: Duration,
        /// Why.
        reason: String,
    },
    /// A list became too old while it was read, and starts anew.
    Restarted {
        /// Which.
        kind: Kind,
    },
}

/// A list that was read to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Where the server lists it.
    pub path: &'static str,
    /// Objects in it.
    pub items: usize,
    /// The version of the list: changes after it start here.
    pub resource_version: Option<String>,
}

/// What was read of a live cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveRead {
    /// Every list that was read.
    pub lists: BTreeMap<Kind, Listed>,
    /// What was not, by kind, in the order of [`Kind::ALL`].
    pub notes: Vec<Note>,
}

/// Lists every kind into `reader`.
///
/// Kinds that the server does not have, or that the user may not list, are noted and worked without; except for
/// nodes and pods, without which there is nothing to say.
pub async fn read_cluster(
    connection: &Connection,
    reader: &mut Reader,
    options: &ListOptions,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<LiveRead, LiveError> {
    let mut live = LiveRead::default();
    let mut waiting = Kind::ALL.iter().copied();
    let mut asked: FuturesUnordered<Asked> = FuturesUnordered::new();
    let ask = |cursor: Cursor, pause| cursor.ask(connection, options, pause);
    loop {
        while asked.len() < options.at_once.max(1)
            && let Some(kind) = waiting.next()
        {
            progress(Progress::Started { kind });
            asked.push(ask(Cursor::new(kind), None));
        }
        let Some((mut cursor, answer)) = asked.next().await else { break };
        let kind = cursor.kind;
        let next = cursor.take(reader, connection, options, answer)?;
        match next {
            Next::Page { remaining } => {
                progress(Progress::Page { kind, items: cursor.items, remaining });
                asked.push(ask(cursor, None));
            }
            Next::Retry { pause, reason } => {
                progress(Progress::Retrying { kind, pause, reason });
                asked.push(ask(cursor, Some(pause)));
            }
            Next::Restart => {
                progress(Progress::Restarted { kind });
                asked.push(ask(cursor, None));
            }
            Next::OtherVersion => asked.push(ask(cursor, None)),
            Next::Done { resource_version } => {
                let (path, items) = (cursor.path(), cursor.items);
                live.lists.insert(kind, Listed { path, items, resource_version });
                progress(Progress::Finished { kind, items });
            }
            Next::Missing => {
                live.notes.push(Note::Missing { kind });
                progress(Progress::Finished { kind, items: 0 });
            }
            Next::Forbidden { message } => {
                live.notes.push(Note::Forbidden { kind, message });
                progress(Progress::Finished { kind, items: 0 });
            }
        }
    }
    live.notes.sort_by_key(Note::kind);
    Ok(live)
}
