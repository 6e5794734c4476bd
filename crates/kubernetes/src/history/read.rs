//! From the bytes of a file to what happened.

use restow_model::{Snapshot, Time};
use serde::Deserialize;

use crate::file;

use super::change::Change;
use super::error::HistoryError;
use super::frames::{Found, LOOK, START, find};
use super::{Frame, History, MAGIC, VERSION};

#[derive(Deserialize)]
struct Look {
    passed: i64,
    words: Vec<String>,
    changes: Vec<Change<u32>>,
    objects: Vec<u8>,
}

/// Reads a history file of any version up to [`VERSION`]. A last frame that is not whole is dropped and counted.
pub fn decode(bytes: &[u8]) -> Result<History, HistoryError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(HistoryError::NotAHistory)?;
    let version = rest.first_chunk().ok_or(HistoryError::CutOff)?;
    let version = u16::from_le_bytes(*version);
    if version > VERSION {
        return Err(HistoryError::TooNew(version));
    }
    let mut at = MAGIC.len() + 2;
    let mut history = match find(bytes, at) {
        Found::Frame(START, content, next) => {
            at = next;
            let start = file::decode(&content).map_err(HistoryError::Start)?;
            History { start, ..History::default() }
        }
        Found::Rest => return Err(HistoryError::CutOff),
        Found::Frame(..) | Found::Damaged => return Err(HistoryError::Damaged { at }),
    };
    let mut words: Vec<String> = Vec::new();
    while at < bytes.len() {
        match find(bytes, at) {
            Found::Frame(tag, content, next) => {
                if tag == LOOK {
                    let frame = look(&content, &mut words, history.end());
                    history.frames.push(frame.ok_or(HistoryError::Damaged { at })?);
                }
                at = next;
            }
            Found::Rest => break,
            Found::Damaged => return Err(HistoryError::Damaged { at }),
        }
    }
    history.good = at;
    history.lost = bytes.len() - at;
    Ok(history)
}

fn look(bytes: &[u8], words: &mut Vec<String>, last: Time) -> Option<Frame> {
    let look: Look = postcard::from_bytes(bytes).ok()?;
    words.extend(look.words);
    let mut word = |number: u32| words.get(number as usize).cloned();
    let changes = look.changes.into_iter().map(|change| change.with(&mut word));
    Some(Frame {
        time: Time::from_millis(last.millis().wrapping_add(look.passed)),
        changes: changes.collect::<Option<_>>()?,
        objects: match look.objects.as_slice() {
            [] => Snapshot::default(),
            bytes => file::decode(bytes).ok()?,
        },
    })
}
