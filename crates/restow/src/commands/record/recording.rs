//! A history file that grows look by look.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use anyhow::Context;
use restow_kubernetes::history::{self, Frame, History, Writer};
use restow_model::{GoDuration, Snapshot, Time};
use restow_report::units::counted;

use super::size;
use crate::replay::warn_of_loss;

/// When nothing happens for so long, that is noted: otherwise nobody would know how long it was watched.
const QUIET: GoDuration = GoDuration::from_seconds(300);

/// Reads a file that is gone on with.
pub(super) fn read(path: &Path) -> anyhow::Result<History> {
    let shown = path.display();
    let bytes = std::fs::read(path).with_context(|| format!("{shown}: cannot read"))?;
    let history = history::decode(&bytes).with_context(|| shown.to_string())?;
    warn_of_loss(path, &history);
    Ok(history)
}

/// What is being recorded.
pub(super) struct Recording {
    file: File,
    writer: Writer,
    /// The look before.
    before: Snapshot,
    begun: Time,
    written: Time,
    changes: usize,
    bytes: u64,
}

impl Recording {
    /// Begins a file.
    pub(super) fn begin(path: &Path, mut start: Snapshot) -> io::Result<Self> {
        start.canonicalize();
        let (writer, bytes) = Writer::begin(&start);
        let file = OpenOptions::new().append(true).create_new(true).open(path)?;
        let time = start.time;
        let mut own =
            Self { file, writer, before: start, begun: time, written: time, changes: 0, bytes: 0 };
        own.append(&bytes)?;
        Ok(own)
    }

    /// Goes on with a file; what is not whole at its end is cut off.
    pub(super) fn resume(path: &Path, history: &History, now: Snapshot) -> io::Result<Self> {
        let file = OpenOptions::new().append(true).open(path)?;
        file.set_len(history.good as u64)?;
        let before = history.at_end();
        let missed = history::across(&before, &now);
        let mut own = Self {
            file,
            writer: Writer::resume(history),
            before: now,
            begun: history.start.time,
            written: history.end(),
            changes: history.changes(),
            bytes: history.good as u64,
        };
        own.write(&missed)?;
        Ok(own)
    }

    /// Writes what happened since the look before, if anything did.
    pub(super) fn add(&mut self, now: Snapshot) -> io::Result<()> {
        let frame = history::between(&self.before, &now);
        self.before = now;
        if frame.is_empty() && frame.time.since(self.written) < QUIET {
            return Ok(());
        }
        self.write(&frame)
    }

    /// The same, and how long it was watched.
    pub(super) fn finish(&mut self, now: Option<Snapshot>) -> io::Result<()> {
        let Some(now) = now else { return Ok(()) };
        let frame = history::between(&self.before, &now);
        self.before = now;
        self.write(&frame)
    }

    /// Nodes, pods, changes and bytes so far.
    pub(super) fn summary(&self) -> String {
        format!(
            "{}: {}, {}, {}, {}",
            self.before.time.since(self.begun).human(),
            counted(self.before.nodes.len(), "node"),
            counted(self.before.pods.len(), "pod"),
            counted(self.changes, "change"),
            size(self.bytes),
        )
    }

    fn write(&mut self, frame: &Frame) -> io::Result<()> {
        let bytes = self.writer.add(frame);
        (self.changes, self.written) = (self.changes + frame.changes.len(), frame.time);
        self.append(&bytes)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.file.sync_data()?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }
}
