//! The table of names: sorted names share their beginnings with their neighbours.

use restow_model::Strings;

use super::columns::{Column, join, split};

pub(super) fn encode(strings: &Strings) -> Vec<u8> {
    let [mut shared, mut lengths, mut texts] =
        [Column::default(), Column::default(), Column::default()];
    let mut before = "";
    for text in strings.iter().skip(1) {
        let common = before.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
        shared.push(common as u64);
        lengths.push((text.len() - common) as u64);
        texts.bytes(&text.as_bytes()[common..]);
        before = text;
    }
    let mut count = Column::default();
    count.push(strings.len() as u64 - 1);
    join(&[count, shared, lengths, texts])
}

pub(super) fn decode(bytes: &[u8]) -> Option<Strings> {
    let [mut count, mut shared, mut lengths, mut texts] = split(bytes)?;
    let mut strings = Strings::default();
    let mut name = Vec::new();
    for index in 1..=count.next()? {
        let common = usize::try_from(shared.next()?).ok()?;
        let rest = texts.take(usize::try_from(lengths.next()?).ok()?)?;
        if common > name.len() {
            return None;
        }
        name.truncate(common);
        name.extend_from_slice(rest);
        // A name that stands twice, or is empty, would shift the numbers of those after it.
        if strings.bytes() + name.len() > u32::MAX as usize
            || strings.intern(std::str::from_utf8(&name).ok()?).index() as u64 != index
        {
            return None;
        }
    }
    strings.shrink();
    Some(strings)
}
