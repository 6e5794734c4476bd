//! What a scripted API server answers.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex};

use super::content::Content;
use super::feed::Feed;
use super::status;
use crate::kinds::ObjectKind;
use crate::plan::Cluster;

/// A door that a reply waits behind until the test opens it: slow answers without slow tests.
#[derive(Clone, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets everything through that waits, now and later.
    pub fn open(&self) {
        let (open, changed) = &*self.0;
        *open.lock().expect("no thread panics while it holds a gate") = true;
        changed.notify_all();
    }

    /// Waits until the gate is open.
    pub fn wait(&self) {
        let (open, changed) = &*self.0;
        let guard = open.lock().expect("no thread panics while it holds a gate");
        drop(
            changed
                .wait_while(guard, |open| !*open)
                .expect("no thread panics while it holds a gate"),
        );
    }
}

/// A part of a streamed answer.
#[derive(Clone)]
pub enum Step {
    /// These bytes and a new line.
    Line(String),
    /// These bytes as they are.
    Bytes(Vec<u8>),
    /// Nothing until the gate opens.
    Wait(Gate),
    /// Opens a gate that the test, or another reply, waits for.
    Open(Gate),
    /// Nothing more, and the stream stays open until the client or the server goes.
    Hang,
    /// The connection ends in the middle of the stream.
    Cut,
}

/// One answer.
#[derive(Clone)]
pub enum Reply {
    /// What the path serves: a page of its objects, or a quiet watch.
    Content,
    /// A whole answer.
    Full {
        /// HTTP status.
        code: u16,
        /// Headers beside the usual ones.
        headers: Vec<(String, String)>,
        /// The body, as JSON unless a header says otherwise.
        body: Vec<u8>,
    },
    /// 200 and a body in parts, as watches have it.
    Stream(Vec<Step>),
    /// The page that the path serves, of which only so many bytes arrive.
    Truncated(usize),
    /// Waits for the gate, then answers.
    Behind(Gate, Box<Reply>),
    /// The connection ends without an answer.
    HangUp,
}

impl Reply {
    /// 200 with this JSON.
    pub fn json(body: impl Into<Vec<u8>>) -> Self {
        Self::Full { code: 200, headers: Vec::new(), body: body.into() }
    }

    /// A Kubernetes `Status`.
    pub fn status(code: u16, reason: &str, message: &str) -> Self {
        Self::Full { code, headers: Vec::new(), body: status::body(code, reason, message) }
    }

    /// 401: the credentials are no longer good.
    pub fn unauthorized() -> Self {
        Self::status(401, "Unauthorized", "Unauthorized")
    }

    /// 403: the user may not list this kind.
    pub fn forbidden(plural: &str, group: &str) -> Self {
        let message = format!(
            "{plural} is forbidden: User \"jane@example.com\" cannot list resource \"{plural}\" in API group \"{group}\" at the cluster scope"
        );
        Self::status(403, "Forbidden", &message)
    }

    /// 404, as the server answers for an API that it does not know: not even a `Status`.
    pub fn unknown_path() -> Self {
        Self::plain(404, "404 page not found\n")
    }

    /// 410: the continue token or the version is too old.
    pub fn gone() -> Self {
        Self::status(410, "Expired", status::EXPIRED_CONTINUE)
    }

    /// 429 with `Retry-After`, as the server's own overload protection answers.
    pub fn too_many_requests(retry_after: u32) -> Self {
        let Self::Full { code, mut headers, body } =
            Self::plain(429, "Too many requests, please try again later.\n")
        else {
            return Self::HangUp;
        };
        headers.push(("Retry-After".to_owned(), retry_after.to_string()));
        Self::Full { code, headers, body }
    }

    /// 422: a watch cannot begin with what there is.
    pub fn no_initial_events() -> Self {
        let message = "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for \
                       watch unless the WatchList feature gate is enabled";
        Self::status(422, "Invalid", message)
    }

    /// 500, as when etcd does not answer.
    pub fn internal_error() -> Self {
        let message = "Internal error occurred: etcdserver: request timed out";
        Self::status(500, "InternalError", message)
    }

    /// Any code with plain text.
    pub fn plain(code: u16, text: &str) -> Self {
        let header = ("Content-Type".to_owned(), "text/plain; charset=utf-8".to_owned());
        Self::Full { code, headers: vec![header], body: text.as_bytes().to_vec() }
    }

    /// Lines of a watch, after which the server ends the stream as it does every few minutes.
    pub fn lines<T: Into<String>>(lines: impl IntoIterator<Item = T>) -> Self {
        Self::Stream(lines.into_iter().map(|line| Step::Line(line.into())).collect())
    }

    /// The same answer, once the gate is open.
    #[must_use]
    pub fn behind(self, gate: &Gate) -> Self {
        Self::Behind(gate.clone(), Box::new(self))
    }
}

/// What each path serves, and what it answers before that.
pub struct Script {
    pub(super) lists: HashMap<String, VecDeque<Reply>>,
    pub(super) watches: HashMap<String, VecDeque<Reply>>,
    pub(super) content: HashMap<String, Arc<Content>>,
    /// What watches of a path tell after what there was.
    pub(super) feeds: HashMap<String, Feed>,
    pub(super) gzip: bool,
    /// Whether watches may begin with what there is.
    pub(super) streams: bool,
}

impl Default for Script {
    fn default() -> Self {
        let (lists, watches, content, feeds) = Default::default();
        Self { lists, watches, content, feeds, gzip: false, streams: true }
    }
}

impl Script {
    /// A server that knows nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// A server that serves every kind of a generated cluster. Kinds of which it has none are unknown when
    /// they are custom resources, and empty otherwise.
    pub fn cluster(cluster: &Arc<Cluster>) -> Self {
        let mut script = Self::new();
        for kind in ObjectKind::ALL {
            if kind.is_custom() && cluster.count(kind) == 0 {
                continue;
            }
            let content = Content::Generated(Arc::clone(cluster), kind);
            script.content.insert(kind.list_path(), Arc::new(content));
        }
        // What every server has, and generated clusters have none of.
        let none: [String; 0] = [];
        script
            .objects(
                "/api/v1/replicationcontrollers",
                "v1",
                "ReplicationControllerList",
                none.clone(),
            )
            .objects("/apis/batch/v1/cronjobs", "batch/v1", "CronJobList", none.clone())
            .objects(
                "/apis/storage.k8s.io/v1/volumeattachments",
                "storage.k8s.io/v1",
                "VolumeAttachmentList",
                none,
            )
    }

    /// Serves these objects, given as JSON, as a list such as `PodList` of `v1`.
    #[must_use]
    pub fn objects<T: Into<String>>(
        mut self,
        path: &str,
        api_version: &str,
        list_kind: &str,
        objects: impl IntoIterator<Item = T>,
    ) -> Self {
        let content = Content::Objects {
            api_version: api_version.to_owned(),
            list_kind: list_kind.to_owned(),
            items: objects.into_iter().map(Into::into).collect(),
        };
        self.content.insert(path.to_owned(), Arc::new(content));
        self
    }

    /// No longer serves this path.
    #[must_use]
    pub fn without(mut self, path: &str) -> Self {
        self.content.remove(path);
        self
    }

    /// The next answers to lists of this path, one per request; after them it answers its content.
    #[must_use]
    pub fn list(mut self, path: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.lists.entry(path.to_owned()).or_default().extend(replies);
        self
    }

    /// The next answers to watches of this path, one per request; after them a watch stays quiet.
    #[must_use]
    pub fn watch(mut self, path: &str, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.watches.entry(path.to_owned()).or_default().extend(replies);
        self
    }

    /// Watches of this path tell what the feed is given, after what there is.
    #[must_use]
    pub fn feed(mut self, path: &str, feed: &Feed) -> Self {
        self.feeds.insert(path.to_owned(), feed.clone());
        self
    }

    /// Refuses watches that are to begin with what there is, as servers before 1.34 do.
    #[must_use]
    pub fn without_streams(mut self) -> Self {
        self.streams = false;
        self
    }

    /// Packs whole answers when the client accepts it.
    #[must_use]
    pub fn gzip(mut self) -> Self {
        self.gzip = true;
        self
    }
}
