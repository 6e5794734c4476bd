//! What tests do with a set: ask, change, look on as somebody else, and run restow.

use std::fmt::Display;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::access::{self, Account};
use crate::client::Client;
use crate::objects::has_condition;
use crate::process::Process;
use crate::restow::{self, Run};
use crate::servers::Servers;
use crate::{kubeconfig, paths};

impl Servers {
    /// Runs kubectl as the administrator and returns what it prints; it must succeed.
    #[track_caller]
    pub fn kubectl(&self, words: &[&str]) -> String {
        self.kubectl_with(words, "")
    }

    #[track_caller]
    fn kubectl_with(&self, words: &[&str], input: &str) -> String {
        let mut command = Command::new(&self.work().programs.servers);
        command.arg("kubectl").args(words).env_clear().env("HOME", self.work().path());
        command.env("KUBECONFIG", self.kubeconfig());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("kubectl can be started");
        let mut to = child.stdin.take().expect("it is piped");
        let input = input.to_owned();
        // On a thread: kubectl may print before it has read everything.
        let writer = thread::spawn(move || to.write_all(input.as_bytes()).ok());
        let output = child.wait_with_output().expect("kubectl can be waited for");
        writer.join().expect("writing does not panic");
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "kubectl {}:\n{shown}{errors}", words.join(" "));
        shown
    }

    /// `kubectl apply` of YAML, or of a JSON value.
    #[track_caller]
    pub fn apply(&self, objects: impl Display) {
        self.kubectl_with(
            &["apply", "--server-side", "--force-conflicts", "-f", "-"],
            &objects.to_string(),
        );
    }

    /// `kubectl get WORDS -o json`.
    #[track_caller]
    pub fn get_json(&self, words: &[&str]) -> Value {
        let text = self.kubectl(&[&["get", "-o", "json"], words].concat());
        serde_json::from_str(&text).expect("kubectl prints JSON")
    }

    /// The objects of a list; see [`paths`].
    #[track_caller]
    pub fn list(&self, path: &str) -> Vec<Value> {
        self.admin().list(path).unwrap_or_else(|error| panic!("cannot list {path}: {error}"))
    }

    /// How many objects a list has.
    #[track_caller]
    pub fn count(&self, path: &str) -> usize {
        self.list(path).len()
    }

    /// For [`wait_until`](Self::wait_until): whether there are exactly so many pods, all run, and their Deployments have noticed;
    /// else how many do. A Deployment that has not counted its pods yet is one with a rollout in progress.
    pub fn running_pods(&self, expected: usize) -> Result<(), String> {
        let listed = |path| self.admin().list(path).map_err(|error| error.to_string());
        let (pods, nodes) = (listed(paths::PODS)?, listed(paths::NODES)?.len());
        let ready = |pod: &&Value| {
            pod["status"]["phase"] == "Running" && pod["metadata"]["deletionTimestamp"].is_null()
        };
        let running = pods.iter().filter(ready).count();
        if running != expected || pods.len() != expected {
            return Err(format!("{running} of {} pods run, {nodes} nodes", pods.len()));
        }
        let behind = listed(paths::DEPLOYMENTS)?.into_iter().find(|own| !is_rolled_out(own));
        behind.map_or(Ok(()), |own| {
            Err(format!("rollout of {}: {}", own["metadata"]["name"], own["status"]))
        })
    }

    /// For [`wait_until`](Self::wait_until): whether there are exactly so many nodes, and all of them take pods; else how many do.
    pub fn ready_nodes(&self, expected: usize) -> Result<(), String> {
        let nodes = self.admin().list(paths::NODES).map_err(|error| error.to_string())?;
        let takes_pods =
            |node: &&Value| has_condition(node, "Ready") && node["spec"]["taints"].is_null();
        let ready = nodes.iter().filter(takes_pods).count();
        if ready == expected && nodes.len() == expected {
            return Ok(());
        }
        Err(format!("{ready} of {} nodes take pods", nodes.len()))
    }

    /// A ServiceAccount `name` in `namespace`, which exists, with the rights of `rules`; see [`read_only`](crate::read_only).
    #[track_caller]
    pub fn account(&self, namespace: &str, name: &str, rules: &Value) -> Account {
        self.apply(access::objects(namespace, name, rules));
        self.account_of(namespace, name)
    }

    /// A ServiceAccount that is already there, with whatever rights it has.
    #[track_caller]
    pub fn account_of(&self, namespace: &str, name: &str) -> Account {
        let path = format!("/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token");
        let request =
            json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
        let answer = self.admin().create(&path, &request);
        let answer = answer.unwrap_or_else(|error| panic!("no token for {name}: {error}"));
        let token = answer["status"]["token"].as_str().expect("a token is text");
        let file = self.work().kubeconfig(&format!("{namespace}-{name}"));
        kubeconfig::write(&file, &self.work().server(), &self.work().pki.ca, token);
        let client = Client::new(&self.work().server(), &self.work().pki.ca, token);
        Account { kubeconfig: file, client }
    }

    /// Runs `restow WORDS` with a kubeconfig and waits until it ends.
    #[track_caller]
    pub fn restow(&self, kubeconfig: impl AsRef<Path>, words: &[&str]) -> Run {
        restow::run(self.restow_command(kubeconfig.as_ref(), words))
    }

    /// Starts `restow WORDS`, which goes on until the value is dropped; `name` is that of its log.
    #[track_caller]
    pub fn start_restow(
        &self,
        name: &str,
        kubeconfig: impl AsRef<Path>,
        words: &[&str],
    ) -> Process {
        self.spawn(name, &self.restow_command(kubeconfig.as_ref(), words))
    }

    fn restow_command(&self, kubeconfig: &Path, words: &[&str]) -> Command {
        restow::command(&self.work().programs.restow, self.work().path(), kubeconfig, words)
    }
}

/// Whether a Deployment has seen its own spec and all of its pods.
fn is_rolled_out(own: &Value) -> bool {
    let number = |value: &Value| value.as_u64().unwrap_or_default();
    let (status, wanted) = (&own["status"], number(&own["spec"]["replicas"]));
    number(&status["observedGeneration"]) >= number(&own["metadata"]["generation"])
        && ["replicas", "updatedReplicas", "availableReplicas"]
            .iter()
            .all(|name| number(&status[name]) == wanted)
}
