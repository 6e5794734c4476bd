//! The container: tagged, packed, checked frames, one after the other.

use std::borrow::Cow;
use std::io::{Read, Write};

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// The cluster at the start, as a snapshot file.
pub(super) const START: u8 = 1;

/// A look at the cluster.
pub(super) const LOOK: u8 = 2;

/// Before the checksum: tag and lengths.
const FRONT: usize = 1 + 4 + 4;
const HEAD: usize = FRONT + 4;

/// Deflate makes nothing larger than this many times smaller; a frame that claims more is damaged.
const LARGEST_RATIO: u64 = 1040;

/// The bytes of a frame; packed if that makes it smaller. Equal lengths tell the reader that it is not.
pub(super) fn frame(tag: u8, plain: &[u8]) -> Vec<u8> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(7));
    let packed = encoder.write_all(plain).and_then(|()| encoder.finish());
    let packed = packed.expect("writing to memory does not fail");
    let content = if packed.len() < plain.len() { packed.as_slice() } else { plain };
    let length = |bytes: &[u8]| {
        u32::try_from(bytes.len()).expect("what one cluster is takes less than 4 GiB").to_le_bytes()
    };
    let mut bytes = vec![tag];
    bytes.extend(length(plain));
    bytes.extend(length(content));
    let checksum = checksum(&bytes, content);
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(content);
    bytes
}

fn checksum(front: &[u8], content: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(front);
    hasher.update(content);
    hasher.finalize()
}

/// What stands at a place of a file.
pub(super) enum Found<'a> {
    /// A frame, and where the next one begins.
    Frame(u8, Cow<'a, [u8]>, usize),
    /// Less than a frame, and nothing after it.
    Rest,
    /// A frame that is not what was written, and something after it.
    Damaged,
}

/// The frame that begins at `at`.
pub(super) fn find(bytes: &[u8], at: usize) -> Found<'_> {
    let rest = bytes.get(at..).unwrap_or_default();
    let Some((head, after)) = rest.split_first_chunk::<HEAD>() else { return Found::Rest };
    let word = |from: usize| {
        u32::from_le_bytes([head[from], head[from + 1], head[from + 2], head[from + 3]])
    };
    let (plain, packed) = (word(1), word(5));
    let Some(content) = after.get(..packed as usize) else { return Found::Rest };
    let next = at + HEAD + content.len();
    let bad = if next == bytes.len() { Found::Rest } else { Found::Damaged };
    if checksum(&head[..FRONT], content) != word(FRONT) {
        return bad;
    }
    match unpack(content, plain) {
        Some(content) => Found::Frame(head[0], content, next),
        None => bad,
    }
}

fn unpack(content: &[u8], plain: u32) -> Option<Cow<'_, [u8]>> {
    if content.len() == plain as usize {
        return Some(Cow::Borrowed(content));
    }
    if u64::from(plain) > content.len() as u64 * LARGEST_RATIO {
        return None;
    }
    let mut text = Vec::with_capacity(plain as usize);
    DeflateDecoder::new(content).take(u64::from(plain) + 1).read_to_end(&mut text).ok()?;
    (text.len() == plain as usize).then_some(Cow::Owned(text))
}
