//! The history file: damage is noticed, whatever reads is read the same again, and can be gone on with.
//!
//! Checksums would stop every mutation at the door, so an input is also taken as the plain content of frames that are put together
//! with the right checksums after the start of a real file.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use restow_kubernetes::history::{History, Writer, across, decode};
use restow_kubernetes::{ReadOptions, Reader};

const OBJECTS: &str = include_str!("../../seeds/objects/list.json");

/// The beginning of a real history.
static START: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut reader = Reader::new(ReadOptions::default());
    reader.read("example", OBJECTS.as_bytes()).expect("the example reads");
    let (snapshot, _) = reader.finish(None).expect("the example is whole");
    Writer::begin(&snapshot).1
});

fuzz_target!(|input: &[u8]| {
    check(input);
    check(&[&START[..], input].concat());
    check(&framed(input));
});

fn check(bytes: &[u8]) {
    let Ok(history) = decode(bytes) else { return };
    assert_eq!(history.good + history.lost, bytes.len());
    let (mut writer, mut again) = Writer::begin(&history.start);
    for frame in &history.frames {
        again.extend(writer.add(frame));
    }
    let good = again.len();
    assert_eq!(decode(&again), Ok(History { lost: 0, good, ..history.clone() }));
    let end = history.at_end();
    let missed = across(&end, &end);
    assert_eq!(missed.changes.len(), 1, "only that nobody looked: {:?}", missed.changes);
}

/// The example with frames after it: each is a tag, a length and so many bytes of the input.
fn framed(mut input: &[u8]) -> Vec<u8> {
    let mut bytes = START.clone();
    while let Some((&[tag, length], rest)) = input.split_first_chunk() {
        let (content, rest) = rest.split_at(usize::from(length).min(rest.len()));
        let mut front = vec![tag % 4];
        let length = u32::try_from(content.len()).expect("at most 255").to_le_bytes();
        front.extend(length);
        front.extend(length);
        let checksum = crc32fast::hash(&[&front[..], content].concat());
        bytes.extend(front);
        bytes.extend(checksum.to_le_bytes());
        bytes.extend(content);
        input = rest;
    }
    bytes
}
