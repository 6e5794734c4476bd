//! Objects of one kind by name, and which of them changed since a copy was brought up to date.

use std::hash::BuildHasherDefault;

use hashbrown::hash_map::Entry;
use restow_model::Str;

type Index = hashbrown::HashMap<(Str, Str), Row, BuildHasherDefault<rustc_hash::FxHasher>>;

#[derive(Clone, Copy)]
struct Row {
    at: u32,
    /// The object's `resourceVersion`; 0 where it has none.
    version: u64,
}

/// Which version of an object it is.
#[derive(Clone, Copy)]
pub(crate) struct Version {
    /// Its `resourceVersion`; 0 where it has none.
    pub(crate) number: u64,
    /// Whether it takes the place of what is there whatever that is.
    pub(crate) counts: bool,
}

/// What became of an object that was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Added {
    /// It is new.
    New,
    /// It took the place of an older version.
    Replaced,
    /// A newer version, or the same one, was there.
    Known,
    /// It was there and nothing says which is newer.
    Conflict,
}

/// Objects of one kind.
#[derive(Clone)]
pub(crate) struct Objects<T> {
    rows: Vec<T>,
    keys: Vec<(Str, Str)>,
    index: Index,
    touched: Touched,
}

/// Rows that are not as they were when a copy was last brought up to date.
#[derive(Clone)]
enum Touched {
    /// All of them, or too many to say.
    All,
    /// These, each at least once; they need not be there any more.
    Some(Vec<u32>),
}

impl<T> Default for Objects<T> {
    fn default() -> Self {
        let (rows, keys, index) = (Vec::new(), Vec::new(), Index::default());
        Self { rows, keys, index, touched: Touched::All }
    }
}

impl<T> Objects<T> {
    pub(super) fn of(rows: Vec<T>, key: impl Fn(&T) -> (Str, Str)) -> Self {
        let keys: Vec<(Str, Str)> = rows.iter().map(key).collect();
        let numbered = keys.iter().enumerate();
        let index = numbered.map(|(at, key)| (*key, Row { at: at as u32, version: 0 })).collect();
        Self { rows, keys, index, touched: Touched::All }
    }

    /// Adds an object; `count` is told of it and of the version whose place it takes.
    pub(crate) fn add(
        &mut self,
        key: (Str, Str),
        object: T,
        version: Version,
        count: &mut dyn FnMut(Option<&T>, Option<&T>),
    ) -> Added {
        let mut at = self.rows.len() as u32;
        let added = match self.index.entry(key) {
            Entry::Vacant(slot) => {
                slot.insert(Row { at, version: version.number });
                count(None, Some(&object));
                self.rows.push(object);
                self.keys.push(key);
                Added::New
            }
            Entry::Occupied(mut slot) => {
                let row = slot.get_mut();
                if !version.counts {
                    if version.number == 0 || row.version == 0 {
                        return Added::Conflict;
                    }
                    if version.number <= row.version {
                        return Added::Known;
                    }
                }
                (row.version, at) = (version.number, row.at);
                let own = &mut self.rows[at as usize];
                count(Some(own), Some(&object));
                *own = object;
                Added::Replaced
            }
        };
        self.touch(at);
        added
    }

    /// Drops an object; `count` is told of it.
    pub(super) fn remove(
        &mut self,
        key: (Str, Str),
        count: &mut dyn FnMut(Option<&T>, Option<&T>),
    ) {
        let Some(row) = self.index.remove(&key) else { return };
        let at = row.at as usize;
        let gone = self.rows.swap_remove(at);
        count(Some(&gone), None);
        self.keys.swap_remove(at);
        if let Some(moved) = self.keys.get(at).and_then(|key| self.index.get_mut(key)) {
            moved.at = row.at;
        }
        self.touch(row.at);
    }

    fn touch(&mut self, at: u32) {
        if let Touched::Some(rows) = &mut self.touched {
            rows.push(at);
            // Then a whole copy costs no more.
            if rows.len() > self.rows.len() {
                self.touched = Touched::All;
            }
        }
    }

    /// Brings a copy up to date. Rows that somebody added at its end are dropped.
    pub(super) fn refresh(&mut self, copy: &mut Vec<T>)
    where
        T: Clone,
    {
        match std::mem::replace(&mut self.touched, Touched::Some(Vec::new())) {
            Touched::All => copy.clone_from(&self.rows),
            Touched::Some(mut rows) => {
                rows.sort_unstable();
                rows.dedup();
                copy.truncate(self.rows.len());
                // Whatever is beyond the end of the copy came since, and is among them.
                for at in rows.into_iter().map(|at| at as usize) {
                    let Some(row) = self.rows.get(at) else { continue };
                    match copy.get_mut(at) {
                        Some(own) => own.clone_from(row),
                        None => copy.push(row.clone()),
                    }
                }
            }
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn rows(&self) -> &[T] {
        &self.rows
    }

    /// Whether a copy is no longer up to date; from now on it is taken to be.
    pub(super) fn take_touched(&mut self) -> bool {
        match std::mem::replace(&mut self.touched, Touched::Some(Vec::new())) {
            Touched::All => true,
            Touched::Some(rows) => !rows.is_empty(),
        }
    }

    /// A copy has to be made anew.
    pub(super) fn touch_all(&mut self) {
        self.touched = Touched::All;
    }

    /// The objects alone: the index is dropped before the snapshot is put in order, which needs room of its own.
    pub(super) fn into_rows(self) -> Vec<T> {
        self.rows
    }
}
