//! Where the watch of one kind stands.

use restow_kubernetes::Kind;

use crate::client::target;
use crate::list::Listed;

/// Where the watch of a kind stands.
pub(super) struct Position {
    pub(super) kind: Kind,
    pub(super) path: &'static str,
    /// Changes after this version are still to come.
    pub(super) version: String,
    /// Failures since the last line.
    pub(super) failures: u32,
    /// How far it has been read.
    pub(super) reading: Reading,
    /// Whether it is looked for again if the server does not have it.
    pub(super) keen: bool,
}

/// How far a kind has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// All of it is known, and what changes comes.
    Whole,
    /// What there is comes on the stream of what changes.
    Streaming,
    /// It is listed page by page.
    Listing,
    /// It is not there, or may not be read.
    Lost,
}

impl Position {
    /// After a list that was read to its end.
    pub(super) fn after(listed: &Listed, kind: Kind) -> Self {
        let version = listed.resource_version.clone().unwrap_or_default();
        let (path, failures) = (listed.path, 0);
        Self { kind, path, version, failures, reading: Reading::Whole, keen: false }
    }

    /// Of which nothing is known yet.
    pub(super) fn from_nothing(kind: Kind) -> Self {
        let path = kind.api_paths().first().copied().unwrap_or_default();
        let (version, failures) = (String::new(), 0);
        Self { kind, path, version, failures, reading: Reading::Streaming, keen: true }
    }

    /// What to ask for.
    pub(super) fn target(&self, lifetime: u64) -> String {
        let lifetime = lifetime.to_string();
        let mut query = vec![
            ("watch", "true"),
            ("allowWatchBookmarks", "true"),
            ("timeoutSeconds", lifetime.as_str()),
        ];
        if self.reading == Reading::Whole {
            query.push(("resourceVersion", self.version.as_str()));
        } else {
            // Without a version: no older than what is there when it is asked.
            query.extend([("sendInitialEvents", "true"), ("resourceVersionMatch", "NotOlderThan")]);
        }
        target(self.path, &query)
    }

    /// Turns to the next version of the kind's API; whether there is one.
    pub(super) fn other_version(&mut self) -> bool {
        let paths = self.kind.api_paths();
        let at = paths.iter().position(|own| *own == self.path).unwrap_or_default();
        let next = paths.get(at + 1);
        self.path = next.or(paths.first()).copied().unwrap_or_default();
        next.is_some()
    }
}
