//! What came back from the server, and what to make of it.

use std::error::Error;
use std::time::Duration;

use serde::Deserialize;

/// A whole answer.
pub(crate) struct Answer {
    pub(crate) code: u16,
    /// How long the server asks to wait.
    pub(crate) retry_after: Option<Duration>,
    pub(crate) body: Vec<u8>,
}

/// Why there is no whole answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The connection failed or broke, or took too long.
    Transport(String),
    /// The credentials could not be renewed.
    Credentials(String),
}

/// What an answer means for the list that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Page,
    /// Worth another try later.
    Busy,
    /// The continue token is too old.
    Expired,
    Missing,
    Forbidden,
    Unauthorized,
    Refused,
}

impl Answer {
    /// `continues` tells whether it answers a request with a continue token.
    pub(crate) fn meaning(&self, continues: bool) -> Meaning {
        match self.code {
            200..=299 => Meaning::Page,
            401 => Meaning::Unauthorized,
            403 => Meaning::Forbidden,
            404 => Meaning::Missing,
            410 if continues => Meaning::Expired,
            408 | 429 | 500 | 502..=504 => Meaning::Busy,
            _ => Meaning::Refused,
        }
    }

    /// The server's words: the message of a `Status`, or else the beginning of the text.
    pub(crate) fn message(&self) -> String {
        #[derive(Deserialize)]
        struct Status {
            message: String,
        }
        match serde_json::from_slice::<Status>(&self.body) {
            Ok(status) if !status.message.is_empty() => status.message,
            _ => {
                let text = String::from_utf8_lossy(&self.body);
                let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
                words.chars().take(200).collect()
            }
        }
    }
}

impl Failure {
    /// What a failed request of kube's client means.
    pub(crate) fn from_kube(error: &kube::Error) -> Self {
        match error {
            kube::Error::Auth(auth) => Self::Credentials(auth.to_string()),
            other => Self::Transport(root_cause(other)),
        }
    }
}

/// The innermost reason of an error: the outer ones only say that something failed.
pub(crate) fn root_cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(code: u16, body: &str) -> Answer {
        Answer { code, retry_after: None, body: body.as_bytes().to_vec() }
    }

    #[test]
    fn only_a_continued_list_expires() {
        assert_eq!(answer(410, "").meaning(true), Meaning::Expired);
        assert_eq!(answer(410, "").meaning(false), Meaning::Refused);
        assert_eq!(answer(429, "").meaning(true), Meaning::Busy);
        assert_eq!(answer(200, "").meaning(false), Meaning::Page);
    }

    #[test]
    fn the_server_speaks_for_itself() {
        let status = r#"{"kind":"Status","message":"pods is forbidden","code":403}"#;
        assert_eq!(answer(403, status).message(), "pods is forbidden");
        assert_eq!(answer(404, "404 page\n not found\n").message(), "404 page not found");
        assert_eq!(answer(502, &"x".repeat(999)).message().len(), 200);
    }
}
