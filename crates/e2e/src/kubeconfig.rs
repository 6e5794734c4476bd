//! Kubeconfig files: who asks, and whom.

use std::fs;
use std::path::Path;

use serde_json::json;

/// Writes the kubeconfig of a user who is known by a token. YAML takes JSON.
pub(crate) fn write(file: &Path, server: &str, ca: &Path, token: &str) {
    let text = json!({
        "apiVersion": "v1", "kind": "Config",
        "clusters": [{"name": "e2e", "cluster": {"server": server, "certificate-authority": ca}}],
        "users": [{"name": "e2e", "user": {"token": token}}],
        "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": "e2e"}}],
        "current-context": "e2e",
    });
    fs::write(file, text.to_string()).expect("the work directory can be written");
}
