//! Users with few rights.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::client::Client;

/// A ServiceAccount, as a program in the cluster would be one.
#[derive(Clone, Debug)]
pub struct Account {
    /// The file that `KUBECONFIG` names.
    pub kubeconfig: PathBuf,
    /// The same user for tests.
    pub client: Client,
}

/// The rules of a role that may `get` and `list` everything, and nothing else.
pub fn read_only() -> Value {
    json!([{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list"]}])
}

/// A ServiceAccount, a ClusterRole with `rules` and what binds the two.
pub(crate) fn objects(namespace: &str, name: &str, rules: &Value) -> Value {
    let rbac = "rbac.authorization.k8s.io/v1";
    let role = json!({"apiVersion": rbac, "kind": "ClusterRole", "metadata": {"name": name}, "rules": rules});
    let binding = json!({
        "apiVersion": rbac, "kind": "ClusterRoleBinding", "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name},
        "subjects": [{"kind": "ServiceAccount", "namespace": namespace, "name": name}],
    });
    let account = json!({
        "apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"namespace": namespace, "name": name},
    });
    json!({"apiVersion": "v1", "kind": "List", "items": [account, role, binding]})
}
