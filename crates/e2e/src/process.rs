//! A program that runs as long as a value lives.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::leash;

/// Lines of a log that are shown when a test fails.
const TAIL: usize = 25;

/// A line longer than this is cut there.
const WIDTH: usize = 400;

/// How long a program may take to end by itself.
const PATIENCE: Duration = Duration::from_secs(20);

/// A program that runs until this value is dropped, and never longer than this process.
#[derive(Debug)]
pub struct Process {
    name: String,
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts `command` under `leash`; what it prints is added to `log`.
    pub(crate) fn start(name: &str, command: &Command, leash: &Path, log: PathBuf) -> Self {
        let child = leashed(command, leash, &log).and_then(spawn);
        let child = child.unwrap_or_else(|error| panic!("cannot start {name}: {error}"));
        Self { name: name.to_owned(), child, log }
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has printed so far.
    pub fn log(&self) -> String {
        fs::read(&self.log)
            .map(|text| String::from_utf8_lossy(&text).into_owned())
            .unwrap_or_default()
    }

    /// Of a controller: evicted pods that came to be where the plan had put them, and others.
    pub fn placements(&self) -> (u64, u64) {
        let text = self.log();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.fold((0, 0), |(hits, misses), line| {
            let number = |key: &str| line[key].as_u64().unwrap_or_default();
            (hits + number("asPlanned"), misses + number("elsewhere"))
        })
    }

    /// How it ended, if it did.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("our own child can be waited for")
    }

    /// Fails if it has ended, with the end of its log.
    #[track_caller]
    pub fn assert_running(&mut self) {
        if let Some(status) = self.ended() {
            panic!("{} has ended ({status}):\n{}", self.name, self.tail());
        }
    }

    /// Ends it as a crash would: it has no time to clean up.
    pub fn kill(mut self) {
        self.end();
    }

    /// Asks it to end, and waits until it has; how it ended.
    #[track_caller]
    pub fn stop(mut self) -> ExitStatus {
        self.signal(Signal::TERM);
        let start = Instant::now();
        loop {
            if let Some(status) = self.ended() {
                return status;
            }
            let name = &self.name;
            assert!(start.elapsed() < PATIENCE, "{name} does not end:\n{}", self.tail());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Lets it hang: it keeps its ports and answers nothing.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it go on after [`pause`](Self::pause).
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        // It may have ended by itself: then there is nobody to tell.
        kill_process(Pid::from_child(&self.child), signal).ok();
    }

    fn end(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }

    /// The end of its log.
    pub fn tail(&self) -> String {
        tail(&self.log())
    }
}

impl Drop for Process {
    #[expect(clippy::print_stderr, reason = "what a test shows when it fails")]
    fn drop(&mut self) {
        self.end();
        if thread::panicking() {
            eprintln!("--- the end of {}:\n{}", self.log.display(), self.tail());
        }
    }
}

fn tail(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut shown = String::new();
    for line in &lines[lines.len().saturating_sub(TAIL)..] {
        let end = line.char_indices().nth(WIDTH).map_or(line.len(), |(at, _)| at);
        let more = if end < line.len() { "…" } else { "" };
        writeln!(shown, "  {}{more}", &line[..end]).expect("text takes everything");
    }
    shown
}

/// The same command, to be started through the leash.
fn leashed(command: &Command, leash: &Path, log: &Path) -> io::Result<Command> {
    let output = File::options().create(true).append(true).open(log)?;
    let mut leashed = Command::new(leash);
    leashed.arg(leash::WORD).arg(process::id().to_string());
    leashed.arg(command.get_program()).args(command.get_args());
    // Nothing comes from whoever started the tests: their settings are not ours.
    leashed.env_clear();
    let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    leashed.envs(set);
    if let Some(dir) = command.get_current_dir() {
        leashed.current_dir(dir);
    }
    leashed.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    Ok(leashed)
}

/// A command, and where to say what became of it.
type Job = (Command, Sender<io::Result<Child>>);

/// Linux takes the thread that started a process for its parent: one that ends with a test would take servers with it that
/// tests share. So a thread that never ends starts them all.
static STARTER: LazyLock<Sender<Job>> = LazyLock::new(|| {
    let (sender, jobs) = mpsc::channel::<Job>();
    thread::spawn(move || {
        for (mut command, answer) in jobs {
            answer.send(command.spawn()).ok();
        }
    });
    sender
});

fn spawn(command: Command) -> io::Result<Child> {
    let (sender, answer) = mpsc::channel();
    STARTER.send((command, sender)).expect("the thread never ends");
    answer.recv().expect("it answers every job")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_log_is_short() {
        let text: String = (0..100).fold(String::new(), |text, line| text + &format!("{line}\n"));
        let shown = tail(&(text + &"ü".repeat(WIDTH + 1)));
        assert_eq!(shown.lines().count(), TAIL);
        assert_eq!(shown.lines().next(), Some("  76"));
        assert_eq!(shown.lines().last(), Some(format!("  {}…", "ü".repeat(WIDTH)).as_str()));
    }
}
