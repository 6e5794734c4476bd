//! Numbers, texts and deflated blocks.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// Content of a block that no table of ours reaches; bounds what a broken file can make us allocate.
const MAX_BLOCK: usize = 4 << 20;

/// A table that cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    /// The file is not ours or of another version.
    #[error("not a price table of version {expected}")]
    WrongFormat {
        /// The version that this build reads.
        expected: u8,
    },
    /// The file ends early or contradicts itself.
    #[error("price table is damaged: {0}")]
    Damaged(&'static str),
    /// A value that the format cannot hold.
    #[error("{column}: {value} cannot be stored")]
    Unstorable {
        /// Which column.
        column: String,
        /// Which value.
        value: String,
    },
}

#[derive(Default)]
pub(super) struct Writer {
    pub(super) bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// The content, deflated, after its length.
    pub(super) fn into_block(self) -> Vec<u8> {
        let mut block = Self::default();
        block.number(self.bytes.len() as u64);
        let mut encoder = DeflateEncoder::new(block.bytes, Compression::best());
        encoder.write_all(&self.bytes).expect("writing to memory does not fail");
        encoder.finish().expect("writing to memory does not fail")
    }
}

pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], PackError> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or(PackError::Damaged("ends early"))?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn number(&mut self) -> Result<u64, PackError> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(PackError::Damaged("number too long"))
    }

    /// A number of things of which each takes at least a byte, so a larger one cannot be true.
    pub(super) fn count(&mut self) -> Result<usize, PackError> {
        usize::try_from(self.number()?)
            .ok()
            .filter(|count| *count <= self.rest.len())
            .ok_or(PackError::Damaged("count beyond the end"))
    }

    pub(super) fn text(&mut self) -> Result<&'a str, PackError> {
        let length = self.count()?;
        std::str::from_utf8(self.take(length)?).map_err(|_| PackError::Damaged("text is not UTF-8"))
    }
}

/// The content of a block.
pub(super) fn inflate(block: &[u8]) -> Result<Vec<u8>, PackError> {
    let mut reader = Reader::new(block);
    let length = usize::try_from(reader.number()?)
        .ok()
        .filter(|length| *length <= MAX_BLOCK)
        .ok_or(PackError::Damaged("block too large"))?;
    let mut content = Vec::with_capacity(length);
    DeflateDecoder::new(reader.rest)
        .take(length as u64)
        .read_to_end(&mut content)
        .map_err(|_| PackError::Damaged("block does not inflate"))?;
    if content.len() != length {
        return Err(PackError::Damaged("block is short"));
    }
    Ok(content)
}

/// Signed to unsigned so that small numbers of either sign stay small.
pub(super) fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

pub(super) fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_and_texts_read_back(number in any::<u64>(), signed in any::<i64>(), text in ".{0,20}") {
            let mut writer = Writer::default();
            writer.number(number);
            writer.number(zigzag(signed));
            writer.text(&text);
            let content = inflate(&writer.into_block()).expect("a block inflates");
            let mut reader = Reader::new(&content);
            prop_assert_eq!(reader.number(), Ok(number));
            prop_assert_eq!(reader.number().map(unzigzag), Ok(signed));
            prop_assert_eq!(reader.text(), Ok(text.as_str()));
            prop_assert!(reader.take(1).is_err());
        }

        #[test]
        fn any_bytes_inflate_or_fail(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = inflate(&bytes);
        }
    }
}
