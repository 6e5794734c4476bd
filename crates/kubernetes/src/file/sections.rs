//! The container: tagged, packed, checked sections.

use std::borrow::Cow;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{MAGIC, SnapshotFileError, VERSION, damaged};

const SECTION_VERSION: u16 = 1;
const HEAD: usize = 4 + 2 + 8 + 8 + 4;
const END: [u8; 4] = *b"END.";

/// Deflate makes nothing larger than this many times smaller; a section that claims more is damaged.
const LARGEST_RATIO: u64 = 1040;

/// Writes sections.
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn new() -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        Self(bytes)
    }

    /// A section of a serialized value.
    pub(super) fn object<T: Serialize>(&mut self, tag: [u8; 4], value: &T) {
        let bytes =
            postcard::to_allocvec(value).expect("the model holds nothing that postcard refuses");
        self.packed(tag, &bytes);
    }

    /// A section of a list, left out if it is empty.
    pub(super) fn list<T: Serialize>(&mut self, tag: [u8; 4], list: &[T]) {
        if !list.is_empty() {
            self.object(tag, &list);
        }
    }

    /// A section that is compressed.
    pub(super) fn packed(&mut self, tag: [u8; 4], bytes: &[u8]) {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(7));
        let packed = encoder.write_all(bytes).and_then(|()| encoder.finish());
        let packed = packed.expect("writing to memory does not fail");
        if packed.len() < bytes.len() {
            self.section(tag, bytes.len(), &packed);
        } else {
            self.section(tag, bytes.len(), bytes);
        }
    }

    /// A section that would not become smaller. Equal lengths tell the reader that it is not compressed.
    pub(super) fn plain(&mut self, tag: [u8; 4], bytes: &[u8]) {
        self.section(tag, bytes.len(), bytes);
    }

    fn section(&mut self, tag: [u8; 4], plain: usize, packed: &[u8]) {
        self.0.extend(tag);
        self.0.extend(SECTION_VERSION.to_le_bytes());
        self.0.extend((plain as u64).to_le_bytes());
        self.0.extend((packed.len() as u64).to_le_bytes());
        self.0.extend(crc32fast::hash(packed).to_le_bytes());
        self.0.extend(packed);
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.section(END, 0, &[]);
        self.0
    }
}

struct Section<'a> {
    tag: [u8; 4],
    version: u16,
    plain: u64,
    packed: &'a [u8],
}

/// Reads sections.
pub(super) struct Sections<'a>(Vec<Section<'a>>);

impl<'a> Sections<'a> {
    pub(super) fn open(bytes: &'a [u8]) -> Result<Self, SnapshotFileError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(SnapshotFileError::NotASnapshot)?;
        let (version, mut rest) = rest.split_first_chunk().ok_or(SnapshotFileError::CutOff)?;
        let version = u16::from_le_bytes(*version);
        if version > VERSION {
            return Err(SnapshotFileError::TooNew(version));
        }
        let mut sections = Vec::new();
        loop {
            let (head, after) =
                rest.split_first_chunk::<HEAD>().ok_or(SnapshotFileError::CutOff)?;
            let word = |from: usize| {
                let bytes: [u8; 8] = std::array::from_fn(|at| head[from + at]);
                u64::from_le_bytes(bytes)
            };
            let tag = [head[0], head[1], head[2], head[3]];
            let (plain, packed) = (word(6), word(14));
            let checksum = u32::from_le_bytes([head[22], head[23], head[24], head[25]]);
            let length = usize::try_from(packed).map_err(|_| SnapshotFileError::CutOff)?;
            let (content, after) =
                after.split_at_checked(length).ok_or(SnapshotFileError::CutOff)?;
            if crc32fast::hash(content) != checksum || plain > packed.saturating_mul(LARGEST_RATIO)
            {
                return Err(damaged(&name(tag)));
            }
            if tag == END {
                return Ok(Self(sections));
            }
            let version = u16::from_le_bytes([head[4], head[5]]);
            sections.push(Section { tag, version, plain, packed: content });
            rest = after;
        }
    }

    fn find(&self, tag: [u8; 4]) -> Result<Option<Cow<'a, [u8]>>, SnapshotFileError> {
        let Some(section) = self.0.iter().find(|section| section.tag == tag) else {
            return Ok(None);
        };
        if section.version > SECTION_VERSION {
            return Err(SnapshotFileError::SectionTooNew {
                tag: name(tag),
                version: section.version,
            });
        }
        if section.plain == section.packed.len() as u64 {
            return Ok(Some(Cow::Borrowed(section.packed)));
        }
        let mut plain = Vec::with_capacity(section.plain as usize);
        DeflateDecoder::new(section.packed)
            .take(section.plain + 1)
            .read_to_end(&mut plain)
            .map_err(|_| damaged(&name(tag)))?;
        if plain.len() as u64 == section.plain {
            Ok(Some(Cow::Owned(plain)))
        } else {
            Err(damaged(&name(tag)))
        }
    }

    /// The bytes of a section that every file has.
    pub(super) fn required(
        &self,
        tag: [u8; 4],
        name: &'static str,
    ) -> Result<Cow<'a, [u8]>, SnapshotFileError> {
        self.find(tag)?.ok_or(SnapshotFileError::Missing(name))
    }

    /// The value of a section that every file has.
    pub(super) fn object<T: DeserializeOwned>(
        &self,
        tag: [u8; 4],
        name: &'static str,
    ) -> Result<T, SnapshotFileError> {
        postcard::from_bytes(&self.required(tag, name)?).map_err(|_| damaged(name))
    }

    /// The list of a section, empty where there is none.
    pub(super) fn list<T: DeserializeOwned>(
        &self,
        tag: [u8; 4],
    ) -> Result<Vec<T>, SnapshotFileError> {
        match self.find(tag)? {
            Some(bytes) => postcard::from_bytes(&bytes).map_err(|_| damaged(&name(tag))),
            None => Ok(Vec::new()),
        }
    }
}

fn name(tag: [u8; 4]) -> String {
    String::from_utf8_lossy(&tag).into_owned()
}
