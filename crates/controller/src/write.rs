//! Writes to the API server, and what came of each.
//!
//! Nothing is tried twice here: whoever asks looks at the cluster again and asks for what is still missing.

use std::collections::BTreeMap;
use std::time::Duration;

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::{Answer, Failure};
use crate::client::{Connection, target};

/// How long a write may take.
const PATIENCE: Duration = Duration::from_secs(15);

/// Who writes, in the managed fields of objects.
pub(crate) const MANAGER: &str = "restow";

/// Why nothing was written, as far as that is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// It is not there.
    #[error("not there")]
    Missing,
    /// It is there already.
    #[error("there already")]
    Exists,
    /// It is another one, or was changed meanwhile.
    #[error("changed meanwhile: {0}")]
    Conflict(String),
    /// The user may not do this.
    #[error("no right to do this: {0}")]
    Forbidden(String),
    /// The server has no time for it.
    #[error("the server is busy: {0}")]
    Busy(String),
    /// The server does not accept it.
    #[error("not accepted (HTTP {code}): {message}")]
    Refused {
        /// The HTTP status.
        code: u16,
        /// The server's words.
        message: String,
    },
    /// There was no answer: it may have happened or not.
    #[error("no answer: {0}")]
    Unknown(String),
}

/// What an object has to be for a write to count.
#[derive(Clone, Debug, Default)]
pub(crate) struct Only {
    pub(crate) uid: Option<String>,
    pub(crate) version: Option<String>,
}

impl Connection {
    /// An object as it is now, read from where it is written.
    pub(crate) async fn object(&self, path: &str) -> Result<Value, WriteError> {
        understood(self.get(path, PATIENCE).await)
    }

    /// The objects of a list that fits into one answer.
    pub(crate) async fn objects(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<Vec<Value>, WriteError> {
        let mut found = self.object(&target(path, query)).await?;
        Ok(match found["items"].take() {
            Value::Array(items) => items,
            _ => Vec::new(),
        })
    }

    /// The texts of a ConfigMap.
    pub async fn config_map(
        &self,
        namespace: &str,
        name: &str,
    ) -> Result<BTreeMap<String, String>, WriteError> {
        let path = format!("/api/v1/namespaces/{namespace}/configmaps/{name}");
        let mut found = self.object(&path).await?;
        Ok(serde_json::from_value(found["data"].take()).unwrap_or_default())
    }

    /// Makes an object in a collection.
    pub(crate) async fn create(&self, path: &str, object: &Value) -> Result<Value, WriteError> {
        self.written(Method::POST, path, "application/json", object).await
    }

    /// Puts an object in the place of the version that it names.
    pub(crate) async fn replace(&self, path: &str, object: &Value) -> Result<Value, WriteError> {
        self.written(Method::PUT, path, "application/json", object).await
    }

    /// Merges fields into an object; with a `resourceVersion` only into that version of it.
    pub(crate) async fn merge(&self, path: &str, fields: &Value) -> Result<Value, WriteError> {
        self.written(Method::PATCH, path, "application/merge-patch+json", fields).await
    }

    /// Deletes an object, if it is the one that is meant.
    pub(crate) async fn remove(&self, path: &str, only: &Only) -> Result<(), WriteError> {
        let mut preconditions = json!({});
        if let Some(uid) = &only.uid {
            preconditions["uid"] = json!(uid);
        }
        if let Some(version) = &only.version {
            preconditions["resourceVersion"] = json!(version);
        }
        let options = json!({
            "apiVersion": "v1", "kind": "DeleteOptions", "preconditions": preconditions,
        });
        let body = Some(("application/json", options.to_string().into_bytes()));
        let answer = self.send(Method::DELETE, path, body, PATIENCE).await;
        understood(answer).map(|_| ())
    }

    async fn written(
        &self,
        method: Method,
        path: &str,
        kind: &'static str,
        object: &Value,
    ) -> Result<Value, WriteError> {
        let body = Some((kind, object.to_string().into_bytes()));
        let target = target(path, &[("fieldManager", MANAGER)]);
        understood(self.send(method, &target, body, PATIENCE).await)
    }
}

fn understood(answer: Result<Answer, Failure>) -> Result<Value, WriteError> {
    #[derive(Deserialize, Default)]
    struct Status {
        #[serde(default)]
        reason: String,
    }
    let answer = match answer {
        Ok(answer) => answer,
        Err(Failure::Transport(reason) | Failure::Credentials(reason)) => {
            return Err(WriteError::Unknown(reason));
        }
    };
    let reason = || serde_json::from_slice::<Status>(&answer.body).unwrap_or_default().reason;
    match answer.code {
        200..=299 => serde_json::from_slice(&answer.body)
            .map_err(|error| WriteError::Unknown(format!("the answer makes no sense: {error}"))),
        403 => Err(WriteError::Forbidden(answer.message())),
        404 => Err(WriteError::Missing),
        409 if reason() == "AlreadyExists" => Err(WriteError::Exists),
        409 => Err(WriteError::Conflict(answer.message())),
        // It may have been done before something broke.
        500 | 502 | 504 => Err(WriteError::Unknown(answer.message())),
        429 | 503 => Err(WriteError::Busy(answer.message())),
        code => Err(WriteError::Refused { code, message: answer.message() }),
    }
}

/// A text field of an object; empty if it has none.
pub(crate) fn text<'v>(object: &'v Value, pointer: &str) -> &'v str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Whether an object has this uid; uids that are not made as they should be count by their hash.
pub(crate) fn is(object: &Value, uid: restow_model::Uid) -> bool {
    restow_model::Uid::new(text(object, "/metadata/uid")) == uid
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(code: u16, body: &str) -> Result<Value, WriteError> {
        understood(Ok(Answer { code, retry_after: None, body: body.as_bytes().to_vec() }))
    }

    #[test]
    fn two_kinds_of_conflict_are_told_apart() {
        let exists = r#"{"reason":"AlreadyExists","message":"m"}"#;
        assert_eq!(written(409, exists), Err(WriteError::Exists));
        let conflict = r#"{"reason":"Conflict","message":"m"}"#;
        assert_eq!(written(409, conflict), Err(WriteError::Conflict("m".to_owned())));
    }

    #[test]
    fn what_may_have_happened_is_not_called_refused() {
        let lost = written(504, "too late");
        assert_eq!(lost, Err(WriteError::Unknown("too late".to_owned())));
        assert!(matches!(written(422, "{}"), Err(WriteError::Refused { .. })));
    }
}
