//! The controller as its own process: what it says of itself, and what the kernel says of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::Value;

/// How many parts a second of CPU time has in `/proc`: the kernel always says 100 to programs.
const TICKS: f64 = 100.0;

/// A running `restow run`; it ends when dropped.
pub(super) struct Process {
    child: Child,
    metrics: SocketAddr,
    /// Its log, line by line.
    pub(super) log: Receiver<Value>,
}

/// Resident memory in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Memory {
    pub(super) now: u64,
    pub(super) peak: u64,
}

impl Process {
    /// Starts `program` on the cluster of a kubeconfig.
    pub(super) fn start(program: &Path, kubeconfig: &Path) -> Result<Self, String> {
        let free = TcpListener::bind(("127.0.0.1", 0)).and_then(|own| own.local_addr());
        let metrics = free.map_err(|error| error.to_string())?;
        let mut child = Command::new(program)
            .args(["run", "--mode", "observe", "--no-lease", "--metrics-address"])
            .arg(metrics.to_string())
            .arg("--kubeconfig")
            .arg(kubeconfig)
            // As in the Dockerfile.
            .env("MIMALLOC_PURGE_DELAY", "0")
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let (lines, log) = channel();
        let stderr = child.stderr.take().ok_or("no log")?;
        thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let own = serde_json::from_str(&line).unwrap_or(Value::String(line));
                if lines.send(own).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, metrics, log })
    }

    /// Seconds of CPU that it has used.
    pub(super) fn cpu(&self) -> f64 {
        let text = self.file("stat");
        // The name of the program may hold anything, but what follows its last bracket is numbers.
        let numbers = text.rsplit_once(')').map_or("", |(_, rest)| rest);
        let ticks = |at: usize| numbers.split_whitespace().nth(at).and_then(|own| own.parse().ok());
        let used: [f64; 2] = [11, 12].map(|at| ticks(at).unwrap_or_default());
        (used[0] + used[1]) / TICKS
    }

    /// Its resident memory.
    pub(super) fn memory(&self) -> Memory {
        let text = self.file("status");
        let read = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            let kib = line.and_then(|line| line.split_whitespace().next());
            kib.and_then(|kib| kib.parse::<u64>().ok()).unwrap_or_default() << 10
        };
        Memory { now: read("VmRSS:"), peak: read("VmHWM:") }
    }

    fn file(&self, name: &str) -> String {
        let path = PathBuf::from(format!("/proc/{}/{name}", self.child.id()));
        std::fs::read_to_string(path).unwrap_or_default()
    }

    /// A number that it serves; 0 while it does not.
    pub(super) fn numbers(&self, names: &[&str]) -> Vec<f64> {
        let text = self.page().unwrap_or_default();
        let read = |name: &&str| {
            let line = text.lines().find(|line| line.split(' ').next() == Some(*name));
            line.and_then(|line| line.split(' ').nth(1)?.parse().ok()).unwrap_or_default()
        };
        names.iter().map(read).collect()
    }

    fn page(&self) -> std::io::Result<String> {
        let mut stream = TcpStream::connect(self.metrics)?;
        write!(stream, "GET /metrics HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n")?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        Ok(text)
    }

    /// Whether it still runs.
    pub(super) fn runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
