//! The bodies of Kubernetes' errors.

use serde_json::json;

/// What the server says of a continue token that is too old.
pub(super) const EXPIRED_CONTINUE: &str = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/// A `Status` object.
pub(super) fn body(code: u16, reason: &str, message: &str) -> Vec<u8> {
    json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    })
    .to_string()
    .into_bytes()
}

/// The event with which a watch ends when its version is too old.
pub fn expired_event() -> String {
    json!({
        "type": "ERROR",
        "object": {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": "too old resource version: 1000 (2000)",
            "reason": "Expired",
            "code": 410,
        }
    })
    .to_string()
}

/// An event of a watch: `ADDED`, `MODIFIED` or `DELETED` with the object as JSON.
pub fn watch_event(event: &str, object: &str) -> String {
    format!(r#"{{"type":"{event}","object":{object}}}"#)
}

/// The event that tells how far a watch has come.
pub fn bookmark(api_version: &str, kind: &str, version: u64) -> String {
    json!({
        "type": "BOOKMARK",
        "object": {
            "kind": kind,
            "apiVersion": api_version,
            "metadata": { "resourceVersion": version.to_string(), "creationTimestamp": null },
            "spec": {},
            "status": {},
        }
    })
    .to_string()
}

/// The bookmark that ends what there was when a stream was asked for that begins with all of it.
pub fn end_of_initial_events(version: u64) -> String {
    json!({
        "type": "BOOKMARK",
        "object": { "metadata": {
            "resourceVersion": version.to_string(),
            "annotations": { "k8s.io/initial-events-end": "true" },
        }}
    })
    .to_string()
}
