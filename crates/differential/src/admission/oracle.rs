//! The talk with the program.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What an API server says of an object under each CRD.
#[derive(Deserialize)]
pub(crate) struct Answer {
    pub(crate) ours: Refusals,
    pub(crate) peer: Refusals,
}

/// All errors; none if the object is taken.
#[derive(Deserialize)]
pub(crate) struct Refusals {
    pub(crate) errors: Option<Vec<Refusal>>,
}

/// One error.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Refusal {
    pub(crate) field: String,
    pub(crate) r#type: String,
    pub(crate) detail: String,
}

impl Refusals {
    pub(crate) fn list(&self) -> &[Refusal] {
        self.errors.as_deref().unwrap_or_default()
    }
}

/// A running oracle, which answers one line with one line.
pub(crate) struct Oracle {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Oracle {
    /// Starts it. An error if the API server would not take the CRD.
    pub(crate) fn start(program: &Path, crd: &Path) -> Result<Self, String> {
        let failed = |error| format!("cannot start {}: {error}", program.display());
        let mut command = Command::new(program);
        command.arg("admission").arg(crd).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().map_err(failed)?;
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().ok_or("the oracle has no output")?);
        let mut oracle = Self { process, input, output };
        let crd: Refusals = oracle.answer()?;
        match crd.list() {
            [] => Ok(oracle),
            errors => Err(format!("the API server would refuse the CRD: {errors:#?}")),
        }
    }

    /// What the server says of an object, or of a change to it.
    pub(crate) fn ask(&mut self, object: &Value, old: Option<&Value>) -> Result<Answer, String> {
        let failed = |error| format!("the oracle went away: {error}");
        let mut question = serde_json::json!({"object": object});
        if let Some(old) = old {
            question["old"] = old.clone();
        }
        let input = self.input.as_mut().ok_or("the oracle was stopped")?;
        writeln!(input, "{question}").and_then(|()| input.flush()).map_err(failed)?;
        self.answer()
    }

    fn answer<T: DeserializeOwned>(&mut self) -> Result<T, String> {
        let mut line = String::new();
        let failed = |error| format!("the oracle went away: {error}");
        self.output.read_line(&mut line).map_err(failed)?;
        serde_json::from_str(&line)
            .map_err(|error| format!("the oracle's answer cannot be read: {error}: {line}"))
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // The end of its input ends it.
        self.input = None;
        let _ = self.process.wait();
    }
}
