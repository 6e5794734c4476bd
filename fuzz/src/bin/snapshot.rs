//! The snapshot file: damage is noticed, and what is not damage reads back.
//!
//! Checksums would stop every mutation at the door, so an input is a list of edits to the plain
//! sections of a real file, which is put together again with the right checksums.

#![no_main]

use std::io::Read;
use std::sync::LazyLock;

use flate2::read::DeflateDecoder;
use libfuzzer_sys::fuzz_target;
use restow_kubernetes::{ReadOptions, Reader, file};

const OBJECTS: &str = include_str!("../../seeds/objects/list.json");

/// Magic and version, and per section its tag and version and what is in it.
const FILE_HEAD: usize = 10;
const SECTION_HEAD: usize = 26;

struct Section {
    tag_and_version: [u8; 6],
    plain: Vec<u8>,
}

static SECTIONS: LazyLock<Vec<Section>> = LazyLock::new(|| {
    let bytes = example();
    let mut rest = &bytes[FILE_HEAD..];
    let mut sections = Vec::new();
    while let Some((head, after)) = rest.split_first_chunk::<SECTION_HEAD>() {
        let number = |at: usize| {
            let bytes = head[at..at + 8].try_into().expect("a slice of eight");
            usize::try_from(u64::from_le_bytes(bytes)).expect("the example is small")
        };
        let (plain, packed) = (number(6), number(14));
        let (content, after) = after.split_at(packed);
        let content = if plain == packed {
            content.to_vec()
        } else {
            let mut text = Vec::new();
            DeflateDecoder::new(content).read_to_end(&mut text).expect("we wrote it");
            text
        };
        let tag_and_version = head[..6].try_into().expect("a slice of six");
        sections.push(Section { tag_and_version, plain: content });
        rest = after;
    }
    sections
});

fn example() -> Vec<u8> {
    let mut reader = Reader::new(ReadOptions::default());
    reader.read("example", OBJECTS.as_bytes()).expect("the example reads");
    let (snapshot, _) = reader.finish(None).expect("the example is whole");
    file::encode(&snapshot)
}

fuzz_target!(|input: &[u8]| {
    check(input);
    check(&edited(input));
});

fn check(bytes: &[u8]) {
    let Ok(snapshot) = file::decode(bytes) else { return };
    let again = file::decode(&file::encode(&snapshot));
    assert_eq!(again.as_ref(), Ok(&snapshot));
    for pod in &snapshot.pods {
        let _ = snapshot.requests(pod);
    }
}

/// The example after the edits: section, offset (2 bytes), bytes to remove, bytes to insert.
fn edited(mut edits: &[u8]) -> Vec<u8> {
    let mut plain: Vec<Vec<u8>> = SECTIONS.iter().map(|section| section.plain.clone()).collect();
    while let Some((&[section, low, high, remove, insert], rest)) = edits.split_first_chunk() {
        let content = &mut plain[usize::from(section) % SECTIONS.len()];
        let start = usize::from(u16::from_le_bytes([low, high])) % (content.len() + 1);
        let end = content.len().min(start + usize::from(remove));
        let (insert, rest) = rest.split_at(usize::from(insert).min(rest.len()));
        content.splice(start..end, insert.iter().copied());
        edits = rest;
    }
    let mut bytes = file::MAGIC.to_vec();
    bytes.extend(file::VERSION.to_le_bytes());
    for (section, plain) in SECTIONS.iter().zip(plain) {
        bytes.extend(section.tag_and_version);
        let length = plain.len() as u64;
        bytes.extend(length.to_le_bytes());
        bytes.extend(length.to_le_bytes());
        bytes.extend(crc32fast::hash(&plain).to_le_bytes());
        bytes.extend(plain);
    }
    bytes
}
