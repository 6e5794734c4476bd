//! Empties the node of a claim that is to go, then lets both go. Pods are asked to leave through the eviction API, which keeps
//! their disruption budgets.

use restow_model::{NodeClaim, Snapshot};
use serde_json::json;

use super::release;
use crate::client::Connection;
use crate::write::{Only, WriteError, text};

/// Takes the end of a claim one step on.
pub(super) async fn drain(
    connection: &Connection,
    own: &NodeClaim,
    snapshot: &Snapshot,
) -> Result<(), WriteError> {
    let name = snapshot.text(own.meta.name);
    let node = snapshot.text(own.node);
    if node.is_empty() {
        return release(connection, name).await;
    }
    let selector = format!("spec.nodeName={node}");
    let pods = connection.objects("/api/v1/pods", &[("fieldSelector", &selector)]).await?;
    let mut left = false;
    for pod in &pods {
        let of_daemon = pod["metadata"]["ownerReferences"].as_array().is_some_and(|owners| {
            owners.iter().any(|own| matches!(text(own, "/kind"), "DaemonSet" | "Node"))
        });
        if of_daemon || matches!(text(pod, "/status/phase"), "Succeeded" | "Failed") {
            continue;
        }
        left = true;
        let held = pod["metadata"]["annotations"]["karpenter.sh/do-not-disrupt"] == "true";
        if held || pod["metadata"].get("deletionTimestamp").is_some() {
            continue;
        }
        evict(connection, text(pod, "/metadata/namespace"), text(pod, "/metadata/name"), pod)
            .await?;
    }
    if left {
        return Ok(());
    }
    match connection.remove(&format!("/api/v1/nodes/{node}"), &Only::default()).await {
        Ok(()) | Err(WriteError::Missing) => {}
        Err(error) => return Err(error),
    }
    release(connection, name).await
}

/// Asks a pod to leave. That its budget does not allow it now is no error: it is asked again.
async fn evict(
    connection: &Connection,
    namespace: &str,
    name: &str,
    pod: &serde_json::Value,
) -> Result<(), WriteError> {
    let path = format!("/api/v1/namespaces/{namespace}/pods/{name}/eviction");
    let eviction = json!({
        "apiVersion": "policy/v1",
        "kind": "Eviction",
        "metadata": { "name": name, "namespace": namespace },
        "deleteOptions": { "preconditions": { "uid": pod["metadata"]["uid"] } },
    });
    match connection.create(&path, &eviction).await {
        Ok(_) | Err(WriteError::Missing | WriteError::Conflict(_) | WriteError::Busy(_)) => Ok(()),
        Err(error) => Err(error),
    }
}
