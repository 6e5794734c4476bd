//! Names are stored once and referred to by number.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// A name in the [`Strings`] table of its snapshot. Numbers are given in order of first use.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(transparent)]
pub struct Str(u32);

impl Str {
    /// The empty name, which every table holds first.
    pub const EMPTY: Self = Self(0);

    /// The name with this number in its table.
    pub const fn from_index(index: u32) -> Self {
        Self(index)
    }

    /// Its number in the table.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Whether it is the empty name.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl Default for Str {
    fn default() -> Self {
        Self::EMPTY
    }
}

/// Every distinct name of a snapshot, in one block of text.
#[derive(Clone)]
pub struct Strings {
    text: String,
    /// Where each string ends in `text`; it starts where the one before ends.
    ends: Vec<u32>,
    lookup: HashTable<Str>,
}

impl Default for Strings {
    fn default() -> Self {
        let mut strings = Self { text: String::new(), ends: Vec::new(), lookup: HashTable::new() };
        strings.intern("");
        strings
    }
}

impl Strings {
    /// The number of `text`, which is added if it is new.
    ///
    /// A table holds up to 4 GiB of text; what comes after that is refused by the readers long before.
    pub fn intern(&mut self, text: &str) -> Str {
        let hash = FxBuildHasher.hash_one(text);
        let Self { text: all, ends, lookup } = self;
        if let Some(found) = lookup.find(hash, |id| slice(all, ends, *id) == text) {
            return *found;
        }
        let id = Str(ends.len() as u32);
        all.push_str(text);
        ends.push(u32::try_from(all.len()).expect("readers stop before 4 GiB of distinct names"));
        lookup.insert_unique(hash, id, |id| FxBuildHasher.hash_one(slice(all, ends, *id)));
        id
    }

    /// The number of `text` if the table holds it.
    pub fn get(&self, text: &str) -> Option<Str> {
        let hash = FxBuildHasher.hash_one(text);
        self.lookup.find(hash, |id| self.text(*id) == text).copied()
    }

    /// Takes over what `other` has more. One of the two began as a copy of the other, and only one of them grew since.
    pub fn extend_from(&mut self, other: &Self) {
        for at in self.len()..other.len() {
            self.intern(other.text(Str(at as u32)));
        }
    }

    /// The text of a name. A number that is not of this table reads as the empty text.
    pub fn text(&self, id: Str) -> &str {
        slice(&self.text, &self.ends, id)
    }

    /// How many distinct names there are, the empty one included.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether the table holds the empty name only.
    pub fn is_empty(&self) -> bool {
        self.len() == 1
    }

    /// Bytes of text held.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    /// All names in the order of their numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.ends.len()).map(|index| self.text(Str(index as u32)))
    }

    /// Gives back what the tables reserved for growth.
    pub fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
        let Self { text, ends, lookup } = self;
        lookup.shrink_to_fit(|id| FxBuildHasher.hash_one(slice(text, ends, *id)));
    }
}

fn slice<'a>(text: &'a str, ends: &[u32], id: Str) -> &'a str {
    let start = match id.index().checked_sub(1) {
        Some(before) => ends.get(before).copied().unwrap_or_default(),
        None => 0,
    };
    let end = ends.get(id.index()).copied().unwrap_or(start);
    text.get(start as usize..end as usize).unwrap_or_default()
}

impl std::ops::Index<Str> for Strings {
    type Output = str;
    fn index(&self, id: Str) -> &str {
        self.text(id)
    }
}

impl std::fmt::Debug for Strings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Strings({} names, {} bytes)", self.len(), self.bytes())
    }
}

impl PartialEq for Strings {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.ends == other.ends
    }
}

impl Eq for Strings {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equal_text_has_one_number_and_reads_back(texts in proptest::collection::vec(".{0,8}", 0..64)) {
            let mut strings = Strings::default();
            let ids: Vec<Str> = texts.iter().map(|text| strings.intern(text)).collect();
            for (text, id) in texts.iter().zip(&ids) {
                prop_assert_eq!(strings.text(*id), text.as_str());
                prop_assert_eq!(strings.get(text), Some(*id));
                prop_assert_eq!(strings.intern(text), *id);
            }
        }
    }

    #[test]
    fn a_copy_follows_what_it_was_made_of() {
        let mut strings = Strings::default();
        strings.intern("a");
        let mut copy = strings.clone();
        for text in ["b", "a", "c"] {
            strings.intern(text);
        }
        copy.extend_from(&strings);
        assert_eq!(copy, strings);
        assert_eq!(copy.get("c"), strings.get("c"));
        strings.extend_from(&copy);
        assert_eq!(copy, strings);
    }

    #[test]
    fn the_empty_name_is_number_zero() {
        let mut strings = Strings::default();
        assert_eq!(strings.intern(""), Str::EMPTY);
        assert_eq!(strings.text(Str::from_index(99)), "");
    }
}
