//! A copy of what is known that is brought up to date instead of being made anew.

use std::ops::{Deref, DerefMut};

use restow_model::{Snapshot, Time};

use super::reader::Reader;

/// What a reader knew when it was last asked, for [`Reader::refresh`].
///
/// Whoever has it may add names, shared parts and pods at the end; nothing else of it may be changed. Pods that were added are gone
/// after the next refresh, names and shared parts are told to the reader by [`Reader::adopt`].
#[derive(Debug, Default)]
pub struct View {
    snapshot: Snapshot,
    /// Which refresh it is of.
    of: Option<u64>,
}

impl Deref for View {
    type Target = Snapshot;
    fn deref(&self) -> &Snapshot {
        &self.snapshot
    }
}

impl DerefMut for View {
    fn deref_mut(&mut self) -> &mut Snapshot {
        &mut self.snapshot
    }
}

impl Reader {
    /// Makes of a view what [`Reader::view`] would give. Only what has changed is copied if it is the view that was refreshed
    /// last, and all of it otherwise.
    pub fn refresh(&mut self, view: &mut View, now: Time) {
        let known = view.of.is_some() && view.of == self.viewed;
        self.store.refresh(&mut view.snapshot, now, known);
        self.refreshes += 1;
        (view.of, self.viewed) = (Some(self.refreshes), Some(self.refreshes));
    }

    /// Takes over names and shared parts that were added to a view, so that they keep their numbers. Nothing may have been read
    /// since it was refreshed.
    pub fn adopt(&mut self, view: &View) {
        let parts = &mut self.store.parts;
        parts.strings.extend_from(&view.strings);
        parts.labels.extend_from(&view.labels);
        parts.owners.extend_from(&view.owners);
        parts.shapes.extend_from(&view.shapes);
        parts.volumes.extend_from(&view.volumes);
    }
}

#[cfg(test)]
mod tests;
