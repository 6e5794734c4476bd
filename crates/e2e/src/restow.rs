//! Our own binary, as a person or a cluster would run it.

use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

/// What a run of the binary gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The exit code; none if it was killed.
    pub code: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit code {:?}\n{}{}", self.code, self.stdout, self.stderr)
    }
}

/// The binary with nothing in its environment but a kubeconfig.
pub(crate) fn command(program: &Path, home: &Path, kubeconfig: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(words).env_clear().env("HOME", home).env("KUBECONFIG", kubeconfig);
    command
}

#[track_caller]
pub(crate) fn run(mut command: Command) -> Run {
    let output = command.stdin(Stdio::null()).output();
    let output = output.unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Run { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}
