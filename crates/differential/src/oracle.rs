//! The program that knows the right answers, and what it says.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;

/// The answers for one cluster.
#[derive(Debug, Deserialize)]
pub(crate) struct Answer {
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    pub(crate) pods: Option<Vec<PodAnswer>>,
}

/// Where a pod can run, and what keeps it from the other nodes.
#[derive(Debug, Deserialize)]
pub(crate) struct PodAnswer {
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// The scheduler does not look at it yet.
    #[serde(default)]
    pub(crate) gated: bool,
    pub(crate) infeasible: Vec<Rejection>,
    /// What made the scheduler give up on the pod.
    #[serde(default)]
    pub(crate) errors: Vec<Failure>,
    /// The nodes among which the scheduler picks at random, if scores were asked for.
    #[serde(default)]
    pub(crate) best: Vec<String>,
    /// The scores of all nodes that are possible, if there are several.
    #[serde(default)]
    pub(crate) scores: Vec<Score>,
}

/// What the scheduler thinks of a node.
#[derive(Debug, Deserialize)]
pub(crate) struct Score {
    pub(crate) node: String,
    pub(crate) total: i64,
    pub(crate) plugins: BTreeMap<String, PluginScore>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct PluginScore {
    pub(crate) score: i64,
    pub(crate) weight: i64,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Rejection {
    pub(crate) node: String,
    pub(crate) plugin: String,
    pub(crate) reasons: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Failure {
    pub(crate) plugin: String,
    pub(crate) message: String,
}

impl PodAnswer {
    /// The rejections by node. A gated pod is rejected everywhere.
    pub(crate) fn rejections(&self) -> BTreeMap<&str, &Rejection> {
        self.infeasible.iter().map(|rejection| (rejection.node.as_str(), rejection)).collect()
    }
}

/// A running oracle. It answers one line with one line, and reads a line to its end before it writes: asking and reading in
/// turn cannot block.
pub(crate) struct Oracle {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    line: String,
}

impl Oracle {
    /// Starts it, with what it has to be told.
    pub(crate) fn start(program: &Path, arguments: &[&str]) -> Result<Self, String> {
        let failed = |error| format!("cannot start {}: {error}", program.display());
        let mut process = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let input = process.stdin.take();
        let output = process.stdout.take().ok_or("the oracle has no output")?;
        Ok(Self { process, input, output: BufReader::new(output), line: String::new() })
    }

    /// The answers for a cluster, given as a list on one line.
    pub(crate) fn ask(&mut self, cluster: &str) -> Result<Vec<PodAnswer>, String> {
        let failed = |error| format!("the oracle went away: {error}");
        let input = self.input.as_mut().ok_or("the oracle was stopped")?;
        input.write_all(cluster.as_bytes()).map_err(failed)?;
        input.write_all(b"\n").and_then(|()| input.flush()).map_err(failed)?;
        self.line.clear();
        self.output.read_line(&mut self.line).map_err(failed)?;
        let answer: Answer = serde_json::from_str(&self.line)
            .map_err(|error| format!("the oracle's answer cannot be read: {error}"))?;
        match answer.error {
            Some(error) => Err(format!("the oracle refused the cluster: {error}")),
            None => Ok(answer.pods.unwrap_or_default()),
        }
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // The end of its input ends it.
        self.input = None;
        let _ = self.process.wait();
    }
}
