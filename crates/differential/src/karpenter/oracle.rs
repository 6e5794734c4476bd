//! The talk with the program.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::answer::Answer;

/// A running oracle. It answers one line with one line, and reads a line to its end before it writes: asking and reading in
/// turn cannot block.
pub(crate) struct Oracle {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    line: String,
}

impl Oracle {
    pub(crate) fn start(program: &Path) -> Result<Self, String> {
        let failed = |error| format!("cannot start {}: {error}", program.display());
        let mut process = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(failed)?;
        let input = process.stdin.take();
        let output = process.stdout.take().ok_or("the oracle has no output")?;
        Ok(Self { process, input, output: BufReader::new(output), line: String::new() })
    }

    /// The answers to a question on one line. What Karpenter itself fails at is an answer, with its error.
    pub(crate) fn ask(&mut self, question: &str) -> Result<Answer, String> {
        let failed = |error| format!("the oracle went away: {error}");
        let input = self.input.as_mut().ok_or("the oracle was stopped")?;
        input.write_all(question.as_bytes()).map_err(failed)?;
        input.write_all(b"\n").and_then(|()| input.flush()).map_err(failed)?;
        self.line.clear();
        self.output.read_line(&mut self.line).map_err(failed)?;
        serde_json::from_str(&self.line)
            .map_err(|error| format!("the oracle's answer cannot be read: {error}"))
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        // The end of its input ends it, unless it is in the middle of something.
        self.input = None;
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
