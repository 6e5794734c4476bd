//! Why a cluster could not be read.

use restow_kubernetes::{Kind, ReadError};

use crate::note::{can_i, plural};

/// Why a cluster could not be read. The texts are for people: they say what to do, in the server's own words
/// where it had some.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// No answer, in spite of several tries.
    #[error("no answer from {server}: {reason}")]
    Unreachable {
        /// The server's address.
        server: String,
        /// What happened on the way.
        reason: String,
    },
    /// 401: the server does not know who asks.
    #[error(
        "{server} does not accept the credentials of the kubeconfig ({message}): they may have expired; log in again and try `kubectl get nodes`"
    )]
    Unauthorized {
        /// The server's address.
        server: String,
        /// The server's words.
        message: String,
    },
    /// The credentials could not be renewed.
    #[error("cannot renew the credentials of the kubeconfig: {reason}")]
    Credentials {
        /// What happened.
        reason: String,
    },
    /// 403 on a kind without which nothing works.
    #[error(
        "no right to {verb} {}: {message}; check with `{}`", plural(*.kind), can_i(.verb, *.kind)
    )]
    Forbidden {
        /// `list` or `watch`.
        verb: &'static str,
        /// Which.
        kind: Kind,
        /// The server's words.
        message: String,
    },
    /// 404 on a kind that every cluster has.
    #[error("{server} does not know {}: is it the address of a Kubernetes API server?", plural(*.kind))]
    NotKubernetes {
        /// The server's address.
        server: String,
        /// Which.
        kind: Kind,
    },
    /// Any other answer than the list, in spite of several tries.
    #[error("the server does not list {} (HTTP {code}): {message}", plural(*.kind))]
    Refused {
        /// Which.
        kind: Kind,
        /// The HTTP status.
        code: u16,
        /// The server's words.
        message: String,
    },
    /// The list became too old while it was read, again and again.
    #[error(
        "the list of {} expired on the server {times} times before it was read to its end: the connection may be too slow",
        plural(*.kind)
    )]
    Expired {
        /// Which.
        kind: Kind,
        /// How often it was started.
        times: u32,
    },
    /// The task that reads it ended.
    #[error("the cluster is no longer watched: {reason}")]
    Stopped {
        /// Why.
        reason: String,
    },
    /// The answer is not what a Kubernetes API server sends.
    #[error("cannot read the server's {}: {source}", plural(*.kind))]
    Unreadable {
        /// Which.
        kind: Kind,
        /// What is wrong with it.
        source: Box<ReadError>,
    },
}
