//! From what happened to bytes that are added to a file.

use restow_model::{Snapshot, Time};
use rustc_hash::FxHashMap;
use serde::Serialize;

use crate::file;

use super::change::Change;
use super::frames::{LOOK, START, frame};
use super::{Frame, History, MAGIC, VERSION};

/// A look as it stands in the file.
#[derive(Serialize)]
struct Look<'a> {
    /// Milliseconds since the look before.
    passed: i64,
    /// Words that no frame before had, in order of their numbers.
    words: Vec<&'a str>,
    changes: Vec<Change<u32>>,
    /// A snapshot file, or nothing.
    objects: Vec<u8>,
}

/// Writes a history piece by piece. Equal histories give equal bytes.
#[derive(Clone, Debug)]
pub struct Writer {
    words: FxHashMap<String, u32>,
    last: Time,
}

impl Writer {
    /// Begins a history: returns the bytes of the file so far.
    pub fn begin(start: &Snapshot) -> (Self, Vec<u8>) {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(frame(START, &file::encode(start)));
        (Self { words: FxHashMap::default(), last: start.time }, bytes)
    }

    /// Goes on with a history that was read.
    pub fn resume(history: &History) -> Self {
        let mut writer = Self { words: FxHashMap::default(), last: history.end() };
        for change in history.frames.iter().flat_map(|frame| &frame.changes) {
            writer.numbered(change, &mut Vec::new());
        }
        writer
    }

    /// The bytes that tell what was seen, to be added to the file.
    pub fn add(&mut self, seen: &Frame) -> Vec<u8> {
        let mut words = Vec::new();
        let changes = seen.changes.iter().map(|change| self.numbered(change, &mut words)).collect();
        let none = seen.objects.workloads.is_empty()
            && seen.objects.pod_disruption_budgets.is_empty()
            && seen.objects.nodes.is_empty();
        let look = Look {
            passed: seen.time.millis().wrapping_sub(self.last.millis()),
            words: words.iter().map(String::as_str).collect(),
            changes,
            objects: if none { Vec::new() } else { file::encode(&seen.objects) },
        };
        self.last = seen.time;
        let plain =
            postcard::to_allocvec(&look).expect("a look holds nothing that postcard refuses");
        frame(LOOK, &plain)
    }

    /// The change with numbers for its words; those that are new are added to `words`.
    fn numbered(&mut self, change: &Change, words: &mut Vec<String>) -> Change<u32> {
        let mut number = |word: String| {
            let next = self.words.len() as u32;
            Some(*self.words.entry(word).or_insert_with_key(|word| {
                words.push(word.clone());
                next
            }))
        };
        change.clone().with(&mut number).expect("every word has a number")
    }
}
